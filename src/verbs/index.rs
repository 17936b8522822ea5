//! `index`: what finds the utterances of a file, made without rewriting it.

use spr_core::bytes::{Env, Output, Part};
use spr_core::format::Registry;
use spr_core::model::{KeySource, Utterance};
use spr_core::side;
use spr_core::{Error, Result};

use crate::argument::Input;

/// What an index is of, and what came of it.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// The file written; `None` if the index was there already.
    pub written: Option<String>,
    /// Utterances in it.
    pub utterances: u64,
}

/// Writes the index of a file: of a Kaldi archive its script file, of a file that keeps no names
/// the side file with names and lengths. `path` is the archive as it is to stand in the script
/// file; without `output` the index goes beside it.
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
    let Some(path) = input.file() else {
        return Err(Error::usage("an index is made of one file").file(input.text()));
    };
    let mut env = env.clone();
    env.values = false;
    let opened = input.open(registry, &env)?;
    let (mut reader, name) = (opened.reader, opened.format.info().name);
    let shown = path.display().to_string();
    let (beside, script) = match (name, reader.info().keys) {
        ("kaldi", _) => (path.with_extension("scp").display().to_string(), true),
        (_, KeySource::Generated) => (format!("{shown}{}", side::SUFFIX), false),
        (_, KeySource::SideFile) => {
            return Ok(Indexed {
                written: None,
                utterances: 0,
            });
        }
        (_, KeySource::Stored) => {
            let message = format!("{name} needs no index, names are in the data");
            return Err(Error::usage(message).file(shown));
        }
    };
    if script && beside == shown {
        return Err(no_places(input));
    }
    let written = output.map_or(beside, str::to_owned);
    let place = match written.as_str() {
        "-" => Output::stdout(),
        path => Output::file(path),
    };
    let place = place
        .overwrite(overwrite)
        .threads(env.threads)
        .durable(env.durable);
    let mut sink = place.create(Part::Main, false)?;
    let mut utt = Utterance::default();
    let mut utterances = 0;
    while reader.read(&mut utt)? {
        let line = match (script, reader.info().offset) {
            (false, _) => format!(" {}\n", utt.frames()),
            (true, Some(offset)) => format!(" {shown}:{offset}\n"),
            (true, None) => return Err(no_places(input)),
        };
        utt.key.check_word().map_err(|e| e.utterance(&utt.key))?;
        sink.put(utt.key.as_bytes())?;
        sink.put(line.as_bytes())?;
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
    Error::usage("is no plain archive, its entries have no place in it")
        .file(input.text())
        .hint("a compressed archive, a script file and an object without a key have no index")
}
