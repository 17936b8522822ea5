//! `spr-convert select IN OUT`.

use clap::{Args, ValueHint};
use spr_core::bytes::{Env, Location};
use spr_core::{Error, Remedy, Result};
use spr_stats::OrderColumns;

use super::args::ConvertArgs;
use super::filter::FilterArgs;
use super::session::Session;
use super::words::{columns, file};
use super::{convert, plan};
use crate::step::Step;

pub(super) const EXAMPLES: &str = "\
An utterance is converted if it meets every rule given; of several patterns, one \
match is enough.

Examples:
  spr-convert select feats.scp dev.pfile --keys dev.list    those in a list
  spr-convert select all.ark ann.ark --glob 'ann-*'         those of one speaker
  spr-convert select all.ark long.ark --min-frames 100      long ones
  spr-convert select all.ark few.ark --sample 100 --seed 1  100 at random
  spr-convert select train.json ten.json --random 10h --by speaker,language
  spr-convert select train.json ok.json --where 'seconds > 1 and text != \"\"'
  spr-convert select data/train data/ten --hours 10         ten hours of it
  spr-convert select data/train data/few --per-speaker 20   20 of each speaker";

#[derive(Args, Debug, Clone)]
pub(super) struct SelectArgs {
    /// Take the keys in this file: the first word of each line, or the keys of a data set
    #[arg(
        long,
        visible_alias = "utts",
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        help_heading = "Rules"
    )]
    keys: Option<Location>,
    /// Leave out the keys in this file
    #[arg(
        long,
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        help_heading = "Rules"
    )]
    exclude_keys: Option<Location>,
    /// Take keys that match a pattern with *, ? and [...]
    #[arg(long, value_name = "PATTERN", help_heading = "Rules")]
    glob: Vec<String>,
    /// Take keys that a regular expression matches anywhere
    #[arg(long, value_name = "REGEX", help_heading = "Rules")]
    regex: Vec<String>,
    /// Take utterances of N frames or more
    #[arg(long, value_name = "N", help_heading = "Rules")]
    min_frames: Option<u64>,
    /// Take utterances of N frames or fewer
    #[arg(long, value_name = "N", help_heading = "Rules")]
    max_frames: Option<u64>,
    /// Take what these speakers say: a comma-separated list, or a file of names
    #[arg(long, value_name = "NAME,...|FILE", help_heading = "Rules")]
    speakers: Option<String>,
    /// Of those, take the first N of each speaker
    #[arg(long, value_name = "N", help_heading = "Rules")]
    per_speaker: Option<u64>,
    /// Of those, take the first that add up to this many hours
    #[arg(long, value_name = "HOURS", help_heading = "Rules")]
    hours: Option<f64>,
    /// Of those, take the first N
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "sample",
        help_heading = "Rules"
    )]
    first: Option<u64>,
    /// Of those, take N or so many hours (10h, 30m, 90s) at random, different ones for another --seed; the
    /// input is read twice
    #[arg(
        long,
        visible_alias = "random",
        value_name = "N|10h",
        help_heading = "Rules"
    )]
    sample: Option<String>,
    /// With --sample, take of each group with equal values in columns of `ls` its share
    #[arg(
        long,
        value_name = "COLUMN,...",
        value_parser = columns(&[]),
        hide_possible_values = true,
        requires = "sample",
        allow_hyphen_values = true,
        help_heading = "Rules"
    )]
    by: Option<String>,
    #[command(flatten)]
    convert: ConvertArgs,
}

impl SelectArgs {
    fn has_rule(&self) -> bool {
        let files = self.keys.is_some() || self.exclude_keys.is_some();
        let names = !self.glob.is_empty() || !self.regex.is_empty() || self.speakers.is_some();
        let lengths = self.min_frames.or(self.max_frames);
        let typed = self.convert.stages.is_some() || self.convert.filter.is_given();
        let others = typed || self.sample.is_some();
        let counts = self.per_speaker.or(self.first);
        let numbers = lengths.or(counts).is_some() || self.hours.is_some();
        files || names || others || numbers
    }
}

