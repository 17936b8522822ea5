//! Where a stream goes, and how it is opened there.

use std::io;

use super::command::Command;
use super::landing::{Finished, Landing};
use super::part::Part;
use super::sink::{Finish, Sink};
use super::store::{DraftFolder, Drafting, FileKind, is_folder};
use super::{Access, Codec, Env, Location, Locator};
use crate::model::Key;
use crate::{Error, Remedy, Result};

/// Where one stream goes, or a folder of them.
pub(super) enum Destination {
    At(Locator),
    /// A folder and what is in it so far.
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

    /// The place of a companion.
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

    /// What it is; a stream of the caller's own counts as standard output.
    pub(super) fn locator(&self) -> Locator {
        match self {
            Self::At(at) => at.clone(),
            Self::Folder(folder, _) => Locator::Folder(folder.clone()),
            Self::Stream(..) => Locator::Standard,
        }
    }

    /// The name that messages show.
    pub(super) fn name(&self) -> String {
        match self {
            Self::At(at) => at.target(),
            Self::Folder(folder, _) => folder.to_string(),
            Self::Stream(name, _) => name.clone(),
        }
    }

    /// Opens a stream that goes here.
    pub(super) fn open(
        &mut self,
        patch: bool,
        overwrite: bool,
        env: &Env,
        finished: &Finished,
    ) -> Result<Sink> {
        match self {
            Self::At(at) => open(at, patch, overwrite, env, finished),
            Self::Folder(folder, _) => Err(is_folder(folder)),
            Self::Stream(name, stream) => match stream.take() {
                Some(stream) => Sink::stream(name.clone(), stream, patch),
                None => Err(Error::usage("has already been written").file(name.clone())),
            },
        }
    }
}

/// Opens a stream that goes to `at`.
pub(super) fn open(
    at: &Locator,
    patch: bool,
    overwrite: bool,
    env: &Env,
    finished: &Finished,
) -> Result<Sink> {
    let name = at.target();
    match at {
        Locator::Standard => Sink::stream(name, Box::new(io::stdout()), patch),
        Locator::Nowhere => Sink::stream(name, Box::new(io::sink()), patch),
        Locator::Command(line) => {
            if env.access == Access::Safe {
                return Err(refused(line));
            }
            let command =
                Command::writing(line).map_err(|e| Error::io("cannot run", e).file(&name))?;
            Sink::stream(name, Box::new(command), patch)
        }
        Locator::File(target) => create(target, patch, overwrite, env, finished),
        Locator::FileAt(..) => {
            Err(Error::usage("is a place in a file, which can only be read").file(name))
        }
        Locator::Folder(folder) => Err(is_folder(folder)),
    }
}

fn create(
    target: &Location,
    patch: bool,
    overwrite: bool,
    env: &Env,
    finished: &Finished,
) -> Result<Sink> {
    let (name, store) = (target.to_string(), env.store());
    // What can't be looked at is refused by the store, in its own words.
    let look = store.look(target).ok().flatten();
    if look
        .as_ref()
        .is_some_and(|look| look.kind == FileKind::Stream)
    {
        let stream = store.write_to(target);
        let stream = stream.map_err(|e| Error::io("cannot open", e).file(&name))?;
        return Sink::stream(name, stream, patch);
    }
    env.inputs.refuse(target, look.as_ref())?;
    let codec = target.codec();
    codec
        .map_or(Ok(()), Codec::check)
        .map_err(|e| e.file(&name))?;
    let draft = store.create(target, Drafting::new(overwrite, env.durable))?;
    let draft = Landing::new(draft, target.clone(), finished.clone());
    match codec {
        Some(codec) => {
            let stream = codec
                .encoder(Box::new(draft), env.threads)
                .map_err(|e| Error::io("cannot compress", e).file(&name))?;
            Sink::stream(name, stream, patch)
        }
        None => Ok(Sink::draft(name, draft)),
    }
}

/// Opens the file of an utterance in a folder, which is begun if need be.
pub(super) fn open_in_folder(
    target: &Location,
    folder: &mut Option<Box<dyn DraftFolder>>,
    (key, extension): (&Key, &str),
    overwrite: bool,
    env: &Env,
) -> Result<Sink> {
    let folder = match folder {
        Some(folder) => folder,
        None => {
            let how = Drafting::new(overwrite, env.durable);
            folder.insert(env.store().create_folder(target, how)?)
        }
    };
    let file = file_of_key(key, extension)?;
    let shown = target.join(&file).to_string();
    let draft = folder.create(&file, env.durable);
    let draft = draft.map_err(|e| e.utterance(key))?;
    Ok(Sink::draft(shown, Landing::in_folder(draft)))
}

/// The file that an utterance gets inside a folder. A key may name sub-folders with `/`, but
/// never leads out of the folder.
fn file_of_key(key: &Key, extension: &str) -> Result<Location> {
    let refuse = |why| Error::unfit(format!("the key can't be a file name: {why}")).utterance(key);
    let Some(text) = key.as_str() else {
        return Err(refuse("it is not UTF-8"));
    };
    if text.starts_with('/') || text.split('/').any(|part| part == "." || part == "..") {
        return Err(refuse("it leads out of the folder"));
    }
    if text.is_empty() || text.ends_with('/') || text.contains("//") {
        return Err(refuse("a part of it is empty"));
    }
    if text.contains('\0') {
        return Err(refuse("it holds a NUL byte"));
    }
    Ok(Location::from(format!("{text}.{extension}")))
}

/// The error for a command that the user gave and nobody allowed.
pub(super) fn refused(line: &str) -> Error {
    Error::usage(format!("refused to run '{line}'")).suggest(Remedy::AllowCommands)
}

/// The error for a command that a file gave and nobody allowed.
pub(super) fn refused_in_file(line: &str) -> Error {
    Error::usage(format!(
        "refused to run the command '{line}' found in the file"
    ))
    .suggest(Remedy::AllowPipes)
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
