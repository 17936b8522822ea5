//! Kaldi's own notation, taken verbatim.

use std::path::Path;

use spr_core::Result;
use spr_core::bytes::Output;
use spr_core::format::Registry;
use spr_format_kaldi::specifier;

use super::input::{Input, Place};
use super::output::Target;

/// The input that an rspecifier means; `None` if the text is none.
pub(super) fn input(text: &str, registry: &Registry) -> Result<Option<Input>> {
    let Some(parsed) = specifier::rspecifier(text) else {
        return Ok(None);
    };
    let parsed = parsed?;
    let pairs = parsed.options();
    let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Ok(Some(Input {
        text: text.to_owned(),
        form: "a Kaldi rspecifier",
        format: Some(registry.get("kaldi")?),
        pairs: pairs.collect(),
        place: Place::At(parsed.locator),
        permissive: parsed.permissive,
        wishes: Vec::new(),
    }))
}

/// The output that a wspecifier means; `None` if the text is none.
pub(super) fn target(text: &str, registry: &Registry) -> Result<Option<Target>> {
    let Some(parsed) = specifier::wspecifier(text) else {
        return Ok(None);
    };
    let parsed = parsed?;
    let mut target = Target::new(
        text,
        "a Kaldi wspecifier",
        registry.get("kaldi")?,
        parsed.output(),
        parsed.options().collect(),
    );
    target.permissive = parsed.permissive;
    Ok(Some(target))
}

/// What a plain path means as a Kaldi output: `.scp` is a script file with its archive beside it,
/// `.ali` a text alignment, everything else an archive.
pub(super) fn plain_output(path: &Path, pairs: &mut Vec<(String, String)>) -> Output {
    match path.extension().and_then(|e| e.to_str()) {
        Some("scp") => {
            Output::file(path.with_extension("ark")).with_named("scp", Output::file(path))
        }
        Some("ali") => {
            pairs.push(("text".to_owned(), "true".to_owned()));
            Output::file(path)
        }
        _ => Output::file(path),
    }
}
