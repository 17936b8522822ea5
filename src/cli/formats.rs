//! `spr-convert formats [NAME]`.

use clap::Args;
use spr_core::format::Format;
use spr_core::{Error, Result};
use spr_engine::document::Versioned;

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
    /// The format to describe in full
    #[arg(value_name = "NAME")]
    pub(super) format: Option<String>,
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
    let chosen = match &args.format {
        Some(name) => vec![registry.get(name)?],
        None => registry.formats().collect(),
    };
    if args.json {
        let all = chosen
            .into_iter()
            .map(|format| Ok(Versioned::new(capabilities::of(format)?)));
        let text = serde_json::to_string_pretty(&all.collect::<Result<Vec<_>>>()?)
            .map_err(|e| Error::io("cannot write", e.into()))?;
        return print((text + "\n").as_bytes());
    }
    let chosen = chosen.into_iter().map(FormatRow::of);
    let chosen = chosen.collect::<Result<Vec<_>>>()?;
    match (&args.format, chosen.as_slice()) {
        (Some(_), [format]) => print(full(format).as_bytes()),
        _ => print(list(&chosen).as_bytes()),
    }
}

/// A format, and those of its files that hold something else.
struct FormatRow {
    usual: Capability,
    others: Vec<(&'static str, Capability)>,
}

impl FormatRow {
    fn of(format: &'static dyn Format) -> Result<Self> {
        let usual = capabilities::of(format)?;
        let mut others = capabilities::variants(format)?;
        others.retain(|(_, other)| held(other) != held(&usual));
        Ok(Self { usual, others })
    }
}

/// Columns of a page.
const WIDTH: usize = 80;
/// Columns between the two of a table.
const GAP: usize = 2;

/// A table of two columns, in lines of at most [`WIDTH`].
fn table(rows: &[(String, String)]) -> String {
    let first = rows.iter().map(|(first, _)| first.len()).max();
    let first = first.unwrap_or_default() + GAP;
    let rest = " ".repeat(first);
    let line = |(word, text): &(String, String)| {
        let word = format!("{word:<first$}");
        let options = textwrap::Options::new(WIDTH)
            .initial_indent(&word)
            .subsequent_indent(&rest)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        textwrap::fill(text, options) + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns the fields that a format can store, in words.
fn held(format: &Capability) -> Vec<&'static str> {
    let no = |text: &str| text == "no";
    let all = [
        (!no(&format.features), "features"),
        (!no(&format.labels), "labels"),
        (!no(&format.audio), "sound"),
        (format.segments, "segments"),
        (format.text, "text"),
        (!no(format.objects), "objects"),
        (!no(&format.arrays), "arrays"),
    ];
    let held = all.into_iter().filter(|(held, _)| *held);
    held.map(|(_, what)| what).collect()
}

fn list(formats: &[FormatRow]) -> String {
    let mut rows = Vec::new();
    for FormatRow { usual, others } in formats {
        let extensions: Vec<_> = usual.extensions.iter().map(|e| format!(".{e}")).collect();
        let title = match extensions.as_slice() {
            [] => usual.title.to_owned(),
            _ => format!("{} ({})", usual.title, extensions.join(" ")),
        };
        let mut all = held(usual);
        for what in others.iter().flat_map(|(_, other)| held(other)) {
            if !all.contains(&what) {
                all.push(what);
            }
        }
        rows.push((usual.name.to_owned(), title));
        rows.push((String::new(), format!("holds {}", all.join(", "))));
    }
    table(&rows) + "All are read and written unless noted. More on one: spr-convert formats NAME\n"
}

fn full(told: &FormatRow) -> String {
    let format = &told.usual;
    let extensions: Vec<_> = format.extensions.iter().map(|e| format!(".{e}")).collect();
    let mut out = format!("{}: {}\n", format.name, format.title);
    let (mut rows, mut not) = (Vec::new(), Vec::new());
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
        ("must match", format.uniform.clone()),
        ("needs", format.needs.join("; ")),
        ("empty utterances", format.empty.to_owned()),
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
            _ => rows.push((format!("  {name}"), value)),
        }
    }
    for (extension, other) in &told.others {
        let held = held(other);
        not.retain(|name| !held.contains(name));
        rows.push((
            format!("  .{extension} files"),
            format!("hold {}", held.join(", ")),
        ));
    }
    if !not.is_empty() {
        rows.push(("  not held".to_owned(), not.join(", ")));
    }
    out.push_str(&table(&rows));
    if !format.options.is_empty() {
        out.push_str("options, after a comma or with --oo (input) and --co (output):\n");
        let options = format.options.iter();
        let rows: Vec<_> = options
            .map(|option| (format!("  {}", option.name), option_text(option)))
            .collect();
        out.push_str(&table(&rows));
    }
    out
}

/// Describes the values of an option, and its effect.
fn option_text(option: &OptionText) -> String {
    format!("{}: {}", option.value, option.help)
}
