//! `spr-convert diff A B`.

use clap::Args;
use spr_core::format::Request;
use spr_core::model::Key;
use spr_core::{Error, Result};
use spr_stats::{OrderColumns, decibels};

use super::args::ReadArgs;
use super::beside::{BesideArgs, JoinArgs};
use super::exit::{DONE, NO};
use super::out::Out;
use super::session::Session;
use super::skipped::SkipCounter;
use super::words::{columns, data_set};
use super::{messages, plan};
use crate::plan::{Input, Plan};
use crate::verbs::diff::{
    Difference, Finding, Noise, Place, Spot, Summary, Tolerance, Values, by_columns, by_key,
    in_order, json,
};

pub(super) const EXAMPLES: &str = "\
Values are compared as numbers: NaN equals NaN, and 1 equals 1.0 whatever their \
types. With a tolerance, values are the same if |a - b| <= ATOL + RTOL * |b|. \
Other element types and header lines are reported on standard error, but don't \
count as a difference. --labels, --text and --utt2spk add to A. Exit status: 0 \
the same, 1 different, 2 an error.

Examples:
  spr-convert diff feats.scp train.pfile  in the same order
  spr-convert diff a.ark b.ark --by-key   in any order
  spr-convert diff old.json new.json --by recording,start  where keys differ
  spr-convert diff a.ark b.ark --atol 1e-6 -q && echo close
  spr-convert diff a.ark b.pkl --json     one object, for programs";

#[derive(Args, Debug, Clone)]
pub(super) struct DiffArgs {
    /// The first data set
    #[arg(value_name = "A", value_parser = data_set())]
    a: String,
    /// The second data set
    #[arg(value_name = "B", value_parser = data_set())]
    b: String,
    /// How far apart values may be
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    atol: f64,
    /// How far apart values may be, relative to their size
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    rtol: f64,
    /// Compare utterances with the same key, whatever their order
    #[arg(long)]
    by_key: bool,
    /// Compare utterances with the same values in columns of `ls`, whatever their order and keys
    #[arg(
        long,
        value_name = "COLUMN,...",
        value_parser = columns(&[]),
        hide_possible_values = true,
        conflicts_with = "by_key",
        allow_hyphen_values = true
    )]
    by: Option<String>,
    /// With --by-key and --by, memory for utterances that wait for their match
    #[arg(long, value_name = "SIZE", default_value = "128m")]
    memory: String,
    /// List everything that differs, however long the list gets
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// Findings that are listed if not all are to be; all are counted.
const LISTED: usize = 20;
/// Those that JSON lists.
const LISTED_JSON: usize = 1000;

/// Compares two data sets.
pub(super) fn run(args: &DiffArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    let read = &args.read;
    // The labels of the first are compared with those of the second.
    let of_second = BesideArgs::of(JoinArgs::default(), args.beside.filter.clone());
    let a = plan::input(&args.a, Some(&args.beside), read, registry, &env)?;
    let b = plan::input(&args.b, Some(&of_second), read, registry, &env)?;
    let skipped = SkipCounter::listen(true, read, registry, &mut env);
    if args.read.explain {
        return plan::explain(&[a, b], &args.read, registry, &env);
    }
    if [&a, &b]
        .iter()
        .all(|input| input.inputs().iter().any(Input::is_stdin))
    {
        return Err(Error::usage("standard input can be read only once"));
    }
    let (atol, rtol) = (args.atol, args.rtol);
    if !(atol >= 0.0 && rtol >= 0.0) {
        return Err(Error::usage("a tolerance is 0 or more"));
    }
    let tolerance = Tolerance { atol, rtol };
    let columns = args.by.as_deref().map(OrderColumns::undirected).transpose();
    let columns = columns.map_err(|error| error.context("--by"))?;
    let by_keys = args.by_key || columns.as_ref().is_some_and(|by| by.to_string() == "key");
    let memory = plan::parse_size(&args.memory)?;
    let mut out = Out::new();
    let mut listed = Vec::new();
    let (mut told, mut more) = (0, 0);
    let mut tell = |key: &Key, finding: &Finding| {
        if args.read.json {
            if args.all || listed.len() < LISTED_JSON {
                listed.push(json::finding(key, finding));
            }
            return Ok(());
        }
        if args.read.quiet {
            return Ok(());
        }
        if !args.all && told == LISTED {
            more += 1;
            return Ok(());
        }
        told += 1;
        lines(key, finding, (&a, &b), &mut out)
    };
    let at = (registry, &env);
    let summary = match columns {
        _ if by_keys => by_key((&a, &b), tolerance, memory, at, &mut tell)?,
        Some(by) => by_columns((&a, &b), by, tolerance, memory, at, &mut tell)?,
        None => {
            let open = |input: &Plan| input.open_whole(Request::all(), registry, &env);
            in_order(open(&a)?, open(&b)?, tolerance, &env, &mut tell)?
        }
    };
    if more > 0 {
        let of = messages::count(more, "utterance");
        out.line(format!("… and {of} more, which --all lists"))?;
    }
    if !args.read.quiet && !args.read.json {
        for ((kind, first), n) in &summary.kinds {
            let input = if *first { &a } else { &b };
            let of = messages::count(*n, "utterance");
            out.line(format!("only {} holds {kind}, in {of}", input.text()))?;
        }
    }
    if args.read.json {
        out.json(&json::summary(&summary, (&a, &b), listed))?;
    }
    out.finish()?;
    let both = summary.compared + summary.keys;
    for (input, alone) in [(&a, summary.only_a), (&b, summary.only_b)] {
        if both + alone == 0 {
            messages::empty(input, &env);
        }
    }
    if !args.read.quiet && !args.read.json {
        closing(&summary, args.by_key || args.by.is_some());
    }
    Ok(skipped.status(match summary.is_same() {
        true => DONE,
        false => NO,
    }))
}

