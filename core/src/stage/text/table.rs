//! Every stage that can be written.

use std::sync::Arc;

use super::build::{
    COUNT, NUMBER, SIZE, batch, built, check, count, number, ranges, seed, select, size, sound,
};
use super::values::Values;
use crate::Result;
use crate::bytes::Env;
use crate::format::{Parts, Reader};
use crate::model::Decimal;
use crate::stage::{
    By, Context, FrameShift, LabelMap, LabelSet, Partition, PartitionSize, Prefetch, ReaderExt,
    SelectColumns, SelectFrames, Shuffle, SoundChoice, Unique,
};

/// A stage that can be written.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// How it is written, and what it does.
    pub(super) usage: &'static str,
    pub(super) what: &'static str,
    /// Values that may stand without a name, in this order; with `many` the last takes all the rest.
    pub(super) names: &'static [&'static str],
    pub(super) many: bool,
    /// Values that have to be named.
    pub(super) keys: &'static [&'static str],
    /// Words that stand for themselves.
    pub(super) flags: &'static [&'static str],
    /// What it can be given, at most.
    pub(super) takes: Level,
    /// What it makes of that, if that is something else.
    pub(super) gives: Option<Level>,
    pub(super) build: fn(&Values<'_>) -> Result<Built>,
}

/// How much is left of utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Utterances,
    /// Frames that are whole, but not utterances.
    Frames,
    Batches,
}

/// Where and when stages work.
pub(super) struct Surroundings<'a> {
    pub(super) env: &'a Env,
    pub(super) pass: u64,
}

/// Puts a stage over a reader.
pub(super) type Built =
    Arc<dyn Fn(Box<dyn Reader>, &Surroundings<'_>) -> Result<Box<dyn Reader>> + Send + Sync>;

impl Kind {
    /// The word of its own that `text` is.
    pub(super) fn flag(&self, text: &str) -> Option<&'static str> {
        self.flags.iter().copied().find(|flag| *flag == text)
    }
}

