//! What lists can hold.

use spr_core::format::{Caps, Count, Keys, Medium, Objects, SegmentCaps, Tags};

use crate::contents::TAGS;

/// The kinds of objects that are handed on.
pub(crate) const OPAQUE: Objects = Objects::Kinds(&["spraak-list", "spraak-custom"]);

/// What an output holds if it is to be of this `DATA`; `None` if that is not a list.
pub(crate) fn of(data: Option<&str>, medium: Medium) -> Option<Caps> {
    match data? {
        "SEG" => Some(segments()),
        "CORPUS" => Some(corpus()),
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
pub(super) fn segments() -> Caps {
    let mut caps = entries();
    caps.segments = Some(SegmentCaps::PLAIN);
    caps
}

/// What a corpus holds.
pub(super) fn corpus() -> Caps {
    let mut caps = entries();
    caps.text = true;
    caps
}

/// A list with a header and an entry for each utterance.
fn entries() -> Caps {
    let mut caps = Caps::new(Count::Many, Keys::Words);
    (caps.frame_shift, caps.frame_offset) = (true, true);
    caps.tags = Tags::Of(TAGS);
    caps
}
