//! Writing: a member for each part of an utterance.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use rawzip::path::{EntryPath, ZipFilePath};
use rawzip::{CompressionMethod, DataDescriptorOutput, ZipArchiveWriter};
use spr_core::bytes::{Output, Part, Sink};
use spr_core::format::{Caps, Writer, Written};
use spr_core::model::{Array, Dtype, Key, Matrix, Rank, Utterance, Waveform};
use spr_core::{Error, Remedy, Result};

use super::members::{self, Role};
use crate::object::{self, NAME};

/// The longest name that a zip archive has room for.
const LONGEST: usize = u16::MAX as usize;

/// What a sink said when it failed.
type Failed = Arc<Mutex<Option<Error>>>;

/// A sink as the archive wants it: its error is kept apart.
struct Stream {
    sink: Sink,
    failed: Failed,
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

/// Writes an archive front to back.
pub(super) struct NpzWriter {
    zip: Option<ZipArchiveWriter<Stream>>,
    failed: Failed,
    level: Option<u32>,
    caps: Caps,
    names: HashSet<Key>,
    name: String,
    written: Written,
}

impl NpzWriter {
    /// A writer that deflates members by a level, if there is one.
    pub(super) fn new(output: &Output, level: Option<u32>, caps: Caps) -> Result<Self> {
        let sink = output.create(Part::Main, false)?;
        let failed = Failed::default();
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
            written: Written::default(),
        })
    }

    fn check(&self, utt: &Utterance) -> Result<()> {
        self.caps.check(utt)?;
        let key = utt.key.as_bytes();
        if self.names.contains(&utt.key) {
            let error = Error::unfit("a second utterance of this key");
            return Err(error.suggest(Remedy::KeepOne));
        }
        for (role, ..) in parts(utt)? {
            let name = members::name(key, role);
            if members::parse(&name) != Some((key, role)) {
                let message = "the key ends as the name of a part does: .labels, .audio, .rate";
                return Err(Error::unfit(message));
            }
            if name.len() > LONGEST {
                return Err(Error::unfit("the key is too long for a zip archive"));
            }
        }
        Ok(())
    }

    /// Writes a member of so many bytes, which `bytes` gives in pieces.
    fn member(&mut self, name: &[u8], values: &Matrix, shape: &[usize]) -> Result<()> {
        let Some(zip) = &mut self.zip else {
            return Err(Error::usage("is not written any more").file(&self.name));
        };
        let (method, level) = match self.level {
            None => (CompressionMethod::STORE, None),
            Some(level) => (CompressionMethod::DEFLATE, Some(Compression::new(level))),
        };
        let path = match std::str::from_utf8(name) {
            // Marked as UTF-8, it would be made a path of; what is none stays as it is.
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

    /// What the sink said, if that is what `error` came of.
    fn cause(&self, error: Error) -> Error {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.take().unwrap_or(error)
    }

    fn put(&mut self, utt: &Utterance) -> Result<()> {
        for (role, values, shape) in parts(utt)? {
            self.member(&members::name(utt.key.as_bytes(), role), &values, &shape)?;
        }
        Ok(())
    }
}

/// The parts of an utterance, with their shapes.
type PartOf<'a> = (Role<'a>, std::borrow::Cow<'a, Matrix>, Vec<usize>);

fn parts(utt: &Utterance) -> Result<Vec<PartOf<'_>>> {
    use std::borrow::Cow::{Borrowed, Owned};
    let mut parts = Vec::new();
    if let Some(features) = &utt.features {
        parts.push((Role::Plain, Borrowed(features), object::shape_of(features)));
    }
    if let Some(labels) = &utt.labels {
        parts.push((Role::Labels, Borrowed(labels), object::shape_of(labels)));
    }
    if let Some(Waveform { rate, samples }) = utt.waveform() {
        let rate = Matrix::from_rows(&[*rate], 1, Rank::Scalar)?;
        parts.push((Role::Rate, Owned(rate), Vec::new()));
        parts.push((Role::Audio, Borrowed(samples), object::shape_of(samples)));
    }
    for named in &utt.arrays {
        let shape = named.array.shape().to_vec();
        let plain = named.name == NAME && shape.len() > 2 && utt.features.is_none();
        let role = match plain {
            true => Role::Plain,
            false => Role::Array(named.name.as_bytes()),
        };
        if parts.iter().any(|(other, ..)| *other == role) {
            let name = named.name.escape_debug();
            return Err(Error::unfit(format!("has two arrays called '{name}'")));
        }
        parts.push((role, Borrowed(Array::values(&named.array)), shape));
    }
    Ok(parts)
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

    fn finish(mut self: Box<Self>) -> Result<Written> {
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

/// The types of labels.
pub(super) const LABELS: &[Dtype] = &[
    Dtype::I32,
    Dtype::I64,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::U16,
    Dtype::U32,
    Dtype::U64,
];
