//! `spr-convert formats [NAME]`.

use clap::Args;
use spr_core::{Error, Result};

use super::out::print;
use super::session::Session;
use crate::capabilities::{self, Capability, OptionText};

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert formats                      all of them, what each can hold
  spr-convert formats pickle               one, with its options
  spr-convert formats --json               for programs";

#[derive(Args, Debug, Clone)]
pub(super) struct FormatsArgs {
    /// The format to tell in full
    #[arg(value_parser = super::words::format(), hide_possible_values = true)]
    pub(super) name: Option<String>,
    /// Print as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(super) json: bool,
    /// Print the table in Markdown
    #[arg(long)]
    pub(super) markdown: bool,
}

/// Lists the formats, or tells one in full.
pub(super) fn run(args: &FormatsArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    if args.markdown {
        return print(capabilities::markdown(registry)?.as_bytes());
    }
    let chosen = match &args.name {
        Some(name) => vec![capabilities::of(registry.get(name)?)?],
        None => registry
            .formats()
            .map(capabilities::of)
            .collect::<Result<Vec<_>>>()?,
    };
    if args.json {
        let text = serde_json::to_string_pretty(&chosen)
            .map_err(|e| Error::io("cannot write", e.into()))?;
        return print((text + "\n").as_bytes());
    }
    match (&args.name, chosen.as_slice()) {
        (Some(_), [format]) => print(full(format).as_bytes()),
        _ => print(list(&chosen).as_bytes()),
    }
}

/// Columns of a page.
const WIDTH: usize = 80;
/// Columns that the first word of a line has.
const FIRST: usize = 14;

/// Lines of at most [`WIDTH`] columns: `first`, and `text` beside it.
fn beside(first: &str, text: &str) -> String {
    let gap = if first.len() < FIRST { "" } else { " " };
    let first = format!("{first:<FIRST$}{gap}");
    let rest = " ".repeat(FIRST);
    let options = textwrap::Options::new(WIDTH)
        .initial_indent(&first)
        .subsequent_indent(&rest);
    textwrap::fill(text, options) + "\n"
}

/// What a format can hold, in words.
fn held(format: &Capability) -> String {
    let no = |text: &str| text == "no";
    let all = [
        (!no(&format.features), "features"),
        (!no(&format.labels), "labels"),
        (!no(&format.audio), "sound"),
        (format.segments, "segments"),
        (format.text, "text"),
        (!no(format.objects), "other objects"),
        (!no(&format.arrays), "named arrays"),
    ];
    let held = all.into_iter().filter(|(held, _)| *held);
    held.map(|(_, what)| what).collect::<Vec<_>>().join(", ")
}

fn list(formats: &[Capability]) -> String {
    let mut out = String::new();
    for format in formats {
        let extensions = format.extensions.iter().map(|e| format!(" .{e}"));
        let title = format!("{}{}", format.title, extensions.collect::<String>());
        out.push_str(&beside(format.name, &title));
        out.push_str(&beside("", &format!("holds {}", held(format))));
    }
    out.push_str("All are read and written. More on one: spr-convert formats NAME\n");
    out
}

fn full(format: &Capability) -> String {
    let extensions: Vec<_> = format.extensions.iter().map(|e| format!(".{e}")).collect();
    let mut out = format!("{}: {}\n", format.name, format.title);
    let (mut lines, mut not) = (String::new(), Vec::new());
    for (name, value) in [
        ("extensions", extensions.join(" ")),
        ("features", format.features.clone()),
        ("labels", format.labels.clone()),
        ("sound", format.audio.clone()),
        ("segments", capabilities::segments(format)),
        ("text", capabilities::yes(format.text).to_owned()),
        ("objects", format.objects.to_owned()),
        ("arrays", format.arrays.clone()),
        ("names", format.keys.to_owned()),
        ("same in all", format.uniform.clone()),
        ("empty ones", format.empty.to_owned()),
        (
            "frame shift",
            capabilities::yes(format.frame_shift).to_owned(),
        ),
        ("recording", capabilities::source(format)),
        ("header lines", format.tags.to_owned()),
    ] {
        match value.as_str() {
            "" | "-" => {}
            "no" => not.push(name),
            value => lines.push_str(&beside(&format!("  {name}"), value)),
        }
    }
    out.push_str(&lines);
    if !not.is_empty() {
        out.push_str(&beside("  not held", &not.join(", ")));
    }
    if !format.options.is_empty() {
        out.push_str("options, after a comma or with --oo (input) and --co (output):\n");
        for option in &format.options {
            out.push_str(&beside(&format!("  {}", option.name), &option_text(option)));
        }
    }
    out
}

/// What an option may be set to, and what it does.
fn option_text(option: &OptionText) -> String {
    format!("{}: {}", option.value, option.help)
}
