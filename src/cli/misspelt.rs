//! What was meant by a word that is nothing.

use std::path::Path;

use clap::Command;
use spr_core::{Error, ErrorKind, nearest};

use crate::builtin;

/// A word that is no file may be meant as a verb.
pub(super) fn verb(word: &str, program: impl FnOnce() -> Command) -> Option<Error> {
    if Path::new(word).exists() {
        return None;
    }
    if word == "help" {
        let error = Error::new(ErrorKind::Io, "is no file and no verb").file(word);
        return Some(error.hint("spr-convert --help, or spr-convert VERB --help"));
    }
    let program = program();
    let verb = nearest(word, program.get_subcommands().map(Command::get_name))?;
    let error = Error::new(ErrorKind::Io, "is no file and no verb").file(word);
    Some(error.hint(format!("did you mean the verb '{verb}'?")))
}

/// What stands before a colon may be meant as a format.
pub(super) fn format(error: Error, word: &str) -> Error {
    // What was understood is not the name of the file that is missing.
    let name = match error.kind() {
        ErrorKind::Io if error.file_name() == Some(word) => word.split_once(':'),
        _ => None,
    };
    match name.and_then(|(name, _)| nearest(name, builtin::registry().names())) {
        Some(near) => error.hint(format!("did you mean the format '{near}:'?")),
        _ => error,
    }
}

/// A file that is not there may be meant as one beside it.
pub(super) fn file(error: Error) -> Error {
    let path = Path::new(error.file_name().unwrap_or_default());
    let missing = match error.kind() {
        ErrorKind::Io => !path.exists() && !error.is_failure(),
        _ => false,
    };
    let Some(name) = path.file_name().filter(|_| missing) else {
        return error;
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Ok(entries) = folder.read_dir() else {
        let hint = format!("there is no folder {}", folder.display());
        return match folder.exists() {
            true => error,
            false => error.hint(hint),
        };
    };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    match nearest(
        name.as_encoded_bytes(),
        names.iter().map(|n| n.as_encoded_bytes()),
    ) {
        Some(near) => {
            let near = path.with_file_name(String::from_utf8_lossy(near).as_ref());
            error.hint(format!("did you mean {}?", near.display()))
        }
        None => error,
    }
}
