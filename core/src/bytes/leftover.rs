//! Files that killed runs left behind.

use super::Location;
use crate::error::Error;

/// A file or folder under a temporary name, whose run is no longer active on this machine.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Its location.
    pub location: Location,
    /// Whether it is an old file that was moved aside to be replaced, not a part of the new output.
    pub is_old: bool,
    /// Whether it is the only remaining version of a file, because its replacement never came.
    pub is_last: bool,
    /// Its final name; unknown for very long ones.
    pub target: Option<Location>,
    /// Whether the folder that holds it may lack files, because the run was killed while it changed
    /// them.
    pub is_unfinished: bool,
}

impl Leftover {
    /// Creates a description of the file at `location`, for an output called `target`.
    pub fn new(location: Location, is_old: bool, is_last: bool, target: Option<Location>) -> Self {
        Self {
            location,
            is_old,
            is_last,
            target,
            is_unfinished: is_old && is_last,
        }
    }

    /// Marks it as files for the folder that holds it, of which some may be in place already.
    #[must_use]
    pub fn unfinished(self) -> Self {
        Self {
            is_unfinished: true,
            ..self
        }
    }

    /// Returns the warning about it, with a remedy.
    pub fn error(&self) -> Error {
        let target = self.target.as_ref().map(Location::to_string);
        let name = target.as_deref().unwrap_or("a file");
        let (message, hint) = match (self.is_old, self.is_last) {
            (true, true) => (
                format!("is the old {name}, from a run that was killed before it replaced it"),
                format!("rename it to {name}, or delete it if you write it again"),
            ),
            (true, false) => (
                format!("is the old {name}, from a run that was killed after it replaced it"),
                format!("delete it if {name} is in order"),
            ),
            (false, _) => (
                format!("is a part of {name} from a run that was killed"),
                "delete it".to_owned(),
            ),
        };
        Error::unfit(message)
            .file(self.location.to_string())
            .hint(hint)
    }
}
