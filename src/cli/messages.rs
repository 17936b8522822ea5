//! Messages on standard error, and as JSON.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Command;
use clap::builder::styling::{AnsiColor, Style};
use serde_json::Value;
use spr_core::bytes::Env;
use spr_core::format::Registry;
use spr_core::loss::{LossKind, LossReport, describe};
use spr_core::text::visible;
use spr_core::{Error, Result};
use spr_engine::document::{self, Versioned};

use super::exit::{DONE, FAILED};
use super::{misspelt, remedy};
use crate::job::{Job, Outcome, PartTotals};
use crate::plan::Plan;
use crate::plan::{Balance, Split};

/// The program's name in messages.
pub(super) const NAME: &str = "spr-convert";

/// Prints an error: one line, and a second with the hint.
pub(super) fn error(error: &Error, registry: &Registry) {
    say("error", &error.to_string());
    if let Some(hint) = remedy::hint(error, registry) {
        say("hint", &hint);
    }
}

/// Prints an object of JSON on a line of standard error. Nobody is left to tell if that fails.
pub(super) fn json(value: &Value) {
    if let Ok(line) = Versioned::new(value).line() {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// Prints the help that clap gives, and returns the exit status; a complaint of clap's about the
/// arguments of `program` is an error.
pub(super) fn usage(
    clap: &clap::Error,
    program: impl FnOnce() -> Command,
    registry: &Registry,
) -> Result<u8> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let helps = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !clap.use_stderr() {
        let printed = clap.print().and_then(|()| std::io::stdout().flush());
        return match printed {
            Ok(()) => Ok(DONE),
            Err(e) => Err(Error::io("cannot write", e).file("-")),
        };
    }
    if clap.kind() == helps {
        let _ = clap.print();
        return Ok(FAILED);
    }
    // clap's complaint goes over several lines, the usage at their end.
    let text = clap.to_string();
    let lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:"));
    let (tips, complaint): (Vec<_>, Vec<_>) = lines
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        .partition(|line| line.starts_with("tip: "));
    let complaint = complaint.join(" ");
    let complaint = complaint.strip_prefix("error: ").unwrap_or(&complaint);
    let reason = std::error::Error::source(clap).map(ToString::to_string);
    let complaint = in_our_words(complaint, reason.as_deref());
    let error = Error::usage(complaint);
    // That a flag can be passed as a value helps nobody who wants the flag.
    let tip = tips.iter().find(|tip| !tip.starts_with("tip: to pass "));
    let flag = match clap.kind() {
        ErrorKind::UnknownArgument => clap.get(ContextKind::InvalidArg),
        _ => None,
    };
    let meant = match flag {
        Some(ContextValue::String(word)) => {
            let program = program();
            misspelt::flag(word, usage_of(&text), &program, registry)
                .or_else(|| misspelt::output(word, usage_of(&text)?, &program))
        }
        _ => None,
    };
    Err(error.hint(match (meant, tip) {
        (Some(meant), _) => meant,
        (None, Some(tip)) => match tip.split_once(" exists: ") {
            Some((_, near)) => format!("did you mean {near}?"),
            None => tip.trim_start_matches("tip: ").to_owned(),
        },
        (None, None) => way_out(&text),
    }))
}

/// A complaint of clap's, which may end with a reason, without the words of a programmer. What was
/// typed stays as it is.
fn in_our_words(complaint: &str, reason: Option<&str>) -> String {
    if let Some(rest) = complaint.strip_prefix("unrecognized subcommand") {
        return format!("unknown verb{rest}");
    }
    match reason.and_then(|reason| Some((complaint.strip_suffix(reason)?, reason))) {
        Some((complaint, reason)) => complaint.to_owned() + &plain_reason(reason),
        None => complaint.to_owned(),
    }
}

/// The reason why a value is not one.
fn plain_reason(reason: &str) -> Cow<'_, str> {
    const WORDS: [(&str, &str); 5] = [
        ("invalid digit found in string", "expected a whole number"),
        (
            "cannot parse integer from empty string",
            "expected a whole number",
        ),
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
        (
            "number too large to fit in target type",
            "the number is too large",
        ),
    ];
    if let Some(number) = reason.strip_suffix(" is not in 0..=65535") {
        return format!("{number} is not a number from 0 to 65535").into();
    }
    let mut words = WORDS.iter();
    let words = words.find(|(theirs, _)| *theirs == reason);
    words.map_or(reason, |(_, ours)| ours).into()
}

