//! Completions that the shell cannot know: options after a comma, and keys of data.

use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{iter, thread};

use clap::{Arg, Command};
use spr_core::bytes::{Access, Env, Location};
use spr_core::format::{FormatInfo, Registry, Request};
use spr_core::model::Utterance;
use spr_core::{Limits, Result};

use super::session::Session;
use crate::argument::Target;
use crate::builder::PlanBuilder;
use crate::step::option_keys;

/// Verbs whose words behind the data are keys of it.
const OF_KEYS: [&str; 3] = ["ls", "plot", "show"];
/// Flags that name an output.
const OUTPUTS: [&str; 2] = ["output", "labels-out"];
/// Words that stand for others where options are described.
const STANDING: [&str; 7] = ["DIR", "EXT", "FILE", "FOLDER", "N", "NAME", "PATH"];
/// The time limit for finding keys, and the largest number offered.
const PATIENCE: Duration = Duration::from_millis(300);
const MOST: usize = 1000;

/// Returns the completions of the last of `words`, whose first is the program's name. Only local
/// files are read, and errors are ignored.
pub(super) fn candidates(words: Vec<String>, program: Command, session: &Session) -> Vec<String> {
    let env = session.env(Limits::default(), Access::Safe, true);
    let registry = session.registry.clone();
    let (sender, found) = mpsc::channel();
    // A slower search is abandoned, and ends with the program.
    thread::spawn(move || {
        each(&words, &program, &registry, &env, &mut |word| {
            sender.send(word).is_ok()
        })
    });
    let end = Instant::now() + PATIENCE;
    let next = || {
        let left = end.saturating_duration_since(Instant::now());
        found.recv_timeout(left).ok()
    };
    iter::from_fn(next).take(MOST).collect()
}

/// Hands what the last word may become to `take`, until that says that it is enough.
fn each(
    words: &[String],
    program: &Command,
    registry: &Registry,
    env: &Env,
    take: &mut dyn FnMut(String) -> bool,
) {
    let Some((typed, before)) = words.split_last() else {
        return;
    };
    if typed.starts_with('-') || Location::from(typed.as_str()).is_url() {
        return;
    }
    let line = Line::of(before, program);
    let mut some = false;
    if let Some(data) = line.keyed() {
        let mut taking = |key: String| {
            let fits = key.starts_with(typed.as_str());
            some |= fits;
            !fits || take(key)
        };
        // An unreadable data set offers no further keys.
        let _ = keys(data, registry, env, &mut taking);
    }
    if let (false, Some((data, option))) = (some, typed.rsplit_once(',')) {
        let mut found = options(data, option, &line, registry, env).into_iter();
        let starts = |word: &String| word.starts_with(typed.as_str());
        let _ = found.by_ref().filter(starts).all(take);
    }
}

/// The words before the one being typed.
struct Line<'a> {
    verb: Option<&'a str>,
    /// The words that are neither flags nor their values.
    paths: Vec<&'a str>,
    /// The flag whose value is typed.
    flag: Option<&'a Arg>,
}

impl<'a> Line<'a> {
    fn of(words: &'a [String], program: &'a Command) -> Self {
        let mut words = words.iter().skip(1).map(String::as_str).peekable();
        let verb = words.next_if(|word| program.find_subcommand(word).is_some());
        let command = verb.and_then(|verb| program.find_subcommand(verb));
        let mut line = Self {
            verb,
            paths: Vec::new(),
            flag: None,
        };
        for word in words {
            if line.flag.take().is_some() {
                continue;
            }
            match word.starts_with('-') && word != "-" {
                true => line.flag = flag(word, command.unwrap_or(program)),
                false => line.paths.push(word),
            }
        }
        line
    }

    /// The data set of which the next word is a key.
    fn keyed(&self) -> Option<&'a str> {
        let verb = self.verb.filter(|_| self.flag.is_none())?;
        OF_KEYS.contains(&verb).then_some(())?;
        self.paths.first().copied()
    }

    /// Returns `true` if the next word names an output.
    fn writes(&self) -> bool {
        let long = self.flag.and_then(Arg::get_long);
        long.is_some_and(|long| OUTPUTS.contains(&long))
    }
}

/// The flag that a word is, if its value is the next word.
fn flag<'a>(word: &str, command: &'a Command) -> Option<&'a Arg> {
    let mut flags = command
        .get_arguments()
        .filter(|arg| arg.get_action().takes_values());
    match word.strip_prefix("--") {
        Some(long) => flags.find(|arg| arg.get_long() == Some(long)),
        None => flags.find(|arg| arg.get_short() == word.chars().nth(1) && word.len() == 2),
    }
}

/// `data` with each option that may follow, or with each value of the option that is begun; or a
/// list with each word that a flag takes.
fn options(data: &str, option: &str, line: &Line, registry: &Registry, env: &Env) -> Vec<String> {
    let offered = line.flag.map(Arg::get_possible_values).unwrap_or_default();
    if !offered.is_empty() {
        let word = |value: &clap::builder::PossibleValue| format!("{data},{}", value.get_name());
        return offered.iter().map(word).collect();
    }
    // An existing data set to read, otherwise an output.
    let read = || -> Result<_> {
        let plan = PlanBuilder::new(registry, env).input(data)?.finish()?;
        let opened = plan.open(Request::names(), registry, env)?;
        Ok(opened.format.info())
    };
    let read = (!line.writes()).then(|| read().ok()).flatten();
    let written = || Target::parse(data, None, &[], registry, env).ok();
    let Some(format) = read.or_else(|| Some(written()?.format().info())) else {
        return Vec::new();
    };
    let stem = |text: &str| format!("{data},{text}");
    match option.split_once('=') {
        Some((key, _)) => {
            let values = values(key, format, registry);
            values
                .map(|value| stem(&format!("{key}={value}")))
                .collect()
        }
        None => {
            let data = option_keys().into_iter();
            let data = data.filter(|_| read.is_some());
            let all = format.options.iter().map(|option| option.name).chain(data);
            all.map(|key| stem(&format!("{key}="))).collect()
        }
    }
}

/// The words that an option may be set to, where it takes a few.
fn values<'a>(
    key: &str,
    format: &FormatInfo,
    registry: &'a Registry,
) -> Box<dyn Iterator<Item = String> + 'a> {
    if let Some(option) = format.options.iter().find(|option| option.name == key) {
        let words = option.value.split('|').filter(|word| is_literal(word));
        return Box::new(words.map(str::to_owned));
    }
    match key {
        "type" => Box::new(registry.names().into_iter().map(str::to_owned)),
        "random" | "stream" | "round" | "dither" => {
            Box::new(["True", "False"].map(str::to_owned).into_iter())
        }
        _ => Box::new(iter::empty()),
    }
}

/// Returns `true` if a word in the description of an option is to be typed literally.
fn is_literal(word: &str) -> bool {
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let large = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    word.chars().all(small) || (word.chars().all(large) && !STANDING.contains(&word))
}

/// Hands the keys of a data set that need no quotes in a shell to `take`.
fn keys(
    data: &str,
    registry: &Registry,
    env: &Env,
    take: &mut dyn FnMut(String) -> bool,
) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+%@/=:,".contains(c);
    let mut builder = PlanBuilder::new(registry, env);
    for input in builder.input(data)?.finish_each()? {
        let mut reader = input.open_whole(Request::names(), registry, env)?.reader;
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            let key = utt.key.to_string();
            if key.chars().all(plain) && !take(key) {
                return Ok(());
            }
        }
    }
    Ok(())
}
