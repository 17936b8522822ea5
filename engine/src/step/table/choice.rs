//! Steps that choose utterances.

use std::collections::HashSet;
use std::sync::Arc;

use spr_core::bytes::Location;
use spr_core::format::Subset;
use spr_core::model::{Key, Utterance};
use spr_core::stage::{Filter, KeyFilter, ReaderExt, Shard, Unique};

use super::super::choose::{SelectionRules, frames, hours, of_speakers, per_speaker};
use super::super::kind::{Extent, Kind, Level, Phase, Subject};
use super::super::parse::{NUMBER, built, number, range};
use super::super::values::Parameters;
use super::{always, as_written, never, nothing};

const KEYS: Parameters = Parameters {
    positional: &["pattern"],
    many: true,
    named: &["key", "regex", "keys"],
    words: &[],
};

const N: Parameters = Parameters {
    positional: &["n"],
    ..Parameters::NONE
};

pub(super) static SELECT: Kind = Kind {
    name: "select",
    aliases: &[],
    usage: "select(PATTERN,...), select(key=KEY,...), select(regex=REGEX) or select(keys=FILE)",
    what: "utterances whose keys are like a pattern, match, or stand in a list",
    parameters: KEYS,
    reads: &["keys"],
    options: &[],
    flags: &["keys", "glob", "regex"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: true,
    by_keys: Some(true),
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let wanted = SelectionRules::of(values)?;
        built(move |reader, at| wanted.over(reader, true, at))
    },
};

pub(super) static WITHOUT: Kind = Kind {
    name: "without",
    aliases: &[],
    usage: "without(PATTERN,...), without(key=KEY,...), without(regex=REGEX) or without(keys=FILE)",
    what: "all other utterances",
    parameters: KEYS,
    reads: &["keys"],
    options: &[],
    flags: &["exclude-keys"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: true,
    by_keys: Some(false),
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let wanted = SelectionRules::of(values)?;
        built(move |reader, at| wanted.over(reader, false, at))
    },
};

pub(super) static LENGTH: Kind = Kind {
    name: "length",
    aliases: &[],
    usage: "length(N-N), length(N-) or length(N)",
    what: "utterances of so many frames",
    parameters: Parameters {
        positional: &["frames"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &["min-frames", "max-frames"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let range = values.need("frames", range, "frames, such as 100, 1-2000 or 10-")?;
        built(move |reader, _| {
            let fits = move |utt: &Utterance| Ok((range.0..=range.1).contains(&frames(utt)?));
            Ok(Box::new(Filter::new(reader, fits)))
        })
    },
};

pub(super) static SPEAKERS: Kind = Kind {
    name: "speakers",
    aliases: &[],
    usage: "speakers(NAME,...) or speakers(file=FILE)",
    what: "utterances of these speakers",
    parameters: Parameters {
        positional: &["name"],
        many: true,
        named: &["file"],
        words: &[],
    },
    reads: &["file"],
    options: &[],
    flags: &["speakers"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: |_, column| column == "speaker",
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let names: HashSet<_> = values.all("name").map(Key::from).collect();
        let file = values.text("file").map(Location::from);
        if names.is_empty() == file.is_none() {
            return Err(values.refused("expected names or a file of names"));
        }
        let names = Arc::new(names);
        built(move |reader, at| {
            let names = match &file {
                Some(file) => {
                    let read = || KeyFilter::keys(at.env.open_file(file)?, &at.env.limits);
                    at.files.keys(file, read)?
                }
                None => names.clone(),
            };
            Ok(of_speakers(reader, names, file.clone(), at.env))
        })
    },
};

pub(super) static PER_SPEAKER: Kind = Kind {
    name: "per-speaker",
    aliases: &[],
    usage: "per-speaker(N)",
    what: "the first N utterances of each speaker",
    parameters: N,
    reads: &[],
    options: &[],
    flags: &["per-speaker"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: always,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: |_, column| column == "speaker",
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let n = values.need("n", number, NUMBER)?;
        built(move |reader, at| Ok(per_speaker(reader, n, at.env)))
    },
};

pub(super) static HOURS: Kind = Kind {
    name: "hours",
    aliases: &[],
    usage: "hours(HOURS)",
    what: "the first utterances that add up to so many hours",
    parameters: N,
    reads: &[],
    options: &[],
    flags: &["hours"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: always,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let length = |text: &str| {
            text.parse()
                .ok()
                .filter(|n: &f64| *n > 0.0 && n.is_finite())
        };
        let length = values.need("n", length, "a duration in hours")?;
        built(move |reader, _| Ok(hours(reader, length)))
    },
};

pub(super) static FIRST: Kind = Kind {
    name: "first",
    aliases: &[],
    usage: "first(N)",
    what: "the first N",
    parameters: N,
    reads: &[],
    options: &[],
    flags: &["first"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Batches,
    gives: None,
    across: always,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let n = values.need("n", number, NUMBER)?;
        built(move |reader, _| Ok(reader.first(n)))
    },
};

pub(super) static SLICE: Kind = Kind {
    name: "slice",
    aliases: &[],
    usage: "slice(FIRST,END)",
    what: "those from FIRST to before END, counted from 0",
    parameters: Parameters {
        positional: &["first", "end"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Batches,
    gives: None,
    across: always,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let (first, end) = (
            values.need("first", number, NUMBER)?,
            values.need("end", number, NUMBER)?,
        );
        let run = Subset::Run { first, end };
        built(move |reader, _| Ok(Box::new(Shard::of(reader, run)?)))
    },
};

pub(super) static SHARD: Kind = Kind {
    name: "shard",
    aliases: &[],
    usage: "shard(I,N)",
    what: "every N-th from the I-th on, counted from 0",
    parameters: Parameters {
        positional: &["i", "n"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Batches,
    gives: None,
    across: always,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: true,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let index: u64 = values.need("i", number, NUMBER)?;
        let count = values.need("n", number, NUMBER)?;
        if index >= count {
            return Err(values.refused("parts count from 0"));
        }
        built(move |reader, _| reader.shard(index, count))
    },
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
    reads: &[],
    options: &[],
    flags: &["duplicates"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    // A key of two shards is an error where these are merged.
    across: |values| !values.is_empty(),
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: |values| values.says("last"),
    is_idle: never,
    describe: as_written,
    build: |values| {
        let (first, last) = (values.says("first"), values.says("last"));
        if first && last {
            return Err(values.refused("expected one of first and last"));
        }
        let refused = values.clone();
        built(move |reader, at| {
            if first {
                return Ok(Box::new(Unique::first(reader)));
            }
            if !last {
                return Ok(reader.unique());
            }
            let again = at.again(&refused)?;
            Ok(Box::new(Unique::last(reader, again(Extent::Share)?)?))
        })
    },
};
