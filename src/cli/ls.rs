//! `spr-convert ls IN...`.

use clap::Args;
use serde_json::{Map, Value, json};
use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};
use spr_stats::{
    AudioNeed, AudioProbe, COLUMNS, Cell, Entry, ListColumn, MeasuredAudio, Row, unknown,
};

use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::exit::DONE;
use super::out::{Columns, Out};
use super::session::Session;
use super::table::word;
use super::words::{columns, data_set};
use super::{messages, plan};
use crate::plan::Plan;
use crate::verbs::key_json;
use crate::verbs::show::find_named;

pub(super) const EXAMPLES: &str = "\
A line has: key, what the entry holds, frames, columns, element type, and the \
byte at which it starts in its file, or - where that is not known. Of sound \
alone it has: key, seconds, rate, channels, speaker and text, for which headers \
are read. With several inputs, the first word is the input.

After the data you can name the utterances to list, by keys or patterns.

Examples:
  spr-convert ls feats.scp             every utterance of the script file
  spr-convert ls feats.scp 'ann-*'     those whose keys match
  spr-convert ls train.pfile | wc -l   how many there are
  spr-convert ls --json a.ark b.pfile  one object per line, for programs
  spr-convert ls --tsv a.ark           a table with tabs and a header line
  spr-convert ls data/train --columns key,speaker,seconds,text";

#[derive(Args, Debug, Clone)]
pub(super) struct LsArgs {
    /// Data to list, and keys of its utterances
    #[arg(value_name = "IN... KEY", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    /// Print a table with tabs and a header line, for programs
    #[arg(long, conflicts_with = "json")]
    tsv: bool,
    /// Print these columns in this order, such as key,speaker,seconds
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        value_parser = columns(&["input"]),
        hide_possible_values = true
    )]
    columns: Vec<String>,
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
    Lines(Lines),
}

/// Lists the entries of data sets.
pub(super) fn run(args: &LsArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let shown = Shown::all(&args.columns)?;
    let is_chosen = !args.columns.is_empty();
    let mut env = plan::env(&args.read, session)?;
    let (paths, keys) = apart(&args.paths, &env);
    let beside = Some(&args.beside);
    let (inputs, skipped) = plan::readable(paths, beside, &args.read, registry, &mut env)?;
    if args.read.explain {
        return plan::explain(&inputs, &args.read, registry, &env);
    }
    let mut out = Out::new();
    let several = inputs.len() > 1;
    let mut form = match (args.read.json, args.tsv) {
        (true, _) => Form::Json,
        (_, true) => Form::Tsv,
        _ if is_chosen => Form::Columns(Shown::aligned(&shown)),
        _ => Form::Lines(Lines::new(several)?),
    };
    // Samples are read only for a level that was named, or if they are in the data anyway.
    let names = shown.iter().filter_map(|column| column.measured(is_chosen));
    let names: Vec<_> = names.collect();
    let headers = match (&form, is_chosen) {
        (Form::Lines(_), _) => true,
        (_, true) => AudioNeed::of(names.iter().copied()) < AudioNeed::Levels,
        (_, false) => false,
    };
    let request = match headers {
        true => Request::all().headers().references(true),
        false => Request::all(),
    };
    if args.tsv {
        let titles: Vec<_> = shown.iter().map(|column| column.name()).collect();
        out.tsv(&titles)?;
    }
    for input in &inputs {
        let mut listed_any = false;
        let mut line = |utt: &Utterance| {
            listed_any = true;
            let row = Row::new(utt, None);
            let values = || {
                shown
                    .iter()
                    .map(|column| word(&column.value(&row, input.text())))
            };
            match &mut form {
                Form::Json => out.json(&json(&shown, is_chosen, &row, input.text())),
                Form::Tsv => out.tsv(&values().collect::<Vec<_>>()),
                Form::Columns(columns) => {
                    columns.line(Shown::words(&shown, &row, input.text()), &mut out)
                }
                Form::Lines(lines) => lines.line(utt, &row, input.text(), &mut out),
            }
        };
        let request = request.clone();
        let listed = match keys {
            [] => all(input, request, &names, (registry, &env), &mut line),
            _ => {
                let probe = AudioProbe::new(names.iter().copied(), None, &env);
                find_named(input, keys, request, (registry, &env), |utt| {
                    let mut utt = utt.clone();
                    if let Err(error) = probe.measure(&mut utt) {
                        env.warn(&error.context("its sound could not be measured"));
                    }
                    line(&utt)
                })
            }
        };
        // Entries before an error are shown before the error.
        match &mut form {
            Form::Columns(columns) => columns.finish(&mut out)?,
            Form::Lines(lines) => lines.finish(&mut out)?,
            Form::Json | Form::Tsv => {}
        }
        out.flush()?;
        match listed {
            Err(error) if skipped.passes(input, &error) => {}
            listed => {
                listed?;
                if !listed_any && keys.is_empty() {
                    messages::empty(input, &env);
                }
            }
        }
    }
    out.finish()?;
    Ok(skipped.status(DONE))
}

