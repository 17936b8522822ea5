//! From raw arguments to a job: all rules across flags.

use serde_json::json;
#[cfg(feature = "survey")]
use spr_core::bytes::FileKind;
use spr_core::bytes::{Access, Env, Location, PathMap, Urls};
use spr_core::format::{Format, Registry};
use spr_core::loss::{LossKind, LossPolicy};
use spr_core::model::Dtype;
use spr_core::{Error, Limits, Remedy, Result};

use super::args::{ConvertArgs, DataArgs, DuplicatesArg, OnErrorArg, ReadArgs, SoundArgs};
use super::beside::check_stdin;
use super::exit::DONE;
use super::out::{print_json, print_lines};
use super::session::Session;
use super::skipped::SkipCounter;
use crate::argument::{Input, Pair, Target, pair};
use crate::explain;
use crate::job::Job;
use crate::plan::{OnError, Plan};
use crate::step::{Step, Steps, Subject};

/// The surroundings that the flags ask for.
pub(super) fn env(args: &ReadArgs, session: &Session) -> Result<Env> {
    let limits = match &args.max_alloc {
        Some(size) => Limits::default().allowing(parse_size(size)?),
        None => Limits::default(),
    };
    let access = match (args.safe, args.allow_pipes) {
        (true, _) => Access::Safe,
        (_, true) => Access::Files,
        _ => Access::Typed,
    };
    let mut env = session.env(limits, access, args.quiet);
    let mut paths = PathMap::default();
    for text in &args.map_path {
        paths.add(text).map_err(|e| e.context("--map-path"))?;
    }
    // What the user types is trusted.
    let typed: Vec<_> = paths.hosts().collect();
    env.urls = match args.allow_urls.as_deref() {
        None if typed.is_empty() => Urls::Own,
        None => Urls::Hosts(typed),
        Some([]) => Urls::All,
        Some(hosts) => Urls::Hosts([hosts, &typed].concat()),
    };
    #[cfg(feature = "remote")]
    session.store.set(remote(&args.remote)?);
    let env = env.with_path_map(paths);
    if !args.quiet && !args.explain {
        session.moves(&env);
    }
    Ok(env)
}

/// Returns the settings for URLs.
#[cfg(feature = "remote")]
fn remote(args: &super::args::RemoteArgs) -> Result<spr_remote::Settings> {
    let timeout = std::time::Duration::from_secs(args.remote_timeout.max(1));
    let block = parse_size(&args.remote_block)?;
    let settings = spr_remote::Settings::new(block, timeout, args.allow_http);
    settings.map_err(|e| e.context("--remote-block"))
}

/// `512m`, `4g`, `1000000`; binary multiples.
pub(super) fn parse_size(text: &str) -> Result<u64> {
    let lower = text.to_ascii_lowercase();
    let (digits, shift) = match lower
        .trim_end_matches('b')
        .strip_suffix(['k', 'm', 'g', 't'])
    {
        Some(digits) => match lower.trim_end_matches('b').as_bytes().last() {
            Some(b'k') => (digits, 10),
            Some(b'm') => (digits, 20),
            Some(b'g') => (digits, 30),
            _ => (digits, 40),
        },
        None => (lower.trim_end_matches('b'), 0),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(1 << shift))
        .ok_or_else(|| Error::usage(format!("'{text}' is not a size")).hint("such as 512m or 4g"))
}

/// The format of that name, if one is given.
pub(super) fn format(
    name: Option<&String>,
    registry: &Registry,
) -> Result<Option<&'static dyn Format>> {
    name.map(|name| registry.get(name)).transpose()
}

/// Options typed as `KEY=VALUE`.
pub(super) fn pairs(texts: &[String]) -> Result<Vec<Pair>> {
    texts.iter().map(|text| pair(text)).collect()
}

/// The data options that have flags of their own.
fn data_options(args: &DataArgs) -> impl Iterator<Item = Pair> {
    let given = |key: &str, value: &Option<String>| {
        let value = value.clone()?;
        Some((key.to_owned(), value))
    };
    let set = |key: &str, yes: bool| yes.then(|| (key.to_owned(), "True".to_owned()));
    let pairs = [
        given("context", &args.context),
        given("lcxt", &args.lcxt),
        given("rcxt", &args.rcxt),
        given("ignore-label", &args.ignore_label),
        given("map-label", &args.map_label),
        given("partition", &args.partition),
        set("stream", args.stream),
        set("random", args.shuffle),
        given("seed", &args.seed),
    ];
    pairs.into_iter().flatten()
}

