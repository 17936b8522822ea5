//! The description of the data in a header.

pub(crate) mod fields;
mod view;

use spr_core::bytes::{ByteOrder, Codec, Env};
use spr_core::model::{Meta, Tag, TagSubject};
use spr_core::{Error, Result};

use crate::header::{Entry, Header, shown};
use crate::vocabulary::{
    Dialect, Encoding, StoredType, Type, UNSIGNED, UNSIGNED_VALUE, is_own, misspelt,
};
use view::View;

/// The format name of tags from both dialects, so that they survive a change of the dialect.
pub(crate) const TAGS: &str = "spraak";

/// Numbers in rows, as described by the header.
pub(crate) struct Contents {
    pub(crate) sort: RowKind,
    pub(crate) stored: StoredType,
    /// The encoding; `None` if the header leaves it open.
    pub(crate) encoding: Option<Encoding>,
    /// The compression of the data, without the header.
    pub(crate) coder: Option<Codec>,
    /// The number of vectors or instants; `None` for all that exist.
    pub(crate) rows: Option<u64>,
    /// The number of values in a vector, or of channels.
    pub(crate) cols: u64,
    /// Whether the rows are frames in time.
    pub(crate) track: bool,
    /// For audio, the frames into which it can be divided.
    pub(crate) view: Option<View>,
    pub(crate) meta: Meta,
}

/// The meaning of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// Feature vectors.
    Features,
    /// Audio samples at `rate` Hz.
    Sound { rate: u32 },
}

impl Contents {
    /// Interprets a header.
    ///
    /// # Errors
    /// The header is contradictory, or describes something other than rows of numbers.
    pub(crate) fn of(header: &Header, env: &Env) -> Result<Self> {
        let kind = DataKind::of(header)?;
        check_layout(header)?;
        let (stored, text) = element(header)?;
        let encoding = encoding(header, text)?;
        if let (StoredType::Coded(_), Some(Encoding::Text), Some(entry)) =
            (stored, encoding, header.get("TYPE"))
        {
            let what = format!("holds {} written as text", shown(&entry.value));
            return Err(unsupported(entry, what));
        }
        let frame_shift = fields::frame_shift(header, kind == DataKind::Sample)?;
        let mut view = None;
        let (sort, rows, cols) = match kind {
            DataKind::Sample => {
                let (rate, channels) = (fields::rate(header)?, fields::channels(header)?);
                view = View::of(header, (rate, channels), frame_shift)?;
                let rows = fields::count(header, "CHANLEN")?;
                (RowKind::Sound { rate }, rows, channels)
            }
            DataKind::Track | DataKind::Matrix => {
                let (rows, cols) = (fields::count(header, "DIM1")?, fields::columns(header)?);
                if cols == 0 && rows != Some(0) {
                    let name = header.name_of("DIM2");
                    let what = format!("{name} is 0: the vectors are empty");
                    return Err(header.error(header.end, what));
                }
                (RowKind::Features, rows, cols)
            }
        };
        Ok(Self {
            sort,
            stored,
            encoding,
            coder: coder(header, env)?,
            rows,
            cols,
            track: kind == DataKind::Track,
            view,
            meta: Meta {
                frame_shift,
                frame_offset: fields::seconds(header, "FOFFSET")?,
                tags: tags(header, kind, env),
                ..Meta::default()
            },
        })
    }

    /// Returns the size of binary data in bytes, if the header contains it.
    pub(crate) fn data_length(&self) -> Option<u64> {
        let values = self.rows?.checked_mul(self.cols)?;
        values.checked_mul(self.stored.size() as u64)
    }
}

/// Returns the lines without a field in the model.
fn tags(header: &Header, kind: DataKind, env: &Env) -> Vec<Tag> {
    let mut tags = Vec::new();
    if let (DataKind::Matrix, Some((_, kind))) = (kind, header.kind()) {
        tags.push(tag(b"DATA", kind));
    }
    for entry in &header.entries {
        if let Some(standard) = misspelt(entry.key()) {
            let what = format!("{} is not the key {standard}", shown(&entry.word));
            env.warn(&entry.error(what));
        }
        let own = is_own(entry.key(), kind == DataKind::Sample);
        if own || unsigned(header).is_some_and(|own| std::ptr::eq(own, entry)) {
            continue;
        }
        let tag = tag(entry.key(), &entry.value);
        tags.push(match about(entry.key()) {
            Some(about) => tag.about(about),
            None => tag,
        });
    }
    tags
}

/// Returns the property that a header line of features describes, if a stage could invalidate it:
/// channels are interleaved in the columns.
fn about(key: &[u8]) -> Option<TagSubject> {
    match key {
        b"NCHAN" | b"VLEN" => Some(TagSubject::Columns),
        b"CHANLEN" => Some(TagSubject::Frames),
        _ => None,
    }
}

