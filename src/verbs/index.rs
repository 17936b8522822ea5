//! `index`: creates the index of an existing file.

use spr_core::bytes::{Env, Location, Locator, Part};
use spr_core::format::{IndexKind, Lists, Registry, Request};
use spr_core::model::{KeySource, Utterance};
use spr_core::tables::side;
use spr_core::{Error, Result};

use crate::argument::OpenedInput;
use crate::plan::Plan;

/// The reason why data options are refused.
const UNCHANGED: &str = "an index points at the data as they are stored";

/// The result of creating an index.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct IndexSummary {
    /// The file written; `None` if the index was there already, and no other place was named.
    pub written: Option<String>,
    /// The number of utterances in it.
    pub utterances: u64,
}

/// Writes the index of a file: a script file if the format has them, or the side file with names
/// and lengths of a file without keys. The script file contains the input's name as given. Without
/// `output` the index goes beside the input; `-` is standard output. A list is written anew under
/// another name, with the files that it names where `env` says they are now.
///
/// # Errors
/// The file cannot be read, or neither needs nor can have an index; a data option is to change it; the
/// extension of `output` belongs to something else; or the index exists and `overwrite` is not set.
pub fn index(
    input: &Plan,
    output: Option<&str>,
    overwrite: bool,
    registry: &Registry,
    env: &Env,
) -> Result<IndexSummary> {
    input.only()?.check_unchanged(UNCHANGED)?;
    if let Some(output) = output
        && let Some((list, lists)) = input.only()?.own_list(registry, env)?
    {
        let is_list = |at: &Location| lists.is_list(at, &[]);
        check_name(output, "a list", is_list, registry)?;
        return move_list(lists, list, (output, overwrite), env);
    }
    let opened = input.open_whole(Request::lengths(), registry, env)?;
    let (beside, script) = place(input, &opened)?;
    let at = match (output, beside) {
        (Some(output), _) => {
            let what = match script {
                Some(_) => "a script file",
                None => "a side file",
            };
            let is_script = |at: &Location| script.is_some() && at.extension() == script;
            check_name(output, what, is_script, registry)?;
            named(output)
        }
        (None, Some(beside)) => Locator::File(beside),
        (None, None) => {
            return Ok(IndexSummary {
                written: None,
                utterances: 0,
            });
        }
    };
    let (mut reader, shown) = (opened.reader, input.only()?.place().to_string());
    let written = output.map_or_else(|| at.to_string(), str::to_owned);
    let place = env.output(&at).overwrite(overwrite);
    let mut sink = place.create(Part::Main, false)?;
    let mut utt = Utterance::default();
    let mut utterances = 0;
    while reader.read(&mut utt)? {
        // The position of an entry in another file refers to that.
        let elsewhere = utt.origin.file.as_deref().is_some_and(|own| own != shown);
        let line = match (script, utt.origin.byte()) {
            (None, _) => format!(" {}\n", utt.frames()),
            (Some(_), Some(byte)) if !elsewhere => format!(" {shown}:{byte}\n"),
            (Some(_), _) => return Err(no_places(input)),
        };
        utt.key.check_word().map_err(|e| e.utterance(&utt.key))?;
        sink.put(utt.key.as_bytes())?;
        // The file name may contain any bytes.
        sink.put(Location::from(line).as_os_str().as_encoded_bytes())?;
        utterances += 1;
    }
    sink.finish()?;
    place.commit()?;
    Ok(IndexSummary {
        written: Some(written),
        utterances,
    })
}

/// Returns the place that an output names.
fn named(output: &str) -> Locator {
    match output {
        "-" => Locator::Standard,
        path => Locator::file(path),
    }
}

/// Refuses a name with an extension that belongs to something else than `what` is written.
fn check_name(
    output: &str,
    what: &str,
    is_own: impl Fn(&Location) -> bool,
    registry: &Registry,
) -> Result<()> {
    let plain = Location::from(output).plain();
    match plain.extension() {
        Some(extension) if registry.knows_extension(extension) && !is_own(&plain) => {
            let message = format!("ends with .{extension}, but {what} would be written");
            Err(Error::usage(message).file(output))
        }
        _ => Ok(()),
    }
}

/// Writes a list anew, with the files that it names where they are now. All of these must be there.
fn move_list(
    lists: &dyn Lists,
    list: &Location,
    (output, overwrite): (&str, bool),
    env: &Env,
) -> Result<IndexSummary> {
    lists.named(list, None, env, &mut |file| {
        env.check_found(Some(list), file)?;
        env.open_file(file).map(drop)
    })?;
    let place = env.output(&named(output)).overwrite(overwrite);
    let mut sink = place.create(Part::Main, false)?;
    let mut utterances = 0;
    lists.moved(list, env, &mut |line| {
        utterances += 1;
        sink.put(line)
    })?;
    sink.finish()?;
    place.commit()?;
    Ok(IndexSummary {
        written: Some(output.to_owned()),
        utterances,
    })
}

/// Returns the location of the index of a file; `None` if it is there already.
///
/// # Errors
/// As for [`index`].
pub fn location(input: &Plan, registry: &Registry, env: &Env) -> Result<Option<Location>> {
    input.only()?.check_unchanged(UNCHANGED)?;
    let opened = input.open_whole(Request::lengths(), registry, env)?;
    Ok(place(input, &opened)?.0)
}

/// Returns the location of an index, or `None` if it is there already, and the extension of script
/// files, if it is one.
fn place(input: &Plan, opened: &OpenedInput) -> Result<(Option<Location>, Option<&'static str>)> {
    let Some(file) = input.file() else {
        return Err(Error::usage("an index is made for one file").file(input.text()));
    };
    let format = opened.format.info();
    match (format.index, opened.reader.info().keys) {
        (IndexKind::Script(extension), _) => match file.with_extension(extension) {
            at if at == *file => Err(no_places(input)),
            at => Ok((Some(at), Some(extension))),
        },
        (IndexKind::SideFile, KeySource::Generated) => {
            Ok((Some(file.with_suffix(side::SUFFIX)), None))
        }
        (_, KeySource::SideFile) => Ok((None, None)),
        (IndexKind::Own, KeySource::Generated) => {
            let message = format!("{} has no names, and no index gives it any", format.name);
            Err(Error::usage(message).file(file.to_string()))
        }
        (_, KeySource::Stored) => {
            let message = format!("{} needs no index, names are in the data", format.name);
            Err(Error::usage(message).file(file.to_string()))
        }
    }
}

fn no_places(input: &Plan) -> Error {
    Error::usage("is not a plain archive, so its entries have no position in it")
        .file(input.text())
        .hint("a compressed archive, a script file and an object without a key have no index")
}
