//! The two formats.

use spr_core::bytes::{ByteOrder, Env, Output, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, Lookup, Objects, OptionSpec,
    Options, Place, Probe, Reader, Score, Tags, Writer,
};
use spr_core::model::Dtype;
use spr_core::{Error, Result};

use crate::contents::TAGS;
use crate::probe::score;
use crate::reader::SpraakReader;
use crate::vocabulary::{Dialect, Encoding};
use crate::writer::SpraakWriter;

/// SPRAAK files, one utterance each, with one of the two sorts of header.
pub struct Spraak(Dialect);

/// SPRAAK files with their own header, `spr`.
pub static SPR: Spraak = Spraak(Dialect::Spr);

/// Files with the older header, `key`.
pub static KEY: Spraak = Spraak(Dialect::Key);

const TEXT: OptionSpec = OptionSpec {
    name: "text",
    value: "true|false",
    help: "numbers as text (reading: whatever the header says)",
};

const DATA: OptionSpec = OptionSpec {
    name: "data",
    value: "TRACK|PARAM",
    help: "writing: the kind of data in the header (default: that of the input, else TRACK)",
};

static SPR_INFO: FormatInfo = FormatInfo {
    name: "spr",
    title: "SPRAAK features",
    extensions: &["spr", "trk", "sam", "seg", "cor", "lex"],
    options: &[
        OptionSpec {
            name: "byteorder",
            value: "little|big",
            help: "FORMAT BIN01 (the default) or BIN10 (reading: whatever the header says)",
        },
        TEXT,
        DATA,
    ],
};

static KEY_INFO: FormatInfo = FormatInfo {
    name: "key",
    title: "SPRAAK features with the older key header",
    extensions: &["key"],
    options: &[
        OptionSpec {
            name: "byteorder",
            value: "little|big",
            help: "reading: the byte order, which the header can't say; written is big",
        },
        TEXT,
        DATA,
    ],
};

/// Element types with a name in a key header. Those come first that hold narrower ones exactly.
const KEY_DTYPES: &[Dtype] = &[Dtype::I8, Dtype::I16, Dtype::I32, Dtype::F32, Dtype::F64];

impl Spraak {
    /// How the numbers are stored, as far as the options say it.
    fn encoding(options: &Options) -> Result<Option<Encoding>> {
        let orders = [("little", ByteOrder::Little), ("big", ByteOrder::Big)];
        let order = options.choice("byteorder", &orders)?;
        let text = options.choice("text", &[("true", true), ("false", false)])?;
        match (order, text) {
            (Some(_), Some(true)) => {
                Err(Error::usage("text has no byte order")
                    .hint("leave out byteorder= or text=true"))
            }
            (_, Some(true)) => Ok(Some(Encoding::Text)),
            (order, _) => Ok(order.map(Encoding::Binary)),
        }
    }

    /// How numbers are written.
    fn output_encoding(&self, options: &Options) -> Result<Encoding> {
        let asked = Self::encoding(options)?;
        match (self.0, asked) {
            (Dialect::Spr, None) => Ok(Encoding::Binary(ByteOrder::Little)),
            (Dialect::Key, None) => Ok(Encoding::Binary(ByteOrder::Big)),
            (Dialect::Key, Some(Encoding::Binary(ByteOrder::Little))) => Err(Error::usage(
                "a key header can't say that the numbers are little endian",
            )
            .hint("leave out byteorder=little, or write spr")),
            (_, Some(encoding)) => Ok(encoding),
        }
    }

    fn output_data(options: &Options) -> Result<Option<&'static str>> {
        options.choice("data", &[("TRACK", "TRACK"), ("PARAM", "PARAM")])
    }
}

impl Format for Spraak {
    fn info(&self) -> &'static FormatInfo {
        match self.0 {
            Dialect::Spr => &SPR_INFO,
            Dialect::Key => &KEY_INFO,
        }
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        score(self.0, head, self.info().extensions)
    }

    fn caps(&self, options: &Options, place: Place) -> Result<Caps> {
        self.output_encoding(options)?;
        Self::output_data(options)?;
        Ok(Caps {
            count: Count::One,
            keys: match place {
                Place::Folder | Place::File => Keys::FileNames,
                Place::Stream => Keys::None,
            },
            boundaries: true,
            features: Some(FeatureCaps {
                dtypes: match self.0 {
                    Dialect::Spr => Dtype::ALL,
                    Dialect::Key => KEY_DTYPES,
                },
                vectors: false,
                scalars: false,
                same_dim: false,
                same_dtype: false,
                max_cols: u64::MAX,
            }),
            labels: None,
            empty: Empty::Kept,
            frame_times: true,
            objects: Objects::None,
            audio: &[],
            segments: false,
            text: false,
            tags: Tags::Of(TAGS),
            max_rows: u64::MAX,
        })
    }

    fn open(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        if options.get(DATA.name).is_some() {
            return Err(Error::usage("option data is for writing").file(source.name()));
        }
        let encoding = Self::encoding(options)?;
        Ok(Box::new(SpraakReader::open(source, self.0, encoding, env)?))
    }

    fn open_keyed(&self, source: Source, options: &Options, env: &Env) -> Result<Lookup> {
        Ok(Lookup::Ordered(self.open(source, options, env)?))
    }

    fn create(&self, output: Output, options: &Options, _env: &Env) -> Result<Box<dyn Writer>> {
        let encoding = self.output_encoding(options)?;
        let data = Self::output_data(options)?;
        Ok(Box::new(SpraakWriter::new(output, self.0, encoding, data)))
    }
}
