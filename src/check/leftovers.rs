//! Files that a run which was killed left behind.

use std::path::Path;

use spr_core::bytes::is_temporary;

use super::about;
use super::findings::Findings;
use crate::argument::Input;

/// Names temporary files beside the input, or in it; they are never touched.
pub(super) fn check(input: &Input, findings: &mut Findings<'_>) {
    for source in input.sources() {
        let parent = source.parent().filter(|p| !p.as_os_str().is_empty());
        let own = source.file_name().unwrap_or_default().to_string_lossy();
        let (folder, start) = match source.is_dir() {
            true => (source.as_path(), ".".to_owned()),
            false => (parent.unwrap_or(Path::new(".")), format!(".{own}.spr-")),
        };
        let Ok(entries) = folder.read_dir() else {
            continue;
        };
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
        let mut names: Vec<_> = names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| is_temporary(name) && name.starts_with(&start))
            .collect();
        names.sort();
        for name in names {
            let path = folder.join(name).display().to_string();
            let message = "a temporary file that a run left behind, or one that is at work";
            let error = about(path, message);
            findings.note("leftovers", error.hint("delete it if no run is at work"));
        }
    }
}
