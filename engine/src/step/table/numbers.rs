//! Steps that choose utterances by their numbers, and by their lengths in frames.

use spr_core::format::Subset;
use spr_core::model::Utterance;
use spr_core::stage::{Filter, ReaderExt, Shard, Unique};
use spr_core::{Error, Result};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Extent, Reach, Stage};
use super::super::parse::{FRAMES, NUMBER, number, range};
use super::super::values::Parameters;

pub(super) static LENGTH: Kind = Kind {
    name: "length",
    aliases: &[],
    usage: "length(N-N), length(N-) or length(N)",
    what: "utterances of so many frames",
    parameters: Parameters::of(&["frames"]),
    options: &[],
    flags: &["min-frames", "max-frames"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| {
        let range = values.need("frames", range, FRAMES)?;
        let stage = Stage::new(Reach::Utterance, [], move |reader, _| {
            let fits = move |utt: &Utterance| Ok((range.0..=range.1).contains(&frames(utt)?));
            Ok(Box::new(Filter::new(reader, fits)))
        });
        stage.parsed()
    },
};

/// Returns the number of frames of an utterance.
///
/// # Errors
/// It has other data, such as sound, and no frames; the next utterance can be read.
fn frames(utt: &Utterance) -> Result<u64> {
    let has_frames = utt.features.is_some() || utt.labels.is_some();
    match (utt.frames(), utt.other().filter(|_| !has_frames)) {
        (0, Some(what)) => {
            let error = Error::unfit(format!("has {what}, but no frames that could be counted"));
            Err(error.utterance(&utt.key).continuable())
        }
        (frames, _) => Ok(frames),
    }
}

pub(super) static FIRST: Kind = Kind {
    name: "first",
    aliases: &[],
    usage: "first(N)",
    what: "the first N",
    parameters: Parameters::of(&["n"]),
    options: &[],
    flags: &["first"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Batches,
    gives: None,
    leaves_out: true,
    parse: |values| {
        let n = values.need("n", number, NUMBER)?;
        Stage::new(Reach::Others, [], move |reader, _| Ok(reader.first(n))).parsed()
    },
};

pub(super) static SLICE: Kind = Kind {
    name: "slice",
    usage: "slice(FIRST,END)",
    what: "those from FIRST to before END, counted from 0",
    parameters: Parameters::of(&["first", "end"]),
    flags: &[],
    parse: |values| {
        let first = values.need("first", number, NUMBER)?;
        let end = values.need("end", number, NUMBER)?;
        let run = Subset::Run { first, end };
        let stage = Stage::new(Reach::Others, [], move |reader, _| {
            Ok(Box::new(Shard::of(reader, run)?))
        });
        stage.parsed()
    },
    ..FIRST
};

pub(super) static SHARD: Kind = Kind {
    name: "shard",
    usage: "shard(I,N)",
    what: "every N-th from the I-th on, counted from 0",
    parameters: Parameters::of(&["i", "n"]),
    flags: &[],
    parse: |values| {
        let index: u64 = values.need("i", number, NUMBER)?;
        let count = values.need("n", number, NUMBER)?;
        if index >= count {
            return Err(values.refused("parts count from 0"));
        }
        Stage::new(Reach::Share, [], move |reader, _| {
            reader.shard(index, count)
        })
        .parsed()
    },
    ..FIRST
};

pub(super) static UNIQUE: Kind = Kind {
    name: "unique",
    aliases: &[],
    usage: "unique, unique(first) or unique(last)",
    what: "one utterance a key: another is an error, or left out",
    parameters: Parameters {
        words: &["first", "last"],
        ..Parameters::NONE
    },
    options: &[],
    flags: &["duplicates"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| match (values.says("first"), values.says("last")) {
        (true, true) => Err(values.refused("expected one of first and last")),
        // A key of two shards is an error where these are merged.
        (false, false) => {
            Stage::new(Reach::Utterance, [], |reader, _| Ok(reader.unique())).parsed()
        }
        (true, false) => {
            let stage = Stage::new(Reach::Others, [], |reader, _| {
                Ok(Box::new(Unique::first(reader)))
            });
            stage.parsed()
        }
        (false, true) => {
            let stage = Stage::new(Reach::Twice, [], |reader, at| {
                Ok(Box::new(Unique::last(reader, at.again(Extent::Share)?)?))
            });
            stage.parsed()
        }
    },
};
