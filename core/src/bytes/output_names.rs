//! Finished files of an output by their final names.

use std::collections::{HashMap, HashSet};
use std::io;

use super::finished_names::FinishedNames;
use super::output::{Output, WeakOutput};
use super::store::{FileKind, FileStatus, Identity, OpenedFile, Store};
use super::{Env, Location};

/// The names of finished files. They do not keep the output alive.
struct OutputNames {
    output: WeakOutput,
    folder: Option<Location>,
    names: HashMap<Location, u64>,
    identities: HashMap<Identity, u64>,
    /// Names that the commit frees.
    gone: HashSet<Location>,
}

impl OutputNames {
    fn new(output: &Output) -> Self {
        let finished = output.finished();
        let store = output.store();
        let identities = finished.iter().map(|(n, name)| (store.identify(name), *n));
        Self {
            output: output.downgrade(),
            folder: output.folder(),
            identities: identities.collect(),
            names: finished.into_iter().map(|(n, name)| (name, n)).collect(),
            gone: output.stale().into_iter().collect(),
        }
    }

    /// Returns `true` for names inside the folder that is written.
    fn is_below(&self, at: &Location) -> bool {
        let top = self.folder.as_ref();
        top.is_some_and(|top| top != at && at.relative_to(top).is_some())
    }
}

impl FinishedNames for OutputNames {
    fn open(&self, at: &Location, store: &dyn Store) -> Option<io::Result<Box<dyn OpenedFile>>> {
        if let Some(name) = self.folder.as_ref().and_then(|f| at.relative_to(f)) {
            let output = self.output.upgrade()?;
            let opened = output.open_in_folder(&name)?;
            return match opened {
                Err(e) if e.kind() == io::ErrorKind::NotFound => None,
                opened => Some(opened),
            };
        }
        let number = self.names.get(at).or_else(|| match self.names.is_empty() {
            true => None,
            false => self.identities.get(&store.identify(at)),
        });
        match number {
            Some(number) => self.output.upgrade()?.open_finished(*number),
            None => self
                .gone
                .contains(at)
                .then(|| Err(io::ErrorKind::NotFound.into())),
        }
    }

    fn look(&self, at: &Location, store: &dyn Store) -> Option<io::Result<Option<FileStatus>>> {
        let folder = || FileStatus::new(FileKind::Folder, 0, store.identify(at));
        if self.folder.as_ref() == Some(at) {
            self.output.upgrade()?.folder()?;
            return Some(Ok(Some(folder())));
        }
        let opened = self.open(at, store);
        let is_file = matches!(&opened, Some(Ok(stored)) if stored.length().is_some());
        if !is_file && self.is_below(at) {
            return self.list(at).map(|_| Ok(Some(folder())));
        }
        Some(match opened? {
            Ok(stored) => {
                let identity = stored.identity().unwrap_or_else(|| store.identify(at));
                let length = stored.length().unwrap_or_default();
                Ok(Some(FileStatus::new(FileKind::File, length, identity)))
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        })
    }

    fn list(&self, folder: &Location) -> Option<io::Result<Vec<Location>>> {
        let top = self.folder.as_ref()?;
        let is_top = top == folder;
        if !is_top && !self.is_below(folder) {
            return None;
        }
        let files = match self.output.upgrade()?.list_folder()? {
            Ok(files) => files.into_iter().map(|file| top.join(file)),
            Err(error) => return Some(Err(error)),
        };
        let files: Vec<_> = files
            .filter(|file| is_top || file.relative_to(folder).is_some())
            .collect();
        (is_top || !files.is_empty()).then_some(Ok(files))
    }
}

impl Env {
    /// Returns an environment in which files that `output` has finished can be opened by their
    /// final names before the commit. They do not count as inputs.
    #[must_use]
    pub fn seeing(&self, output: &Output) -> Self {
        self.with_names(OutputNames::new(output))
    }
}
