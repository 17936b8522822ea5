//! All files of a folder or archive, with their sizes.

use std::collections::HashSet;

use spr_core::bytes::{Env, FileKind, Identity, Location, is_rubbish};
use spr_core::format::Registry;
use spr_core::{Error, Result};

use crate::archive::{ArchiveKind, Overlay};
use crate::observer::{Observer, Phase};

/// The most folders in each other.
pub(crate) const DEEPEST: usize = 256;

/// A file that was found.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) at: Location,
    pub(crate) bytes: u64,
    /// Whether only its start can be read.
    pub(crate) partial: bool,
}

impl File {
    /// Returns its name without folders.
    pub(crate) fn name(&self) -> String {
        let name = self.at.name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns its extension in lower case, without that of its compression.
    pub(crate) fn extension(&self) -> String {
        let extension = self.at.plain().extension().map(str::to_ascii_lowercase);
        extension.unwrap_or_default()
    }
}

/// A folder with what is in it.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) at: Option<Location>,
    pub(crate) files: Vec<File>,
    pub(crate) folders: Vec<Folder>,
}

/// What lies in a place.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) root: Folder,
    pub(crate) rubbish: Vec<File>,
    /// What could not be listed, with the reason.
    pub(crate) damage: Vec<Error>,
    pub(crate) archives: u64,
}

/// Lists everything below a place.
pub(crate) struct Walk<'a> {
    pub(crate) overlay: &'a Overlay,
    pub(crate) registry: &'a Registry,
    pub(crate) env: &'a Env,
    pub(crate) observer: &'a dyn Observer,
    /// The folders on the way, so that links in a circle end.
    pub(crate) above: HashSet<Identity>,
    pub(crate) found: u64,
    pub(crate) tree: Tree,
}

impl Walk<'_> {
    /// Lists a folder, or an archive as one.
    ///
    /// # Errors
    /// It does not exist, is neither, or the observer stops.
    pub(crate) fn begin(&mut self, root: &Location) -> Result<()> {
        let Some(status) = self.env.look(root)? else {
            // Opening it says why it can't be.
            return self.env.open_file(root).map(drop);
        };
        self.tree.root = match (status.kind, ArchiveKind::of_name(root)) {
            (FileKind::Folder, _) => {
                self.above.insert(status.identity);
                self.folder(root)?
            }
            (_, Some(kind)) if kind.fits(root, self.env) => self.archive(root, kind)?,
            _ => {
                let message = "is neither a folder nor an archive (tar, zip)";
                return Err(Error::usage(message).file(root.to_string()));
            }
        };
        Ok(())
    }

    fn archive(&mut self, at: &Location, kind: ArchiveKind) -> Result<Folder> {
        let mount = self.overlay.mount(at, kind, self.env)?;
        self.tree.archives += 1;
        let damage = mount.damage.iter().map(Error::copy);
        self.tree.damage.extend(damage);
        self.folder(at)
    }

    fn folder(&mut self, at: &Location) -> Result<Folder> {
        let mut folder = Folder {
            at: Some(at.clone()),
            ..Folder::default()
        };
        let mut entries = match self.env.entries(at) {
            Ok(entries) => entries,
            Err(error) => {
                self.tree.damage.push(error);
                return Ok(folder);
            }
        };
        entries.sort();
        for entry in entries {
            if let Err(error) = self.entry(entry, &mut folder) {
                if error.is_stopped() {
                    return Err(error);
                }
                self.tree.damage.push(error);
            }
        }
        Ok(folder)
    }

    fn entry(&mut self, at: Location, folder: &mut Folder) -> Result<()> {
        let status = self.env.look(&at)?.ok_or_else(|| {
            Error::unfit("is a link to a file that does not exist").file(at.to_string())
        })?;
        let is_rubbish = is_rubbish(at.name().unwrap_or_default());
        if status.kind == FileKind::Folder && !is_rubbish {
            if self.above.len() >= DEEPEST {
                let error = Error::unfit(format!("is deeper than {DEEPEST} folders"));
                return Err(error.file(at.to_string()));
            }
            if !self.above.insert(status.identity.clone()) {
                let error = Error::unfit("is a link to a folder that it is in");
                return Err(error.file(at.to_string()));
            }
            let inner = self.folder(&at);
            self.above.remove(&status.identity);
            folder.folders.push(inner?);
            return Ok(());
        }
        self.found += 1;
        self.observer.progress(Phase::Listing, self.found, None)?;
        let archive = self.overlay.archive_of(&at);
        let file = File {
            partial: archive.as_ref().is_some_and(|mount| mount.is_partial(&at)),
            bytes: status.length,
            at,
        };
        if is_rubbish {
            self.tree.rubbish.push(file);
            return Ok(());
        }
        let kind = ArchiveKind::of_name(&file.at);
        // An archive in an archive stays closed, and one that is a data set is one.
        if let (Some(kind), None, FileKind::File) = (kind, archive, status.kind)
            && file.bytes > 0
            && !self.is_data_set(&file.at)
            && kind.fits(&file.at, self.env)
        {
            match self.archive(&file.at, kind) {
                Ok(inner) => folder.folders.push(inner),
                Err(error) if error.is_stopped() => return Err(error),
                Err(error) => {
                    self.tree.damage.push(error);
                    folder.files.push(file);
                }
            }
            return Ok(());
        }
        if status.kind == FileKind::File {
            folder.files.push(file);
        }
        Ok(())
    }

    /// Returns `true` for an archive that a format reads as a whole.
    fn is_data_set(&self, at: &Location) -> bool {
        let source = self.env.open_file(at);
        source.is_ok_and(|mut source| self.registry.recognise(&mut source).is_ok())
    }
}