/// Splits the arguments: data sets first; from the first argument that names none, keys.
fn apart<'a>(words: &'a [String], env: &Env) -> (&'a [String], &'a [String]) {
    let is_key = |word: &String| {
        let plain = !word.contains([':', '|', ',', '/']) && word != "-";
        let found = |pattern: &str| env.matching(pattern).is_ok_and(|found| !found.is_empty());
        plain && !env.exists(&word.as_str().into()) && !found(word)
    };
    let first = words.iter().skip(1).position(is_key);
    words.split_at(first.map_or(words.len(), |first| first + 1))
}

/// Hands each utterance of a data set to `line`, with sound measured for the columns of these names.
fn all(
    input: &Plan,
    request: Request,
    names: &[&'static str],
    (registry, env): (&Registry, &Env),
    line: &mut dyn FnMut(&Utterance) -> Result<()>,
) -> Result<()> {
    let reader = input.open_whole(request, registry, env)?.reader;
    let mut reader = MeasuredAudio::as_far_as_possible(reader, names.iter().copied(), env);
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        let of_all = reader.info().frame_shift;
        utt.meta.frame_shift = utt.meta.frame_shift.or(of_all);
        line(&utt)?;
    }
    if let Some(warning) = reader.warning() {
        env.warn(&warning);
    }
    Ok(())
}

/// The lines for people: of sound by itself its facts, of other data the shape of what is stored.
struct Lines {
    columns: Columns,
    /// The columns of sound by itself.
    of_sound: Vec<Shown>,
    is_sound: bool,
    several: bool,
}

impl Lines {
    fn new(several: bool) -> Result<Self> {
        let input = several.then_some(INPUT).into_iter();
        let names = input.chain(["key", "seconds", "rate", "channels", "speaker", "text"]);
        let names: Vec<_> = names.map(str::to_owned).collect();
        Ok(Self {
            columns: Columns::new(2 + usize::from(several)),
            of_sound: Shown::all(&names)?,
            is_sound: false,
            several,
        })
    }

    fn line(&mut self, utt: &Utterance, row: &Row<'_>, input: &str, out: &mut Out) -> Result<()> {
        let is_sound = utt.audio.is_some() && utt.features.is_none() && utt.labels.is_none();
        if is_sound != self.is_sound {
            self.columns.finish(out)?;
            self.is_sound = is_sound;
            self.columns = match is_sound {
                true => Shown::aligned(&self.of_sound),
                false => Columns::new(2 + usize::from(self.several)),
            };
        }
        if is_sound {
            return self
                .columns
                .line(Shown::words(&self.of_sound, row, input), out);
        }
        let mut words = words(&Entry::of(utt));
        if self.several {
            words.insert(0, input.to_owned());
        }
        self.columns.line(words, out)
    }

    fn finish(&mut self, out: &mut Out) -> Result<()> {
        self.columns.finish(out)
    }
}

