//! Files that hold no data: what file managers, editors and version control leave in folders.

use std::ffi::OsStr;

/// Names of files and folders of other programs, in lower case.
const NAMES: [&str; 14] = [
    ".ds_store",
    ".directory",
    ".git",
    ".gitignore",
    ".gitattributes",
    ".ipynb_checkpoints",
    ".localized",
    ".spotlight-v100",
    ".svn",
    ".trashes",
    "__macosx",
    "__pycache__",
    "desktop.ini",
    "thumbs.db",
];

/// Returns `true` for the name of a file or folder that other programs leave behind and that is no
/// data, such as `.DS_Store`, `._a.wav`, `a.wav~` or `Thumbs.db`.
pub fn is_rubbish(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let starts = ["._", ".nfs", ".fuse_hidden", "~$", ".#"];
    let ends = ["~", ".swp", ".swo", ".crdownload"];
    let is_lock = name.len() > 2 && name.starts_with('#') && name.ends_with('#');
    is_lock
        || starts.iter().any(|start| name.starts_with(start))
        || ends
            .iter()
            .any(|end| name.len() > end.len() && name.ends_with(end))
        || NAMES.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rubbish_is_told_by_its_name() {
        for name in [
            "._a.wav",
            ".DS_Store",
            "Thumbs.db",
            "a.txt~",
            "#a#",
            ".a.swp",
            "__MACOSX",
        ] {
            assert!(is_rubbish(OsStr::new(name)), "{name}");
        }
        for name in [
            "a.wav",
            "_.wav",
            ".hidden.wav",
            "~",
            "#",
            "DS_Store",
            "a#",
            "git",
        ] {
            assert!(!is_rubbish(OsStr::new(name)), "{name}");
        }
    }
}
