//! Where a stream goes, and how it is opened there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::command::Command;
use super::folder::Folder;
use super::parent::cannot_create;
use super::part::Part;
use super::rules::Rules;
use super::sink::{Finish, Memory, Sink};
use super::temporary::{Temporary, exists};
use super::{Access, Codec};
use crate::{Error, Result};

/// The files of an output kept in memory, by name; empty until it is committed.
pub type MemoryFiles = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// What is whole and waits for its name.
pub(super) type Finished = Arc<Mutex<Vec<Entry>>>;

pub(super) enum Entry {
    File(Temporary, PathBuf),
    Memory(String, Arc<Mutex<Option<Vec<u8>>>>),
}

/// Where one stream goes, or a folder of them.
pub(super) enum Place {
    Stdout,
    File(PathBuf),
    Command(String),
    Folder(Folder),
    Memory(MemoryFiles),
    /// Taken when it is opened.
    Stream(String, Option<Box<dyn Finish>>),
    Nowhere,
}

impl Place {
    /// The place of a companion.
    pub(super) fn sibling(&self, part: Part<'_>) -> Result<Self> {
        match (part, self) {
            (_, Self::Memory(files)) => Ok(Self::Memory(files.clone())),
            (_, Self::Nowhere) => Ok(Self::Nowhere),
            (Part::At(path), _) => Ok(Self::File(path.to_owned())),
            (Part::Command(line), _) => Ok(Self::Command(line.to_owned())),
            (Part::Stdout, _) => Ok(Self::Stdout),
            (Part::Suffix(suffix), Self::File(path)) => Ok(Self::File(with_suffix(path, suffix))),
            _ => Err(Error::usage(format!(
                "{} has no place for a side file",
                self.name()
            ))),
        }
    }

    /// The file or folder, if it is one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path.clone()),
            Self::Folder(folder) => Some(folder.target().to_owned()),
            _ => None,
        }
    }

    /// The name that messages show.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdout => "-".to_owned(),
            Self::File(path) => path.display().to_string(),
            Self::Command(line) => format!("| {line}"),
            Self::Folder(folder) => folder.name(),
            Self::Memory(_) => "memory".to_owned(),
            Self::Stream(name, _) => name.clone(),
            Self::Nowhere => "nowhere".to_owned(),
        }
    }

    /// Opens a stream that goes here; in memory it is called `memory_name`.
    pub(super) fn open(
        &mut self,
        memory_name: String,
        patch: bool,
        rules: &Rules,
        finished: &Finished,
    ) -> Result<Sink> {
        let name = self.name();
        match self {
            Self::Stdout => Sink::stream(name, Box::new(io::stdout()), patch),
            Self::Stream(_, stream) => match stream.take() {
                Some(stream) => Sink::stream(name, stream, patch),
                None => Err(Error::usage("was written to already").file(name)),
            },
            Self::Nowhere => Sink::stream(name, Box::new(io::sink()), patch),
            Self::Command(line) => {
                if rules.access == Access::Safe {
                    return Err(Error::usage(format!("refused to run '{line}'"))
                        .hint("drop --safe to allow it"));
                }
                let command =
                    Command::writing(line).map_err(|e| Error::io("cannot run", e).file(&name))?;
                Sink::stream(name, Box::new(command), patch)
            }
            Self::Memory(_) => {
                let done = Arc::<Mutex<Option<Vec<u8>>>>::default();
                let stream = Memory {
                    bytes: Vec::new(),
                    done: done.clone(),
                };
                let sink = Sink::stream(name, Box::new(stream), patch)?;
                Ok(sink.on_finish(register(finished, Entry::Memory(memory_name, done))))
            }
            Self::File(path) if is_special(path) => {
                let file = File::options().write(true).open(path);
                let file = file.map_err(|e| Error::io("cannot open", e).file(&name))?;
                Sink::stream(name, Box::new(file), patch)
            }
            Self::File(path) => create_file(path, patch, rules, finished),
            Self::Folder(_) => Err(Error::usage("is a folder, one file is due").file(name)),
        }
    }
}

/// Devices and named pipes are written to, not replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

fn create_file(path: &Path, patch: bool, rules: &Rules, finished: &Finished) -> Result<Sink> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(Error::usage("is a folder, one file is due").file(name));
    }
    rules.inputs.refuse(path)?;
    if !rules.overwrite && path.symlink_metadata().is_ok() {
        return Err(exists(name));
    }
    let (temporary, file) = Temporary::file(path).map_err(|e| cannot_create(path, e))?;
    let sink = match Codec::from_path(path) {
        Some(codec) => {
            let stream = codec
                .encoder(Box::new(file), rules.threads)
                .map_err(|e| Error::io("cannot compress", e).file(&name))?;
            Sink::stream(name, stream, patch)?
        }
        None => Sink::file(name, file, rules.durable),
    };
    Ok(sink.on_finish(register(finished, Entry::File(temporary, path.to_owned()))))
}

fn register(finished: &Finished, entry: Entry) -> impl FnOnce() + Send + 'static {
    let finished = finished.clone();
    move || {
        if let Ok(mut finished) = finished.lock() {
            finished.push(entry);
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
