//! Steps that cut recordings by their segments, and join the parts of recordings.

use std::sync::Arc;

use spr_core::format::{Partitioning, Reader};
use spr_core::model::Decimal;
use spr_core::stage::{Cut, CutBy, CutRules, JoinPieces, KeyPattern};
use spr_core::{Error, Remedy, Result};

use super::super::kind::{DataOption, Kind, Level, Phase, Subject};
use super::super::operation::{Operation, Reach, Stage, Surroundings};
use super::super::option_values::OptionValues;
use super::super::values::{Parameters, Values};

const BY: &str = "segments, text, speaker or the name of a tier";
const SECONDS: &str = "seconds, such as 0.3";

pub(super) static CUT: Kind = Kind {
    name: "cut",
    aliases: &[],
    usage: "cut(segments|text|speaker|TIER[,key='{recording}-{n:05}'][,drop='LABEL,...'][,gap=SECONDS][,pad=SECONDS])",
    what: "an utterance for each segment, with its sound, frames, text and speaker",
    parameters: Parameters {
        positional: &["by"],
        named: &["key", "drop", "gap", "pad"],
        ..Parameters::NONE
    },
    options: &[
        option("cut-by", BY, |asked, text| {
            asked.set("cut", "by", text);
            Ok(true)
        }),
        DataOption {
            key: "cut-key",
            flag: Some("key"),
            expected: "a pattern such as {recording}-{n:05}",
            set: |asked, text| {
                KeyPattern::parse(text).map_err(|e| e.context("key"))?;
                asked.set("cut", "key", text);
                Ok(true)
            },
        },
        option("drop-labels", "labels, such as sil,sp", |asked, text| {
            asked.set("cut", "drop", text);
            Ok(true)
        }),
        option("gap", SECONDS, |asked, text| {
            asked.set("cut", "gap", text);
            Ok(seconds(text).is_some())
        }),
        option("pad", SECONDS, |asked, text| {
            asked.set("cut", "pad", text);
            Ok(seconds(text).is_some())
        }),
    ],
    flags: &[],
    phase: Phase::Cut,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| Ok(Arc::new(cutting(values)?)),
};

pub(super) static JOIN: Kind = Kind {
    name: "join",
    aliases: &[],
    usage: "join(recording)",
    what: "one utterance of those that are parts of one recording",
    parameters: Parameters::of(&["by"]),
    options: &[option("join-by", "recording", |asked, text| {
        asked.set("join", "by", text);
        Ok(text == RECORDING)
    })],
    flags: &[],
    phase: Phase::Join,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| {
        values.need("by", |text| (text == RECORDING).then_some(()), RECORDING)?;
        let stage = Stage::new(Reach::Others, [], |reader, at| {
            Ok(Box::new(JoinPieces::new(reader, at.env)))
        });
        stage
            .described("the parts of each recording as one utterance")
            .parsed()
    },
};

/// The one property that utterances are joined by.
const RECORDING: &str = "recording";

/// A data option whose flag has its name.
const fn option(
    key: &'static str,
    expected: &'static str,
    set: fn(&mut OptionValues, &str) -> Result<bool>,
) -> DataOption {
    DataOption {
        key,
        flag: Some(key),
        expected,
        set,
    }
}

/// Parses a duration that is not negative.
fn seconds(text: &str) -> Option<Decimal> {
    Decimal::parse(text).filter(|seconds| !seconds.is_negative())
}

/// The rules that values ask for.
fn cutting(values: &Values) -> Result<Cutting> {
    let Some(by) = values.text("by") else {
        let names = ["segments", "text", "speaker"].map(str::to_owned);
        return Err(match values.is_empty() {
            true => values.refused(&format!("expected {BY}")),
            false => Error::usage("nothing says what utterances are cut by")
                .suggest(Remedy::CutByTier(names.into())),
        });
    };
    let mut rules = CutRules::new(CutBy::from(by));
    if let Some(pattern) = values.text("key") {
        rules.keys = values.made("key", KeyPattern::parse(pattern))?;
    }
    let dropped = values
        .text("drop")
        .into_iter()
        .flat_map(|text| text.split(','));
    rules.dropped = dropped.map(|label| label.as_bytes().into()).collect();
    rules.gap = values.get("gap", seconds, SECONDS)?;
    rules.pad = values.get("pad", seconds, SECONDS)?.unwrap_or_default();
    Ok(Cutting {
        rules,
        description: format!("an utterance for each segment, cut by {by}"),
    })
}

/// The cutting of utterances by their segments.
struct Cutting {
    rules: CutRules,
    description: String,
}

impl Operation for Cutting {
    fn reach(&self) -> Reach {
        Reach::Utterance
    }

    fn columns(&self) -> &[&'static str] {
        &[]
    }

    fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Cut::new(reader, self.rules.clone(), at.env)))
    }

    fn describe(&self, _: Partitioning) -> Option<String> {
        Some(self.description.clone())
    }
}
