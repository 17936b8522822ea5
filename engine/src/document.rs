//! Files that a run or a program writes for itself: reports, logs, records, pictures, pages.

use serde::Serialize;
use serde_json::{Value, json};
use spr_core::bytes::{Env, Location, Locator, Output, Part, Sink};
use spr_core::model::Key;
use spr_core::text::json_line;
use spr_core::{Error, Result};

/// A file that appears whole when it is finished, and otherwise not at all; or standard output.
pub struct Document {
    output: Output,
    sink: Sink,
}

impl Document {
    /// Creates the file under a temporary name. `-` is standard output.
    ///
    /// # Errors
    /// It exists and may not be replaced, or cannot be created.
    pub fn create(at: &Location, overwrite: bool, env: &Env) -> Result<Self> {
        let output = env.output(&place(at)).overwrite(overwrite);
        let sink = output.create(Part::Main, false)?;
        Ok(Self { output, sink })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// The system refuses.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.sink.put(bytes)
    }

    /// Completes the file without giving it its name, for a joint commit.
    ///
    /// # Errors
    /// The system refuses.
    pub fn complete(self) -> Result<Output> {
        self.sink.finish()?;
        Ok(self.output)
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish(self) -> Result<()> {
        self.complete()?.commit()
    }
}

/// Returns the locator for a name.
pub fn place(name: &Location) -> Locator {
    match name.as_os_str() == "-" {
        true => Locator::Standard,
        false => Locator::file(name),
    }
}

/// An object of JSON with the version of its schema in `docs/schemas/`.
#[derive(Serialize)]
pub struct Versioned<T> {
    schema: u8,
    #[serde(flatten)]
    object: T,
}

impl<T: Serialize> Versioned<T> {
    /// Adds the version to an object.
    pub fn new(object: T) -> Self {
        Self { schema: 1, object }
    }

    /// Formats the object as a line without its end.
    ///
    /// # Errors
    /// The value is no object.
    pub fn line(&self) -> Result<String> {
        let text = serde_json::to_string(self).map_err(not_written)?;
        Ok(json_line(text))
    }

    /// Formats the object as several lines with their ends.
    ///
    /// # Errors
    /// The value is no object.
    pub fn lines(&self) -> Result<String> {
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

/// Formats an error as a JSON object; `hint` is its remedy in words.
pub fn error_json(error: &Error, hint: Option<String>) -> Value {
    json!({
        "kind": error.kind().name(),
        "file": error.file_name(),
        "byte": error.byte_offset(),
        "line": error.line_number(),
        "key": error.key().map(key_json),
        "utterance": error.key().map(ToString::to_string),
        "message": error.message(),
        "hint": hint,
    })
}

/// Formats a key for JSON: a string, or `{"bytes":"hex"}` if it is not UTF-8.
pub fn key_json(key: &Key) -> Value {
    match key.as_str() {
        Some(text) => json!(text),
        None => {
            let digits = key.as_bytes().iter().map(|b| format!("{b:02x}"));
            json!({"bytes": digits.collect::<String>()})
        }
    }
}
