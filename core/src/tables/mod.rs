//! Tables in small files of text that name things: keys for other keys, numbers of symbols, and the
//! names and lengths of utterances beside data that have no room for them.

mod keymap;
pub mod side;
mod symbols;

pub use keymap::KeyMap;
pub use symbols::Symbols;
