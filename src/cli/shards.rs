//! `spr-convert shards status|merge|plan`.

use clap::{Args, Subcommand};
use serde_json::json;
use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{FormatInfo, IndexKind, OptionSpec, Registry};
use spr_core::{Error, KeyMap, Result};

use super::args::{ConvertArgs, OnErrorArg, ReadArgs};
use super::document::Document;
use super::exit::{DONE, NO, SKIPPED};
use super::out::{print_json, print_lines};
use super::session::Session;
use super::words::data_set;
use super::words::file;
use super::{convert, messages, plan};
use crate::argument::Target;
use crate::explain;
use crate::shard::{Hashes, Shard, ShardBalance, Weights};
use crate::verbs::shards::{Shards, State, expression};

pub(super) const EXAMPLES: &str = "\
OUT is the output as the jobs name it, with {shard} in its name.

Examples:
  spr-convert feats.scp 'out.{shard}.pfile' --shard 3/16     one of 16 jobs
  spr-convert shards status 'out.{shard}.pfile' --of 16      3,7-9 are missing
  spr-convert shards merge 'out.{shard}.pfile' -o out.pfile  as one job writes
  spr-convert shards plan feats.scp --of 16                  what goes where";

#[derive(Subcommand, Debug, Clone)]
pub(super) enum ShardsVerb {
    /// Print which shards are missing, as array jobs take them; status 1 if any is
    Status(StatusArgs),
    /// Combine the shards into what one job would have written
    Merge(Box<MergeArgs>),
    /// Show which entries go to each shard
    Plan(Box<PlanArgs>),
}

#[derive(Args, Debug, Clone)]
pub(super) struct ShardsArgs {
    #[command(subcommand)]
    verb: ShardsVerb,
}

#[derive(Args, Debug, Clone)]
pub(super) struct StatusArgs {
    /// The output, as the jobs name it
    #[arg(value_name = "OUT", value_parser = data_set())]
    output: String,
    /// How many shards there are; not needed once one is done
    #[arg(long, value_name = "N")]
    of: Option<u64>,
    /// Print facts as JSON
    #[arg(long)]
    json: bool,
    /// Print only which are missing
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Args, Debug, Clone)]
pub(super) struct MergeArgs {
    /// How many shards there are, if files of several numbers are there
    #[arg(long, value_name = "N")]
    of: Option<u64>,
    /// Join only the script files, which point into the shards
    #[arg(long)]
    no_copy: bool,
    #[command(flatten)]
    convert: ConvertArgs,
}

