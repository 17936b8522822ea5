//! The environment of readers and writers, which is their only access to bytes.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::panic::Location as PanicLocation;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::claims::Claims;
use super::finished_names::FinishedNames;
use super::inputs::Inputs;
use super::local::Local;
use super::object::{Claim, ObjectBounds};
use super::opened_files::OpenedFiles;
use super::path_map::AppliedMap;
use super::recordings::{Recordings, SampleStream};
use super::refusal::refused;
use super::searched::Whereabouts;
use super::sink::SpoolProgress;
use super::store::{FileKind, OpenedFile, Store, is_folder};
use super::{Access, FileStatus, Leftover, Location, Locator, Source, Urls};
use crate::error::{Error, Result};
use crate::model::{Key, Limits, RecordingFacts, Utterance};

/// The identity of a warning independent of its words: warnings of one sort come from one place in
/// the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarningSort {
    place: &'static PanicLocation<'static>,
    leaves_out: bool,
}

impl WarningSort {
    /// Returns `true` for warnings that data were left out, which also quiet programs tell.
    pub fn leaves_out(self) -> bool {
        self.leaves_out
    }
}

/// Takes what is said of faulty utterances that are skipped.
type SkipListener = dyn Fn(&Error) + Send + Sync;

/// A receiver of warnings, each with its sort.
type Listener = dyn Fn(&Error, WarningSort) + Send + Sync;

/// The surroundings of a reader or writer: limits, the store with its files, access to commands,
/// and a listener for warnings, without which they are logged. Clones are cheap and share the listener, the store and the list of
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
    /// Limits on sizes.
    pub limits: Limits,
    /// The permission to run commands.
    pub access: Access,
    /// The URLs in files that are followed; none with [`Access::Safe`].
    pub urls: Urls,
    /// The number of threads: with more than one, reading, encoding and writing overlap. The
    /// written bytes do not depend on it.
    pub threads: usize,
    /// The compression level of outputs whose names imply compression, one of the
    /// levels of the codec; `None` for its default.
    pub level: Option<u32>,
    /// Whether outputs are synced to disk before they get their names, so that they survive a power
    /// failure.
    pub durable: bool,
    /// The number of bytes waiting to be compressed or piped, shared by all clones.
    pub waiting: SpoolProgress,
    listener: Arc<Listener>,
    /// Takes what is said of faulty utterances that are skipped; without one it is a warning.
    skipped: Option<Arc<SkipListener>>,
    store: Arc<dyn Store>,
    /// The formats that read objects inside containers.
    pub(super) formats: Arc<dyn NestedFormats>,
    /// The files that were opened, shared by all clones.
    pub(super) inputs: Inputs,
    /// The destinations being written, shared by all clones.
    pub(super) claims: Claims,
    /// Finished files that can be read before they have their names.
    seen: Option<Arc<dyn FinishedNames>>,
    /// The folder to which keys of files are relative.
    pub(super) folder: Option<Location>,
    /// Where files are now that are named inside files.
    pub(super) paths: Arc<AppliedMap>,
    /// What was found out about missing files.
    pub(super) whereabouts: Arc<Whereabouts>,
    /// The recordings that are open, shared by all clones.
    pub(super) recordings: Recordings,
    /// The files whose bytes read are counted.
    counted: Option<(Arc<HashSet<Location>>, Arc<AtomicU64>)>,
    /// The files opened since [`measuring`](Self::measuring).
    measured: Option<OpenedFiles>,
}

impl Default for Env {
    /// Default limits, the local file system, no commands. Warnings go to the logger that the
    /// program has set for the crate [`log`], with the target `spr_core`.
    fn default() -> Self {
        Self::new(Limits::default(), Access::default(), log_warning)
    }
}

