//! Damaged PFiles: the sentences that are whole come back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Options};
use spr_core::model::{Key, Matrix, Rank, Utterance};
use spr_format_pfile::FORMAT;

const SENTENCES: usize = 40;
const HEADER: usize = 32768;
const ROW: usize = 4 * (2 + 5 + 1);

fn frames(n: usize) -> usize {
    1 + n * 7 % 11
}

/// Where sentence `n` starts.
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
    let source = Source::from_bytes("damaged", bytes).unwrap();
    let mut reader = FORMAT
        .salvage(source, &Options::default(), &Env::default())
        .unwrap();
    let (mut utts, mut errors) = (Vec::new(), Vec::new());
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(true) => utts.push(utt.clone()),
            Ok(false) => return (utts, errors),
            Err(error) => {
                errors.push(error.to_string());
                if !error.can_continue() {
                    return (utts, errors);
                }
            }
        }
    }
}

#[track_caller]
fn check(what: &str, bytes: Vec<u8>, lost: &[usize], errors: usize) {
    let (got, said) = salvage(bytes);
    let due: Vec<_> = (0..SENTENCES)
        .filter(|n| !lost.contains(n))
        .map(utterance)
        .collect();
    assert_eq!(said.len(), errors, "{what}: {said:?}");
    assert_eq!(got, due, "{what}: {said:?}");
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
        // Nothing tells to which of two sentences such a row belongs.
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
    // Whether the sentence before a cut between rows was whole can't be told.
    let lost: Vec<_> = (19..SENTENCES).collect();
    check("between rows", whole[..place(20)].to_vec(), &lost, 1);
}
