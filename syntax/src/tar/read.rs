//! The reader of archives.

use spr_core::bytes::Source;
use spr_core::model::{Key, Limits};
use spr_core::{Error, ErrorKind, Result};

use super::header::Header;
use super::pax::Records;
use super::{BLOCK, number, padding};

/// The longest header of PAX, or name of GNU, in bytes.
const LONGEST: u64 = 1 << 20;

/// The kind of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link to another file, symbolic or hard, which is never followed.
    Link,
    /// A device, a pipe or something of one program's own.
    Other,
}

/// A member of an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The path, as it is stored. It may lead anywhere and is no place to write to.
    pub name: Vec<u8>,
    /// The kind.
    pub kind: MemberKind,
    /// The first byte of its headers in the archive.
    pub start: u64,
    /// The first byte of the data in the archive.
    pub offset: u64,
    /// The number of bytes of data.
    pub size: u64,
}

impl Member {
    /// Returns `error` with the name of this member.
    pub fn error(&self, error: Error) -> Error {
        error.utterance(&Key::from(self.name.as_slice()))
    }
}

/// Reads the members of an archive in order.
pub struct TarReader {
    source: Source,
    limits: Limits,
    /// The records of a global header about all members after it.
    of_all: Records,
    /// The byte of the next header.
    next: u64,
    /// The bytes of the member's data that were not read.
    left: u64,
    has_ended: bool,
}

impl TarReader {
    /// Reads the archive that begins where `source` stands.
    pub fn new(source: Source, limits: Limits) -> Self {
        Self {
            next: source.offset(),
            source,
            limits,
            of_all: Records::default(),
            left: 0,
            has_ended: false,
        }
    }

    /// Returns the next member, and passes over what was not read of the one before.
    ///
    /// # Errors
    /// A header is damaged, the archive is cut off, or a member is of a sort that is not read. After
    /// the first, [`resume`](Self::resume) goes on.
    pub fn next_member(&mut self) -> Result<Option<Member>> {
        let mut own = Records::default();
        let mut long_name = None;
        let mut start = None;
        while let Some((header, at)) = self.header()? {
            let start = *start.get_or_insert(at);
            let size = header.size();
            let size = size.ok_or_else(|| self.damaged(at, "the size of a member is no number"))?;
            match header.kind() {
                b'x' => {
                    let bytes = self.extension(at, size)?;
                    if !own.take(&bytes) {
                        return Err(self.damaged(at, "a PAX header is malformed"));
                    }
                }
                b'g' => {
                    let bytes = self.extension(at, size)?;
                    if !self.of_all.take(&bytes) {
                        return Err(self.damaged(at, "a PAX header is malformed"));
                    }
                }
                b'L' => {
                    let mut bytes = self.extension(at, size)?;
                    let end = bytes.iter().position(|byte| *byte == 0);
                    bytes.truncate(end.unwrap_or(bytes.len()));
                    long_name = Some(bytes);
                }
                // The target of a link is not needed.
                b'K' => drop(self.extension(at, size)?),
                kind => {
                    let name = own.path.take().or_else(|| self.of_all.path.clone());
                    let name = name.or(long_name).unwrap_or_else(|| header.name());
                    let sparse = own.is_sparse || self.of_all.is_sparse || kind == b'S';
                    let size = own.size.or(self.of_all.size).unwrap_or(size);
                    let member = self.member(name, kind, size, sparse, at)?;
                    return Ok(Some(Member { start, ..member }));
                }
            }
        }
        if own != Records::default() || long_name.is_some() {
            let message = "the archive ends behind the header of a member";
            return Err(self.source.error(ErrorKind::Truncated, message));
        }
        Ok(None)
    }

    /// The member whose header stands at byte `at`.
    fn member(
        &mut self,
        name: Vec<u8>,
        kind: u8,
        size: u64,
        sparse: bool,
        at: u64,
    ) -> Result<Member> {
        let named = |error: Error| error.utterance(&Key::from(name.as_slice()));
        if sparse || kind == b'M' {
            let what = if sparse {
                "is sparse"
            } else {
                "goes on from another volume"
            };
            let error = Error::unsupported(format!("the member {what}, which is not read"));
            return Err(named(error.file(self.source.name()).byte(at)));
        }
        let kind = match kind {
            // Before POSIX a folder was told by its name.
            b'0' | 0 | b'7' if name.ends_with(b"/") => MemberKind::Folder,
            b'0' | 0 | b'7' => MemberKind::File,
            b'1' | b'2' => MemberKind::Link,
            b'5' => MemberKind::Folder,
            _ => MemberKind::Other,
        };
        // The size of a link is that of the file elsewhere.
        let size = match kind {
            MemberKind::File | MemberKind::Other => size,
            MemberKind::Folder | MemberKind::Link => 0,
        };
        let offset = self.source.offset();
        self.source.expect(size).map_err(named)?;
        self.claim(at, size)?;
        Ok(Member {
            name,
            kind,
            start: at,
            offset,
            size,
        })
    }

    /// Reads the data of the member that came last, for `what`.
    ///
    /// # Errors
    /// They are cut off, or larger than the limits.
    pub fn data(&mut self, what: &str) -> Result<Vec<u8>> {
        let size = std::mem::take(&mut self.left);
        self.bytes(what, size)
    }

