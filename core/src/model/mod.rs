//! The common model: what every reader fills and every writer takes.

mod audio;
mod cast;
mod decimal;
mod dtype;
mod grid;
mod info;
mod key;
mod matrix;
mod meta;
mod object;
mod segment;
mod utterance;

pub use audio::Audio;
pub use cast::CastStats;
pub use decimal::Decimal;
pub use dtype::{Dtype, Element, Wide};
pub use grid::FrameGrid;
pub use info::{DatasetInfo, KeySource};
pub use key::{Key, is_word_byte};
pub use matrix::{Matrix, Rank};
pub use meta::{Meta, Tag};
pub use object::{GaussPosterior, Lists, Object, Sparse};
pub use segment::Segment;
pub use utterance::Utterance;