/// What most stages are.
const PLAIN: Kind = Kind {
    name: "",
    usage: "",
    what: "",
    names: &[],
    many: false,
    keys: &[],
    flags: &[],
    takes: Level::Utterances,
    gives: None,
    build: |_| built(|reader, _| Ok(reader)),
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "select",
        usage: "select(PATTERN), select(regex=REGEX) or select(keys=FILE)",
        what: "utterances whose keys are like a pattern, match, or are the first words of lines",
        names: &["pattern"],
        keys: &["regex", "keys"],
        build: |values| select(values, true),
        ..PLAIN
    },
    Kind {
        name: "without",
        usage: "without(PATTERN), without(regex=REGEX) or without(keys=FILE)",
        what: "all other utterances",
        names: &["pattern"],
        keys: &["regex", "keys"],
        build: |values| select(values, false),
        ..PLAIN
    },
    Kind {
        name: "first",
        usage: "first(N)",
        what: "the first N",
        names: &["n"],
        takes: Level::Batches,
        build: |values| {
            let n = values.need("n", number, NUMBER)?;
            built(move |reader, _| Ok(reader.first(n)))
        },
        ..PLAIN
    },
    Kind {
        name: "shard",
        usage: "shard(I,N)",
        what: "every N-th from the I-th on, counted from 0",
        names: &["i", "n"],
        takes: Level::Batches,
        build: |values| {
            let index: u64 = values.need("i", number, NUMBER)?;
            let count = values.need("n", number, NUMBER)?;
            if index >= count {
                return Err(values.refused("parts count from 0"));
            }
            built(move |reader, _| reader.shard(index, count))
        },
        ..PLAIN
    },
    Kind {
        name: "unique",
        usage: "unique or unique(first)",
        what: "one utterance a key: another is an error, or left out",
        flags: &["first"],
        build: |values| {
            let first = values.says("first");
            built(move |reader, _| {
                Ok(match first {
                    true => Box::new(Unique::first(reader)),
                    false => reader.unique(),
                })
            })
        },
        ..PLAIN
    },
    Kind {
        name: "sort",
        usage: "sort(key|frames[,memory=SIZE])",
        what: "in the order of keys or lengths, in 1g of memory if nothing is said",
        flags: &["key", "frames"],
        keys: &["memory"],
        build: |values| {
            let by = match (values.says("key"), values.says("frames")) {
                (true, true) => return Err(values.refused("expected one of key and frames")),
                (_, true) => By::Frames,
                _ => By::Key,
            };
            let memory = values.get("memory", size, SIZE)?.unwrap_or(1 << 30);
            built(move |reader, _| Ok(reader.sort(by, memory)))
        },
        ..PLAIN
    },
    Kind {
        name: "check",
        usage: "check, check(dim=N,dtype=TYPE,rank=vector|matrix,frames=N-N,labels=N,rate=N,channels=N)",
        what: "utterances of that shape, or of that of the first; others are errors",
        keys: &[
            "dim", "dtype", "rank", "frames", "labels", "rate", "channels",
        ],
        build: check,
        ..PLAIN
    },
    Kind {
        name: "parts",
        usage: "parts(features,labels,audio,segments,text,objects,arrays)",
        what: "some parts of each utterance",
        flags: &[
            "features", "labels", "audio", "segments", "text", "objects", "arrays",
        ],
        build: |values| {
            if values.is_empty() {
                return Err(values.refused("expected the parts to keep"));
            }
            let parts = Parts {
                features: values.says("features"),
                labels: values.says("labels"),
                audio: values.says("audio"),
                segments: values.says("segments"),
                text: values.says("text"),
                objects: values.says("objects"),
                arrays: values.says("arrays"),
            };
            built(move |reader, _| Ok(reader.parts(parts)))
        },
        ..PLAIN
    },
    Kind {
        name: "samples",
        usage: "samples",
        what: "sound as samples, loaded from where it is",
        build: |_| built(|reader, at| Ok(reader.samples(at.env))),
        ..PLAIN
    },
    Kind {
        name: "channel",
        usage: "channel(N) or channel(mix[,dither][,seed=N])",
        what: "one channel of sound, counted from 0, or the mean of all",
        names: &["channel"],
        keys: &["seed"],
        flags: &["dither"],
        build: |values| {
            let channels = values.need("channel", |text| Some(text.parse()), "a channel")?;
            sound(
                values,
                SoundChoice {
                    channels: Some(values.made("channel", channels)?),
                    ..SoundChoice::default()
                },
            )
        },
        ..PLAIN
    },
    Kind {
        name: "resample",
        usage: "resample(RATE[,dither][,seed=N])",
        what: "sound at so many samples a second",
        names: &["rate"],
        keys: &["seed"],
        flags: &["dither"],
        build: |values| {
            let mut choice = SoundChoice::default();
            let rate = values.need("rate", |text| Some(text.to_owned()), "a rate")?;
            values.made("rate", choice.set_rate(&rate))?;
            sound(values, choice)
        },
        ..PLAIN
    },
    Kind {
        name: "frame-shift",
        usage: "frame-shift(SECONDS)",
        what: "the time from frame to frame, where the data don't say it",
        names: &["seconds"],
        build: |values| {
            let seconds = |text: &str| Decimal::parse(text).filter(|shift| shift.value() > 0.0);
            let shift = values.need("seconds", seconds, "seconds, such as 0.01")?;
            built(move |reader, _| Ok(Box::new(FrameShift::new(reader, shift))))
        },
        ..PLAIN
    },
    Kind {
        name: "frames",
        usage: "frames(RANGES), such as frames(0:99)",
        what: "some frames of each utterance",
        names: &["ranges"],
        many: true,
        build: |values| {
            let ranges = ranges(values)?;
            built(move |reader, at| {
                let stage = SelectFrames::new(reader, ranges.clone(), at.env.limits);
                Ok(Box::new(stage.telling(at.env)))
            })
        },
        ..PLAIN
    },
    Kind {
        name: "columns",
        usage: "columns(RANGES), such as columns(0,3-12)",
        what: "some columns of the features",
        names: &["ranges"],
        many: true,
        takes: Level::Batches,
        build: |values| {
            let ranges = ranges(values)?;
            built(move |reader, at| {
                let stage = SelectColumns::new(reader, ranges.clone(), at.env.limits);
                Ok(Box::new(stage.telling(at.env)))
            })
        },
        ..PLAIN
    },
    Kind {
        name: "context",
        usage: "context(N) or context(LEFT,RIGHT)",
        what: "each frame with its neighbours",
        names: &["left", "right"],
        build: |values| {
            let side = |text: &str| number(text).filter(|n| *n <= 1 << 20);
            let left = values.need("left", side, "a number of frames, such as 5")?;
            let right = values.get("right", side, "a number of frames, such as 5")?;
            let right = right.unwrap_or(left);
            built(move |reader, at| {
                let stage = Context::new(reader, left, right, at.env.limits);
                Ok(Box::new(stage.telling(at.env)))
            })
        },
        ..PLAIN
    },
    Kind {
        name: "ignore-label",
        usage: "ignore-label(LABELS), such as ignore-label(0:3-9)",
        what: "without the frames that have these labels",
        names: &["labels"],
        takes: Level::Frames,
        build: |values| {
            let labels = values.need("labels", |text| Some(text.parse()), "labels")?;
            let labels: LabelSet = values.made("labels", labels)?;
            built(move |reader, at| Ok(reader.ignore_labels(labels.clone(), at.env)))
        },
        ..PLAIN
    },
    Kind {
        name: "map-label",
        usage: "map-label(FROM:TO/...), such as map-label(1:0/4-6:2)",
        what: "other labels for labels",
        names: &["labels"],
        takes: Level::Frames,
        build: |values| {
            let labels = values.need("labels", |text| Some(text.parse()), "labels")?;
            let labels: LabelMap = values.made("labels", labels)?;
            built(move |reader, _| Ok(reader.map_labels(labels.clone())))
        },
        ..PLAIN
    },
    Kind {
        name: "shuffle",
        usage: "shuffle(N[,seed=N])",
        what: "in random order, N at a time in memory",
        names: &["n"],
        keys: &["seed"],
        takes: Level::Batches,
        build: |values| {
            let n = values.need("n", count, COUNT)?;
            let rng = seed(values)?;
            built(move |reader, at| Ok(reader.shuffle(n, rng.of_pass(at.pass), at.env.limits)))
        },
        ..PLAIN
    },
    Kind {
        name: "shuffle-frames",
        usage: "shuffle-frames or shuffle-frames(SIZE[,seed=N])",
        what: "frames in random order, all of them or those of each partition of a size",
        names: &["size"],
        keys: &["seed"],
        takes: Level::Frames,
        gives: Some(Level::Frames),
        build: |values| {
            let size = values.get("size", size, SIZE)?.map(PartitionSize::of_bytes);
            let rng = seed(values)?;
            built(move |reader, at| {
                let rng = rng.of_pass(at.pass);
                Ok(Box::new(Shuffle::new(reader, size, rng, at.env.limits)))
            })
        },
        ..PLAIN
    },
    Kind {
        name: "partition",
        usage: "partition(SIZE), such as partition(600m)",
        what: "utterances cut where a partition is full",
        names: &["size"],
        takes: Level::Frames,
        gives: Some(Level::Frames),
        build: |values| {
            let size = PartitionSize::of_bytes(values.need("size", size, SIZE)?);
            built(move |reader, at| Ok(Box::new(Partition::new(reader, Some(size), at.env.limits))))
        },
        ..PLAIN
    },
    Kind {
        name: "batch",
        usage: "batch(FRAMES), or of whole utterances batch(utterances=N), batch(whole=FRAMES) or \
                batch(padded=FRAMES); pad, drop, across, buckets=N:N:N",
        what: "so many frames, or whole utterances, at a time",
        names: &["frames"],
        keys: &["utterances", "whole", "padded", "buckets"],
        flags: &["pad", "drop", "across"],
        takes: Level::Frames,
        gives: Some(Level::Batches),
        build: batch,
        ..PLAIN
    },
    Kind {
        name: "prefetch",
        usage: "prefetch or prefetch(N)",
        what: "reads ahead on a thread of its own, with N blocks that wait",
        names: &["n"],
        takes: Level::Batches,
        build: |values| {
            let expected = format!("a number from 1 to {}", Prefetch::MOST);
            let room = |text: &str| number(text).filter(|n| (1..=Prefetch::MOST).contains(n));
            let n = values.get("n", room, &expected)?.unwrap_or(1);
            built(move |reader, _| Ok(Box::new(Prefetch::waiting(reader, n))))
        },
        ..PLAIN
    },
];
