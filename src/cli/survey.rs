//! Surveys: `spr-convert info -r DIR...`, and the page of `report -r DIR`.

use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::{Value, json};
use spr_core::bytes::{Env, Location};
use spr_core::{Error, Result};
use spr_survey::{Choice, DataSet, Inventory, Observer, Part, Phase, Rest, TITLES, hours, survey};

use super::args::ProgressArg;
use super::exit::{DONE, FAILED};
use super::messages;
use super::out::{Columns, Out};
use super::session::Session;
use super::table::word;

/// How often progress is shown.
const EVERY: Duration = Duration::from_millis(200);

/// The lines of each sort of rest that people are shown.
const SHOWN: usize = 20;

/// The longest path that people are shown, in characters.
const PATH: usize = 60;

/// How a survey is printed.
pub(super) struct Form {
    pub(super) json: bool,
    pub(super) tsv: bool,
    pub(super) verbose: bool,
    pub(super) progress: Progress,
}

/// Surveys places and prints what is there. A survey that finds damage is status 2.
pub(super) fn run(
    places: &[Location],
    quick: bool,
    form: Form,
    session: &Session,
    env: &Env,
) -> Result<u8> {
    let found = look(places, quick, form.progress, session, env)?;
    let mut out = Out::new();
    match (form.json, form.tsv) {
        (true, _) => print_json(&found, &mut out)?,
        (_, true) => print_tsv(&found, &mut out)?,
        _ => print_text(&found, form.verbose, quick, &mut out)?,
    }
    out.finish()?;
    Ok(tell_damage(&found, session))
}

/// Surveys places.
pub(super) fn look(
    places: &[Location],
    quick: bool,
    progress: Progress,
    session: &Session,
    env: &Env,
) -> Result<Inventory> {
    let found = survey(places, Choice { quick }, &session.registry, env, &progress);
    progress.end();
    found
}

/// Tells the number of faults as an error, and returns the exit status.
pub(super) fn tell_damage(found: &Inventory, session: &Session) -> u8 {
    if !found.is_damaged() {
        return DONE;
    }
    let faults = messages::count(found.totals.faults, "fault");
    let sets = messages::count(found.totals.damaged, "data set");
    let places = messages::count(found.unread.len() as u64, "place");
    let message = match (found.totals.damaged, found.unread.len()) {
        (_, 0) => format!("{faults} found, in {sets}"),
        (0, _) => format!("{places} can't be read"),
        _ => format!("{faults} found, in {sets}, and {places} that can't be read"),
    };
    let error = Error::malformed(message);
    session.error(error.hint("`spr-convert check DATA` finds all that is wrong with a data set"));
    FAILED
}

/// All lines of a survey as objects, each with its kind.
fn objects(found: &Inventory) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut add = |kind: &str, value: Value| {
        let mut object = json!({"kind": kind});
        if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), value) {
            object.extend(fields);
        }
        all.push(object);
    };
    for set in &found.data_sets {
        add("dataset", value(set)?);
    }
    for text in &found.unread {
        add("unread", json!({"why": text}));
    }
    let rests = [
        ("unknown", &found.unknown),
        ("empty", &found.empty),
        ("rubbish", &found.rubbish),
    ];
    for (kind, rests) in rests {
        for rest in rests {
            add(kind, value(rest)?);
        }
    }
    for twins in &found.twins {
        add("same", value(twins)?);
    }
    add("totals", value(&found.totals)?);
    Ok(all)
}

fn value(of: &impl Serialize) -> Result<Value> {
    serde_json::to_value(of).map_err(|e| Error::io("cannot write", e.into()))
}

fn print_json(found: &Inventory, out: &mut Out) -> Result<()> {
    objects(found)?
        .iter()
        .try_for_each(|object| out.json(object))
}

/// The columns of the table for programs.
const FACTS: [&str; 13] = [
    "kind",
    "path",
    "format",
    "kinds",
    "utterances",
    "frames",
    "seconds",
    "rates",
    "files",
    "bytes",
    "faults",
    "belongs_to",
    "why",
];

