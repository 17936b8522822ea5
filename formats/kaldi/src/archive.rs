//! Archives: a sequence of keys and objects.

use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::format::{ChunkSupport, Options, Reader, Request};
use spr_core::model::{DatasetInfo, Key, KeySource, Position, Utterance, is_word_byte};
use spr_core::{Error, Result};

use crate::audio;
use crate::choice::{Choice, Content};
use crate::decide::is_integer;
use crate::nested;
use crate::number::is_space;
use crate::object::ObjectReader;
use crate::pass::pass_object;
use crate::probe::{is_bare, is_enough};
use crate::range::{CLIPPED, Range};
use crate::recognise::{self, TAG, TOKEN, UnmarkedForm};
use crate::sample::{Entries, EntriesAhead, sample};
use crate::text::truncated;
use crate::text_parts::{ObjectEnd, pass_blanks};

/// The option for the range of an object.
pub(crate) const RANGE: &str = "range";
/// The largest length of a key in bytes.
const KEY: usize = 64 << 10;
/// The number of bytes that distinguish an archive from an object without a key.
pub(crate) const HEAD: usize = 4096;

pub(crate) struct ArchiveReader {
    source: Source,
    /// The name of the source for the origin of utterances.
    file: Arc<str>,
    env: Env,
    objects: ObjectReader,
    choice: Choice,
    info: DatasetInfo,
    /// The objects to read if there are no keys.
    bare: Option<Bare>,
    /// The first entries, if they were read on opening.
    waiting: EntriesAhead,
    /// Whether the origin of an utterance is the start of its entry.
    weighing: bool,
    /// The byte where the entries of another part of the file start.
    end: Option<u64>,
    ended: bool,
}

/// Objects without keys.
struct Bare {
    /// The name of the file as a key.
    name: Key,
    form: Form,
    /// The range of the only object that is read.
    range: Option<Range>,
}

enum Form {
    /// The only object of a file.
    Whole,
    /// The object at a position in an archive.
    Place,
    /// All objects of a file, with the number read so far.
    All(u64),
}

impl ArchiveReader {
    pub(crate) fn new(
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let mut objects = ObjectReader::new(options, Content::of(request), env)?;
        let range = options.get(RANGE).map(Range::parse).transpose()?;
        objects.in_chunks(request.chunks != ChunkSupport::No && range.is_none());
        let foreign = !is_place(&source, options) && nested::of_file(&mut source, env)?.is_some();
        let place = is_place(&source, options);
        let bare = foreign || place || starts_bare(&mut source)?;
        let (key, keys) = match bare {
            true => {
                let (name, keys) = env.key_of(&source)?;
                let form = match (place, options.flag("all")?) {
                    (true, _) => Form::Place,
                    (false, true) => Form::All(0),
                    (false, false) => Form::Whole,
                };
                if range.is_some() && matches!(form, Form::All(_)) {
                    return Err(no_range("all objects are read", &source));
                }
                (Some(Bare { name, form, range }), keys)
            }
            false if range.is_some() => return Err(no_range("it has keys", &source)),
            false => (None, KeySource::Stored),
        };
        if bare && options.get("holder").is_none() && may_be_integers(&mut source)? {
            let message = "holds float-vector or int32-vector: the text doesn't tell which; it is read as \
                           float-vector, holder=NAME says otherwise";
            env.warn(&Error::unfit(message).file(source.name()));
        }
        if bare && options.get("table").is_some() {
            let message = "starts with an object, where an archive has a key: the key is the name \
                           of the file";
            env.warn(&Error::unfit(message).file(source.name()));
        }
        let mut reader = Self {
            info: match foreign {
                true => objects.known(&source, keys),
                false => objects.look_ahead(&mut source, bare, keys)?,
            },
            waiting: EntriesAhead::new(),
            weighing: request.weighing,
            file: source.name().into(),
            env: env.clone(),
            source,
            objects,
            choice: Choice::take(request)?,
            bare: key,
            end: None,
            ended: false,
        };
        let samples = request.on_error.skips() && !bare && reader.objects.is_open();
        match request.take_within() {
            Some(part) => reader.go_to_part(part, request.on_error.skips())?,
            None => {
                reader.go_to_start(request)?;
                if samples {
                    reader.waiting = sample(&mut reader);
                }
            }
        }
        if samples && reader.objects.found().group().is_some() {
            reader.info = reader.objects.known(&reader.source, keys);
        }
        Ok(reader)
    }

