//! Colours that people with any eyes tell apart.

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

/// Paul Tol's light scheme: fields with black text on them.
const LIGHT: [Rgb; 9] = [
    [0x77, 0xaa, 0xdd],
    [0xee, 0x88, 0x66],
    [0xee, 0xdd, 0x88],
    [0xff, 0xaa, 0xbb],
    [0x99, 0xdd, 0xff],
    [0x44, 0xbb, 0x99],
    [0xbb, 0xcc, 0x33],
    [0xaa, 0xaa, 0x00],
    [0xdd, 0xdd, 0xdd],
];

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

/// The whole scale.
pub(super) fn palette() -> Vec<Rgb> {
    (0..=NONE).map(scale).collect()
}

/// The colour of a label, always the same one.
pub(super) fn of_label(label: &str) -> Rgb {
    let hash = label.bytes().fold(0u32, |hash, b| {
        hash.wrapping_mul(31).wrapping_add(u32::from(b))
    });
    let place = hash as usize % LIGHT.len();
    LIGHT.get(place).copied().unwrap_or(GREY)
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
        assert_ne!(of_label("1"), of_label("2"));
    }
}
