//! `spr-convert stats IN...`.

use clap::Args;
use serde_json::Value;
use spr_core::format::Reader;
use spr_core::model::Key;
use spr_core::{ErrorKind, Result, Symbols};
use spr_stats::{
    Column, Compared, GroupBy, Groups, LabelCount, Scope, Survey, differences, name_labels,
    side_by_side,
};

use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::exit::{DONE, FAILED};
use super::info::audio;
use super::out::{Columns, Out};
use super::session::Session;
use super::table::flat;
use super::words::{columns, data_set};
use super::{groups, messages, plan};
use crate::plan::Plan;
use crate::verbs::stats::{AudioLoader, Facts};

pub(super) const EXAMPLES: &str = "\
Standard deviations are taken over all frames (dividing by N, not N - 1). NaN \
and infinite values are counted, and left out of everything else. Hours are \
known where the data have a frame shift or a sampling rate. Levels are relative \
to full scale, 0 dB; samples at the ends of their range count as clipped.

Examples:
  spr-convert stats feats.scp           columns, lengths
  spr-convert stats train.pfile --json  all of it, for programs
  spr-convert stats train.pfile --tsv   one line per number: input, name, value
  spr-convert stats data/train --by speaker             a line for each speaker
  spr-convert stats ali.ark --by label --frame-shift 0.01  runs of each label
  spr-convert stats train valid         what they hold side by side, and share";

#[derive(Args, Debug, Clone)]
pub(super) struct StatsArgs {
    /// Data to summarize
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    /// Print a table with tabs and a header line, for programs
    #[arg(long, conflicts_with = "json")]
    tsv: bool,
    /// Sum up groups: by speaker, language, gender, rate, file, another column of `ls`, or by label
    #[arg(
        long,
        value_name = "COLUMN,...",
        value_delimiter = ',',
        value_parser = columns(&["label"]),
        hide_possible_values = true
    )]
    by: Vec<String>,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// Labels shown, the commonest ones if there are more.
const SHOWN: usize = 40;

/// A form in which facts are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Tsv,
}

/// How data sets are summed up and printed.
struct Manner<'a> {
    form: Form,
    by: &'a [GroupBy],
    symbols: Option<&'a Symbols>,
    /// Whether data sets are laid side by side at the end.
    compares: bool,
}

/// Sums up data sets; of a damaged one, what came before the damage. Sound that cannot be opened
/// leaves the rest as it is, and is an error.
pub(super) fn run(args: &StatsArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let by = crate::verbs::groups::parse(&args.by).map_err(|e| e.context("--by"))?;
    let mut env = plan::env(&args.read, session)?;
    let beside = Some(&args.beside);
    let (inputs, skipped) = plan::readable(&args.paths, beside, &args.read, registry, &mut env)?;
    if args.read.explain {
        return plan::explain(&inputs, &args.read, registry, &env);
    }
    let symbols = args.beside.symbols(&env)?;
    let form = match (args.read.json, args.tsv) {
        (true, _) => Form::Json,
        (_, true) => Form::Tsv,
        _ => Form::Text,
    };
    let manner = Manner {
        form,
        by: &by,
        symbols: symbols.as_ref(),
        compares: form == Form::Text && inputs.len() > 1 && by.is_empty(),
    };
    if form == Form::Tsv {
        let mut out = Out::new();
        match by.is_empty() {
            true => out.tsv(&["input", "name", "value"])?,
            false => groups::titles(&by, &mut out)?,
        }
        out.finish()?;
    }
    let (mut status, mut surveys) = (DONE, Vec::new());
    for input in &inputs {
        let (mut reader, format) = match AudioLoader::open(input, registry, &env) {
            Err(error) if skipped.passes(input, &error) => continue,
            opened => opened?,
        };
        let (result, utterances) = match by.is_empty() {
            true => {
                let (result, survey) = manner.survey(input, format, &mut reader)?;
                let utterances = survey.utterances;
                surveys.extend(manner.compares.then_some((input.text(), survey)));
                (result, utterances)
            }
            false => manner.groups(input, format, &mut reader)?,
        };
        match reader.fault() {
            Some(error) if error.kind() == ErrorKind::Io => {
                session.error(error);
                status = FAILED;
            }
            // Commands that are not allowed, and the like. Quiet or not, data are left out.
            Some(error) => messages::warning(&error.to_string()),
            None => {}
        }
        match result {
            Err(error) if skipped.passes(input, &error) => {}
            Err(error) => {
                session.error(error);
                status = FAILED;
            }
            Ok(()) if utterances == 0 => messages::empty(input, &env),
            Ok(()) => {}
        }
    }
    if manner.compares {
        manner.compare(&surveys)?;
    }
    Ok(skipped.status(status))
}

