//! Steps that change frames.

use std::sync::Arc;

use spr_core::Result;
use spr_core::format::{Partitioning, Reader};
use spr_core::model::Decimal;
use spr_core::stage::{Context, FrameShift, Ranges, SelectColumns, SelectFrames};

use super::super::kind::{DataOption, Kind, Level, Phase, Subject};
use super::super::operation::{Operation, Reach, Stage, Surroundings};
use super::super::option_values::OptionValues;
use super::super::parse::number;
use super::super::spec;
use super::super::values::{Parameters, Values};

pub(super) static FRAME_SHIFT: Kind = Kind {
    name: "frame-shift",
    aliases: &[],
    usage: "frame-shift(SECONDS)",
    what: "the time from frame to frame, where the data don't say it",
    parameters: Parameters::of(&["seconds"]),
    options: &[DataOption {
        key: "frame-shift",
        flag: Some("frame-shift"),
        expected: SHIFT,
        set: |asked, text| {
            asked.set("frame-shift", "seconds", text);
            Ok(shift(text).is_some())
        },
    }],
    flags: &[],
    phase: Phase::FrameShift,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| Ok(Arc::new(Shift(values.need("seconds", shift, SHIFT)?))),
};

const SHIFT: &str = "seconds, such as 0.01";

/// Parses a frame shift, which is above zero.
fn shift(text: &str) -> Option<Decimal> {
    Decimal::parse(text).filter(|shift| shift.value() > 0.0)
}

/// The frame shift of data that don't say it.
pub(in super::super) struct Shift(pub(in super::super) Decimal);

impl Operation for Shift {
    fn reach(&self) -> Reach {
        Reach::Chunk
    }

    fn columns(&self) -> &[&'static str] {
        &[]
    }

    fn over(&self, reader: Box<dyn Reader>, _: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        Ok(Box::new(FrameShift::new(reader, self.0)))
    }

    fn describe(&self, _: Partitioning) -> Option<String> {
        Some(format!("{} s from frame to frame", self.0))
    }
}

pub(super) static FRAMES: Kind = Kind {
    name: "frames",
    aliases: &[],
    usage: "frames(RANGES), such as frames(0:99)",
    what: "some frames of each utterance",
    parameters: Parameters {
        positional: &["ranges"],
        many: true,
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
        let ranges = ranges(values)?;
        let stage = Stage::new(Reach::Utterance, [], move |reader, at| {
            let stage = SelectFrames::new(reader, ranges.clone(), at.env.limits);
            Ok(Box::new(stage.telling(at.env)))
        });
        stage.parsed()
    },
};

pub(super) static COLUMNS: Kind = Kind {
    name: "columns",
    usage: "columns(RANGES), such as columns(0,3-12)",
    what: "some columns of the features",
    subject: Subject::Features,
    takes: Level::Batches,
    parse: |values| {
        let ranges = ranges(values)?;
        let stage = Stage::new(Reach::Utterance, [], move |reader, at| {
            let stage = SelectColumns::new(reader, ranges.clone(), at.env.limits);
            Ok(Box::new(stage.telling(at.env)))
        });
        stage.parsed()
    },
    ..FRAMES
};

/// Ranges of frames or columns.
fn ranges(values: &Values) -> Result<Ranges> {
    match values.list("ranges") {
        Some(text) => values.made("ranges", text.parse()),
        None => Err(values.refused("expected ranges")),
    }
}

pub(super) static CONTEXT: Kind = Kind {
    name: "context",
    aliases: &[],
    usage: "context(N) or context(LEFT,RIGHT)",
    what: "each frame with its neighbours",
    parameters: Parameters::of(&["left", "right"]),
    options: &[
        DataOption {
            key: "context",
            flag: Some("context"),
            expected: "frames on both sides, 5, or left and right, 5:1",
            set: |asked, text| {
                let Some((left, right)) = spec::context(text) else {
                    return Ok(false);
                };
                asked.set("context", "left", left.to_string());
                asked.set("context", "right", right.to_string());
                Ok(true)
            },
        },
        DataOption {
            key: "lcxt",
            flag: Some("lcxt"),
            expected: "a number of frames, such as 5",
            set: |asked, text| Ok(one_side(asked, "left", "right", text)),
        },
        DataOption {
            key: "rcxt",
            flag: Some("rcxt"),
            expected: "a number of frames, such as 5",
            set: |asked, text| Ok(one_side(asked, "right", "left", text)),
        },
    ],
    flags: &[],
    phase: Phase::Context,
    subject: Subject::Features,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let side = |text: &str| number(text).filter(|n| *n <= spec::MOST_CONTEXT);
        let left = values.need("left", side, SIDE)?;
        let right = values.get("right", side, SIDE)?.unwrap_or(left);
        let stage = Stage::new(Reach::Utterance, [], move |reader, at| {
            let stage = Context::new(reader, left, right, at.env.limits);
            Ok(Box::new(stage.telling(at.env)))
        });
        let stage = stage.idle_if((left, right) == (0, 0));
        let stage = stage.described(format!("{left} frames before and {right} after each"));
        stage.parsed()
    },
};

const SIDE: &str = "a number of frames, such as 5";

/// Sets one side of the context; the other is 0 unless it is set.
fn one_side(asked: &mut OptionValues, side: &'static str, other: &'static str, text: &str) -> bool {
    let Some(frames) = spec::frames(text) else {
        return false;
    };
    asked.set("context", side, frames.to_string());
    if asked.get("context", other).is_none() {
        asked.set("context", other, "0");
    }
    true
}
