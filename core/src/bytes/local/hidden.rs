//! Names beside the final ones, of what is temporary.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Names tried before giving up, should dead runs have left theirs.
const TRIES: u32 = 10_000;
/// Characters of the target's name in a temporary one; a name has at most 255 bytes on most systems.
pub(super) const NAME: usize = 50;
/// Characters of the machine's name in it.
const HOST_NAME: usize = 30;

/// Removes a file or folder, if that is possible.
pub(super) fn remove(path: &Path) {
    // What a link leads to stays.
    let _ = match path.is_dir() && !path.is_symlink() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Calls `make` with names beside `target` until one is not taken.
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

/// The name of this machine as it stands in names: a word that is no number, for several may write to
/// one folder.
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

/// The run that a temporary name is of.
pub(super) struct Run<'a> {
    /// What it is to be called, as far as that is in the name.
    pub(super) target: &'a str,
    /// The machine, where it is named.
    pub(super) host: Option<&'a str>,
    pub(super) process: &'a str,
    /// Whether it is what was there before.
    pub(super) is_old: bool,
}

/// Takes a name apart that is that of something temporary, whose run may be dead.
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

/// Whether a file name is that of something temporary, whose run may be dead.
pub(super) fn is_temporary(name: &str) -> bool {
    run_of(name).is_some()
}

/// Whether `path` is a folder that holds nothing but what is temporary.
pub(super) fn is_empty(path: &Path) -> bool {
    let holds = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| !is_temporary(&entry.file_name().to_string_lossy()))
    };
    fs::read_dir(path).is_ok_and(|mut entries| !entries.any(holds))
}
