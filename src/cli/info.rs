//! `spr-convert info IN...`.

use std::collections::HashMap;

use clap::Args;
use spr_core::Result;
#[cfg(feature = "survey")]
use spr_core::bytes::{Env, Location};
use spr_core::model::{About, AboutField};
#[cfg(feature = "survey")]
use spr_core::{Error, ErrorKind};
use spr_stats::Sound;

use super::args::{ProgressArg, ReadArgs};
use super::beside::BesideArgs;
use super::exit::{DONE, FAILED};
use super::messages::unit;
use super::out::{Columns, Out};
use super::session::Session;
use super::table::flat;
use super::words::data_set;
use super::{messages, plan};
#[cfg(feature = "survey")]
use crate::plan::Plan;
use crate::verbs::info::{Facts, inspect};

pub(super) const EXAMPLES: &str = "\
Everything is read, so that damage is found: what was read before it is \
printed, and the exit status is 2.

Examples:
  spr-convert info feats.scp           the same as spr-convert feats.scp
  spr-convert info *.pfile --quick     headers only; some counts are unknown
  spr-convert info * -v                a paragraph for each file, not a table
  spr-convert info -r corpus old.tgz   a line for each data set below or inside
  spr-convert info train.pfile --json  one object per line, for programs";

#[derive(Args, Debug, Clone)]
pub(super) struct InfoArgs {
    /// Data to look into
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    pub(super) paths: Vec<String>,
    /// Print a table with tabs and a header line, for programs
    #[arg(long, conflicts_with = "json")]
    pub(super) tsv: bool,
    /// Read headers only
    #[arg(long)]
    pub(super) quick: bool,
    /// Survey folders and archives (tar, zip): a line for each data set in them, what belongs
    /// together, and what is none
    #[cfg(feature = "survey")]
    #[arg(short, long, conflicts_with = "from")]
    pub(super) recursive: bool,
    /// Show the progress of a survey on standard error
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        value_name = "auto|always|never|json",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(super) progress: ProgressArg,
    #[command(flatten)]
    pub(super) beside: BesideArgs,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

/// The characters of a description beside its name that fit a terminal of 80 columns.
const WIDTH: usize = 62;

/// Different sizes or types that are told one by one.
const MANY: usize = 6;

/// The most characters shown of what a data set says of itself.
const SHOWN: usize = 60;

/// Tells what data sets hold; what could be found out of a damaged one is told too.
pub(super) fn run(args: &InfoArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    #[cfg(feature = "survey")]
    if args.recursive {
        if args.read.explain {
            return plan::explain_survey(&args.paths, None, &args.read, &env);
        }
        let places: Vec<_> = args.paths.iter().map(|path| path.as_str().into()).collect();
        return survey(&places, args, session, &env);
    }
    let mut status = DONE;
    let beside = Some(&args.beside);
    let (inputs, skipped) = plan::readable(&args.paths, beside, &args.read, registry, &mut env)?;
    if args.read.explain {
        return plan::explain(&inputs, &args.read, registry, &env);
    }
    let mut form = match (args.read.json, args.tsv) {
        (true, _) => Form::Json,
        (_, true) => Form::Tsv { titled: false },
        _ if inputs.len() > 1 && !args.read.verbose => Form::Table(Columns::new(3)),
        _ => Form::Blocks,
    };
    let mut out = Out::new();
    if let Form::Table(table) = &mut form {
        table.line(TITLES.map(str::to_owned).to_vec(), &mut out)?;
    }
    for input in inputs {
        let (facts, result) = inspect(&input, args.quick, registry, &env);
        if !facts.format.is_empty() {
            form.print(&facts, &mut out)?;
        }
        if result.is_ok() && facts.utterances == Some(0) {
            messages::empty(&input, &env);
        }
        if let Err(error) = result {
            if error.is_broken_pipe() {
                return Err(error);
            }
            if skipped.passes(&input, &error) {
                continue;
            }
            #[cfg(feature = "survey")]
            if let Some(place) = surveyed(&input, &facts, &error, &env) {
                form.pause(&mut out)?;
                status = status.max(survey(&[place], args, session, &env)?);
                continue;
            }
            session.error(error);
            status = FAILED;
        }
    }
    form.pause(&mut out)?;
    Ok(skipped.status(status))
}

/// Surveys places as the arguments say.
#[cfg(feature = "survey")]
fn survey(places: &[Location], args: &InfoArgs, session: &Session, env: &Env) -> Result<u8> {
    let form = super::survey::Form {
        json: args.read.json,
        tsv: args.tsv,
        verbose: args.read.verbose,
        progress: super::survey::Progress::new(args.progress, args.read.quiet),
    };
    super::survey::run(places, args.quick, form, session, env)
}

/// Returns the folder or archive that is to be surveyed, as it is no data set.
#[cfg(feature = "survey")]
fn surveyed(input: &Plan, facts: &Facts, error: &Error, env: &Env) -> Option<Location> {
    let kinds = [
        ErrorKind::Unrecognised,
        ErrorKind::Ambiguous,
        ErrorKind::Usage,
    ];
    let only = input.only().ok()?;
    let is_open = !facts.format.is_empty() || only.format().is_some() || !only.options().is_empty();
    if is_open || !kinds.contains(&error.kind()) {
        return None;
    }
    let archive = input
        .file()
        .filter(|file| spr_survey::is_archive(file, env));
    input.folder().or(archive).cloned()
}

/// The form in which facts are printed.
enum Form {
    Json,
    /// A line each, with tabs, and a line of titles before the first.
    Tsv {
        titled: bool,
    },
    /// A line each, of several data sets.
    Table(Columns),
    /// A paragraph each.
    Blocks,
}

/// The titles of the table.
const TITLES: [&str; 7] = [
    "data",
    "format",
    "holds",
    "utterances",
    "frames",
    "columns",
    "seconds",
];

/// The titles of the table for programs: the names of the facts.
const FACTS: [&str; 22] = [
    "input",
    "format",
    "utterances",
    "frames",
    "dim",
    "dtype",
    "kinds",
    "label_columns",
    "labels.min",
    "labels.max",
    "labels.distinct",
    "byte_order",
    "compression",
    "frame_shift",
    "sample_rate",
    "duration",
    "sound.samples",
    "sound.peak_db",
    "sound.rms_db",
    "sound.clipped",
    "sound.zeros",
    "keys",
];

impl Form {
    /// Prints the facts of one data set.
    fn print(&mut self, facts: &Facts, out: &mut Out) -> Result<()> {
        match self {
            Self::Json => out.json(facts)?,
            Self::Tsv { titled } => {
                if !std::mem::replace(titled, true) {
                    out.tsv(&FACTS)?;
                }
                let facts: HashMap<_, _> = flat(facts)?.into_iter().collect();
                out.tsv(&FACTS.map(|name| facts.get(name).map_or("", String::as_str)))?;
            }
            Self::Table(table) => return table.line(row(facts), out),
            Self::Blocks => {
                for line in describe(facts) {
                    out.line(line)?;
                }
            }
        }
        out.flush()
    }

