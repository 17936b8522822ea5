//! Pictures of utterances and of whole data sets.
//!
//! What is to be seen is made small while it is read, a [`Picture`] of an utterance and an
//! [`Overview`] of a data set. [`draw`] lays either out as a [`Scene`] of rectangles and text,
//! which becomes an SVG or a PNG; [`terminal`] prints them. [`page`] is all of it in HTML.
//!
//! ```
//! use spr_core::model::{Matrix, Rank, Utterance};
//! use spr_plot::{Picture, draw, raster, svg};
//!
//! let utt = Utterance {
//!     key: "ann-001".into(),
//!     features: Some(Matrix::from_rows(&[0.0f32, 1.0, 2.0, 3.0], 2, Rank::Matrix)?),
//!     ..Utterance::default()
//! };
//! let scene = draw::pictures(&[Picture::of(&utt, 660, 300)?], 800);
//! assert!(svg::document(&scene).contains("ann-001"));
//! assert!(raster::png(&scene).starts_with(b"\x89PNG"));
//! # Ok::<(), spr_core::Error>(())
//! ```

mod axes;
mod axis;
mod clip;
mod colour;
pub mod draw;
mod heat;
mod histogram;
mod overview;
pub mod page;
mod picture;
mod png;
mod range;
pub mod raster;
mod scene;
mod spectrum;
pub mod svg;
pub mod terminal;
mod ticks;
mod track;
mod wave;
mod weights;

pub use axis::{Axis, Unit};
pub use clip::Clip;
pub use colour::Rgb;
pub use heat::Heat;
pub use overview::{Listed, Overview, Spoken};
pub use picture::{Detail, Picture};
pub use range::Range;
pub use scene::{Align, Area, Ink, Item, Scene};
pub use spectrum::{Analysis, Spectrum};
pub use track::{Span, Track};
pub use wave::Wave;

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

/// As many characters of a text as fit, with an ellipsis for the others.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(2));
    kept.chain("..".chars()).take(most).collect()
}

/// A text in lines of so many characters at most, broken between words; a longer word is shortened.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let fits = |line: &&mut String| line.chars().count() + 1 + word.chars().count() <= most;
        match lines.last_mut().filter(fits) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(shortened(word, most)),
        }
    }
    lines
}

/// So many of something.
fn counted(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
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
    fn long_text_is_shortened() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdef", 5), "abc..");
        assert_eq!(shortened("abcdef", 1), ".");
        assert_eq!(wrapped("ab cd abcdef", 5), ["ab cd", "abc.."]);
        assert_eq!([1, 2].map(|n| counted(n, "frame")), ["1 frame", "2 frames"]);
    }
}
