//! The common model: what every reader fills and every writer takes.

mod array;
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
mod origin;
mod portion;
mod rounding;
mod segment;
mod sequences;
mod utterance;
mod waveform;

pub use array::{Array, NamedArray};
pub use audio::{Audio, AudioFacts, AudioReference, EncodedAudio};
pub use cast::CastStats;
pub use decimal::Decimal;
pub use dtype::{Dtype, Element, Wide};
pub use grid::FrameGrid;
pub use half::{bf16, f16};
pub use info::{DatasetInfo, KeySource};
pub use key::{Key, is_word_byte};
pub use matrix::{Matrix, Rank};
pub use meta::{Described, Meta, SourceField, Tag};
pub use object::{GaussPosterior, Lists, Object, Sparse};
pub use origin::{Origin, Position};
pub use portion::{Portion, Portions};
pub use segment::{Segment, Tier};
pub use sequences::Sequences;
pub use utterance::Utterance;
pub use waveform::Waveform;
