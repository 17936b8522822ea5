//! The writer. The header comes first and describes all tensors, so that these are spooled to a
//! temporary file.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};

use spr_core::bytes::{ByteOrder, Env, MemoryCounter, Output, Part, PutNumber, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{About, KeySet, Utterance};
use spr_core::{Error, Limits, Result};

use super::header::{Entry, Metadata, json, type_name};
use super::{KEYS, LONGEST, METADATA, about};
use crate::parts;

/// The number of bytes copied at a time.
const BLOCK: usize = 1 << 20;
/// The alignment of the first tensor in bytes.
const ALIGNED: usize = 8;

/// A writer that writes the file when all tensors are known.
pub(super) struct TensorWriter {
    sink: Sink,
    waiting: BufWriter<File>,
    /// The number of spooled bytes.
    len: u64,
    /// The entries of the header so far, separated by commas.
    header: String,
    /// The facts that the data set states about itself.
    metadata: Metadata,
    keys: Vec<String>,
    names: KeySet,
    held: MemoryCounter,
    limits: Limits,
    caps: Caps,
    written: WriteSummary,
}

fn failed(error: std::io::Error) -> Error {
    let folder = std::env::temp_dir().display().to_string();
    Error::io("cannot keep tensors here", error).file(folder)
}

impl TensorWriter {
    pub(super) fn new(output: &Output, caps: Caps, about: &About, env: &Env) -> Result<Self> {
        let metadata = about::write(about).map_err(|e| e.file(output.name()))?;
        let sink = output.create(Part::Main, false)?;
        let file = tempfile::tempfile().map_err(failed)?;
        Ok(Self {
            sink,
            waiting: BufWriter::with_capacity(BLOCK, file),
            len: 0,
            header: String::new(),
            metadata,
            keys: Vec::new(),
            names: KeySet::default(),
            held: MemoryCounter::new("the header"),
            limits: env.limits,
            caps,
            written: WriteSummary::default(),
        })
    }

    fn put(&mut self, utt: &Utterance) -> Result<()> {
        for (role, values, shape) in parts::parts(utt)? {
            let name = parts::name(utt.key.as_bytes(), role);
            let name = String::from_utf8(name).map_err(|_| not_text())?;
            let start = self.len;
            let (waiting, len) = (&mut self.waiting, &mut self.len);
            values.put_little_endian(|bytes| {
                *len += bytes.len() as u64;
                waiting.write_all(bytes).map_err(failed)
            })?;
            let entry = Entry {
                dtype: type_name(values.dtype()).unwrap_or_default().to_owned(),
                shape: shape.iter().map(|n| *n as u64).collect(),
                data_offsets: [start, self.len],
            };
            let comma = if self.header.is_empty() { "" } else { "," };
            let text = format!("{comma}{}:{}", json(&name)?, json(&entry)?);
            self.held.keep(text.len(), &self.limits)?;
            self.header.push_str(&text);
        }
        Ok(())
    }

    /// Returns the header, preceded by its length.
    fn head(&self) -> Result<Vec<u8>> {
        let mut about = self.metadata.clone();
        about.insert(KEYS.to_owned(), json(&self.keys)?);
        let comma = if self.header.is_empty() { "" } else { "," };
        let about = format!("{}:{}", json(METADATA)?, json(&about)?);
        let mut text = format!("{{{about}{comma}{}}}", self.header).into_bytes();
        text.resize(text.len().next_multiple_of(ALIGNED), b' ');
        if text.len() as u64 > LONGEST {
            return Err(Error::unfit(format!("a header of {} bytes, ", text.len()))
                .the_format(format!(" allows {LONGEST}"))
                .hint("write several files, with split"));
        }
        let mut head = Vec::new();
        head.put_u64(text.len() as u64, ByteOrder::Little);
        head.append(&mut text);
        Ok(head)
    }
}

fn not_text() -> Error {
    Error::unfit("the key is not UTF-8, as names of tensors are")
}

impl Writer for TensorWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let checked = parts::check(utt, &self.caps, &self.names);
        checked.map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        self.put(utt)?;
        self.keys.extend(utt.key.as_str().map(str::to_owned));
        self.names.insert(&utt.key);
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let head = self.head()?;
        self.sink.put(&head)?;
        let file = self.waiting.into_inner();
        let mut file = file.map_err(|e| failed(e.into_error()))?;
        file.rewind().map_err(failed)?;
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block).map_err(failed)? {
                0 => break,
                n => self.sink.put(&block[..n])?,
            }
        }
        self.written.bytes = self.sink.finish()?;
        Ok(self.written)
    }
}