impl Manner<'_> {
    /// Surveys a data set and prints the facts, as far as it could be read.
    fn survey(
        &self,
        input: &Plan,
        format: &str,
        reader: &mut AudioLoader,
    ) -> Result<(Result<()>, Survey)> {
        let scope = match self.compares {
            true => Scope::Lists,
            false => Scope::Numbers,
        };
        let mut survey = Survey::new(scope, reader.info());
        let result = survey.read(reader);
        let mut out = Out::new();
        let facts = Facts::of(&survey, input.text(), format);
        match self.form {
            Form::Json => out.json(&facts)?,
            Form::Tsv => {
                for (name, value) in flat(&facts)?.iter().filter(|(name, _)| name != "input") {
                    out.tsv(&[input.text(), name, value])?;
                }
            }
            Form::Text => {
                out.line(input.text())?;
                let unit = messages::unit(input.shuffles());
                describe(&facts, unit, self.symbols, &mut out)?;
            }
        }
        out.finish()?;
        Ok((result, survey))
    }

    /// Sums up the groups of a data set and prints them, as far as it could be read. Returns the number
    /// of utterances as well.
    fn groups(
        &self,
        input: &Plan,
        format: &str,
        reader: &mut AudioLoader,
    ) -> Result<(Result<()>, u64)> {
        let mut groups = Groups::new(self.by, reader.info());
        let result = groups.read(reader);
        let printed = groups::Printed {
            input: input.text(),
            format,
            by: self.by,
            groups: &groups,
            symbols: self.symbols,
        };
        let mut out = Out::new();
        match self.form {
            Form::Json => printed.json(&mut out)?,
            Form::Tsv => printed.tsv(&mut out)?,
            Form::Text => {
                out.line(input.text())?;
                printed.table(&mut out)?;
            }
        }
        out.finish()?;
        printed.warn();
        Ok((result, groups.utterances()))
    }

    /// Prints the facts of several data sets side by side, and what they share.
    fn compare(&self, surveys: &[(&str, Survey)]) -> Result<()> {
        let labels = surveys.iter().map(|(_, survey)| survey.labels.lists());
        let mut labels: Vec<_> = labels.collect();
        if let Some(symbols) = self.symbols {
            labels
                .iter_mut()
                .for_each(|lists| name_labels(lists, symbols));
        }
        let sets = surveys.iter().zip(&labels);
        let sets: Vec<_> = sets
            .map(|((name, survey), labels)| Compared {
                name,
                survey,
                labels,
            })
            .collect();
        let mut out = Out::new();
        out.line("side by side")?;
        let mut table = Columns::new(1);
        let names = sets.iter().map(|set| set.name.to_owned());
        table.line(
            ["  ".to_owned()].into_iter().chain(names).collect(),
            &mut out,
        )?;
        for (name, values) in side_by_side(&sets) {
            let name = [format!("  {name}")];
            table.line(name.into_iter().chain(values).collect(), &mut out)?;
        }
        table.finish(&mut out)?;
        for sentence in differences(&sets) {
            out.line(format!("  {sentence}"))?;
        }
        out.finish()
    }
}

fn describe(facts: &Facts, unit: &str, symbols: Option<&Symbols>, out: &mut Out) -> Result<()> {
    let mut line = |name: &str, text: String| out.line(format!("  {name:<12}{text}"));
    let utterances = messages::count(facts.utterances, unit);
    let holds = match (facts.sound, facts.frames) {
        (Some(_), 0) => utterances,
        (_, frames) => format!("{utterances}, {}", messages::count(frames, "frame")),
    };
    line("holds", holds)?;
    if let Some(lengths) = facts.lengths.filter(|lengths| lengths.max > 0) {
        let (min, mean, median, max) = (lengths.min, lengths.mean, lengths.median, lengths.max);
        let text = match min == max {
            true => format!("{} each", messages::count(max, "frame")),
            false => format!("{min} to {max} frames, mean {mean:.1}, median {median}"),
        };
        line("lengths", text)?;
    }
    if let Some(seconds) = facts.seconds {
        let mut text = format!("{seconds:.2} s, {:.3} h", seconds / 3600.0);
        if let Some(sound) = facts.sound.filter(|sound| sound.samples > 0) {
            text.push_str(&format!(", {}", messages::count(sound.samples, "sample")));
        }
        line("duration", text)?;
    }
    if let Some(sound) = facts.sound {
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
    if !facts.features.is_empty() {
        features(facts, out)?;
    }
    for (i, counts) in facts.labels.iter().enumerate() {
        let name = match facts.labels.len() {
            1 => "labels".to_owned(),
            _ => format!("labels of column {i}"),
        };
        labels(&name, counts, symbols, out)?;
    }
    if facts.labels_beyond > 0 {
        let labels = facts.labels_beyond;
        out.line(format!("  {labels} labels more, too many to be told apart"))?;
    }
    Ok(())
}

fn features(facts: &Facts, out: &mut Out) -> Result<()> {
    out.line("  features")?;
    let mut table = Columns::new(0);
    let titles = ["    column", "mean", "std", "min", "max", "nan", "inf"];
    table.line(titles.map(str::to_owned).to_vec(), out)?;
    for (i, column) in facts.features.iter().enumerate() {
        table.line(words(i.to_string(), column), out)?;
    }
    if let Some(beyond) = facts.beyond {
        let first = facts.features.len();
        let last = (first + facts.columns_beyond).saturating_sub(1);
        let name = format!("{first}-{last}");
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
