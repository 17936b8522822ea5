//! Kaldi's grammar for file names: `-`, `gunzip -c x.gz |`, `feats.ark:18734`.

use spr_core::bytes::Locator;
use spr_core::{Error, Result};

use crate::table_options::{is_space, is_specifier};

/// Parses `text` as a name to read from.
///
/// # Errors
/// Kaldi would not read from it.
pub fn rxfilename(text: &str) -> Result<Locator> {
    if text.is_empty() || text == "-" {
        return Ok(Locator::Standard);
    }
    if text.starts_with('|') {
        return Err(refused(text, "a command to read from ends with '|'"));
    }
    if let Some(command) = text.strip_suffix('|') {
        return match command.trim_matches(is_space) {
            "" => Err(refused(text, "the command is empty")),
            command => Ok(Locator::Command(command.to_owned())),
        };
    }
    check_name(text)?;
    if let Some((name, digits)) = offset(text) {
        if name.is_empty() {
            return Err(refused(text, "the file has no name"));
        }
        let offset = digits
            .parse()
            .map_err(|_| refused(text, "the offset is not a 64-bit number"))?;
        return Ok(Locator::FileAt(name.into(), offset));
    }
    check_pipe(text)?;
    Ok(Locator::File(text.into()))
}

/// Parses `text` as a name to write to.
///
/// # Errors
/// Kaldi would not write to it.
pub fn wxfilename(text: &str) -> Result<Locator> {
    if text.is_empty() || text == "-" {
        return Ok(Locator::Standard);
    }
    if let Some(command) = text.strip_prefix('|') {
        return match command.trim_matches(is_space) {
            "" => Err(refused(text, "the command is empty")),
            command => Ok(Locator::Command(command.to_owned())),
        };
    }
    if text.ends_with('|') {
        return Err(refused(text, "a command to write to starts with '|'"));
    }
    check_name(text)?;
    if offset(text).is_some() {
        return Err(refused(text, "an offset can't be written to"));
    }
    check_pipe(text)?;
    Ok(Locator::File(text.into()))
}

fn check_name(text: &str) -> Result<()> {
    if text.starts_with(is_space) || text.ends_with(is_space) {
        return Err(refused(text, "there is white space around it"));
    }
    if text.starts_with(['a', 's']) && is_specifier(text) {
        return Err(refused(text, "it names a table, not a file"));
    }
    Ok(())
}

fn check_pipe(text: &str) -> Result<()> {
    match text.contains('|') {
        true => Err(refused(text, "'|' stands first or last, or not at all")),
        false => Ok(()),
    }
}

/// Splits `name:digits`.
fn offset(text: &str) -> Option<(&str, &str)> {
    let (name, digits) = text.rsplit_once(':')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some((name, digits))
}

fn refused(text: &str, why: &str) -> Error {
    Error::usage(format!("'{text}' is not a valid Kaldi file name: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names() {
        for text in [
            " ",
            " a ",
            "a ",
            "|b",
            "| b ",
            "ark,s,cs:a b c",
            "scp:a b c",
            "a|b",
            ":5",
        ] {
            assert!(rxfilename(text).is_err(), "{text}");
        }
        let file = |name: &str| Locator::File(name.into());
        for text in ["a", "a b c/3", "a b c:", "sp:c", "x:y:"] {
            assert_eq!(rxfilename(text).unwrap(), file(text));
        }
        assert_eq!(rxfilename(" b c|").unwrap(), Locator::Command("b c".into()));
        let at = Locator::FileAt("a b c".into(), 123);
        assert_eq!(rxfilename("a b c:123").unwrap(), at);
        assert!(wxfilename("b c|").is_err() && wxfilename("a:3").is_err());
        assert_eq!(wxfilename("a b").unwrap(), Locator::File("a b".into()));
    }
}
