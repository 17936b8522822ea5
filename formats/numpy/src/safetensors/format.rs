//! Safetensors as a format.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, FeatureCaps, Format, FormatInfo, Keys, LabelCaps, Medium,
    Nested, Notation, Opened, Options, Portioned, Probe, Request, Score, WholeFolder, Writer,
};
use spr_core::model::Dtype;

use super::writer::TensorWriter;
use super::{LONGEST, reader};
use crate::caps::CAPS;
use crate::parts::LABELS;

/// Tensors by name.
pub static SAFETENSORS: Safetensors = Safetensors;

/// Files of Hugging Face's safetensors.
pub struct Safetensors;

static INFO: FormatInfo = FormatInfo::new("safetensors", "named tensors", &["safetensors"]);

const fn caps() -> Caps {
    let mut features = FeatureCaps::new(Dtype::ALL);
    (features.vectors, features.scalars) = (true, true);
    let mut caps = CAPS;
    (caps.count, caps.keys) = (Count::Many, Keys::Any);
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(LABELS));
    caps.audio = AudioCaps::samples(Dtype::ALL);
    caps.arrays = Some(ArrayCaps::new(Dtype::ALL));
    caps.portioned = Portioned::No;
    caps
}

impl Format for Safetensors {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let len = head.head.first_chunk().map(|len| u64::from_le_bytes(*len));
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
    ) -> Result<Opened> {
        reader::open(source, request, env)
    }

    fn create(&self, output: Output, _: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        Ok(Box::new(TensorWriter::new(&output, caps(), env)?))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    fn nested(&self) -> Option<&dyn Nested> {
        None
    }

    fn notation(&self) -> Option<&dyn Notation> {
        None
    }
}
