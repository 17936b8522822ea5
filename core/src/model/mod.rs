//! The common model: utterances, which every reader fills and every writer takes.

mod about;
mod array;
mod audio;
mod cast;
mod chunk;
mod grid;
mod info;
mod level;
mod limits;
mod matrix;
mod meta;
mod object;
mod origin;
mod recording;
mod segment;
mod sequences;
#[cfg(test)]
mod tests;
mod utterance;
mod view;
mod waveform;
mod word;

pub use crate::name::{Key, KeySet, Position, is_word_byte};
pub use crate::number::{Decimal, Dtype, Element, Wide, bf16, f16};
pub use about::{About, AboutField};
pub use array::{Array, NamedArray};
pub use audio::{Audio, AudioReference, EncodedAudio};
pub use cast::CastStats;
pub use chunk::{Chunk, Chunks};
pub use grid::FrameGrid;
pub use info::{DatasetInfo, KeySource};
pub use level::Level;
pub use limits::Limits;
pub use matrix::{Matrix, Rank};
pub use meta::{Meta, SourceField, Tag, TagSubject};
pub use object::{GaussPosterior, Lists, Object, Sparse};
pub use origin::Origin;
pub use recording::{AudioFacts, RecordingFacts, Span};
pub use segment::{Segment, Tier};
pub use sequences::Sequences;
pub use utterance::{Spare, Utterance};
pub use waveform::Waveform;