    /// Returns up to `n` first bytes of the member that came last, which stay to be read.
    ///
    /// # Errors
    /// Reading fails.
    pub fn head(&mut self, n: usize) -> Result<&[u8]> {
        let there = usize::try_from(self.left).unwrap_or(usize::MAX);
        self.source.peek(n.min(there))
    }

    /// Reads up to `most` of the next bytes of the member that came last.
    ///
    /// # Errors
    /// They are cut off.
    pub fn take(&mut self, most: usize) -> Result<Vec<u8>> {
        let size = self.left.min(most as u64);
        self.left -= size;
        self.bytes("the start of a member", size)
    }

    /// Moves to the headers that start at byte `at`, such as [`Member::start`].
    ///
    /// # Errors
    /// The archive can't be gone back in, or ends before.
    pub fn go_to(&mut self, at: u64) -> Result<()> {
        self.source.seek(at)?;
        (self.next, self.left, self.has_ended) = (at, 0, false);
        Ok(())
    }

    /// Reads the next header that is not one of zeros, and the byte at which it starts.
    fn header(&mut self) -> Result<Option<(Header, u64)>> {
        if self.has_ended {
            return Ok(None);
        }
        let behind = self.next.saturating_sub(self.source.offset());
        // The padding of the last member may be missing, as no data are.
        if self.source.remaining().is_none_or(|left| left >= behind) {
            self.source.skip(behind)?;
        } else {
            self.source.skip(self.left)?;
            self.source.skip(self.source.remaining().unwrap_or(0))?;
        }
        self.left = 0;
        let at = self.source.offset();
        let head = self.source.peek(BLOCK)?;
        if head.iter().all(|byte| *byte == 0) {
            self.has_ended = true;
            return Ok(None);
        }
        let block: [u8; BLOCK] = self.source.array()?;
        let header = Header::of(block);
        let header = header.ok_or_else(|| self.damaged(at, "the header of a member is damaged"))?;
        Ok(Some((header, at)))
    }

    /// The data of a header of PAX or GNU.
    fn extension(&mut self, at: u64, size: u64) -> Result<Vec<u8>> {
        if size > LONGEST {
            return Err(self.damaged(at, &format!("a header of {size} bytes")));
        }
        self.claim(at, size)?;
        let bytes = self.bytes("a header", size)?;
        self.left = 0;
        Ok(bytes)
    }

    /// Sets where the data of a member of this size end.
    fn claim(&mut self, at: u64, size: u64) -> Result<()> {
        let end = number::padded(size).and_then(|size| self.source.offset().checked_add(size));
        let message = || format!("a member of {size} bytes");
        self.next = end.ok_or_else(|| self.damaged(at, &message()))?;
        self.left = size;
        Ok(())
    }

    fn bytes(&mut self, what: &str, size: u64) -> Result<Vec<u8>> {
        /// The number of bytes read at a time, as a wrong size must not allocate.
        const STEP: usize = 1 << 20;
        let size = self.source.hold(what, size, &self.limits)?;
        self.source.expect(size as u64)?;
        let mut bytes = Vec::new();
        while bytes.len() < size {
            let start = bytes.len();
            bytes.resize(size.min(start + STEP), 0);
            self.source.fill(&mut bytes[start..])?;
        }
        Ok(bytes)
    }

    fn damaged(&self, at: u64, message: &str) -> Error {
        Error::malformed(message).file(self.source.name()).byte(at)
    }

    /// After a damaged header, looks for the next that is whole. Returns the byte at which it starts,
    /// or `None` if there is none.
    ///
    /// # Errors
    /// Reading fails.
    pub fn resume(&mut self) -> Result<Option<u64>> {
        self.left = 0;
        loop {
            let behind = padding(self.source.offset());
            let block = self
                .source
                .peek(usize::try_from(behind).unwrap_or(0) + BLOCK)?;
            let block = block.get(usize::try_from(behind).unwrap_or(0)..);
            let Some(block) = block.and_then(|block| block.first_chunk::<BLOCK>()) else {
                self.has_ended = true;
                return Ok(None);
            };
            let found = block[0] != 0 && Header::of(*block).is_some_and(|h| h.size().is_some());
            self.source.skip(behind)?;
            if found {
                self.next = self.source.offset();
                self.has_ended = false;
                return Ok(Some(self.next));
            }
            self.source.skip(BLOCK as u64)?;
        }
    }

    /// At the end, checks that nothing but zeros is left, and that there was an end.
    ///
    /// # Errors
    /// There is something behind the end, such as a second archive, where [`resume`](Self::resume)
    /// goes on, or nothing ends the archive, so that it may have been cut off between two members.
    pub fn check_end(&mut self) -> Result<()> {
        let mut zeros = 0;
        loop {
            let bytes = self.source.peek(BLOCK)?;
            let n = bytes.len();
            if let Some(at) = bytes.iter().position(|byte| *byte != 0) {
                let error = self
                    .source
                    .malformed("there are data behind the end of the archive");
                return Err(error.byte(self.source.offset() + at as u64));
            }
            if n == 0 {
                return match zeros {
                    n if n % BLOCK > 0 => Err(self
                        .source
                        .malformed("the archive ends inside a block of zeros")),
                    0 => Err(self.source.error(
                        ErrorKind::Truncated,
                        "the archive has no end, so members may be missing",
                    )),
                    _ => Ok(()),
                };
            }
            zeros += n;
            self.source.skip(n as u64)?;
        }
    }

    /// The archive, for the data of the member that came last.
    pub fn source(&self) -> &Source {
        &self.source
    }
}
