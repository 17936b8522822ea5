//! Temporary names beside the final ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The number of names tried, in case dead runs have left theirs.
const TRIES: u32 = 10_000;
/// The number of characters of the target's name in a temporary one; most systems limit names to
/// 255 bytes.
pub(super) const NAME: usize = 50;
/// The name that the temporary folder for the files of an existing folder is made of.
pub(super) const FILLING: &str = "folder";
/// The number of characters of the machine's name in a temporary one.
const HOST_NAME: usize = 30;

/// Removes a file or folder, ignoring errors.
pub(super) fn remove(path: &Path) {
    // The target of a link is kept.
    let _ = match path.is_dir() && !path.is_symlink() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Calls `make` with names beside `target` until one is free.
pub(super) fn unused<T>(
    target: &Path,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    let target = std::path::absolute(target)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let name: String = name.to_string_lossy().chars().take(NAME).collect();
    let stem = format!(".{name}.spr-{}-{}", host(), std::process::id());
    for n in 0..TRIES {
        let name = match n {
            0 => format!("{stem}.{ending}"),
            n => format!("{stem}-{n}.{ending}"),
        };
        let path = target.with_file_name(name);
        match make(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            result => return Ok((path, result?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Returns the name of this machine for temporary names: a word that is not a number, because
/// several machines may write to one folder.
pub(super) fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let name = gethostname::gethostname();
        let name = name.to_string_lossy();
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let word: String = name.chars().take(HOST_NAME).map(plain).collect();
        match word.bytes().all(|b| b.is_ascii_digit()) {
            true => format!("host{word}"),
            false => word,
        }
    })
}

/// The run that a temporary name belongs to.
pub(super) struct Run<'a> {
    /// The beginning of the final name.
    pub(super) target: &'a str,
    /// The machine, if it is in the name.
    pub(super) host: Option<&'a str>,
    pub(super) process: &'a str,
    /// Whether it is an old file that was moved aside.
    pub(super) is_old: bool,
}

/// Parses the temporary name of a run, which may be dead.
pub(super) fn run_of(name: &str) -> Option<Run<'_>> {
    let (stem, ending) = name.strip_prefix('.')?.rsplit_once('.')?;
    let (target, run) = stem.rsplit_once(".spr-")?;
    let number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut parts = run.split('-');
    let first = parts.next()?;
    let (host, process) = match number(&first) {
        true => (None, first),
        false => (Some(first), parts.next().filter(number)?),
    };
    let own = parts.next().is_none_or(|n| number(&n)) && parts.next().is_none();
    let ending = matches!(ending, "tmp" | "old").then_some(ending)?;
    own.then_some(Run {
        target,
        host,
        process,
        is_old: ending == "old",
    })
}

/// Returns `true` for a temporary name of a run, which may be dead.
pub(super) fn is_temporary(name: &str) -> bool {
    run_of(name).is_some()
}

/// Returns `true` if `path` is a folder with only temporary files.
pub(super) fn is_empty(path: &Path) -> bool {
    let holds = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| !is_temporary(&entry.file_name().to_string_lossy()))
    };
    fs::read_dir(path).is_ok_and(|mut entries| !entries.any(holds))
}