/// Passes a warning and its hint to the program's logger, without control characters of data.
fn log_warning(warning: &Error) {
    let text = match warning.hint_text() {
        Some(hint) => format!("{warning} ({hint})"),
        None => warning.to_string(),
    };
    log::warn!(target: "spr_core", "{}", crate::text::visible(&text));
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
    /// Creates an environment with the local file system that passes each warning to `listener`.
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
            waiting: SpoolProgress::default(),
            listener: Arc::new(move |warning, _| listener(warning)),
            skipped: None,
            store: Arc::new(Local::new()),
            formats: Arc::new(NoFormats),
            inputs: Inputs::default(),
            claims: Claims::default(),
            seen: None,
            folder: None,
            paths: Arc::default(),
            whereabouts: Arc::default(),
            recordings: Recordings::default(),
            counted: None,
            measured: None,
        }
    }

    /// Replaces the store, of which nothing has been read.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn Store>) -> Self {
        Self {
            store,
            inputs: Inputs::default(),
            claims: Claims::default(),
            whereabouts: Arc::default(),
            recordings: Recordings::default(),
            seen: None,
            ..self
        }
    }

    /// Returns the same environment for another run, which opens recordings anew.
    #[must_use]
    pub fn for_run(&self) -> Self {
        Self {
            recordings: Recordings::default(),
            ..self.clone()
        }
    }

    /// Wraps the store in one that passes everything on to it, such as one that counts.
    #[must_use]
    pub fn wrapping_store(&self, wrap: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>) -> Self {
        Self {
            store: wrap(self.store.clone()),
            ..self.clone()
        }
    }

    /// Sets the formats of objects inside containers.
    #[must_use]
    pub fn with_formats(self, formats: impl NestedFormats + 'static) -> Self {
        Self {
            formats: Arc::new(formats),
            ..self
        }
    }

    /// Replaces the listener.
    #[must_use]
    pub fn listening(&self, listener: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.sorting(move |warning, _| listener(warning))
    }

    /// Replaces the listener with one that receives the sort of each warning: a file can cause any
    /// number of one sort.
    #[must_use]
    pub fn sorting(&self, listener: impl Fn(&Error, WarningSort) + Send + Sync + 'static) -> Self {
        Self {
            listener: Arc::new(listener),
            ..self.clone()
        }
    }

    /// The same surroundings, in which faulty utterances that are skipped are told to `listener`.
    #[must_use]
    pub fn telling_skipped(&self, listener: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self {
            skipped: Some(Arc::new(listener)),
            ..self.clone()
        }
    }

    /// Tells that a faulty utterance was skipped.
    pub fn tell_skipped(&self, error: &Error) {
        match &self.skipped {
            Some(listener) => listener(error),
            None => self.warn_left_out(error),
        }
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Reports something harmless, as an [`Error`] to include its place. That data are left out is
    /// for [`Self::warn_left_out`].
    #[track_caller]
    pub fn warn(&self, warning: &Error) {
        let (place, leaves_out) = (PanicLocation::caller(), false);
        (self.listener)(warning, WarningSort { place, leaves_out });
    }

    /// Reports that data were left out, as an [`Error`] to include its place.
    #[track_caller]
    pub fn warn_left_out(&self, warning: &Error) {
        let (place, leaves_out) = (PanicLocation::caller(), true);
        (self.listener)(warning, WarningSort { place, leaves_out });
    }

    /// Opens a source named by the user.
    ///
    /// # Errors
    /// The system refuses, it is a command and these are not allowed, or it cannot be read as one
    /// stream.
    pub fn open(&self, at: &Locator) -> Result<Source> {
        let opened = match at {
            Locator::Standard => Source::stdin(),
            Locator::File(file) => return self.open_file(file),
            Locator::FileAt(file, offset) => Source::open_at(file, self.stored(file)?, *offset),
            Locator::Command(line) if self.access == Access::Safe => Err(refused(line)),
            Locator::Command(line) => Source::command(line),
            Locator::Folder(folder) => Err(is_folder(folder)),
            Locator::Nowhere => Err(Error::usage("nothing can be read from nowhere")),
        };
        Ok(opened?.unpacking_to(self.limits.max_unpacked))
    }

    /// Opens and decompresses a file.
    ///
    /// # Errors
    /// The system refuses, or it is a folder.
    pub fn open_file(&self, file: &Location) -> Result<Source> {
        let counted = self.counted.as_ref();
        let read = counted.filter(|(files, _)| files.contains(file));
        let read = read.map(|(_, read)| read.clone());
        let opened = Source::open(file, self.stored(file)?, read, self.threads)?;
        Ok(opened.unpacking_to(self.limits.max_unpacked))
    }

    /// Opens a file without decompression, and records it as an input.
    fn stored(&self, file: &Location) -> Result<Box<dyn OpenedFile>> {
        let failed = |e| Error::io("cannot open", e).file(file.to_string());
        match self.seen(file) {
            Some(stored) => stored.map_err(failed),
            None => {
                let stored = self.store.open(file).map_err(failed)?;
                if let Some(identity) = stored.identity() {
                    if let (Some(measured), Some(bytes)) = (&self.measured, stored.length()) {
                        measured.add(identity.clone(), bytes);
                    }
                    self.inputs.add(identity);
                }
                Ok(stored)
            }
        }
    }

    /// Returns an environment in which files can be opened by these names, which do not count as
    /// inputs.
    pub(super) fn with_names(&self, names: impl FinishedNames + 'static) -> Self {
        Self {
            seen: Some(Arc::new(names)),
            inputs: Inputs::default(),
            recordings: Recordings::default(),
            ..self.clone()
        }
    }

    fn seen(&self, file: &Location) -> Option<io::Result<Box<dyn OpenedFile>>> {
        self.seen.as_ref()?.open(file, &*self.store)
    }

    /// Returns `true` if the name exists.
    pub fn exists(&self, at: &Location) -> bool {
        self.look(at).is_ok_and(|look| look.is_some())
    }

    /// Looks up a name, and returns `None` if it does not exist.
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

    /// Returns `true` if the name is a folder.
    pub fn is_folder(&self, at: &Location) -> bool {
        let look = self.look(at).ok().flatten();
        look.is_some_and(|look| look.kind == FileKind::Folder)
    }

    /// Returns the absolute name without links and `..`, whether it exists or not.
    pub fn resolve(&self, at: &Location) -> Location {
        self.store.resolve(at)
    }

    /// Lists all files below a folder, by names that start with the folder's, in any order. Links
    /// are followed, and unfinished files omitted.
    ///
    /// # Errors
    /// The system refuses.
    pub fn list(&self, folder: &Location) -> Result<Vec<Location>> {
        let finished = self.finished_in(folder);
        let files = finished.unwrap_or_else(|| self.store.list(folder));
        files.map_err(|e| Error::io("cannot list the folder", e).file(folder.to_string()))
    }

    /// Returns the files that an output has finished in the folder with this final name, or `None`
    /// if there is no such output.
    pub(super) fn finished_in(&self, folder: &Location) -> Option<io::Result<Vec<Location>>> {
        self.seen.as_ref()?.list(folder)
    }

    /// Returns temporary files that killed runs left behind for `target`, sorted. For a folder,
    /// those inside it as well.
    pub fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        self.store.leftovers(target)
    }

    /// Checks that no killed run left the change of a folder unfinished, as far as files are concerned
    /// whose names are `wanted`.
    ///
    /// # Errors
    /// Files may be missing in the folder.
    pub fn check_finished(
        &self,
        folder: &Location,
        wanted: impl Fn(&Location) -> bool,
    ) -> Result<()> {
        let is_in = |left: &Leftover| left.location.parent().as_ref() == Some(folder);
        let names = |left: &Leftover| !left.is_old || left.target.as_ref().is_none_or(&wanted);
        let mut left = self.leftovers(folder).into_iter();
        let Some(left) = left.find(|left| left.is_unfinished && is_in(left) && names(left)) else {
            return Ok(());
        };
        let message = "may lack files: a run that was to change it was killed";
        let hint = format!(
            "{} is what it left; write the folder again, or put in order what it holds",
            left.location
        );
        Err(Error::malformed(message)
            .file(folder.to_string())
            .hint(hint))
    }

    /// Returns an environment that counts the stored bytes read from these files.
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

    /// Returns an environment that adds each file that it opens to `files`.
    #[must_use]
    pub fn measuring(&self, files: OpenedFiles) -> Self {
        Self {
            measured: Some(files),
            ..self.clone()
        }
    }

    /// Fails if a file is an input.
    ///
    /// # Errors
    /// `file` is an input.
    pub fn check_unread(&self, file: &Location) -> Result<()> {
        let look = self.store.look(file).ok().flatten();
        self.inputs.refuse(file, look.as_ref())
    }

    /// Records `file` as an input that must not be replaced.
    pub fn reads(&self, file: &Location) {
        self.inputs.add_name(&*self.store, file);
    }
}

