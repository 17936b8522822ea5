//! From raw arguments to a job: all rules across flags.

use serde_json::json;
#[cfg(feature = "survey")]
use spr_core::bytes::FileKind;
use spr_core::bytes::{Access, Env, Location, PathMap, Urls};
use spr_core::format::{ErrorPolicy, Registry};
use spr_core::{Error, Limits, Result};

use super::args::{ConvertArgs, DataArgs, OnErrorArg, ReadArgs, SoundArgs};
use super::beside::BesideArgs;
use super::exit::DONE;
use super::out::{print_json, print_lines};
use super::session::Session;
use super::skipped::SkipCounter;
use crate::argument::{Pair, pair};
use crate::builder::PlanBuilder;
use crate::explain;
use crate::plan::Plan;

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

/// Begins a plan that reads what `paths` name.
pub(super) fn reading(
    paths: &[String],
    args: &ReadArgs,
    registry: &Registry,
    env: &Env,
) -> Result<PlanBuilder> {
    let mut builder = PlanBuilder::new(registry, env);
    // Columns are mapped in tables of sound files alone, which may have no other mark.
    let tables = args.columns_of.as_ref().and_then(|_| {
        let mut formats = registry.formats();
        let found = formats.find(|format| format.sound_folder().is_some())?;
        Some(found.info().name)
    });
    if let Some(format) = args.from.as_deref().or(tables) {
        builder.format(format)?;
    }
    let given = [
        ("columns", &args.columns_of),
        ("frame-shift", &args.frame_shift),
        ("speaker-from", &args.speaker_from),
    ];
    let given = given
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value.clone()?)));
    let options = pairs(&args.input_options)?.into_iter();
    let options = options.chain(data_options(&args.data));
    let options = options.chain(args.recordings.options());
    for (key, value) in options.chain(sound_options(&args.sound)).chain(given) {
        builder.option(key, value);
    }
    for path in paths {
        builder.input(path)?;
    }
    Ok(builder)
}

/// The data sets that `paths` name, for a verb that only reads them, with what joins them, and what it
/// skips.
pub(super) fn readable(
    paths: &[String],
    beside: Option<&BesideArgs>,
    args: &ReadArgs,
    registry: &Registry,
    env: &mut Env,
) -> Result<(Vec<Plan>, SkipCounter)> {
    let mut builder = reading(paths, args, registry, env)?;
    if let Some(beside) = beside {
        beside.add(&mut builder)?;
    }
    let inputs = builder.on_error(on_error(args)).finish_each()?;
    let skipped = SkipCounter::listen(inputs.len() > 1, args, registry, env);
    Ok((inputs, skipped))
}

/// The treatment of faulty utterances that the flags ask for.
pub(super) fn on_error(args: &ReadArgs) -> ErrorPolicy {
    match args.on_error {
        OnErrorArg::Stop => ErrorPolicy::Stop,
        OnErrorArg::Skip => ErrorPolicy::Skip,
    }
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
    inputs: &[Plan],
    args: &ReadArgs,
    registry: &Registry,
    env: &Env,
) -> Result<u8> {
    for input in inputs {
        let lines = explain::plan(input, registry, env)?;
        understood(&lines, args)?;
    }
    Ok(DONE)
}

/// Prints how the inputs of a verb are understood that writes something else than data, and where that
/// goes.
pub(super) fn explain_written(
    inputs: &[Plan],
    (what, output): (&str, Option<&str>),
    args: &ReadArgs,
    registry: &Registry,
    env: &Env,
) -> Result<u8> {
    explain(inputs, args, registry, env)?;
    understood(&[written(what, output)], args)
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

/// The one data set that `path` names, with what joins it.
pub(super) fn input(
    path: &str,
    beside: Option<&BesideArgs>,
    args: &ReadArgs,
    registry: &Registry,
    env: &Env,
) -> Result<Plan> {
    let mut builder = reading(&[path.to_owned()], args, registry, env)?;
    if let Some(beside) = beside {
        beside.add(&mut builder)?;
    }
    let mut inputs = builder.on_error(on_error(args)).finish_each()?;
    match (inputs.pop(), inputs.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Error::usage("expected one file, found several").file(path)),
    }
}

/// The one data set that `path` names, for a verb that only reads it, with what joins it, and what it
/// skips.
pub(super) fn readable_one(
    path: &str,
    beside: Option<&BesideArgs>,
    args: &ReadArgs,
    registry: &Registry,
    env: &mut Env,
) -> Result<(Plan, SkipCounter)> {
    let input = input(path, beside, args, registry, env)?;
    let skipped = SkipCounter::listen(false, args, registry, env);
    Ok((input, skipped))
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

/// Begins the conversion that the flags ask for.
pub(super) fn conversion(
    args: &ConvertArgs,
    registry: &Registry,
    env: &Env,
) -> Result<PlanBuilder> {
    let (sources, output) = typed(args)?;
    let to = args.to.as_deref();
    to.map(|name| registry.get(name)).transpose()?;
    let mut builder = reading(sources, &args.read, registry, env)?;
    if let Some(name) = to {
        builder.output_format(name)?;
    }
    for (key, value) in pairs(&args.output_options)? {
        builder.output_option(key, value);
    }
    if args.same_form {
        builder.keep_form();
    }
    builder.output(output)?;
    if let Some(step) = args.names.step()? {
        builder.step_on_each(&step);
    }
    let valid = args.read.data.train_data.as_deref();
    if let Some(count) = valid.and_then(|count| count.parse().ok()) {
        builder.validation(count);
    }
    args.join.add(&mut builder)?;
    if let Some(labels) = &args.labels_out {
        builder.labels_output(labels)?;
    }
    for step in args.filter.steps()? {
        builder.step(step);
    }
    if let Some(stages) = &args.stages {
        builder.stages(stages).map_err(|e| e.context("--stages"))?;
    }
    if args.copy {
        builder.copy_sound().map_err(|e| e.context("--copy"))?;
    }
    if let Some(manifest) = &args.manifest {
        if args.shard.which()?.is_some() {
            let message = "--manifest: a shard has only some of the sound files";
            let error = Error::usage(message).file(manifest.as_str());
            return Err(error.hint("write the manifest from the folder when it is whole"));
        }
        builder.manifest(manifest)?;
    }
    if let Some(duplicates) = args.duplicates {
        builder.duplicates(duplicates.into())?;
    }
    if let Some(dtype) = &args.dtype {
        builder.dtype(dtype.parse()?);
    }
    if let Some(dtype) = &args.label_dtype {
        let set = builder.label_dtype(dtype.parse()?);
        set.map_err(|e| e.context("--label-dtype"))?;
    }
    for loss in &args.allow_loss {
        builder.allow_named(loss)?;
    }
    builder
        .on_error(on_error(&args.read))
        .overwrite(args.overwrite)
        .add_files(args.add)
        .dry_run(args.dry_run)
        .verify(args.verify)
        .hash(args.read.json);
    Ok(builder)
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
