//! What a reader or writer may reach and whom it tells: the only way to bytes.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::panic::Location as PanicLocation;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::claims::Claims;
use super::destination::{refused, refused_in_file, refused_stream};
use super::inputs::Inputs;
use super::local::Local;
use super::nested::{NestedFormats, NoFormats};
use super::seen::Seen;
use super::sink::Waiting;
use super::store::{FileKind, Store, Stored, is_folder};
use super::{FileStatus, Leftover, Location, Locator, Output, Source, Urls};
use crate::{Error, Limits, Result};

/// Which commands may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// None at all.
    #[default]
    Safe,
    /// Those that the user typed.
    Typed,
    /// Those, and those found inside script files.
    Files,
}

/// What a warning is about, whatever its words: warnings of one sort are given in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarningSort(&'static PanicLocation<'static>);

/// Takes warnings, each with its sort.
type Listener = dyn Fn(&Error, WarningSort) + Send + Sync;

/// The surroundings of a reader or writer: limits, the store with its files, access to commands,
/// and a listener for warnings. Clones are cheap and share the listener, the store and the list of
/// what was read.
///
/// All bytes come and go through it, so that no file that was read is replaced, and nothing runs
/// that was not allowed.
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, Locator, MemoryStore, Part};
/// let store = MemoryStore::new();
/// let env = Env::default().with_store(Arc::new(store.clone()));
/// let output = env.output(&Locator::file("demo"));
/// let mut sink = output.create(Part::Main, false)?;
/// sink.put(b"frames")?;
/// sink.finish()?;
/// output.commit()?;
/// assert_eq!(env.open_file(&"demo".into())?.array::<6>()?, *b"frames");
/// assert!(env.open(&Locator::Command("date".into())).is_err());
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Env {
    /// Bounds on sizes.
    pub limits: Limits,
    /// Which commands may run.
    pub access: Access,
    /// Which URLs that stand in files are followed; none with [`Access::Safe`].
    pub urls: Urls,
    /// Threads to use: with more than one, reading, encoding and writing overlap. The bytes
    /// written are the same for any number.
    pub threads: usize,
    /// How hard outputs whose names ask for compression are compressed, one of the
    /// [levels](super::Codec::levels) of the codec; without it the codec's own.
    pub level: Option<u32>,
    /// Whether outputs are on the disk before they get their names, so that they outlive a power
    /// cut; otherwise the system puts them there when it likes.
    pub durable: bool,
    /// What waits to be compressed or piped, shared by all clones.
    pub waiting: Waiting,
    listener: Arc<Listener>,
    store: Arc<dyn Store>,
    /// What reads objects of one format inside another.
    pub(super) formats: Arc<dyn NestedFormats>,
    /// What was opened, shared by all clones.
    pub(super) inputs: Inputs,
    /// What is being written, shared by all clones.
    pub(super) claims: Claims,
    /// What is read before it has its name.
    seen: Option<Arc<Seen>>,
    /// The folder below which keys tell files apart.
    pub(super) folder: Option<Location>,
    /// Files of which it is counted how much is read.
    counted: Option<(Arc<HashSet<Location>>, Arc<AtomicU64>)>,
}

