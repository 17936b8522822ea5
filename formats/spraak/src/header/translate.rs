//! Conversion between the dialects without changing the data.

use spr_core::bytes::ByteOrder;
use spr_core::{Error, Remedy, Result};

use super::edit::HeaderFile;
use super::{Dialect, Entry, Header, shown};
use crate::contents::unsigned;
use crate::vocabulary::{Encoding, StoredType, Type, UNNAMED, code_name, old_name, type_name};

impl HeaderFile {
    /// Converts the header to another dialect. Keys without a counterpart keep their name.
    ///
    /// # Errors
    /// The data would have to change as well: they are little-endian, compressed, or of a type
    /// without a name in key headers. The header is then unchanged.
    pub fn translate(&mut self, to: Dialect) -> Result<()> {
        if self.header.dialect != to {
            self.header.entries = match to {
                Dialect::Key => to_key(&self.header)?,
                Dialect::Spr => to_spr(&self.header)?,
            };
            self.header.dialect = to;
            self.header
                .entries
                .iter_mut()
                .for_each(|e| e.standard = None);
            self.header.understand();
        }
        self.recount()
    }
}

impl Entry {
    /// Replaces key and value of a line.
    fn with(&self, word: &[u8], value: &[u8]) -> Self {
        Self {
            word: word.to_vec(),
            standard: None,
            value: value.to_vec(),
            position: self.position.clone(),
        }
    }

    /// Returns the error for data that would have to change, which needs a conversion.
    fn refuse(&self, why: impl Into<String>) -> Error {
        self.place(Error::unfit(why)).suggest(Remedy::ConvertData)
    }
}

fn to_key(header: &Header) -> Result<Vec<Entry>> {
    let kind = header.kind().map_or(&b""[..], |(_, kind)| kind);
    let mut entries = Vec::new();
    for entry in &header.entries {
        let value = &entry.value[..];
        match entry.key() {
            b"COMPRESS" => return Err(entry.refuse("a key header can't say that data are packed")),
            b"LAYOUT" if value == b"CUSTOM" => {
                return Err(entry.refuse("a key header has no LAYOUT CUSTOM"));
            }
            b"LAYOUT" | b"FORMAT" => {}
            // The key with the name of a corpus or dictionary implies the kind.
            b"DATA"
                if header
                    .entries
                    .iter()
                    .any(|e| e.word == value && is_named(value)) => {}
            b"DATA" if is_named(value) => entries.push(entry.with(value, UNNAMED)),
            b"TYPE" => entries.push(entry.with(b"DATAFORMAT", &data_format(header, entry)?)),
            key if Dialect::standard(kind, key).is_some() => {
                let name = shown(key);
                return Err(entry.refuse(format!("{name} means something else in a key header")));
            }
            key => entries.push(entry.with(Dialect::Key.name_of(kind, key), value)),
        }
    }
    Ok(entries)
}

/// Returns `true` if a kind of data can be implied by the key with its name.
fn is_named(kind: &[u8]) -> bool {
    kind == b"CORPUS" || kind == b"DICTIONARY"
}

/// Returns the type for a key header, which also marks numbers in text form.
fn data_format(header: &Header, entry: &Entry) -> Result<Vec<u8>> {
    let name = shown(&entry.value);
    let (stored, text) = match Type::of(&entry.value) {
        Type::Number { stored, text } => (stored, text),
        _ if entry.value == b"STRING" => return Ok(b"STRING".to_vec()),
        _ => return Err(entry.refuse(format!("a key header has no type {name}"))),
    };
    let format = header.get("FORMAT").map(|e| &e.value[..]);
    let text = match format.map(Encoding::of_format) {
        Some(Some(Encoding::Text)) => true,
        Some(Some(Encoding::Binary(order))) => {
            if order == ByteOrder::Little && stored.size() > 1 {
                return Err(
                    entry.refuse("the numbers are little endian, in a key file they are big")
                );
            }
            false
        }
        None if text => true,
        _ => {
            return Err(entry
                .place(Error::unfit("no FORMAT says how the numbers are stored"))
                .hint("set FORMAT to BIN10, BIN01 or ASCII"));
        }
    };
    let old = match stored {
        StoredType::Plain(dtype) => old_name(dtype, false),
        StoredType::Coded(code) => Some(code_name(Dialect::Key, code)),
    };
    let old = old.ok_or_else(|| entry.refuse(format!("a key header has no type {name}")))?;
    Ok([if text { b"A-" } else { &b""[..] }, old].concat())
}

fn to_spr(header: &Header) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let (said, kind) = match header.kind() {
        Some((entry, kind)) => (Some(entry), kind),
        None => (None, &b""[..]),
    };
    let layout = match kind {
        b"SAMPLE" | b"TRACK" | b"PARAM" => Some(&b"MATRIX"[..]),
        b"SEG" | b"CORPUS" | b"DICTIONARY" | b"DES" | b"UNIT" => Some(&b"LIST"[..]),
        _ => None,
    };
    let has = |key| header.get(key).is_some();
    let unsigned = unsigned(header);
    for entry in &header.entries {
        if said.is_some_and(|said| std::ptr::eq(said, entry)) {
            entries.push(entry.with(b"DATA", kind));
            if let (Some(layout), false) = (layout, has("LAYOUT")) {
                entries.push(entry.with(b"LAYOUT", layout));
            }
            if layout == Some(b"LIST") && !has("TYPE") {
                entries.push(entry.with(b"TYPE", b"STRING"));
                entries.push(entry.with(b"FORMAT", b"ASCII"));
            }
            if !is_named(&entry.word) || header.is_nameless(entry) {
                continue;
            }
        }
        match entry.key() {
            // Another line implies the kind.
            b"DATA" => {}
            _ if unsigned.is_some_and(|own| std::ptr::eq(own, entry)) => {}
            b"TYPE" => {
                let (name, format) = native_type(entry, unsigned.is_some())?;
                entries.push(entry.with(b"TYPE", name));
                if !has("FORMAT") {
                    entries.push(entry.with(b"FORMAT", format));
                }
            }
            key => entries.push(entry.with(key, &entry.value)),
        }
    }
    Ok(entries)
}

