//! A hash of utterances that does not depend on their format.

mod canonical;

use std::collections::HashSet;

use spr_core::bytes::Env;
use spr_core::format::{Caps, Count, Keys};
use spr_core::model::{Audio, Dtype, Key, Object, Rank, SourceField, Utterance};
use spr_core::stage::load;
use twox_hash::XxHash3_128;

use canonical::Canonical;

/// A running hash of utterances in canonical form: keys, types, shapes, values, tags. All NaN are
/// equal.
///
/// If the order is not preserved, as in a folder, it is the sum of the utterances' hashes.
pub(crate) struct Digest {
    keys: bool,
    ordered: bool,
    /// Whether boundaries count; otherwise only the rows count, in sequence.
    apart: bool,
    sum: u128,
    /// The sum without the places of samples in recordings, which a folder may drop as it is written.
    placeless: u128,
    rows: [XxHash3_128; 2],
    /// The hash of each utterance, to find the first that differs.
    steps: Vec<u64>,
    /// The kind of all utterances, as the name of a Kaldi holder, if bytes alone are ambiguous.
    kind: Option<Kind>,
    /// The keys, as hashes, of utterances with a reference to their sound.
    references: HashSet<u128>,
    scratch: Vec<u8>,
}

/// The kind of all utterances.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Of(String),
    Several,
}

impl Digest {
    /// Creates a digest of the data that an output with `caps` stores.
    pub(crate) fn new(caps: &Caps, folder: bool) -> Self {
        Self {
            keys: caps.keys != Keys::None && (caps.count == Count::Many || folder),
            ordered: !folder,
            apart: caps.boundaries,
            sum: 0,
            placeless: 0,
            rows: [XxHash3_128::new(), XxHash3_128::new()],
            steps: Vec::new(),
            kind: None,
            references: HashSet::new(),
            scratch: Vec::new(),
        }
    }

    /// Creates an empty digest with the same settings.
    pub(crate) fn like(other: &Self) -> Self {
        Self {
            rows: [XxHash3_128::new(), XxHash3_128::new()],
            sum: 0,
            placeless: 0,
            steps: Vec::new(),
            kind: None,
            references: HashSet::new(),
            scratch: Vec::new(),
            ..*other
        }
    }

    /// Adds an utterance. An encoded audio file is decoded, because it may be read back as samples.
    pub(crate) fn add(&mut self, utt: &mut Utterance, env: &Env) {
        match &utt.audio {
            Some(Audio::Encoded(_)) => {
                // Formats that cannot be decoded are compared as stored.
                let _ = load(utt, env);
            }
            Some(Audio::Reference(_)) => {
                self.references.insert(hash(&utt.key));
            }
            _ => {}
        }
        self.see(utt);
        if !self.apart {
            for (hash, matrix) in self.rows.iter_mut().zip([&utt.features, &utt.labels]) {
                if let Some(matrix) = matrix {
                    hash.write(canonical::bytes(matrix, &mut self.scratch));
                }
            }
            return;
        }
        let mut hash = Canonical::default();
        if self.ordered {
            hash.number(self.steps.len() as u64);
        }
        if self.keys {
            hash.field(utt.key.as_bytes());
        }
        hash.utterance(utt, &mut self.scratch);
        let hash = hash.finish();
        self.sum = self.sum.wrapping_add(hash);
        self.placeless = self.placeless.wrapping_add(match without_place(utt) {
            Some(utt) if !self.ordered => {
                let mut hash = Canonical::default();
                if self.keys {
                    hash.field(utt.key.as_bytes());
                }
                hash.utterance(&utt, &mut self.scratch);
                hash.finish()
            }
            _ => hash,
        });
        let low = hash.to_le_bytes();
        let [a, b, c, d, e, f, g, h, ..] = low;
        self.steps
            .push(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }

    fn see(&mut self, utt: &Utterance) {
        let own = kind(utt);
        let same = match (&self.kind, own) {
            (None, Some(own)) => Some(Kind::Of(own.to_owned())),
            (Some(Kind::Of(kind)), Some(own)) if kind == own => return,
            (Some(Kind::Several), _) => return,
            _ => Some(Kind::Several),
        };
        self.kind = same;
    }

    /// Returns `true` if the data are the same, except for the places of samples in recordings.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        !self.ordered && self.placeless == other.placeless && self.steps.len() == other.steps.len()
    }

