//! What a header says of the data behind it.

use spr_core::bytes::{ByteOrder, Env};
use spr_core::model::{Decimal, Dtype, Meta, Tag};
use spr_core::number::parse_integer;
use spr_core::{Error, ErrorKind, Result};

use crate::header::{Entry, Header, shown};
use crate::vocabulary::{Dialect, Encoding, Type, is_own, misspelt};

/// The format name of tags from both dialects, so that they survive a change of dialect.
pub(crate) const TAGS: &str = "spraak";

/// A numeric matrix, as its header describes it.
pub(crate) struct Contents {
    pub(crate) dtype: Dtype,
    /// `None` where the header leaves it open.
    pub(crate) encoding: Option<Encoding>,
    /// Vectors; `None` means as many as there are.
    pub(crate) rows: Option<u64>,
    /// Values in a vector.
    pub(crate) cols: u64,
    pub(crate) meta: Meta,
}

impl Contents {
    /// Reads the meaning out of a header.
    ///
    /// # Errors
    /// The header contradicts its rules or describes something other than a numeric matrix.
    pub(crate) fn of(header: &Header, env: &Env) -> Result<Self> {
        let kind = data_kind(header)?;
        if let Some(coder) = header.get("COMPRESS") {
            return Err(unsupported(
                header,
                coder,
                format!("the data are compressed with {}", shown(&coder.value)),
            ));
        }
        match header.get("LAYOUT") {
            Some(layout) if layout.value == b"LIST" || layout.value == b"CUSTOM" => {
                let what = format!("holds LAYOUT {}", shown(&layout.value));
                return Err(unsupported(header, layout, what));
            }
            Some(layout) if layout.value != b"MATRIX" => {
                return Err(header.error(
                    layout.at,
                    format!("LAYOUT {} is not known", shown(&layout.value)),
                ));
            }
            _ => {}
        }
        let (dtype, text) = element(header)?;
        let (rows_entry, rows) = rows(header)?;
        let cols = cols(header)?;
        if cols == 0 && rows != Some(0) {
            let name = header.name_of(b"DIM2");
            return Err(header.error(header.end, format!("{name} is 0: the vectors are empty")));
        }
        let mut tags = Vec::new();
        if kind == Kind::Param {
            tags.push(tag(b"DATA", b"PARAM"));
        }
        for entry in &header.entries {
            if let Some(standard) = misspelt(&entry.key) {
                let what = format!("{} is not the key {standard}", shown(&entry.key));
                env.warn(&header.error(entry.at, what));
            }
            let counted = rows_entry.is_some_and(|e| e.at == entry.at);
            if !is_own(&entry.key) && !counted {
                tags.push(tag(&entry.key, &entry.value));
            }
        }
        Ok(Self {
            dtype,
            encoding: encoding(header, text)?,
            rows,
            cols,
            meta: Meta {
                frame_shift: seconds(header, "FSHIFT")?,
                frame_offset: seconds(header, "FOFFSET")?,
                tags,
            },
        })
    }
}

fn tag(key: &[u8], value: &[u8]) -> Tag {
    Tag {
        format: TAGS,
        key: key.to_vec(),
        value: value.to_vec(),
    }
}

fn unsupported(header: &Header, entry: &Entry, what: String) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!("{what}, which this version does not convert"),
    )
    .file(&header.file)
    .byte(entry.at)
}

/// Kinds of data that are numeric matrices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Track,
    Param,
}

/// The kind of data. The keys `CORPUS` and `DICTIONARY` say it where `DATA` does not, and
/// `DICTIONARY` makes more of a `DES`.
fn data_kind(header: &Header) -> Result<Kind> {
    let data = header.get("DATA");
    let list = match (header.get("DICTIONARY"), header.get("CORPUS")) {
        (Some(entry), _) => Some((entry, &b"DICTIONARY"[..])),
        (_, Some(entry)) => Some((entry, &b"CORPUS"[..])),
        _ => None,
    };
    let (entry, word) = match (data, list) {
        (Some(data), Some((entry, b"DICTIONARY"))) if data.value == b"DES" => {
            (entry, &b"DICTIONARY"[..])
        }
        (Some(data), _) => (data, data.value.as_slice()),
        (None, Some(list)) => list,
        (None, None) => return Ok(Kind::Track),
    };
    match word {
        b"TRACK" => Ok(Kind::Track),
        b"PARAM" => Ok(Kind::Param),
        other => {
            let what = format!("holds {} data", shown(other));
            Err(unsupported(header, entry, what))
        }
    }
}

