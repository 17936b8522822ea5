//! Kaldi's own notation, taken verbatim.

use std::path::Path;

use spr_core::Result;
use spr_core::bytes::Output;
use spr_core::format::Registry;
use spr_format_kaldi::specifier::{self, Table, WLocation};

use super::input::{Input, Place};
use super::output::Target;

fn flag(pairs: &mut Vec<(String, String)>, key: &str, value: &str) {
    pairs.push((key.to_owned(), value.to_owned()));
}

/// The input that an rspecifier means; `None` if the text is none.
pub(super) fn input(text: &str, registry: &Registry) -> Result<Option<Input>> {
    let Some(parsed) = specifier::rspecifier(text) else {
        return Ok(None);
    };
    let parsed = parsed?;
    let mut pairs = Vec::new();
    let table = match parsed.table {
        Table::Ark => "ark",
        Table::Script => "scp",
    };
    flag(&mut pairs, "table", table);
    Ok(Some(Input {
        text: text.to_owned(),
        form: "a Kaldi rspecifier",
        format: Some(registry.get("kaldi")?),
        place: Place::At(parsed.locator),
        pairs,
        permissive: parsed.permissive,
    }))
}

/// The output that a wspecifier means; `None` if the text is none.
pub(super) fn target(text: &str, registry: &Registry) -> Result<Option<Target>> {
    let Some(parsed) = specifier::wspecifier(text) else {
        return Ok(None);
    };
    let parsed = parsed?;
    let mut pairs = Vec::new();
    if parsed.text {
        flag(&mut pairs, "text", "true");
    }
    let output = match (parsed.archive, parsed.script) {
        (Some(archive), Some(script)) => place(archive).with_named("scp", place(script)),
        (Some(archive), None) => place(archive),
        (None, Some(script)) => {
            flag(&mut pairs, "table", "scp");
            place(script)
        }
        (None, None) => return Ok(None),
    };
    let format = registry.get("kaldi")?;
    Ok(Some(Target::new(
        text,
        "a Kaldi wspecifier",
        format,
        output,
        pairs,
    )))
}

fn place(at: WLocation) -> Output {
    match at {
        WLocation::Stdout => Output::stdout(),
        WLocation::File(path) => Output::file(path),
        WLocation::Command(line) => Output::command(line),
    }
}

/// What a plain path means as a Kaldi output: `.scp` is a script file with its archive beside it,
/// `.ali` a text alignment, everything else an archive.
pub(super) fn plain_output(path: &Path, pairs: &mut Vec<(String, String)>) -> Output {
    match path.extension().and_then(|e| e.to_str()) {
        Some("scp") => {
            Output::file(path.with_extension("ark")).with_named("scp", Output::file(path))
        }
        Some("ali") => {
            flag(pairs, "text", "true");
            Output::file(path)
        }
        _ => Output::file(path),
    }
}
