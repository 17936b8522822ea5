//! Archives: keys and objects one after the other.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, KeySource, Utterance, is_word_byte};
use spr_core::{Error, Result};

use crate::foreign;
use crate::hop::hop;
use crate::number::is_space;
use crate::object::Objects;
use crate::probe::is_bare;
use crate::select::Select;
use crate::text::truncated;

/// No key is longer.
const KEY: usize = 64 << 10;
/// Bytes looked at to tell an archive from an object without a key.
pub(crate) const HEAD: usize = 4096;

pub(crate) struct ArchiveReader {
    source: Source,
    objects: Objects,
    select: Select,
    info: DatasetInfo,
    /// The key of the one object in a file that is no archive.
    bare: Option<Key>,
    ended: bool,
}

impl ArchiveReader {
    pub(crate) fn new(
        mut source: Source,
        options: &Options,
        env: &Env,
        select: Select,
    ) -> Result<Self> {
        let mut objects = Objects::new(options, env)?;
        let foreign = foreign::by_size(&mut source)?.is_some();
        let bare = foreign || starts_bare(&mut source)?;
        if !foreign {
            objects.look_ahead(&mut source, bare)?;
        }
        let stem = source.path().and_then(|path| path.file_stem());
        let name = stem.map(|stem| Key::from(stem.as_encoded_bytes()));
        let info = DatasetInfo {
            compression: source.compression(),
            keys: match (bare, &name) {
                (true, None) => KeySource::Generated,
                _ => KeySource::Stored,
            },
            decision: objects.decision().map(str::to_owned),
            ..DatasetInfo::default()
        };
        let name = name.unwrap_or_else(|| Key::generated(0));
        Ok(Self {
            source,
            objects,
            select,
            info,
            bare: bare.then_some(name),
            ended: false,
        })
    }

    fn read_next(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(key) = self.bare.take() {
            self.ended = true;
            utt.key = key;
            if !self.select.wants(&utt.key) {
                return Ok(false);
            }
            self.objects.read(&mut self.source, utt, true)?;
            return Ok(true);
        }
        while read_key(&mut self.source, &mut utt.key)? {
            let wanted = self.select.wants(&utt.key);
            if !wanted && hop(&mut self.source)? {
                continue;
            }
            let offset = self.source.offset();
            self.info.offset = self.source.is_plain_file().then_some(offset);
            self.objects.read(&mut self.source, utt, false)?;
            if wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a file is one object without a key.
pub(crate) fn is_bare_file(source: &mut Source) -> Result<bool> {
    Ok(foreign::by_size(source)?.is_some() || starts_bare(source)?)
}

fn starts_bare(source: &mut Source) -> Result<bool> {
    let head = source.peek(HEAD)?;
    Ok(is_bare(head, head.len() < HEAD))
}

/// Reads a key and the one byte after it; a line end is left in its place, it belongs to the
/// object.
pub(crate) fn read_key(source: &mut Source, key: &mut Key) -> Result<bool> {
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
    if let Some(b) = key.as_bytes().iter().find(|b| !is_word_byte(**b)) {
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
        match key.as_bytes().iter().all(|b| is_word_byte(*b)) {
            true if !key.as_bytes().is_empty() => error.utterance(key),
            _ => error,
        }
    }
}

impl Objects {
    /// Adds to `info` what is known by now.
    pub(crate) fn describe(&self, source: &Source, info: &mut DatasetInfo) {
        if let Some(decision) = self.decision() {
            info.decision.get_or_insert_with(|| decision.to_owned());
        }
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
