//! The writing of zip archives: members, each followed by its sizes, and at the end the directory.
//!
//! Numbers are little-endian, and have 64 bits where 16 or 32 do not suffice (APPNOTE.TXT 6.3.10, 4.3 and
//! 4.5.3). The directory waits in a temporary file, as there may be millions of members.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use spr_core::bytes::ByteOrder::Little;
use spr_core::bytes::{PutNumber, Sink};
use spr_core::{Error, Result};

const MEMBER: u32 = 0x0403_4b50;
const SIZES: u32 = 0x0807_4b50;
const ENTRY: u32 = 0x0201_4b50;
const WIDE_END: u32 = 0x0606_4b50;
const PLACE_OF_WIDE_END: u32 = 0x0706_4b50;
const END: u32 = 0x0605_4b50;

/// The version of the format that has deflated members, and that of numbers of 64 bits.
const VERSION: u16 = 20;
const WIDE_VERSION: u16 = 45;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The flag of members that are followed by their sizes.
const SIZES_FOLLOW: u16 = 1 << 3;
/// The flag of names in UTF-8.
const UTF8: u16 = 1 << 11;
/// The extra field for numbers of 64 bits.
const WIDE_FIELD: u16 = 1;
/// The size of the record of the end with numbers of 64 bits, without its first 12 bytes.
const WIDE_END_SIZE: u64 = 44;
/// The number of bytes of the directory copied at a time.
const BLOCK: usize = 64 << 10;

/// The name of a member, at most 65535 bytes.
pub(super) struct Name<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether the archive says that it is UTF-8.
    pub(super) marked: bool,
}

/// A member as the directory has it.
struct Entry {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    start: u64,
}

/// A zip archive that is being written.
pub(super) struct ZipWriter {
    sink: Sink,
    directory: BufWriter<File>,
    /// The size of the directory in bytes.
    size: u64,
    members: u64,
    /// Whether a member has numbers of 64 bits.
    wide: bool,
}

fn waiting(error: io::Error) -> Error {
    let folder = std::env::temp_dir().display().to_string();
    Error::io("cannot keep the directory of a zip archive here", error).file(folder)
}

