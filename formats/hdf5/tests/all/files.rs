//! Files of many utterances, odd keys and long texts; random data there and back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use proptest::prelude::*;
use spr_core::ErrorKind;
use spr_core::model::{Matrix, Rank, Utterance};
use spr_format_hdf5::FORMAT;
use spr_testkit::{read_memory, write_memory};

fn utterance(key: &str, values: &[f32], cols: usize) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

fn there_and_back(utts: &[Utterance]) -> Vec<Utterance> {
    let bytes = write_memory(&FORMAT, &[], utts).unwrap();
    assert_eq!(bytes, write_memory(&FORMAT, &[], utts).unwrap());
    read_memory(&FORMAT, &[], &bytes).unwrap()
}

#[test]
fn many_utterances_keep_their_order() {
    // One leaf, one node, and trees of two and three levels.
    for count in [0usize, 1, 8, 9, 256, 257, 9000] {
        let utts: Vec<_> = (0..count)
            .map(|n| utterance(&format!("utt-{}", n * 7919 % 10_007), &[n as f32], 1))
            .collect();
        assert_eq!(there_and_back(&utts), utts, "{count}");
    }
}

#[test]
fn odd_keys_and_long_texts_come_back() {
    let mut utts = Vec::new();
    for key in [
        "", ".", "a/b", "a%2Fb", "labels/x", "%labels", "segments", "ä b", "..", "a//b/",
    ] {
        utts.push(utterance(key, &[1.0, 2.0], 2));
    }
    for len in [0, 1, 40_000, 100_000] {
        let mut utt = utterance(&format!("text-{len}"), &[3.0], 1);
        utt.text = Some(vec![b'a'; len]);
        utt.meta.speaker = Some(vec![b's'; len].into());
        utts.push(utt.clone());
        (utt.key, utt.features) = (format!("alone-{len}").as_str().into(), None);
        utts.push(utt);
    }
    assert_eq!(there_and_back(&utts), utts);
}

#[test]
fn a_key_that_would_be_a_group_and_a_dataset_is_refused() {
    let utts = [utterance("a", &[1.0], 1), utterance("a/b", &[1.0], 1)];
    let error = write_memory(&FORMAT, &[], &utts).unwrap_err().to_string();
    assert!(error.contains("both a dataset and a group"), "{error}");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = write_memory(&FORMAT, &[], &[utterance("a", &[1.0, 2.0], 2)]).unwrap();
    for len in 0..whole.len() {
        let kind = read_memory(&FORMAT, &[], &whole[..len]).unwrap_err().kind();
        let expected = [ErrorKind::Truncated, ErrorKind::Malformed];
        assert!(expected.contains(&kind), "{len}: {kind:?}");
    }
}

#[test]
fn a_filter_that_is_not_known_is_no_damage() {
    let bytes = include_bytes!("../../../../fixtures/hdf5/refused/unknown-filter/input.h5");
    let error = read_memory(&FORMAT, &[], bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_data_come_back(
        utts in prop::collection::btree_map("[a-z%.ü]{0,6}", (0usize..5, 1usize..4, any::<i16>()), 0..40),
    ) {
        let utts: Vec<_> = utts
            .into_iter()
            .map(|(key, (rows, cols, first))| {
                let values: Vec<_> = (0..rows * cols).map(|n| f32::from(first) + n as f32).collect();
                utterance(&key, &values, cols)
            })
            .collect();
        prop_assert_eq!(there_and_back(&utts), utts);
    }
}
