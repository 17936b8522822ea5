//! The behaviour that every format of spr-convert must show, as tests to run on it.
//!
//! A format's `tests/behaviour.rs` calls the suite once for each way of writing it, and goes on
//! with what is peculiar to the format:
//!
//! ```text
//! use spr_testkit::{Suite, suite};
//!
//! #[test]
//! fn behaves() {
//!     suite(&Suite {
//!         options: &[&[], &[("byteorder", "big")]],
//!         ..Suite::new(&spr_format_demo::FORMAT)
//!     });
//! }
//! ```
//!
//! What is tried follows from the format's [`Caps`](spr_core::format::Caps): what they declare must
//! round-trip, what they don't must be refused. For tests of a format's own there are [`write()`],
//! [`read()`] and their variants in memory, [`compare()`], and the parts in [`generate`] and
//! [`faults`].

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod compare;
pub mod damaged;
pub mod faults;
pub mod generate;
mod suite;

use std::path::Path;

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{Count, Format, Options, Place, Reader, Written};
use spr_core::model::Utterance;
use spr_core::stage::FolderReader;
use spr_core::{Error, Result};

pub use compare::{compare, compare_all};
pub use suite::{Suite, suite};

/// The name of sources in memory.
pub const MEMORY: &str = "memory";

/// Parsed options.
///
/// # Errors
/// The format does not know one.
pub fn options(format: &dyn Format, options: &[(&str, &str)]) -> Result<Options> {
    Options::new(format.info(), options.iter().copied())
}

/// Whether several utterances of the format need a folder.
///
/// # Errors
/// An option's value is wrong.
pub fn needs_folder(format: &dyn Format, options: &Options) -> Result<bool> {
    Ok(format.caps(options, Place::File)?.count == Count::One)
}

/// The output at `path`: a folder if the format needs one, else a file.
pub(crate) fn output_at(format: &dyn Format, options: &Options, path: &Path) -> Result<Output> {
    Ok(if needs_folder(format, options)? {
        Output::folder(path)
    } else {
        Output::file(path)
    })
}

/// Writes a data set to the file `path`, or to a folder of that name if the format holds one
/// utterance a file.
///
/// # Errors
/// Those of the writer.
pub fn write(
    format: &'static dyn Format,
    options: &[(&str, &str)],
    utts: &[Utterance],
    path: &Path,
) -> Result<Written> {
    let options = self::options(format, options)?;
    let output = output_at(format, &options, path)?;
    write_to(format, &options, utts, output)
}

/// Writes a data set to memory and returns the main stream. A format of one utterance a file
/// takes one.
///
/// # Errors
/// Those of the writer.
pub fn write_memory(
    format: &'static dyn Format,
    options: &[(&str, &str)],
    utts: &[Utterance],
) -> Result<Vec<u8>> {
    let (output, files) = Output::memory();
    write_to(format, &self::options(format, options)?, utts, output)?;
    let main = files.lock().expect("no thread died").remove("main");
    main.ok_or_else(|| Error::malformed("the writer made no main stream"))
}

/// Writes a data set to an output and commits it.
///
/// # Errors
/// Those of the writer.
pub fn write_to(
    format: &'static dyn Format,
    options: &Options,
    utts: &[Utterance],
    output: Output,
) -> Result<Written> {
    let mut writer = format.create(output.clone(), options, &Env::default())?;
    for utt in utts {
        writer.write(utt)?;
    }
    let written = writer.finish()?;
    output.commit()?;
    Ok(written)
}

/// Opens a file, or a folder of files.
///
/// # Errors
/// Those of the format.
pub fn open(
    format: &'static dyn Format,
    options: &[(&str, &str)],
    path: &Path,
) -> Result<Box<dyn Reader>> {
    let (options, env) = (self::options(format, options)?, Env::default());
    if path.is_dir() {
        return Ok(Box::new(FolderReader::open(
            path,
            format,
            &[],
            options,
            env,
        )?));
    }
    format.open(Source::open(path)?, &options, &env)
}

/// Reads all of a file, or of a folder of files in the order of their names.
///
/// # Errors
/// Those of the reader.
pub fn read(
    format: &'static dyn Format,
    options: &[(&str, &str)],
    path: &Path,
) -> Result<Vec<Utterance>> {
    faults::drain(open(format, options, path)?).whole()
}

/// Reads all of a stream in memory.
///
/// # Errors
/// Those of the reader.
pub fn read_memory(
    format: &'static dyn Format,
    options: &[(&str, &str)],
    bytes: &[u8],
) -> Result<Vec<Utterance>> {
    let source = Source::from_bytes(MEMORY, bytes.to_vec())?;
    let options = self::options(format, options)?;
    faults::read_source(format, &options, source, &Env::default()).whole()
}
