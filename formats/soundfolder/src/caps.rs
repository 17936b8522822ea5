//! What a folder of sound files holds.

use spr_core::format::{AudioCaps, Caps, Count, Keys, Rule};
use spr_core::model::{Dtype, Key};
use spr_core::{Error, Result};
use spr_syntax::lines::BOM;

use crate::timed::Form;

/// The capabilities of a folder that is written: sound files, with text in files beside them.
pub(crate) const CAPS: Caps = {
    let dtypes = &[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64];
    let mut audio = AudioCaps::samples(dtypes);
    audio.encoded = &["wav", "flac", "mp3", "ogg"];
    let mut caps = Caps::new(Count::Many, Keys::FileNames);
    caps.key_rule = Rule::new("without a dot in front of a part", check_key);
    caps.audio = audio;
    caps.text = true;
    caps.text_rule = Rule::new(
        "of one line without blanks around it or times in front",
        check_text,
    );
    caps.utf8 = true;
    caps
};

/// Rejects names of files that would be hidden.
fn check_key(key: &Key) -> Result<()> {
    let mut parts = key.as_bytes().split(|b| *b == b'/');
    match parts.any(|part| part.starts_with(b".")) {
        true => Err(Error::unfit(
            "the name of its file would be hidden, as it begins with a dot",
        )),
        false => Ok(()),
    }
}

/// Rejects text that would be read as other text.
fn check_text(text: &[u8]) -> Result<()> {
    let is_line = !text.iter().any(|b| b"\r\n".contains(b));
    if !is_line || text.trim_ascii() != text || text.starts_with(BOM) {
        let message = "the text is not one line without blanks around it";
        return Err(Error::unfit(message));
    }
    match Form::of(text) {
        Some(_) => Err(Error::unfit(
            "the text begins with two numbers, which would be read as its times",
        )),
        None => Ok(()),
    }
}
