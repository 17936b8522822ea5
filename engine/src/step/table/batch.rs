//! Steps that put frames or utterances into batches, and that read ahead.

use spr_core::Result;
use spr_core::stage::{Batching, Prefetch, ReaderExt};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Reach, Stage};
use super::super::parse::{COUNT, count, number};
use super::super::values::{Parameters, Values};

pub(super) static BATCH: Kind = Kind {
    name: "batch",
    aliases: &[],
    usage: "batch(FRAMES), or of whole utterances batch(utterances=N), batch(whole=FRAMES) or \
            batch(padded=FRAMES); pad, drop, across, buckets=N:N:N",
    what: "so many frames, or whole utterances, at a time",
    parameters: Parameters {
        positional: &["frames"],
        named: &["utterances", "whole", "padded", "buckets"],
        words: &["pad", "drop", "across"],
        ..Parameters::NONE
    },
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: Some(Level::Batches),
    leaves_out: true,
    parse: |values| {
        let batching = batching(values)?;
        let stage = Stage::new(Reach::Others, [], move |reader, at| {
            reader.batch(batching.clone(), at.env.limits)
        });
        stage.parsed()
    },
};

/// Creates batches of a size.
type OfSize = fn(usize) -> Batching;

/// The size and sort of batches.
fn batching(values: &Values) -> Result<Batching> {
    let sizes: [(&str, OfSize); 4] = [
        ("frames", Batching::frames),
        ("utterances", Batching::utterances),
        ("whole", Batching::whole_frames),
        ("padded", Batching::padded_frames),
    ];
    let mut batching = None;
    for (name, sized) in sizes {
        if let Some(n) = values.get(name, count, COUNT)?
            && batching.replace(sized(n)).is_some()
        {
            return Err(values.refused("expected one size"));
        }
    }
    let Some(mut batching) = batching else {
        return Err(values.refused("expected a size"));
    };
    if values.says("pad") {
        batching = batching.pad();
    }
    if values.says("drop") {
        batching = batching.drop_tail();
    }
    if values.says("across") {
        batching = batching.across_partitions();
    }
    let lengths = |text: &str| text.split(':').map(count).collect::<Option<Vec<_>>>();
    if let Some(lengths) = values.get("buckets", lengths, "lengths, such as 200:400:800")? {
        batching = batching.buckets(lengths);
    }
    values.made("buckets", batching.check())?;
    Ok(batching)
}

pub(super) static PREFETCH: Kind = Kind {
    name: "prefetch",
    aliases: &[],
    usage: "prefetch or prefetch(N)",
    what: "reads ahead on a thread of its own, with N blocks that wait",
    parameters: Parameters::of(&["n"]),
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Batches,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let expected = format!("a number from 1 to {}", Prefetch::MOST);
        let room = |text: &str| number(text).filter(|n| (1..=Prefetch::MOST).contains(n));
        let n = values.get("n", room, &expected)?.unwrap_or(1);
        let stage = Stage::new(Reach::Chunk, [], move |reader, _| {
            Ok(Box::new(Prefetch::waiting(reader, n)))
        });
        stage.parsed()
    },
};
