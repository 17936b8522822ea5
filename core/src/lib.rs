//! The core of spr-convert: everything that readers, writers and stages of speech data share.
//!
//! The core knows no format. Data come from a format's crate (`spr-format-kaldi`), from all of them
//! (`spr-convert`), or from a reader of your own, as here.
//!
//! # In five minutes
//!
//! An [`Utterance`](model::Utterance) is a named item of a data set: features, labels, sound, segments,
//! text, arrays, as far as there are any. A [`Reader`](format::Reader) fills one after the other:
//!
//! ```
//! use spr_core::format::Reader;
//! use spr_core::model::{DatasetInfo, Matrix, Rank, Utterance};
//! use spr_core::Result;
//!
//! /// Utterances of 1, 2, 3, … frames with two columns.
//! struct Steps {
//!     next: usize,
//!     last: usize,
//!     info: DatasetInfo,
//! }
//!
//! impl Reader for Steps {
//!     fn info(&self) -> &DatasetInfo {
//!         &self.info
//!     }
//!
//!     fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
//!         if self.next == self.last {
//!             return Ok(false);
//!         }
//!         self.next += 1;
//!         utt.start(); // clears what the utterance before held, and keeps its memory
//!         utt.key.set(format!("utt-{}", self.next).as_bytes());
//!         utt.features = Some(Matrix::from_rows(&vec![0.5f32; 2 * self.next], 2, Rank::Matrix)?);
//!         Ok(true)
//!     }
//! }
//! # fn steps(last: usize) -> Steps { Steps { next: 0, last, info: DatasetInfo::default() } }
//!
//! // One utterance, lent to the reader again and again: nothing is allocated twice.
//! let mut reader = steps(4);
//! let (mut utt, mut frames) = (Utterance::default(), 0);
//! while reader.read(&mut utt)? {
//!     frames += utt.frames();
//! }
//! assert_eq!(frames, 10);
//!
//! // Or as an iterator, and through stages, which are readers over readers.
//! use spr_core::stage::{KeyFilter, ReaderExt};
//! use spr_core::Limits;
//!
//! let chosen = steps(4).without(KeyFilter::glob("*-3")?).context(1, 1, Limits::default());
//! for utt in chosen {
//!     let utt = utt?;
//!     let features = utt.features.unwrap_or_default();
//!     assert_eq!(features.cols(), 6); // a frame and its two neighbours
//!     let view = features.view::<f32>().unwrap(); // an array of `ndarray`, not copied
//!     assert_eq!(view[[0, 0]], 0.5);
//! }
//! # Ok::<(), spr_core::Error>(())
//! ```
//!
//! A [`Writer`](format::Writer) stores all that it is handed or fails. What it can hold, its
//! [`Caps`](format::Caps) say, and [`convert()`] fits utterances to them: a loss is measured, and refused
//! unless a [`LossPolicy`](loss::LossPolicy) allows it. Its page has an example.
//!
//! Bytes come and go through an [`Env`](bytes::Env): files are found and their compression is undone, outputs
//! appear whole or not at all, and limits hold whatever a header claims. With a
//! [`MemoryStore`](bytes::MemoryStore) everything stays in memory. An [`Error`] knows its file, its byte or
//! line, its utterance, and what would help.
//!
//! A format is a static that implements [`Format`](format::Format): how it is recognised, what it holds, how it
//! is opened and created. CONTRIBUTING.md in the sources says it step by step.
//!
//! # The rooms
//!
//! From the ground up; each room knows those before it, and none behind it:
//!
//! * [`text`] – text that is safe to show, and what a misspelt word was meant to be;
//! * `name` – the names of utterances and of files, and places in files;
//! * `error` – the one error type, and what can be done about an error;
//! * [`threads`] – work on several threads, its results in order;
//! * [`number`] – element types, byte order, exact decimals, numbers in text, random numbers;
//! * [`model`] – the utterance: features, labels, sound, segments, text, arrays, objects;
//! * [`bytes`] – sources that undo compression, outputs that appear whole or not at all, and the stores
//!   that they come from and go to;
//! * [`format`](mod@format) – the contract between the converter and a format, and what a target can
//!   lose ([`loss`]);
//! * [`recording`] – the audio that utterances refer to, loaded and measured in one place;
//! * [`tables`] – small files of text that name things: [`KeyMap`], [`Symbols`], side files;
//! * [`stage`] – readers made of readers;
//! * [`adapt`] and [`convert()`] – a conversion between any reader and any writer, and the only place
//!   where data are narrowed or dropped, measured and reported.
//!
//! # Features
//!
//! `gzip`, `bzip2` and `zstd` are compressions of files, `resample` is sound at other rates. All are on by
//! default.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod bytes;
mod convert;
mod error;
pub mod format;
pub mod model;
mod name;
pub mod number;
pub mod recording;
pub mod stage;
pub mod tables;
pub mod text;
pub mod threads;

pub use convert::{ConversionSummary, DatasetWriter, adapt, convert, convert_in};
pub use error::{Error, ErrorKind, Remedy, Result};
pub use format::loss;
pub use model::Limits;
pub use ndarray;
pub use tables::{KeyMap, Symbols};
pub use text::nearest;
