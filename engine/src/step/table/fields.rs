//! Steps about the shape and the fields of each utterance.

use spr_core::Result;
use spr_core::format::FieldSet;
use spr_core::model::{Dtype, Rank};
use spr_core::stage::{ReaderExt, UtteranceShape};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Reach, Stage};
use super::super::parse::{FRAMES, NUMBER, number, range};
use super::super::values::{Parameters, Values};

pub(super) static CHECK: Kind = Kind {
    name: "check",
    aliases: &[],
    usage: "check, check(dim=N,dtype=TYPE,rank=vector|matrix,frames=N-N,labels=N,rate=N,channels=N)",
    what: "utterances of that shape, or of that of the first; others are errors",
    parameters: Parameters {
        named: &[
            "dim", "dtype", "rank", "frames", "labels", "rate", "channels",
        ],
        ..Parameters::NONE
    },
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let shape = shape(values)?;
        // Without a shape that of the first utterance counts for all.
        let reach = match shape {
            Some(_) => Reach::Utterance,
            None => Reach::Others,
        };
        let of_sound = ["rate", "channels"].into_iter();
        let columns = of_sound.filter(|name| values.says(name));
        let stage = Stage::new(reach, [], move |reader, _| Ok(reader.check(shape)));
        stage.by(columns).parsed()
    },
};

/// The shape that is declared; `None` for that of the first utterance.
fn shape(values: &Values) -> Result<Option<UtteranceShape>> {
    let rank = |text: &str| match text {
        "vector" => Some(Rank::Vector),
        "matrix" => Some(Rank::Matrix),
        _ => None,
    };
    let dtype = |text: &str| text.parse::<Dtype>().ok();
    let shape = UtteranceShape {
        dim: values.get("dim", number, NUMBER)?,
        dtype: values.get("dtype", dtype, "an element type, such as f32")?,
        rank: values.get("rank", rank, "vector or matrix")?,
        frames: values.get("frames", range, FRAMES)?,
        label_columns: values.get("labels", number, NUMBER)?,
        rate: values.get("rate", number, NUMBER)?,
        channels: values.get("channels", number, NUMBER)?,
    };
    Ok((!values.is_empty()).then_some(shape))
}

pub(super) static PARTS: Kind = Kind {
    name: "parts",
    usage: "parts(features,labels,audio,segments,text,objects,arrays)",
    what: "some parts of each utterance",
    parameters: Parameters {
        words: &[
            "features", "labels", "audio", "segments", "text", "objects", "arrays",
        ],
        ..Parameters::NONE
    },
    parse: |values| {
        if values.is_empty() {
            return Err(values.refused("expected the parts to keep"));
        }
        let parts = FieldSet {
            features: values.says("features"),
            labels: values.says("labels"),
            audio: values.says("audio"),
            segments: values.says("segments"),
            text: values.says("text"),
            objects: values.says("objects"),
            arrays: values.says("arrays"),
        };
        Stage::new(Reach::Utterance, [], move |reader, _| {
            Ok(reader.parts(parts))
        })
        .parsed()
    },
    ..CHECK
};
