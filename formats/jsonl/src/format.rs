//! The registration of the format.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, LabelCaps,
    Medium, Objects, OpenedDataset, OptionSpec, Options, Probe, Request, Score, SegmentCaps, Tags,
    Writer,
};
use spr_core::model::{About, Dtype, SourceField};
use spr_syntax::json;

use crate::reader::JsonlReader;
use crate::writer::JsonlWriter;

/// The canonical text form: one JSON object a line.
pub struct Jsonl;

/// The format, for registries.
pub static FORMAT: Jsonl = Jsonl;

const LABELS: &[Dtype] = &[
    Dtype::I32,
    Dtype::I64,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::U16,
    Dtype::U32,
    Dtype::U64,
    Dtype::F32,
    Dtype::F64,
    Dtype::F16,
    Dtype::Bf16,
    Dtype::Bool,
];

/// All capabilities.
pub(crate) const CAPS: Caps = {
    let mut features = FeatureCaps::new(Dtype::ALL);
    (features.vectors, features.scalars) = (true, true);
    let mut audio = AudioCaps::samples(Dtype::ALL);
    audio.encoded = &["wav", "flac", "mp3", "ogg", "sphere", "au"];
    audio.references = true;
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(LABELS));
    caps.objects = Objects::All;
    caps.audio = audio;
    caps.segments = Some(SegmentCaps::ALL);
    caps.text = true;
    caps.arrays = Some(ArrayCaps::new(Dtype::ALL));
    caps.empty = Empty::Kept;
    (caps.frame_shift, caps.frame_offset) = (true, true);
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps.columnless = true;
    caps
};

const SCHEMA: OptionSpec = OptionSpec {
    name: "schema",
    value: "true|false",
    help: "each line starts with the version of its JSON Schema (reading: whatever the lines have)",
};

static INFO: FormatInfo = FormatInfo::new(
    "jsonl",
    "canonical text form, one JSON object per line",
    &["jsonl"],
)
.options(&[SCHEMA]);

impl Format for Jsonl {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = json::start(head.head).unwrap_or_default();
        if text.starts_with(b"{") && json::names(text, "key") {
            Score::Certain
        } else if head.extension() == Some("jsonl") {
            Score::NameOnly
        } else {
            Score::No
        }
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        options.flag(SCHEMA.name)?;
        Ok(CAPS)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        options.flag(SCHEMA.name)?;
        let reader = JsonlReader::new(source, request, env)?;
        Ok(OpenedDataset::stream(reader))
    }

    fn can_cut(&self, _: Source, _: &Options, _: &Env) -> Result<bool> {
        Ok(true)
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let with_schema = options.flag(SCHEMA.name)?;
        Ok(Box::new(JsonlWriter::new(&output, CAPS, with_schema)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(head: &[u8]) -> Score {
        FORMAT.probe(&Probe {
            head,
            whole: true,
            len: None,
            path: None,
        })
    }

    #[test]
    fn is_known_by_its_key() {
        assert_eq!(score(b" \n{\"key\":\"a\""), Score::Certain);
        assert_eq!(score(b"{\"features\":null, \"key\":\"a\""), Score::Certain);
        for other in [&b"{}"[..], b"[\"key\"]", b"\"key\"", b"utt 1 2 3", b""] {
            assert_eq!(score(other), Score::No, "{other:?}");
        }
        let path = Some(std::path::Path::new("a.jsonl"));
        let empty = Probe {
            head: b"",
            whole: true,
            len: Some(0),
            path,
        };
        assert_eq!(FORMAT.probe(&empty), Score::NameOnly);
    }
}