/// Returns a number as the 32 bits that say that it stands elsewhere if it is too large.
fn narrow(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Returns the length of a name or of an extra field, which is no longer than the format allows.
fn length(bytes: &[u8]) -> u16 {
    u16::try_from(bytes.len()).unwrap_or(u16::MAX)
}

fn is_wide(n: u64) -> bool {
    n >= u64::from(u32::MAX)
}

impl ZipWriter {
    /// Creates an archive without members.
    ///
    /// # Errors
    /// The temporary file can't be made.
    pub(super) fn new(sink: Sink) -> Result<Self> {
        let file = tempfile::tempfile().map_err(waiting)?;
        Ok(Self {
            sink,
            directory: BufWriter::with_capacity(BLOCK, file),
            size: 0,
            members: 0,
            wide: false,
        })
    }

    /// Writes a member of the bytes that `fill` passes on, deflated if there is a level.
    ///
    /// # Errors
    /// The sink or the temporary file fails, or `fill` does.
    pub(super) fn member(
        &mut self,
        name: &Name<'_>,
        level: Option<u32>,
        fill: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let mut entry = Entry {
            flags: SIZES_FOLLOW | if name.marked { UTF8 } else { 0 },
            method: level.map_or(STORED, |_| DEFLATED),
            crc: 0,
            packed: 0,
            size: 0,
            start: self.sink.position(),
        };
        let mut head = Vec::with_capacity(30 + name.bytes.len());
        head.put_u32(MEMBER, Little);
        for n in [VERSION, entry.flags, entry.method, 0, 0] {
            head.put_u16(n, Little);
        }
        // The sum and the sizes follow.
        head.extend_from_slice(&[0; 12]);
        head.put_u16(length(name.bytes), Little);
        head.put_u16(0, Little);
        head.extend_from_slice(name.bytes);
        self.sink.put(&head)?;

        let start = self.sink.position();
        let (mut crc, sink) = (Crc::new(), &mut self.sink);
        match level {
            None => fill(&mut |bytes| {
                crc.update(bytes);
                entry.size += bytes.len() as u64;
                sink.put(bytes)
            })?,
            Some(level) => {
                let failed = |e| Error::io("cannot deflate", e);
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
                fill(&mut |bytes| {
                    crc.update(bytes);
                    entry.size += bytes.len() as u64;
                    encoder.write_all(bytes).map_err(failed)?;
                    let packed = encoder.get_mut();
                    sink.put(packed)?;
                    packed.clear();
                    Ok(())
                })?;
                sink.put(&encoder.finish().map_err(failed)?)?;
            }
        }
        (entry.crc, entry.packed) = (crc.sum(), self.sink.position() - start);

        let mut sizes = Vec::with_capacity(24);
        sizes.put_u32(SIZES, Little);
        sizes.put_u32(entry.crc, Little);
        let wide = is_wide(entry.packed) || is_wide(entry.size);
        for n in [entry.packed, entry.size] {
            match wide {
                true => sizes.put_u64(n, Little),
                false => sizes.put_u32(narrow(n), Little),
            }
        }
        self.sink.put(&sizes)?;
        self.list(name, &entry)
    }

    /// Adds a member to the directory.
    fn list(&mut self, name: &Name<'_>, entry: &Entry) -> Result<()> {
        let mut numbers = Vec::new();
        for n in [entry.size, entry.packed, entry.start] {
            if is_wide(n) {
                numbers.put_u64(n, Little);
            }
        }
        let (wide, mut extra) = (!numbers.is_empty(), Vec::new());
        if wide {
            extra.put_u16(WIDE_FIELD, Little);
            extra.put_u16(length(&numbers), Little);
            extra.append(&mut numbers);
        }
        let version = if wide { WIDE_VERSION } else { VERSION };
        let mut out = Vec::with_capacity(46 + name.bytes.len() + extra.len());
        out.put_u32(ENTRY, Little);
        for n in [version, version, entry.flags, entry.method, 0, 0] {
            out.put_u16(n, Little);
        }
        for n in [entry.crc, narrow(entry.packed), narrow(entry.size)] {
            out.put_u32(n, Little);
        }
        // No comment, the first disk, no attributes.
        for n in [length(name.bytes), length(&extra), 0, 0, 0, 0, 0] {
            out.put_u16(n, Little);
        }
        out.put_u32(narrow(entry.start), Little);
        out.extend_from_slice(name.bytes);
        out.append(&mut extra);
        self.directory.write_all(&out).map_err(waiting)?;
        (self.size, self.members) = (self.size + out.len() as u64, self.members + 1);
        self.wide |= wide;
        Ok(())
    }

    /// Writes the directory, and returns the size of the archive in bytes.
    ///
    /// # Errors
    /// The sink or the temporary file fails.
    pub(super) fn finish(mut self) -> Result<u64> {
        let file = self.directory.into_inner();
        let mut file = file.map_err(|e| waiting(e.into_error()))?;
        file.rewind().map_err(waiting)?;
        let start = self.sink.position();
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block).map_err(waiting)? {
                0 => break,
                n => self.sink.put(&block[..n])?,
            }
        }
        let many = self.members >= u64::from(u16::MAX);
        let mut end = Vec::new();
        if self.wide || many || is_wide(self.size) || is_wide(start) {
            let place = self.sink.position();
            end.put_u32(WIDE_END, Little);
            end.put_u64(WIDE_END_SIZE, Little);
            end.put_u16(WIDE_VERSION, Little);
            end.put_u16(WIDE_VERSION, Little);
            // The one disk.
            end.put_u64(0, Little);
            for n in [self.members, self.members, self.size, start] {
                end.put_u64(n, Little);
            }
            end.put_u32(PLACE_OF_WIDE_END, Little);
            end.put_u32(0, Little);
            end.put_u64(place, Little);
            end.put_u32(1, Little);
        }
        let members = u16::try_from(self.members).unwrap_or(u16::MAX);
        end.put_u32(END, Little);
        for n in [0, 0, members, members] {
            end.put_u16(n, Little);
        }
        end.put_u32(narrow(self.size), Little);
        end.put_u32(narrow(start), Little);
        end.put_u16(0, Little);
        self.sink.put(&end)?;
        self.sink.finish()
    }
}
