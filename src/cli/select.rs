//! `spr-convert select IN OUT`.

use std::sync::Arc;

use clap::{Args, ValueHint};
use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::stage::KeyFilter;
use spr_core::{Error, Remedy, Result};

use super::args::{ConvertArgs, file};
use super::session::Session;
use super::{convert, plan};
use crate::verbs::select::{
    Rules, first, hours, key_list, per_speaker, sample, speaker_list, who_speaks,
};

pub(super) const EXAMPLES: &str = "\
An utterance is converted if it meets every rule given; of several patterns, one \
match is enough.

Examples:
  spr-convert select feats.scp dev.pfile --keys dev.list    those in a list
  spr-convert select all.ark ann.ark --glob 'ann-*'         those of one speaker
  spr-convert select all.ark long.ark --min-frames 100      long ones
  spr-convert select all.ark few.ark --sample 100 --seed 1  100 at random
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
    /// Of those, take N at random, different ones for another --seed; the input is read twice
    #[arg(long, value_name = "N", help_heading = "Rules")]
    sample: Option<u64>,
    #[command(flatten)]
    convert: ConvertArgs,
}

impl SelectArgs {
    fn has_rule(&self) -> bool {
        let files = self.keys.is_some() || self.exclude_keys.is_some();
        let names = !self.glob.is_empty() || !self.regex.is_empty() || self.speakers.is_some();
        let lengths = self.min_frames.is_some() || self.max_frames.is_some();
        let typed = self.convert.stages.is_some();
        let counts = self.per_speaker.or(self.first).or(self.sample);
        files || names || lengths || typed || counts.is_some() || self.hours.is_some()
    }
}

/// Converts only some utterances.
pub(super) fn run(args: &SelectArgs, session: &Session) -> Result<u8> {
    let counted = args.first.or(args.sample).or(args.per_speaker);
    if counted.is_some() || args.hours.is_some() {
        args.convert.shard.refuse("a number of utterances")?;
    }
    if let Some(hours) = args.hours.filter(|hours| hours.is_nan() || *hours <= 0.0) {
        return Err(Error::usage(format!("--hours: {hours} is not a duration")));
    }
    let mut convert = args.convert.clone();
    convert.same_form = true;
    let seed = plan::seed(&mut convert.read)?;
    let speakers = args.speakers.is_some() || args.per_speaker.is_some();
    let done = convert::run_with(&convert, session, |job, registry, env| {
        if !args.has_rule() {
            let warning = Error::unfit("no rule is given, all utterances are taken");
            env.warn(&warning.hint(format!("{RULES} choose some")));
        }
        if let Some(file) = job.utt2spk.clone().filter(|_| speakers) {
            job.stages.push(who_speaks(file));
        }
        Arc::new(rules(args, registry, env)?).add_to(job);
        if let Some(n) = args.per_speaker {
            job.stages.push(per_speaker(n));
        }
        if let Some(length) = args.hours {
            job.stages.push(hours(length));
        }
        if let Some(n) = args.first {
            job.stages.push(first(n));
        }
        if let Some(n) = args.sample {
            let stage = sample(n, seed, job, registry, env)?;
            job.stages.push(stage);
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
     --max-frames, --first, --sample, --per-speaker and --hours";

fn rules(args: &SelectArgs, registry: &Registry, env: &Env) -> Result<Rules> {
    let list = |file: &Location| {
        key_list(file, registry, env).map_err(|error| match env.exists(file) {
            true => error,
            false => error.hint("expected a file of keys; --glob takes a key itself"),
        })
    };
    let named = |file: &Location| Ok::<_, Error>((file.to_string(), list(file)?));
    let keys = args.keys.as_ref().map(named).transpose()?;
    let excluded = args.exclude_keys.as_ref().map(list).transpose()?;
    let rules = Rules {
        keys,
        exclude: excluded.map(KeyFilter::from),
        globs: filters(&args.glob, KeyFilter::glob)?,
        whole: {
            let mut globs = args.glob.iter();
            globs.find(|glob| !glob.contains(['*', '?', '['])).cloned()
        },
        regexes: filters(&args.regex, KeyFilter::regex)?,
        speakers: match &args.speakers {
            Some(speakers) => Some(speaker_list(speakers, env)?),
            None => None,
        },
        frames: args.min_frames.unwrap_or(0)..=args.max_frames.unwrap_or(u64::MAX),
    };
    match rules.frames.is_empty() {
        true => Err(Error::usage("--min-frames is more than --max-frames")),
        false => Ok(rules),
    }
}

fn filters(texts: &[String], make: fn(&str) -> Result<KeyFilter>) -> Result<Vec<KeyFilter>> {
    texts.iter().map(|text| make(text)).collect()
}
