//! Archives as folders, so that what is in them is surveyed without unpacking.

mod mount;
mod overlay;
mod part;
mod tar;
mod zip;

use spr_core::bytes::{Env, Location};
use spr_syntax::tar::is_tar;

pub(crate) use mount::Mount;
pub(crate) use overlay::Overlay;

/// The kind of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveKind {
    Tar,
    Zip,
}

/// Extensions of tar archives; those with a compression of their own come without its extension.
const TARS: [&str; 5] = ["tar", "tgz", "tbz", "tbz2", "tzst"];

impl ArchiveKind {
    /// Returns the kind that a name says, for which the file need not be opened.
    pub(crate) fn of_name(at: &Location) -> Option<Self> {
        let plain = at.plain();
        let extension = plain.extension()?.to_ascii_lowercase();
        if TARS.contains(&extension.as_str()) {
            return Some(Self::Tar);
        }
        (extension == "zip").then_some(Self::Zip)
    }

    /// Returns `true` if the content of a file is what its name says.
    pub(crate) fn fits(self, at: &Location, env: &Env) -> bool {
        /// The bytes by which an archive is recognised.
        const HEAD: usize = 512;
        let Ok(mut source) = env.open_file(at) else {
            return false;
        };
        let Ok(head) = source.peek(HEAD) else {
            return false;
        };
        match self {
            Self::Tar => is_tar(head),
            // An archive without members is nothing but its end.
            Self::Zip => head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06"),
        }
    }
}

/// Returns `true` if a file is an archive whose members can be surveyed.
pub fn is_archive(at: &Location, env: &Env) -> bool {
    ArchiveKind::of_name(at).is_some_and(|kind| kind.fits(at, env))
}