/// The element type, and whether its name says that the numbers are text.
fn element(header: &Header) -> Result<(Dtype, bool)> {
    let name = header.name_of(b"TYPE");
    let Some(entry) = header.get("TYPE") else {
        return Err(header.error(header.end, format!("the header has no {name}")));
    };
    match Type::of(&entry.value) {
        Type::Number { dtype, text } => Ok((dtype, text)),
        Type::Other => {
            let what = format!("holds {name} {}", shown(&entry.value));
            Err(unsupported(header, entry, what))
        }
        Type::Unknown => Err(header.error(
            entry.at,
            format!("{name} {} is not known", shown(&entry.value)),
        )),
    }
}

/// How the numbers are stored, as far as the header says it.
fn encoding(header: &Header, text: bool) -> Result<Option<Encoding>> {
    if let Some(entry) = header.get("FORMAT") {
        let Some(encoding) = Encoding::of_format(&entry.value) else {
            return Err(header
                .error(
                    entry.at,
                    format!("FORMAT {} is not known", shown(&entry.value)),
                )
                .hint("known: BIN01, BIN10, ASCII"));
        };
        return Ok(Some(encoding));
    }
    Ok(match header.dialect {
        _ if text => Some(Encoding::Text),
        Dialect::Key => Some(Encoding::Binary(ByteOrder::Big)),
        Dialect::Spr => None,
    })
}

/// The number of vectors and the line it comes from. A key header may count entries instead.
fn rows(header: &Header) -> Result<(Option<&Entry>, Option<u64>)> {
    let entry = match header.dialect {
        Dialect::Spr => header.get("DIM1"),
        Dialect::Key => header.get("DIM1").or_else(|| header.get("NENTRY")),
    };
    match entry {
        Some(entry) => Ok((Some(entry), dimension(header, entry)?)),
        None => Ok((None, None)),
    }
}

fn cols(header: &Header) -> Result<u64> {
    let name = header.name_of(b"DIM2");
    let Some(entry) = header.get("DIM2") else {
        return Err(header.error(header.end, format!("the header has no {name}")));
    };
    dimension(header, entry)?
        .ok_or_else(|| header.error(entry.at, format!("{name} may not be left open with -1")))
}

/// A dimension; `None` for -1.
fn dimension(header: &Header, entry: &Entry) -> Result<Option<u64>> {
    if entry.value == b"-1" {
        return Ok(None);
    }
    parse_integer(&entry.value).map(Some).ok_or_else(|| {
        let (key, value) = (header.name_of(&entry.key), shown(&entry.value));
        header.error(entry.at, format!("{key} is '{value}', not a number"))
    })
}

fn seconds(header: &Header, key: &str) -> Result<Option<Decimal>> {
    let Some(entry) = header.get(key) else {
        return Ok(None);
    };
    let decimal = std::str::from_utf8(&entry.value)
        .ok()
        .and_then(Decimal::parse);
    decimal.map(Some).ok_or_else(|| {
        let value = shown(&entry.value);
        header.error(entry.at, format!("{key} is '{value}', not a time"))
    })
}

#[cfg(test)]
mod tests {
    use spr_core::bytes::Source;

    use super::*;

    fn contents(dialect: Dialect, lines: &str) -> Result<Contents> {
        let magic = std::str::from_utf8(dialect.magic()).unwrap();
        let lines = lines.replace('/', "\n");
        let text = format!("{magic}\n{lines}\n#\n");
        let env = Env::default();
        let mut source = Source::from_bytes("h", text.into_bytes())?;
        Contents::of(&Header::read(&mut source, dialect, &env)?, &env)
    }

    fn error(dialect: Dialect, lines: &str) -> String {
        contents(dialect, lines).err().unwrap().to_string()
    }

    #[test]
    fn key_headers_mean_the_same() {
        let spr = "DATA PARAM/TYPE F32/FORMAT BIN10/DIM1 -1/DIM2 3/FSHIFT 0.010/x 1";
        let key = "x 1/DATATYPE PARAM/DATAFORMAT FLOAT/NPARAM 3/FSHIFT 0.010";
        for (dialect, lines) in [(Dialect::Spr, spr), (Dialect::Key, key)] {
            let found = contents(dialect, lines).unwrap();
            assert_eq!((found.dtype, found.rows, found.cols), (Dtype::F32, None, 3));
            assert_eq!(found.encoding, Some(Encoding::Binary(ByteOrder::Big)));
            assert_eq!(found.meta.frame_shift.unwrap().as_str(), "0.010");
            assert_eq!(found.meta.tags, [tag(b"DATA", b"PARAM"), tag(b"x", b"1")]);
        }
    }