impl Default for Env {
    /// Default limits, the local file system, no commands, warnings dropped.
    fn default() -> Self {
        Self::new(Limits::default(), Access::default(), |_| {})
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("limits", &self.limits)
            .field("access", &self.access)
            .field("urls", &self.urls)
            .field("threads", &self.threads)
            .field("level", &self.level)
            .field("durable", &self.durable)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

impl Env {
    /// Surroundings with the local file system that pass each warning to `listener`.
    pub fn new(
        limits: Limits,
        access: Access,
        listener: impl Fn(&Error) + Send + Sync + 'static,
    ) -> Self {
        Self {
            limits,
            access,
            urls: Urls::default(),
            threads: 2,
            level: None,
            durable: true,
            waiting: Waiting::default(),
            listener: Arc::new(move |warning, _| listener(warning)),
            store: Arc::new(Local::new()),
            formats: Arc::new(NoFormats),
            inputs: Inputs::default(),
            claims: Claims::default(),
            seen: None,
            folder: None,
            counted: None,
        }
    }

    /// The same with files in another store, of which nothing has been read.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn Store>) -> Self {
        Self {
            store,
            inputs: Inputs::default(),
            claims: Claims::default(),
            seen: None,
            ..self
        }
    }

    /// The same, in which containers find the formats of the objects inside them.
    #[must_use]
    pub fn with_formats(self, formats: impl NestedFormats + 'static) -> Self {
        Self {
            formats: Arc::new(formats),
            ..self
        }
    }

    /// The same with warnings passed to another listener.
    #[must_use]
    pub fn listening(&self, listener: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.sorting(move |warning, _| listener(warning))
    }

    /// The same with warnings passed to another listener, with the sort of each: a file can give
    /// rise to any number of one sort.
    #[must_use]
    pub fn sorting(&self, listener: impl Fn(&Error, WarningSort) + Send + Sync + 'static) -> Self {
        Self {
            listener: Arc::new(listener),
            ..self.clone()
        }
    }

    /// Where its files are.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Reports something that is not right but does no harm; an [`Error`] for the sake of its place.
    #[track_caller]
    pub fn warn(&self, warning: &Error) {
        (self.listener)(warning, WarningSort(PanicLocation::caller()));
    }

    /// Opens what the user named.
    ///
    /// # Errors
    /// The system refuses, it is a command and none may run, or it can't be read as one stream.
    pub fn open(&self, at: &Locator) -> Result<Source> {
        match at {
            Locator::Standard => Source::stdin(),
            Locator::File(file) => self.open_file(file),
            Locator::FileAt(file, offset) => Source::open_at(file, self.stored(file)?, *offset),
            Locator::Command(line) if self.access == Access::Safe => Err(refused(line)),
            Locator::Command(line) => Source::command(line),
            Locator::Folder(folder) => Err(is_folder(folder)),
            Locator::Nowhere => Err(Error::usage("nothing can be read from nowhere")),
        }
    }

    /// Opens a file, whose compression is undone.
    ///
    /// # Errors
    /// The system refuses, or it is a folder.
    pub fn open_file(&self, file: &Location) -> Result<Source> {
        let counted = self.counted.as_ref();
        let read = counted.filter(|(files, _)| files.contains(file));
        let read = read.map(|(_, read)| read.clone());
        Source::open(file, self.stored(file)?, read, self.threads)
    }

    /// Opens what a script file names. A file that is not found from the working folder is looked
    /// for beside the script; what a script behind a URL names is beside it.
    ///
    /// # Errors
    /// As [`open`](Self::open); commands, pipes and devices need [`Access::Files`], other hosts than
    /// the script's need to be among [`urls`](Self::urls).
    pub fn open_from(&self, script: Option<&Location>, at: &Locator) -> Result<Source> {
        let at = self.found_from(script, at);
        match &at {
            Locator::Command(line) if self.access != Access::Files => {
                return Err(refused_in_file(line));
            }
            Locator::File(file) | Locator::FileAt(file, _) => self.check_found(script, file)?,
            _ => {}
        }
        self.open(&at)
    }

    /// Whether what a script file names is a file, which can be read again and again.
    pub fn is_file_from(&self, script: Option<&Location>, at: &Locator) -> bool {
        match self.found_from(script, at) {
            Locator::File(file) | Locator::FileAt(file, _) => {
                let may = self.urls.check(script, &file, self.access);
                let look = may.and_then(|()| self.look(&file)).ok().flatten();
                look.is_some_and(|look| look.kind == FileKind::File)
            }
            _ => false,
        }
    }

    /// Refuses what the file `script` names and should not: places behind URLs that are not among
    /// [`urls`](Self::urls), pipes and devices, as reading or writing those may wait for ever. Those
    /// are let through where what files name is trusted.
    ///
    /// # Errors
    /// `file` is one.
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

    /// Where a script file's place leads: a file that is not found from the working folder, but
    /// beside the script, is that one.
    pub fn found_from(&self, script: Option<&Location>, at: &Locator) -> Locator {
        match at {
            Locator::File(file) => Locator::File(self.beside(script, file)),
            Locator::FileAt(file, offset) => Locator::FileAt(self.beside(script, file), *offset),
            other => other.clone(),
        }
    }

    /// `file` from the working folder if it is there, else beside `script` if it is there. A script
    /// behind a URL knows nothing of the working folder.
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

    /// Opens the bytes of a file as they are, and counts it among what is read.
    fn stored(&self, file: &Location) -> Result<Box<dyn Stored>> {
        let failed = |e| Error::io("cannot open", e).file(file.to_string());
        match self.seen(file) {
            Some(stored) => stored.map_err(failed),
            None => {
                let stored = self.store.open(file).map_err(failed)?;
                if let Some(identity) = stored.identity() {
                    self.inputs.add(identity);
                }
                Ok(stored)
            }
        }
    }

    fn seen(&self, file: &Location) -> Option<io::Result<Box<dyn Stored>>> {
        self.seen.as_ref()?.open(file, &*self.store)
    }

    /// Whether there is something of this name.
    pub fn exists(&self, at: &Location) -> bool {
        self.look(at).is_ok_and(|look| look.is_some())
    }

    /// What there is of this name; `None` if nothing is.
    ///
    /// # Errors
    /// The system refuses to say.
    pub fn look(&self, at: &Location) -> Result<Option<FileStatus>> {
        let seen = self.seen.as_ref();
        let status = seen
            .and_then(|seen| seen.look(at, &*self.store))
            .unwrap_or_else(|| self.store.look(at));
        status.map_err(|e| Error::io("cannot inspect it", e).file(at.to_string()))
    }

    /// Whether there is a folder of this name.
    pub fn is_folder(&self, at: &Location) -> bool {
        let look = self.look(at).ok().flatten();
        look.is_some_and(|look| look.kind == FileKind::Folder)
    }

    /// The name from the root, without links and `..`, of what a name leads to, whether something
    /// is there or not.
    pub fn resolve(&self, at: &Location) -> Location {
        self.store.resolve(at)
    }

    /// All files below a folder, by names that start with the folder's, in any order; links are
    /// followed, and what is not finished is left out.
    ///
    /// # Errors
    /// The system refuses.
    pub fn list(&self, folder: &Location) -> Result<Vec<Location>> {
        let finished = self.finished_in(folder);
        let files = finished.unwrap_or_else(|| self.store.list(folder));
        files.map_err(|e| Error::io("cannot list the folder", e).file(folder.to_string()))
    }

    /// The files that an output has finished in a folder that is to be called so; `None` if none does.
    pub(super) fn finished_in(&self, folder: &Location) -> Option<io::Result<Vec<Location>>> {
        self.seen.as_ref()?.list(folder)
    }

    /// What runs that were killed left of outputs called `target`, or, of a folder, also what they
    /// left in it; sorted.
    pub fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        self.store.leftovers(target)
    }

