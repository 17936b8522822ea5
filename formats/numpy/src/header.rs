//! The header of an array.

use spr_core::bytes::{ByteOrder, PutNumber, Source};
use spr_core::model::{Array, Dtype, Matrix, Rank};
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::literal::{Literal, dict};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The types that are written, and read in other byte orders as well: name and type.
const TYPES: &[(&str, Dtype)] = &[
    ("<f4", Dtype::F32),
    ("<f8", Dtype::F64),
    ("<f2", Dtype::F16),
    ("|i1", Dtype::I8),
    ("|u1", Dtype::U8),
    ("<i2", Dtype::I16),
    ("<u2", Dtype::U16),
    ("<i4", Dtype::I32),
    ("<u4", Dtype::U32),
    ("<i8", Dtype::I64),
    ("<u8", Dtype::U64),
    ("|b1", Dtype::Bool),
];

/// The header of the elements that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) dtype: Dtype,
    pub(crate) order: ByteOrder,
    /// Whether the array is in Fortran order.
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
}

impl Header {
    /// Reads a header, and moves to the elements.
    ///
    /// # Errors
    /// The header is malformed, or the elements are not numbers.
    pub(crate) fn read(source: &mut Source, limits: &Limits) -> Result<Self> {
        let at = source.offset();
        let placed = |source: &Source, e: Error| e.file(source.name()).byte(at);
        if source.array::<6>()? != *MAGIC {
            let error = Error::malformed("this is not the start of a NumPy array");
            return Err(placed(source, error));
        }
        let version = source.array()?;
        let len = match version {
            [1, 0] => u64::from(source.read_u16(ByteOrder::Little)?),
            [2 | 3, 0] => u64::from(source.read_u32(ByteOrder::Little)?),
            [major, minor] => {
                let message = format!("a NumPy array of version {major}.{minor}");
                return Err(placed(source, Error::unsupported(message)));
            }
        };
        if len > limits.max_header {
            let error = Error::limit(format!("a NumPy header of {len} bytes"));
            return Err(placed(source, error));
        }
        let mut text = Matrix::default();
        let shape = (Dtype::U8, Rank::Vector, len, 1);
        source.read_matrix(&mut text, shape, ByteOrder::NATIVE, limits)?;
        let text = text.as_bytes();
        let parsed = match version {
            // Versions 1 and 2 are Latin-1, but only ASCII has a meaning.
            [1 | 2, _] => {
                let text: String = text.iter().map(|b| char::from(*b)).collect();
                Self::parse(&text)
            }
            _ => match std::str::from_utf8(text) {
                Ok(text) => Self::parse(text),
                Err(_) => Err(Error::malformed(
                    "the header of the NumPy array is not UTF-8",
                )),
            },
        };
        parsed.map_err(|e| placed(source, e))
    }

    fn parse(text: &str) -> Result<Self> {
        let broken = |what: &str| Error::malformed(format!("the header of the NumPy array {what}"));
        let pairs = dict(text).ok_or_else(|| broken("is not a dict of what it should hold"))?;
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        for (key, value) in pairs {
            let again = match (key, value) {
                ("descr", Literal::List) => {
                    return Err(Error::unsupported("a NumPy array of records"));
                }
                ("descr", Literal::Text(text)) => descr.replace(text).is_some(),
                ("fortran_order", Literal::Truth(truth)) => fortran.replace(truth).is_some(),
                ("shape", Literal::Sizes(sizes)) => shape.replace(sizes).is_some(),
                (key, _) => {
                    let what = format!("has a wrong entry '{}'", key.escape_debug());
                    return Err(broken(&what));
                }
            };
            if again {
                return Err(broken(&format!("has two entries '{key}'")));
            }
        }
        let missing = |key| broken(&format!("has no entry '{key}'"));
        let descr = descr.ok_or_else(|| missing("descr"))?;
        let fortran = fortran.ok_or_else(|| missing("fortran_order"))?;
        let shape = shape.ok_or_else(|| missing("shape"))?;
        if shape.len() > Array::MOST {
            return Err(Error::unsupported(format!(
                "a NumPy array of {} dimensions, at most {} are possible",
                shape.len(),
                Array::MOST
            )));
        }
        let (order, dtype) = element(descr)?;
        Ok(Self {
            dtype,
            order,
            fortran,
            shape,
        })
    }

    /// Returns the number of elements.
    ///
    /// # Errors
    /// The number overflows.
    pub(crate) fn len(&self) -> Result<u64> {
        let len = self
            .shape
            .iter()
            .try_fold(1, |n: u64, size| n.checked_mul(*size));
        len.ok_or_else(|| Error::limit("a NumPy array of more elements than can be counted"))
    }
}

