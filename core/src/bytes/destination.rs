//! The destination of a stream, and opening it.

use std::io::{self, IsTerminal};

use super::command::Command;
use super::finish::Finish;
use super::landing::{FinishedFiles, Landing};
use super::part::Part;
use super::refusal::refused;
use super::sink::Sink;
use super::store::{DraftFolder, DraftOptions, FileKind, is_folder, second_in_folder};
use super::terminal::Terminal;
use super::{Access, Codec, Env, FileStatus, Location, Locator};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Key;

/// The destination of a stream, or of a folder of streams.
pub(super) enum Destination {
    At(Locator),
    /// A folder, and its files so far.
    Folder(Location, Option<Box<dyn DraftFolder>>),
    /// Taken when it is opened.
    Stream(String, Option<Box<dyn Finish>>),
}

impl Destination {
    pub(super) fn new(at: Locator) -> Self {
        match at {
            Locator::Folder(folder) => Self::Folder(folder, None),
            at => Self::At(at),
        }
    }

    /// Returns the location of a side file.
    pub(super) fn sibling(&self, part: Part<'_>) -> Result<Locator> {
        match (part, self) {
            (_, Self::At(Locator::Nowhere)) => Ok(Locator::Nowhere),
            (Part::At(at), _) => Ok(at.clone()),
            (Part::Suffix(suffix), Self::At(Locator::File(file))) => {
                Ok(Locator::File(file.with_suffix(suffix)))
            }
            _ => Err(Error::usage(format!(
                "{} has no place for a side file",
                self.name()
            ))),
        }
    }

    /// Returns the locator; a stream supplied by the caller counts as standard output.
    pub(super) fn locator(&self) -> Locator {
        match self {
            Self::At(at) => at.clone(),
            Self::Folder(folder, _) => Locator::Folder(folder.clone()),
            Self::Stream(..) => Locator::Standard,
        }
    }

    /// Returns the name for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::At(at) => at.target(),
            Self::Folder(folder, _) => folder.to_string(),
            Self::Stream(name, _) => name.clone(),
        }
    }
}

/// Checks that a stream may go to `at`, as far as that is known before it is opened.
pub(super) fn check(at: &Locator, how: DraftOptions, env: &Env) -> Result<()> {
    let store = env.store();
    match at {
        Locator::File(target) if is_stream(store.look(target).ok().flatten().as_ref()) => Ok(()),
        Locator::File(target) => {
            compression(target, env)?;
            store.may_create(target, false, how)
        }
        Locator::Folder(target) => store.may_create(target, true, how),
        Locator::Command(line) if env.access == Access::Safe => Err(refused(line)),
        Locator::FileAt(..) => Err(is_place_in_file(at)),
        Locator::Command(_) | Locator::Standard | Locator::Nowhere => Ok(()),
    }
}

/// Returns the compression implied by a file name, if it is supported.
fn compression(target: &Location, env: &Env) -> Result<Option<Codec>> {
    let Some(codec) = target.codec() else {
        return Ok(None);
    };
    let able = codec.check().and_then(|()| codec.check_level(env.level));
    able.map_err(|e| e.file(target.to_string()))?;
    Ok(Some(codec))
}

/// Returns `true` if it is written to instead of replaced.
fn is_stream(look: Option<&FileStatus>) -> bool {
    look.is_some_and(|look| look.kind == FileKind::Stream)
}

fn is_place_in_file(at: &Locator) -> Error {
    Error::usage("is a place in a file, which can only be read").file(at.target())
}

/// Opens a stream to `at`.
pub(super) fn open(
    at: &Locator,
    patch: bool,
    how: DraftOptions,
    env: &Env,
    finished: &FinishedFiles,
) -> Result<Sink> {
    let name = at.target();
    match at {
        Locator::Standard if io::stdout().is_terminal() => {
            Sink::stream(name, Box::<Terminal>::default(), patch, &env.waiting)
        }
        Locator::Standard => Sink::stream(name, Box::new(io::stdout()), patch, &env.waiting),
        Locator::Nowhere => Sink::stream(name, Box::new(io::sink()), patch, &env.waiting),
        Locator::Command(line) => {
            if env.access == Access::Safe {
                return Err(refused(line));
            }
            let command =
                Command::writing(line).map_err(|e| Error::io("cannot run", e).file(&name))?;
            Sink::stream(name, Box::new(command), patch, &env.waiting)
        }
        Locator::File(target) => create(target, patch, how, env, finished),
        Locator::FileAt(..) => Err(is_place_in_file(at)),
        Locator::Folder(folder) => Err(is_folder(folder)),
    }
}

