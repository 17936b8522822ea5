//! Archives: keys and objects one after the other.

use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{DatasetInfo, Key, KeySource, Position, Utterance, is_word_byte};
use spr_core::{Error, Result};

use crate::choice::{Choice, wants_values};

use crate::nested;
use crate::number::is_space;
use crate::object::ObjectReader;
use crate::pass::pass_object;
use crate::probe::is_bare;
use crate::sample::{Entries, Waiting, sample};
use crate::text::truncated;

/// No key is longer.
const KEY: usize = 64 << 10;
/// Bytes looked at to tell an archive from an object without a key.
pub(crate) const HEAD: usize = 4096;

pub(crate) struct ArchiveReader {
    source: Source,
    /// The name of the source, for the origin of utterances.
    file: Arc<str>,
    objects: ObjectReader,
    choice: Choice,
    info: DatasetInfo,
    /// The key of the one object in a file that is not an archive.
    bare: Option<Key>,
    /// The first entries, if they were read at opening.
    waiting: Waiting,
    ended: bool,
}

impl ArchiveReader {
    pub(crate) fn new(
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let mut objects = ObjectReader::new(options, wants_values(request), env)?;
        let foreign = nested::of_file(&mut source, env)?.is_some();
        let bare = foreign || starts_bare(&mut source)?;
        let (key, keys) = match bare {
            true => {
                let (key, keys) = env.key_of(&source)?;
                (Some(key), keys)
            }
            false => (None, KeySource::Stored),
        };
        let mut reader = Self {
            info: match foreign {
                true => objects.known(&source, keys),
                false => objects.look_ahead(&mut source, bare, keys)?,
            },
            waiting: Waiting::new(),
            file: source.name().into(),
            source,
            objects,
            choice: Choice::take(request)?,
            bare: key,
            ended: false,
        };
        if request.lenient && !bare && reader.objects.is_open() {
            reader.waiting = sample(&mut reader);
            if reader.objects.found().group().is_some() {
                reader.info = reader.objects.known(&reader.source, keys);
            }
        }
        Ok(reader)
    }

    fn read_next(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(key) = self.bare.take() {
            self.ended = true;
            utt.key = key;
            if !self.choice.wants(&utt.key) {
                return Ok(false);
            }
            self.objects.read(&mut self.source, utt, true)?;
            utt.origin.file = Some(self.file.clone());
            return Ok(true);
        }
        while read_key(&mut self.source, &mut utt.key)? {
            let wanted = self.choice.wants(&utt.key);
            if !wanted && pass_object(&mut self.source)? {
                continue;
            }
            let offset = self.source.offset();
            match self.objects.read(&mut self.source, utt, false) {
                Ok(_) if wanted => {
                    utt.origin.file = Some(self.file.clone());
                    let plain = self.source.is_plain_file();
                    utt.origin.at = plain.then_some(Position::Byte(offset));
                    return Ok(true);
                }
                Err(error) if wanted || !error.can_continue() => return Err(error),
                // What nobody wants may be at fault.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(false)
    }
}

/// Whether a file is one object without a key.
pub(crate) fn is_bare_file(source: &mut Source, env: &Env) -> Result<bool> {
    Ok(nested::of_file(source, env)?.is_some() || starts_bare(source)?)
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
        let message = format!("expected a key, found byte 0x{b:02x}");
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
            let message = format!("expected a space after the key, found byte 0x{b:02x}");
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
        match self.waiting.pop_front() {
            Some((first, read)) => {
                *utt = first;
                read
            }
            None => self.next(utt),
        }
    }
}

impl Entries for ArchiveReader {
    fn objects(&mut self) -> &mut ObjectReader {
        &mut self.objects
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let read = match self.read_next(utt) {
            Ok(more) => {
                self.ended |= !more;
                Ok(more)
            }
            Err(error) => {
                self.ended |= !error.can_continue();
                Err(self.place(error, &utt.key))
            }
        };
        if self.ended {
            self.objects.end();
        }
        read
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
