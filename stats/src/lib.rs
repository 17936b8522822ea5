//! The facts of speech data: a [`Survey`] of a data set, and an [`Entry`] for each utterance.

mod column;
mod compare;
mod entry;
mod group;
mod label;
mod length;
mod listing;
mod lists;
mod measured;
mod number;
mod order;
mod query;
mod sound;
mod source;
mod survey;

pub use column::{Column, Columns, MAX_COLUMNS};
pub use compare::{Compared, differences, side_by_side};
pub use entry::Entry;
pub use group::{Group, GroupBy, GroupValue, Groups};
pub use label::{Label, LabelCount, LabelCounts, LabelRange, name_labels};
pub use length::{LengthCounts, Lengths};
pub use listing::{AudioNeed, COLUMNS, Cell, ColumnType, ListColumn, Row, unknown};
pub use lists::{ListedUtterance, Lists, SpeakerTotals};
pub use measured::{AudioProbe, MeasuredAudio};
pub use number::number;
pub use order::{OrderColumns, OrderValues};
pub use query::Expression;
pub use sound::{Sound, Spread, decibels};
pub use source::Sources;
pub use spr_core::model::Level;
pub use survey::{Scope, Survey};
