//! Converts speech data between any two formats.
//!
//! [`convert`] does the whole job from two arguments, as the program does:
//!
//! ```no_run
//! let outcome = spr_convert::convert("feats.scp", "feats.pfile")?;
//! println!("{} utterances", outcome.written.utterances);
//! # Ok::<(), spr_convert::Error>(())
//! ```
//!
//! [`open`] gives a reader of a data set, [`create`] a writer; [`core::convert()`] takes any of both.
//! [`Job`](job::Job) has all the choices; [`argument`] turns text into inputs and outputs, with
//! the data options of [`spec`]; the model, the readers and the stages are those of [`spr_core`],
//! re-exported as [`core`]. [`verbs`] are what else the program does, and [`stats`] what can be
//! counted; with the feature `plot` there are pictures, with `cli` the program.

pub mod argument;
pub mod builtin;
pub mod capabilities;
#[cfg(feature = "cli")]
pub mod cli;
mod digest;
pub mod job;
mod places;
pub mod shard;
pub mod spec;
pub mod verbs;
mod verify;
pub mod writing;

pub use spr_core as core;
pub use spr_core::{Error, ErrorKind, Result};
#[cfg(feature = "kaldi")]
pub use spr_format_kaldi::{
    RandomAccessTableReader, RandomAccessTableReaderMapped, SequentialTableReader, TableWriter,
    read_object,
};
#[cfg(feature = "plot")]
pub use spr_plot as plot;
pub use spr_stats as stats;

use spr_core::format::{Reader, Request};

/// What the README shows runs.
#[cfg(all(doctest, feature = "kaldi"))]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// What the page about stages shows runs.
#[cfg(all(doctest, feature = "kaldi"))]
#[doc = include_str!("../docs/stages.md")]
pub struct StagesPage;

/// Converts `input` to `output`, both written as on the command line. Losses are refused, an
/// output that exists is not replaced, no commands run, and on an error nothing is left behind.
///
/// # Errors
/// An argument is wrong, the input is at fault, something would be lost, or the system refuses.
pub fn convert(input: &str, output: &str) -> Result<job::Outcome> {
    let (registry, env) = (builtin::registry(), builtin::env());
    let inputs = argument::Input::parse(input, None, &[], &registry, &env)?;
    let target = argument::Target::parse(output, None, &[], &registry, &env)?;
    job::Job::new(inputs, target).run(&registry, &env, &mut ())
}

/// Opens `input`, written as on the command line, as a stream of utterances. No commands run.
///
/// # Errors
/// The argument is wrong, no format fits, or the header is broken.
pub fn open(input: &str) -> Result<Box<dyn Reader>> {
    let (registry, env) = (builtin::registry(), builtin::env());
    let inputs = argument::Input::parse(input, None, &[], &registry, &env)?;
    let opened = argument::Input::open_all(&inputs, Request::all(), &registry, &env)?;
    Ok(opened.reader)
}

/// Begins a data set at `output`, written as on the command line. It is there once it is
/// [finished](spr_core::format::Writer::finish); an output that exists is not replaced.
///
/// # Errors
/// The argument is wrong, or the output exists or can't be made.
pub fn create(output: &str) -> Result<spr_core::DatasetWriter> {
    let (registry, env) = (builtin::registry(), builtin::env());
    let target = argument::Target::parse(output, None, &[], &registry, &env)?;
    let place = target.output(false, false, &env)?;
    spr_core::DatasetWriter::create(target.format(), place, &target.options()?, &env)
}
