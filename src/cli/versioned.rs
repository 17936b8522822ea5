//! Objects of JSON for programs.

use serde::Serialize;
use spr_core::text::json_line;
use spr_core::{Error, Result};

/// An object of JSON with the version of its schema, which stands in `docs/schemas/`.
#[derive(Serialize)]
pub(super) struct Versioned<T> {
    schema: u8,
    #[serde(flatten)]
    object: T,
}

impl<T: Serialize> Versioned<T> {
    pub(super) fn new(object: T) -> Self {
        Self { schema: 1, object }
    }

    /// Returns it as a line, without its end.
    ///
    /// # Errors
    /// It is no object.
    pub(super) fn line(&self) -> Result<String> {
        let text = serde_json::to_string(self).map_err(not_written)?;
        Ok(json_line(text))
    }

    /// Returns it over several lines, with their ends.
    ///
    /// # Errors
    /// It is no object.
    pub(super) fn lines(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self).map_err(not_written)?;
        Ok(text
            .lines()
            .map(|line| json_line(line.to_owned()) + "\n")
            .collect())
    }
}

fn not_written(error: serde_json::Error) -> Error {
    Error::io("cannot write", error.into())
}