    /// Returns the kind of all utterances, as the name of a Kaldi holder, if bytes alone are
    /// ambiguous.
    pub(crate) fn kind(&self) -> Option<&str> {
        match &self.kind {
            Some(Kind::Of(kind)) => Some(kind),
            Some(Kind::Several) | None => None,
        }
    }

    /// Returns `true` if the sound of this utterance was added as a reference.
    pub(crate) fn has_reference(&self, key: &Key) -> bool {
        self.references.contains(&hash(key))
    }

    /// Returns the hash of each utterance in order.
    pub(crate) fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// Returns `true` if the order counts.
    pub(crate) fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// Returns the hash of all utterances in hexadecimal.
    pub(crate) fn text(&self) -> String {
        let mut all = XxHash3_128::new();
        all.write(&self.sum.to_le_bytes());
        for hash in &self.rows {
            all.write(&hash.finish_128().to_le_bytes());
        }
        format!("xxh3-128:{:032x}", all.finish_128())
    }
}

/// Returns an utterance of samples without its place in a recording, if it has one.
fn without_place(utt: &Utterance) -> Option<Utterance> {
    let place = [
        SourceField::Recording,
        SourceField::Channel,
        SourceField::Place,
    ];
    let samples = matches!(utt.audio, Some(Audio::Samples(_)));
    let is_placed = samples && place.iter().any(|field| utt.meta.has(*field));
    is_placed.then(|| {
        let mut utt = utt.clone();
        place.iter().for_each(|field| utt.meta.clear_field(*field));
        utt
    })
}

fn hash(key: &Key) -> u128 {
    XxHash3_128::oneshot(key.as_bytes())
}

/// Returns the Kaldi holder for an utterance, if its bytes alone are ambiguous.
fn kind(utt: &Utterance) -> Option<&str> {
    match (&utt.object, &utt.features, &utt.labels) {
        (Some(Object::Opaque { .. }), ..) => None,
        (Some(object), ..) => Some(object.kind()),
        (None, Some(number), _) if number.rank() == Rank::Scalar => match number.dtype() {
            Dtype::F32 => Some("float"),
            Dtype::F64 => Some("double"),
            _ => None,
        },
        (None, None, Some(_)) => Some("int32-vector"),
        (None, ..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::format::{Format, Medium, Options};
    use spr_core::model::{Decimal, Matrix, Waveform};

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
    fn a_folder_is_like_one_with_places_in_recordings() {
        let caps = spr_format_jsonl::FORMAT
            .caps(&Options::default(), Medium::File)
            .unwrap();
        let of = |change: fn(&mut Utterance), folder| {
            let mut utt = utterance("a", &[1.0], 1);
            utt.audio = Some(Audio::Samples(Waveform::default()));
            change(&mut utt);
            let mut digest = Digest::new(&caps, folder);
            digest.add(&mut utt, &Env::default());
            digest
        };
        let placed: fn(&mut Utterance) = |utt| {
            utt.meta.recording = Some("r".into());
            utt.meta.start = Decimal::parse("0.5");
        };
        let other: fn(&mut Utterance) = |utt| utt.meta.speaker = Some("s".into());
        let plain = of(|_| {}, true);
        assert_ne!(of(placed, true).text(), plain.text());
        assert!(plain.is_like(&of(placed, true)) && of(placed, true).is_like(&plain));
        assert!(!plain.is_like(&of(other, true)));
        assert!(!of(|_| {}, false).is_like(&of(placed, false)));
        let both: fn(&mut Utterance) = |utt| {
            utt.meta.recording = Some("r".into());
            utt.key = "b".into();
        };
        assert!(!plain.is_like(&of(both, true)));
    }

    #[test]
    fn the_order_counts_but_in_folders() {
        let (a, b) = (utterance("a", &[1.0], 1), utterance("b", &[2.0], 1));
        let (ab, ba) = ([a.clone(), b.clone()], [b, a]);
        assert_ne!(digest(&ab, false), digest(&ba, false));
        assert_eq!(digest(&ab, true), digest(&ba, true));
    }
}
