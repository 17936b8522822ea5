//! Steps of cepstral mean and variance normalisation.

use std::sync::Arc;

use spr_core::bytes::Location;
use spr_core::format::{Options, Request};
use spr_core::stage::{Cmvn, CmvnGroup, CmvnSums, CmvnTable};
use spr_core::{Error, ErrorKind, Result};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Extent, Reach, Stage, Surroundings};
use super::super::values::{Parameters, Values};

pub(super) static CMVN: Kind = Kind {
    name: "cmvn",
    aliases: &[],
    usage: "cmvn([utterance|speaker|global][,vars][,stats=FILE]), such as cmvn(speaker)",
    what: "features less the mean of their utterance, speaker or all, with vars also at variance 1; by statistics \
           in a file, else of all shards, for which what comes before is read twice",
    parameters: Parameters {
        positional: &["by"],
        named: &["stats"],
        words: &["vars"],
        files: &["stats"],
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
        let (by, variance, file) = (group(values)?, values.says("vars"), values.file("stats"));
        let sums_up = by != CmvnGroup::Utterance && file.is_none();
        let reach = if sums_up {
            Reach::Twice
        } else {
            Reach::Utterance
        };
        let of = match by {
            CmvnGroup::Utterance => "each utterance",
            CmvnGroup::Speaker => "each speaker",
            CmvnGroup::Global => "all utterances",
        };
        let variance_1 = if variance { " and variance 1" } else { "" };
        let source = values.text("stats").map(|file| format!(", by {file}"));
        let source = source.unwrap_or_default();
        let stage = Stage::new(reach, [], move |reader, at| {
            let table = match &file {
                Some(file) => Some(at.files.cmvn(file, by, || stored(file, by, at))?),
                None if sums_up => {
                    let mut all = at.again(Extent::All)?;
                    Some(Arc::new(CmvnTable::of(by, &mut *all, at.env.limits)?))
                }
                None => None,
            };
            Ok(Box::new(Cmvn::new(reader, table, variance, at.env)))
        });
        let stage = stage.described(format!("mean 0{variance_1} for {of}{source}"));
        stage
            .by((by == CmvnGroup::Speaker).then_some("speaker"))
            .parsed()
    },
};

pub(super) static CMVN_STATS: Kind = Kind {
    name: "cmvn-stats",
    usage: "cmvn-stats([utterance|speaker|global]), such as cmvn-stats(speaker)",
    what: "the statistics for cmvn in the place of the utterances, as compute-cmvn-stats makes them",
    parameters: Parameters::of(&["by"]),
    leaves_out: true,
    parse: |values| {
        let by = group(values)?;
        let reach = match by {
            CmvnGroup::Utterance => Reach::Utterance,
            CmvnGroup::Speaker | CmvnGroup::Global => Reach::Others,
        };
        // Joins by key come before it, as the step changes keys.
        let stage = Stage::new(reach, ["speaker", "text"], move |reader, at| {
            Ok(Box::new(CmvnSums::new(reader, by, at.env.limits)))
        });
        stage.parsed()
    },
    ..CMVN
};

fn group(values: &Values) -> Result<CmvnGroup> {
    let parse = |text: &str| text.parse().ok();
    let group = values.get("by", parse, "utterance, speaker or global")?;
    Ok(group.unwrap_or_default())
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
