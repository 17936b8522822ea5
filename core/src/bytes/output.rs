//! Where a writer's streams go: files that appear together, a folder, standard output, a command.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Access;
use super::commit::{self, Change, New};
use super::env::Env;
use super::folder::Folder;
use super::inputs::Inputs;
use super::part::Part;
use super::place::{Entry, Finished, MemoryFiles, Place};
use super::rules::Rules;
use super::sink::{Finish, Sink};
use super::temporary::Temporary;
use crate::{Error, Result};

/// A place for a writer's streams. Clones are handles to the same place.
///
/// Files are written under temporary names beside their targets, put on the disk and renamed by
/// [`commit`](Self::commit), in the order in which their sinks were finished. Dropping all handles
/// abandons the output and leaves nothing behind. Standard output and commands can't be taken back.
///
/// ```
/// use spr_core::bytes::{Output, Part};
/// let (output, files) = Output::memory();
/// let mut sink = output.create(Part::Main, true)?;
/// sink.put(b"?? frames")?;
/// sink.patch(0, b"12")?;
/// sink.finish()?;
/// output.commit()?;
/// assert_eq!(files.lock().unwrap()["main"], b"12 frames");
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Output(Arc<Mutex<Inner>>);

struct Inner {
    main: Place,
    named: BTreeMap<&'static str, Place>,
    rules: Rules,
    /// Whether an utterance has been written to something that is no folder.
    taken: bool,
    finished: Finished,
    stale: Vec<PathBuf>,
}

