//! Matrices and their parts, casts and sizes.

use super::*;

#[test]
fn chunks_are_of_a_mebibyte() {
    assert!(Chunks::of(65_536, 16).is_none());
    let mut chunks = Chunks::of(150_000, 16).unwrap();
    let mut dealt = Vec::new();
    while let Some((chunk, rows)) = chunks.deal() {
        assert_eq!(chunk.rows, Some(150_000));
        dealt.push((chunk.first, rows, chunk.is_last));
    }
    let expected = [
        (0, 65_536, false),
        (65_536, 65_536, false),
        (131_072, 18_928, true),
    ];
    assert_eq!(dealt, expected);
    assert!(chunks.deal().is_none());
    // Rows that are longer are chunks of their own, and rows of nothing one chunk.
    let mut wide = Chunks::of(2, 3 << 20).unwrap();
    assert_eq!(wide.deal().unwrap().1, 1);
    assert!(Chunks::of(1 << 20, 0).is_none());
}

#[test]
fn changes_of_values_are_counted() {
    let stats = CastStats::of(&[1.5f64, 2.0, 300.0, -1.0], &[2u8, 2, 255, 0]);
    assert_eq!((stats.values, stats.changed, stats.clipped), (4, 3, 2));
    assert_eq!((stats.max_abs_err, stats.max_clip_err), (0.5, 45.0));
    let mut one = CastStats::default();
    one.count(0.25f32, 0.25f64);
    one.count(7i32, 6i8);
    // A whole number that is another one was beyond the type.
    assert_eq!(
        (one.values, one.changed, one.clipped, one.max_clip_err),
        (2, 1, 1, 1.0)
    );
}

#[test]
fn a_matrix_lends_its_memory_and_its_bytes() {
    let matrix = Matrix::from_rows(&[1i16, 2, 3], 1, Rank::Vector).unwrap();
    let mut bytes = Vec::new();
    let put = matrix.put_little_endian(|some| {
        bytes.extend_from_slice(some);
        Ok(())
    });
    put.unwrap();
    assert_eq!(bytes, [1, 0, 2, 0, 3, 0]);
    assert_eq!(format!("{matrix:?}"), "Vector 3 x 1 i16");
    let words = matrix.into_words();
    assert_eq!(words.len(), 1, "six bytes are one word");
    assert_eq!(Matrix::from_words(words).rows(), 0);
    let mut matrix = Matrix::from_rows(&[1u8, 2], 1, Rank::Vector).unwrap();
    let error = matrix.values::<i8>().unwrap_err();
    assert_eq!(error.message(), "expected elements of i8, found u8");
    let truths = matrix.reset(Dtype::Bool, Rank::Vector, 2, 1, &Limits::default());
    truths.unwrap().copy_from_slice(&[1, 2]);
    let error = matrix.values::<bool>().unwrap_err();
    assert_eq!(error.message(), "a truth value that is neither 0 nor 1");
}

#[test]
fn limits_of_one_size_are_those_of_packed_data_too() {
    let limits = Limits::default().allowing(100);
    assert_eq!((limits.max_alloc, limits.max_unpacked), (100, 100));
    let bytes = |rows| limits.matrix_bytes(Dtype::F32, rows, 5);
    assert_eq!(bytes(5).unwrap(), 100);
    assert!(bytes(6).is_err());
}

#[test]
fn memory_is_used_again() {
    let mut utt = Utterance {
        features: Some(Matrix::from_rows(&[1f32; 64], 8, Rank::Matrix).unwrap()),
        labels: Some(Matrix::from_rows(&[1i32; 8], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    utt.start();
    assert!(utt.features.is_none() && utt.labels.is_none());
    assert_eq!(utt.spare_features().into_words().len(), 0, "it is empty");
    assert_eq!((utt.spare_labels().rows(), utt.labels_mut().rows()), (0, 0));
    assert!(utt.labels.is_some() && utt.features.is_none());
}
