//! The destination of a writer's streams: files that appear together, a folder, standard output, a
//! command.

mod inner;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::destination::{self, Destination};
use super::finish::Finish;
use super::landing::FinishedFiles;
use super::part::Part;
use super::rehearsal::RehearsedFolder;
use super::sink::Sink;
use super::store::{OpenedFile, Store};
use super::{Env, Location, Locator, Medium};
use crate::error::{Error, Result};
use crate::model::Key;
use inner::Inner;

/// The destination of a writer's streams, created by [`Env::output`]. Clones are handles to the
/// same destination.
///
/// Files are drafts until [`commit`](Self::commit) gives them their names, in the order in which
/// their sinks were finished. Dropping all handles abandons the output and removes its files.
/// Output to standard output and commands cannot be undone.
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, Locator, MemoryStore, Part};
/// let store = MemoryStore::new();
/// let env = Env::default().with_store(Arc::new(store.clone()));
/// let output = env.output(&Locator::file("a"));
/// let mut sink = output.create(Part::Main, true)?;
/// sink.put(b"?? frames")?;
/// sink.patch(0, b"12")?;
/// sink.finish()?;
/// assert_eq!(store.get("a"), None);
/// output.commit()?;
/// assert_eq!(store.get("a").unwrap(), b"12 frames");
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Output(Arc<Mutex<Inner>>);

/// A weak handle.
pub(super) struct WeakOutput(Weak<Mutex<Inner>>);

impl WeakOutput {
    pub(super) fn upgrade(&self) -> Option<Output> {
        self.0.upgrade().map(Output)
    }
}

impl Env {
    /// Creates an output. Its files get their final names when it is committed.
    pub fn output(&self, at: &Locator) -> Output {
        Output::at(Destination::new(at.clone()), self)
    }
}