/// The options about sound that have flags of their own.
fn sound_options(args: &SoundArgs) -> impl Iterator<Item = Pair> {
    let given = |key: &str, value: &String| (key.to_owned(), value.clone());
    let pairs = [
        args.channel.as_ref().map(|value| given("channel", value)),
        args.rate.as_ref().map(|value| given("resample", value)),
        args.dither.then(|| given("dither", &"True".to_owned())),
    ];
    pairs.into_iter().flatten()
}

/// The data sets that `paths` name.
pub(super) fn inputs(
    paths: &[String],
    args: &ReadArgs,
    registry: &Registry,
    env: &Env,
) -> Result<Vec<Input>> {
    let from = format(args.from.as_ref(), registry)?;
    let mut options = pairs(&args.input_options)?;
    options.extend(data_options(&args.data));
    options.extend(sound_options(&args.sound));
    for (key, value) in [
        ("frame-shift", &args.frame_shift),
        ("speaker-from", &args.speaker_from),
    ] {
        options.extend(value.iter().map(|value| (key.to_owned(), value.clone())));
    }
    let mut inputs = Vec::new();
    for path in paths {
        inputs.extend(Input::parse(path, from, &options, registry, env)?);
    }
    Ok(inputs)
}

/// The data sets that `paths` name, for a verb that only reads them, and what it passes over.
pub(super) fn readable(
    paths: &[String],
    args: &ReadArgs,
    registry: &Registry,
    env: &mut Env,
) -> Result<(Vec<Input>, SkipCounter)> {
    let mut inputs = inputs(paths, args, registry, env)?;
    let skipped = SkipCounter::listen(&mut inputs, args, registry, env);
    Ok((inputs, skipped))
}

/// The seed for drawing at random; it is that of a shuffle and of dither, too, if there
/// is one.
pub(super) fn seed(args: &mut ReadArgs) -> Result<u32> {
    let given = match args.data.shuffle || args.sound.dither {
        true => args.data.seed.clone(),
        false => args.data.seed.take(),
    };
    given.map_or(Ok(0), |text| {
        text.parse().map_err(|_| {
            Error::usage(format!(
                "--seed: '{text}' is not a number from 0 to 4294967295"
            ))
        })
    })
}

/// Prints how the inputs of a verb are understood that only reads them.
pub(super) fn explain(
    inputs: &[Input],
    args: &ReadArgs,
    registry: &Registry,
    env: &Env,
) -> Result<u8> {
    for input in inputs {
        let lines = explain::plan(&Plan::new(vec![input.clone()]), registry, env)?;
        understood(&lines, args)?;
    }
    Ok(DONE)
}

/// Prints how the inputs of a verb are understood that writes something else than data, and where that
/// goes.
pub(super) fn explain_written(
    inputs: Vec<Input>,
    (what, output): (&str, Option<&str>),
    args: &ReadArgs,
    registry: &Registry,
    env: &Env,
) -> Result<u8> {
    let mut lines = explain::plan(&Plan::new(inputs), registry, env)?;
    lines.push(written(what, output));
    understood(&lines, args)
}

/// Says that `what`, which is no data set, is written to a file or to standard output.
pub(super) fn written(what: &str, output: Option<&str>) -> explain::Line {
    let place = match output {
        None | Some("-") => "standard output".to_owned(),
        Some(file) => format!("file {}", Location::from(file).told()),
    };
    let how = format!("{what}; writes {place}");
    explain::Line::new("output", how, Vec::new())
}

/// Prints which places a survey would look through, and where it would write a page.
#[cfg(feature = "survey")]
pub(super) fn explain_survey(
    places: &[String],
    page: Option<&str>,
    args: &ReadArgs,
    env: &Env,
) -> Result<u8> {
    let mut lines = Vec::new();
    for place in places {
        let at = Location::from(place.as_str());
        let of = match env.look(&at) {
            Ok(Some(look)) if look.kind == FileKind::Folder => "in it and in the folders below",
            Ok(Some(_)) => "in it",
            _ => {
                env.open_file(&at)?;
                "in it"
            }
        };
        let how = format!("{}; surveys all data sets {of}", at.told());
        lines.push(explain::Line::new("input", how, Vec::new()));
    }
    lines.extend(page.map(|page| written("a page", Some(page))));
    understood(&lines, args)
}

