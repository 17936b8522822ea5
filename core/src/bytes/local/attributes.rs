//! Permissions and ownership of a file, which its replacement inherits.

use std::path::Path;

/// Copies the permissions of the replaced file `target` to `made`, and its owner and group as far
/// as the system allows.
#[cfg(unix)]
pub(super) fn keep(target: &Path, made: &Path) {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let (Ok(old), Ok(new)) = (target.symlink_metadata(), made.symlink_metadata()) else {
        return;
    };
    if !old.is_file() || !new.is_file() {
        return;
    }
    let mut mode = old.mode() & 0o777;
    let own = |meta: &fs::Metadata| (meta.uid(), meta.gid());
    if own(&old) == own(&new) {
        mode = old.mode() & 0o7777;
    } else if chown(made, Some(old.uid()), Some(old.gid())).is_err()
        && chown(made, None, Some(old.gid())).is_err()
    {
        // A different group gets no more permissions than others.
        mode = (mode & 0o707) | ((mode & 0o007) << 3);
    }
    // A file system without permissions needs none.
    let _ = fs::set_permissions(made, Permissions::from_mode(mode));
}

#[cfg(not(unix))]
pub(super) fn keep(_: &Path, _: &Path) {}