    #[test]
    fn an_encoding_is_given_or_left_open() {
        let spr = |lines| contents(Dialect::Spr, lines).unwrap().encoding;
        assert_eq!(spr("TYPE F32/DIM2 1"), None);
        assert_eq!(spr("TYPE A-FLOAT/DIM2 1"), Some(Encoding::Text));
        assert_eq!(
            spr("TYPE A-FLOAT/DIM2 1/FORMAT BIN01"),
            Some(Encoding::Binary(ByteOrder::Little))
        );
        let text = error(Dialect::Spr, "TYPE F32/DIM2 1/FORMAT BIN11");
        assert_eq!(text, "h@21: FORMAT BIN11 is not known");
    }

    #[test]
    fn entries_count_where_frames_do_not() {
        let found = contents(Dialect::Key, "DATAFORMAT INT/NENTRY 4/NPARAM 1").unwrap();
        assert_eq!((found.rows, found.meta.tags.len()), (Some(4), 0));
        let found = contents(Dialect::Key, "DATAFORMAT INT/NENTRY 4/NFR 5/NPARAM 1").unwrap();
        assert_eq!(
            (found.rows, found.meta.tags),
            (Some(5), vec![tag(b"NENTRY", b"4")])
        );
    }

    #[test]
    fn other_kinds_are_refused_by_name() {
        for (lines, what) in [
            ("DATA SAMPLE/TYPE I16", "SAMPLE data"),
            ("DATA SEG", "SEG data"),
            ("DATA MVGAUSS/TYPE F32/DIM1 1/DIM2 3", "MVGAUSS data"),
            ("CORPUS CGN/DIM1 1", "CORPUS data"),
            ("DICTIONARY x", "DICTIONARY data"),
            ("DATA DES/DICTIONARY x", "DICTIONARY data"),
            ("DATA DES", "DES data"),
            ("DATA TRACK/LAYOUT LIST", "LAYOUT LIST"),
            ("DATA TRACK/LAYOUT CUSTOM", "LAYOUT CUSTOM"),
            ("DATA TRACK/TYPE STRING", "TYPE STRING"),
            ("DATA TRACK/TYPE ULAW/DIM2 1", "TYPE ULAW"),
            ("TYPE F32/DIM2 1/COMPRESS gzip 9", "compressed with gzip 9"),
        ] {
            let error = contents(Dialect::Spr, lines).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{lines}");
            assert!(error.to_string().contains(what), "{lines}: {error}");
        }
        let tags = contents(Dialect::Spr, "DATA TRACK/CORPUS x/TYPE F32/DIM2 1");
        assert_eq!(tags.unwrap().meta.tags, [tag(b"CORPUS", b"x")]);
    }

    #[test]
    fn nonsense_is_refused_with_its_place() {
        for (lines, text) in [
            ("TYPE F32", "h@16: the header has no DIM2"),
            ("DIM2 3", "h@14: the header has no TYPE"),
            ("TYPE F33/DIM2 3", "h@5: TYPE F33 is not known"),
            (
                "TYPE F32/DIM2 -1",
                "h@14: DIM2 may not be left open with -1",
            ),
            ("DIM1 -2/TYPE F32/DIM2 3", "h@5: DIM1 is '-2', not a number"),
            ("DIM1 3x/TYPE F32/DIM2 3", "h@5: DIM1 is '3x', not a number"),
            ("TYPE F32/DIM2 0", "h@23: DIM2 is 0: the vectors are empty"),
            ("FSHIFT x/TYPE F32/DIM2 3", "h@5: FSHIFT is 'x', not a time"),
            ("LAYOUT x/TYPE F32/DIM2 3", "h@5: LAYOUT x is not known"),
        ] {
            assert_eq!(error(Dialect::Spr, lines), text);
        }
        for (lines, text) in [
            ("DATAFORMAT FLOAT", "h@24: the header has no NPARAM"),
            (
                "DATAFORMAT INT/NPARAM x",
                "h@20: NPARAM is 'x', not a number",
            ),
        ] {
            assert_eq!(error(Dialect::Key, lines), text);
        }
    }
}
