//! What lists can hold.

use spr_core::format::{Caps, Count, Keys, Medium, Objects, SegmentCaps, Tags};

use crate::contents::TAGS;

/// The kinds of objects that are handed on.
pub(crate) const OPAQUE: Objects = Objects::Kinds(&["spraak-list", "spraak-custom"]);

/// What an output holds if it is to be of this `DATA`; `None` if that is not a list.
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

/// What a segmentation holds.
pub(super) fn segments(medium: Medium) -> Caps {
    let mut caps = entries(medium);
    caps.segments = Some(SegmentCaps::PLAIN);
    caps
}

/// What a corpus holds.
pub(super) fn corpus(medium: Medium) -> Caps {
    let mut caps = entries(medium);
    caps.text = true;
    caps
}

/// A list with a header and an entry for each utterance; in a folder a list an utterance.
fn entries(medium: Medium) -> Caps {
    let mut caps = match medium {
        Medium::Folder => Caps::new(Count::One, Keys::of_files(medium)),
        Medium::File | Medium::Stream => Caps::new(Count::Many, Keys::Words),
    };
    (caps.frame_shift, caps.frame_offset) = (true, true);
    caps.tags = Tags::Of(TAGS);
    caps
}
