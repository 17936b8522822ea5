//! The verbs, for every format alike: each is a function over readers or a stage of a
//! [`Job`](crate::job::Job); the program parses and prints. `stats` and `ls` are [`crate::stats`].

pub mod check;
pub mod diff;
mod faults;
pub mod groups;
pub mod index;
pub mod info;
pub mod repair;
#[cfg(feature = "plot")]
pub mod report;
pub mod shards;
pub mod show;
pub mod stats;

use serde_json::{Value, json};
use spr_core::model::Key;

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