/// Prints a line for each data set, for each of its parts, and for all that is none.
fn print_tsv(found: &Inventory, out: &mut Out) -> Result<()> {
    out.tsv(&FACTS)?;
    let line = |object: &Value| {
        FACTS.map(|name| match (name, object.get(name).map(word)) {
            (_, Some(text)) => text,
            ("path", None) => object.get("paths").map(word).unwrap_or_default(),
            ("why", None) => object.get("damage").map(word).unwrap_or_default(),
            _ => String::new(),
        })
    };
    for object in objects(found)? {
        out.tsv(&line(&object))?;
        let parts = object.get("parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            let mut part = part.clone();
            part["kind"] = part["role"].clone();
            part["belongs_to"] = object["path"].clone();
            out.tsv(&line(&part))?;
        }
    }
    Ok(())
}

fn print_text(found: &Inventory, verbose: bool, quick: bool, out: &mut Out) -> Result<()> {
    let mut table = Columns::new(3);
    if !found.data_sets.is_empty() {
        table.line(TITLES.map(str::to_owned).to_vec(), out)?;
    }
    for set in &found.data_sets {
        table.line(row(set), out)?;
        for part in &set.parts {
            table.line(part_row(part), out)?;
        }
    }
    table.finish(out)?;
    let sets = found.data_sets.iter();
    for set in sets.filter(|set| set.faults > 0 || !set.notes.is_empty()) {
        out.line("")?;
        out.line(&set.path)?;
        for text in &set.damage {
            out.line(format!("  fault  {text}"))?;
        }
        let more = set.faults.saturating_sub(set.damage.len() as u64);
        if more > 0 {
            out.line(format!("  fault  {more} more"))?;
        }
        for note in &set.notes {
            out.line(format!("  note   {note}"))?;
        }
    }
    let most = if verbose { usize::MAX } else { SHOWN };
    let unread: Vec<_> = found.unread.iter().map(|text| vec![text.clone()]).collect();
    section("can't be read", unread, most, out)?;
    let rest = |rest: &Rest| {
        let files = match rest.files {
            1 => String::new(),
            n => format!("{n} files, "),
        };
        let size = messages::size(rest.bytes);
        vec![
            short(&rest.path),
            format!("{files}{size}"),
            rest.why.clone(),
        ]
    };
    section(
        "unknown",
        found.unknown.iter().map(rest).collect(),
        most,
        out,
    )?;
    let name = |rest: &Rest| vec![short(&rest.path)];
    section("empty", found.empty.iter().map(name).collect(), most, out)?;
    let twins = found.twins.iter().map(|twins| {
        let paths: Vec<_> = twins.paths.iter().map(|path| short(path)).collect();
        let each = messages::count(twins.files, "file");
        let sampled = if twins.sampled { ", by samples" } else { "" };
        let size = messages::size(twins.bytes);
        vec![paths.join(" = "), format!("{each}, {size}{sampled}")]
    });
    section("the same content", twins.collect(), most, out)?;
    let rubbish = found.rubbish.iter().map(name).collect();
    section("left by other programs", rubbish, most, out)?;
    if found.totals.files > 0 {
        out.line("")?;
    }
    out.line(totals(found))?;
    if quick && !found.data_sets.is_empty() {
        out.line("one header stood for all files alike; without --quick each is read")?;
    }
    Ok(())
}

fn row(set: &DataSet) -> Vec<String> {
    let known = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
    let kinds: Vec<_> = set.kinds.iter().map(String::as_str).collect();
    let guess = if set.guessed { " (a guess)" } else { "" };
    vec![
        short(&set.path),
        format!("{}{guess}", set.format),
        kinds.join("+"),
        known(set.utterances),
        known(set.frames),
        set.seconds.map_or("-".to_owned(), |s| hours(Some(s))),
        set.files.to_string(),
        messages::size(set.bytes),
        match set.faults {
            0 => "-".to_owned(),
            n => n.to_string(),
        },
    ]
}

fn part_row(part: &Part) -> Vec<String> {
    let blank = String::new;
    vec![
        format!("  {}: {}", part.role, short(&part.path)),
        blank(),
        blank(),
        blank(),
        blank(),
        blank(),
        part.files.to_string(),
        messages::size(part.bytes),
        blank(),
    ]
}

