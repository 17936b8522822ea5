//! Temporary names beside the final ones.

use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};

use crate::Error;

/// The error for an output that is there and may not be replaced.
pub(super) fn exists(name: String) -> Error {
    Error::usage("exists already")
        .file(name)
        .hint("replace it with --overwrite")
}

/// Makes something called `.NAME.spr-PID.tmp` in the folder of `path`, with the permissions of
/// `mode` that the user's umask leaves.
pub(super) fn temporary_beside<T>(
    path: &Path,
    mode: u32,
    make: impl FnOnce(&tempfile::Builder<'_, '_>, &Path) -> io::Result<T>,
) -> io::Result<T> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(format!(".spr-{}", std::process::id()));
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp").rand_bytes(0);
    #[cfg(not(unix))]
    let _ = mode;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    make(&builder, folder)
}