/// A column that is printed; the input is no column of utterances.
#[derive(Clone, Copy)]
enum Shown {
    Input,
    Of(&'static ListColumn),
}

/// The name of the column with the input.
const INPUT: &str = "input";

/// The columns that `--json` prints of every utterance, known or not.
const ALWAYS: [&str; 8] = [
    INPUT, "key", "kinds", "frames", "dim", "dtype", "offset", "seconds",
];

impl Shown {
    fn name(self) -> &'static str {
        match self {
            Self::Input => INPUT,
            Self::Of(column) => column.name,
        }
    }

    /// Returns the columns of these names, or all.
    ///
    /// # Errors
    /// There is no column of a name, or it is named twice.
    fn all(names: &[String]) -> Result<Vec<Self>> {
        if names.is_empty() {
            let all = COLUMNS.iter().map(Self::Of);
            return Ok([Self::Input].into_iter().chain(all).collect());
        }
        let mut shown = Vec::<Self>::new();
        for name in names {
            if shown.iter().any(|other| other.name() == name) {
                let error = Error::usage(format!("--columns: '{name}' is named twice"));
                return Err(error);
            }
            let column = COLUMNS.iter().find(|column| column.name == name);
            shown.push(match column {
                Some(column) => Self::Of(column),
                None if name == INPUT => Self::Input,
                None => return Err(unknown(name, &[INPUT]).context("--columns")),
            });
        }
        Ok(shown)
    }

    /// Returns its name if sound is measured for it: if it `is_chosen`, or takes no samples.
    fn measured(self, is_chosen: bool) -> Option<&'static str> {
        let Self::Of(column) = self else { return None };
        (is_chosen || column.need < AudioNeed::Levels).then_some(column.name)
    }

    /// Returns a table of these columns, with text to the left.
    fn aligned(shown: &[Self]) -> Columns {
        let is_left = shown.iter().map(|column| match column {
            Self::Input => true,
            Self::Of(column) => !column.holds.is_number(),
        });
        let is_left: Vec<_> = is_left.collect();
        Columns::aligned(move |i| is_left.get(i) == Some(&true))
    }

    /// Returns the values of columns for people: `-` where one is not known, seconds with three decimals.
    fn words(shown: &[Self], row: &Row<'_>, input: &str) -> Vec<String> {
        let text = |column: &Self| match column {
            Self::Of(own) if own.unit == Some("s") => match own.take(row) {
                Some(Cell::Number(seconds)) => format!("{seconds:.3}"),
                _ => String::new(),
            },
            _ => word(&column.value(row, input)),
        };
        let texts = shown.iter().map(text);
        texts
            .map(|text| match text.is_empty() {
                true => "-".to_owned(),
                false => text,
            })
            .collect()
    }

    /// Returns the value for an utterance of `input`, `null` where it is not known.
    fn value(self, row: &Row<'_>, input: &str) -> Value {
        let Self::Of(column) = self else {
            return json!(input);
        };
        match column.take(row) {
            None => Value::Null,
            Some(Cell::Count(count)) => json!(count),
            Some(Cell::Number(number)) => json!(number),
            Some(Cell::Text(text)) => key_json(&Key::from(&*text)),
            Some(Cell::Words(words)) => json!(words),
        }
    }
}

/// Returns the columns of an utterance as an object of JSON: those that are chosen, else those that are
/// known and those that are always there.
fn json(shown: &[Shown], is_chosen: bool, row: &Row<'_>, input: &str) -> Value {
    let values = shown
        .iter()
        .map(|column| (column.name(), column.value(row, input)));
    let mut facts: Map<_, _> = values
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if !is_chosen {
        // The level of silence is not finite, but measured.
        let is_measured = facts.get("zeros").is_some_and(|zeros| !zeros.is_null());
        facts.retain(|name, value| {
            let is_level = is_measured && ["peak_db", "rms_db"].contains(&name.as_str());
            is_level || !value.is_null() || ALWAYS.contains(&name.as_str())
        });
    }
    facts.into()
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
        words.push(format!("{rate}Hz"));
        words.push(known(entry.seconds.map(|seconds| format!("{seconds:.3}s"))));
    }
    words
}
