//! `index`: what finds the utterances of a file, made without rewriting it.

use spr_core::bytes::{Env, Location, Locator, Part};
use spr_core::format::{IndexKind, Registry};
use spr_core::model::{KeySource, Utterance};
use spr_core::side;
use spr_core::{Error, Result};

use super::select::lengths;
use crate::argument::Input;

/// What came of making an index.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// The file written; `None` if the index was there already.
    pub written: Option<String>,
    /// Utterances in it.
    pub utterances: u64,
}

/// Writes the index of a file: a script file where the format has them, else, of a file that keeps
/// no names, the side file with names and lengths. In a script file the input stands as it was
/// named. Without `output` the index goes beside the input; `-` is standard output.
///
/// # Errors
/// The file can't be read, needs no index or can have none, or the index exists and `overwrite`
/// is not set.
pub fn index(
    input: &Input,
    output: Option<&str>,
    overwrite: bool,
    registry: &Registry,
    env: &Env,
) -> Result<Indexed> {
    let Some(file) = input.file() else {
        return Err(Error::usage("an index is made for one file").file(input.text()));
    };
    let opened = input.open(lengths(), registry, env)?;
    let (mut reader, format) = (opened.reader, opened.format.info());
    let shown = file.to_string();
    let (beside, script) = match (format.index, reader.info().keys) {
        (IndexKind::Script(extension), _) => (file.with_extension(extension), true),
        (IndexKind::SideFile, KeySource::Generated) => (file.with_suffix(side::SUFFIX), false),
        (_, KeySource::SideFile) => {
            return Ok(Indexed {
                written: None,
                utterances: 0,
            });
        }
        (IndexKind::Own, KeySource::Generated) => {
            let message = format!("{} has no names, and no index gives it any", format.name);
            return Err(Error::usage(message).file(shown));
        }
        (_, KeySource::Stored) => {
            let message = format!("{} needs no index, names are in the data", format.name);
            return Err(Error::usage(message).file(shown));
        }
    };
    if script && beside == *file {
        return Err(no_places(input));
    }
    let written = output.map_or_else(|| beside.to_string(), str::to_owned);
    let place = match output {
        Some("-") => Locator::Standard,
        Some(path) => Locator::file(path),
        None => Locator::File(beside),
    };
    let place = env.output(&place).overwrite(overwrite);
    let mut sink = place.create(Part::Main, false)?;
    let mut utt = Utterance::default();
    let mut utterances = 0;
    while reader.read(&mut utt)? {
        // An entry that stands in another file has its place there.
        let elsewhere = utt.origin.file.as_deref().is_some_and(|own| own != shown);
        let line = match (script, utt.origin.byte()) {
            (false, _) => format!(" {}\n", utt.frames()),
            (true, Some(byte)) if !elsewhere => format!(" {shown}:{byte}\n"),
            (true, _) => return Err(no_places(input)),
        };
        utt.key.check_word().map_err(|e| e.utterance(&utt.key))?;
        sink.put(utt.key.as_bytes())?;
        // The name in it may be made of any bytes.
        sink.put(Location::from(line).as_os_str().as_encoded_bytes())?;
        utterances += 1;
    }
    sink.finish()?;
    place.commit()?;
    Ok(Indexed {
        written: Some(written),
        utterances,
    })
}

fn no_places(input: &Input) -> Error {
    Error::usage("is not a plain archive, so its entries have no position in it")
        .file(input.text())
        .hint("a compressed archive, a script file and an object without a key have no index")
}
