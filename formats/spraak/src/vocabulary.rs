//! Words of the headers: keys in both dialects, element types, encodings.

use spr_core::bytes::ByteOrder;
use spr_core::model::Dtype;

/// The two sorts of header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SPRAAK's own.
    Spr,
    /// That of the older HMM package.
    Key,
}

/// Keys that have another name in a key header.
const TRANSLATED: [(&str, &str); 4] = [
    ("DATA", "DATATYPE"),
    ("TYPE", "DATAFORMAT"),
    ("DIM1", "NFR"),
    ("DIM2", "NPARAM"),
];

/// Keys that say how the data are stored; they are understood, never handed on.
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

impl Dialect {
    pub(crate) const ALL: [Self; 2] = [Self::Spr, Self::Key];

    /// The first line, without its end.
    pub(crate) fn magic(self) -> &'static [u8] {
        match self {
            Self::Spr => b".spr",
            Self::Key => b".key",
        }
    }

    /// The extension of the files that are written.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Spr => "spr",
            Self::Key => "key",
        }
    }

    /// The spr name of a key found in a header. Key headers may use either name.
    pub(crate) fn canonical(self, key: &[u8]) -> &[u8] {
        let translated = TRANSLATED.iter().find(|(_, old)| old.as_bytes() == key);
        match (self, translated) {
            (Self::Key, Some((name, _))) => name.as_bytes(),
            _ => key,
        }
    }

    /// The name that an spr key has in this dialect.
    pub(crate) fn name_of(self, key: &[u8]) -> &[u8] {
        let translated = TRANSLATED.iter().find(|(name, _)| name.as_bytes() == key);
        match (self, translated) {
            (Self::Key, Some((_, old))) => old.as_bytes(),
            _ => key,
        }
    }
}

/// Whether the key, by its spr name, says how the data are stored.
pub(crate) fn is_own(key: &[u8]) -> bool {
    OWN.iter().any(|own| own.as_bytes() == key)
}

/// The standard key that `key` is but for its case.
pub(crate) fn misspelt(key: &[u8]) -> Option<&'static str> {
    OWN.into_iter()
        .find(|own| own.as_bytes().eq_ignore_ascii_case(key) && own.as_bytes() != key)
}

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Binary(ByteOrder),
    Text,
}

impl Encoding {
    /// The encoding that a `FORMAT` stands for.
    pub(crate) fn of_format(value: &[u8]) -> Option<Self> {
        match value {
            b"BIN01" => Some(Self::Binary(ByteOrder::Little)),
            b"BIN10" => Some(Self::Binary(ByteOrder::Big)),
            b"ASCII" => Some(Self::Text),
            _ => None,
        }
    }

    /// Its `FORMAT`.
    pub(crate) fn format(self) -> &'static str {
        match self {
            Self::Binary(ByteOrder::Little) => "BIN01",
            Self::Binary(ByteOrder::Big) => "BIN10",
            Self::Text => "ASCII",
        }
    }
}

/// A `TYPE` or `DATAFORMAT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// Numbers; `text` if the prefix `A-` says that they are written out.
    Number {
        dtype: Dtype,
        text: bool,
    },
    /// Known, but no numbers that stand for themselves.
    Other,
    Unknown,
}

impl Type {
    /// What a name stands for; its case does not matter.
    pub(crate) fn of(name: &[u8]) -> Self {
        let name = name.to_ascii_uppercase();
        let (name, text) = match name.strip_prefix(b"A-") {
            Some(rest) => (rest, true),
            None => (&name[..], false),
        };
        let known = Dtype::ALL
            .iter()
            .find(|d| [type_name(**d), old_name(**d)].contains(&Some(name)));
        match (known, name) {
            (Some(&dtype), _) => Self::Number { dtype, text },
            (_, b"STRING" | b"CUSTOM" | b"ULAW" | b"MULAW" | b"ALAW") => Self::Other,
            _ => Self::Unknown,
        }
    }
}

/// The name of an element type in an spr header.
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
        _ => return None,
    })
}

/// The name of an element type in a key header, which has only the signed integers and those not
/// of 8 bytes.
pub(crate) fn old_name(dtype: Dtype) -> Option<&'static [u8]> {
    Some(match dtype {
        Dtype::F32 => b"FLOAT",
        Dtype::F64 => b"DOUBLE",
        Dtype::I8 => b"BYTE",
        Dtype::I16 => b"SHORT",
        Dtype::I32 => b"INT",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_old_and_new_names() {
        let number = |dtype, text| Type::Number { dtype, text };
        for (name, expected) in [
            ("F32", number(Dtype::F32, false)),
            ("float", number(Dtype::F32, false)),
            ("A-FLOAT", number(Dtype::F32, true)),
            ("A-Double", number(Dtype::F64, true)),
            ("BYTE", number(Dtype::I8, false)),
            ("SHORT", number(Dtype::I16, false)),
            ("INT", number(Dtype::I32, false)),
            ("A-U64", number(Dtype::U64, true)),
            ("ULAW", Type::Other),
            ("MULAW", Type::Other),
            ("F16", Type::Unknown),
            ("", Type::Unknown),
            ("A-", Type::Unknown),
        ] {
            assert_eq!(Type::of(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn every_element_type_has_a_name() {
        for &dtype in Dtype::ALL {
            let name = dtype.name().to_ascii_uppercase();
            assert_eq!(type_name(dtype), Some(name.as_bytes()));
        }
    }

    #[test]
    fn only_key_headers_translate() {
        assert_eq!(Dialect::Key.canonical(b"NFR"), b"DIM1");
        assert_eq!(Dialect::Key.canonical(b"DIM1"), b"DIM1");
        assert_eq!(Dialect::Spr.canonical(b"NFR"), b"NFR");
        assert_eq!(Dialect::Key.name_of(b"DIM2"), b"NPARAM");
        assert_eq!(Dialect::Spr.name_of(b"DIM2"), b"DIM2");
    }
}
