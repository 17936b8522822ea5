//! The names of things: of utterances, of files, of where bytes come from, of a place in a file.

mod key;
mod key_set;
mod location;
mod locator;
mod position;
mod url;
mod variant;

pub use key::{Key, is_word_byte};
pub use key_set::KeySet;
pub use location::Location;
pub use locator::Locator;
pub use position::Position;
pub use url::Url;
pub use variant::Variant;
