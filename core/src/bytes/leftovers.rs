//! What runs that were killed left behind.

use std::fs;
use std::path::{Path, PathBuf};

use super::temporary::{NAME, is_temporary};
use crate::Error;

/// A file or folder under a temporary name, whose run is no longer at work on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is what was there before, moved aside to be replaced; else it is a part of what
    /// should have been written.
    pub is_old: bool,
    /// Its final name; not known of very long ones.
    pub target: Option<PathBuf>,
}

impl Leftover {
    /// Those of outputs called `path`, or, of a folder, also those in it; sorted.
    pub fn find(path: &Path) -> Vec<Self> {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
        let mut found = Vec::new();
        if let Some(own) = path.file_name() {
            let own: String = own.to_string_lossy().chars().take(NAME).collect();
            let of = |name: &str| name.strip_prefix('.').is_some_and(|n| n.starts_with(&own));
            found.extend(list(parent.unwrap_or(Path::new(".")), of));
        }
        if path.is_dir() {
            found.extend(list(path, |_| true));
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Whether it is all that is left of a file: what it was to be replaced by never came.
    pub fn is_last(&self) -> bool {
        let missing = |path: &PathBuf| path.symlink_metadata().is_err();
        self.is_old && self.target.as_ref().is_some_and(missing)
    }

    /// What it is and what to do about it.
    pub fn error(&self) -> Error {
        let target = self.target.as_ref().map(|path| path.display().to_string());
        let name = target.as_deref().unwrap_or("a file");
        let (message, hint) = match (self.is_old, self.is_last()) {
            (true, true) => (
                format!("is what was {name}, which a run that was killed was to replace"),
                format!("rename it to {name}, or delete it if it is written anew"),
            ),
            (true, false) => (
                format!("is what {name} was before a run that was killed replaced it"),
                format!("delete it if {name} is as it should be"),
            ),
            (false, _) => (
                format!("is a part of {name} from a run that was killed"),
                "delete it".to_owned(),
            ),
        };
        Error::unfit(message)
            .file(self.path.display().to_string())
            .hint(hint)
    }
}

/// Leftovers in `folder` whose names `of` picks.
fn list(folder: &Path, of: impl Fn(&str) -> bool) -> Vec<Leftover> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left = names.filter(|name| is_temporary(name) && of(name));
    left.filter_map(|name| leftover(folder, &name)).collect()
}

fn leftover(folder: &Path, name: &str) -> Option<Leftover> {
    let (stem, ending) = name.rsplit_once('.')?;
    let (target, run) = stem.strip_prefix('.')?.rsplit_once(".spr-")?;
    let process = run.split('-').next().unwrap_or(run);
    if is_running(process) {
        return None;
    }
    let whole = target.chars().count() < NAME;
    Some(Leftover {
        path: folder.join(name),
        is_old: ending == "old",
        target: whole.then(|| folder.join(target)),
    })
}

/// Whether there is such a process, on systems that tell.
fn is_running(process: &str) -> bool {
    Path::new("/proc").join(process).is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let own = format!(".a.ark.spr-{}.tmp", std::process::id());
        // No process has a number so large.
        let names = [
            ".a.ark.spr-99999999.old",
            ".a.ark.spr-99999999-1.tmp",
            ".b.ark.spr-99999999.tmp",
        ];
        for name in names.iter().copied().chain([&*own, "a.ark.old", ".a.ark"]) {
            fs::write(at(name), "").unwrap();
        }
        let found = Leftover::find(&at("a.ark"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].path, at(names[1]));
        assert_eq!(found[1].target, Some(at("a.ark")));
        assert_eq!([found[0].is_old, found[1].is_old], [false, true]);
        assert!(found[1].is_last() && !found[0].is_last());
        let error = found[1].error();
        assert!(
            error
                .hint_text()
                .is_some_and(|hint| hint.starts_with("rename it to"))
        );
        fs::write(at("a.ark"), "").unwrap();
        assert!(!found[1].is_last());
        assert_eq!(Leftover::find(folder.path()).len(), 3);
    }
}
