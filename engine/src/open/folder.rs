//! Folders: data sets as a whole, or one file an utterance.

use std::iter;

use spr_core::bytes::{Env, Location};
use spr_core::format::{Count, Format, Medium, Options, Registry, Request};
use spr_core::model::Key;
use spr_core::stage::{FolderContent, FolderReader};
use spr_core::{Error, ErrorKind, Remedy, Result};

use super::{OpenedInput, Reason};
use crate::plan::Input;

impl Input {
    /// Returns the format of which the whole folder is one data set, if there is one.
    pub fn whole_folder(&self, registry: &Registry, env: &Env) -> Option<&'static dyn Format> {
        let folder = self.folder()?;
        let found = match self.named_format(registry).ok()? {
            Some(format) => Some(format),
            None => registry.detect_folder(folder, env).ok()?,
        };
        found.filter(|format| format.folder().is_some())
    }

    /// Returns the files of a folder with one utterance each, with their keys in order. Returns `None`
    /// for other inputs.
    ///
    /// # Errors
    /// It cannot be listed, or no format of its files is known.
    pub(crate) fn files_of_one(
        &self,
        registry: &Registry,
        env: &Env,
    ) -> Result<Option<Vec<(Key, Location)>>> {
        let Some(folder) = self.folder() else {
            return Ok(None);
        };
        let (format, kin, _) = self.format_of_folder(folder, false, registry, env)?;
        if is_whole(folder, format, env)? {
            return Ok(None);
        }
        let options = self.format_options(format)?;
        let kin: Vec<_> = kin.iter().map(String::as_str).collect();
        FolderReader::files(folder, format, &kin, &options, env).map(Some)
    }

    pub(super) fn open_folder(
        &self,
        folder: &Location,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        let references = request.references;
        let (format, kin, why) = self.format_of_folder(folder, references, registry, env)?;
        let options = self.format_options(format)?;
        let kin: Vec<_> = kin.iter().map(String::as_str).collect();
        let opened = request.open_folder(format, folder, &kin, &options, env)?;
        let reader = opened.into_stream()?;
        Ok(OpenedInput {
            reader,
            format,
            why,
        })
    }

    /// Determines the format of a folder, other extensions of its files, and the reason. Sound need not
    /// be decoded if `references` are enough.
    fn format_of_folder(
        &self,
        folder: &Location,
        references: bool,
        registry: &Registry,
        env: &Env,
    ) -> Result<(&'static dyn Format, Vec<String>, Reason)> {
        env.check_finished(folder, |_| true)?;
        let mut found = None;
        let (format, kin, why) = match self.named_format(registry)? {
            Some(format) => (format, Vec::new(), Reason::Named),
            None => match self.by_header(registry, env)? {
                Some(format) => (format, Vec::new(), Reason::Header),
                None => match registry.detect_folder(folder, env)? {
                    Some(format) => (format, Vec::new(), Reason::Folder),
                    None => {
                        let content = FolderReader::detect(folder, registry, env)?;
                        if let Some(format) = of_sound(folder, &content, references, registry, env)?
                        {
                            return Ok((format, Vec::new(), Reason::Files));
                        }
                        let content = found.insert(content);
                        let mut kin = content.kin.clone();
                        kin.push(content.extension.clone());
                        (content.format, kin, Reason::Files)
                    }
                },
            },
        };
        if format.folder().is_some() {
            return Ok((format, kin, why));
        }
        let options = self.format_options(format)?;
        if !is_whole(folder, format, env)?
            && format.caps(&options, Medium::Folder)?.count != Count::One
        {
            return Err(not_one_each(folder, format, found.as_ref()));
        }
        if let Some(content) = found.filter(|content| !content.rivals.is_empty()) {
            return Err(several(folder, &content));
        }
        Ok((format, kin, why))
    }
}

/// Returns the format for a folder of sound files that are of several formats, that have more beside
/// them, or that are only to be named.
fn of_sound(
    folder: &Location,
    content: &FolderContent,
    references: bool,
    registry: &Registry,
    env: &Env,
) -> Result<Option<&'static dyn Format>> {
    let holds_sound = |format: &'static dyn Format| {
        let caps = format.caps(&Options::default(), Medium::Folder)?;
        Ok::<_, Error>(
            caps.audio.hold_any() && caps.features.is_none() && format.nested().is_some(),
        )
    };
    let rivals = content.rivals.iter().map(|(rival, _)| *rival);
    for format in iter::once(content.format).chain(rivals) {
        if !holds_sound(format)? {
            return Ok(None);
        }
    }
    let mut formats = registry.formats();
    let found = formats.find_map(|format| Some((format, format.sound_folder()?)));
    let Some((format, own)) = found else {
        return Ok(None);
    };
    let is_one = content.rivals.is_empty() && !references;
    Ok(
        match is_one && !own.tells_more(folder, &env.list(folder)?, env) {
            true => None,
            false => Some(format),
        },
    )
}

/// Returns `true` if a folder as a whole is one data set of a format.
fn is_whole(folder: &Location, format: &'static dyn Format, env: &Env) -> Result<bool> {
    let Some(jobs) = format.job_folder().filter(|_| format.folder().is_none()) else {
        return Ok(format.folder().is_some());
    };
    let entries = env.entries(folder)?;
    let names = entries.iter().filter_map(|at| at.name()?.to_str());
    Ok(jobs.fits(&names.collect::<Vec<_>>()))
}

/// Returns the error for a folder of files with many utterances each, judging by the first file.
fn not_one_each(
    folder: &Location,
    format: &'static dyn Format,
    content: Option<&FolderContent>,
) -> Error {
    let name = format.info().name;
    let message = format!("is a folder with {name} files of many utterances each");
    let mut hint = match content {
        Some(content) => format!(
            "name the file that you mean, such as {}",
            content.decided_by
        ),
        None => "name the file that you mean".to_owned(),
    };
    let rivals = content.map(|content| content.rivals.as_slice());
    if let Some((rival, _)) = rivals.unwrap_or_default().first() {
        let name = rival.info().name;
        hint.push_str(&format!("; --from {name} reads only the {name} files"));
    }
    Error::usage(message).file(folder.to_string()).hint(hint)
}

/// Returns the error for a folder with files of several formats.
fn several(folder: &Location, content: &FolderContent) -> Error {
    let first = (content.format, content.decided_by.clone());
    let all = iter::once(&first).chain(&content.rivals);
    let told = all.clone().map(|(format, file)| {
        let name = format.info().name;
        match file.name() {
            Some(file) => format!("{name} ({})", file.display()),
            None => name.to_owned(),
        }
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let names = all.map(|(format, _)| format.info().name).collect();
    Error::new(
        ErrorKind::Ambiguous,
        format!("holds files of several formats: {told}"),
    )
    .file(folder.to_string())
    .suggest(Remedy::ReadAs(names))
}
