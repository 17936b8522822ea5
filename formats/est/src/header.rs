//! The header of a track: lines of a key and a value.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Decimal, Key, Tag, TagSubject};
use spr_core::number::parse_integer;
use spr_core::{Error, Limits, Result};

use crate::lines::Lines;
use crate::spacing::Spacing;

/// The name of the format, and of its header lines.
pub(crate) const NAME: &str = "est";

/// The first word of every file of the Edinburgh Speech Tools; the second one is the kind.
pub(crate) const MAGIC: &[u8] = b"EST_File";
/// The kind that is read and written.
pub(crate) const TRACK: &[u8] = b"Track";
/// The line that ends the header.
pub(crate) const END: &[u8] = b"EST_Header_End";
/// The keys of the frame shift and offset that the times do not tell, or not with all digits.
pub(crate) const SHIFT: &[u8] = b"spr_frame_shift";
pub(crate) const OFFSET: &[u8] = b"spr_frame_offset";
/// The most frames and channels, which the tools count in 32 bits with a sign.
pub(crate) const MOST: u64 = i32::MAX as u64;

/// The start of the keys that name channels.
const CHANNEL: &[u8] = b"Channel_";
const AUXILIARY: &[u8] = b"Aux_Channel_";

/// The form of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text, a line a frame.
    Ascii,
    /// 32-bit floats.
    Binary(ByteOrder),
}

/// Keys with a meaning of their own, by their places in [`HeaderValues`].
const KEYS: [&[u8]; 8] = [
    b"DataType",
    b"ByteOrder",
    b"NumFrames",
    b"NumChannels",
    b"NumAuxChannels",
    b"EqualSpace",
    b"BreaksPresent",
    b"CommentChar",
];
const DATA_TYPE: usize = 0;
const BYTE_ORDER: usize = 1;
const FRAMES: usize = 2;
const CHANNELS: usize = 3;
const AUX_CHANNELS: usize = 4;
const BREAKS: usize = 6;

/// The values of [`KEYS`].
type HeaderValues = [Option<Vec<u8>>; KEYS.len()];

/// The contents of a header.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) form: Form,
    pub(crate) rows: u64,
    pub(crate) cols: u64,
    /// Whether frames have a value that marks breaks.
    pub(crate) breaks: bool,
    /// The spacing that the times do not tell.
    pub(crate) spacing: Option<Spacing>,
    /// All lines without a meaning of their own, names of channels among them.
    pub(crate) tags: Vec<Tag>,
    /// The lines, at the start of the frames.
    pub(crate) lines: Lines,
}

/// Returns whether `key` belongs to the format itself.
pub(crate) fn is_own(key: &[u8]) -> bool {
    KEYS.contains(&key) || [END, SHIFT, OFFSET].contains(&key) || key.starts_with(AUXILIARY)
}

/// The number of the channel that `key` names, if it names one.
pub(crate) fn channel(key: &[u8]) -> Option<u64> {
    parse_integer(key.strip_prefix(CHANNEL)?)
}

/// The key and the value of a line.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(u8::is_ascii_whitespace);
    let (key, value) = line.split_at(end.unwrap_or(line.len()));
    (key, value.trim_ascii())
}

impl Header {
    /// Reads a header, behind which the frames start.
    ///
    /// # Errors
    /// It is none, it is cut off, or the file is not a track that can be read.
    pub(crate) fn read(source: &mut Source, limits: &Limits) -> Result<Self> {
        let start = source.offset();
        let most = limits.max_header.min(limits.max_alloc);
        let of_lines = Limits {
            max_alloc: most,
            ..*limits
        };
        let mut lines = Lines::default();
        let mut stated = HeaderValues::default();
        let mut tags = Vec::new();
        for n in 0u64.. {
            if !lines.next(source, &of_lines)? {
                let message = "the file ends in the header, before EST_Header_End";
                return Err(lines.place(Error::truncated(message), source));
            }
            if source.offset() - start > most {
                let message = format!("a header of more than {most} bytes is over the limit");
                return Err(lines.place(Error::limit(message), source));
            }
            let (key, value) = split(lines.text());
            match n {
                0 => check_kind(key, value).map_err(|e| lines.place(e, source))?,
                _ if key == END => break,
                _ => match KEYS.iter().position(|own| *own == key) {
                    // `ch_track` itself writes NumAuxChannels twice.
                    Some(at) if stated[at].as_deref().is_some_and(|other| other != value) => {
                        let message = format!("a second header line {}", Key::from(key));
                        return Err(lines.error(message, source));
                    }
                    Some(at) => stated[at] = Some(value.to_vec()),
                    None => tags.push(Tag::new(NAME, key, value)),
                },
            }
        }
        let header = Self::of(&stated, tags, lines.clone());
        header.map_err(|e| lines.place(e, source))
    }