/// Returns the type for an spr header, and its `FORMAT`.
fn native_type(entry: &Entry, unsigned: bool) -> Result<(&'static [u8], &'static [u8])> {
    let unknown = || entry.error(format!("DATAFORMAT {} is not known", shown(&entry.value)));
    match Type::of(&entry.value) {
        Type::Number { stored, text } => {
            let stored = if unsigned { stored.unsigned() } else { stored };
            let name = match stored {
                StoredType::Plain(dtype) => type_name(dtype).ok_or_else(unknown)?,
                StoredType::Coded(code) => code_name(Dialect::Spr, code),
            };
            Ok((name, if text { b"ASCII" } else { b"BIN10" }))
        }
        Type::Other if entry.value == b"STRING" => Ok((b"STRING", b"ASCII")),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use spr_core::bytes::{Env, Source};

    use super::*;

    fn open(dialect: Dialect, lines: &str) -> HeaderFile {
        let magic = std::str::from_utf8(dialect.magic()).unwrap();
        let text = format!("{magic}\n{}\n#\n", lines.replace('/', "\n"));
        let source = Source::from_bytes("h", text.into_bytes()).unwrap();
        HeaderFile::open(source, &Env::default()).unwrap()
    }

    fn translated(from: Dialect, to: Dialect, lines: &str) -> Result<String> {
        let mut file = open(from, lines);
        file.translate(to)?;
        let text = String::from_utf8(file.print()?).unwrap();
        let lines: Vec<_> = text.lines().skip(1).collect();
        Ok(lines[..lines.len() - 1].join("/").replace('\t', " "))
    }

    #[test]
    fn there_and_back() {
        for (key, spr) in [
            (
                "x 1/DATATYPE TRACK/DATAFORMAT FLOAT/NFR 2/NPARAM 3/FSHIFT 0.01/y 2",
                "x 1/DATA TRACK/LAYOUT MATRIX/TYPE F32/FORMAT BIN10/DIM1 2/DIM2 3/FSHIFT 0.01/y 2",
            ),
            (
                "DATATYPE PARAM/DATAFORMAT A-SHORT/NPARAM 3",
                "DATA PARAM/LAYOUT MATRIX/TYPE I16/FORMAT ASCII/DIM2 3",
            ),
            (
                "DATATYPE SAMPLE/DATAFORMAT MULAW/NCHAN 1/CHANLEN 3/SAMPLEFREQ 8000",
                "DATA SAMPLE/LAYOUT MATRIX/TYPE ULAW/FORMAT BIN10/NCHAN 1/CHANLEN 3/SAMPLEFREQ 8000",
            ),
            (
                "DATATYPE SEG/DATAFORMAT STRING/NSEG 4/NENTRY 2",
                "DATA SEG/LAYOUT LIST/TYPE STRING/FORMAT ASCII/DIM1 4/DIM2 2",
            ),
            (
                "DATAFORMAT STRING/CORPUS demo/NENTRY 2",
                "TYPE STRING/FORMAT ASCII/DATA CORPUS/LAYOUT LIST/CORPUS demo/DIM1 2",
            ),
        ] {
            assert_eq!(translated(Dialect::Key, Dialect::Spr, key).unwrap(), spr);
            assert_eq!(translated(Dialect::Spr, Dialect::Key, spr).unwrap(), key);
        }
        let spr = translated(
            Dialect::Key,
            Dialect::Spr,
            "DATATYPE DES/DICTIONARY x/NENTRY 2",
        );
        let expected = "DATA DICTIONARY/LAYOUT LIST/TYPE STRING/FORMAT ASCII/DICTIONARY x/DIM1 2";
        assert_eq!(spr.unwrap(), expected);
        let one = "TYPE I8/FORMAT BIN01/DIM2 1";
        let key = translated(Dialect::Spr, Dialect::Key, one).unwrap();
        assert_eq!(key, "DATAFORMAT BYTE/NPARAM 1");
    }

    #[test]
    fn data_that_would_change_are_refused() {
        for (lines, what) in [
            ("TYPE F32/FORMAT BIN01", "little endian"),
            ("TYPE F32", "no FORMAT"),
            ("TYPE U16/FORMAT BIN10", "no type U16"),
            ("TYPE I64/FORMAT ASCII", "no type I64"),
            ("TYPE CUSTOM", "no type CUSTOM"),
            ("LAYOUT CUSTOM", "LAYOUT CUSTOM"),
            ("TYPE F32/FORMAT BIN10/COMPRESS gzip", "packed"),
            ("TYPE F32/FORMAT BIN10/NFR 3", "NFR means something else"),
        ] {
            let error = translated(Dialect::Spr, Dialect::Key, lines).unwrap_err();
            assert!(error.to_string().contains(what), "{lines}: {error}");
            assert!(error.hint_text().is_some(), "{lines}");
        }
        let mut file = open(Dialect::Spr, "TYPE F32/FORMAT BIN10/note \" x\"");
        file.translate(Dialect::Key).unwrap();
        assert!(file.print().unwrap_err().to_string().contains("note"));
        assert!(translated(Dialect::Key, Dialect::Spr, "DATATYPE TRACK/DATAFORMAT X").is_err());
    }
}