/// A format of single objects inside containers, such as a WAV file in a Kaldi archive. Containers
/// find it with [`Env::nested`] and need not know other formats.
pub trait Nested: Send + Sync {
    /// Returns the claim to an object by its first bytes.
    fn claim(&self, head: &[u8]) -> Claim;

    /// Reads the object at the current place into `utt`, which was [started](Utterance::start) and
    /// holds no data: its key, and what its container says of it, stay.
    ///
    /// # Errors
    /// It is damaged, or more than the limits allow.
    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()>;

    /// Reads the facts about audio in the header of the object at the current position. Objects that
    /// are not audio, and audio without such a header, have none; so does a format that does not
    /// implement this.
    ///
    /// # Errors
    /// The header is damaged.
    fn facts(&self, _source: &mut Source, _env: &Env) -> Result<RecordingFacts> {
        Ok(RecordingFacts::default())
    }

    /// Opens the rest of `source` as a recording of which any samples can be read.
    ///
    /// # Errors
    /// It is not audio, which a format that does not implement this says of all objects, or its header is damaged.
    fn samples(&self, source: Source, _env: &Env) -> Result<Box<dyn SampleStream>> {
        Err(source.malformed("holds no sound"))
    }

    /// Skips the object at the current position, which ends according to its own header, without
    /// reading its data. Returns `false`, and consumes nothing, if its header does not tell where.
    ///
    /// # Errors
    /// The file ends in it.
    fn pass(&self, source: &mut Source, env: &Env) -> Result<bool>;