    /// Where a writer's streams go: nothing has its final name before the output is committed.
    pub fn output(&self, at: &Locator) -> Output {
        Output::new(at.clone(), self)
    }

    /// Surroundings in which what `output` has finished by now can be opened by its final names,
    /// before the commit. What is opened there does not count as read.
    #[must_use]
    pub fn seeing(&self, output: &Output) -> Self {
        Self {
            seen: Some(Arc::new(Seen::new(output))),
            inputs: Inputs::default(),
            ..self.clone()
        }
    }

    /// Surroundings that count the bytes read of these files, as they are stored.
    #[must_use]
    pub fn counting(
        &self,
        files: impl IntoIterator<Item = Location>,
        read: Arc<AtomicU64>,
    ) -> Self {
        let files = Arc::new(files.into_iter().collect());
        Self {
            counted: Some((files, read)),
            ..self.clone()
        }
    }

    /// Refuses a file that was opened or counted as read.
    ///
    /// # Errors
    /// `file` is one.
    pub fn check_unread(&self, file: &Location) -> Result<()> {
        let look = self.store.look(file).ok().flatten();
        self.inputs.refuse(file, look.as_ref())
    }

    /// Counts `file` among what is read and must not be replaced.
    pub fn reads(&self, file: &Location) {
        self.inputs.add_name(&*self.store, file);
    }

    /// Counts what a script file names among what is read, whether it will be opened or not. It
    /// costs next to nothing as long as no output replaces anything.
    pub fn names(&self, script: Option<&Location>, at: &Locator) {
        if let Some(file) = at.location().filter(|_| self.claims.replace_something()) {
            let file = self.beside(script, file);
            if self.claims.would_replace(&file, &*self.store) {
                self.reads(&file);
            }
        }
    }
}
