//! What the format is called, holds and looks like.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, LabelCaps, Lookup, Objects, Options,
    Place, Probe, Reader, Score, Tags, Writer,
};
use spr_core::model::Dtype;

use crate::reader::JsonlReader;
use crate::writer::JsonlWriter;

/// The canonical text form: one JSON object a line.
pub struct Jsonl;

/// The format, for registries.
pub static FORMAT: Jsonl = Jsonl;

const LABEL_DTYPES: &[Dtype] = &[
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
];

impl Format for Jsonl {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "jsonl",
            title: "canonical text form, one JSON object a line",
            extensions: &["jsonl"],
            options: &[],
        }
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = head.head.trim_ascii_start();
        let names_key = || text.windows(5).any(|word| word == b"\"key\"");
        if text.starts_with(b"{") && names_key() {
            Score::Certain
        } else if head.extension() == Some("jsonl") {
            Score::NameOnly
        } else {
            Score::No
        }
    }

    fn caps(&self, _: &Options, _: Place) -> Result<Caps> {
        Ok(Caps {
            count: Count::Many,
            keys: Keys::Any,
            boundaries: true,
            features: Some(FeatureCaps {
                dtypes: Dtype::ALL,
                vectors: true,
                scalars: true,
                same_dim: false,
                same_dtype: false,
                max_cols: u64::MAX,
            }),
            labels: Some(LabelCaps {
                dtypes: LABEL_DTYPES,
                max_columns: u64::MAX,
                with_features: true,
                alone: true,
                same_columns: false,
            }),
            empty: Empty::Kept,
            frame_times: true,
            objects: Objects::All,
            audio: Dtype::ALL,
            segments: true,
            text: true,
            tags: Tags::Any,
            max_rows: u64::MAX,
        })
    }

    fn open(&self, source: Source, _: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        Ok(Box::new(JsonlReader::new(source, env.limits)))
    }

    fn salvage(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        self.open(source, options, env)
    }

    fn open_keyed(&self, source: Source, options: &Options, env: &Env) -> Result<Lookup> {
        Ok(Lookup::Ordered(self.open(source, options, env)?))
    }

    fn create(&self, output: Output, _: &Options, _: &Env) -> Result<Box<dyn Writer>> {
        Ok(Box::new(JsonlWriter::new(&output)?))
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