    fn of(stated: &HeaderValues, mut tags: Vec<Tag>, lines: Lines) -> Result<Self> {
        let (rows, cols) = (count(stated, FRAMES)?, count(stated, CHANNELS)?);
        let auxiliary = stated[AUX_CHANNELS].as_ref();
        let is_auxiliary = |tag: &Tag| tag.key.starts_with(AUXILIARY);
        if auxiliary.is_some_and(|n| n != b"0") || tags.iter().any(is_auxiliary) {
            let message = "a track with auxiliary channels, which hold words, is not read";
            return Err(Error::unsupported(message));
        }
        for tag in &mut tags {
            let Some(n) = channel(&tag.key) else { continue };
            if n >= cols {
                let message = format!("the header names channel {n}, there are {cols}");
                return Err(Error::malformed(message));
            }
            tag.about = Some(TagSubject::Columns);
        }
        let shift = take_seconds(&mut tags, SHIFT)?;
        if let Some(shift) = shift.filter(|shift| *shift <= Decimal::ZERO) {
            return Err(Error::malformed(format!("a frame shift of {shift} s")));
        }
        let first = take_seconds(&mut tags, OFFSET)?.unwrap_or(Decimal::ZERO);
        Ok(Self {
            form: form(stated)?,
            rows,
            cols,
            breaks: stated[BREAKS].is_some(),
            spacing: shift.map(|shift| Spacing { first, shift }),
            tags,
            lines,
        })
    }
}

/// Checks the first line of a file.
fn check_kind(magic: &[u8], kind: &[u8]) -> Result<()> {
    match (magic, kind) {
        (MAGIC, TRACK) => Ok(()),
        (MAGIC, kind) => Err(Error::unsupported(format!(
            "an EST_File of the kind '{}', only tracks are read",
            Key::from(kind)
        ))),
        _ => Err(Error::malformed("expected 'EST_File Track'")),
    }
}

/// The value of a key that can't be done without.
fn required(stated: &HeaderValues, key: usize) -> Result<&[u8]> {
    let missing = || Error::malformed(format!("the header has no {}", Key::from(KEYS[key])));
    stated[key].as_deref().ok_or_else(missing)
}

fn wrong(key: usize, value: &[u8], expected: &str) -> Error {
    let (key, value) = (Key::from(KEYS[key]), Key::from(value));
    Error::malformed(format!("{key} is '{value}', expected {expected}"))
}

fn count(stated: &HeaderValues, key: usize) -> Result<u64> {
    let value = required(stated, key)?;
    let count = parse_integer::<u64>(value).filter(|n| *n <= MOST);
    count.ok_or_else(|| wrong(key, value, &format!("a number from 0 to {MOST}")))
}

fn form(stated: &HeaderValues) -> Result<Form> {
    match required(stated, DATA_TYPE)? {
        b"ascii" => Ok(Form::Ascii),
        b"binary" => match required(stated, BYTE_ORDER)? {
            b"01" => Ok(Form::Binary(ByteOrder::Little)),
            b"10" => Ok(Form::Binary(ByteOrder::Big)),
            other => Err(wrong(BYTE_ORDER, other, "01 or 10")),
        },
        other => Err(wrong(DATA_TYPE, other, "ascii or binary")),
    }
}

/// Takes the header line `key` away, which is a time in seconds.
fn take_seconds(tags: &mut Vec<Tag>, key: &[u8]) -> Result<Option<Decimal>> {
    let Some(at) = tags.iter().position(|tag| tag.key == key) else {
        return Ok(None);
    };
    let value = tags.remove(at).value;
    let time = std::str::from_utf8(&value).ok().and_then(Decimal::parse);
    let wrong = || format!("'{}' is not a time in seconds", Key::from(&*value));
    time.map(Some).ok_or_else(|| Error::malformed(wrong()))
}
