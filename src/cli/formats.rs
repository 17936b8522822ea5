//! `spr-convert formats [NAME]`.

use clap::Args;
use spr_core::{Error, Result};

use super::out::print;
use super::session::Session;
use crate::capabilities::{self, Capability};

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert formats                      all of them, what each can hold
  spr-convert formats pickle               one, with its options
  spr-convert formats --json               for programs";

#[derive(Args, Debug, Clone)]
pub(super) struct FormatsArgs {
    /// The format to tell in full
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

fn list(formats: &[Capability]) -> String {
    let mut out = String::new();
    for format in formats {
        let extensions: Vec<_> = format.extensions.iter().map(|e| format!(".{e}")).collect();
        let audio = match format.audio.as_str() {
            "no" => String::new(),
            held => format!(" audio: {held};"),
        };
        out.push_str(&format!("{:<8}{}\n", format.name, format.title));
        out.push_str(&format!(
            "{:8}{}; features: {}\n",
            "",
            extensions.join(" "),
            format.features
        ));
        out.push_str(&format!(
            "{:8}labels: {};{audio} names: {}\n",
            "", format.labels, format.keys
        ));
    }
    out.push_str("All are read and written. More on one: spr-convert formats NAME\n");
    out
}

fn full(format: &Capability) -> String {
    let extensions: Vec<_> = format.extensions.iter().map(|e| format!(".{e}")).collect();
    let mut out = format!("{}: {}\n", format.name, format.title);
    for (name, value) in [
        ("extensions", extensions.join(" ")),
        ("features", format.features.clone()),
        ("labels", format.labels.clone()),
        ("names", format.keys.to_owned()),
        ("same in all", format.uniform.clone()),
        ("no frames", format.empty.to_owned()),
        (
            "frame shift",
            capabilities::yes(format.frame_shift).to_owned(),
        ),
        ("recording", capabilities::source(format)),
        ("audio", format.audio.clone()),
        ("segments", capabilities::segments(format)),
        ("text", capabilities::yes(format.text).to_owned()),
        ("objects", format.objects.to_owned()),
        ("arrays", format.arrays.clone()),
        ("header lines", format.tags.to_owned()),
    ] {
        out.push_str(&format!("  {name:<14}{value}\n"));
    }
    if !format.options.is_empty() {
        out.push_str("options, after a comma or with --oo (input) and --co (output):\n");
        for option in &format.options {
            out.push_str(&format!(
                "  {}={}\n      {}\n",
                option.name, option.value, option.help
            ));
        }
    }
    out
}
