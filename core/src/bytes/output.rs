//! Where a writer's streams go: files that appear together, a folder, standard output, a command.

mod inner;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::destination::{self, Destination};
use super::landing::Finished;
use super::part::Part;
use super::rehearsal::RehearsedFolder;
use super::sink::{Finish, Sink};
use super::store::{Store, Stored};
use super::{Env, Location, Locator};
use crate::format::Medium;
use crate::model::Key;
use crate::{Error, Result};
use inner::Inner;

/// A place for a writer's streams, made by [`Env::output`]. Clones are handles to the same place.
///
/// Files are drafts without names until [`commit`](Self::commit) gives them theirs, in the order in
/// which their sinks were finished. Dropping all handles abandons the output and leaves nothing
/// behind. Standard output and commands can't be taken back.
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

/// A handle that does not keep the output.
pub(super) struct WeakOutput(Weak<Mutex<Inner>>);

impl WeakOutput {
    pub(super) fn upgrade(&self) -> Option<Output> {
        self.0.upgrade().map(Output)
    }
}

impl Output {
    pub(super) fn new(main: Locator, env: &Env) -> Self {
        Self::at(Destination::new(main), env)
    }

    fn at(main: Destination, env: &Env) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            main,
            named: BTreeMap::new(),
            env: env.clone(),
            overwrite: false,
            add: false,
            rehearsed: false,
            taken: false,
            held: BTreeMap::new(),
            finished: Finished::default(),
            stale: Vec::new(),
        })))
    }

    /// A stream of the caller's own, called `name` in messages; [within](Self::within) no
    /// surroundings but the default ones.
    pub fn stream(name: impl Into<String>, stream: Box<dyn Finish>) -> Self {
        Self::at(
            Destination::Stream(name.into(), Some(stream)),
            &Env::default(),
        )
    }

    /// Takes the store, the inputs and what else holds for outputs from `env`.
    #[must_use]
    pub fn within(self, env: &Env) -> Self {
        self.lock().env = env.clone();
        self
    }

    /// Gives the companion `name` a place.
    #[must_use]
    pub fn with_named(self, name: &'static str, at: Locator) -> Self {
        self.lock().named.insert(name, at);
        self
    }

    /// Allows files that exist to be replaced, and all that a folder holds.
    #[must_use]
    pub fn overwrite(self, yes: bool) -> Self {
        self.lock().overwrite = yes;
        self
    }

    /// Allows files to be added to a folder that exists; one of a name that is taken is refused
    /// unless it may be [overwritten](Self::overwrite).
    #[must_use]
    pub fn adding(self, yes: bool) -> Self {
        self.lock().add = yes;
        self
    }

    /// Checks everything that can be known before the end, and keeps nothing: what is written is
    /// dropped, nothing is run and the commit changes no name.
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
        // A thread that died while it held the lock left nothing half done that matters here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether files can be written beside the data.
    pub fn has_siblings(&self) -> bool {
        matches!(
            self.lock().main,
            Destination::At(Locator::File(_) | Locator::Nowhere)
        )
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        matches!(self.lock().main, Destination::Folder(..))
    }

    /// The sort of place it is, by which a format says what it can hold.
    pub fn medium(&self) -> Medium {
        match self.lock().main {
            Destination::Folder(..) => Medium::Folder,
            Destination::At(Locator::File(_) | Locator::Nowhere) => Medium::File,
            _ => Medium::Stream,
        }
    }

    /// The name of the data, as messages show it.
    pub fn name(&self) -> String {
        self.lock().main.name()
    }

    /// Where the data go; a stream of the caller's own counts as standard output.
    pub fn locator(&self) -> Locator {
        self.lock().main.locator()
    }

    /// The place of the companion `name` as the user gave it, if it was given one.
    pub fn companion(&self, name: &str) -> Option<Locator> {
        self.lock().named.get(name).cloned()
    }

    /// The files and folders that the user named, without companions that go by the data's name.
    pub fn locations(&self) -> Vec<Location> {
        let inner = self.lock();
        let main = inner.main.locator();
        let places = std::iter::once(&main).chain(inner.named.values());
        places.filter_map(Locator::location).cloned().collect()
    }

    /// The final names of what was finished and does not have them yet, in the order of finishing,
    /// a folder before all. [`Env::seeing`] opens it.
    pub fn staged(&self) -> Vec<Location> {
        let inner = self.lock();
        let folder = match &inner.main {
            Destination::Folder(target, Some(_)) => Some(target.clone()),
            _ => None,
        };
        let files = inner.finished.targets().into_iter();
        folder.into_iter().chain(files.map(|(_, at)| at)).collect()
    }

    /// What is finished and does not have its name yet, with the bytes in it, a folder with none.
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

    /// Keeps the data's place, and those of named companions, for this output, before anything is
    /// written.
    ///
    /// # Errors
    /// As [`create`](Self::create), as far as that is known by now; a folder is not empty and may
    /// neither be replaced nor be added to.
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

    /// Keeps the place of a companion for this output, which may write to it later.
    ///
    /// # Errors
    /// It is written to by something else, or was read.
    pub fn claim(&self, at: &Locator) -> Result<()> {
        self.lock().claim(at, false)
    }

    /// Opens a stream. With `patch` it can be changed before it is finished, whatever it goes to.
    ///
    /// # Errors
    /// The file exists and may not be replaced, is an input, is written to already, by whatever
    /// name, is a command and none may run, or the system refuses.
    pub fn create(&self, part: Part<'_>, patch: bool) -> Result<Sink> {
        self.lock().create(part, patch)
    }

    /// Whether the file of an utterance can be [created](Self::create), as far as names tell.
    ///
    /// # Errors
    /// The key can't be a file name, the folder has a file of it, or this is no folder and was
    /// written to.
    pub fn accept(&self, key: &Key, extension: &str) -> Result<()> {
        self.lock().accept(key, extension)
    }

    /// Removes a companion left by an earlier run when this output is committed over it, if what
    /// exists may be replaced; else it is in the way.
    pub fn discard(&self, part: Part<'_>) {
        let mut inner = self.lock();
        if let Ok(Locator::File(file)) = inner.main.sibling(part) {
            inner.stale.push(file);
        }
    }

    /// Gives everything that was finished its final name.
    ///
    /// # Errors
    /// As [`commit_all`](Self::commit_all).
    pub fn commit(self) -> Result<()> {
        Self::commit_all([self])
    }

    /// Gives everything that was finished in several outputs its final name: all or nothing.
    ///
    /// # Errors
    /// A target exists by now, was opened as an input, appears twice, or the system refuses;
    /// everything is then as it was before. Outputs with files in several stores can't be
    /// committed together.
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

    /// What is finished, by numbers.
    pub(super) fn finished(&self) -> Vec<(u64, Location)> {
        self.lock().finished.targets()
    }

    /// What the commit frees.
    pub(super) fn stale(&self) -> Vec<Location> {
        self.lock().stale.clone()
    }

    pub(super) fn open_finished(&self, number: u64) -> Option<io::Result<Box<dyn Stored>>> {
        self.lock().finished.open(number)
    }

    /// The folder that files were put into.
    pub(super) fn folder(&self) -> Option<Location> {
        match &self.lock().main {
            Destination::Folder(target, Some(_)) => Some(target.clone()),
            _ => None,
        }
    }

    pub(super) fn open_in_folder(&self, name: &Location) -> Option<io::Result<Box<dyn Stored>>> {
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
