//! From what the user types to what is read and written.
//!
//! An argument is, in this order: a Kaldi rspecifier or wspecifier, `NAME:REST` with the name of a
//! format, or a path or glob; the last two may end in `,key=value` options of their format.

mod input;
mod output;

pub use input::{Input, Opened};
pub use output::Target;

use spr_core::format::{Format, Registry};
use spr_core::{Error, Result};

/// `key=value` as typed.
pub type Pair = (String, String);

/// Splits `key=value`.
///
/// # Errors
/// There is no `=`.
pub fn pair(text: &str) -> Result<Pair> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(Error::usage(format!("'{text}' is not key=value"))
            .hint("a file name with a comma is written ./a,b together with --from or --to")),
    }
}

/// `NAME:REST`, if NAME is a format.
fn named<'a>(text: &'a str, registry: &Registry) -> Option<(&'static dyn Format, &'a str)> {
    let (name, rest) = text.split_once(':')?;
    Some((registry.find(name)?, rest))
}

/// `PATH,key=value,…`.
fn path_and_pairs(text: &str) -> Result<(&str, Vec<Pair>)> {
    let mut pieces = text.split(',');
    let path = pieces.next().unwrap_or_default();
    Ok((path, pieces.map(pair).collect::<Result<_>>()?))
}
