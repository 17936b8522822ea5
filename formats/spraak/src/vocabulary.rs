//! The vocabulary of headers: keys in both dialects, element types, encodings.

use spr_core::bytes::ByteOrder;
use spr_core::model::Dtype;
use spr_core::number::companding::Companding;

/// The two types of header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SPRAAK's own, `.spr`.
    Spr,
    /// That of the older HMM package, `.key`.
    Key,
}

/// The keys of any header that describe the encoding of the data. They are interpreted, never
/// stored as tags.
const OWN: [&str; 10] = [
    "DATA",
    "LAYOUT",
    "TYPE",
    "FORMAT",
    "DIM1",
    "DIM2",
    "FSHIFT",
    "FOFFSET",
    "COMPRESS",
    "HEADER_LEN",
];

/// The keys that describe the encoding of samples; elsewhere they are tags.
const OWN_OF_SAMPLES: [&str; 3] = ["NCHAN", "CHANLEN", "SAMPLEFREQ"];

/// The key, and its value, by which a key header written here marks its `BYTE`, `SHORT` or `INT` as
/// unsigned. The header has no standard key for that.
pub(crate) const UNSIGNED: &str = "UNSIGNED";
pub(crate) const UNSIGNED_VALUE: &[u8] = b"TRUE";

/// Pairs of an spr key and the same key in key headers, where the two counts are named after the
/// counted unit.
fn old_names(kind: &[u8]) -> [(&'static str, &'static str); 4] {
    let (dim1, dim2) = match kind {
        b"SEG" => ("NSEG", "NENTRY"),
        b"CORPUS" | b"DICTIONARY" | b"DES" | b"UNIT" => ("NENTRY", "NPARAM"),
        _ => ("NFR", "NPARAM"),
    };
    [
        ("DATA", "DATATYPE"),
        ("TYPE", "DATAFORMAT"),
        ("DIM1", dim1),
        ("DIM2", dim2),
    ]
}

impl Dialect {
    pub(crate) const ALL: [Self; 2] = [Self::Spr, Self::Key];

    /// Returns the first line, without its end.
    pub(crate) fn magic(self) -> &'static [u8] {
        match self {
            Self::Spr => b".spr",
            Self::Key => b".key",
        }
    }

    /// Returns the extension of written files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Spr => "spr",
            Self::Key => "key",
        }
    }

    /// Returns the spr name of a key of a key header, if that differs, for data of this kind.
    pub(crate) fn standard(kind: &[u8], key: &[u8]) -> Option<&'static str> {
        let names = old_names(kind).into_iter();
        let mut found = names.filter(|(_, old)| old.as_bytes() == key);
        found.next().map(|(name, _)| name)
    }

    /// Returns the name of an spr key in this dialect for data of this kind.
    pub(crate) fn name_of<'a>(self, kind: &[u8], key: &'a [u8]) -> &'a [u8] {
        let mut names = old_names(kind).into_iter();
        match (self, names.find(|(name, _)| name.as_bytes() == key)) {
            (Self::Key, Some((_, old))) => old.as_bytes(),
            _ => key,
        }
    }
}

/// The value of the key `CORPUS` or `DICTIONARY` in a key header, which marks the type of a list,
/// if the list has no name.
pub(crate) const UNNAMED: &[u8] = b"-";

/// Returns `true` if features may be data of this kind: neither samples nor a known type of list.
pub(crate) fn is_matrix(kind: &[u8]) -> bool {
    const OTHERS: [&[u8]; 7] = [
        b"",
        b"SAMPLE",
        b"SEG",
        b"CORPUS",
        b"DICTIONARY",
        b"UNIT",
        b"DES",
    ];
    !OTHERS.contains(&kind)
}

/// Returns `true` if the key, by its spr name, describes the encoding of data; some keys do so only
/// for samples.
pub(crate) fn is_own(key: &[u8], samples: bool) -> bool {
    let stands_in = |keys: &[&str]| keys.iter().any(|own| own.as_bytes() == key);
    stands_in(&OWN) || samples && stands_in(&OWN_OF_SAMPLES)
}

/// Returns the standard key that differs from `key` only in case.
pub(crate) fn misspelt(key: &[u8]) -> Option<&'static str> {
    OWN.into_iter()
        .chain(OWN_OF_SAMPLES)
        .find(|own| own.as_bytes().eq_ignore_ascii_case(key) && own.as_bytes() != key)
}

/// The encoding of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Binary(ByteOrder),
    Text,
}

impl Encoding {
    /// Parses a `FORMAT`.
    pub(crate) fn of_format(value: &[u8]) -> Option<Self> {
        match value {
            b"BIN01" => Some(Self::Binary(ByteOrder::Little)),
            b"BIN10" => Some(Self::Binary(ByteOrder::Big)),
            b"ASCII" => Some(Self::Text),
            _ => None,
        }
    }

    /// Returns its `FORMAT`.
    pub(crate) fn format(self) -> &'static str {
        match self {
            Self::Binary(ByteOrder::Little) => "BIN01",
            Self::Binary(ByteOrder::Big) => "BIN10",
            Self::Text => "ASCII",
        }
    }
}

/// The stored representation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredType {
    /// The number itself.
    Plain(Dtype),
    /// An 8-bit code of an `i16`.
    Coded(Companding),
}

impl StoredType {
    /// Returns the type of the decoded numbers.
    pub(crate) fn dtype(self) -> Dtype {
        match self {
            Self::Plain(dtype) => dtype,
            Self::Coded(_) => Dtype::I16,
        }
    }

