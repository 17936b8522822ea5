//! Converts speech data between any two formats.
//!
//! # In five minutes
//!
//! [`convert`] does the whole job from two arguments, as the program does. Formats are found by
//! content and by extension; the output appears whole or not at all:
//!
//! ```no_run
//! let outcome = spr_convert::convert("feats.scp", "feats.pfile")?;
//! println!("{} utterances", outcome.written.utterances);
//! # Ok::<(), spr_convert::Error>(())
//! ```
//!
//! [`open`] gives a reader of a data set. Its utterances have [features](core::model::Matrix), labels, sound,
//! segments, text, as far as there are any:
//!
//! ```
//! # #[cfg(feature = "kaldi")] {
//! let mut frames = 0;
//! for utt in spr_convert::open("fixtures/samples/kaldi/fbank.scp")? {
//!     let utt = utt?;
//!     let features = utt.features.unwrap_or_default();
//!     let view = features.view::<f32>().unwrap(); // a two-dimensional array of `ndarray`
//!     assert_eq!(view.ncols(), 40);
//!     frames += view.nrows();
//! }
//! assert_eq!(frames, 3111);
//! # }
//! # Ok::<(), spr_convert::Error>(())
//! ```
//!
//! Readers nest: [stages](core::stage) select, join, splice, shuffle, batch and read ahead.
//!
//! ```
//! # #[cfg(feature = "kaldi")] {
//! use spr_convert::core::Limits;
//! use spr_convert::core::stage::{Batching, KeyFilter, ReaderExt};
//!
//! let limits = Limits::default();
//! let batches = spr_convert::open("fixtures/samples/kaldi/fbank.scp")?
//!     .select(KeyFilter::glob("ann-*")?)
//!     .context(5, 5, limits)
//!     .batch(Batching::frames(256), limits)?;
//! for batch in batches {
//!     let features = batch?.features.unwrap_or_default();
//!     assert!(features.rows() <= 256 && features.cols() == 440);
//! }
//! # }
//! # Ok::<(), spr_convert::Error>(())
//! ```
//!
//! [`create`] gives a writer. What the format can't hold is an error, and nothing has its name before
//! [`finish`](DatasetWriter::finish):
//!
//! ```
//! # #[cfg(feature = "kaldi")] {
//! use std::sync::Arc;
//! use spr_convert::core::bytes::MemoryStore;
//! use spr_convert::core::format::Writer;
//! use spr_convert::core::model::{Matrix, Rank, Utterance};
//! use spr_convert::{ConvertOptions, builtin};
//!
//! let store = MemoryStore::new(); // files in memory; without it they are on the disk
//! let env = builtin::env().with_store(Arc::new(store.clone()));
//! let options = ConvertOptions::within(&builtin::registry(), &env);
//! let mut writer = options.create("ark,t:new.ark")?;
//! let mut utt = Utterance { key: "ann-1".into(), ..Utterance::default() };
//! utt.features = Some(Matrix::from_rows(&[1.0f32, 2.5], 2, Rank::Matrix)?);
//! writer.write(&utt)?;
//! assert!(store.get("new.ark").is_none());
//! writer.finish()?;
//! assert_eq!(store.get("new.ark").unwrap(), b"ann-1  [\n  1 2.5 ]\n");
//! # }
//! # Ok::<(), spr_convert::Error>(())
//! ```
//!
//! An [`Error`] says where: file, byte or line, utterance. [`ErrorKind`] tells sorts of errors apart.
//!
//! # Further
//!
//! * [`core::convert()`] takes any reader and any writer, and measures what is lost.
//! * [`OpenOptions`] and [`ConvertOptions`] join labels, add steps, set formats and types, and work with
//!   formats of other crates and another environment.
//! * A [`PlanBuilder`](builder::PlanBuilder) has all the choices of the program. The [`Plan`](plan::Plan) that it
//!   makes is run by a [`Job`](job::Job), and [`step`] is the table of what can happen to utterances.
//! * [`verbs`] are what else the program does, and [`stats`] what can be counted. With the feature `plot` there
//!   are pictures, with `cli` the program.
//! * The model, the readers and the stages are those of [`spr_core`], re-exported as [`core`].
//!
//! Each format is a feature, and all but `remote` are on by default; the README lists them.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod builtin;
#[cfg(feature = "cli")]
pub mod cli;
mod options;
pub mod verbs;

#[cfg(feature = "kaldi")]
pub use builtin::{
    RandomAccessTableReader, RandomAccessTableReaderMapped, SequentialTableReader, TableWriter,
    read_object,
};
pub use options::{ConvertOptions, OpenOptions};
pub use spr_core as core;
pub use spr_core::{Error, ErrorKind, Result};
pub use spr_engine::{
    argument, builder, capabilities, explain, job, looks, plan, shard, step, writing,
};
#[cfg(feature = "plot")]
pub use spr_plot as plot;
pub use spr_stats as stats;

use spr_core::DatasetWriter;
use spr_core::format::Reader;

/// Tests of the README's examples.
#[cfg(all(doctest, feature = "kaldi"))]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// Tests of the examples about stages.
#[cfg(all(doctest, feature = "kaldi"))]
#[doc = include_str!("../docs/stages.md")]
pub struct StagesPage;

/// Converts `input` to `output`, which are arguments as on the command line. Losses are refused,
/// existing outputs are not replaced, no commands run, and nothing is left behind after an error.
///
/// # Errors
/// An argument is invalid, the input is faulty, data would be lost, or the system refuses.
pub fn convert(input: &str, output: &str) -> Result<job::Outcome> {
    ConvertOptions::new().convert(input, output)
}

/// Opens `input`, an argument as on the command line, as a stream of utterances. No commands run.
///
/// # Errors
/// The argument is invalid, no format matches, or the header is invalid.
pub fn open(input: &str) -> Result<Box<dyn Reader>> {
    OpenOptions::new().open(input)
}

/// Begins a data set at `output`, written as on the command line. It is there once it is
/// [finished](DatasetWriter::finish); an output that exists is not replaced.
///
/// # Errors
/// The argument is wrong, or the output exists or can't be made.
pub fn create(output: &str) -> Result<DatasetWriter> {
    ConvertOptions::new().create(output)
}
