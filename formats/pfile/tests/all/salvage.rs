//! Damaged PFiles: the intact sentences are read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::{Key, Matrix, Rank, Utterance};
use spr_format_pfile::FORMAT;
use spr_testkit::faults::Random;

const SENTENCES: usize = 40;
const HEADER: usize = 32768;
const ROW: usize = 4 * (2 + 5 + 1);

fn frames(n: usize) -> usize {
    1 + n * 7 % 11
}

/// Returns the position of sentence `n`.
fn place(n: usize) -> usize {
    HEADER + ROW * (0..n).map(frames).sum::<usize>()
}

fn utterance(n: usize) -> Utterance {
    let values: Vec<f32> = (0..frames(n) * 5).map(|i| (i + n) as f32).collect();
    let labels: Vec<i32> = (0..frames(n)).map(|i| i32::try_from(i).unwrap()).collect();
    Utterance {
        key: Key::generated(n as u64),
        features: Some(Matrix::from_rows(&values, 5, Rank::Matrix).unwrap()),
        labels: Some(Matrix::from_rows(&labels, 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

fn pfile() -> Vec<u8> {
    let utts: Vec<_> = (0..SENTENCES).map(utterance).collect();
    spr_testkit::write_memory(&FORMAT, &[], &utts).unwrap()
}

fn salvage(bytes: Vec<u8>) -> (Vec<Utterance>, Vec<String>) {
    let salvaged = spr_testkit::damaged::salvage(&FORMAT, bytes);
    let errors = salvaged.errors.iter().map(ToString::to_string);
    (salvaged.utterances, errors.collect())
}

#[track_caller]
fn check(what: &str, bytes: Vec<u8>, lost: &[usize], errors: usize) {
    let (got, said) = salvage(bytes);
    let expected: Vec<_> = (0..SENTENCES)
        .filter(|n| !lost.contains(n))
        .map(utterance)
        .collect();
    assert_eq!(said.len(), errors, "{what}: {said:?}");
    assert_eq!(got, expected, "{what}: {said:?}");
}

#[test]
fn sentences_come_back() {
    let whole = pfile();
    check("whole", whole.clone(), &[], 0);
    for n in [0, 7, 20] {
        let damage = |at: usize, with: u8| {
            let mut bytes = whole.clone();
            bytes[at] ^= with;
            bytes
        };
        check("the number of a sentence", damage(place(n) + 3, 1), &[n], 1);
        let last = place(n + 1) - ROW;
        check("the number of a frame", damage(last + 7, 64), &[n], 1);
        let mut bytes = whole.clone();
        bytes[place(n)..place(n) + ROW].fill(0xaa);
        // It is undecidable to which of two sentences such a row belongs.
        check("a row overwritten", bytes, &[n.saturating_sub(1), n], 1);
        for count in [1, 3, 4, 31] {
            let mut bytes = whole.clone();
            bytes.drain(place(n) + 9..place(n) + 9 + count.min(23));
            check("bytes cut", bytes, &[n], 1);
            let mut bytes = whole.clone();
            bytes.splice(place(n) + 9..place(n) + 9, vec![7; count]);
            check("bytes added", bytes, &[n], 1);
        }
    }
}

/// Returns two sentences of 100 and 40 frames, with labels that count up, or features whose bits
/// do.
fn counting(labelled: bool) -> [Utterance; 2] {
    [100u32, 40].map(|frames| {
        let bits = (0..frames).map(|t| f32::from_bits(0x3f00_0000 + t));
        let values: Vec<f32> = bits.collect();
        let labels: Vec<i32> = (0..frames.cast_signed()).collect();
        let labels = Matrix::from_rows(&labels, 1, Rank::Vector).unwrap();
        Utterance {
            key: Key::generated(u64::from(frames == 40)),
            features: Some(Matrix::from_rows(&values, 1, Rank::Matrix).unwrap()),
            labels: labelled.then_some(labels),
            ..Utterance::default()
        }
    })
}

#[test]
fn rows_that_count_up_are_no_sentences() {
    for labelled in [false, true] {
        let utts = counting(labelled);
        let mut bytes = spr_testkit::write_memory(&FORMAT, &[], &utts).unwrap();
        let (got, said) = salvage(bytes.clone());
        assert_eq!(
            (got, said.len()),
            (utts.to_vec(), 0),
            "{labelled}: {said:?}"
        );
        // The frame number of the seventh row.
        let row = 4 * if labelled { 4 } else { 3 };
        bytes[HEADER + 6 * row + 7] ^= 1;
        let (got, said) = salvage(bytes);
        assert_eq!(
            (got, said.len()),
            (utts[1..].to_vec(), 1),
            "{labelled}: {said:?}"
        );
    }
}

#[test]
fn whole_files_are_whole_whatever_their_values() {
    let mut random = Random::new(7);
    for seed in 0..300 {
        let mut of = |n: u64, frames: usize| {
            let labels: Vec<i32> = (0..frames)
                .map(|_| random.below(3).try_into().unwrap())
                .collect();
            let values =
                (0..frames * 2).map(|_| f32::from_bits(random.below(1 << 30).try_into().unwrap()));
            let values: Vec<f32> = values.collect();
            Utterance {
                key: Key::generated(n),
                features: Some(Matrix::from_rows(&values, 2, Rank::Matrix).unwrap()),
                labels: (seed % 2 == 0)
                    .then(|| Matrix::from_rows(&labels, 1, Rank::Vector).unwrap()),
                ..Utterance::default()
            }
        };
        let utts = [of(0, 1 + seed * 3), of(1, 1 + seed % 7), of(2, 3)];
        let bytes = spr_testkit::write_memory(&FORMAT, &[], &utts).unwrap();
        let (got, said) = salvage(bytes);
        assert_eq!(said, [""; 0], "{seed}");
        spr_testkit::compare_all(&utts, &got, true, false).unwrap();
    }
}

#[test]
fn counts_and_the_table_are_not_believed() {
    let whole = pfile();
    let mut bytes = whole.clone();
    let text = String::from_utf8_lossy(&bytes[..HEADER]).into_owned();
    let at = text.find("-num_frames ").unwrap() + 12;
    bytes[at] = b'9';
    check("a count", bytes, &[], 0);
    let mut bytes = whole.clone();
    let end = bytes.len();
    bytes[end - 3] = 9;
    check("an entry of the table", bytes, &[], 0);
    for cut in [1, 4, 30, 4 * SENTENCES] {
        let bytes = whole[..end - cut].to_vec();
        check("the table cut", bytes, &[], 0);
    }
}

#[test]
fn a_cut_file_keeps_what_is_before() {
    let whole = pfile();
    for n in [5, 20, 39] {
        let lost: Vec<_> = (n..SENTENCES).collect();
        for cut in [place(n) + 8, place(n) + ROW - 1] {
            check("inside a row", whole[..cut].to_vec(), &lost, 1);
        }
    }
    // It is undecidable whether the sentence before a cut between rows was complete.
    let lost: Vec<_> = (19..SENTENCES).collect();
    check("between rows", whole[..place(20)].to_vec(), &lost, 1);
}
