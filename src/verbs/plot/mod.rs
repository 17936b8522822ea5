//! `plot`: pictures of utterances and of whole data sets.
//!
//! What is to be seen is made small while it is read, a [`Picture`] of an utterance and an
//! [`Overview`] of a data set. [`draw`] lays either out as a [`Scene`] of rectangles and text,
//! which becomes an SVG or a PNG; [`terminal`] prints them.
//!
//! ```
//! use spr_convert::core::model::{Matrix, Rank, Utterance};
//! use spr_convert::verbs::plot::{Picture, draw, raster, svg};
//!
//! let utt = Utterance {
//!     key: "ann-001".into(),
//!     features: Some(Matrix::from_rows(&[0.0f32, 1.0, 2.0, 3.0], 2, Rank::Matrix)?),
//!     ..Utterance::default()
//! };
//! let scene = draw::pictures(&[Picture::of(&utt, 660, 300)], 800);
//! assert!(svg::document(&scene).contains("ann-001"));
//! assert!(raster::png(&scene).starts_with(b"\x89PNG"));
//! # Ok::<(), spr_convert::Error>(())
//! ```

mod axes;

mod colour;
pub mod draw;
mod histogram;
mod overview;
mod picture;
mod png;
pub mod raster;
mod scene;
mod sparse;
pub mod svg;
pub mod terminal;
mod ticks;

pub use colour::Rgb;
pub use overview::{Listed, Overview};
pub use picture::{Axis, Heat, Picture, Span, Track, Wave};
pub use scene::{Align, Area, Ink, Item, Scene};

/// A chart of a whole data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// How many utterances are how long.
    Lengths,
    /// How often each label occurs.
    Labels,
    /// Mean and standard deviation of each column of the features.
    Dims,
}

impl Chart {
    /// All charts, in the order in which they are drawn.
    pub const ALL: [Self; 3] = [Self::Lengths, Self::Labels, Self::Dims];
}

/// Text from a file with what could play tricks escaped: control characters, and those that turn
/// the direction of writing.
pub(crate) fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match is_tricky(c) {
            true => safe.extend(c.escape_default()),
            false => safe.push(c),
        }
    }
    safe
}

/// Whether a character does something to the text around it.
pub(crate) fn is_tricky(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(c, '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// As many characters of a text as fit, with an ellipsis for the others.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(2));
    kept.chain("..".chars()).take(most).collect()
}

/// The whole number below `value`, 0 at least.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float to integer saturates"
)]
fn whole(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_harmless() {
        assert_eq!(harmless("a<b> \u{e4}"), "a<b> \u{e4}");
        assert_eq!(harmless("a\x1b[2J\u{202e}"), "a\\u{1b}[2J\\u{202e}");
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdef", 5), "abc..");
        assert_eq!(shortened("abcdef", 1), ".");
    }
}
