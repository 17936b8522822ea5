//! Pictures of utterances and of whole data sets.
//!
//! Data are reduced while they are read: an utterance to a [`Picture`], a data set to an
//! [`Overview`]. [`draw`] lays either out as a [`Scene`] of rectangles and text, which becomes an
//! SVG, a PNG or a PDF; [`terminal`] prints them as text. [`page`] puts everything into one HTML page.
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
mod columns;
pub mod draw;
mod heat;
mod helvetica;
mod histogram;
mod overview;
pub mod page;
pub mod pdf;
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
mod words;

pub use axis::{Axis, Unit};
pub use clip::Clip;
pub use colour::Rgb;
pub use columns::Normalisation;
pub use heat::Heat;
pub use overview::{Chart, Overview};
pub use picture::{Detail, Picture};
pub use range::Range;
pub use scene::{Align, Area, Ink, Item, Scene};
pub use spectrum::{Analysis, Spectrum};
pub use track::{Span, Track};
pub use wave::Wave;
