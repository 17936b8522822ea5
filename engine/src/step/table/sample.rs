//! The step that draws utterances at random.

use spr_stats::OrderColumns;

use super::super::kind::{Extent, Kind, Level, Phase, Subject};
use super::super::parse::{built, number};
use super::super::sample::{Amount, shares, utterances};
use super::super::values::Parameters;
use super::{always, as_written, never};

pub(super) static SAMPLE: Kind = Kind {
    name: "sample",
    aliases: &[],
    usage: "sample(N[,seed=N][,by=COLUMN]) or sample(10h), sample(30m), sample(90s)",
    what: "N, or so many hours, drawn at random, of each group its share, in their order; what comes before is read twice",
    parameters: Parameters {
        positional: &["n"],
        named: &["seed", "by"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &["sample", "by"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: always,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: |values, column| {
        let columns = values.text("by").map(OrderColumns::undirected);
        columns.is_some_and(|by| by.is_ok_and(|by| by.names().any(|name| name == column)))
    },
    reads_twice: always,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let expected = "a number of utterances, or a duration such as 10h, 30m or 90s";
        let amount = values.need("n", Amount::parse, expected)?;
        let seed = values.get("seed", number, "a number from 0 to 4294967295")?;
        let columns = values.text("by").map(OrderColumns::undirected);
        let columns = columns.map(|by| values.made("by", by)).transpose()?;
        let (seed, refused) = (seed.unwrap_or(0), values.clone());
        built(move |reader, at| {
            let again = at.again(&refused)?;
            match (amount, &columns) {
                (Amount::Utterances(n), None) => utterances(reader, again(Extent::Share)?, n, seed),
                _ => shares(
                    reader,
                    again(Extent::Share)?,
                    (amount, seed),
                    columns.as_ref(),
                    at.env,
                ),
            }
        })
    },
};
