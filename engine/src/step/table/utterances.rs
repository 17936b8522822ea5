//! Steps that order, check, rename, join and pass on utterances.

use spr_core::format::FieldSet;
use spr_core::stage::{KeyChange, Prefetch, ReaderExt, Rename, SpeakerPattern, SpeakersByName};
use spr_core::{KeyMap, Result};

use super::super::kind::{DataOption, Kind, Level, Phase, Subject, Surroundings};
use super::super::names::Names;
use super::super::parse::{COUNT, SIZE, batching, built, count, number, seed, shape, size};
use super::super::sorted::sorted;
use super::super::values::{Parameters, Values};
use super::{always, as_written, never, nothing};

pub(super) static SORT: Kind = Kind {
    name: "sort",
    aliases: &[],
    usage: "sort(COLUMN,...[,memory=SIZE]), such as sort(speaker,-seconds)",
    what: "in the order of columns of `ls`, else of keys; - from high to low; in 128m of memory if nothing is said",
    parameters: Parameters {
        positional: &["column"],
        many: true,
        named: &["memory"],
        words: &[],
    },
    reads: &[],
    options: &[],
    flags: &["by", "memory"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: always,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: in_order_of,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let columns = match values.list("column") {
            Some(text) => values.made("column", text.parse())?,
            None => "key".parse()?,
        };
        let memory = values.get("memory", size, SIZE)?.unwrap_or(128 << 20);
        built(move |reader, at| Ok(sorted(reader, &columns, memory, at.env)))
    },
};

/// Whether a column is one that utterances are sorted by.
fn in_order_of(values: &Values, column: &str) -> bool {
    let mut columns = values.all("column").flat_map(|text| text.split(','));
    columns.any(|name| name.trim().trim_start_matches('-') == column)
}

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
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    // Without a shape that of the first utterance counts for all.
    across: Values::is_empty,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let shape = shape(values)?;
        built(move |reader, _| Ok(reader.check(shape)))
    },
};

pub(super) static PARTS: Kind = Kind {
    name: "parts",
    aliases: &[],
    usage: "parts(features,labels,audio,segments,text,objects,arrays)",
    what: "some parts of each utterance",
    parameters: Parameters {
        words: &[
            "features", "labels", "audio", "segments", "text", "objects", "arrays",
        ],
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
        built(move |reader, _| Ok(reader.parts(parts)))
    },
};

pub(super) static SPEAKER: Kind = Kind {
    name: "speaker",
    aliases: &[],
    usage: "speaker('{speaker}/{name}')",
    what: "the speaker that stands in the name, which must be like the pattern",
    parameters: Parameters {
        positional: &["pattern"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[DataOption {
        key: "speaker-from",
        flag: Some("speaker-from"),
        expected: "a pattern such as {speaker}/{name}",
        set: |asked, text| {
            SpeakerPattern::parse(text).map_err(|e| e.context("speaker-from"))?;
            asked.set("speaker", "pattern", text);
            Ok(true)
        },
    }],
    flags: &[],
    phase: Phase::Speaker,
    subject: Subject::Utterances,
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
        let text = values.text("pattern").unwrap_or_default();
        let pattern = values.made("pattern", SpeakerPattern::parse(text))?;
        built(move |reader, _| Ok(Box::new(SpeakersByName::new(reader, pattern.clone()))))
    },
};

pub(super) static RENAME: Kind = Kind {
    name: "rename",
    aliases: &[],
    usage: "rename('s/REGEX/TEXT/',...), rename(old=KEY,new=KEY,...), rename(map=FILE), rename(prefix=TEXT) or \
            rename(suffix=TEXT)",
    what: "other names: those given one by one and those of a file first, then changed, then with what goes around them",
    parameters: Parameters {
        positional: &["change"],
        many: true,
        named: &["old", "new", "map", "prefix", "suffix"],
        words: &[],
    },
    reads: &["map"],
    options: &[],
    flags: &["rename", "map-keys", "prefix", "suffix"],
    phase: Phase::Names,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: Values::is_empty,
    describe: as_written,
    build: rename,
};

fn rename(values: &Values) -> Result<super::super::kind::Build> {
    let map = values.text("map").map(spr_core::bytes::Locator::file);
    let mut changes = Vec::new();
    let (old, new) = (values.all("old"), values.all("new"));
    if old.clone().count() != new.clone().count() {
        return Err(values.refused("expected a new key for each old one"));
    }
    let names = values.made("new", Names::new(old.zip(new)))?;
    for text in values.all("change") {
        changes.push(values.made("change", KeyChange::sed(text))?);
    }
    let bytes = |text: &str| text.as_bytes().to_vec();
    changes.extend(values.text("prefix").map(bytes).map(KeyChange::Prefix));
    changes.extend(values.text("suffix").map(bytes).map(KeyChange::Suffix));
    built(move |reader, at: &Surroundings<'_>| {
        let mut all = Vec::new();
        let reader = names.over(reader);
        if let Some(file) = &map {
            let table = at.files.map(file, || KeyMap::open(file, at.env))?;
            all.push(KeyChange::Map(KeyMap::clone(&table)));
        }
        all.extend(changes.iter().cloned());
        Ok(Box::new(Rename::new(reader, all)))
    })
}

pub(super) static SHUFFLE: Kind = Kind {
    name: "shuffle",
    aliases: &[],
    usage: "shuffle(N[,seed=N]) or shuffle",
    what: "in random order, N at a time in memory, or all that fit",
    parameters: Parameters {
        positional: &["n"],
        named: &["seed"],
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
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let n = values.get("n", count, COUNT)?.unwrap_or(usize::MAX);
        let rng = seed(values)?;
        built(move |reader, at| {
            Ok(reader.shuffle_utterances(n, rng.of_pass(at.pass), at.env.limits))
        })
    },
};

pub(super) static BATCH: Kind = Kind {
    name: "batch",
    aliases: &[],
    usage: "batch(FRAMES), or of whole utterances batch(utterances=N), batch(whole=FRAMES) or \
            batch(padded=FRAMES); pad, drop, across, buckets=N:N:N",
    what: "so many frames, or whole utterances, at a time",
    parameters: Parameters {
        positional: &["frames"],
        many: false,
        named: &["utterances", "whole", "padded", "buckets"],
        words: &["pad", "drop", "across"],
    },
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: Some(Level::Batches),
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
        let batching = batching(values)?;
        built(move |reader, at| reader.batch(batching.clone(), at.env.limits))
    },
};

pub(super) static PREFETCH: Kind = Kind {
    name: "prefetch",
    aliases: &[],
    usage: "prefetch or prefetch(N)",
    what: "reads ahead on a thread of its own, with N blocks that wait",
    parameters: Parameters {
        positional: &["n"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Batches,
    gives: None,
    across: never,
    needs_whole: false,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let expected = format!("a number from 1 to {}", Prefetch::MOST);
        let room = |text: &str| number(text).filter(|n| (1..=Prefetch::MOST).contains(n));
        let n = values.get("n", room, &expected)?.unwrap_or(1);
        built(move |reader, _| Ok(Box::new(Prefetch::waiting(reader, n))))
    },
};