/// Prints how arguments are understood: what they are for, as what they are taken, and with which
/// steps.
pub(super) fn understood(lines: &[explain::Line], args: &ReadArgs) -> Result<u8> {
    for line in lines {
        let explain::Line {
            what, how, steps, ..
        } = line;
        match args.json {
            true => {
                let line = json!({"argument": what, "understood": how, "steps": steps});
                print_json(&line)?
            }
            false => print_lines(&[format!("{what}: {how}")])?,
        };
    }
    Ok(DONE)
}

/// The one data set that `path` names.
pub(super) fn input(path: &str, args: &ReadArgs, registry: &Registry, env: &Env) -> Result<Input> {
    only(path, inputs(&[path.to_owned()], args, registry, env)?)
}

/// The one data set that `path` names, for a verb that only reads it, and what it passes over.
pub(super) fn readable_one(
    path: &str,
    args: &ReadArgs,
    registry: &Registry,
    env: &mut Env,
) -> Result<(Input, SkipCounter)> {
    let (inputs, skipped) = readable(&[path.to_owned()], args, registry, env)?;
    Ok((only(path, inputs)?, skipped))
}

fn only(path: &str, mut inputs: Vec<Input>) -> Result<Input> {
    match (inputs.pop(), inputs.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Error::usage("expected one file, found several").file(path)),
    }
}

/// The steps of `--stages`.
///
/// # Errors
/// They leave no utterances to write.
fn stages(args: &ConvertArgs) -> Result<Vec<Step>> {
    let Some(text) = &args.stages else {
        return Ok(Vec::new());
    };
    let steps = text.parse::<Steps>().and_then(|steps| {
        let kept = steps.check_utterances();
        kept.map_err(|e| e.suggest(Remedy::KeepUtterances))?;
        Ok(steps.into_vec())
    });
    steps.map_err(|e| e.context("--stages"))
}

/// The inputs and the output as they are typed.
fn typed(args: &ConvertArgs) -> Result<(&[String], &String)> {
    match (&args.output, args.paths.split_last()) {
        (Some(output), Some(_)) => Ok((args.paths.as_slice(), output)),
        (None, Some((output, inputs))) if !inputs.is_empty() => Ok((inputs, output)),
        _ => Err(Error::usage("nothing says where to write")
            .hint("name the output behind the input, or with -o OUT")),
    }
}

/// Checks that validation data are not mixed with others.
///
/// # Errors
/// There are inputs beside those that `--valid-data` names.
pub(super) fn unmixed(args: &ConvertArgs) -> Result<()> {
    let (sources, output) = typed(args)?;
    let valid = args.read.data.train_data.as_deref();
    let valid = valid.and_then(|count| count.parse::<usize>().ok());
    if valid.is_none_or(|valid| valid >= sources.len()) {
        return Ok(());
    }
    let error = Error::usage("--valid-data and other inputs would be mixed in one output");
    let error = error.file(output.as_str());
    Err(error.hint("convert each of them to an output of its own"))
}

