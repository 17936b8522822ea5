//! Files and commands that are named in files, such as script files.

use super::refusal::{refused_in_file, refused_stream};
use super::store::{FileKind, FileStatus};
use super::{Access, Env, Location, Locator, Source};
use crate::error::Result;

impl Env {
    /// Opens a source named by a script file. A file that is not found from the working folder is
    /// searched beside the script; a script at a URL refers only to files beside it.
    ///
    /// # Errors
    /// As for [`open`](Self::open). Commands, pipes and devices need [`Access::Files`]; other hosts
    /// than the script's need permission by [`urls`](Self::urls).
    pub fn open_from(&self, script: Option<&Location>, at: &Locator) -> Result<Source> {
        let found = self.found_from(script, at);
        match &found {
            Locator::Command(line) if self.access != Access::Files => {
                return Err(refused_in_file(line));
            }
            Locator::File(file) | Locator::FileAt(file, _) => self.check_found(script, file)?,
            _ => {}
        }
        let opened = self.open(&found);
        opened.map_err(|error| self.tell_whereabouts(error, script, at))
    }

    /// Returns `true` if a name in a script file is a file, which can be read repeatedly.
    pub fn is_file_from(&self, script: Option<&Location>, at: &Locator) -> bool {
        match self.found_from(script, at) {
            Locator::File(file) | Locator::FileAt(file, _) => {
                let status = self.look_from(script, &file).ok().flatten();
                status.is_some_and(|status| status.kind == FileKind::File)
            }
            _ => false,
        }
    }

    /// Looks up a file that a script file names. Returns `None` if it does not exist. A URL
    /// that [`urls`](Self::urls) does not include counts as missing, without a request to its server.
    ///
    /// # Errors
    /// The system refuses to say.
    pub fn look_from(
        &self,
        script: Option<&Location>,
        file: &Location,
    ) -> Result<Option<FileStatus>> {
        match self.urls.check(script, file, self.access) {
            Ok(()) => self.look(file),
            Err(_) => Ok(None),
        }
    }

    /// Rejects names in the file `script` without permission: URLs that [`urls`](Self::urls) does
    /// not include, and pipes and devices, which may block forever. The latter are accepted if
    /// commands in files are allowed.
    ///
    /// # Errors
    /// `file` is such a name.
    pub fn check_found(&self, script: Option<&Location>, file: &Location) -> Result<()> {
        self.urls.check(script, file, self.access)?;
        if self.access == Access::Files || file.is_url() {
            return Ok(());
        }
        match self.look(file)? {
            Some(look) if look.kind == FileKind::Stream => Err(refused_stream(file)),
            _ => Ok(()),
        }
    }

    /// Resolves a locator in a script file: a file that is not found from the working folder may be
    /// beside the script.
    pub fn found_from(&self, script: Option<&Location>, at: &Locator) -> Locator {
        match at {
            Locator::File(file) => Locator::File(self.beside(script, file)),
            Locator::FileAt(file, offset) => Locator::FileAt(self.beside(script, file), *offset),
            other => other.clone(),
        }
    }

    /// Returns `file` relative to the working folder if it exists there, otherwise beside `script`
    /// if it exists there. A script at a URL does not use the working folder.
    fn beside(&self, script: Option<&Location>, file: &Location) -> Location {
        if let Some(list) = script.filter(|list| list.is_url() && file.is_relative()) {
            let folder = list.parent().unwrap_or_else(|| list.clone());
            return folder.join(file);
        }
        if file.is_relative()
            && !self.exists(file)
            && let Some(folder) = script.and_then(Location::parent)
        {
            let other = folder.join(file);
            if self.exists(&other) {
                return other;
            }
        }
        file.clone()
    }

    /// Records a name in a script file as an input, whether it will be opened or not. This is cheap
    /// as long as no output replaces anything.
    pub fn names(&self, script: Option<&Location>, at: &Locator) {
        if let Some(file) = at.location().filter(|_| self.claims.replace_something()) {
            let file = self.beside(script, file);
            if self.claims.would_replace(&file, &**self.store()) {
                self.reads(&file);
            }
        }
    }
}
