//! Whether what was read is what was written.

use spr_core::dispatch;
use spr_core::model::{Dtype, Matrix, Utterance};

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
    let samples = |utt: &Utterance| utt.audio.as_ref().map(|audio| audio.samples.clone());
    let rate = |utt: &Utterance| utt.audio.as_ref().map(|audio| audio.rate);
    matrices("audio", &samples(want), &samples(got), text, true)?;
    if rate(want) != rate(got) {
        return Err(format!("want {:?}, got {:?}", want.audio, got.audio));
    }
    if want.segments != got.segments {
        let (want, got) = (&want.segments, &got.segments);
        return Err(format!("want {want:?}, got {got:?}"));
    }
    if want.text != got.text {
        return Err(format!("want {:?}, got {:?}", want.text, got.text));
    }
    if want.meta != got.meta {
        return Err(format!("meta: want {:?}, got {:?}", want.meta, got.meta));
    }
    Ok(())
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

fn matrices(
    what: &str,
    want: &Option<Matrix>,
    got: &Option<Matrix>,
    text: bool,
    rank: bool,
) -> Result<(), String> {
    let (want, got) = match (want, got) {
        (None, None) => return Ok(()),
        (Some(want), Some(got)) => (want, got),
        _ => return Err(format!("{what}: want {want:?}, got {got:?}")),
    };
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
    match matrix.dtype() {
        Dtype::F32 => matrix.as_slice::<f32>().is_some_and(|v| v[n].is_nan()),
        Dtype::F64 => matrix.as_slice::<f64>().is_some_and(|v| v[n].is_nan()),
        _ => false,
    }
}

fn show(matrix: &Matrix, n: usize) -> String {
    dispatch!(matrix.dtype(), T => {
        matrix.as_slice::<T>().map_or_else(String::new, |v| v[n].to_string())
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