impl SelectArgs {
    /// The steps that the rules ask for: by names, lengths and speakers first, then by number.
    fn steps(&self, seed: u32, env: &Env) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        for (name, file) in [("select", &self.keys), ("without", &self.exclude_keys)] {
            let Some(file) = file else { continue };
            if !env.exists(file) {
                let hint = "expected a file of keys; --glob takes a key itself";
                env.open_file(file).map_err(|error| error.hint(hint))?;
            }
            steps.push(Step::new(name, [("keys", file.to_string())])?);
        }
        for (value, texts) in [("pattern", &self.glob), ("regex", &self.regex)] {
            if !texts.is_empty() {
                steps.push(Step::new("select", texts.iter().map(|text| (value, text)))?);
            }
        }
        let (least, most) = (self.min_frames.unwrap_or(0), self.max_frames);
        if most.is_some_and(|most| most < least) {
            return Err(Error::usage("--min-frames is more than --max-frames"));
        }
        if self.min_frames.or(most).is_some() {
            let most = most.map(|most| most.to_string()).unwrap_or_default();
            steps.push(Step::new(
                "length",
                [("frames", format!("{least}-{most}"))],
            )?);
        }
        steps.extend(self.convert.filter.steps()?);
        if let Some(speakers) = &self.speakers {
            let values = match env.exists(&speakers.as_str().into()) {
                true => vec![("file", speakers.as_str())],
                false => speakers.split(',').map(|name| ("name", name)).collect(),
            };
            steps.push(Step::new("speakers", values)?);
        }
        let hours = self.hours.map(|hours| hours.to_string());
        let number = |n: Option<u64>| n.map(|n| n.to_string());
        for (name, n) in [
            ("per-speaker", number(self.per_speaker)),
            ("hours", hours),
            ("first", number(self.first)),
        ] {
            if let Some(n) = n {
                steps.push(Step::new(name, [("n", n)])?);
            }
        }
        if let Some(amount) = &self.sample {
            let mut values = vec![("n", amount.clone()), ("seed", seed.to_string())];
            if let Some(by) = &self.by {
                let columns = OrderColumns::undirected(by);
                let columns = columns.map_err(|error| error.context("--by"))?;
                values.push(("by", columns.to_string()));
            }
            steps.push(Step::new("sample", values)?);
        }
        Ok(steps)
    }
}

/// Converts only some utterances.
pub(super) fn run(args: &SelectArgs, session: &Session) -> Result<u8> {
    if let Some(hours) = args.hours.filter(|hours| hours.is_nan() || *hours <= 0.0) {
        return Err(Error::usage(format!("--hours: {hours} is not a duration")));
    }
    let mut convert = args.convert.clone();
    convert.same_form = true;
    // Rules take their turn among the others.
    convert.filter = FilterArgs::default();
    let seed = plan::seed(&mut convert.read)?;
    let done = convert::run_with(&convert, session, |builder| {
        if !args.has_rule() {
            let warning = Error::unfit("no rule is given, all utterances are taken");
            builder
                .env()
                .warn(&warning.hint(format!("{RULES} choose some")));
        }
        for step in args.steps(seed, builder.env())? {
            builder.step(step);
        }
        Ok(())
    });
    // A key that is taken for the output.
    let last = convert.paths.last().filter(|_| convert.paths.len() > 2);
    done.map_err(|error| match last {
        Some(key) if !args.has_rule() && error.file_name() == Some(key) => {
            let hint = format!("utterances are chosen by rules: --glob {key}");
            error.suggest_instead(Remedy::Advice(hint))
        }
        _ => error,
    })
}

/// The flags of rules.
const RULES: &str = "--keys, --exclude-keys, --glob, --regex, --speakers, --min-frames, \
     --max-frames, --min-seconds, --max-seconds, --min-text, --has, --where, --first, --sample, --per-speaker and --hours";
