//! The common model: what every reader fills and every writer takes.

mod cast;
mod decimal;
mod dtype;
mod info;
mod key;
mod matrix;
mod meta;
mod utterance;

pub use cast::CastStats;
pub use decimal::Decimal;
pub use dtype::{Dtype, Element, Wide};
pub use info::{DatasetInfo, KeySource};
pub use key::{Key, is_word_byte};
pub use matrix::{Matrix, Rank};
pub use meta::{Meta, Tag};
pub use utterance::Utterance;
