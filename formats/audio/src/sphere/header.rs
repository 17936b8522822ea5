//! The lines of a header.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, Limits, Result};

use crate::kind::tag_size;

pub(crate) const MAGIC: &[u8] = b"NIST_1A\n";
/// The size of the first two lines: the magic and the size of the header.
const START: u64 = 16;
const END: &[u8] = b"end_head";
/// The unit in bytes to which a header is padded.
const UNIT: usize = 1024;

/// Names and values in order.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) lines: Vec<(Vec<u8>, Vec<u8>)>,
    /// The first line whose text is shorter than it says.
    pub(super) doubt: Option<Error>,
}

impl Header {
    /// Reads all bytes of a header.
    ///
    /// # Errors
    /// The header is malformed, or exceeds `limits`.
    pub(super) fn read(source: &mut Source, limits: &Limits) -> Result<Self> {
        if source.array::<8>()? != MAGIC {
            return Err(Error::malformed("no SPHERE header starts here").byte(0));
        }
        let size = source.array::<8>()?;
        let size = std::str::from_utf8(&size).ok().map(str::trim);
        let size = size.and_then(|size| size.parse::<u64>().ok());
        let rest = size
            .and_then(|size| size.checked_sub(START))
            .filter(|rest| *rest <= limits.max_header)
            .ok_or_else(|| {
                Error::malformed("the second line is not the size of a header").byte(8)
            })?;
        let mut bytes = Matrix::default();
        let shape = (Dtype::U8, Rank::Vector, rest, 1);
        source.read_matrix(&mut bytes, shape, ByteOrder::NATIVE, limits)?;
        let mut left = bytes.as_bytes();
        let (mut header, mut held) = (Self::default(), 0u64);
        loop {
            let at = START + (bytes.as_bytes().len() - left.len()) as u64;
            let (line, after) = match memchr(left, b'\n') {
                Some(n) => (&left[..n], &left[n + 1..]),
                None => (left, &[][..]),
            };
            if line.trim_ascii() == END {
                return Ok(header);
            }
            if left.is_empty() {
                return Err(Error::malformed("the header has no end_head").byte(at));
            }
            if line.trim_ascii().is_empty() || line.starts_with(b";") {
                left = after;
                continue;
            }
            let parsed = header.line(left, line);
            left = match parsed.or_else(|| header.short_line(line, after, at)) {
                Some(rest) => rest,
                None => {
                    let shown = line.escape_ascii();
                    let message = format!("'{shown}' is not a line of a SPHERE header");
                    return Err(Error::malformed(message).byte(at));
                }
            };
            // Each line becomes a tag as well.
            let line = header.lines.last();
            held += line.map_or(0, |(name, value)| 2 * tag_size(name, value));
            limits.bytes("the lines of a SPHERE header", held)?;
        }
    }

    /// Parses `line`, the first line of `left`. A text may extend beyond it. Returns the rest.
    fn line<'a>(&mut self, left: &'a [u8], line: &'a [u8]) -> Option<&'a [u8]> {
        let (name, rest) = word(line)?;
        let next = left.get(line.len() + 1..).unwrap_or_default();
        let Some((kind, value)) = word(rest) else {
            // The blank before an empty text may be missing.
            self.add(name, b"");
            return (rest.trim_ascii() == b"-s0").then_some(next);
        };
        let Some(length) = kind.strip_prefix(b"-s") else {
            let value = value.trim_ascii();
            if !matches!(kind, b"-i" | b"-r") || value.is_empty() {
                return None;
            }
            self.add(name, value);
            return Some(next);
        };
        let length: usize = std::str::from_utf8(length).ok()?.parse().ok()?;
        let start = line.len() - value.len();
        let value = left.get(start..)?.get(..length)?;
        let after = &left[start + length..];
        let after = after.strip_prefix(b"\r").unwrap_or(after);
        let after = match after {
            [] => after,
            [b'\n', after @ ..] => after,
            _ => return None,
        };
        self.add(name, value);
        Some(after)
    }

