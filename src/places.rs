//! Where a conversion reads and writes: no output may be among the inputs, or twice.

use std::path::{Path, PathBuf};

use spr_core::{Error, Result};

/// Refuses outputs inside input folders, inputs inside output folders, and outputs of one name.
/// A file that is both is refused by the output itself, which knows all that is opened.
///
/// # Errors
/// The first that is refused, by name.
pub(crate) fn check(inputs: &[PathBuf], outputs: &[PathBuf]) -> Result<()> {
    for (n, output) in outputs.iter().enumerate() {
        let place = resolved(output);
        if outputs.iter().take(n).any(|other| resolved(other) == place) {
            return Err(Error::usage("would be written twice").file(output.display().to_string()));
        }
        for input in inputs {
            let (Ok(from), name) = (input.canonicalize(), input.display()) else {
                continue;
            };
            let message = if from == place && from.is_dir() {
                "is read and can't be written in the same run".to_owned()
            } else if from.is_dir() && place.starts_with(&from) {
                format!("is inside the input folder {name}")
            } else if output.is_dir() && from.starts_with(&place) {
                format!("is a folder that holds the input {name}")
            } else {
                continue;
            };
            return Err(Error::usage(message)
                .file(output.display().to_string())
                .hint("write to another folder"));
        }
    }
    Ok(())
}

/// The path without links, of a file that may not be there yet.
fn resolved(path: &Path) -> PathBuf {
    if path.is_dir() {
        return path.canonicalize().unwrap_or_else(|_| path.to_owned());
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
