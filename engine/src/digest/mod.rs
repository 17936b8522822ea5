//! Hashes of utterances that do not depend on their format.

mod canonical;
mod fields;

use spr_core::bytes::Env;
use spr_core::format::{Caps, Count, Keys};
use spr_core::model::{Audio, Key, Utterance};
use spr_core::recording::load;
use twox_hash::XxHash3_128;

use canonical::Canonical;
pub(crate) use fields::FieldDigest;

/// A running hash of utterances in canonical form: keys, types, shapes, values, tags. All NaN are
/// equal.
///
/// If the order is not preserved, as in a folder, it is the sum of the utterances' hashes.
pub(crate) struct Digest {
    layout: Layout,
    count: u64,
    sum: u128,
    rows: Rows,
    scratch: Vec<u8>,
}

/// What an output preserves.
#[derive(Clone, Copy)]
struct Layout {
    keys: bool,
    ordered: bool,
    /// Whether boundaries count; otherwise only the rows count, in sequence.
    apart: bool,
}

impl Layout {
    fn of(caps: &Caps, folder: bool) -> Self {
        Self {
            keys: caps.keys != Keys::None && (caps.count == Count::Many || folder),
            ordered: !folder,
            apart: caps.boundaries,
        }
    }

    /// Starts the hash of the utterance with this number and key.
    fn start(self, number: u64, key: &Key) -> Canonical {
        let mut hash = Canonical::default();
        if self.ordered {
            hash.number(number);
        }
        if self.keys {
            hash.field(key.as_bytes());
        }
        hash
    }
}

/// The rows of features and labels in sequence.
#[derive(Default)]
struct Rows([XxHash3_128; 2]);

impl Rows {
    fn add(&mut self, utt: &Utterance, scratch: &mut Vec<u8>) {
        for (hash, matrix) in self.0.iter_mut().zip([&utt.features, &utt.labels]) {
            if let Some(matrix) = matrix {
                hash.write(canonical::bytes(matrix, scratch));
            }
        }
    }

    fn hashes(&self) -> [u128; 2] {
        [self.0[0].finish_128(), self.0[1].finish_128()]
    }
}

impl Digest {
    /// Creates a digest of the data that an output with `caps` stores.
    pub(crate) fn new(caps: &Caps, folder: bool) -> Self {
        Self {
            layout: Layout::of(caps, folder),
            count: 0,
            sum: 0,
            rows: Rows::default(),
            scratch: Vec::new(),
        }
    }

    /// Adds an utterance. An encoded audio file is decoded, because it may be read back as samples.
    pub(crate) fn add(&mut self, utt: &mut Utterance, env: &Env) {
        decode(utt, env);
        if !self.layout.apart {
            self.rows.add(utt, &mut self.scratch);
            return;
        }
        let mut hash = self.layout.start(self.count, &utt.key);
        hash.utterance(utt, &mut self.scratch);
        self.sum = self.sum.wrapping_add(hash.finish());
        self.count += 1;
    }

    /// Returns the hash of all utterances in hexadecimal.
    pub(crate) fn text(&self) -> String {
        let mut all = XxHash3_128::new();
        all.write(&self.sum.to_le_bytes());
        for hash in self.rows.hashes() {
            all.write(&hash.to_le_bytes());
        }
        format!("xxh3-128:{:032x}", all.finish_128())
    }
}

/// Decodes an encoded audio file. Formats that cannot be decoded are left as they are stored.
fn decode(utt: &mut Utterance, env: &Env) {
    if matches!(utt.audio, Some(Audio::Encoded(_))) {
        let _ = load(utt, env);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::format::{Format, Medium, Options};
    use spr_core::model::{Matrix, Rank};

    fn digest(utts: &[Utterance], folder: bool) -> String {
        let caps = spr_format_jsonl::FORMAT
            .caps(&Options::default(), Medium::File)
            .unwrap();
        let mut digest = Digest::new(&caps, folder);
        let env = Env::default();
        utts.iter()
            .cloned()
            .for_each(|mut utt| digest.add(&mut utt, &env));
        digest.text()
    }

    fn utterance(key: &str, values: &[f32], cols: usize) -> Utterance {
        Utterance {
            key: key.into(),
            features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
            ..Utterance::default()
        }
    }

    #[test]
    fn every_difference_counts_but_that_of_nans() {
        let a = utterance("a", &[1.0, f32::NAN, 3.0, 4.0], 2);
        let whole = digest(std::slice::from_ref(&a), false);
        let other_nan = utterance("a", &[1.0, f32::from_bits(0xffc0_1234), 3.0, 4.0], 2);
        assert_eq!(digest(&[other_nan], false), whole);
        let mut labelled = a.clone();
        labelled.labels = Some(Matrix::from_rows(&[1i32, 2], 1, Rank::Matrix).unwrap());
        for other in [
            utterance("b", &[1.0, f32::NAN, 3.0, 4.0], 2),
            utterance("a", &[1.0, f32::NAN, 3.0, 4.5], 2),
            utterance("a", &[1.0, f32::NAN, 3.0, 4.0], 4),
            labelled,
        ] {
            assert_ne!(digest(&[other], false), whole);
        }
        assert_ne!(digest(&[a.clone(), a.clone()], false), whole);
        assert_ne!(digest(&[], false), whole);
    }

    #[test]
    fn the_order_counts_but_in_folders() {
        let (a, b) = (utterance("a", &[1.0], 1), utterance("b", &[2.0], 1));
        let (ab, ba) = ([a.clone(), b.clone()], [b, a]);
        assert_ne!(digest(&ab, false), digest(&ba, false));
        assert_eq!(digest(&ab, true), digest(&ba, true));
    }
}
