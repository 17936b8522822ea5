//! Colours that remain distinguishable with colour blindness.

use std::collections::{BTreeMap, BTreeSet};

use super::words::whole;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The scale position of cells without a value.
pub(super) const NONE: u8 = 255;

/// The grey of cells without a value.
const GREY: Rgb = [0x99, 0x99, 0x99];

/// Matplotlib's viridis at ten equidistant positions.
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

/// Backgrounds for black text: Paul Tol's light scheme, followed by the colours furthest from all
/// before them in Oklab.
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
/// The number of colours from Tol's scheme.
const FIRST: usize = 9;

/// Returns the colour at a scale position: 0 is dark, 254 is light.
pub(super) fn scale(level: u8) -> Rgb {
    if level == NONE {
        return GREY;
    }
    let steps = VIRIDIS.len() - 1;
    let place = f64::from(level) / 254.0 * steps as f64;
    let below = whole(place).min(steps - 1);
    let share = place - below as f64;
    let [a, b] = [below, below + 1].map(|i| VIRIDIS.get(i).copied().unwrap_or(GREY));
    std::array::from_fn(|i| match (a.get(i), b.get(i)) {
        (Some(a), Some(b)) => mixed(*a, *b, share),
        _ => 0,
    })
}

/// Interpolates between `a` and `b`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between two bytes"
)]
pub(super) fn mixed(a: u8, b: u8, share: f64) -> u8 {
    (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8
}

/// Returns the nearest of the 216 cube colours in a terminal's palette of 256.
pub(super) fn of_256(colour: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |value: u8| {
        let away = |i: &usize| STEPS.get(*i).map_or(u8::MAX, |step| step.abs_diff(value));
        (0..STEPS.len()).min_by_key(away).unwrap_or_default()
    };
    let place = colour.iter().fold(0, |place, v| place * 6 + nearest(*v));
    u8::try_from(16 + place).unwrap_or_default()
}

/// Returns the whole scale.
pub(super) fn palette() -> Vec<Rgb> {
    (0..=NONE).map(scale).collect()
}

/// The colours of the labels on a sheet, all different as long as there are enough.
pub(super) struct Colours {
    of: BTreeMap<String, Rgb>,
}

impl Colours {
    /// Gives colours to labels, of which some may be the same.
    pub(super) fn of<'a>(labels: impl Iterator<Item = &'a String>) -> Self {
        let labels: BTreeSet<_> = labels.collect();
        let (mut of, mut taken) = (BTreeMap::new(), [false; LIGHT.len()]);
        for label in labels {
            // A label has the same colour on every sheet unless another label takes it.
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

    /// Returns a note for labels that share a colour, if any do.
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
        let labels: Vec<_> = (0..labels).map(|label| label.to_string()).collect();
        Colours::of(labels.iter())
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
