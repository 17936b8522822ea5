//! Checks of output names against the written format.

use std::path::is_separator;

use spr_core::bytes::{Location, Locator};
use spr_core::format::{Count, Format, IndexKind, Medium, Registry, Variant};
use spr_core::tables::side;
use spr_core::{Error, Remedy, Result, nearest};

use super::super::Pair;
use super::super::target::{Target, is_only_folder};
use crate::plan::numbered;

/// Known compressions that are not written.
const NOT_WRITTEN: [&str; 8] = ["xz", "lzma", "lz4", "Z", "zip", "7z", "tar", "tgz"];

/// Extensions of pictures.
const PICTURES: [&str; 5] = ["png", "svg", "jpg", "jpeg", "pdf"];

impl Target {
    /// Checks that all files of a numbered output are numbered, because they would replace each
    /// other.
    pub(super) fn check_numbers(&self) -> Result<()> {
        let side = |(key, value): &&Pair| key == side::OPTION.name && value != "none";
        let side = self.options.iter().rfind(side);
        let main = (self.medium() != Medium::Stream).then(|| self.place.to_string());
        let beside = self.companions.iter().map(|(_, at)| at.to_string());
        let side = side.map(|(_, name)| name.clone());
        let names = main.into_iter().chain(beside).chain(side);
        let (with, without): (Vec<_>, Vec<_>) = names.partition(|name| numbered::is_numbered(name));
        match without.first() {
            Some(name) if !with.is_empty() => Err(Error::usage(format!(
                "'{name}' has no {{part}}, unlike others in '{}'",
                self.text
            ))
            .hint("every partition would write to it")),
            _ => Ok(()),
        }
    }

    /// Rejects a folder for a format of single files, and other outputs for a format of folders.
    pub(super) fn check_folder(&self) -> Result<()> {
        let Locator::Folder(folder) = &self.place else {
            if is_only_folder(self.format) {
                let message = format!("{} data are a folder of files", self.format.info().name);
                return Err(Error::usage(message).file(&self.text).hint("name a folder"));
            }
            return Ok(());
        };
        if self.format.folder().is_some() || self.caps()?.count == Count::One {
            return Ok(());
        }
        let (what, extension) = self.sort_of_file();
        let message = format!("is a folder, but {what} goes into one file");
        let hint = format!("name a file, such as {folder}/data.{extension}");
        Err(Error::usage(message).file(format!("{folder}/")).hint(hint))
    }

    /// Describes the written file, and returns its usual extension.
    fn sort_of_file(&self) -> (String, &'static str) {
        let info = self.format.info();
        let mut variants = info.variants.by_extension.iter().rev();
        match variants.find(|v| self.option(v.option.0) == Some(v.option.1)) {
            Some(Variant {
                extension,
                option: (key, value),
            }) => (format!("{} with {key}={value}", info.name), extension),
            None => (
                info.name.to_owned(),
                info.extensions.first().copied().unwrap_or(info.name),
            ),
        }
    }

    /// Rejects names whose extensions belong to another format.
    pub(super) fn check_names(&self, registry: &Registry) -> Result<()> {
        let info = self.format.info();
        let known = |extension: &str| registry.knows_extension(extension);
        if let Locator::File(file) = &self.place
            && let Some(packing) = file
                .extension()
                .filter(|e| NOT_WRITTEN.contains(e) && !info.extensions.contains(e))
        {
            let message = format!("ends with .{packing}, but would not be compressed like that");
            let right = file.with_extension("gz");
            return Err(Error::usage(message)
                .file(file.to_string())
                .hint(format!("call it {right}, or .bz2 or .zst")));
        }
        if let Locator::Folder(folder) = &self.place
            && self.format.folder().is_some()
            && let Some(extension) = folder.plain().extension().filter(|e| known(e))
        {
            let message = format!("ends with .{extension}, but a folder would be written");
            let right = folder.plain().with_extension("");
            return Err(Error::usage(message)
                .file(folder.to_string())
                .hint(format!("call it {right}, or change what is written")));
        }
        let refuse = |file: &Location, extension: &str, what: &str, usual: &str| {
            let right = file.plain().with_extension(usual);
            let coder = file.codec().and(file.extension());
            let right = coder.map_or(right.clone(), |coder| {
                right.with_suffix(&format!(".{coder}"))
            });
            let message = format!("ends with .{extension}, but {what} would be written");
            Err(Error::usage(message)
                .file(file.to_string())
                .hint(format!("call it {right}, or change what is written")))
        };
        if let Locator::File(file) = &self.place
            && let Some(extension) = file
                .plain()
                .extension()
                .filter(|e| known(e) && !self.listed)
        {
            let fits = match (info.variant(extension), info.index) {
                (Some(variant), _) => self.option(variant.option.0) == Some(variant.option.1),
                (None, IndexKind::Script(script)) if script == extension => {
                    let table = self.option("table").is_none_or(|table| table == script);
                    table && self.companions.is_empty()
                }
                _ => info.goes_by(extension),
            };
            if !fits {
                let (what, usual) = self.sort_of_file();
                return refuse(file, extension, &what, usual);
            }
        }
        for (name, at) in &self.companions {
            if let Locator::File(file) = at
                && let Some(extension) = file.plain().extension().filter(|e| known(e) && e != name)
            {
                return refuse(file, extension, &format!("its {name} file"), name);
            }
        }
        Ok(())
    }
}

/// Returns the format for a path's extension; for a folder, the extension of its name.
pub(super) fn by_extension(
    path: &str,
    is_folder: bool,
    registry: &Registry,
) -> Result<&'static dyn Format> {
    let plain = Location::from(path.trim_end_matches(is_separator)).plain();
    let extension = plain.extension().unwrap_or_default();
    match registry.by_extension(extension).as_slice() {
        [format] => Ok(*format),
        [] => {
            let message = if is_folder {
                "is a folder, and nothing says which format its files are to have".to_owned()
            } else if extension.is_empty() {
                "nothing says which format to write".to_owned()
            } else {
                format!("no known format has the extension .{extension}")
            };
            let known = registry.formats().flat_map(|f| f.info().extensions);
            let error = Error::usage(message).file(path);
            // In an extension of three letters, two typos make another word.
            Err(match nearest(extension, known) {
                _ if is_folder => {
                    let folder = path.trim_end_matches(is_separator);
                    error.hint(format!(
                        "htk:{folder}/ and the like write a file an utterance, {folder}/x.ark one of all"
                    ))
                }
                _ if extension == "txt" => {
                    error.hint(format!("for Kaldi's text format, name it ark,t:{path}"))
                }
                _ if PICTURES.contains(&extension) => {
                    error.hint(format!("pictures are made by the verb plot: -o {path}"))
                }
                _ if extension == "html" => {
                    error.hint(format!("pages are made by the verb report: -o {path}"))
                }
                Some(near) if extension.len() > 3 => error.hint(format!("did you mean .{near}?")),
                _ => error.suggest(Remedy::WriteAs(registry.names())),
            })
        }
        several => {
            let names: Vec<_> = several.iter().map(|f| f.info().name).collect();
            Err(Error::usage(format!("may be {}", names.join(" or ")))
                .file(path)
                .suggest(Remedy::WriteAs(names)))
        }
    }
}
