//! The format `safetensors`.

use spr_core::bytes::{ByteOrder, Env, Output, Source};
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, ChunkSupport, Count, FeatureCaps, Format, FormatInfo, Keys,
    LabelCaps, Medium, OpenedDataset, Options, Probe, Request, Rule, Score, Writer,
};
use spr_core::model::{About, AboutField, Dtype, Key};
use spr_core::{Error, Result};

use super::writer::TensorWriter;
use super::{LONGEST, METADATA, reader};
use crate::caps::CAPS;

/// Safetensors files.
pub static SAFETENSORS: Safetensors = Safetensors;

/// Files of Hugging Face's safetensors.
pub struct Safetensors;

static INFO: FormatInfo = FormatInfo::new("safetensors", "named tensors", &["safetensors"]);

/// A name that does not stand for something else.
const NAME_OF_TENSOR: Rule<Key> = Rule::new("other than __metadata__", |key| match key.as_str() {
    Some(METADATA) => Err(Error::unfit(format!("no tensor is called {METADATA}"))),
    _ => Ok(()),
});

const fn caps() -> Caps {
    let mut features = FeatureCaps::new(Dtype::ALL);
    (features.vectors, features.scalars) = (true, true);
    let mut caps = CAPS;
    (caps.count, caps.keys, caps.utf8) = (Count::Many, Keys::Any, true);
    caps.key_rule = NAME_OF_TENSOR;
    caps.about = AboutField::ALL;
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(Dtype::INTEGERS));
    caps.audio = AudioCaps::samples(Dtype::ALL);
    caps.arrays = Some(ArrayCaps::new(Dtype::ALL));
    caps.chunked = ChunkSupport::No;
    caps
}

impl Format for Safetensors {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let len = head
            .head
            .first_chunk()
            .map(|len| ByteOrder::Little.read_u64(*len));
        let opens = head
            .head
            .get(8..10)
            .is_some_and(|start| start == b"{\"" || start == b"{}");
        match len {
            Some(2..=LONGEST) if opens => Score::Certain,
            _ if head.extension() == Some("safetensors") && !head.head.is_empty() => {
                Score::NameOnly
            }
            _ => Score::No,
        }
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        Ok(caps())
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        reader::open(source, request, env)
    }

    fn create(
        &self,
        output: Output,
        _: &Options,
        about: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        Ok(Box::new(TensorWriter::new(&output, caps(), about, env)?))
    }
}
