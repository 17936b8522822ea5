//! Sound files as members of archives.

use spr_core::bytes::{Env, Locator};
use spr_core::format::Request;
use spr_core::model::{Audio, AudioReference, EncodedAudio};
use spr_core::{Error, Result};

use super::{Member, TarReader};
use crate::sound;

/// The form in which the sound of members is wanted.
#[derive(Clone, Copy, Debug)]
pub struct SoundForm {
    wanted: bool,
    samples: bool,
    files: &'static [&'static str],
}

impl SoundForm {
    /// Returns the form that `request` asks for.
    pub fn of(request: &Request) -> Self {
        Self {
            wanted: request.parts.audio,
            samples: request.samples,
            files: request.files,
        }
    }

    /// The same with references alone, where the archive is not compressed.
    #[must_use]
    pub fn referring(self) -> Self {
        Self {
            samples: false,
            files: &[],
            ..self
        }
    }

    /// Returns the sound of the member that came last, unless none is wanted.
    ///
    /// A member of a file that is not compressed is a reference, if neither samples nor files of its
    /// format are wanted; then no more than its header is read. `format` is that of its extension.
    /// A member of another format by its first bytes is of that format, with a warning.
    ///
    /// # Errors
    /// The member is cut off, or larger than the limits.
    pub fn read(
        self,
        archive: &mut TarReader,
        member: &Member,
        format: &'static str,
        env: &Env,
    ) -> Result<Option<Audio>> {
        /// The bytes of a header.
        const HEAD: usize = 4 << 10;
        if !self.wanted {
            return Ok(None);
        }
        let head = archive.head(HEAD)?.to_vec();
        let found = env.nested_by_magic(&head).unwrap_or(format);
        if found != format {
            let message = format!("is of the format {found}, and not what its name says");
            let error = member.error(Error::malformed(message));
            env.warn(&error.file(archive.source().name()).byte(member.offset));
        }
        let facts = sound::facts(found, &head, env);
        let source = archive.source();
        let location = source.location().filter(|_| source.is_plain_file());
        let is_bytes = self.samples || self.files.contains(&found);
        if let Some(location) = location.filter(|_| !is_bytes) {
            let at = Locator::FileAt(location.clone(), member.offset);
            return Ok(Some(Audio::Reference(AudioReference {
                len: Some(member.size),
                recording: facts,
                ..AudioReference::new(at)
            })));
        }
        Ok(Some(Audio::Encoded(EncodedAudio {
            format: found.to_owned(),
            bytes: archive.data("a sound file")?,
            facts,
        })))
    }
}
