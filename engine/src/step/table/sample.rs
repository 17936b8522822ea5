//! The step that draws utterances at random: so many or so many hours, of all or of each group.

use spr_core::bytes::{Env, MemoryCounter};
use spr_core::format::Reader;
use spr_core::model::Utterance;
use spr_core::stage::Filter;
use spr_core::{Error, Result};
use spr_stats::{OrderColumns, Row};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Extent, Reach, Stage};
use super::super::parse::{SEED, number};
use super::super::values::Parameters;
use super::draw::{Amount, Draw, Pool};

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
    options: &[],
    flags: &["sample", "by"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| {
        let expected = "a number of utterances, or a duration such as 10h, 30m or 90s";
        let amount = values.need("n", Amount::parse, expected)?;
        let seed = values.get("seed", number, SEED)?.unwrap_or(0);
        let groups = values.text("by").map(OrderColumns::undirected);
        let groups = groups.map(|by| values.made("by", by)).transpose()?;
        let by_seconds = matches!(amount, Amount::Seconds(_)).then_some("seconds");
        let columns: Vec<_> = groups.iter().flat_map(OrderColumns::names).collect();
        let stage = Stage::new(Reach::Twice, [], move |reader, at| {
            let again = at.again(Extent::Share)?;
            match (amount, &groups) {
                (Amount::Utterances(n), None) => utterances(reader, again, n, seed),
                (_, groups) => shares(reader, again, (amount, seed), groups.as_ref(), at.env),
            }
        });
        stage.by(columns.into_iter().chain(by_seconds)).parsed()
    },
};

/// Calls `see` with each utterance that can be read.
///
/// # Errors
/// As of the reader, and of `see`.
fn each(mut reader: Box<dyn Reader>, mut see: impl FnMut(&Utterance) -> Result<()>) -> Result<()> {
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(true) => see(&utt)?,
            Ok(false) => return Ok(()),
            Err(error) if error.can_continue() => {}
            Err(error) => return Err(error),
        }
    }
}

/// `n` utterances drawn at random, all if there are fewer, in their order. `again` is the same reader
/// once more.
///
/// # Errors
/// It can't be read.
fn utterances(
    inner: Box<dyn Reader>,
    again: Box<dyn Reader>,
    n: u64,
    seed: u32,
) -> Result<Box<dyn Reader>> {
    let mut of = 0;
    each(again, |_| {
        of += 1;
        Ok(())
    })?;
    let mut draw = Draw::new(n, of, seed);
    Ok(Box::new(Filter::new(inner, move |_: &Utterance| {
        Ok(draw.next())
    })))
}

/// An amount drawn at random, in the order of the utterances: of each group with equal values in
/// columns its share. `again` is the same reader once more. Groups that get none, and data that are
/// less than the amount, are warned of in `env`.
///
/// # Errors
/// It can't be read, or has too many utterances for the limits.
fn shares(
    inner: Box<dyn Reader>,
    again: Box<dyn Reader>,
    (amount, seed): (Amount, u32),
    columns: Option<&OrderColumns>,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    let shift = inner.info().frame_shift;
    let by_seconds = matches!(amount, Amount::Seconds(_));
    let mut pool = Pool::new(columns);
    let mut held = MemoryCounter::new("utterances to draw from");
    each(again, |utt| {
        pool.add(&Row::new(utt, shift), by_seconds, &mut held, &env.limits)
    })?;
    let drawn = pool.draw(amount, seed, env);
    let mut drawn = drawn.into_iter();
    Ok(Box::new(Filter::new(inner, move |utt: &Utterance| {
        let drawn = drawn.next().ok_or_else(|| {
            Error::unfit("the input was changed while it was read").utterance(&utt.key)
        })?;
        if by_seconds {
            let duration = Row::new(utt, shift).duration();
            duration.map_err(Error::continuable)?;
        }
        Ok(drawn)
    })))
}
