//! What the folder and its table can hold.

use spr_core::format::{AudioCaps, Caps, Count, Keys, Tags};
use spr_core::model::{Dtype, SourceField};

/// The capabilities of a folder with its sound files.
pub(super) const CAPS: Caps = {
    let dtypes = &[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64];
    let mut audio = AudioCaps::samples(dtypes);
    audio.encoded = &["wav", "flac", "mp3", "ogg"];
    let mut caps = Caps::new(Count::Many, Keys::FileNames);
    caps.audio = audio;
    caps.text = true;
    caps.utf8 = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
};

/// The capabilities of a table beside sound files that are there.
pub(super) const NAMED: Caps = {
    let mut caps = CAPS;
    caps.keys = Keys::Any;
    caps.audio = AudioCaps::NONE;
    caps.audio.references = true;
    caps
};
