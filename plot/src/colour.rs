//! Colours that people with any eyes tell apart.

use std::collections::{BTreeMap, BTreeSet};

use super::Picture;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The place on the scale of what has no value.
pub(super) const NONE: u8 = 255;

/// What has no value is grey.
const GREY: Rgb = [0x99, 0x99, 0x99];

/// Matplotlib's viridis at ten even steps.
const VIRIDIS: [Rgb; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x4a, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];

/// Fields with black text on them: Paul Tol's light scheme, and then what is furthest from all
/// before it in Oklab.
const LIGHT: [Rgb; 36] = [
    [0x77, 0xaa, 0xdd],
    [0xee, 0x88, 0x66],
    [0xee, 0xdd, 0x88],
    [0xff, 0xaa, 0xbb],
    [0x99, 0xdd, 0xff],
    [0x44, 0xbb, 0x99],
    [0xbb, 0xcc, 0x33],
    [0xaa, 0xaa, 0x00],
    [0xdd, 0xdd, 0xdd],
    [0xcc, 0x22, 0xff],
    [0xff, 0x22, 0x99],
    [0x22, 0xff, 0x22],
    [0xbb, 0x77, 0xcc],
    [0x66, 0x77, 0xff],
    [0x66, 0xff, 0xbb],
    [0xff, 0x22, 0x22],
    [0x88, 0x88, 0x77],
    [0x22, 0xbb, 0x22],
    [0xff, 0x66, 0xee],
    [0xdd, 0xaa, 0xff],
    [0xff, 0xaa, 0x22],
    [0xbb, 0xff, 0x44],
    [0xdd, 0x66, 0x88],
    [0xbb, 0xaa, 0xaa],
    [0xaa, 0x66, 0xff],
    [0xbb, 0x77, 0x22],
    [0x22, 0x99, 0xaa],
    [0x22, 0xff, 0xff],
    [0x66, 0x99, 0x44],
    [0xaa, 0xcc, 0x99],
    [0xcc, 0x44, 0xcc],
    [0x22, 0x99, 0xff],
    [0x22, 0xcc, 0xdd],
    [0x99, 0x99, 0xff],
    [0x66, 0xdd, 0x66],
    [0xff, 0x88, 0xcc],
];
/// So many of them are Tol's.
const FIRST: usize = 9;

/// The colour at a place of the scale: 0 is dark, 254 is light.
pub(super) fn scale(level: u8) -> Rgb {
    if level == NONE {
        return GREY;
    }
    let steps = VIRIDIS.len() - 1;
    let place = f64::from(level) / 254.0 * steps as f64;
    let below = super::whole(place).min(steps - 1);
    let share = place - below as f64;
    let [a, b] = [below, below + 1].map(|i| VIRIDIS.get(i).copied().unwrap_or(GREY));
    std::array::from_fn(|i| match (a.get(i), b.get(i)) {
        (Some(a), Some(b)) => mixed(*a, *b, share),
        _ => 0,
    })
}

/// Of the way from `a` to `b`, this share.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between two bytes"
)]
pub(super) fn mixed(a: u8, b: u8, share: f64) -> u8 {
    (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8
}

/// The nearest colour of the cube of six steps each way in the 256 colours of terminals.
pub(super) fn of_256(colour: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |value: u8| {
        let away = |i: &usize| STEPS.get(*i).map_or(u8::MAX, |step| step.abs_diff(value));
        (0..STEPS.len()).min_by_key(away).unwrap_or_default()
    };
    let place = colour.iter().fold(0, |place, v| place * 6 + nearest(*v));
    u8::try_from(16 + place).unwrap_or_default()
}

/// The whole scale.
pub(super) fn palette() -> Vec<Rgb> {
    (0..=NONE).map(scale).collect()
}

/// The colours of the labels on a sheet: each its own as long as there are enough.
pub(super) struct Colours {
    of: BTreeMap<String, Rgb>,
}

impl Colours {
    pub(super) fn of(pictures: &[Picture]) -> Self {
        let tracks = pictures.iter().flat_map(|picture| &picture.tracks);
        // Those that are too narrow to be seen, too, so that the width changes no colour.
        let labels: BTreeSet<_> = tracks.flat_map(|track| &track.labels).collect();
        let (mut of, mut taken) = (BTreeMap::new(), [false; LIGHT.len()]);
        for label in labels {
            // A label has the same colour on every sheet if no other one takes it.
            let own = hash(label) % FIRST;
            let near = (0..FIRST).map(|i| (own + i) % FIRST);
            let mut places = near.chain(FIRST..LIGHT.len());
            let free = places.find(|place| taken.get(*place) == Some(&false));
            let place = free.unwrap_or(hash(label) % LIGHT.len());
            taken.iter_mut().skip(place).take(1).for_each(|t| *t = true);
            let colour = LIGHT.get(place).copied().unwrap_or(GREY);
            of.insert(label.clone(), colour);
        }
        Self { of }
    }

    pub(super) fn get(&self, label: &str) -> Rgb {
        self.of.get(label).copied().unwrap_or(GREY)
    }

    /// What is to be said where labels share a colour.
    pub(super) fn note(&self) -> Option<String> {
        let (labels, colours) = (self.of.len(), LIGHT.len());
        (labels > colours).then(|| format!("{labels} labels share {colours} colours"))
    }
}

fn hash(label: &str) -> usize {
    let add = |hash: u32, b| hash.wrapping_mul(31).wrapping_add(u32::from(b));
    label.bytes().fold(0, add) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::{Matrix, Rank, Utterance};

    #[test]
    fn the_scale_gets_lighter() {
        assert_eq!((scale(0), scale(254)), (VIRIDIS[0], VIRIDIS[9]));
        let light = |c: Rgb| 299 * u32::from(c[0]) + 587 * u32::from(c[1]) + 114 * u32::from(c[2]);
        for level in 0..254 {
            assert!(light(scale(level)) <= light(scale(level + 1)) + 1000);
        }
        assert_eq!(palette().len(), 256);
    }

    #[test]
    fn terminals_of_256_colours_get_the_nearest() {
        let near = [[0; 3], [255; 3], [0xff, 0, 0], [90, 140, 170]].map(of_256);
        assert_eq!(near, [16, 231, 196, 67]);
    }

    fn colours(labels: i32) -> Colours {
        let labels: Vec<_> = (0..labels).collect();
        let utt = Utterance {
            labels: Matrix::from_rows(&labels, 1, Rank::Vector).ok(),
            ..Utterance::default()
        };
        Colours::of(&[Picture::of(&utt, 1000, 9).unwrap()])
    }

    #[test]
    fn labels_share_colours_only_where_there_are_too_few() {
        let different = |n| colours(n).of.into_values().collect::<BTreeSet<_>>().len();
        assert_eq!((different(9), different(36), different(60)), (9, 36, 36));
        assert_eq!(colours(36).note(), None);
        let note = colours(60).note();
        assert_eq!(note.as_deref(), Some("60 labels share 36 colours"));
        assert_eq!(colours(1).get("0"), colours(3).get("0"));
    }
}
