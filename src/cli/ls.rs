//! `spr-convert ls IN...`.

use clap::Args;
use serde_json::{Value, json};
use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::{Registry, Request};
use spr_core::model::Utterance;
use spr_stats::{Entry, decibels};

use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::exit::DONE;
use super::out::{Columns, Out};
use super::plan;
use super::session::Session;
use super::table::word;
use super::words::data_set;
use crate::argument::Input;
use crate::verbs::key_json;
use crate::verbs::show::find_named;

pub(super) const EXAMPLES: &str = "\
A line has: key, what the entry holds, frames, columns, element type, and the \
byte at which it starts in its file, or - where that is not known; for sound \
also its rate, seconds, peak and RMS in dB of full scale, if the data contain \
samples. With several inputs, the first word is the input.

After the data you can name the utterances to list, by keys or patterns.

Examples:
  spr-convert ls feats.scp             every utterance of the script file
  spr-convert ls feats.scp 'ann-*'     those whose keys match
  spr-convert ls train.pfile | wc -l   how many there are
  spr-convert ls --json a.ark b.pfile  one object per line, for programs
  spr-convert ls --tsv a.ark           a table with tabs and a header line";

#[derive(Args, Debug, Clone)]
pub(super) struct LsArgs {
    /// Data to list, and keys of its utterances
    #[arg(value_name = "IN... KEY", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    /// Print a table with tabs and a header line, for programs
    #[arg(long, conflicts_with = "json")]
    tsv: bool,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// The form in which entries are printed.
enum Form {
    Json,
    Tsv,
    Columns(Columns),
}

/// Lists the entries of data sets.
pub(super) fn run(args: &LsArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    let (paths, keys) = apart(&args.paths, &env);
    let (mut inputs, skipped) = plan::readable(paths, &args.read, registry, &mut env)?;
    args.beside.join(&mut inputs, registry, &env)?;
    if args.read.explain {
        return plan::explain(&inputs, &args.read, registry, &env);
    }
    let mut out = Out::new();
    let several = inputs.len() > 1;
    let mut form = match (args.read.json, args.tsv) {
        (true, _) => Form::Json,
        (_, true) => Form::Tsv,
        _ => Form::Columns(Columns::new(2 + usize::from(several))),
    };
    if args.tsv {
        out.tsv(&TITLES)?;
    }
    for input in &inputs {
        let mut line = |utt: &Utterance| {
            let entry = Entry::of(utt);
            match &mut form {
                Form::Json => out.json(&json(&entry, input.text())),
                Form::Tsv => {
                    let facts = json(&entry, input.text());
                    out.tsv(&TITLES.map(|title| word(&facts[title])))
                }
                Form::Columns(columns) => {
                    let mut words = words(&entry);
                    if several {
                        words.insert(0, input.text().to_owned());
                    }
                    columns.line(words, &mut out)
                }
            }
        };
        let listed = match keys {
            [] => all(input, registry, &env, &mut line),
            _ => find_named(input, keys, Request::all(), (registry, &env), line),
        };
        // Entries before an error are shown before the error.
        if let Form::Columns(columns) = &mut form {
            columns.finish(&mut out)?;
        }
        out.flush()?;
        match listed {
            Err(error) if skipped.passes(input, &error) => {}
            listed => listed?,
        }
    }
    out.finish()?;
    Ok(skipped.status(DONE))
}

/// Data sets, and behind the first of them the first word that names none: a key, as all that follows.
fn apart<'a>(words: &'a [String], env: &Env) -> (&'a [String], &'a [String]) {
    let is_key = |word: &String| {
        let plain = !word.contains([':', '|', ',', '/']) && word != "-";
        let found = |pattern: &str| env.matching(pattern).is_ok_and(|found| !found.is_empty());
        plain && !env.exists(&word.as_str().into()) && !found(word)
    };
    let first = words.iter().skip(1).position(is_key);
    words.split_at(first.map_or(words.len(), |first| first + 1))
}

/// Hands each utterance of a data set to `line`.
fn all(
    input: &Input,
    registry: &Registry,
    env: &Env,
    line: &mut dyn FnMut(&Utterance) -> Result<()>,
) -> Result<()> {
    let mut reader = input.open(Request::all(), registry, env)?.reader;
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        let of_all = reader.info().frame_shift;
        utt.meta.frame_shift = utt.meta.frame_shift.or(of_all);
        line(&utt)?;
    }
    Ok(())
}

/// The titles of a table, which are the names of the facts.
const TITLES: [&str; 13] = [
    "input", "key", "kinds", "frames", "dim", "dtype", "offset", "seconds", "rate", "peak_db",
    "rms_db", "clipped", "zeros",
];

/// An entry as an object of JSON.
fn json(entry: &Entry, input: &str) -> Value {
    let mut facts = json!({
        "input": input,
        "key": key_json(&entry.key),
        "kinds": entry.kinds,
        "frames": entry.frames,
        "dim": entry.dim,
        "dtype": entry.dtype,
        "offset": entry.offset,
        "seconds": entry.seconds,
    });
    if let Some(rate) = entry.rate {
        facts["rate"] = json!(rate);
    }
    if let Some(level) = &entry.level {
        facts["peak_db"] = json!(decibels(level.peak));
        facts["rms_db"] = json!(decibels(level.rms()));
        facts["clipped"] = json!(level.clipped);
        facts["zeros"] = json!(level.zeros);
    }
    facts
}

fn words(entry: &Entry) -> Vec<String> {
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let mut words = vec![
        entry.key.to_string(),
        entry.kinds.join("+"),
        entry.frames.to_string(),
        known(entry.dim.map(|n| n.to_string())),
        known(entry.dtype.map(str::to_owned)),
        known(entry.offset.map(|n| n.to_string())),
    ];
    if let Some(rate) = entry.rate {
        let decibels = |level: f64| decibels(level).map(|db| format!("{db:.2}dB"));
        let level = entry.level.as_ref();
        words.extend([
            format!("{rate}Hz"),
            known(entry.seconds.map(|seconds| format!("{seconds:.3}s"))),
            known(level.and_then(|level| decibels(level.peak))),
            known(level.and_then(|level| decibels(level.rms()))),
        ]);
    }
    words
}