fn lines(key: &Key, finding: &Finding, (a, b): (&Plan, &Plan), out: &mut Out) -> Result<()> {
    let only = |input: &Plan, place: &Option<Place>| match place {
        Some(place) => format!("{key}: only in {place}"),
        None => format!("{key}: only in {}", input.text()),
    };
    match finding {
        Finding::OnlyA(place) => out.line(only(a, place)),
        Finding::OnlyB(place) => out.line(only(b, place)),
        Finding::Key(other) => out.line(format!("{key}: the other has {other} in its place")),
        Finding::Differs(differing) => {
            let mut start = match &differing.other_key {
                Some(other) => format!("{key} and {other}"),
                None => key.to_string(),
            };
            if let [Some(a), Some(b)] = &differing.places {
                start.push_str(&format!(" ({a}, {b})"));
            }
            let mut differences = differing.differences.iter();
            differences
                .try_for_each(|difference| out.line(format!("{start}: {}", describe(difference))))
        }
    }
}

fn describe(difference: &Difference) -> String {
    match difference {
        Difference::Shape(what, a, b) | Difference::Other(what, a, b) => {
            format!("{what}: {a} and {b}")
        }
        Difference::Noise(noise) => format!("audio: {}", describe_noise(noise)),
        Difference::Values(what, values) => {
            let Values {
                differ,
                of,
                first,
                worst,
            } = values;
            let mut text = format!(
                "{what}: {differ} of {of} values differ, first {}",
                spot(first)
            );
            if worst != first {
                text.push_str(&format!(", most {}", spot(worst)));
            }
            text
        }
    }
}

/// Describes the difference of sound, relative to full scale.
fn describe_noise(noise: &Noise) -> String {
    let level = |level: f64| match decibels(level) {
        Some(db) => format!("{db:.2} dB ({level:.3e})"),
        None => "none".to_owned(),
    };
    let mut text = format!(
        "RMS error {}, largest {} of full scale",
        level(noise.rms()),
        level(noise.largest)
    );
    if let Some(snr) = noise.snr() {
        text.push_str(&format!(", SNR {snr:.2} dB"));
    }
    text
}

fn spot(spot: &Spot) -> String {
    format!("[{},{}] {} and {}", spot.row, spot.col, spot.a, spot.b)
}

/// Prints the result on standard error, for people.
fn closing(summary: &Summary, is_paired: bool) {
    for (n, what) in [
        (summary.types, "element types"),
        (summary.metadata, "metadata"),
    ] {
        if n > 0 {
            let of = messages::count(n, "utterance");
            messages::say(
                "note",
                &format!("{what} of {of} differ, which makes no difference"),
            );
        }
    }
    if let Some([a, b]) = &summary.single {
        let text = format!("one utterance each, {a} and {b}, compared whatever their names");
        messages::say("note", &text);
    }
    if summary.unnamed {
        messages::say(
            "note",
            "one of the two has no names; they are compared by position",
        );
    }
    if let Some((key, what, worst)) = &summary.worst {
        let text = format!("the largest difference is in {key}, {what} {}", spot(worst));
        messages::say("note", &text);
    }
    if let Some(noise) = &summary.noise {
        let text = format!("sound that differs: {}", describe_noise(noise));
        messages::say("note", &text);
    }
    let mut parts = vec![format!(
        "{} compared",
        messages::count(summary.compared, "utterance")
    )];
    let counts = [
        (summary.different, "different"),
        (summary.keys, "with other keys"),
        (summary.only_a, "only in the first"),
        (summary.only_b, "only in the second"),
    ];
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    parts.extend(counts.clone().map(|(n, what)| format!("{n} {what}")));
    if summary.is_same() {
        parts.push("no difference".to_owned());
    } else if counts.clone().next().is_none() {
        parts.push(match summary.shared {
            true => "no difference in what both hold".to_owned(),
            false => "they hold nothing of the same kind".to_owned(),
        });
    }
    messages::plain(&parts.join(", "));
    if summary.keys > 0 && !is_paired {
        messages::say("hint", "--by-key compares utterances whatever their order");
    }
}