    /// Prints what waits. Lines of a table wait for one another, so that errors between them do not
    /// change its widths.
    fn pause(&mut self, out: &mut Out) -> Result<()> {
        if let Self::Table(table) = self {
            table.finish(out)?;
        }
        out.flush()
    }
}

/// The name of the format, and whether it is certain.
fn format_of(facts: &Facts) -> String {
    match facts.guessed {
        true => format!("{} (a guess)", facts.format),
        false => facts.format.clone(),
    }
}

/// A line of the table of several data sets.
fn row(facts: &Facts) -> Vec<String> {
    let known = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
    let has_frames = facts.frames.filter(|n| *n > 0);
    vec![
        facts.input.clone(),
        format_of(facts),
        facts.kinds.join("+"),
        known(facts.utterances),
        known(has_frames),
        known(facts.dim),
        facts.duration.map_or("-".to_owned(), |s| format!("{s:.2}")),
    ]
}

/// The facts for people, a line each.
fn describe(facts: &Facts) -> Vec<String> {
    let holds = |kind: &str| facts.kinds.iter().any(|own| own == kind);
    let mut lines = vec![facts.input.clone()];
    let mut line = |name: &str, text: String| lines.push(format!("  {name:<12}{text}"));
    let mut format = format_of(facts);
    if let Some(order) = facts.byte_order {
        format.push_str(&format!(", {order} endian"));
    }
    if let Some(coder) = &facts.compression {
        format.push_str(&format!(", {coder}"));
    }
    line("format", format);
    if let (Some(utterances), Some(frames)) = (facts.utterances, facts.frames) {
        let units = messages::count(utterances, unit(facts.partitions));
        let mut text = format!("{units}, {}", messages::count(frames, "frame"));
        match facts.survey.shortest_longest {
            Some((least, most)) if least < most => {
                text.push_str(&format!(" ({least} to {most} each)"));
            }
            Some((each, _)) if utterances > 1 => text.push_str(&format!(" ({each} each)")),
            _ => {}
        }
        if frames == 0 {
            text = units;
        }
        if let Some(duration) = facts.duration.filter(|_| holds("audio")) {
            text.push_str(&in_all(duration));
        }
        let counted = |sound: &&Sound| sound.samples > 0 && (frames == 0 || sound.references == 0);
        if let Some(sound) = facts.sound.as_ref().filter(counted) {
            text.push_str(&format!(", {}", messages::count(sound.samples, "sample")));
        }
        line("holds", text);
    }
    if holds("features") {
        line("features", features(facts));
    }
    if holds("labels") {
        line("labels", labels(facts));
    }
    let told = ["features", "labels", "audio"];
    let others = facts.kinds.iter().map(String::as_str);
    let others: Vec<_> = others.filter(|kind| !told.contains(kind)).collect();
    if !others.is_empty() {
        line("objects", others.join(", "));
    }
    if holds("audio") {
        line("audio", sound(facts));
        for (name, text) in facts.sound.iter().flat_map(Sound::levels) {
            line(name, text);
        }
    }
    if let Some(transcripts) = &facts.transcripts {
        // After the name and its gap, 66 of 80 columns are left.
        let options = textwrap::Options::new(66)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let names = std::iter::once("transcripts").chain(std::iter::repeat(""));
        for (name, row) in names.zip(textwrap::wrap(transcripts, options)) {
            line(name, row.into_owned());
        }
    }
    if let Some(shift) = facts.frame_shift {
        let mut text = format!("{shift} s");
        if let Some(duration) = facts.duration {
            text.push_str(&in_all(duration));
        }
        line("frame shift", text);
    }
    if let Some(speakers) = facts.speakers {
        line("speakers", speakers.to_string());
    }
    if !facts.languages.is_empty() {
        line("languages", start(facts.languages.join(", ")));
    }
    let keys = match facts.keys {
        "" => None,
        "sidecar" => Some("in a side file"),
        "generated" => Some("none, generated on reading"),
        _ => Some("stored"),
    };
    if let Some(keys) = keys {
        line("names", keys.to_owned());
    }
    for (name, text) in about(&facts.about) {
        line(&name, start(text));
    }
    lines
}

/// The duration of all, in hours as well where it has some.
fn in_all(seconds: f64) -> String {
    const HOUR: f64 = 3600.0;
    match seconds < HOUR {
        true => format!(", {seconds:.2} s in all"),
        false => format!(", {seconds:.2} s in all ({:.2} h)", seconds / HOUR),
    }
}

/// As much of a text as has a place on a line.
fn start(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the facts that a data set states about itself, each with its name.
fn about(about: &About) -> Vec<(String, String)> {
    let own = [
        (AboutField::Description, &about.description),
        (AboutField::License, &about.license),
        (AboutField::Split, &about.split),
    ];
    let own = own.into_iter().filter_map(|(field, text)| {
        let text = text.clone()?;
        Some((field.name().to_owned(), text))
    });
    let classes = about.classes.iter().map(|(column, names)| {
        let text = format!("{column}: {}", alternatives(names));
        ("classes".to_owned(), text)
    });
    let others = about.other.clone().into_iter();
    own.chain(classes).chain(others).collect()
}

fn features(facts: &Facts) -> String {
    let columns = match facts.dim {
        Some(dim) => messages::count(dim, "column"),
        None => format!("{} columns", alternatives(&facts.survey.dims)),
    };
    let dtype = match facts.dtype {
        Some(dtype) => dtype.to_owned(),
        None => alternatives(&facts.survey.dtypes),
    };
    let ranks = facts.survey.ranks.iter().copied();
    let ranks: Vec<_> = ranks.filter(|rank| *rank != "matrix").collect();
    let mut text = format!("{columns} of {dtype}");
    if !ranks.is_empty() {
        text = format!("{}, {dtype}", ranks.join(" or "));
    }
    for (name, values) in &facts.columns {
        let more = format!(", {name} {}", start(alternatives(values)));
        if text.chars().count() + more.chars().count() > WIDTH {
            text.push_str(", …");
            break;
        }
        text.push_str(&more);
    }
    text
}

/// Describes sound: `1 channel of i16, 16000 Hz`.
pub(super) fn audio(sound: &Sound) -> Vec<String> {
    let mut parts = Vec::new();
    if !sound.channels.is_empty() {
        let noun = match sound.channels.keys().eq(&[1]) {
            true => "channel",
            false => "channels",
        };
        let mut channels = format!("{} {noun}", alternatives(sound.channels.keys()));
        if !sound.dtypes.is_empty() {
            channels.push_str(&format!(" of {}", alternatives(&sound.dtypes)));
        }
        parts.push(channels);
    }
    if !sound.rates.is_empty() {
        parts.push(format!("{} Hz", alternatives(sound.rates.keys())));
    }
    parts
}

/// Describes the facts about sound.
fn sound(facts: &Facts) -> String {
    let mut parts = match (&facts.sound, facts.sample_rate) {
        (Some(sound), _) => audio(sound),
        (None, Some(rate)) => vec![format!("{rate} Hz")],
        (None, None) => Vec::new(),
    };
    // What the type of the samples tells is not told twice.
    let told = |bits: &u32| {
        let mut dtypes = facts.survey.sound.dtypes.iter();
        dtypes.any(|dtype| dtype.ends_with(&bits.to_string()))
    };
    if let Some(bits) = facts.sample_bits.filter(|bits| !told(bits)) {
        let at = parts.len().min(1);
        parts.insert(at, format!("{bits} bits"));
    }
    let sound = &facts.survey.sound;
    if !sound.encoded.is_empty() {
        parts.push(format!("as {}", alternatives(&sound.encoded)));
    }
    if sound.references > 0 {
        let of = messages::count(sound.references, "utterance");
        parts.push(format!("of {of} in sound files"));
    }
    parts.join(", ")
}

/// `a`, `a or b`, `a, b or c`; of very many the first.
fn alternatives<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<_> = all.into_iter().map(|one| one.to_string()).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) if first.len() < MANY => format!("{} or {last}", first.join(", ")),
        _ => format!("{}, …", all.get(..MANY).unwrap_or_default().join(", ")),
    }
}

fn labels(facts: &Facts) -> String {
    let mut text = match facts.label_columns {
        Some(1) => "1 per frame".to_owned(),
        Some(n) => format!("{n} per frame"),
        None => "some".to_owned(),
    };
    if let Some(range) = &facts.labels {
        text.push_str(&format!(", {} to {}", range.min, range.max));
        if let Some(distinct) = range.distinct {
            text.push_str(&format!(", {distinct} different"));
        }
    }
    text
}
