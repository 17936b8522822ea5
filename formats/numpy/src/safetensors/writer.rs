//! Writing. The header stands first and tells of all tensors, so that these wait in a temporary file.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};

use spr_core::bytes::{Env, Held, Output, Part, Sink};
use spr_core::format::{Caps, Writer, Written};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Limits, Result};

use super::header::{Entry, type_name};
use super::{KEYS, LONGEST, METADATA};
use crate::object;
use crate::parts;

/// Bytes that are copied at a time.
const BLOCK: usize = 1 << 20;
/// The length of the header is such that tensors start at a multiple of this.
const ALIGNED: usize = 8;

/// Writes a file once all tensors are known.
pub(super) struct TensorWriter {
    sink: Sink,
    waiting: BufWriter<File>,
    /// Bytes that wait.
    len: u64,
    /// The entries of the header so far, with commas between them.
    header: String,
    keys: Vec<String>,
    names: HashSet<Key>,
    held: Held,
    limits: Limits,
    caps: Caps,
    written: Written,
}

fn failed(error: std::io::Error) -> Error {
    let folder = std::env::temp_dir().display().to_string();
    Error::io("cannot keep tensors here", error).file(folder)
}

impl TensorWriter {
    pub(super) fn new(output: &Output, caps: Caps, env: &Env) -> Result<Self> {
        let sink = output.create(Part::Main, false)?;
        let file = tempfile::tempfile().map_err(failed)?;
        Ok(Self {
            sink,
            waiting: BufWriter::with_capacity(BLOCK, file),
            len: 0,
            header: String::new(),
            keys: Vec::new(),
            names: HashSet::new(),
            held: Held::new("the header"),
            limits: env.limits,
            caps,
            written: Written::default(),
        })
    }

    fn put(&mut self, utt: &Utterance) -> Result<()> {
        for (role, values, shape) in parts::parts(utt)? {
            let name = parts::name(utt.key.as_bytes(), role);
            let name = String::from_utf8(name).map_err(|_| not_text())?;
            let start = self.len;
            let (waiting, len) = (&mut self.waiting, &mut self.len);
            object::elements(&values, &mut |bytes| {
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

    /// The header, its length before it.
    fn head(&self) -> Result<Vec<u8>> {
        let about = BTreeMap::from([(KEYS, json(&self.keys)?)]);
        let comma = if self.header.is_empty() { "" } else { "," };
        let about = format!("{}:{}", json(METADATA)?, json(&about)?);
        let mut text = format!("{{{about}{comma}{}}}", self.header).into_bytes();
        text.resize(text.len().next_multiple_of(ALIGNED), b' ');
        if text.len() as u64 > LONGEST {
            let message = format!(
                "a header of {} bytes, the format allows {LONGEST}",
                text.len()
            );
            return Err(Error::unfit(message).hint("write several files, with split"));
        }
        let mut head = (text.len() as u64).to_le_bytes().to_vec();
        head.append(&mut text);
        Ok(head)
    }
}

fn json(value: &(impl serde::Serialize + ?Sized)) -> Result<String> {
    let text = serde_json::to_string(value);
    text.map_err(|e| Error::unsupported(format!("can't be written as JSON: {e}")))
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
        let checked = checked.and_then(|()| match utt.key.as_str() {
            Some(METADATA) => Err(Error::unfit(format!("no tensor is called {METADATA}"))),
            Some(_) => Ok(()),
            None => Err(not_text()),
        });
        checked.map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        self.put(utt)?;
        self.keys.extend(utt.key.as_str().map(str::to_owned));
        self.names.insert(utt.key.clone());
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
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
