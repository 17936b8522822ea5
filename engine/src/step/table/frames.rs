//! Steps that change frames and labels.

use spr_core::format::Partitioning;
use spr_core::model::Decimal;
use spr_core::number::random::Rng;
use spr_core::stage::{
    Context, FrameShift, LabelMap, LabelSet, Partition, PartitionSize, PickTier, ReaderExt,
    SelectColumns, SelectFrames, ShuffleFrames,
};
use spr_core::{Error, Result};

use super::super::kind::{Build, DataOption, Kind, Level, OptionValues, Phase, Subject};
use super::super::parse::{SIZE, built, number, parsed, ranges, seed, shift, size};
use super::super::spec;
use super::super::values::{Parameters, Values};
use super::{always, as_written, never, nothing};

/// Bytes in one of PDNN's partitions where nothing says otherwise.
const PARTITION_BYTES: u64 = 600 << 20;

const ONE_SIZE: Parameters = Parameters {
    positional: &["size"],
    ..Parameters::NONE
};

pub(super) static FRAME_SHIFT: Kind = Kind {
    name: "frame-shift",
    aliases: &[],
    usage: "frame-shift(SECONDS)",
    what: "the time from frame to frame, where the data don't say it",
    parameters: Parameters {
        positional: &["seconds"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[DataOption {
        key: "frame-shift",
        flag: Some("frame-shift"),
        expected: "seconds, such as 0.01",
        set: |asked, text| {
            let right = shift(text).is_some();
            asked.set("frame-shift", "seconds", text);
            Ok(right)
        },
    }],
    flags: &[],
    phase: Phase::FrameShift,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: false,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: |values, _| {
        let seconds = values.text("seconds").and_then(Decimal::parse);
        let seconds = seconds.map(|shift| shift.to_string()).unwrap_or_default();
        format!("{seconds} s from frame to frame")
    },
    build: |values| {
        let shift = values.need("seconds", shift, "seconds, such as 0.01")?;
        built(move |reader, _| Ok(Box::new(FrameShift::new(reader, shift))))
    },
};

pub(super) static TIER: Kind = Kind {
    name: "tier",
    aliases: &[],
    usage: "tier(NAME)",
    what: "one tier of segments",
    parameters: Parameters {
        positional: &["name"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[DataOption {
        key: "tier",
        flag: None,
        expected: "the name of a tier",
        set: |asked, text| {
            asked.set("tier", "name", text);
            Ok(true)
        },
    }],
    flags: &[],
    phase: Phase::Tier,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: |values, _| {
        format!(
            "the tier '{}' of segments",
            values.text("name").unwrap_or("")
        )
    },
    build: |values| {
        let name = values.need("name", |text| Some(text.to_owned()), "the name of a tier")?;
        built(move |reader, _| Ok(Box::new(PickTier::new(reader, name.as_str()))))
    },
};

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
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let ranges = ranges(values)?;
        built(move |reader, at| {
            let stage = SelectFrames::new(reader, ranges.clone(), at.env.limits);
            Ok(Box::new(stage.telling(at.env)))
        })
    },
};

pub(super) static COLUMNS: Kind = Kind {
    name: "columns",
    aliases: &[],
    usage: "columns(RANGES), such as columns(0,3-12)",
    what: "some columns of the features",
    parameters: Parameters {
        positional: &["ranges"],
        many: true,
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Features,
    takes: Level::Batches,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let ranges = ranges(values)?;
        built(move |reader, at| {
            let stage = SelectColumns::new(reader, ranges.clone(), at.env.limits);
            Ok(Box::new(stage.telling(at.env)))
        })
    },
};

/// Sets one side of the context; the other is 0 unless it is asked for.
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

pub(super) static CONTEXT: Kind = Kind {
    name: "context",
    aliases: &[],
    usage: "context(N) or context(LEFT,RIGHT)",
    what: "each frame with its neighbours",
    parameters: Parameters {
        positional: &["left", "right"],
        ..Parameters::NONE
    },
    reads: &[],
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
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: |values| sides(values).is_ok_and(|sides| sides == (0, 0)),
    describe: |values, _| match sides(values) {
        Ok((left, right)) => format!("{left} frames before and {right} after each"),
        Err(_) => values.to_string(),
    },
    build: |values| {
        let (left, right) = sides(values)?;
        built(move |reader, at| {
            let stage = Context::new(reader, left, right, at.env.limits);
            Ok(Box::new(stage.telling(at.env)))
        })
    },
};

/// The frames on both sides.
fn sides(values: &Values) -> Result<(usize, usize)> {
    let side = |text: &str| number(text).filter(|n| *n <= spec::MOST_CONTEXT);
    let left = values.need("left", side, "a number of frames, such as 5")?;
    let right = values.get("right", side, "a number of frames, such as 5")?;
    Ok((left, right.unwrap_or(left)))
}

/// A range of labels as it is read: `3-9`, or `3` alone.
fn told((first, last): (i64, i64)) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

pub(super) static IGNORE_LABEL: Kind = Kind {
    name: "ignore-label",
    aliases: &[],
    usage: "ignore-label(LABELS), such as ignore-label(0:3-9)",
    what: "without the frames that have these labels",
    parameters: Parameters {
        positional: &["labels"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[DataOption {
        key: "ignore-label",
        flag: Some("ignore-label"),
        expected: "labels and ascending ranges, such as 0:3-9",
        set: |asked, text| {
            asked.set("ignore-label", "labels", text);
            Ok(text.parse::<LabelSet>().is_ok())
        },
    }],
    flags: &[],
    phase: Phase::Ignore,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: |values, _| match parsed::<LabelSet>(values, "labels", "labels") {
        Ok(labels) => {
            let ranges: Vec<_> = labels.ranges().map(told).collect();
            format!("without frames labelled {}", ranges.join(", "))
        }
        Err(_) => values.to_string(),
    },
    build: |values| {
        let labels: LabelSet = parsed(values, "labels", "labels")?;
        built(move |reader, at| Ok(reader.ignore_labels(labels.clone(), at.env)))
    },
};

pub(super) static MAP_LABEL: Kind = Kind {
    name: "map-label",
    aliases: &[],
    usage: "map-label(FROM:TO/...), such as map-label(1:0/4-6:2)",
    what: "other labels for labels",
    parameters: Parameters {
        positional: &["labels"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[DataOption {
        key: "map-label",
        flag: Some("map-label"),
        expected: "FROM:TO with labels or ascending ranges, such as 1:0/4-6:2",
        set: |asked, text| {
            asked.set("map-label", "labels", text);
            Ok(text.parse::<LabelMap>().is_ok())
        },
    }],
    flags: &[],
    phase: Phase::Map,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: |values, _| match parsed::<LabelMap>(values, "labels", "labels") {
        Ok(map) => {
            let change = |(first, last, to)| format!("{} to {to}", told((first, last)));
            let changes: Vec<_> = map.ranges().map(change).collect();
            format!("labels {}", changes.join(", "))
        }
        Err(_) => values.to_string(),
    },
    build: |values| {
        let labels: LabelMap = parsed(values, "labels", "labels")?;
        built(move |reader, _| Ok(reader.map_labels(labels.clone())))
    },
};

pub(super) static SHUFFLE_FRAMES: Kind = Kind {
    name: "shuffle-frames",
    aliases: &[],
    usage: "shuffle-frames or shuffle-frames(SIZE[,seed=N])",
    what: "frames in random order, all of them or those of each partition of a size",
    parameters: Parameters {
        positional: &["size"],
        many: false,
        named: &["seed"],
        words: &["pdnn", "stream"],
    },
    reads: &[],
    options: &[DataOption {
        key: "random",
        flag: Some("shuffle"),
        expected: "True or False",
        set: |asked, text| {
            match spec::truth(text) {
                Some(true) => asked.set("shuffle-frames", "pdnn", "pdnn"),
                Some(false) => asked.clear("shuffle-frames", "pdnn"),
                None => return Ok(false),
            }
            Ok(true)
        },
    }],
    flags: &[],
    phase: Phase::Shuffle,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: Some(Level::Frames),
    across: always,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: |values, partitioning| {
        if !values.says("pdnn") {
            return values.to_string();
        }
        let extent = match shuffles_whole(values, partitioning) {
            true => "as a whole".to_owned(),
            false => format!("in {}", partitions(values, partitioning)),
        };
        let seed = seed(values).unwrap_or(Rng::Pdnn).seed();
        format!("shuffled {extent}, seed {seed}")
    },
    build: |values| {
        let size = values.get("size", size, SIZE)?.map(PartitionSize::of_bytes);
        let (rng, values) = (seed(values)?, values.clone());
        built(move |reader, at| {
            let size = match values.says("pdnn") {
                true => {
                    let whole = shuffles_whole(&values, at.partitioning);
                    pdnn_size(&values, at.partitioning).filter(|_| !whole)
                }
                false => size,
            };
            let rng = rng.of_pass(at.pass);
            Ok(Box::new(ShuffleFrames::new(
                reader,
                size,
                rng,
                at.env.limits,
            )))
        })
    },
};

pub(super) static PARTITION: Kind = Kind {
    name: "partition",
    aliases: &[],
    usage: "partition(SIZE), such as partition(600m)",
    what: "utterances cut where a partition is full",
    parameters: Parameters {
        words: &["pdnn"],
        ..ONE_SIZE
    },
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Partition,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: Some(Level::Frames),
    across: always,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: |values, partitioning| match (values.says("pdnn"), partitioning) {
        (false, _) => values.to_string(),
        (true, Partitioning::Whole) => "one partition a file".to_owned(),
        (true, _) => format!("cut into {}", partitions(values, partitioning)),
    },
    build: partition,
};

fn partition(values: &Values) -> Result<Build> {
    if values.says("pdnn") {
        let values = values.clone();
        return built(move |reader, at| {
            let size = pdnn_size(&values, at.partitioning);
            Ok(Box::new(Partition::new(reader, size, at.env.limits)))
        });
    }
    let size = PartitionSize::of_bytes(values.need("size", size, SIZE)?);
    built(move |reader, at| Ok(Box::new(Partition::new(reader, Some(size), at.env.limits))))
}

/// Bytes in a partition.
fn bytes(values: &Values) -> u64 {
    values
        .text("size")
        .and_then(size)
        .unwrap_or(PARTITION_BYTES)
}

/// The size of PDNN's partitions; `None` if all is one.
fn pdnn_size(values: &Values, partitioning: Partitioning) -> Option<PartitionSize> {
    let size = PartitionSize::of_bytes(bytes(values));
    match partitioning {
        Partitioning::Whole => None,
        Partitioning::Batches(frames) => Some(size.in_batches(frames)),
        Partitioning::Partitions => Some(size),
    }
}

/// Returns `true` if all frames of a file are shuffled together, as PDNN does with a pickle, and
/// with a PFile that is not streamed.
fn shuffles_whole(values: &Values, partitioning: Partitioning) -> bool {
    match partitioning {
        Partitioning::Whole => true,
        Partitioning::Batches(_) => !values.says("stream"),
        Partitioning::Partitions => false,
    }
}

/// Describes PDNN's partitions.
fn partitions(values: &Values, partitioning: Partitioning) -> String {
    let rounded = match partitioning {
        Partitioning::Batches(frames) => format!(" of whole {frames}s of frames"),
        Partitioning::Partitions | Partitioning::Whole => String::new(),
    };
    let bytes = match bytes(values) {
        bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes => format!("{} KiB", bytes >> 10),
    };
    format!("partitions of {bytes}{rounded}")
}

/// A warning that `stream` asks for what does not happen to data that PDNN goes through by
/// `partitioning`.
pub(crate) fn stream_ignored(stream: bool, partitioning: Partitioning) -> Option<Error> {
    let (asked, always) = match (stream, partitioning) {
        (true, Partitioning::Whole) => ("stream=True", "taken as a whole"),
        (false, Partitioning::Partitions) => ("stream=False", "taken partition by partition"),
        _ => return None,
    };
    Some(Error::unfit(format!(
        "{asked} does nothing here: such data are always {always}, as PDNN does it"
    )))
}
