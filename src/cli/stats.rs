//! `spr-convert stats IN...`.

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use spr_core::model::Key;
use spr_core::{Error, Result, Symbols};
use spr_stats::{Column, LabelCount, Stats};

use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::exit::{DONE, FAILED};
use super::info::audio;
use super::out::{Columns, Out};
use super::session::Session;
use super::table::flat;
use super::words::data_set;
use super::{messages, plan};
use crate::verbs::stats::Heard;

pub(super) const EXAMPLES: &str = "\
Standard deviations are taken over all frames (dividing by N, not N - 1). NaN \
and infinite values are counted, and left out of everything else. Hours are \
known where the data have a frame shift or a sampling rate. Levels are relative \
to full scale, 0 dB; samples at the ends of their range count as clipped.

Examples:
  spr-convert stats feats.scp           columns, lengths
  spr-convert stats train.pfile --json  all of it, for programs
  spr-convert stats train.pfile --tsv   one line per number: input, name, value";

#[derive(Args, Debug, Clone)]
pub(super) struct StatsArgs {
    /// Data to summarize
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    /// Print a table with tabs and a header line, for programs
    #[arg(long, conflicts_with = "json")]
    tsv: bool,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// A data set as JSON.
#[derive(Serialize)]
struct Facts<'a> {
    input: &'a str,
    format: &'a str,
    #[serde(flatten)]
    stats: &'a Stats,
}

/// Labels shown, the commonest ones if there are more.
const SHOWN: usize = 40;

/// Sums up data sets; of a damaged one, what came before the damage.
pub(super) fn run(args: &StatsArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let (mut inputs, skipped) = plan::readable(&args.paths, &args.read, registry, &env)?;
    args.beside.join(&mut inputs, registry, &env)?;
    if args.read.explain {
        return plan::explain(&inputs, &args.read, registry, &env);
    }
    let symbols = args.beside.symbols(&env)?;
    let mut status = DONE;
    if args.tsv {
        let mut out = Out::new();
        out.tsv(&["input", "name", "value"])?;
        out.finish()?;
    }
    for input in inputs {
        let (mut reader, format) = Heard::open(&input, registry, &env)?;
        let unit = messages::unit(input.data_options().shuffles());
        let mut stats = Stats::default();
        let result = stats.read(&mut reader);
        if let Some(unheard) = reader.told() {
            env.warn(&unheard);
        }
        let mut out = Out::new();
        let facts = Facts {
            input: input.text(),
            format,
            stats: &stats,
        };
        if args.read.json {
            out.json(&facts)?;
        } else if args.tsv {
            let facts =
                serde_json::to_value(&facts).map_err(|e| Error::io("cannot write", e.into()))?;
            for (name, value) in flat(&facts).iter().filter(|(name, _)| name != "input") {
                out.tsv(&[input.text(), name, value])?;
            }
        } else {
            out.line(input.text())?;
            describe(&stats, unit, symbols.as_ref(), &mut out)?;
        }
        out.finish()?;
        match result {
            Err(error) => {
                session.error(error);
                status = FAILED;
            }
            Ok(()) if stats.utterances == 0 => messages::empty(&input, &env),
            Ok(()) => {}
        }
    }
    Ok(skipped.status(status))
}

