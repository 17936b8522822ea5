//! What runs that were killed left behind.

use super::Location;
use crate::Error;

/// A file or folder under a temporary name, whose run is no longer at work on this machine.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Where it is.
    pub location: Location,
    /// Whether it is what was there before, moved aside to be replaced; else it is a part of what
    /// should have been written.
    pub is_old: bool,
    /// Whether it is all that is left of a file: what it was to be replaced by never came.
    pub is_last: bool,
    /// Its final name; not known of very long ones.
    pub target: Option<Location>,
}

impl Leftover {
    /// What was found at `location` of an output called `target`.
    pub fn new(location: Location, is_old: bool, is_last: bool, target: Option<Location>) -> Self {
        Self {
            location,
            is_old,
            is_last,
            target,
        }
    }

    /// What it is and what to do about it.
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