fn usage_of(complaint: &str) -> Option<&str> {
    let mut lines = complaint.lines();
    lines.find_map(|line| line.strip_prefix("Usage: "))
}

/// The usage of the verb that a complaint of clap's is about, or where to look.
fn way_out(complaint: &str) -> String {
    match usage_of(complaint).filter(|usage| !usage.starts_with("spr-convert [OPTIONS] IN")) {
        Some(usage) => format!("usage: {usage}"),
        None => "spr-convert --help lists what there is".to_owned(),
    }
}

/// Prints a warning.
pub(super) fn warning(text: &str) {
    say("warning", text);
}

/// Set while a line of progress is on the terminal. Messages remove it, and it returns by itself.
pub(super) static LINE_SHOWN: AtomicBool = AtomicBool::new(false);

/// Prints one line on standard error. Nobody is left to tell if that fails.
pub(super) fn say(label: &str, text: &str) {
    let text = visible(text);
    let style = match is_coloured() {
        true => style(label),
        false => Style::new(),
    };
    let clear = match LINE_SHOWN.load(Ordering::Relaxed) {
        true => "\r\x1b[K",
        false => "",
    };
    let text = match width() {
        Some(width) => wrapped(NAME.len() + label.len() + 4, &text, width),
        None => text.into_owned(),
    };
    let line = format!("{clear}{NAME}: {style}{label}:{style:#} {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// The columns of standard error, if it is a terminal.
fn width() -> Option<usize> {
    let (columns, _) = terminal_size::terminal_size_of(std::io::stderr())?;
    Some(columns.0.into())
}

/// Text behind so many columns, in lines of `width`; no word is broken, for it may be a name.
fn wrapped(behind: usize, text: &str, width: usize) -> String {
    let behind = "-".repeat(behind);
    let options = textwrap::Options::new(width.max(40))
        .initial_indent(&behind)
        .subsequent_indent("  ")
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let text = textwrap::fill(text, options);
    text.strip_prefix(&behind).unwrap_or(&text).to_owned()
}

/// Returns `true` if standard error is a terminal with colours and `NO_COLOR` is not set.
fn is_coloured() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    std::io::stderr().is_terminal() && !dumb && !set("NO_COLOR")
}

fn style(label: &str) -> Style {
    let colour = match label {
        "error" => AnsiColor::Red,
        "hint" | "note" => AnsiColor::Cyan,
        _ => AnsiColor::Yellow,
    };
    colour.on_default().bold()
}

/// Prints a line without the program's name, as the closing line is.
pub(super) fn plain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(line));
}

/// The closing line, after what was lost.
pub(super) fn closing(outcome: &Outcome, job: &Job) {
    let policy = job.plan().policy();
    for (kind, line) in outcome.losses.iter().flat_map(LossReport::lines) {
        let label = if policy.allows(kind) {
            "lost as allowed"
        } else {
            "not kept"
        };
        say(label, &describe(kind, line));
    }
    for (kind, line) in outcome.rounded.iter().flat_map(LossReport::lines) {
        let label = match kind {
            LossKind::Metadata => "not kept",
            _ => "rounded",
        };
        say(label, &describe(kind, line));
    }
    if let Some(split) = job.plan().split() {
        let told = split.is_grouped();
        shares(&outcome.parts, split)
            .filter(|_| told)
            .iter()
            .for_each(|text| say("note", text));
    }
    let written = &outcome.written;
    let look = if outcome.guessed { " by its look" } else { "" };
    let mut notes = format!(
        "{}{look} -> {}, {}, {:.1} s",
        outcome.from,
        outcome.to,
        size(written.bytes),
        outcome.elapsed.as_secs_f64()
    );
    if let Some(decoded) = &outcome.decoded {
        notes.push_str(&format!(", {decoded} decoded"));
    }
    if let Some(partitions) = outcome.partitions {
        let what = match job.plan().split() {
            Some(_) => "part",
            None => "partition",
        };
        notes.push_str(&format!(", {}", count(partitions, what)));
    }
    if job.plan().is_dry_run() {
        notes.push_str(", nothing written");
    }
    if outcome.verified {
        notes.push_str(", verified");
    }
    let length = length(written.frames, written.seconds);
    plain(&format!(
        "{}, {length}, {} skipped ({notes})",
        count(written.utterances, unit(outcome.shuffled)),
        outcome.skipped
    ));
}