fn describe(stats: &Stats, unit: &str, symbols: Option<&Symbols>, out: &mut Out) -> Result<()> {
    let mut line = |name: &str, text: String| out.line(format!("  {name:<12}{text}"));
    let utterances = messages::count(stats.utterances, unit);
    let holds = match (&stats.sound, stats.frames) {
        (Some(_), 0) => utterances,
        (_, frames) => format!("{utterances}, {}", messages::count(frames, "frame")),
    };
    line("holds", holds)?;
    if let Some(lengths) = stats.lengths.filter(|lengths| lengths.max > 0) {
        let (min, mean, median, max) = (lengths.min, lengths.mean, lengths.median, lengths.max);
        let text = match min == max {
            true => format!("{} each", messages::count(max, "frame")),
            false => format!("{min} to {max} frames, mean {mean:.1}, median {median}"),
        };
        line("lengths", text)?;
    }
    if let Some(seconds) = stats.seconds {
        let mut text = format!("{seconds:.2} s, {:.3} h", seconds / 3600.0);
        if let Some(sound) = stats.sound.as_ref().filter(|sound| sound.samples > 0) {
            text.push_str(&format!(", {}", messages::count(sound.samples, "sample")));
        }
        line("duration", text)?;
    }
    if let Some(sound) = &stats.sound {
        line("audio", audio(sound).join(", "))?;
        for (counts, what) in [(&sound.rates, "Hz"), (&sound.channels, "channels")] {
            if counts.len() > 1 {
                let of = |(own, n): (&u32, &u64)| {
                    format!("{own} in {}", messages::count(*n, "utterance"))
                };
                let all: Vec<_> = counts.iter().map(of).collect();
                line("mixed", format!("{what}: {}", all.join(", ")))?;
            }
        }
        for (name, text) in sound.levels() {
            line(name, text)?;
        }
    }
    if !stats.features.is_empty() {
        features(stats, out)?;
    }
    for (i, counts) in stats.labels.iter().enumerate() {
        let name = match stats.labels.len() {
            1 => "labels".to_owned(),
            _ => format!("labels of column {i}"),
        };
        labels(&name, counts, symbols, out)?;
    }
    if stats.labels_beyond > 0 {
        let text = format!(
            "  {} labels more, too many to be told apart",
            stats.labels_beyond
        );
        out.line(text)?;
    }
    Ok(())
}

fn features(stats: &Stats, out: &mut Out) -> Result<()> {
    out.line("  features")?;
    let mut table = Columns::new(0);
    let titles = ["    column", "mean", "std", "min", "max", "nan", "inf"];
    table.line(titles.map(str::to_owned).to_vec(), out)?;
    for (i, column) in stats.features.iter().enumerate() {
        table.line(words(i.to_string(), column), out)?;
    }
    if let Some(beyond) = &stats.beyond {
        let first = stats.features.len();
        let name = format!("{first}-{}", stats.columns().saturating_sub(1));
        table.line(words(name, beyond), out)?;
        table.finish(out)?;
        return out.line(format!(
            "  the columns from {first} on are summarized as one"
        ));
    }
    table.finish(out)
}

/// A line of the table of columns.
fn words(name: String, column: &Column) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), short);
    let some = (column.count > 0).then_some(());
    vec![
        name,
        number(some.map(|()| column.mean)),
        number(some.map(|()| column.std)),
        number(column.min),
        number(column.max),
        column.nan.to_string(),
        column.inf.to_string(),
    ]
}

fn labels(
    name: &str,
    counts: &[LabelCount],
    symbols: Option<&Symbols>,
    out: &mut Out,
) -> Result<()> {
    let total: u64 = counts.iter().map(|c| c.count).sum();
    let mut shown: Vec<_> = counts.iter().collect();
    let different = counts.len();
    if different > SHOWN {
        shown.sort_by_key(|c| std::cmp::Reverse(c.count));
        shown.truncate(SHOWN);
        out.line(format!(
            "  {name}: {different} different, the {SHOWN} commonest"
        ))?;
    } else {
        out.line(format!("  {name}: {different} different"))?;
    }
    let mut table = Columns::new(0);
    let titles = ["     label", "count", "share"];
    table.line(titles.map(str::to_owned).to_vec(), out)?;
    for count in shown {
        let label = match &count.label {
            Value::Number(n) => {
                let name = symbols.zip(n.as_i64());
                let name = name.and_then(|(symbols, n)| symbols.name_of(n));
                name.map_or(n.to_string(), |name| Key::from(name).to_string())
            }
            _ => "beyond i64".to_owned(),
        };
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let share = 100.0 * count.count as f64 / total as f64;
        table.line(
            vec![label, count.count.to_string(), format!("{share:.2}%")],
            out,
        )?;
    }
    table.finish(out)
}

/// Six digits that count.
fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{value:.5e}");
    }
    let before = [10.0, 100.0, 1e3, 1e4, 1e5];
    let before = before.iter().filter(|limit| size >= **limit).count();
    format!("{value:.*}", 5 - before)
}
