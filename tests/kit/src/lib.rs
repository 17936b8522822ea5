#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod compare;
pub mod damaged;
pub mod faults;
mod fixtures;
pub mod generate;
pub mod server;
mod suite;

use std::path::Path;
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, FileKind, Location, Locator, MemoryStore, Output, Source};
use spr_core::format::{Count, Format, Medium, Options, Reader, Request, WriteSummary, create};
use spr_core::model::{About, Utterance};
use spr_core::stage::FolderReader;
use spr_core::{Error, Result};

pub use compare::{compare, compare_all};
pub use fixtures::fixtures;
pub use suite::{Suite, suite};

/// The name of sources in memory.
pub const MEMORY: &str = "memory";

/// Returns an environment like `env`, and where it collects its warnings.
pub fn listening(env: &Env) -> (Env, Arc<Mutex<Vec<String>>>) {
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let keep = heard.clone();
    let env = env.listening(move |warning| keep.lock().unwrap().push(warning.to_string()));
    (env, heard)
}

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
    Ok(format.caps(options, Medium::File)?.count == Count::One)
}

/// The place called `at`: a folder if the format needs one, else a file.
pub(crate) fn locator(
    format: &dyn Format,
    options: &Options,
    at: impl Into<Location>,
) -> Result<Locator> {
    Ok(match needs_folder(format, options)? {
        true => Locator::folder(at),
        false => Locator::file(at),
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
) -> Result<WriteSummary> {
    let options = self::options(format, options)?;
    let env = Env::default();
    let output = env.output(&locator(format, &options, path)?);
    write_within(format, &options, utts, output, &env)
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
    memory_within(
        format,
        &self::options(format, options)?,
        utts,
        &Env::default(),
    )
}

/// As [`write_memory`], in surroundings that are not the default ones but for their store.
///
/// # Errors
/// Those of the writer.
pub fn memory_within(
    format: &'static dyn Format,
    options: &Options,
    utts: &[Utterance],
    env: &Env,
) -> Result<Vec<u8>> {
    let store = MemoryStore::new();
    let env = env.clone().with_store(Arc::new(store.clone()));
    let output = env.output(&Locator::file(MEMORY));
    write_within(format, options, utts, output, &env)?;
    let main = store.remove(MEMORY);
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
) -> Result<WriteSummary> {
    write_within(format, options, utts, output, &Env::default())
}

/// As [`write_to`], in surroundings that are not the default ones.
///
/// # Errors
/// Those of the writer.
pub fn write_within(
    format: &'static dyn Format,
    options: &Options,
    utts: &[Utterance],
    output: Output,
    env: &Env,
) -> Result<WriteSummary> {
    let mut writer = create(format, output.clone(), options, &About::default(), env)?;
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
    let options = self::options(format, options)?;
    open_within(
        format,
        options,
        &path.into(),
        Request::all(),
        &Env::default(),
    )
}

/// As [`open`], by a request and in surroundings that are not the default ones.
///
/// # Errors
/// Those of the format.
pub fn open_within(
    format: &'static dyn Format,
    options: Options,
    at: &Location,
    request: Request,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    if env
        .look(at)?
        .is_some_and(|look| look.kind == FileKind::Folder)
    {
        let env = env.clone();
        let reader = FolderReader::open(at, format, &[], options, request, env)?;
        return Ok(Box::new(reader));
    }
    let source = env.open_file(at)?;
    request.open(format, source, &options, env)?.into_stream()
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