/// Returns the line of a key header that marks its integers as unsigned.
pub(crate) fn unsigned(header: &Header) -> Option<&Entry> {
    let entry = header.get(UNSIGNED)?;
    (header.dialect == Dialect::Key && entry.value == UNSIGNED_VALUE).then_some(entry)
}

/// Converts a header line to a tag.
pub(crate) fn tag(key: &[u8], value: &[u8]) -> Tag {
    Tag::new(TAGS, key, value)
}

fn unsupported(entry: &Entry, what: String) -> Error {
    entry.place(Error::unsupported(format!(
        "{what}, which this version does not convert"
    )))
}

/// The kinds of data that are rows of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DataKind {
    Track,
    /// Any other name: a numeric matrix.
    Matrix,
    Sample,
}

impl DataKind {
    fn of(header: &Header) -> Result<Self> {
        let layout = header.get("LAYOUT");
        let numbers = |entry: &Entry| matches!(Type::of(&entry.value), Type::Number { .. });
        // A key header cannot describe the layout.
        let matrix = match header.dialect {
            Dialect::Key if layout.is_none() => {
                header.get("TYPE").is_some_and(numbers) && header.get("DIM2").is_some()
            }
            _ => layout.is_some_and(|layout| layout.value == b"MATRIX"),
        };
        match header.kind() {
            None | Some((_, b"TRACK")) => Ok(Self::Track),
            Some((_, b"SAMPLE")) => Ok(Self::Sample),
            Some((_, kind)) if kind == b"PARAM" || matrix => Ok(Self::Matrix),
            Some((entry, other)) => Err(unsupported(entry, format!("holds {} data", shown(other)))),
        }
    }
}

fn check_layout(header: &Header) -> Result<()> {
    let Some(layout) = header.get("LAYOUT") else {
        return Ok(());
    };
    match &layout.value[..] {
        b"MATRIX" => Ok(()),
        b"LIST" | b"CUSTOM" => {
            let what = format!("holds LAYOUT {}", shown(&layout.value));
            Err(unsupported(layout, what))
        }
        other => Err(layout.error(format!("LAYOUT {} is not known", shown(other)))),
    }
}

/// Returns the element type, and whether its name marks text.
fn element(header: &Header) -> Result<(StoredType, bool)> {
    let name = header.name_of("TYPE");
    let Some(entry) = header.get("TYPE") else {
        return Err(header
            .error(header.end, format!("the header has no {name}"))
            .hint("say it with type=F32, or whatever it is"));
    };
    match Type::of(&entry.value) {
        Type::Number { stored, text } => Ok((stored, text)),
        Type::Other => {
            let what = format!("holds {name} {}", shown(&entry.value));
            Err(unsupported(entry, what))
        }
        Type::Unknown => Err(entry.error(format!("{name} {} is not known", shown(&entry.value)))),
    }
}

/// Returns the encoding of the numbers, if the header contains it.
fn encoding(header: &Header, text: bool) -> Result<Option<Encoding>> {
    if let Some(entry) = header.get("FORMAT") {
        let Some(encoding) = Encoding::of_format(&entry.value) else {
            let what = format!("FORMAT {} is not known", shown(&entry.value));
            return Err(entry.error(what).hint("known: BIN01, BIN10, ASCII"));
        };
        return Ok(Some(encoding));
    }
    Ok(match header.dialect {
        _ if text => Some(Encoding::Text),
        Dialect::Key => Some(Encoding::Binary(ByteOrder::Big)),
        Dialect::Spr => None,
    })
}

/// Returns the coder of the data, which is the first word of `COMPRESS`. Its parameters matter only
/// for compression.
pub(crate) fn coder(header: &Header, env: &Env) -> Result<Option<Codec>> {
    let Some(entry) = header.get("COMPRESS") else {
        return Ok(None);
    };
    let mut words = entry.value.splitn(2, u8::is_ascii_whitespace);
    let name = words.next().unwrap_or_default();
    if !name.eq_ignore_ascii_case(b"gzip") {
        let what = format!("COMPRESS {} is not known", shown(&entry.value));
        return Err(entry.place(Error::unsupported(what)).hint("known: gzip"));
    }
    let level = |rest: &[u8]| matches!(rest.trim_ascii(), [b'-', b'0'..=b'9'] | []);
    if let Some(rest) = words.next().filter(|rest| !level(rest)) {
        let what = format!("the parameters {} of gzip are not needed", shown(rest));
        env.warn(&entry.error(what));
    }
    Ok(Some(Codec::Gzip))
}

#[cfg(test)]
mod tests;