    /// Writes the object in `utt` with `put`, which is not called before everything is checked.
    ///
    /// # Errors
    /// The format cannot hold it, or `put` fails.
    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
}

/// A function that reads the utterance with a key, and returns `false` if there is none. For an
/// object at a position in a file, which has no key, it reads that.
pub type Finder = Box<dyn FnMut(&Key, &mut Utterance) -> Result<bool> + Send>;

/// The formats of objects inside containers, for an [`Env`].
pub trait NestedFormats: Send + Sync {
    /// Returns the format with this name.
    fn nested(&self, name: &str) -> Option<&'static dyn Nested>;

    /// Opens a data set of the named format for lookup, or returns `None` if the format does not
    /// exist.
    fn finder(&self, name: &str, source: Source, env: &Env) -> Option<Result<Finder>>;

    /// Returns the name of the format of sound files with this extension, if its objects can be
    /// inside containers.
    fn sound_by_extension(&self, extension: &str) -> Option<&'static str>;

    /// Returns the names and claims of all formats for an object that starts with `head`.
    fn claims(&self, head: &[u8]) -> Vec<(&'static str, Claim)>;
}

/// No formats.
struct NoFormats;

impl NestedFormats for NoFormats {
    fn nested(&self, _name: &str) -> Option<&'static dyn Nested> {
        None
    }

    fn finder(&self, _: &str, _: Source, _: &Env) -> Option<Result<Finder>> {
        None
    }

    fn sound_by_extension(&self, _extension: &str) -> Option<&'static str> {
        None
    }

    fn claims(&self, _head: &[u8]) -> Vec<(&'static str, Claim)> {
        Vec::new()
    }
}
