//! The options `key=value` for reading and writing.

use spr_core::bytes::ByteOrder;
use spr_core::format::{OptionSpec, Options};
use spr_core::number::companding::Companding;
use spr_core::{Error, Result, nearest};

use crate::header::layers::{FileDescription, HeaderPlace};
use crate::list::options::{OPTIONS, takes_all};
use crate::select::Selection;
use crate::vocabulary::{Dialect, Encoding};

macro_rules! specs {
    ($($name:ident $value:literal $help:literal)*) => {
        [$(OptionSpec { name: stringify!($name), value: $value, help: $help }),*]
    };
}

const ORDER: OptionSpec = OptionSpec {
    name: "byteorder",
    value: "little|big",
    help: "FORMAT BIN01 (the default) or BIN10 (reading: whatever the header says)",
};

const KEY_ORDER: OptionSpec = OptionSpec {
    name: "byteorder",
    value: "little|big",
    help: "reading: the byte order, which the header can't say; written is big",
};

/// The coders, with the levels of the program of the same name.
const CODERS: [&str; 10] = [
    "gzip", "gzip -1", "gzip -2", "gzip -3", "gzip -4", "gzip -5", "gzip -6", "gzip -7", "gzip -8",
    "gzip -9",
];

const COMPRESS: OptionSpec = OptionSpec {
    name: "compress",
    value: "gzip|gzip -1…-9",
    help: "pack the data, but not the header (reading: whatever the header says)",
};

const UNSIGNED: OptionSpec = OptionSpec {
    name: "unsigned",
    value: "true|false",
    help: "BYTE, SHORT and INT have no sign",
};

const COMMON: [OptionSpec; 16] = specs! {
    text "true|false" "numbers as text (reading: whatever the header says)"
    header "FILE|none" "reading: a header in a file of its own, or none; writing: none"
    data "TRACK|PARAM|SAMPLE|SEG|CORPUS|DICTIONARY|UNIT|DES|…" "the kind of data (reading: whatever the header says, as all keys below; writing: not SAMPLE, default: that of the input or the extension, else what the data are; a matrix may have any name)"
    type "TYPE" "the element type; writing: ULAW or ALAW, for samples"
    format "BIN01|BIN10|ASCII" "how numbers are stored"
    dim1 "N" "reading: vectors, -1 for all there are"
    dim2 "N" "reading: values in a vector"
    all "true|false" "reading: take all vectors, samples or lines of a file that goes on after the number in its header, or that number only (default: such a file is an error)"
    fshift "SECONDS" "reading: from frame to frame"
    foffset "SECONDS" "reading: where the first frame starts"
    nchan "N" "reading: channels of samples"
    chanlen "N" "reading: samples in a channel, -1 for all there are"
    samplefreq "HZ" "reading: samples a second"
    frames "FIRST:LAST" "reading: take these frames only, counted from 0, the last one included"
    columns "FIRST:LAST" "reading: take these values of each vector"
    channels "FIRST:LAST" "reading: take these channels of samples"
};

/// The options of the spr format.
pub(crate) static SPR: [OptionSpec; 23] = with([ORDER, COMPRESS]);

/// The options of the key format.
pub(crate) static KEY: [OptionSpec; 23] = with([KEY_ORDER, UNSIGNED]);

const fn with(own: [OptionSpec; 2]) -> [OptionSpec; 23] {
    let mut all = [own[0]; 23];
    let mut n = 0;
    while n < COMMON.len() {
        all[n + 1] = COMMON[n];
        n += 1;
    }
    all[17] = own[1];
    n = 0;
    while n < OPTIONS.len() {
        all[n + 18] = OPTIONS[n];
        n += 1;
    }
    all
}

/// Options that are header keys, and the keys.
const KEYS: [(&str, &str); 10] = [
    ("data", "DATA"),
    ("type", "TYPE"),
    ("format", "FORMAT"),
    ("dim1", "DIM1"),
    ("dim2", "DIM2"),
    ("fshift", "FSHIFT"),
    ("foffset", "FOFFSET"),
    ("nchan", "NCHAN"),
    ("chanlen", "CHANLEN"),
    ("samplefreq", "SAMPLEFREQ"),
];

/// Options for reading only.
const READING: [&str; 11] = [
    "all",
    "dim1",
    "dim2",
    "fshift",
    "foffset",
    "nchan",
    "chanlen",
    "samplefreq",
    "frames",
    "columns",
    "channels",
];

/// Returns the encoding of numbers, if the options set it.
fn encoding(options: &Options) -> Result<Option<Encoding>> {
    let orders = [("little", ByteOrder::Little), ("big", ByteOrder::Big)];
    let order = options.choice("byteorder", &orders)?;
    let text = options.flag("text")?;
    let format = options.choice("format", &FORMATS)?;
    match (order, text, format) {
        (Some(_), true, None) => {
            Err(Error::usage("text has no byte order").hint("leave out byteorder= or text=true"))
        }
        (Some(_), _, Some(_)) | (_, true, Some(_)) => {
            Err(Error::usage("format= says it all").hint("leave out byteorder= and text="))
        }
        (_, true, None) => Ok(Some(Encoding::Text)),
        (_, false, Some(format)) => Ok(Some(format)),
        (order, false, None) => Ok(order.map(Encoding::Binary)),
    }
}