impl Output {
    fn new(main: Place) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            main,
            named: BTreeMap::new(),
            rules: Rules::default(),
            taken: false,
            finished: Arc::default(),
            stale: Vec::new(),
        })))
    }

    /// A file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Place::File(path.into()))
    }

    /// A folder of files, one an utterance.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self::new(Place::Folder(Folder::new(path.into())))
    }

    /// Standard output.
    pub fn stdout() -> Self {
        Self::new(Place::Stdout)
    }

    /// A shell command that takes the bytes on its standard input.
    pub fn command(line: impl Into<String>) -> Self {
        Self::new(Place::Command(line.into()))
    }

    /// Memory, for tests and for library users; the files are there after the commit.
    pub fn memory() -> (Self, MemoryFiles) {
        let files = MemoryFiles::default();
        (Self::new(Place::Memory(files.clone())), files)
    }

    /// A stream of the caller's own.
    pub fn stream(name: impl Into<String>, stream: Box<dyn Finish>) -> Self {
        Self::new(Place::Stream(name.into(), Some(stream)))
    }

    /// Nowhere: everything is made and nothing is kept.
    pub fn nowhere() -> Self {
        Self::new(Place::Nowhere)
    }

    /// Gives the companion `name` the place of another output's data.
    #[must_use]
    pub fn with_named(self, name: &'static str, at: Self) -> Self {
        let place = std::mem::replace(&mut at.lock().main, Place::Nowhere);
        self.lock().named.insert(name, place);
        self
    }

    /// Allows files that exist to be replaced.
    #[must_use]
    pub fn overwrite(self, yes: bool) -> Self {
        self.lock().rules.overwrite = yes;
        self
    }

    /// Says whether commands may run.
    #[must_use]
    pub fn access(self, access: Access) -> Self {
        self.lock().rules.access = access;
        self
    }

    /// How many threads may compress; the bytes are the same for any number.
    #[must_use]
    pub fn threads(self, n: usize) -> Self {
        self.lock().rules.threads = n;
        self
    }

    /// Whether files are put on the disk before they get their names; they are unless told.
    #[must_use]
    pub fn durable(self, yes: bool) -> Self {
        self.lock().rules.durable = yes;
        self
    }

    /// Refuses to replace what was opened through `env`, now or until the commit.
    #[must_use]
    pub fn apart_from(self, env: &Env) -> Self {
        self.lock().rules.inputs = env.inputs.clone();
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
            Place::File(_) | Place::Memory(_) | Place::Nowhere
        )
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        matches!(self.lock().main, Place::Folder(_))
    }

    /// The name of the data, as messages show it.
    pub fn name(&self) -> String {
        self.lock().main.name()
    }

    /// The place of the companion `name` as the user gave it, if it was given one.
    pub fn companion(&self, name: &str) -> Option<String> {
        self.lock().named.get(name).map(Place::name)
    }

    /// Where the data go, if that is a file.
    pub fn path(&self) -> Option<PathBuf> {
        match &self.lock().main {
            Place::File(path) => Some(path.clone()),
            _ => None,
        }
    }

    /// The files and folders that the user named, without companions that go by the data's name.
    pub fn paths(&self) -> Vec<PathBuf> {
        let inner = self.lock();
        let places = std::iter::once(&inner.main).chain(inner.named.values());
        places.filter_map(Place::path).collect()
    }

    /// What was finished and has no final name yet: the final path and the temporary one, in the
    /// order of finishing, a folder before all.
    pub fn staged(&self) -> Vec<(PathBuf, PathBuf)> {
        let inner = self.lock();
        let folder = match &inner.main {
            Place::Folder(folder) => folder.staged(),
            _ => None,
        };
        let finished = inner.finished.lock();
        let finished = finished.unwrap_or_else(PoisonError::into_inner);
        let files = finished.iter().filter_map(|entry| match entry {
            Entry::File(temporary, path) => Some((path.clone(), temporary.path().to_owned())),
            Entry::Memory(..) => None,
        });
        folder.into_iter().chain(files).collect()
    }

    /// Opens a stream. With `patch` it can be changed before it is finished, whatever it goes to.
    ///
    /// # Errors
    /// The file exists and may not be replaced, or the system refuses.
    pub fn create(&self, part: Part<'_>, patch: bool) -> Result<Sink> {
        let mut inner = self.lock();
        let inner = &mut *inner;
        let mut sibling;
        let place = match part {
            Part::Main => &mut inner.main,
            Part::Named(name) => match inner.named.get_mut(name) {
                Some(place) => place,
                None => return Err(Error::usage(format!("no place was given for the {name}"))),
            },
            Part::Command(line) if inner.rules.access != Access::Files => {
                return Err(Error::usage(format!(
                    "refused to run the command '{line}' found in the file"
                ))
                .hint("if you trust the file, allow its commands with --allow-pipes"));
            }
            Part::Suffix(_) | Part::At(_) | Part::Command(_) | Part::Stdout => {
                sibling = inner.main.sibling(part)?;
                &mut sibling
            }
            Part::Utterance(key, extension) => {
                if let Place::Folder(folder) = &mut inner.main {
                    return folder.create(key, extension, &inner.rules);
                }
                if std::mem::replace(&mut inner.taken, true) {
                    return Err(Error::unfit("a second utterance, but the file holds one")
                        .utterance(key)
                        .hint("write to a folder: end the name with /"));
                }
                &mut inner.main
            }
        };
        place.open(part.label(), patch, &inner.rules, &inner.finished)
    }

    /// Removes a companion left by an earlier run when this output is committed over it.
    pub fn discard(&self, part: Part<'_>) {
        let mut inner = self.lock();
        if let Ok(Place::File(path)) = inner.main.sibling(part) {
            inner.stale.push(path);
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
    /// A target exists by now, was opened as an input, or the system refuses; everything is then
    /// as it was before.
    pub fn commit_all(outputs: impl IntoIterator<Item = Self>) -> Result<()> {
        let mut changes = Vec::new();
        let mut staging = Vec::new();
        let (mut inputs, mut durable) = (Inputs::default(), false);
        for output in outputs {
            let mut inner = output.lock();
            inner.changes(&mut changes, &mut staging)?;
            inputs = inner.rules.inputs.clone();
            durable |= inner.rules.durable;
        }
        commit::commit(changes, &inputs, durable)
    }
}

impl Inner {
    /// The names that a commit changes; `staging` keeps the folders that files are taken from.
    fn changes(&mut self, changes: &mut Vec<Change>, staging: &mut Vec<Temporary>) -> Result<()> {
        let overwrite = self.rules.overwrite;
        if let Place::Folder(folder) = &mut self.main {
            staging.extend(folder.changes(overwrite, changes)?);
        }
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        let entries: Vec<_> = finished.drain(..).collect();
        let mut new = Vec::new();
        for entry in entries {
            match entry {
                Entry::File(file, target) => new.push(Change {
                    new: New::Whole(file),
                    target,
                    overwrite,
                }),
                Entry::Memory(name, bytes) => {
                    let bytes = bytes.lock().ok().and_then(|mut b| b.take());
                    if let Place::Memory(files) = &self.main
                        && let Ok(mut files) = files.lock()
                    {
                        files.insert(name, bytes.unwrap_or_default());
                    }
                }
            }
        }
        let stale = self.stale.drain(..).filter(|path| path.is_file());
        let stale = stale.filter(|path| new.iter().all(|change| change.target != *path));
        let freed: Vec<_> = stale
            .map(|target| Change {
                new: New::Nothing,
                target,
                overwrite,
            })
            .collect();
        changes.extend(new);
        changes.extend(freed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pfile");
        for commit in [false, true] {
            let output = Output::file(&path);
            let mut main = output.create(Part::Main, true).unwrap();
            let mut side = output.create(Part::Suffix(".keys"), false).unwrap();
            main.put(b"xxdata").unwrap();
            main.patch(0, b"ok").unwrap();
            side.put(b"k\n").unwrap();
            side.finish().unwrap();
            assert_eq!(main.finish().unwrap(), 6);
            assert!(!path.exists());
            if commit {
                output.commit().unwrap();
                assert_eq!(fs::read(&path).unwrap(), b"okdata");
                assert_eq!(names(folder.path()), ["a.pfile", "a.pfile.keys"]);
            } else {
                drop(output);
                assert_eq!(names(folder.path()), [""; 0]);
            }
        }
        assert!(Output::file(&path).create(Part::Main, false).is_err());
        assert!(
            Output::file(&path)
                .overwrite(true)
                .create(Part::Main, false)
                .is_ok()
        );
    }

    #[test]
    fn compressed_outputs_can_be_patched() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.gz", "a.bz2", "a.zst"] {
            let path = folder.path().join(name);
            let output = Output::file(&path);
            let mut sink = output.create(Part::Main, true).unwrap();
            sink.put(b"----rest").unwrap();
            sink.patch(0, b"head").unwrap();
            sink.finish().unwrap();
            output.commit().unwrap();
            let mut source = super::super::Source::open(&path).unwrap();
            assert_eq!(source.layers().len(), 1);
            assert_eq!(source.array::<8>().unwrap(), *b"headrest");
        }
    }
}
