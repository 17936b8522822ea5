//! Steps that choose utterances by what their columns say.

use spr_stats::Expression;

use super::super::condition::{ConditionReader, LastingReader};
use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::parse::{built, parsed};
use super::super::values::Parameters;
use super::{as_written, never, nothing};

pub(super) static WHERE: Kind = Kind {
    name: "where",
    aliases: &[],
    usage: "where('EXPRESSION'), such as where('seconds > 1 and text')",
    what: "utterances of which an expression over the columns of `ls` is true",
    parameters: Parameters {
        positional: &["expression"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &["where", "min-text", "has"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: true,
    by_keys: None,
    shares: false,
    uses: |values, column| {
        let wanted = values.text("expression").map(str::parse::<Expression>);
        wanted.is_some_and(|wanted| wanted.is_ok_and(|wanted| wanted.uses(column)))
    },
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |values| {
        let wanted: Expression = parsed(values, "expression", "an expression")?;
        built(move |reader, at| {
            Ok(Box::new(ConditionReader::new(
                reader,
                wanted.clone(),
                at.env,
            )))
        })
    },
};

pub(super) static SECONDS: Kind = Kind {
    name: "seconds",
    aliases: &[],
    usage: "seconds(N-N), seconds(N-) or seconds(-N)",
    what: "utterances of so many seconds",
    parameters: Parameters {
        positional: &["seconds"],
        ..Parameters::NONE
    },
    reads: &[],
    options: &[],
    flags: &["min-seconds", "max-seconds"],
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
        let range = values.need("seconds", durations, "seconds, such as 1.5-20, 1- or -20")?;
        built(move |reader, at| Ok(Box::new(LastingReader::new(reader, range, at.env))))
    },
};

/// Parses the shortest and the longest duration, of which one may be missing.
fn durations(text: &str) -> Option<(f64, f64)> {
    let (least, most) = text.split_once('-')?;
    let bound = |text: &str, missing| match text {
        "" => Some(missing),
        _ => {
            let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            text.parse::<f64>().ok().filter(|_| plain)
        }
    };
    let range = (bound(least, 0.0)?, bound(most, f64::INFINITY)?);
    (range.0 <= range.1 && text != "-").then_some(range)
}