const FORMATS: [(&str, Encoding); 3] = [
    ("BIN01", Encoding::Binary(ByteOrder::Little)),
    ("BIN10", Encoding::Binary(ByteOrder::Big)),
    ("ASCII", Encoding::Text),
];

/// The options for reading a file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) given: FileDescription,
    /// Whether integers in key files are unsigned, which overrides the header.
    pub(crate) unsigned: Option<bool>,
    /// Whether all data are taken, or as many as the header says. Without an answer, both must be
    /// the same.
    pub(crate) all: Option<bool>,
    pub(crate) select: Selection,
}

impl Reading {
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let header = match options.get("header") {
            None => HeaderPlace::Inside,
            Some("none") => HeaderPlace::Absent,
            Some(file) => HeaderPlace::Outside(file.into()),
        };
        let mut keys: Vec<_> = KEYS
            .iter()
            .filter_map(|(name, key)| Some((*key, options.get(name)?.as_bytes().to_vec())))
            .collect();
        if let (Some(encoding), None) = (encoding(options)?, options.get("format")) {
            keys.push(("FORMAT", encoding.format().as_bytes().to_vec()));
        }
        Ok(Self {
            given: FileDescription { header, keys },
            unsigned: options.choice("unsigned", &[("true", true), ("false", false)])?,
            all: takes_all(options)?,
            select: Selection {
                frames: options.parse("frames")?,
                columns: options.parse("columns")?,
                channels: options.parse("channels")?,
            },
        })
    }
}

/// The options for writing files.
#[derive(Clone, Debug)]
pub(crate) struct Writing {
    pub(crate) dialect: Dialect,
    pub(crate) encoding: Encoding,
    /// The requested `DATA`.
    pub(crate) data: Option<String>,
    /// The companding of samples.
    pub(crate) code: Option<Companding>,
    /// The compression of the data, by its name in headers.
    pub(crate) packed: Option<&'static str>,
    /// Whether there is a header.
    pub(crate) header: bool,
    /// Whether integers in key files are unsigned.
    pub(crate) unsigned: bool,
}

impl Writing {
    /// Parses the options without checking that they are for writing.
    pub(crate) fn likely(dialect: Dialect, options: &Options) -> Result<Self> {
        let order = match dialect {
            Dialect::Spr => ByteOrder::Little,
            Dialect::Key => ByteOrder::Big,
        };
        Ok(Self {
            dialect,
            encoding: encoding(options)?.unwrap_or(Encoding::Binary(order)),
            data: None,
            code: code(options),
            packed: options.choice("compress", &CODERS.map(|coder| (coder, coder)))?,
            header: options.get("header") != Some("none"),
            unsigned: options.flag("unsigned")?,
        })
    }

    /// Parses the options for writing.
    ///
    /// # Errors
    /// An option or its value is for reading only, or two options contradict each other.
    pub(crate) fn of(dialect: Dialect, options: &Options) -> Result<Self> {
        if let Some(name) = READING.iter().find(|name| options.get(name).is_some()) {
            return Err(Error::usage(format!("option {name} is for reading")));
        }
        let data = kind(options)?;
        let codes = ["ULAW", "MULAW", "ALAW"].map(|name| (name, ()));
        options.choice("type", &codes)?;
        options.choice("header", &[("none", ())])?;
        let writing = Self {
            data,
            ..Self::likely(dialect, options)?
        };
        let little = writing.encoding == Encoding::Binary(ByteOrder::Little);
        let contradiction = |what: &str, hint: &str| Err(Error::usage(what).hint(hint));
        if dialect == Dialect::Key && little && writing.header {
            return contradiction(
                "a key header can't say that the numbers are little endian",
                "leave out byteorder=little, or write spr",
            );
        }
        if writing.code.is_some() && writing.encoding == Encoding::Text {
            return contradiction("ULAW and ALAW are not text", "leave out text=true");
        }
        if writing.packed.is_some() && !writing.header {
            return contradiction(
                "without a header nothing says that the data are packed",
                "leave out compress=gzip, and end the file's name with .gz",
            );
        }
        Ok(writing)
    }
}

/// Returns the kind of data to be written. SPRAAK's kinds are an open set, but a name similar to
/// that of a known kind is taken for a typo.
fn kind(options: &Options) -> Result<Option<String>> {
    const KINDS: [&str; 7] = [
        "TRACK",
        "PARAM",
        "SEG",
        "CORPUS",
        "DICTIONARY",
        "UNIT",
        "DES",
    ];
    let Some(kind) = options.get("data") else {
        return Ok(None);
    };
    let word = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let near = nearest(kind.to_ascii_uppercase(), KINDS);
    let other = !kind.is_empty() && kind.bytes().all(word) && kind != "SAMPLE" && near.is_none();
    match KINDS.contains(&kind) || other {
        true => Ok(Some(kind.to_owned())),
        false => Ok(options
            .choice("data", &KINDS.map(|kind| (kind, kind)))?
            .map(str::to_owned)),
    }
}

fn code(options: &Options) -> Option<Companding> {
    match options.get("type") {
        Some("ULAW" | "MULAW") => Some(Companding::MuLaw),
        Some("ALAW") => Some(Companding::ALaw),
        _ => None,
    }
}
