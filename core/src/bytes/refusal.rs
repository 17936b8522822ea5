//! Errors about commands, pipes and devices that may not be used.

use super::Location;
use crate::error::{Error, Remedy};

/// Returns the error for a command from the user that is not allowed.
pub(super) fn refused(line: &str) -> Error {
    Error::usage(format!("refused to run '{line}'")).suggest(Remedy::AllowCommands)
}

/// Returns the error for a command from a file that is not allowed.
pub(super) fn refused_in_file(line: &str) -> Error {
    Error::usage(format!(
        "refused to run the command '{line}' found in the file"
    ))
    .suggest(Remedy::AllowPipes)
}

/// Returns the error for a pipe or device from a file that is not allowed.
pub(super) fn refused_stream(file: &Location) -> Error {
    let message = format!("refused to open {file}, a pipe or device named in the file");
    Error::usage(message).suggest(Remedy::AllowPipes)
}
