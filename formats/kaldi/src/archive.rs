//! Archives: keys and objects one after the other.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, KeySource, Utterance};
use spr_core::{Error, Result};

use crate::number::{Scan, is_space, real};
use crate::object::Objects;
use crate::text::truncated;

/// No key is longer.
const KEY: usize = 64 << 10;
/// Bytes looked at to tell an archive from an object without a key.
const HEAD: usize = 4096;

pub(crate) struct ArchiveReader {
    source: Source,
    objects: Objects,
    info: DatasetInfo,
    /// The key of the one object in a file that is no archive.
    bare: Option<Key>,
    ended: bool,
}

impl ArchiveReader {
    pub(crate) fn new(mut source: Source, options: &Options, env: &Env) -> Result<Self> {
        let objects = Objects::new(options, env)?;
        let head = source.peek(HEAD)?;
        let bare = is_bare(head, head.len() < HEAD);
        let stem = source.path().and_then(|path| path.file_stem());
        let name = stem.map(|stem| Key::from(stem.as_encoded_bytes()));
        let info = DatasetInfo {
            compression: source.compression(),
            keys: match (bare, &name) {
                (true, None) => KeySource::Generated,
                _ => KeySource::Stored,
            },
            ..DatasetInfo::default()
        };
        let name = name.unwrap_or_else(|| Key::generated(0));
        Ok(Self {
            source,
            objects,
            info,
            bare: bare.then_some(name),
            ended: false,
        })
    }

    fn read_next(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(key) = self.bare.take() {
            self.ended = true;
            utt.key = key;
            self.objects.read(&mut self.source, utt, true)?;
            return Ok(true);
        }
        if !self.read_key(&mut utt.key)? {
            return Ok(false);
        }
        self.objects.read(&mut self.source, utt, false)?;
        Ok(true)
    }

    /// Reads a key and the one byte after it; a line end is left in its place, it belongs to the
    /// object.
    fn read_key(&mut self, key: &mut Key) -> Result<bool> {
        let source = &mut self.source;
        loop {
            let blank = source.peek(64)?.iter().take_while(|b| is_space(**b));
            match blank.count() {
                0 => break,
                n => source.skip(n as u64)?,
            }
        }
        let mut seen = 128;
        let (end, last) = loop {
            let bytes = source.peek(seen)?;
            let end = bytes.iter().position(|b| is_space(*b));
            let last = bytes.len() < seen;
            if end.is_some() || last || seen >= KEY {
                break (end, last);
            }
            seen *= 2;
        };
        key.set(source.peek(end.unwrap_or(seen))?);
        if end == Some(0) || key.as_bytes().is_empty() {
            return Ok(false);
        }
        if let Some(b) = key.as_bytes().iter().find(|b| !is_key_byte(**b)) {
            let message = format!("byte 0x{b:02x} where a key is due");
            return Err(source.malformed(message));
        }
        let Some(end) = end else {
            return Err(match last {
                true => truncated(source, "the file ends inside a key").utterance(key),
                false => source.malformed(format!("a key of more than {KEY} bytes")),
            });
        };
        source.skip(end as u64)?;
        match source.peek(2)? {
            [b' ' | b'\t', ..] => source.skip(1)?,
            [b'\r', b'\n'] | [b'\n', ..] => {}
            [b, ..] => {
                let message = format!("byte 0x{b:02x} after the key, where a space is due");
                return Err(source.malformed(message).utterance(key));
            }
            [] => {}
        }
        Ok(true)
    }
}

impl Reader for ArchiveReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let result = self.read_next(utt);
        self.objects.describe(&self.source, &mut self.info);
        match result {
            Ok(more) => {
                self.ended |= !more;
                Ok(more)
            }
            Err(error) => {
                self.ended |= !error.can_continue();
                Err(self.place(error, &utt.key))
            }
        }
    }
}

impl ArchiveReader {
    fn place(&self, error: Error, key: &Key) -> Error {
        let error = error.file(self.source.name()).byte(self.source.offset());
        match key.as_bytes().iter().all(|b| is_key_byte(*b)) {
            true if !key.as_bytes().is_empty() => error.utterance(key),
            _ => error,
        }
    }
}

impl Objects {
    /// Adds to `info` what is known by now.
    pub(crate) fn describe(&self, source: &Source, info: &mut DatasetInfo) {
        if self.holds_labels() {
            info.label_columns = Some(1);
        }
        if self.binary {
            info.byte_order = Some(ByteOrder::Little);
        }
        if !self.codings.is_empty() {
            let names = self.codings.iter().map(|coding| coding.token());
            let layers = source.layers().iter().map(|codec| codec.name());
            info.compression = Some(layers.chain(names).collect::<Vec<_>>().join("+"));
        }
    }
}

/// Whether a byte may stand in a key: printable ASCII, or part of anything else.
pub(crate) fn is_key_byte(b: u8) -> bool {
    !matches!(b, 0..=b' ' | 0x7f | 0xff)
}

/// Whether a file starts with an object instead of a key: a binary mark, or a bracket that is
/// followed by numbers only, as far as can be seen. `whole` says that `head` is the whole file.
pub(crate) fn is_bare(head: &[u8], whole: bool) -> bool {
    if head.starts_with(b"\0B") {
        return true;
    }
    let Some(mut rest) = head.trim_ascii_start().strip_prefix(b"[") else {
        return false;
    };
    if rest.first().is_some_and(|b| !is_space(*b) && *b != b']') {
        return false;
    }
    loop {
        match rest {
            [] => return !whole,
            [b']', after @ ..] => return after.trim_ascii().is_empty(),
            [b';', after @ ..] => rest = after,
            [b, after @ ..] if is_space(*b) => rest = after,
            _ => match real::<f64>(rest, whole) {
                Scan::Number(_, len) => rest = &rest[len..],
                Scan::Unfinished => return true,
                Scan::Bad => return false,
            },
        }
    }
}
