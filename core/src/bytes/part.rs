//! The streams of an output.

use std::path::Path;

use crate::model::Key;

/// Which stream of an output is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The data.
    Main,
    /// A companion known by name, such as Kaldi's `scp`, where the user gave it a place.
    Named(&'static str),
    /// A companion whose name is that of the data with this ending.
    Suffix(&'a str),
    /// A companion at a place of its own.
    At(&'a Path),
    /// A companion that is the input of a shell command, found in a file; it needs
    /// [`Access::Files`](super::Access::Files).
    Command(&'a str),
    /// A companion on standard output.
    Stdout,
    /// One file of a folder, with this extension.
    Utterance(&'a Key, &'a str),
}

impl Part<'_> {
    /// The name of a companion's entry among [`MemoryFiles`].
    pub(super) fn label(self) -> String {
        match self {
            Part::Suffix(suffix) => format!("main{suffix}"),
            Part::At(path) => path.display().to_string(),
            Part::Command(line) => format!("| {line}"),
            Part::Stdout => "-".to_owned(),
            Part::Named(name) => name.to_owned(),
            Part::Main | Part::Utterance(..) => "main".to_owned(),
        }
    }
}