    fn read_next(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.bare.is_some() {
            return self.read_bare(utt);
        }
        loop {
            let start = self.source.offset();
            if self.choice.is_over()
                || self.is_at_end()?
                || !read_key(&mut self.source, &mut utt.key)?
            {
                return Ok(false);
            }
            let wanted = self.choice.wants(&utt.key);
            if !wanted && self.pass()? {
                continue;
            }
            let offset = match self.weighing {
                true => self.start_of(start)?,
                false => Some(self.source.offset()),
            };
            match self.objects.read(&mut self.source, utt, false) {
                Ok(_) if wanted => {
                    utt.origin.file = Some(self.file.clone());
                    let at = offset.filter(|_| self.source.is_plain_file());
                    utt.origin.at = at.map(Position::Byte);
                    return Ok(true);
                }
                Err(error) if wanted || !error.can_continue() => return Err(error),
                // Entries that are not requested may be faulty.
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Returns the start of the current entry, whose object is next, if reading may begin there. What
    /// text is may depend on the entries before it.
    fn start_of(&mut self, start: u64) -> Result<Option<u64>> {
        let head = self.source.peek(TOKEN)?;
        let is_text = head.first() != Some(&0) && recognise::unmarked(head).is_none();
        Ok((!is_text).then_some(start))
    }

    /// Skips an object without decoding it, if its bytes contain its length. Otherwise consumes
    /// nothing.
    fn pass(&mut self) -> Result<bool> {
        if recognise::unmarked(self.source.peek(TOKEN)?) == Some(UnmarkedForm::Wave) {
            return self
                .env
                .nested(audio::WAV)?
                .pass(&mut self.source, &self.env);
        }
        pass_object(&mut self.source)
    }

    /// Goes to the first entry of a run, if it is told where that starts.
    fn go_to_start(&mut self, request: &mut Request) -> Result<()> {
        let start = request.take_start().zip(self.choice.first());
        if let Some((byte, number)) = start
            && self.bare.is_none()
            && self.source.is_plain_file()
            && self.source.can_seek()
        {
            self.source.seek(byte)?;
            self.choice.go_to(number);
        }
        Ok(())
    }
}

/// Parts of an archive of text.
impl ArchiveReader {
    /// Goes to the entries that belong to the bytes from the first to before the second one. How they
    /// are read depends on the first entries of the file, as without parts.
    fn go_to_part(&mut self, [first, end]: [u64; 2], lenient: bool) -> Result<()> {
        let Some(object_end) = self.object_end(lenient)? else {
            // Nothing tells where entries start, so that the first part is the whole.
            self.ended = first > 0;
            return self.source.seek(0);
        };
        object_end.go_to(&mut self.source, end)?;
        let end = self.source.offset();
        self.end = Some(end);
        self.objects.limit(end);
        object_end.go_to(&mut self.source, first)
    }

    /// Returns what ends each object, if that is found from any byte on, and remembers the kind of the
    /// first entries. The source is left behind them.
    fn object_end(&mut self, lenient: bool) -> Result<Option<ObjectEnd>> {
        if self.bare.is_some() || self.info.byte_order.is_some() {
            return Ok(None);
        }
        if self.objects.is_open() {
            let choice = std::mem::take(&mut self.choice);
            let silent = self.objects.without_values();
            let own = std::mem::replace(&mut self.objects, silent);
            let read = match lenient {
                true => {
                    sample(self);
                    Ok(true)
                }
                false => self.next(&mut Utterance::default()),
            };
            let other = std::mem::replace(&mut self.objects, own);
            self.objects.learn(other);
            (self.choice, self.ended) = (choice, false);
            read?;
        }
        Ok(self.objects.kind().and_then(ObjectEnd::of))
    }

    /// Returns `true` if the next entry belongs to another part.
    fn is_at_end(&mut self) -> Result<bool> {
        let Some(end) = self.end else {
            return Ok(false);
        };
        pass_blanks(&mut self.source)?;
        let at = self.source.offset();
        if at > end {
            let message = format!("expected the start of an entry at byte {end}");
            let error = Error::unsupported(message)
                .file(self.source.name())
                .byte(end);
            return Err(error.hint("its shards can be cut by entries instead of bytes"));
        }
        Ok(at == end)
    }
}

impl ArchiveReader {
    /// Reads the next object without a key.
    fn read_bare(&mut self, utt: &mut Utterance) -> Result<bool> {
        while let Some(Bare { name, form, range }) = self.bare.as_mut().filter(|_| !self.ended) {
            match form {
                Form::All(_) if ObjectReader::at_end(&mut self.source)? => return Ok(false),
                Form::All(n) => {
                    let number = format!("-{n:06}");
                    utt.key.set(&[name.as_bytes(), number.as_bytes()].concat());
                    *n += 1;
                }
                Form::Whole | Form::Place => {
                    self.ended = true;
                    utt.key.set(name.as_bytes());
                }
            }
            let wanted = self.choice.wants(&utt.key);
            if self.ended && !wanted {
                break;
            }
            let (whole, range) = (!matches!(form, Form::Place), *range);
            let at = self.source.offset();
            self.objects.read(&mut self.source, utt, whole)?;
            if let Some(range) = range {
                self.take(range, at, utt)?;
            }
            if wanted {
                utt.origin.file = Some(self.file.clone());
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ArchiveReader {
    /// Cuts the range out of the object that started at byte `at`.
    fn take(&self, range: Range, at: u64, utt: &mut Utterance) -> Result<()> {
        let object = utt.clone();
        let place = |e: Error| e.file(self.source.name()).byte(at);
        // The object is as it should be.
        let cut = range.take(&object, utt, &self.env.limits);
        if cut.map_err(|e| place(Error::usage(e.to_string())))? {
            self.env
                .warn(&place(Error::malformed(CLIPPED).utterance(&utt.key)));
        }
        Ok(())
    }
}

/// Returns the error about a range of a file that is not read as one object.
pub(crate) fn no_range(why: &str, source: &Source) -> Error {
    let error = Error::usage(format!("a range is one of a single object, but {why}"));
    error
        .file(source.name())
        .hint("an object in an archive is FILE:OFFSET[ROWS,COLUMNS]")
}

/// Returns `true` if a file is read as objects without keys.
pub(crate) fn is_bare_file(source: &mut Source, options: &Options, env: &Env) -> Result<bool> {
    Ok(is_place(source, options) || has_no_keys(source, env)?)
}

/// Returns `true` if a file starts with an object instead of a key.
pub(crate) fn has_no_keys(source: &mut Source, env: &Env) -> Result<bool> {
    Ok(nested::of_file(source, env)?.is_some() || starts_bare(source)?)
}

/// Returns `true` if a source starts at an object in an archive. The whole archive would have a
/// name without an offset.
pub(crate) fn is_place(source: &Source, options: &Options) -> bool {
    source.is_plain_file() && source.offset() > 0 && options.get("table").is_none()
}

/// Returns `true` if the text of an object without a key looks like Kaldi's vectors of integers;
/// vectors of floats start with a space.
fn may_be_integers(source: &mut Source) -> Result<bool> {
    let (head, _) = source.ahead(HEAD, is_enough)?;
    let Some(values) = head.strip_prefix(b"[ ") else {
        return Ok(false);
    };
    let end = values.iter().position(|b| *b == b']');
    let mut words = values[..end.unwrap_or(values.len())].split(|b| *b == b' ');
    Ok(end != Some(0) && words.all(|word| word.is_empty() || is_integer(word)))
}

fn starts_bare(source: &mut Source) -> Result<bool> {
    let (head, whole) = source.ahead(HEAD, is_enough)?;
    Ok(is_bare(head, whole))
}

/// Reads a key and the byte after it, past a byte order mark. A line end is not consumed, because it belongs to the object.
pub(crate) fn read_key(source: &mut Source, key: &mut Key) -> Result<bool> {
    source.skip_mark()?;
    loop {
        let (bytes, _) = source.ahead(64, |bytes| bytes.iter().any(|b| !is_space(*b)))?;
        let blank = bytes.iter().take_while(|b| is_space(**b));
        match blank.count() {
            0 => break,
            n => source.skip(n as u64)?,
        }
    }
    let mut seen = 128;
    let (end, last) = loop {
        let (bytes, last) = source.ahead(seen, |bytes| bytes.iter().any(|b| is_space(*b)))?;
        let end = bytes.iter().position(|b| is_space(*b));
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
        let error = source.malformed(format!("expected a key, found byte 0x{b:02x}"));
        return Err(match key.as_bytes() {
            [TAG, ..] => error.hint(
                "it may be another number of the entry before; if that is something else than it \
                 was taken for, say so with holder=NAME",
            ),
            // All other bytes from 0x80 on may be in keys of other encodings than UTF-8.
            _ if *b == u8::MAX => error.hint("Kaldi's programs refuse this byte in a key as well"),
            _ => error,
        });
    }
    let Some(end) = end else {
        return Err(match last {
            true => truncated(source, "the file ends inside a key").utterance(key),
            false => source.malformed(format!("a key of more than {KEY} bytes")),
        });
    };
    source.skip(end as u64)?;
    match source
        .ahead(2, |bytes| bytes.iter().any(|b| *b != b'\r'))?
        .0
    {
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
        if self.objects.goes_on() {
            let read = self.objects.go_on(&mut self.source, utt);
            self.ended |= read.is_err();
            utt.origin.file = Some(self.file.clone());
            return match read {
                Ok(()) => Ok(true),
                Err(error) => Err(self.place(error, &utt.key)),
            };
        }
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
