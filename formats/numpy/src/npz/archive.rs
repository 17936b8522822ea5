//! The members of a zip archive, found through its central directory.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, RECOMMENDED_BUFFER_SIZE, RangeReader, ReaderAt, ZipArchive,
    ZipArchiveEntryWayfinder, ZipLocator,
};
use spr_core::bytes::Source;
use spr_core::{Error, Result};

/// The size up to which an array is read at once.
const SMALL: u64 = 16 << 10;
/// The largest number of bytes per compressed byte: deflate has 258 bytes in two bits.
const RATIO: u64 = 1032;

/// A source with random access.
struct Places(Mutex<Source>);

impl ReaderAt for Places {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut source = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = source.len().unwrap_or_default().saturating_sub(offset);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        if n > 0 {
            let read = source
                .seek(offset)
                .and_then(|()| source.fill(&mut buf[..n]));
            read.map_err(io::Error::other)?;
        }
        Ok(n)
    }
}

/// An open zip archive.
pub(super) struct Archive {
    zip: ZipArchive<Arc<Places>>,
    places: Arc<Places>,
    name: String,
}

/// The position and compression of a member.
#[derive(Clone, Copy)]
pub(super) struct Member {
    way: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    crc: u32,
}

impl Member {
    /// Returns its size in the archive in bytes.
    pub(super) fn size(&self) -> u64 {
        self.way.compressed_size_hint()
    }
}

impl Archive {
    /// Opens the archive in `source`, and passes each of its members with its name to `found`.
    ///
    /// # Errors
    /// It is not a zip archive, or damaged.
    pub(super) fn open(
        source: Source,
        mut found: impl FnMut(&[u8], Member) -> Result<()>,
    ) -> Result<Self> {
        let name = source.name().to_owned();
        let source = source.into_seekable()?;
        let len = source.len().unwrap_or_default();
        let places = Arc::new(Places(Mutex::new(source)));
        let wrong = |e: rawzip::Error| broken(&e, &name);
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let located = ZipLocator::new().locate_in_reader(places.clone(), &mut buffer, len);
        let zip = located.map_err(|(_, e)| wrong(e))?;
        if zip.end_offset() != len {
            let message = "the file goes on after the zip archive";
            return Err(Error::malformed(message).file(&name).byte(zip.end_offset()));
        }
        let mut entries = zip.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(wrong)? {
            let path = entry.file_path();
            let member = Member {
                way: entry.wayfinder(),
                method: entry.compression_method(),
                crc: entry.crc32(),
            };
            if entry.is_dir() {
                continue;
            }
            found(path.as_bytes(), member)?;
        }
        Ok(Self { zip, places, name })
    }

    /// Returns its name for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Opens a member.
    ///
    /// # Errors
    /// The member has an unknown compression, is encrypted, or is out of place.
    pub(super) fn member(&self, name: &[u8], member: Member) -> Result<Source> {
        let shown = format!("{}: {}", self.name, String::from_utf8_lossy(name));
        let entry = self.zip.get_entry(member.way);
        let entry = entry.map_err(|e| broken(&e, &shown))?;
        let packed = member.way.compressed_size_hint();
        let size = member.way.uncompressed_size_hint();
        if size > packed.saturating_mul(RATIO) {
            let message = format!("claims {size} bytes, which can't be packed in {packed}");
            return Err(Error::malformed(message).file(shown));
        }
        let (start, end) = entry.compressed_data_range();
        let range = RangeReader::new(self.places.clone(), start..end);
        let inner: Box<dyn Read + Send> = match member.method {
            CompressionMethod::STORE => Box::new(range),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(range)),
            _ => {
                let message = "is packed in a way that NumPy does not write";
                return Err(Error::unsupported(message).file(shown));
            }
        };
        let mut checked = CheckedMember {
            inner,
            crc: Crc::new(),
            want: member.crc,
            left: size,
        };
        if checked.left > SMALL {
            return Source::from_reader(shown, Box::new(checked));
        }
        let mut bytes = Vec::new();
        let read = checked.read_to_end(&mut bytes);
        read.map_err(|e| Error::io("cannot read", e).file(&shown))?;
        Source::from_bytes(shown, bytes)
    }
}

fn broken(error: &rawzip::Error, name: &str) -> Error {
    Error::malformed(format!("is not a whole zip archive: {error}")).file(name)
}

/// A reader of a member that checks its size and checksum.
struct CheckedMember {
    inner: Box<dyn Read + Send>,
    crc: Crc,
    want: u32,
    left: u64,
}

impl Read for CheckedMember {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let wrong = |message: &str| Err(io::Error::new(io::ErrorKind::InvalidData, message));
        if out.is_empty() {
            return Ok(0);
        }
        let n = self.inner.read(out)?;
        let Some(left) = self.left.checked_sub(n as u64) else {
            return wrong("a member is longer than the archive says");
        };
        match n {
            0 if left > 0 => wrong("a member is shorter than the archive says"),
            0 if self.crc.sum() != self.want => wrong("the checksum of a member is wrong"),
            n => {
                self.left = left;
                self.crc.update(&out[..n]);
                Ok(n)
            }
        }
    }
}
