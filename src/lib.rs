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
//! use spr_convert::{Converter, builtin};
//!
//! let store = MemoryStore::new(); // files in memory; without it they are on the disk
//! let env = builtin::env().with_store(Arc::new(store.clone()));
//! let mut writer = Converter::default().in_env(env).create("ark,t:new.ark")?;
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
//! * A [`Converter`] works with formats of other crates and in other surroundings.
//! * [`Job`](job::Job) has all the choices of the program: [`argument`] turns text into inputs and outputs,
//!   a [`Plan`](plan::Plan) holds what is to be done, and [`step`] is the table of what can happen to utterances.
//! * [`verbs`] are what else the program does, and [`stats`] what can be counted. With the feature `plot` there
//!   are pictures, with `cli` the program.
//! * The model, the readers and the stages are those of [`spr_core`], re-exported as [`core`].
//!
//! Each format is a feature, and all but `remote` are on by default; the README lists them.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod builtin;
#[cfg(feature = "cli")]
pub mod cli;
pub mod verbs;

#[cfg(feature = "kaldi")]
pub use builtin::{
    RandomAccessTableReader, RandomAccessTableReaderMapped, SequentialTableReader, TableWriter,
    read_object,
};
pub use spr_core as core;
pub use spr_core::{Error, ErrorKind, Result};
pub use spr_engine::{
    argument, builder, capabilities, explain, job, looks, plan, shard, step, writing,
};
#[cfg(feature = "plot")]
pub use spr_plot as plot;
pub use spr_stats as stats;

use spr_core::DatasetWriter;
use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};

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
    Converter::default().convert(input, output)
}

/// Opens `input`, an argument as on the command line, as a stream of utterances. No commands run.
///
/// # Errors
/// The argument is invalid, no format matches, or the header is invalid.
pub fn open(input: &str) -> Result<Box<dyn Reader>> {
    Converter::default().open(input)
}

/// Begins a data set at `output`, written as on the command line. It is there once it is
/// [finished](DatasetWriter::finish); an output that exists is not replaced.
///
/// # Errors
/// The argument is wrong, or the output exists or can't be made.
pub fn create(output: &str) -> Result<DatasetWriter> {
    Converter::default().create(output)
}

/// [`convert`], [`open`] and [`create`] with formats and surroundings of the caller's choice.
///
/// ```
/// use spr_convert::{Converter, builtin};
///
/// let mut env = builtin::env();
/// env.threads = 1;
/// // Another crate's format goes here: builtin::registry().with_format(&FORMAT).
/// let converter = Converter::new(builtin::registry()).in_env(env);
/// let error = converter.open("missing.wav").err().unwrap();
/// assert_eq!(error.file_name(), Some("missing.wav"));
/// ```
#[derive(Clone)]
pub struct Converter {
    registry: Registry,
    env: Env,
}

impl Default for Converter {
    /// The formats that are built in, in [safe surroundings](builtin::env).
    fn default() -> Self {
        Self::new(builtin::registry())
    }
}

impl Converter {
    /// A converter of these formats, in safe surroundings.
    pub fn new(registry: Registry) -> Self {
        let env = builtin::env_with(registry.clone());
        Self { registry, env }
    }

    /// The same in other surroundings, where containers find the formats of this converter.
    #[must_use]
    pub fn in_env(self, env: Env) -> Self {
        Self {
            env: env.with_formats(self.registry.clone()),
            ..self
        }
    }

    /// The formats.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The surroundings.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// Converts `input` to `output`, as [`convert`].
    ///
    /// # Errors
    /// As [`convert`].
    pub fn convert(&self, input: &str, output: &str) -> Result<job::Outcome> {
        let (registry, env) = (&self.registry, &self.env);
        let mut builder = builder::PlanBuilder::new(registry, env);
        let plan = builder.input(input)?.output(output)?.finish()?;
        job::Job::new(plan).run(registry, env, &mut ())
    }

    /// Opens `input` as a stream of utterances, as [`open`].
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(&self, input: &str) -> Result<Box<dyn Reader>> {
        let (registry, env) = (&self.registry, &self.env);
        let plan = builder::PlanBuilder::new(registry, env)
            .input(input)?
            .finish()?;
        Ok(plan.open(Request::all(), registry, env)?.reader)
    }

    /// Begins a data set at `output`, as [`create`].
    ///
    /// # Errors
    /// As [`create`].
    pub fn create(&self, output: &str) -> Result<DatasetWriter> {
        let (registry, env) = (&self.registry, &self.env);
        let target = argument::Target::parse(output, None, &[], registry, env)?;
        let place = target.output(false, false, env)?;
        DatasetWriter::create(target.format(), place, &target.options()?, env)
    }
}