#[derive(Args, Debug, Clone)]
pub(super) struct PlanArgs {
    /// Data to divide
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    /// How many shards
    #[arg(long, value_name = "N")]
    of: u64,
    /// What to balance shards by: auto, entries, bytes, frames
    #[arg(long, value_name = "auto|entries|bytes|frames", default_value = "auto")]
    shard_by: String,
    /// Keep together utterances with the same word in this file of lines `utterance word`
    #[arg(long, value_name = "FILE", value_parser = file())]
    shard_group: Option<Location>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Does what is asked of shards.
pub(super) fn run(args: &ShardsArgs, session: &Session) -> Result<u8> {
    match &args.verb {
        ShardsVerb::Status(args) => status(args, session),
        ShardsVerb::Merge(args) => merge(args, session),
        ShardsVerb::Plan(args) => plan_of(args, session),
    }
}

fn status(args: &StatusArgs, session: &Session) -> Result<u8> {
    let env = session.plain_env(args.quiet);
    let shards = Shards::find(&args.output, args.of, &session.registry, &env)?;
    let states = shards.states(&env);
    let missing = expression(&states);
    let wrong: Vec<_> = (1..)
        .zip(&states)
        .filter_map(|(number, state): (u64, _)| match state {
            State::Mismatched(why) => Some((number, why)),
            State::Done | State::Missing => None,
        })
        .collect();
    let done = states.iter().filter(|state| **state == State::Done).count();
    let skipped = shards.skipped();
    if args.json {
        let wrong: Vec<_> = wrong
            .iter()
            .map(|(number, why)| json!({"shard": number, "why": why}))
            .collect();
        let facts = json!({
            "of": shards.of,
            "done": done,
            "missing": missing,
            "mismatched": wrong,
            "skipped": skipped.iter().map(|(_, count)| count).sum::<u64>(),
        });
        print_json(&facts)?;
    } else {
        if !missing.is_empty() {
            print_lines(std::slice::from_ref(&missing))?;
        }
        tell_skipped(&skipped);
        if !args.quiet {
            for (number, why) in &wrong {
                messages::say("mismatched", &format!("shard {number}: {why}"));
            }
            let count = states
                .iter()
                .filter(|state| **state == State::Missing)
                .count();
            messages::plain(&format!(
                "{}: {done} done, {count} missing, {} mismatched",
                messages::count(shards.of, "shard"),
                wrong.len()
            ));
        }
    }
    Ok(match (done as u64 == shards.of, skipped.is_empty()) {
        (false, _) => NO,
        (true, false) => SKIPPED,
        (true, true) => DONE,
    })
}

/// Tells how many utterances the jobs of shards skipped, by their records.
fn tell_skipped(skipped: &[(u64, u64)]) {
    for (number, count) in skipped {
        let count = messages::count(*count, "utterance");
        messages::say("skipped", &format!("shard {number}: {count} in its run"));
    }
}

/// The status of what was made of shards, for which the utterances that their jobs skipped are missing.
fn status_of(shards: &Shards, status: u8) -> u8 {
    let skipped = shards.skipped();
    tell_skipped(&skipped);
    match status {
        DONE if !skipped.is_empty() => SKIPPED,
        status => status,
    }
}

fn merge(args: &MergeArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut convert = args.convert.clone();
    convert.shard.refuse("merging")?;
    let env = plan::env(&convert.read, session)?;
    if convert.output.is_none() && convert.paths.len() > 1 {
        convert.output = convert.paths.pop();
    }
    let [pattern] = convert.paths.as_slice() else {
        return Err(Error::usage(
            "expected one output of shards, as the jobs name it",
        ));
    };
    let Some(output) = convert.output.clone() else {
        return Err(Error::usage("nothing says where to write").hint("name the output with -o OUT"));
    };
    let shards = Shards::find(pattern, args.of, registry, &env)?;
    shards.check_whole(&env)?;
    if args.no_copy {
        let joined = join_scripts(&shards, &output, &convert, registry, &env)?;
        return Ok(status_of(&shards, joined));
    }
    convert.paths = shards.parts()?;
    convert.read.from = shards.format().map(str::to_owned);
    if let Some(format) = shards.format().and_then(|name| registry.find(name))
        && keeps_stored(format.info(), &convert, &output, registry, &env)
    {
        convert.output_options.push("compress=keep".to_owned());
    }
    let hashes = Hashes::default();
    shards.expect(&hashes);
    let lacking = shards.skipped().iter().map(|(_, count)| count).sum();
    let merged = convert::run_hashing(&convert, session, hashes, |builder| {
        let env = builder.lacking(lacking).env();
        shards.files().iter().for_each(|file| env.reads(file));
        Ok(())
    })?;
    Ok(status_of(&shards, merged))
}

/// Returns `true` if the output can take objects in the stored form of the shards, which are of
/// `format`.
fn keeps_stored(
    format: &FormatInfo,
    convert: &ConvertArgs,
    output: &str,
    registry: &Registry,
    env: &Env,
) -> bool {
    let keeps = |option: &OptionSpec| {
        option.name == "compress" && option.value.split('|').any(|value| value == "keep")
    };
    if !format.options.iter().any(keeps) {
        return false;
    }
    let pairs = plan::pairs(&convert.output_options).unwrap_or_default();
    let target = Target::parse(output, None, &pairs, registry, env);
    target.is_ok_and(|target| {
        let free = target
            .options()
            .is_ok_and(|options| options.get("compress").is_none());
        let binary = target
            .options()
            .is_ok_and(|options| options.get("text").is_none());
        free && binary && target.format().info().name == format.name
    })
}

/// Joins the script files of the shards, which go on pointing into them.
fn join_scripts(
    shards: &Shards,
    output: &str,
    convert: &ConvertArgs,
    registry: &Registry,
    env: &Env,
) -> Result<u8> {
    // Lists point into the data that other shards wrote, whichever of them is read.
    shards.files().iter().for_each(|file| env.reads(file));
    check_script_name(output, shards, registry, env)?;
    if convert.read.explain {
        let how = format!(
            "the script files of {}",
            messages::count(shards.of, "shard")
        );
        let input = explain::Line::new("input", how, Vec::new());
        let lines = [input, plan::written("a script file", Some(output))];
        return plan::understood(&lines, &convert.read);
    }
    let mut joined = Document::create(&output.into(), convert.overwrite, env)?;
    let mut lines = 0;
    for number in 1..=shards.of {
        let target = shards.target(number, registry, env)?;
        let files = target.locations();
        let script = files.iter().find(|file| is_script(file, &target));
        let Some(script) = script else {
            return Err(Error::usage("the shards have no script files")
                .file(target.text())
                .hint("leave out --no-copy, or write them with ark,scp:"));
        };
        shards.check_hash(script, env)?;
        let mut source = env.open_file(script)?;
        let mut line = Vec::new();
        while source.line(&mut line, &env.limits)? {
            line.push(b'\n');
            joined.put(&line)?;
            lines += 1;
        }
    }
    let mut note = output.to_owned();
    match convert.dry_run {
        true => note.push_str(", nothing written"),
        false => joined.finish()?,
    }
    if !convert.read.quiet {
        let count = messages::count(lines, "utterance");
        messages::plain(&format!("{count} ({note})"));
    }
    Ok(DONE)
}

/// Returns `true` if a file is a script file of a target's format, by its name.
fn is_script(file: &Location, target: &Target) -> bool {
    match target.format().info().index {
        IndexKind::Script(extension) => file.extension() == Some(extension),
        IndexKind::Own | IndexKind::SideFile => false,
    }
}

/// Checks that the joined script files go to a script file, or to standard output.
fn check_script_name(output: &str, shards: &Shards, registry: &Registry, env: &Env) -> Result<()> {
    let target = shards.target(1, registry, env)?;
    let written = Target::parse(output, None, &[], registry, env);
    let is_plain = written.is_ok_and(|written| *written.place() == Locator::file(output));
    if output == "-" || is_plain && is_script(&output.into(), &target) {
        return Ok(());
    }
    let message = "is no name of a script file, and --no-copy writes nothing else";
    let error = Error::usage(message).file(output);
    Err(error.hint("such as -o all.scp; without --no-copy the data are copied"))
}

fn plan_of(args: &PlanArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let env = plan::env(&args.read, session)?;
    let builder = plan::reading(&args.paths, &args.read, registry, &env)?;
    if args.read.explain {
        return plan::explain(&builder.finish_each()?, &args.read, registry, &env);
    }
    let groups = args.shard_group.as_ref();
    let groups = groups
        .map(|file| KeyMap::open(&file.clone().into(), &env))
        .transpose()?;
    let by: ShardBalance = args.shard_by.parse()?;
    let cut = (by, args.read.on_error == OnErrorArg::Skip);
    let to = (groups.as_ref(), &Hashes::default());
    let plan = builder.finish()?;
    let weights = Weights::of(plan.inputs(), cut, to, registry, &env)?;
    let mut lines = vec![format!(
        "{:>5} {:>10} {:>10} {:>14}",
        "shard",
        "first",
        "entries",
        weights.by.to_string()
    )];
    let mut shards = Vec::new();
    for number in 1..=Shard::new(1, args.of)?.of {
        let cut = weights.cut(Shard::new(number, args.of)?);
        let weight = u64::try_from(weights.weight(cut)).unwrap_or(u64::MAX);
        lines.push(format!(
            "{number:>5} {:>10} {:>10} {weight:>14}",
            cut.first,
            cut.end - cut.first
        ));
        shards.push(json!({"shard": number, "entries": [cut.first, cut.end], "weight": weight}));
    }
    match args.read.json {
        true => {
            print_json(&json!({"by": weights.by.to_string(), "shards": shards}))?;
        }
        false => {
            print_lines(&lines)?;
        }
    }
    Ok(DONE)
}