/// Describes what the parts of a split got: each, or of numbered ones the least and the most.
fn shares(parts: &[PartTotals], split: &Split) -> Option<String> {
    #[expect(clippy::cast_precision_loss, reason = "a share in per cent")]
    let size = |part: &PartTotals| match split.balance() {
        Some(Balance::Seconds) => part.seconds.unwrap_or_default(),
        Some(Balance::Utterances) | None => part.utterances as f64,
    };
    let total: f64 = parts.iter().map(size).sum();
    let text = |part: &PartTotals| {
        let utterances = count(part.utterances, "utterance");
        let duration = match part.seconds.filter(|seconds| *seconds > 0.0) {
            Some(seconds) if seconds >= 3600.0 => format!(", {:.2} h", seconds / 3600.0),
            Some(seconds) => format!(", {seconds:.2} s"),
            None => String::new(),
        };
        let share = 100.0 * size(part) / total;
        format!("{} {share:.1} % ({utterances}{duration})", part.name)
    };
    let by_size = |a: &&PartTotals, b: &&PartTotals| size(a).total_cmp(&size(b));
    let (least, most) = (parts.iter().min_by(by_size)?, parts.iter().max_by(by_size)?);
    let of = match split.balance() {
        Some(Balance::Seconds) => "seconds",
        Some(Balance::Utterances) | None => "utterances",
    };
    if split.rule().names().is_empty() {
        let (least, most) = (text(least), text(most));
        return Some(format!(
            "shares of {of}: the smallest part {least}, the largest {most}"
        ));
    }
    let each: Vec<_> = parts.iter().map(text).collect();
    Some(format!("shares of {of}: {}", each.join(", ")))
}

/// Warns of an input in which there is nothing.
pub(super) fn empty(input: &Plan, env: &Env) {
    env.warn(&Error::unfit("holds no utterances").file(input.text()));
}

/// Returns the counted unit: utterances, or partitions of shuffled frames.
pub(super) fn unit(partitions: bool) -> &'static str {
    match partitions {
        true => "partition",
        false => "utterance",
    }
}

/// `1 utterance`, `2 utterances`.
pub(super) fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Describes the length of data in frames, or in seconds if there is only sound.
pub(super) fn length(frames: u64, seconds: f64) -> String {
    match frames {
        0 if seconds > 0.0 => format!("{seconds:.2} s of sound"),
        _ => count(frames, "frame"),
    }
}

/// Bytes for people: `182 MB`.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 999.5 {
            return match unit {
                "bytes" => format!("{bytes} bytes"),
                _ if value < 9.95 => format!("{value:.1} {unit}"),
                _ => format!("{value:.0} {unit}"),
            };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// An error as a JSON object.
pub(super) fn error_json(error: &Error, registry: &Registry) -> Value {
    document::error_json(error, remedy::hint(error, registry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_not_reworded() {
        let typed = "invalid float literal";
        let complaint = format!("invalid value '{typed}' for '--atol <N>': {typed}");
        assert_eq!(
            in_our_words(&complaint, Some(typed)),
            "invalid value 'invalid float literal' for '--atol <N>': expected a number"
        );
        let complaint = "unrecognized subcommand 'unrecognized subcommand'";
        assert_eq!(
            in_our_words(complaint, None),
            "unknown verb 'unrecognized subcommand'"
        );
        let complaint = "invalid value '70000' for '--x <N>': 70000 is not in 0..=65535";
        assert_eq!(
            in_our_words(complaint, Some("70000 is not in 0..=65535")),
            "invalid value '70000' for '--x <N>': 70000 is not a number from 0 to 65535"
        );
    }
}