/// The conversion that the flags ask for.
pub(super) fn job(args: &ConvertArgs, registry: &Registry, env: &Env) -> Result<Job> {
    let (sources, output) = typed(args)?;
    let to = format(args.to.as_ref(), registry)?;
    let mut inputs = inputs(sources, &args.read, registry, env)?;
    let options = pairs(&args.output_options)?;
    let target = match args.same_form {
        true => Target::parse_like(&inputs, output, to, &options, registry, env)?,
        false => Target::parse(output, to, &options, registry, env)?,
    };
    let renamed = args.names.step()?;
    for input in &mut inputs {
        renamed.iter().for_each(|step| input.add_step(step.clone()));
        input.tolerate(args.join.length_tolerance.unwrap_or_default());
    }
    // A wrong option is told before a file that is there already.
    target.caps()?;
    if !target.is_numbered() {
        unmixed(args)?;
    }
    let mut job = Job::new(inputs, &target);
    let plan = &mut job.plan;
    plan.paths = env.path_map().clone();
    args.join.check(plan.inputs.iter().any(Input::has_labels))?;
    plan.joins = args.join.joins(&mut plan.inputs, registry, env)?;
    check_stdin(&plan.inputs, &plan.joins)?;
    if let Some(labels_out) = &args.labels_out {
        let target = Target::parse(labels_out, None, &[], registry, env)?;
        plan.labels_output = Some(target.sink().clone());
    }
    plan.steps = args.filter.steps()?;
    plan.steps.extend(stages(args)?);
    if args.copy {
        copy(&target, plan)?;
    }
    if let Some(manifest) = &args.manifest {
        if args.shard.which()?.is_some() {
            let message = "--manifest: a shard has only some of the sound files";
            let error = Error::usage(message).file(manifest.as_str());
            return Err(error.hint("write the manifest from the folder when it is whole"));
        }
        let target = Target::parse(manifest, None, &[], registry, env)?;
        plan.manifest = Some(target.sink().clone());
    }
    duplicates(args.duplicates, plan)?;
    plan.set_dtype(args.dtype.as_deref().map(str::parse).transpose()?);
    plan.label_dtype = args.label_dtype.as_deref().map(label_dtype).transpose()?;
    let rounds = |input: &Input| {
        let mut steps = input.steps.iter();
        steps.any(|step| step.kind().subject == Subject::Sound && !step.is_idle())
    };
    if args.read.sound.dither && !plan.inputs.iter().all(rounds) {
        let error = Error::usage("--dither: nothing is rounded");
        return Err(error.hint("it is for --rate, --channel mix and --dtype"));
    }
    allow_losses(args, &mut plan.policy)?;
    plan.on_error = match args.read.on_error {
        OnErrorArg::Stop => OnError::Stop,
        OnErrorArg::Skip => OnError::Skip,
    };
    plan.run.overwrite = args.overwrite;
    plan.run.add = args.add;
    plan.run.dry_run = args.dry_run;
    plan.run.verify = args.verify;
    plan.run.hash = args.report.is_some() || args.read.json;
    // That one is missing is told before all that is to be said of outputs. One of several is skipped.
    let files = plan.needed().filter_map(Input::file);
    for file in files.filter(|file| !file.is_url() && !env.exists(file)) {
        env.open_file(file)?;
    }
    Ok(job)
}

/// Plans that sound is copied to an output that could name its files as well.
fn copy(target: &Target, plan: &mut Plan) -> Result<()> {
    let audio = target.caps()?.audio;
    if !audio.references {
        return Ok(());
    }
    if audio.dtypes.is_empty() {
        let message = "--copy: the format names sound files and holds none";
        return Err(Error::usage(message)
            .file(target.text())
            .hint("OUT/ --to flac --manifest FILE writes copies and their manifest"));
    }
    plan.steps
        .push(Step::new("samples", [] as [(&str, &str); 0])?);
    Ok(())
}

/// Plans what becomes of utterances that have the same key.
fn duplicates(how: Option<DuplicatesArg>, plan: &mut Plan) -> Result<()> {
    let step = |words: &[&'static str]| {
        let words = words.iter().map(|word| (*word, *word));
        Step::new("unique", words)
    };
    let unique = plan.steps.iter().any(|step| step.name() == "unique");
    // The check of several inputs names both. Where utterances are left out, the keys of the others
    // may be all different.
    plan.distinct = match how {
        None => !unique,
        Some(DuplicatesArg::Refuse) => plan.steps.is_empty(),
        Some(_) => false,
    };
    plan.steps.extend(match how {
        None | Some(DuplicatesArg::Keep) => None,
        Some(DuplicatesArg::Refuse) => Some(step(&[])?),
        Some(DuplicatesArg::First) => Some(step(&["first"])?),
        Some(DuplicatesArg::Last) => Some(step(&["last"])?),
    });
    Ok(())
}

/// The element type of labels, which are integers.
fn label_dtype(name: &str) -> Result<Dtype> {
    let dtype: Dtype = name.parse()?;
    match dtype.is_float() || dtype == Dtype::Bool {
        true => Err(Error::usage(format!(
            "--label-dtype: labels are integers, not {dtype}"
        ))),
        false => Ok(dtype),
    }
}

/// Allows losses: those allowed by name, and those that a requested type implies.
fn allow_losses(args: &ConvertArgs, policy: &mut LossPolicy) -> Result<()> {
    for kind in &args.allow_loss {
        match kind.as_str() {
            "all" => policy.allow_all(),
            kind => policy.allow(kind.parse()?),
        }
    }
    if args.dtype.is_some() {
        policy.allow(LossKind::Precision);
        policy.allow(LossKind::Range);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("4g", 4 << 30),
            ("512M", 512 << 20),
            ("10kb", 10240),
            ("7", 7),
        ] {
            assert_eq!(parse_size(text).unwrap(), bytes);
        }
        for text in ["", "g", "1.5g", "-1", "99999999999g"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
