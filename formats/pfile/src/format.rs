//! What the format is called, takes and can hold.

use spr_core::bytes::{ByteOrder, Env, Output, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, LabelCaps, Lookup, Objects,
    OptionSpec, Options, Place, Probe, Reader, Score, Tags, Writer,
};
use spr_core::model::Dtype;
use spr_core::{Error, Result, side};

use crate::grammar::MAGIC;
use crate::header::MAX_COLUMNS;
use crate::reader::PFileReader;
use crate::salvage::SalvageReader;
use crate::writer::{MAX_ROWS, PFileWriter};

/// ICSI PFiles.
pub static FORMAT: PFile = PFile;

/// The format `pfile`: features and labels of many utterances, a row a frame.
#[derive(Clone, Copy, Debug)]
pub struct PFile;

static INFO: FormatInfo = FormatInfo {
    name: "pfile",
    title: "ICSI PFile: features and labels a frame, many utterances",
    extensions: &["pfile"],
    options: &[
        OptionSpec {
            name: "byteorder",
            value: "big|little",
            help: "byte order of the numbers read (default: found by content; written: big)",
        },
        side::OPTION,
    ],
};

impl Format for PFile {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        if head.head.starts_with(MAGIC) {
            Score::Certain
        } else {
            Score::No
        }
    }

    fn caps(&self, options: &Options, place: Place) -> Result<Caps> {
        check_written_order(options)?;
        let keys = match options.get(side::OPTION.name) {
            Some("none") => Keys::None,
            Some(_) => Keys::SideFile,
            None if place == Place::File => Keys::SideFile,
            None => Keys::None,
        };
        Ok(Caps {
            count: Count::Many,
            keys,
            boundaries: true,
            features: Some(FeatureCaps {
                dtypes: &[Dtype::F32],
                vectors: false,
                scalars: false,
                same_dim: true,
                same_dtype: true,
                max_cols: MAX_COLUMNS as u64,
            }),
            labels: Some(LabelCaps {
                dtypes: &[Dtype::I32],
                max_columns: MAX_COLUMNS as u64,
                with_features: true,
                alone: true,
                same_columns: true,
            }),
            objects: Objects::None,
            audio: &[],
            segments: false,
            text: false,
            empty: Empty::Refused,
            frame_times: false,
            tags: Tags::None,
            max_rows: MAX_ROWS,
        })
    }

    fn open(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        let order = byte_order(options)?;
        Ok(Box::new(PFileReader::open(source, options, order, env)?))
    }

    fn salvage(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        let order = byte_order(options)?;
        Ok(Box::new(SalvageReader::open(source, options, order, env)?))
    }

    fn open_keyed(&self, source: Source, options: &Options, env: &Env) -> Result<Lookup> {
        Ok(Lookup::Ordered(self.open(source, options, env)?))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        check_written_order(options)?;
        Ok(Box::new(PFileWriter::create(&output, options, env)?))
    }
}

fn byte_order(options: &Options) -> Result<Option<ByteOrder>> {
    let orders = [ByteOrder::Big, ByteOrder::Little].map(|order| (order.name(), order));
    options.choice("byteorder", &orders)
}

fn check_written_order(options: &Options) -> Result<()> {
    match byte_order(options)? {
        Some(ByteOrder::Little) => Err(Error::usage(
            "option byteorder: PFiles are written in big-endian order only",
        )),
        _ => Ok(()),
    }
}
