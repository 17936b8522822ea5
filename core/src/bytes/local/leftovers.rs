//! Temporary files of dead runs.

use std::fs;
use std::path::Path;

use super::super::Leftover;
use super::hidden::{FILLING, NAME, host, is_temporary, run_of};
use super::identity::above;

/// Returns those of outputs called `path`, sorted. For a folder, those inside it as well.
pub(super) fn find(path: &Path) -> Vec<Leftover> {
    let mut found = Vec::new();
    if let Some(own) = path.file_name() {
        let own: String = own.to_string_lossy().chars().take(NAME).collect();
        let of = |name: &str| name.strip_prefix('.').is_some_and(|n| n.starts_with(&own));
        found.extend(list(above(path), of));
    }
    if path.is_dir() {
        found.extend(list(path, |_| true));
    }
    found.sort_by(|a, b| a.location.cmp(&b.location));
    found
}

/// Returns leftovers in `folder` whose names `of` selects.
fn list(folder: &Path, of: impl Fn(&str) -> bool) -> Vec<Leftover> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left = names.filter(|name| is_temporary(name) && of(name));
    left.filter_map(|name| leftover(folder, &name)).collect()
}

fn leftover(folder: &Path, name: &str) -> Option<Leftover> {
    let run = run_of(name)?;
    // The state of a run on another machine is unknown.
    if run.host.is_some_and(|other| other != host()) || is_running(run.process) {
        return None;
    }
    let whole = run.target.chars().count() < NAME;
    let target = whole.then(|| folder.join(run.target));
    let is_old = run.is_old;
    let missing = target
        .as_ref()
        .is_some_and(|t| t.symlink_metadata().is_err());
    let target = target.map(Into::into);
    let path = folder.join(name);
    let is_filling = !is_old && run.target == FILLING && !is_blank(&path);
    let leftover = Leftover::new(path.into(), is_old, is_old && missing, target);
    Some(match is_filling {
        true => leftover.unfinished(),
        false => leftover,
    })
}

/// Returns `true` if `path` is a folder without entries, or no folder.
fn is_blank(path: &Path) -> bool {
    fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none())
}

/// Returns `true` if `name` in `folder` is a temporary name of a dead run.
pub(super) fn is_leftover(folder: &Path, name: &str) -> bool {
    leftover(folder, name).is_some()
}

/// Returns `true` if the process exists.
#[cfg(unix)]
fn is_running(process: &str) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let process = process.parse().ok().and_then(Pid::from_raw);
    process.is_some_and(|process| !matches!(test_kill_process(process), Err(Errno::SRCH)))
}

/// Returns `true`, because it is not known whether the process exists.
#[cfg(not(unix))]
fn is_running(_: &str) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn leftovers_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let own = format!(".a.ark.spr-{}-{}.tmp", host(), std::process::id());
        // No process has such a large number.
        let names = [
            ".a.ark.spr-99999999.old",
            ".a.ark.spr-99999999-1.tmp",
            ".b.ark.spr-99999999.tmp",
        ];
        fs::write(at(".a.ark.spr-another_host-99999999.tmp"), "").unwrap();
        for name in names.iter().copied().chain([&*own, "a.ark.old", ".a.ark"]) {
            fs::write(at(name), "").unwrap();
        }
        let found = find(&at("a.ark"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].location, at(names[1]).into());
        assert_eq!(found[1].target, Some(at("a.ark").into()));
        assert_eq!([found[0].is_old, found[1].is_old], [false, true]);
        assert!(found[1].is_last && !found[0].is_last);
        let error = found[1].error();
        assert!(
            error
                .hint_text()
                .is_some_and(|hint| hint.starts_with("rename it to"))
        );
        fs::write(at("a.ark"), "").unwrap();
        assert!(!find(&at("a.ark"))[1].is_last);
        assert_eq!(find(folder.path()).len(), 3);
    }
}