fn create(
    target: &Location,
    patch: bool,
    how: DraftOptions,
    env: &Env,
    finished: &FinishedFiles,
) -> Result<Sink> {
    let (name, store) = (target.to_string(), env.store());
    // Names that cannot be looked up are refused by the store, with its own error.
    let look = store.look(target).ok().flatten();
    if is_stream(look.as_ref()) {
        let stream = store.write_to(target);
        let stream = stream.map_err(|e| Error::io("cannot open", e).file(&name))?;
        return Sink::stream(name, stream, patch, &env.waiting);
    }
    let codec = compression(target, env)?;
    let draft = store.create(target, how)?;
    let draft = Landing::new(draft, target.clone(), finished.clone());
    pack(draft, name, codec, patch, env)
}

/// Checks that an utterance can have a file in a folder. A failure does not affect the others.
pub(super) fn accept_in_folder(
    target: &Location,
    folder: Option<&dyn DraftFolder>,
    key: &Key,
    extension: &str,
) -> Result<()> {
    let file = file_of_key(key, extension)?;
    match folder {
        Some(folder) if folder.has(&file) => {
            let error = second_in_folder(&target.join(&file));
            Err(error.utterance(key).continuable())
        }
        _ => Ok(()),
    }
}

/// Opens the file of an utterance in a folder, which is created on first use.
pub(super) fn open_in_folder(
    target: &Location,
    folder: &mut Option<Box<dyn DraftFolder>>,
    (key, extension): (&Key, &str),
    how: DraftOptions,
    env: &Env,
) -> Result<Sink> {
    let file = file_of_key(key, extension)?;
    let draft = draft_in_folder(target, folder, &file, how, env);
    let draft = draft.map_err(|e| match e.kind() {
        ErrorKind::Unfit => e.utterance(key).continuable(),
        _ => e.utterance(key),
    })?;
    let shown = target.join(&file).to_string();
    Ok(Sink::draft(shown, draft))
}

/// Opens a file of this name in a folder, which is created on first use.
pub(super) fn open_member(
    target: &Location,
    folder: &mut Option<Box<dyn DraftFolder>>,
    name: &str,
    patch: bool,
    how: DraftOptions,
    env: &Env,
) -> Result<Sink> {
    let file = Location::from(name);
    let (at, codec) = (target.join(&file), compression(&file, env)?);
    let draft = draft_in_folder(target, folder, &file, how, env)?;
    pack(draft, at.to_string(), codec, patch, env)
}

fn draft_in_folder(
    target: &Location,
    folder: &mut Option<Box<dyn DraftFolder>>,
    file: &Location,
    how: DraftOptions,
    env: &Env,
) -> Result<Landing> {
    let folder = match folder {
        Some(folder) => folder,
        None => folder.insert(env.store().create_folder(target, how)?),
    };
    Ok(Landing::in_folder(folder.create(file, env.durable)?))
}

/// Wraps a draft in a codec, if there is one.
fn pack(
    draft: Landing,
    name: String,
    codec: Option<Codec>,
    patch: bool,
    env: &Env,
) -> Result<Sink> {
    let Some(codec) = codec else {
        return Ok(Sink::draft(name, draft));
    };
    let stream = codec
        .encoder(Box::new(draft), env.level, env.threads)
        .map_err(|e| Error::io("cannot compress", e).file(&name))?;
    Sink::stream(name, stream, patch, &env.waiting)
}

/// Returns the file of an utterance in a folder. A key may name sub-folders with `/`, but never
/// leaves the folder.
pub(super) fn file_of_key(key: &Key, extension: &str) -> Result<Location> {
    let refused = |e: Error| e.utterance(key).continuable();
    key.check_path().map_err(refused)?;
    let name = Location::of_bytes(key.as_bytes());
    let name = name.ok_or_else(|| {
        refused(Error::unfit(
            "the key can't be a file name: it is not UTF-8",
        ))
    })?;
    Ok(name.with_suffix(&format!(".{extension}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_never_leave_the_folder() {
        for key in [
            "", "..", "../x", "/etc/x", "a/../b", "a//b", "a/", "a\0b", "./a",
        ] {
            assert!(file_of_key(&key.into(), "spr").is_err(), "{key:?}");
        }
        assert_eq!(
            file_of_key(&"s/a.1".into(), "spr").unwrap(),
            Location::from("s/a.1.spr")
        );
    }
}
