//! Whether what was read is what was written.

use std::collections::BTreeSet;

use spr_core::dispatch;
use spr_core::model::{Audio, Element, Matrix, NamedArray, Utterance, Wide};

/// The first difference between two utterances, keys aside.
///
/// Numbers are the same if their bits are; with `text`, which keeps no payload of a NaN, any NaN
/// equals any other. Labels of one column are the same as a vector and as a matrix.
pub fn compare(want: &Utterance, got: &Utterance, text: bool) -> Result<(), String> {
    matrices("features", &want.features, &got.features, text, true)?;
    matrices("labels", &want.labels, &got.labels, text, false)?;
    // As text, which prints any NaN alike, since a NaN is not equal to itself.
    let object = |utt: &Utterance| format!("{:?}", utt.object);
    if want.object != got.object && object(want) != object(got) {
        return Err(format!("want {:?}, got {:?}", want.object, got.object));
    }
    sound(&want.audio, &got.audio, text)?;
    if want.tiers != got.tiers {
        let (want, got) = (&want.tiers, &got.tiers);
        return Err(format!("want {want:?}, got {got:?}"));
    }
    arrays(&want.arrays, &got.arrays, text)?;
    if want.text != got.text {
        return Err(format!("want {:?}, got {:?}", want.text, got.text));
    }
    if want.meta != got.meta {
        return Err(format!("meta: want {:?}, got {:?}", want.meta, got.meta));
    }
    Ok(())
}

/// The first difference between the start of an utterance and what was read of its first lines:
/// there may be fewer segments, but those there are must be whole.
pub(crate) fn compare_start(want: &Utterance, got: &Utterance) -> Result<(), String> {
    let mut start = want.clone();
    start.tiers.truncate(got.tiers.len());
    for (tier, got) in start.tiers.iter_mut().zip(&got.tiers) {
        tier.segments.truncate(got.segments.len());
    }
    match start.tiers == got.tiers {
        true => Ok(()),
        false => Err(format!(
            "want {:?} to start with {:?}",
            want.tiers, got.tiers
        )),
    }
}

/// The first difference between two data sets, `keys` included on demand.
pub fn compare_all(
    want: &[Utterance],
    got: &[Utterance],
    keys: bool,
    text: bool,
) -> Result<(), String> {
    for (n, (w, g)) in want.iter().zip(got).enumerate() {
        if keys && w.key != g.key {
            return Err(format!(
                "utterance {n}: want key {:?}, got {:?}",
                w.key, g.key
            ));
        }
        compare(w, g, text).map_err(|e| format!("utterance {n} ({:?}): {e}", w.key))?;
    }
    if want.len() != got.len() {
        return Err(format!("want {} utterances, got {}", want.len(), got.len()));
    }
    Ok(())
}

/// Sound in the same form; of an encoded file the bytes count, not what is known of them.
fn sound(want: &Option<Audio>, got: &Option<Audio>, text: bool) -> Result<(), String> {
    let same = match (want, got) {
        (Some(Audio::Samples(want)), Some(Audio::Samples(got))) => {
            matrix("audio", &want.samples, &got.samples, text, true)?;
            want.rate == got.rate
        }
        (Some(Audio::Encoded(want)), Some(Audio::Encoded(got))) => {
            (&want.format, &want.bytes) == (&got.format, &got.bytes)
        }
        (want, got) => want == got,
    };
    match same {
        true => Ok(()),
        false => Err(format!("audio: want {want:?}, got {got:?}")),
    }
}

/// The same arrays, in any order.
fn arrays(want: &[NamedArray], got: &[NamedArray], text: bool) -> Result<(), String> {
    let names = |arrays: &[NamedArray]| -> BTreeSet<_> {
        arrays.iter().map(|array| array.name.clone()).collect()
    };
    if names(want) != names(got) || want.len() != got.len() {
        return Err(format!("arrays: want {want:?}, got {got:?}"));
    }
    for (name, want) in want.iter().map(|array| (&array.name, &array.array)) {
        for got in got.iter().filter(|array| array.name == *name) {
            if want.shape() != got.array.shape() {
                return Err(format!("array {name}: want {want:?}, got {:?}", got.array));
            }
            let what = format!("array {name}");
            matrix(&what, want.values(), got.array.values(), text, true)?;
        }
    }
    Ok(())
}

fn matrices(
    what: &str,
    want: &Option<Matrix>,
    got: &Option<Matrix>,
    text: bool,
    rank: bool,
) -> Result<(), String> {
    match (want, got) {
        (None, None) => Ok(()),
        (Some(want), Some(got)) => matrix(what, want, got, text, rank),
        _ => Err(format!("{what}: want {want:?}, got {got:?}")),
    }
}

fn matrix(what: &str, want: &Matrix, got: &Matrix, text: bool, rank: bool) -> Result<(), String> {
    let shape = |m: &Matrix| (m.dtype(), m.rows(), m.cols());
    if shape(want) != shape(got) || rank && want.rank() != got.rank() {
        return Err(format!("{what}: want {want:?}, got {got:?}"));
    }
    let size = want.dtype().size();
    let pairs = want
        .as_bytes()
        .chunks(size)
        .zip(got.as_bytes().chunks(size));
    for (n, (a, b)) in pairs.enumerate() {
        if a != b && !(text && is_nan(want, n) && is_nan(got, n)) {
            let (row, col) = (n / want.cols(), n % want.cols());
            return Err(format!(
                "{what} {want:?} [{row}, {col}]: want {} (bytes {a:02x?}), got {} (bytes {b:02x?})",
                show(want, n),
                show(got, n)
            ));
        }
    }
    Ok(())
}

fn is_nan(matrix: &Matrix, n: usize) -> bool {
    dispatch!(matrix.dtype(), T => {
        let value = matrix.values::<T>().expect("its own type")[n].to_wide();
        matches!(value, Wide::Float(value) if value.is_nan())
    })
}

fn show(matrix: &Matrix, n: usize) -> String {
    dispatch!(matrix.dtype(), T => {
        matrix.values::<T>().expect("its own type")[n].to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Rank;

    fn utterance(values: &[f32]) -> Utterance {
        Utterance {
            features: Some(Matrix::from_rows(values, 2, Rank::Matrix).unwrap()),
            ..Utterance::default()
        }
    }

    #[test]
    fn finds_each_difference() {
        let a = utterance(&[1.0, f32::NAN]);
        let payload = utterance(&[1.0, f32::from_bits(0x7fc0_0001)]);
        compare(&a, &a, false).unwrap();
        compare(&a, &payload, true).unwrap();
        assert!(compare(&a, &payload, false).is_err());
        assert!(compare(&utterance(&[0.0, 1.0]), &utterance(&[-0.0, 1.0]), true).is_err());
        assert!(compare(&a, &Utterance::default(), true).is_err());
        let mut vector = a.clone();
        vector.features_mut().reshape(Rank::Vector, 1, 2).unwrap();
        assert!(compare(&a, &vector, true).is_err());
        assert!(compare_all(std::slice::from_ref(&a), &[], true, true).is_err());
        assert!(compare_all(&[], &[a], true, true).is_err());
    }
}
