//! The capabilities of lists.

use spr_core::Error;
use spr_core::format::{Caps, Count, Keys, Medium, Objects, Rule, SegmentCaps, Tags};
use spr_core::model::Key;

use super::names::SAME;
use crate::contents::TAGS;

/// The kinds of opaque objects.
pub(crate) const OPAQUE: Objects = Objects::Kinds(&["spraak-list", "spraak-custom"]);

/// Returns the capabilities of an output of this `DATA`, or `None` if that is not a list.
pub(crate) fn of(data: Option<&str>, medium: Medium) -> Option<Caps> {
    match data? {
        "SEG" => Some(segments(medium)),
        "CORPUS" => Some(corpus(medium)),
        "DICTIONARY" | "UNIT" | "DES" => {
            let mut caps = Caps::new(Count::One, Keys::of_files(medium));
            caps.objects = OPAQUE;
            caps.tags = Tags::Of(TAGS);
            Some(caps)
        }
        _ => None,
    }
}

/// Returns the capabilities of a segmentation.
pub(super) fn segments(medium: Medium) -> Caps {
    let mut caps = entries(medium);
    let mut segments = SegmentCaps::PLAIN;
    segments.needs_some = true;
    caps.segments = Some(segments);
    caps.key_rule = NOT_SAME;
    caps
}

/// A name that does not stand for that of the line before.
const NOT_SAME: Rule<Key> = Rule::new("other than -", |key| match key.as_bytes() == SAME {
    true => Err(Error::unfit("'-' can't be the name of a file in a list")),
    false => Ok(()),
});

/// Returns the capabilities of a corpus.
pub(super) fn corpus(medium: Medium) -> Caps {
    let mut caps = entries(medium);
    caps.text = true;
    caps
}

/// Returns the capabilities of a list with an entry for each utterance, or of a folder of lists.
fn entries(medium: Medium) -> Caps {
    let mut caps = match medium {
        Medium::Folder => Caps::new(Count::One, Keys::of_files(medium)),
        Medium::File | Medium::Stream => Caps::new(Count::Many, Keys::Words),
    };
    (caps.frame_shift, caps.frame_offset) = (true, true);
    caps.tags = Tags::Of(TAGS);
    caps
}
