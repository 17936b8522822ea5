//! The format with its options and capabilities.

use spr_core::bytes::{ByteOrder, Env, Output, Source};
use spr_core::format::{
    Caps, ChunkSupport, Count, FeatureCaps, Format, FormatInfo, IndexKind, Keys, LabelCaps, Medium,
    OpenedDataset, OptionSpec, Options, Partitioning, Probe, Request, Score, Writer,
};
use spr_core::model::{About, Dtype};
use spr_core::stage::PartitionSize;
use spr_core::tables::side;
use spr_core::{Error, Result};

use crate::canonical::MAX_COLUMNS;
use crate::grammar::MAGIC;
use crate::reader::PFileReader;
use crate::salvage::SalvageReader;
use crate::writer::{MAX_ROWS, PFileWriter};

/// ICSI PFiles.
pub static FORMAT: PFile = PFile;

/// The format `pfile`: features and labels of many utterances, one row per frame.
#[derive(Clone, Copy, Debug)]
pub struct PFile;

static INFO: FormatInfo = FormatInfo::new(
    "pfile",
    "ICSI PFile, features and labels of many utterances",
    &["pfile"],
)
.options(&[
    OptionSpec {
        name: "byteorder",
        value: "big|little",
        help: "byte order of the numbers read (default: found by content; written: big)",
    },
    side::OPTION,
])
.needed(&[side::OPTION.name])
.index(IndexKind::SideFile)
.pdnn(Partitioning::Batches(PartitionSize::PDNN_BATCH));

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

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        check_written_order(options)?;
        let keys = match options.get(side::OPTION.name) {
            Some("none") => Keys::None,
            Some(_) => Keys::SideFile,
            None if medium == Medium::File => Keys::SideFile,
            None => Keys::None,
        };
        let mut features = FeatureCaps::new(&[Dtype::F32]);
        (features.same_dim, features.same_dtype) = (true, true);
        features.max_cols = MAX_COLUMNS as u64;
        let mut labels = LabelCaps::new(&[Dtype::I32]);
        (labels.same_columns, labels.max_columns) = (true, MAX_COLUMNS as u64);
        let mut caps = Caps::new(Count::Many, keys);
        (caps.features, caps.labels) = (Some(features), Some(labels));
        caps.max_rows = MAX_ROWS;
        caps.chunked = ChunkSupport::Any;
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let order = byte_order(options)?;
        Ok(match request.damaged {
            true => OpenedDataset::stream(SalvageReader::open(source, options, order, env)?),
            false => {
                let reader = PFileReader::open(source, options, order, env)?;
                OpenedDataset::stream(reader.requested(request)?)
            }
        })
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        Ok(Box::new(PFileWriter::create(&output, options, caps, env)?))
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