impl Output {
    fn at(main: Destination, env: &Env) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            main,
            named: BTreeMap::new(),
            env: env.clone(),
            overwrite: false,
            add: false,
            rehearsed: false,
            taken: false,
            begun: None,
            held: BTreeMap::new(),
            finished: FinishedFiles::default(),
            stale: Vec::new(),
        })))
    }

    /// Creates an output to a stream, called `name` in messages, in the default environment unless
    /// [`within`](Self::within) is called.
    pub fn stream(name: impl Into<String>, stream: Box<dyn Finish>) -> Self {
        Self::at(
            Destination::Stream(name.into(), Some(stream)),
            &Env::default(),
        )
    }

    /// Takes the store, the inputs and the settings for outputs from `env`.
    #[must_use]
    pub fn within(self, env: &Env) -> Self {
        self.lock().env = env.clone();
        self
    }

    /// Sets the location of the side file `name`.
    #[must_use]
    pub fn with_named(self, name: &str, at: Locator) -> Self {
        self.lock().named.insert(name.to_owned(), at);
        self
    }

    /// Allows existing files, and the content of existing folders, to be replaced.
    #[must_use]
    pub fn overwrite(self, yes: bool) -> Self {
        self.lock().overwrite = yes;
        self
    }

    /// Allows files to be added to an existing folder. An existing file is refused unless it may be
    /// [overwritten](Self::overwrite).
    #[must_use]
    pub fn adding(self, yes: bool) -> Self {
        self.lock().add = yes;
        self
    }

    /// Checks everything that can be checked without keeping data: bytes are discarded, no command
    /// runs, and the commit changes no name.
    #[must_use]
    pub fn rehearse(self) -> Self {
        {
            let mut inner = self.lock();
            inner.rehearsed = true;
            if let Destination::Folder(target, folder) = &mut inner.main {
                *folder = Some(Box::new(RehearsedFolder::new(target)));
            }
        }
        self
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A thread that panicked while it held the lock left nothing inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `true` if files can be written beside the data.
    pub(crate) fn has_siblings(&self) -> bool {
        matches!(
            self.lock().main,
            Destination::At(Locator::File(_) | Locator::Nowhere)
        )
    }

    /// Returns `true` if it is a folder.
    pub fn is_folder(&self) -> bool {
        matches!(self.lock().main, Destination::Folder(..))
    }

    /// Returns the medium, on which capabilities of a format depend.
    pub fn medium(&self) -> Medium {
        match self.lock().main {
            Destination::Folder(..) => Medium::Folder,
            Destination::At(Locator::File(_) | Locator::Nowhere) => Medium::File,
            _ => Medium::Stream,
        }
    }

    /// Returns the name of the data for messages.
    pub fn name(&self) -> String {
        self.lock().main.name()
    }

    /// Returns the destination of the data; a stream supplied by the caller counts as standard
    /// output.
    pub fn locator(&self) -> Locator {
        self.lock().main.locator()
    }

    /// Returns the location of the side file `name`, if the user set one.
    pub fn companion(&self, name: &str) -> Option<Locator> {
        self.lock().named.get(name).cloned()
    }

    /// Returns the files and folders that the user named, without side files named after the data.
    pub fn locations(&self) -> Vec<Location> {
        let inner = self.lock();
        let main = inner.main.locator();
        let places = std::iter::once(&main).chain(inner.named.values());
        places.filter_map(Locator::location).cloned().collect()
    }

    /// Returns the final names of finished files that do not have them yet, in order of completion,
    /// with a folder first. [`Env::seeing`] opens them.
    pub fn staged(&self) -> Vec<Location> {
        let inner = self.lock();
        let folder = match &inner.main {
            Destination::Folder(target, Some(_)) => Some(target.clone()),
            _ => None,
        };
        let files = inner.finished.targets().into_iter();
        folder.into_iter().chain(files.map(|(_, at)| at)).collect()
    }

    /// Returns finished files that do not have their names yet, with their sizes; a folder has
    /// none.
    ///
    /// # Errors
    /// The system refuses.
    pub fn written(&self) -> Result<Vec<(Location, u64)>> {
        let length = |(number, at): (u64, Location)| {
            let stored = self.open_finished(number).transpose();
            let stored = stored.map_err(|e| Error::io("cannot open", e).file(at.to_string()))?;
            let length = stored.and_then(|stored| stored.length());
            Ok((at, length.unwrap_or_default()))
        };
        let folder = self.folder().map(|folder| Ok((folder, 0)));
        let files = self.finished().into_iter().map(length);
        folder.into_iter().chain(files).collect()
    }

    /// Claims the location of the data, and those of named side files, before anything is written.
    ///
    /// # Errors
    /// As for [`create`](Self::create), as far as that is known at this time; or a folder is not
    /// empty and may be neither replaced nor added to.
    pub fn reserve(&self) -> Result<()> {
        let mut inner = self.lock();
        let places = std::iter::once(inner.main.locator()).chain(inner.named.values().cloned());
        for at in places.collect::<Vec<_>>() {
            if !matches!(inner.main, Destination::Stream(..)) {
                inner.claim(&at, false)?;
                destination::check(&at, inner.how(), &inner.env)?;
            }
        }
        Ok(())
    }

    /// Claims the location of a side file, which may be written later.
    ///
    /// # Errors
    /// It is being written by something else, or is an input.
    pub fn claim(&self, at: &Locator) -> Result<()> {
        self.lock().claim(at, false)
    }

    /// Checks that the folders of all that is [reserved](Self::reserve) or [claimed](Self::claim) are
    /// there, or are among `made`, which are made before, the outermost first.
    ///
    /// # Errors
    /// One is not.
    pub fn check_folders(&self, made: &[Location]) -> Result<()> {
        let inner = self.lock();
        let claimed = inner.held.keys().filter_map(Locator::location);
        let is_made = |at: &&Location| at.parent().is_some_and(|folder| made.contains(&folder));
        let mut others = claimed.chain(made).filter(|at| !is_made(at));
        others.try_for_each(|at| inner.env.store().check_folder_of(at))
    }

    /// Opens a stream. With `patch` it can be changed before it is finished, whatever its
    /// destination.
    ///
    /// # Errors
    /// The file exists and may not be replaced, is an input, is already being written under any
    /// name, or is a command and these are not allowed; or the system refuses.
    pub fn create(&self, part: Part<'_>, patch: bool) -> Result<Sink> {
        self.lock().create(part, patch)
    }

    /// Takes the final name of the first file in a folder that was [created](Self::create) for an
    /// utterance since the last call.
    pub fn take_begun(&self) -> Option<Location> {
        self.lock().begun.take()
    }

    /// Returns the name that the file of an utterance will have in a folder.
    ///
    /// # Errors
    /// The key cannot be a file name, or this is no folder.
    pub fn file_of(&self, key: &Key, extension: &str) -> Result<Location> {
        match &self.lock().main {
            Destination::Folder(target, _) => {
                Ok(target.join(destination::file_of_key(key, extension)?))
            }
            other => Err(Error::usage("expected a folder").file(other.name())),
        }
    }

    /// Checks that the file of an utterance can be [created](Self::create), according to names
    /// only.
    ///
    /// # Errors
    /// The key cannot be a file name, the folder has such a file, or this is not a folder and was
    /// written to.
    pub fn accept(&self, key: &Key, extension: &str) -> Result<()> {
        self.lock().accept(key, extension)
    }

    /// Removes a side file of an earlier run when this output is committed over it, if existing
    /// files may be replaced; otherwise it is an obstacle.
    pub fn discard(&self, part: Part<'_>) {
        let mut inner = self.lock();
        if let Ok(Locator::File(file)) = inner.main.sibling(part) {
            inner.stale.push(file);
        }
    }

    /// Gives all finished files their final names.
    ///
    /// # Errors
    /// As for [`commit_all`](Self::commit_all).
    pub fn commit(self) -> Result<()> {
        Self::commit_all([self])
    }

    /// Gives the finished files of several outputs their final names: all or none.
    ///
    /// # Errors
    /// A target exists by now, is an input, or appears twice, or the system refuses; then nothing
    /// is changed. Outputs with files in several stores cannot be committed together.
    pub fn commit_all(outputs: impl IntoIterator<Item = Self>) -> Result<()> {
        let mut changes = Vec::new();
        let mut kept = HashSet::new();
        let mut common: Option<Arc<dyn Store>> = None;
        let mut durable = false;
        for output in outputs {
            let mut inner = output.lock();
            let own = inner.changes();
            if own.is_empty() {
                continue;
            }
            let store = inner.env.store();
            if !Arc::ptr_eq(common.get_or_insert_with(|| store.clone()), store) {
                let message = "goes to another store than what is committed with it";
                return Err(Error::usage(message).file(inner.main.name()));
            }
            changes.extend(own);
            kept.extend(inner.env.inputs.all());
            durable |= inner.env.durable;
        }
        common.map_or(Ok(()), |store| store.commit(changes, &kept, durable))
    }

    pub(super) fn downgrade(&self) -> WeakOutput {
        WeakOutput(Arc::downgrade(&self.0))
    }

    pub(super) fn store(&self) -> Arc<dyn Store> {
        self.lock().env.store().clone()
    }

    /// Returns the finished files by number.
    pub(super) fn finished(&self) -> Vec<(u64, Location)> {
        self.lock().finished.targets()
    }

    /// Returns the names that the commit frees.
    pub(super) fn stale(&self) -> Vec<Location> {
        self.lock().stale.clone()
    }

    pub(super) fn open_finished(&self, number: u64) -> Option<io::Result<Box<dyn OpenedFile>>> {
        self.lock().finished.open(number)
    }

    /// Returns the folder of the written files.
    pub(super) fn folder(&self) -> Option<Location> {
        match &self.lock().main {
            Destination::Folder(target, Some(_)) => Some(target.clone()),
            _ => None,
        }
    }

    pub(super) fn open_in_folder(
        &self,
        name: &Location,
    ) -> Option<io::Result<Box<dyn OpenedFile>>> {
        match &self.lock().main {
            Destination::Folder(_, Some(folder)) => Some(folder.open(name)),
            _ => None,
        }
    }

    pub(super) fn list_folder(&self) -> Option<io::Result<Vec<Location>>> {
        match &self.lock().main {
            Destination::Folder(_, Some(folder)) => Some(folder.list()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
