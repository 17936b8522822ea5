//! The writer: one member for each field of an utterance.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use rawzip::path::{EntryPath, ZipFilePath};
use rawzip::{CompressionMethod, DataDescriptorOutput, ZipArchiveWriter};
use spr_core::bytes::{Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Key, Matrix, Utterance};
use spr_core::{Error, Result};

use super::ENDING;
use crate::object;
use crate::parts::{self, Role};

/// The longest name in a zip archive.
const LONGEST: usize = u16::MAX as usize;

/// The error of a failed sink.
type SinkError = Arc<Mutex<Option<Error>>>;

/// A sink for the archive, which keeps its own error.
struct Stream {
    sink: Sink,
    failed: SinkError,
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.sink.put(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the name of the member for a field of an utterance.
fn member(utt: &Utterance, role: Role<'_>) -> Vec<u8> {
    let mut name = parts::name(utt.key.as_bytes(), role);
    name.extend_from_slice(ENDING);
    name
}

/// A sequential writer of an archive.
pub(super) struct NpzWriter {
    zip: Option<ZipArchiveWriter<Stream>>,
    failed: SinkError,
    level: Option<u32>,
    caps: Caps,
    names: HashSet<Key>,
    name: String,
    written: WriteSummary,
}

impl NpzWriter {
    /// Creates a writer that deflates members if a level is given.
    pub(super) fn new(output: &Output, level: Option<u32>, caps: Caps) -> Result<Self> {
        let sink = output.create(Part::Main, false)?;
        let failed = SinkError::default();
        let stream = Stream {
            sink,
            failed: failed.clone(),
        };
        Ok(Self {
            failed,
            zip: Some(ZipArchiveWriter::new(stream)),
            level,
            caps,
            names: HashSet::new(),
            name: output.name(),
            written: WriteSummary::default(),
        })
    }

    fn check(&self, utt: &Utterance) -> Result<()> {
        parts::check(utt, &self.caps, &self.names)?;
        match parts::parts(utt)?
            .iter()
            .any(|(role, ..)| member(utt, *role).len() > LONGEST)
        {
            true => Err(Error::unfit("the key is too long for a zip archive")),
            false => Ok(()),
        }
    }

    /// Writes one array as a member.
    fn member(&mut self, name: &[u8], values: &Matrix, shape: &[usize]) -> Result<()> {
        let Some(zip) = &mut self.zip else {
            return Err(Error::usage("is not written any more").file(&self.name));
        };
        let (method, level) = match self.level {
            None => (CompressionMethod::STORE, None),
            Some(level) => (CompressionMethod::DEFLATE, Some(Compression::new(level))),
        };
        let path = match std::str::from_utf8(name) {
            // A name marked as UTF-8 would be normalised as a path; a name that this would change
            // is not marked.
            Ok(text) if !text.is_ascii() && ZipFilePath::from_str(text).as_str() == text => {
                EntryPath::conformant(text)
            }
            _ => EntryPath::verbatim(name),
        };
        let refused = |e: rawzip::Error| Error::unsupported(format!("can't be written: {e}"));
        let builder = zip.new_file(path).compression_method(method);
        let (mut entry, _) = builder.start().map_err(refused)?;
        let (mut crc, mut len) = (Crc::new(), 0);
        let failed = |e: io::Error| Error::io("cannot write", e);
        match level {
            None => object::write(values, shape, &mut |bytes| {
                crc.update(bytes);
                len += bytes.len() as u64;
                entry.write_all(bytes).map_err(failed)
            })?,
            Some(level) => {
                let mut encoder = DeflateEncoder::new(&mut entry, level);
                object::write(values, shape, &mut |bytes| {
                    crc.update(bytes);
                    len += bytes.len() as u64;
                    encoder.write_all(bytes).map_err(failed)
                })?;
                encoder.finish().map_err(failed)?;
            }
        }
        let descriptor = DataDescriptorOutput::new(crc.sum(), len);
        entry.finish(descriptor).map_err(refused)?;
        Ok(())
    }

    /// Returns the error of the sink, if that is the cause of `error`.
    fn cause(&self, error: Error) -> Error {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.take().unwrap_or(error)
    }

    fn put(&mut self, utt: &Utterance) -> Result<()> {
        for (role, values, shape) in parts::parts(utt)? {
            self.member(&member(utt, role), &values, &shape)?;
        }
        Ok(())
    }
}

impl Writer for NpzWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        if let Err(error) = self.put(utt) {
            self.zip = None;
            return Err(self.cause(error));
        }
        self.names.insert(utt.key.clone());
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let Some(zip) = self.zip.take() else {
            return Err(Error::usage("is not written any more").file(&self.name));
        };
        let stream = zip.finish().map_err(|e| {
            let error = Error::unsupported(format!("can't be written: {e}"));
            self.cause(error.file(&self.name))
        })?;
        self.written.bytes = stream.sink.finish()?;
        Ok(self.written)
    }
}