/// Parses `descr` as byte order and type.
fn element(descr: &str) -> Result<(ByteOrder, Dtype)> {
    let shown = descr.escape_debug();
    let what = match descr
        .trim_start_matches(['<', '>', '|', '='])
        .chars()
        .next()
    {
        Some('O') => {
            let message = "a NumPy array of Python objects, which are pickled";
            return Err(Error::unsupported(message));
        }
        Some('c') => format!("of complex numbers ({shown})"),
        Some('S' | 'U' | 'a') => format!("of text ({shown})"),
        _ => format!("of type {shown}"),
    };
    let order = match descr.as_bytes().first() {
        Some(b'>') => ByteOrder::Big,
        _ => ByteOrder::Little,
    };
    let same = |name: &str, dtype: Dtype| {
        let marks: &[char] = if dtype.size() == 1 {
            &['<', '>', '|']
        } else {
            &['<', '>']
        };
        descr.strip_prefix(marks) == name.get(1..)
    };
    let known = TYPES.iter().find(|(name, dtype)| same(name, *dtype));
    match known {
        Some((_, dtype)) => Ok((order, *dtype)),
        None => Err(Error::new(
            ErrorKind::Unsupported,
            format!("a NumPy array {what}"),
        )),
    }
}

/// Appends the header of a C-ordered little-endian array to `out`, as NumPy 2 writes it.
///
/// # Errors
/// NumPy has no such type.
pub(crate) fn print(dtype: Dtype, shape: &[usize], out: &mut Vec<u8>) -> Result<()> {
    /// The alignment of the elements in bytes.
    const ALIGNMENT: usize = 64;
    /// The number of digits reserved for the first size, which can be changed in place.
    const DIGITS: usize = 21;
    const FIXED: usize = MAGIC.len() + 4;
    let name = TYPES.iter().find(|(_, known)| *known == dtype);
    let (name, _) = name.ok_or_else(|| Error::unfit(format!("has values of {dtype}")))?;
    let sizes: Vec<_> = shape.iter().map(usize::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    let sizes_text = sizes.join(", ");
    let mut text =
        format!("{{'descr': '{name}', 'fortran_order': False, 'shape': ({sizes_text}{comma}), }}");
    let growth = sizes
        .first()
        .map_or(0, |first| DIGITS.saturating_sub(first.len()));
    let end = (FIXED + text.len() + growth + 1).next_multiple_of(ALIGNMENT);
    let padded = end - FIXED - 1;
    text = format!("{text:<padded$}\n");
    let len =
        u16::try_from(text.len()).map_err(|_| Error::unfit("has a shape that is too long"))?;
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[1, 0]);
    out.put_u16(len, ByteOrder::Little);
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(descr: &str) -> Result<Header> {
        Header::parse(&format!(
            "{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}"
        ))
    }

    #[test]
    fn types_have_an_order() {
        for (descr, dtype, order) in [
            ("'<f4'", Dtype::F32, ByteOrder::Little),
            ("'>i2'", Dtype::I16, ByteOrder::Big),
            ("'|b1'", Dtype::Bool, ByteOrder::Little),
            ("'>u1'", Dtype::U8, ByteOrder::Big),
        ] {
            let header = parse(descr).unwrap();
            assert_eq!((header.dtype, header.order), (dtype, order), "{descr}");
        }
        for (descr, phrase) in [
            ("'|f4'", "of type |f4"),
            ("'f4'", "of type f4"),
            ("'<f16'", "of type <f16"),
            ("'<V2'", "of type <V2"),
            ("'<c8'", "complex"),
            ("'<U5'", "text"),
            ("'|O'", "Python objects"),
            ("[('a', '<f4')]", "records"),
            ("True", "a wrong entry 'descr'"),
        ] {
            let error = parse(descr).unwrap_err().to_string();
            assert!(error.contains(phrase), "{descr}: {error}");
        }
    }

    #[test]
    fn entries_are_those_of_numpy() {
        for (text, phrase) in [
            (
                "{'descr': '<f4', 'shape': (3,)}",
                "no entry 'fortran_order'",
            ),
            ("{'descr': '<f4', 'descr': '<f4'}", "two entries 'descr'"),
            ("{'descr': '<f4', 'more': True}", "a wrong entry 'more'"),
            ("descr", "is not a dict"),
        ] {
            let error = Header::parse(text).unwrap_err().to_string();
            assert!(error.contains(phrase), "{text}: {error}");
        }
    }

    #[test]
    fn headers_are_aligned() {
        for shape in [&[][..], &[3], &[3, 2], &[usize::MAX; 8]] {
            let mut bytes = Vec::new();
            print(Dtype::F32, shape, &mut bytes).unwrap();
            assert_eq!(bytes.len() % 64, 0);
            let mut source = Source::from_bytes("x", bytes).unwrap();
            let header = Header::read(&mut source, &Limits::default()).unwrap();
            let sizes: Vec<_> = shape.iter().map(|n| *n as u64).collect();
            assert_eq!(header.shape, sizes);
            assert!(source.at_end().unwrap());
        }
        assert!(print(Dtype::Bf16, &[], &mut Vec::new()).is_err());
    }
}