    /// Parses a line whose text ends before its length, as libsndfile writes it for samples of 24
    /// and 32 bits: `sample_byte_format -s4 01`. Returns the rest, which is `after` the line.
    fn short_line<'a>(&mut self, line: &[u8], after: &'a [u8], at: u64) -> Option<&'a [u8]> {
        let (name, rest) = word(line)?;
        let (kind, value) = word(rest)?;
        let length = std::str::from_utf8(kind.strip_prefix(b"-s")?).ok()?;
        let length: usize = length.parse().ok()?;
        let value = value.strip_suffix(b"\r").unwrap_or(value);
        if name != b"sample_byte_format" || value.len() >= length {
            return None;
        }
        self.add(name, value);
        self.doubt.get_or_insert_with(|| {
            let shown = line.escape_ascii();
            let message = format!(
                "'{shown}' has {} characters of text, not {length}",
                value.len()
            );
            Error::malformed(message).byte(at)
        });
        Some(after)
    }

    fn add(&mut self, name: &[u8], value: &[u8]) {
        self.lines.push((name.to_vec(), value.to_vec()));
    }

    /// Returns the value of `name`.
    ///
    /// # Errors
    /// It occurs more than once.
    pub(super) fn text(&self, name: &str) -> Result<Option<&[u8]>> {
        let mut values = self.lines.iter().filter(|(n, _)| n == name.as_bytes());
        match (values.next(), values.next()) {
            (Some(_), Some(_)) => Err(Error::malformed(format!("the header has two lines {name}"))),
            (value, _) => Ok(value.map(|(_, value)| value.as_slice())),
        }
    }

    /// Returns the value of `name` as a count.
    ///
    /// # Errors
    /// It is not a non-negative number.
    pub(super) fn integer(&self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.text(name)? else {
            return Ok(None);
        };
        let number = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
        number.map(Some).ok_or_else(|| {
            let value = value.escape_ascii();
            Error::malformed(format!("{name} is '{value}', not a whole number"))
        })
    }
}

fn memchr(bytes: &[u8], wanted: u8) -> Option<usize> {
    bytes.iter().position(|b| *b == wanted)
}

/// Splits a line after its first word.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|b| matches!(b, b' ' | b'\t'))?;
    (end > 0).then(|| (&line[..end], &line[end + 1..]))
}

/// The type of a value in a header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Integer,
    Real,
    Text,
}

impl Type {
    /// Returns the narrowest type of a value.
    fn of(value: &[u8]) -> Self {
        let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        let size = value.strip_prefix(b"-").unwrap_or(value);
        match size.iter().position(|b| *b == b'.') {
            None if digits(size) => Self::Integer,
            Some(point) if digits(&size[..point]) && digits(&size[point + 1..]) => Self::Real,
            _ => Self::Text,
        }
    }
}

/// A header being written.
pub(super) struct Print<'a>(&'a mut Vec<u8>);

impl<'a> Print<'a> {
    /// Starts a header in `out`, which is empty.
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(b"        ");
        Self(out)
    }

    /// Adds a line whose type is that of the value.
    ///
    /// # Errors
    /// The name cannot be represented.
    pub(super) fn line(&mut self, name: &[u8], value: &[u8]) -> Result<()> {
        self.typed(name, value, Type::of(value))
    }

    /// Adds a line of text.
    ///
    /// # Errors
    /// The name cannot be represented.
    pub(super) fn text(&mut self, name: &[u8], value: &[u8]) -> Result<()> {
        self.typed(name, value, Type::Text)
    }

    fn typed(&mut self, name: &[u8], value: &[u8], kind: Type) -> Result<()> {
        let good = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
        if !good || name == END || name.starts_with(b";") {
            let name = name.escape_ascii();
            let message = format!("the header line '{name}' has a name that ");
            return Err(Error::unfit(message).the_format(" can't hold"));
        }
        let kind = match kind {
            Type::Integer => "-i".to_owned(),
            Type::Real => "-r".to_owned(),
            Type::Text => format!("-s{}", value.len()),
        };
        for part in [name, b" ", kind.as_bytes(), b" ", value, b"\n"] {
            self.0.extend_from_slice(part);
        }
        Ok(())
    }

    /// Ends the header.
    ///
    /// # Errors
    /// Its size has too many digits.
    pub(super) fn end(self) -> Result<()> {
        self.0.extend_from_slice(END);
        self.0.push(b'\n');
        let size = self.0.len().next_multiple_of(UNIT);
        self.0.resize(size, b' ');
        let text = format!("{size:>7}\n");
        match self.0.get_mut(MAGIC.len()..16) {
            Some(place) if place.len() == text.len() => {
                place.copy_from_slice(text.as_bytes());
                Ok(())
            }
            _ => Err(Error::unfit("has more header lines than ").the_format(" can hold")),
        }
    }
}
