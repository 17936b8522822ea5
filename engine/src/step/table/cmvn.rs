//! Steps of cepstral mean and variance normalisation.

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::Location;
use spr_core::format::{Options, Request};
use spr_core::stage::{Cmvn, CmvnGroup, CmvnSums, CmvnTable};
use spr_core::{Error, ErrorKind};

use super::super::kind::{Extent, Kind, Level, Phase, Subject, Surroundings};
use super::super::parse::built;
use super::super::values::{Parameters, Values};
use super::{as_written, never};

pub(super) static CMVN: Kind = Kind {
    name: "cmvn",
    aliases: &[],
    usage: "cmvn([utterance|speaker|global][,vars][,stats=FILE]), such as cmvn(speaker)",
    what: "features less the mean of their utterance, speaker or all, with vars also at variance 1; by statistics \
           in a file, else of all shards, for which what comes before is read twice",
    parameters: Parameters {
        positional: &["by"],
        many: false,
        named: &["stats"],
        words: &["vars"],
    },
    reads: &["stats"],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    across: sums_up,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: of_speakers,
    reads_twice: sums_up,
    is_idle: never,
    describe: |values, _| {
        let by = match group(values) {
            Ok(CmvnGroup::Utterance) | Err(_) => "each utterance",
            Ok(CmvnGroup::Speaker) => "each speaker",
            Ok(CmvnGroup::Global) => "all utterances",
        };
        let what = match values.says("vars") {
            true => "mean 0 and variance 1",
            false => "mean 0",
        };
        match values.text("stats") {
            Some(file) => format!("{what} for {by}, by {file}"),
            None => format!("{what} for {by}"),
        }
    },
    build: |values| {
        let (by, variance) = (group(values)?, values.says("vars"));
        let file = values.text("stats").map(Location::from);
        let values = values.clone();
        built(move |reader, at| {
            let table = match (&file, by) {
                (Some(file), _) => Some(at.files.cmvn(file, by, || stored(file, by, at))?),
                (None, CmvnGroup::Utterance) => None,
                (None, CmvnGroup::Speaker | CmvnGroup::Global) => {
                    let mut all = at.again(&values)?(Extent::All)?;
                    Some(Arc::new(CmvnTable::of(by, &mut *all, at.env.limits)?))
                }
            };
            Ok(Box::new(Cmvn::new(reader, table, variance, at.env)))
        })
    },
};

pub(super) static CMVN_STATS: Kind = Kind {
    name: "cmvn-stats",
    aliases: &[],
    usage: "cmvn-stats([utterance|speaker|global]), such as cmvn-stats(speaker)",
    what: "the statistics for cmvn in the place of the utterances, as compute-cmvn-stats makes them",
    parameters: Parameters {
        positional: &["by"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    across: sums_up,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    // What joins by key comes before it, as keys are others behind it.
    uses: |_, column| matches!(column, "speaker" | "text"),
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let by = group(values)?;
        built(move |reader, at| Ok(Box::new(CmvnSums::new(reader, by, at.env.limits))))
    },
};

fn group(values: &Values) -> Result<CmvnGroup> {
    let group = values.get(
        "by",
        |text| text.parse().ok(),
        "utterance, speaker or global",
    )?;
    Ok(group.unwrap_or_default())
}

/// Whether utterances are summed up, rather than each by itself or by what is known of them.
fn sums_up(values: &Values) -> bool {
    let alone = group(values).is_ok_and(|by| by == CmvnGroup::Utterance);
    !alone && values.text("stats").is_none()
}

/// Whether statistics are those of speakers.
fn of_speakers(values: &Values, column: &str) -> bool {
    column == "speaker" && group(values).is_ok_and(|by| by == CmvnGroup::Speaker)
}

/// Reads the statistics in a file of any format that has matrices by key.
fn stored(file: &Location, by: CmvnGroup, at: &Surroundings<'_>) -> Result<CmvnTable> {
    let Some(registry) = at.registry else {
        return Err(Error::unsupported("no formats are known here"));
    };
    let mut source = at.env.open_file(file)?;
    let format = registry.detect(&mut source)?;
    let opened = Request::all().open(format, source, &Options::default(), at.env)?;
    let table = CmvnTable::stored(by, &mut *opened.into_stream()?, at.env.limits);
    // What a reader says has a place; what is said of its matrices gets one.
    table.map_err(|error| match error.kind() {
        ErrorKind::Unfit if error.file_name().is_none() => error.file(file.to_string()),
        _ => error,
    })
}