    /// Returns the unsigned type of the same size.
    pub(crate) fn unsigned(self) -> Self {
        match self {
            Self::Plain(Dtype::I8) => Self::Plain(Dtype::U8),
            Self::Plain(Dtype::I16) => Self::Plain(Dtype::U16),
            Self::Plain(Dtype::I32) => Self::Plain(Dtype::U32),
            other => other,
        }
    }

    /// Returns the size of a number in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Plain(dtype) => dtype.size(),
            Self::Coded(_) => 1,
        }
    }
}

/// The meaning of a `TYPE` or `DATAFORMAT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// Numbers, in `text` form with the prefix `A-`.
    Number {
        stored: StoredType,
        text: bool,
    },
    /// A known type that is not numeric.
    Other,
    Unknown,
}

impl Type {
    /// Parses a name, ignoring case.
    pub(crate) fn of(name: &[u8]) -> Self {
        let name = name.to_ascii_uppercase();
        let (name, text) = match name.strip_prefix(b"A-") {
            Some(rest) => (rest, true),
            None => (&name[..], false),
        };
        let known = Dtype::COMMON
            .iter()
            .find(|d| [type_name(**d), old_name(**d, false)].contains(&Some(name)));
        let stored = match (known, name) {
            (Some(&dtype), _) => StoredType::Plain(dtype),
            (_, b"ULAW" | b"MULAW") => StoredType::Coded(Companding::MuLaw),
            (_, b"ALAW") => StoredType::Coded(Companding::ALaw),
            (_, b"STRING" | b"CUSTOM") => return Self::Other,
            _ => return Self::Unknown,
        };
        Self::Number { stored, text }
    }
}

/// Returns the name of a companding in a dialect.
pub(crate) fn code_name(dialect: Dialect, code: Companding) -> &'static [u8] {
    match (dialect, code) {
        (_, Companding::ALaw) => b"ALAW",
        (Dialect::Spr, Companding::MuLaw) => b"ULAW",
        (Dialect::Key, Companding::MuLaw) => b"MULAW",
    }
}

/// Returns the name of an element type in an spr header.
pub(crate) fn type_name(dtype: Dtype) -> Option<&'static [u8]> {
    Some(match dtype {
        Dtype::F32 => b"F32",
        Dtype::F64 => b"F64",
        Dtype::I8 => b"I8",
        Dtype::U8 => b"U8",
        Dtype::I16 => b"I16",
        Dtype::U16 => b"U16",
        Dtype::I32 => b"I32",
        Dtype::U32 => b"U32",
        Dtype::I64 => b"I64",
        Dtype::U64 => b"U64",
        Dtype::F16 | Dtype::Bf16 | Dtype::Bool => return None,
    })
}

/// Returns the name of an element type in a key header. Integers are signed there by default; those
/// of 8 bytes have no name.
pub(crate) fn old_name(dtype: Dtype, unsigned: bool) -> Option<&'static [u8]> {
    Some(match (dtype, unsigned) {
        (Dtype::F32, _) => b"FLOAT",
        (Dtype::F64, _) => b"DOUBLE",
        (Dtype::I8, false) | (Dtype::U8, true) => b"BYTE",
        (Dtype::I16, false) | (Dtype::U16, true) => b"SHORT",
        (Dtype::I32, false) | (Dtype::U32, true) => b"INT",
        (Dtype::I8 | Dtype::I16 | Dtype::I32, true)
        | (Dtype::U8 | Dtype::U16 | Dtype::U32, false)
        | (Dtype::I64 | Dtype::U64 | Dtype::F16 | Dtype::Bf16 | Dtype::Bool, _) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_old_and_new_names() {
        let number = |dtype, text| Type::Number {
            stored: StoredType::Plain(dtype),
            text,
        };
        let coded = |code| Type::Number {
            stored: StoredType::Coded(code),
            text: false,
        };
        for (name, expected) in [
            ("F32", number(Dtype::F32, false)),
            ("float", number(Dtype::F32, false)),
            ("A-FLOAT", number(Dtype::F32, true)),
            ("A-Double", number(Dtype::F64, true)),
            ("BYTE", number(Dtype::I8, false)),
            ("SHORT", number(Dtype::I16, false)),
            ("INT", number(Dtype::I32, false)),
            ("A-U64", number(Dtype::U64, true)),
            ("ULAW", coded(Companding::MuLaw)),
            ("MULAW", coded(Companding::MuLaw)),
            ("alaw", coded(Companding::ALaw)),
            ("STRING", Type::Other),
            ("F16", Type::Unknown),
            ("", Type::Unknown),
            ("A-", Type::Unknown),
        ] {
            assert_eq!(Type::of(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn every_element_type_has_a_name() {
        for &dtype in Dtype::COMMON {
            let name = dtype.name().to_ascii_uppercase();
            assert_eq!(type_name(dtype), Some(name.as_bytes()));
        }
    }

    #[test]
    fn counts_are_called_after_what_they_count() {
        for (kind, dim1, dim2) in [
            (&b"TRACK"[..], &b"NFR"[..], &b"NPARAM"[..]),
            (b"SEG", b"NSEG", b"NENTRY"),
            (b"CORPUS", b"NENTRY", b"NPARAM"),
        ] {
            for (old, name) in [(dim1, "DIM1"), (dim2, "DIM2")] {
                assert_eq!(Dialect::standard(kind, old), Some(name));
                assert_eq!(Dialect::Key.name_of(kind, name.as_bytes()), old);
                assert_eq!(Dialect::Spr.name_of(kind, name.as_bytes()), name.as_bytes());
            }
        }
        assert_eq!(Dialect::standard(b"TRACK", b"NENTRY"), None);
        assert_eq!(Dialect::standard(b"TRACK", b"DIM1"), None);
    }
}
