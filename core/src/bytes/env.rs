//! What a reader may reach and whom it tells.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::inputs::Inputs;
use super::{Output, Source};
use crate::{Error, Limits, Result};

/// Where bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locator {
    /// Standard input.
    Stdin,
    /// A file, from its start.
    File(PathBuf),
    /// A file, from a byte on.
    FileAt(PathBuf, u64),
    /// The output of a shell command.
    Command(String),
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("-"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::FileAt(path, at) => write!(f, "{}:{at}", path.display()),
            Self::Command(line) => write!(f, "{line} |"),
        }
    }
}

/// Which commands may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// None at all.
    Safe,
    /// Those that the user typed.
    #[default]
    Typed,
    /// Those, and those found inside script files.
    Files,
}

/// The surroundings of a reader or writer: limits, access to files and commands, and a listener
/// for warnings. Clones are cheap and share the listener.
#[derive(Clone)]
pub struct Env {
    /// Bounds on sizes.
    pub limits: Limits,
    /// Which commands may run.
    pub access: Access,
    /// Threads to use: with more than one, reading, encoding and writing overlap. The bytes
    /// written are the same for any number.
    pub threads: usize,
    /// Whether outputs are on the disk before they get their names, so that they outlive a power
    /// cut; otherwise the system puts them there when it likes.
    pub durable: bool,
    /// Whether the values of features are wanted. Where they are not, readers may give matrices of
    /// the right type and shape that hold anything, and pass over the bytes in the file.
    pub values: bool,
    listener: Arc<dyn Fn(&Error) + Send + Sync>,
    /// What was opened, shared by all clones.
    pub(super) inputs: Inputs,
    /// Where files are that have no final name yet, by their final paths.
    staged: Arc<BTreeMap<PathBuf, PathBuf>>,
    /// Files of which it is counted how much is read.
    counted: Option<(Arc<BTreeSet<PathBuf>>, Arc<AtomicU64>)>,
}

impl Default for Env {
    /// Default limits, no commands from files, warnings dropped.
    fn default() -> Self {
        Self::new(Limits::default(), Access::default(), |_| {})
    }
}

impl Env {
    /// Surroundings that pass each warning to `listener`.
    pub fn new(
        limits: Limits,
        access: Access,
        listener: impl Fn(&Error) + Send + Sync + 'static,
    ) -> Self {
        Self {
            limits,
            access,
            threads: 2,
            durable: true,
            values: true,
            listener: Arc::new(listener),
            inputs: Inputs::default(),
            staged: Arc::default(),
            counted: None,
        }
    }

    /// Reports something that is not right but does no harm; an [`Error`] for the sake of its place.
    pub fn warn(&self, warning: &Error) {
        (self.listener)(warning);
    }

    /// Opens what the user named on the command line.
    ///
    /// # Errors
    /// The system refuses, or it is a command and none may run.
    pub fn open(&self, at: &Locator) -> Result<Source> {
        match at {
            Locator::Stdin => Source::stdin(),
            Locator::File(path) => self.open_file(path),
            Locator::FileAt(path, offset) => self.open_file_at(path, *offset),
            Locator::Command(line) if self.access == Access::Safe => {
                Err(Error::usage(format!("refused to run '{line}'"))
                    .hint("drop --safe to allow it"))
            }
            Locator::Command(line) => Source::command(line),
        }
    }

    /// Opens a file.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_file(&self, path: &Path) -> Result<Source> {
        if let Some(staged) = self.staged(path) {
            return Ok(Source::open(staged)?.called(path));
        }
        self.inputs.add(path);
        match &self.counted {
            Some((paths, read)) if paths.contains(path) => Source::counting(path, read.clone()),
            _ => Source::open(path),
        }
    }

    fn open_file_at(&self, path: &Path, offset: u64) -> Result<Source> {
        if let Some(staged) = self.staged(path) {
            return Ok(Source::open_at(staged, offset)?.called(path));
        }
        self.inputs.add(path);
        Source::open_at(path, offset)
    }

    fn staged(&self, path: &Path) -> Option<&PathBuf> {
        if self.staged.is_empty() {
            return None;
        }
        self.staged.get(&std::path::absolute(path).ok()?)
    }

    /// Whether there is a file to open.
    pub fn exists(&self, path: &Path) -> bool {
        self.staged(path).is_some() || path.exists()
    }

    /// Surroundings in which what `output` has finished can be opened by its final names, before
    /// the commit.
    #[must_use]
    pub fn seeing(&self, output: &Output) -> Self {
        let staged = output.staged().into_iter();
        let staged = staged.filter_map(|(path, at)| Some((std::path::absolute(path).ok()?, at)));
        Self {
            staged: Arc::new(staged.collect()),
            inputs: Inputs::default(),
            ..self.clone()
        }
    }

    /// Surroundings that count the bytes read of these files, as they are stored.
    #[must_use]
    pub fn counting(&self, paths: impl IntoIterator<Item = PathBuf>, read: Arc<AtomicU64>) -> Self {
        let paths = Arc::new(paths.into_iter().collect());
        Self {
            counted: Some((paths, read)),
            ..self.clone()
        }
    }

    /// Refuses a file that was opened or counted as read.
    ///
    /// # Errors
    /// `path` is one.
    pub fn check_unread(&self, path: &Path) -> Result<()> {
        self.inputs.refuse(path)
    }

    /// Counts `path` among what is read and must not be replaced.
    pub fn reads(&self, path: &Path) {
        self.inputs.add(path);
    }

    /// Opens what a script file names. A file that is not found from the working directory is
    /// looked for beside the script.
    ///
    /// # Errors
    /// As [`open`](Self::open); commands need [`Access::Files`].
    pub fn open_from(&self, script: Option<&Path>, at: &Locator) -> Result<Source> {
        match at {
            Locator::Command(line) if self.access != Access::Files => Err(Error::usage(format!(
                "refused to run the command '{line}' found in the file"
            ))
            .hint("if you trust the file, allow its commands with --allow-pipes")),
            Locator::File(path) => self.open_file(&self.beside(script, path)),
            Locator::FileAt(path, offset) => self.open_file_at(&self.beside(script, path), *offset),
            other => self.open(other),
        }
    }

    /// `path` from the working directory if it exists there, else beside `script` if it exists there.
    fn beside(&self, script: Option<&Path>, path: &Path) -> PathBuf {
        if path.is_relative()
            && !self.exists(path)
            && let Some(folder) = script.and_then(Path::parent)
        {
            let other = folder.join(path);
            if self.exists(&other) {
                return other;
            }
        }
        path.to_owned()
    }
}
