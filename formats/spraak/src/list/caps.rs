//! What lists can hold.

use spr_core::format::{Caps, Count, Empty, Keys, Objects, Place, Tags};

use crate::contents::TAGS;

/// The kinds of objects that are handed on.
pub(crate) const OPAQUE: Objects = Objects::Kinds(&["spraak-list", "spraak-custom"]);

/// What an output holds if it is to be of this `DATA`; `None` if that is no list.
pub(crate) fn of(data: Option<&str>, place: Place) -> Option<Caps> {
    let none = Caps {
        count: Count::Many,
        keys: Keys::Words,
        boundaries: true,
        features: None,
        labels: None,
        objects: Objects::None,
        audio: &[],
        segments: false,
        text: false,
        empty: Empty::Refused,
        frame_times: true,
        tags: Tags::Of(TAGS),
        max_rows: u64::MAX,
    };
    match data? {
        "SEG" => Some(Caps {
            segments: true,
            ..none
        }),
        "CORPUS" => Some(Caps { text: true, ..none }),
        "DICTIONARY" | "UNIT" | "DES" => Some(Caps {
            count: Count::One,
            keys: match place {
                Place::Folder | Place::File => Keys::FileNames,
                Place::Stream => Keys::None,
            },
            objects: OPAQUE,
            frame_times: false,
            ..none
        }),
        _ => None,
    }
}