/// Prints the lines of a sort of rest, the first of them.
fn section(title: &str, lines: Vec<Vec<String>>, most: usize, out: &mut Out) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.line(title)?;
    let more = lines.len().saturating_sub(most);
    let mut table = Columns::new(usize::MAX);
    for mut line in lines.into_iter().take(most) {
        line[0].insert_str(0, "  ");
        table.line(line, out)?;
    }
    table.finish(out)?;
    match more {
        0 => Ok(()),
        n => out.line(format!("  {n} more, which -v lists")),
    }
}

fn totals(found: &Inventory) -> String {
    let totals = &found.totals;
    let mut text = messages::count(totals.data_sets, "data set");
    if totals.utterances > 0 {
        let utterances = messages::count(totals.utterances, "utterance");
        text.push_str(&format!(", {utterances}"));
    }
    if totals.seconds > 0.0 {
        text.push_str(&format!(", {} hours", hours(Some(totals.seconds))));
    }
    if totals.unmeasured > 0 {
        let unmeasured = messages::count(totals.unmeasured, "utterance");
        text.push_str(&format!(", {unmeasured} of unknown length"));
    }
    let (files, size) = (
        messages::count(totals.files, "file"),
        messages::size(totals.bytes),
    );
    text.push_str(&format!(" in {files}, {size}"));
    let counts = [
        (
            totals.faults,
            if totals.faults == 1 {
                "fault"
            } else {
                "faults"
            },
        ),
        (totals.unknown, "unknown"),
        (totals.empty, "empty"),
        (totals.doubled, "doubled"),
        (totals.rubbish, "left by other programs"),
    ];
    let told = counts.iter().filter(|(n, _)| *n > 0);
    let told: Vec<_> = told.map(|(n, name)| format!("{n} {name}")).collect();
    if !told.is_empty() {
        text.push_str(&format!("; {}", told.join(", ")));
    }
    text
}

/// Shortens a path in its middle.
fn short(path: &str) -> String {
    let signs: Vec<char> = path.chars().collect();
    if signs.len() <= PATH {
        return path.to_owned();
    }
    let (start, end) = (PATH / 3, PATH - PATH / 3 - 1);
    let text = |signs: &[char]| signs.iter().collect::<String>();
    format!(
        "{}…{}",
        text(&signs[..start]),
        text(&signs[signs.len() - end..])
    )
}

/// Progress on standard error.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    json: Option<Mutex<Instant>>,
}

impl Progress {
    /// Shows progress as asked for.
    pub(super) fn new(how: ProgressArg, quiet: bool) -> Self {
        let terminal = !quiet && std::io::stderr().is_terminal();
        let shows = match how {
            ProgressArg::Always => true,
            ProgressArg::Auto => terminal,
            ProgressArg::Never | ProgressArg::Json => false,
        };
        let bar = shows.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
                bar.set_style(style);
            }
            messages::LINE_SHOWN.store(!bar.is_hidden(), Ordering::Relaxed);
            bar
        });
        Self {
            bar,
            json: (how == ProgressArg::Json).then(|| Mutex::new(Instant::now())),
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            messages::LINE_SHOWN.store(false, Ordering::Relaxed);
        }
    }
}

impl Observer for Progress {
    fn progress(&self, phase: Phase, done: u64, of: Option<u64>) -> Result<()> {
        let doing = match phase {
            Phase::Listing => "listed",
            Phase::Reading => "read",
            Phase::Comparing => "compared",
        };
        // Most files take less time than it takes to show them.
        if let Some(bar) = self.bar.as_ref().filter(|_| done.is_multiple_of(64)) {
            let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
            bar.set_message(format!("{done}{of} files {doing}"));
            bar.tick();
        }
        if let Some(last) = &self.json {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.elapsed() >= EVERY {
                *last = Instant::now();
                messages::json(&json!({"phase": doing, "files": done, "files_total": of}));
            }
        }
        Ok(())
    }
}
