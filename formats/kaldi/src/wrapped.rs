//! The form in which kaldiio stores files of other formats: a word, the size of the file in one to
//! eight bytes, the file.

use spr_core::bytes::{Env, Source};
use spr_core::format::foreign;
use spr_core::model::Utterance;
use spr_core::{Error, Result};

use crate::kind::ObjectKind;
use crate::{nested, opaque, recognise};

/// Returns the bytes before an audio file of `len` bytes: the word, the size of the size field, and
/// the size in as few bytes as possible.
pub(crate) fn sound_head(len: usize) -> Vec<u8> {
    let size = (len as u64).to_le_bytes();
    let used = size.iter().rposition(|b| *b != 0).map_or(1, |n| n + 1);
    let count = u8::try_from(used).unwrap_or_default();
    [&b"AUDIO"[..], &[count], &size[..used]].concat()
}

/// Reads the object at the current position with the format of its file. A file of one of `files`
/// is not decoded.
///
/// # Errors
/// It is truncated or damaged, or in an unsupported format.
pub(crate) fn read(
    source: &mut Source,
    utt: &mut Utterance,
    files: &[&str],
    env: &Env,
) -> Result<ObjectKind> {
    /// The length of the longest word with the size of the size field.
    const HEAD: usize = 6;
    let at = source.offset();
    let Some((word, what, bytes)) = recognise::wrapped(source.peek(HEAD)?) else {
        return Err(source.malformed("no object with its size before it"));
    };
    source.skip(word as u64 + 1)?;
    let mut size = [0; 8];
    let stored = opaque::exactly(source, bytes, &env.limits)?;
    size.iter_mut()
        .zip(&stored)
        .for_each(|(to, from)| *to = *from);
    let file = opaque::exactly(source, u64::from_le_bytes(size), &env.limits)?;
    let known = foreign(&file).unwrap_or("a file that is not known");
    let name = format!("{} ({what} at byte {at})", source.name());
    let read = match Source::from_bytes(name, file) {
        Ok(mut file) => match nested::of_file(&mut file, env)? {
            Some(format) => nested::read(&mut file, utt, (format, true), files, env),
            None => Err(refused(source, at, known)),
        },
        Err(error) => Err(error),
    };
    // The source is positioned after it in any case.
    read.map_err(Error::continuable)
}

/// Returns the error for an unsupported file.
fn refused(source: &Source, at: u64, name: &str) -> Error {
    let error = recognise::refusal(&format!("{name} in kaldiio's form"));
    error.file(source.name()).byte(at)
}
