//! The kinds of manifests.

use spr_core::{Error, Result};
use spr_syntax::json::Object;

/// The kind of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Recordings,
    Supervisions,
    Features,
    Cuts,
}

impl Kind {
    /// Returns its name in file names and options.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Recordings => "recordings",
            Self::Supervisions => "supervisions",
            Self::Features => "features",
            Self::Cuts => "cuts",
        }
    }

    /// Returns the kind of a manifest with this object, by the same fields as Lhotse.
    ///
    /// # Errors
    /// It is of images or arrays.
    pub(super) fn of(object: &Object<'_>) -> Result<Self> {
        for (field, what) in [
            ("width", "images"),
            ("shape", "arrays"),
            ("array", "arrays"),
        ] {
            if object.has(field) {
                return Err(Error::unsupported(format!("a Lhotse manifest of {what}")));
            }
        }
        Ok(match () {
            () if object.has("sources") => Self::Recordings,
            () if object.has("num_features") => Self::Features,
            () if object.has("type") => Self::Cuts,
            () => Self::Supervisions,
        })
    }
}
