//! Properties of the stages over frames for any data.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::VecDeque;

use proptest::collection::vec;
use proptest::prelude::*;
use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Key, Matrix, Rank, Utterance};
use spr_core::number::random::Rng;
use spr_core::stage::{
    Context, IgnoreLabels, LabelMap, LabelSet, Partition, PartitionSize, ReaderExt, ShuffleFrames,
};
use spr_core::{Limits, Result};

/// Utterances from memory.
struct List(VecDeque<Utterance>, DatasetInfo);

impl Reader for List {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let next = self.0.pop_front();
        let more = next.is_some();
        *utt = next.unwrap_or_default();
        Ok(more)
    }
}

fn list(utterances: &[Utterance]) -> Box<dyn Reader> {
    let utterances = utterances.iter().cloned().collect();
    Box::new(List(utterances, DatasetInfo::default()))
}

fn all(mut reader: impl Reader) -> Vec<Utterance> {
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    while reader.read(&mut utt).unwrap() {
        all.push(utt.clone());
    }
    assert!(!reader.read(&mut utt).unwrap(), "the end is the end");
    all
}

fn features(utt: &Utterance) -> &[f32] {
    utt.features.as_ref().unwrap().as_slice().unwrap()
}

fn labels(utt: &Utterance) -> &[i32] {
    utt.labels.as_ref().unwrap().as_slice().unwrap()
}

/// Frames with their labels, in their order.
fn frames(utterances: &[Utterance]) -> Vec<(Vec<u32>, i32)> {
    let rows = utterances.iter().flat_map(|utt| {
        let cols = utt.features.as_ref().unwrap().cols();
        let rows = features(utt).chunks(cols);
        rows.zip(labels(utt))
            .map(|(row, label)| (row.iter().map(|v| v.to_bits()).collect(), *label))
    });
    rows.collect()
}

const COLS: usize = 2;

/// A frame of two columns and its label.
type Frame = ((i16, i16), i32);

/// Utterances of some frames of two columns, with a label for each frame.
fn data() -> impl Strategy<Value = Vec<Utterance>> {
    let frame = ((any::<i16>(), any::<i16>()), 0..6i32);
    vec(vec(frame, 0..9), 0..7).prop_map(|utterances| {
        let utterance = |(n, frames): (usize, Vec<Frame>)| {
            let rows = frames.iter().map(|(row, _)| [row.0.into(), row.1.into()]);
            let values: Vec<f32> = rows.flatten().collect();
            let labels: Vec<i32> = frames.iter().map(|(_, label)| *label).collect();
            let mut features = Matrix::default();
            features.start(spr_core::model::Dtype::F32, Rank::Matrix, COLS);
            features.extend_from(&values, &Limits::default()).unwrap();
            Utterance {
                key: Key::from(&*format!("u{n}")),
                features: Some(features),
                labels: Some(Matrix::from_rows(&labels, 1, Rank::Vector).unwrap()),
                ..Utterance::default()
            }
        };
        utterances.into_iter().enumerate().map(utterance).collect()
    })
}

proptest! {
    #[test]
    fn the_centre_of_a_context_is_the_frame(data in data(), left in 0..5usize, right in 0..5usize) {
        let limits = Limits::default();
        let wide = all(Context::new(list(&data), left, right, limits));
        prop_assert_eq!(wide.len(), data.len());
        for (wide, utt) in wide.iter().zip(&data) {
            prop_assert_eq!(&wide.key, &utt.key);
            let width = COLS * (left + 1 + right);
            let rows: Vec<_> = features(utt).chunks(COLS).collect();
            for (t, window) in features(wide).chunks(width).enumerate() {
                for (i, part) in window.chunks(COLS).enumerate() {
                    let from = (t + i).saturating_sub(left).min(rows.len() - 1);
                    prop_assert_eq!(part, rows[from]);
                }
            }
        }
    }

    #[test]
    fn ignored_frames_are_gone_and_no_others(data in data(), a in 0..6i64, b in 0..6i64) {
        let mut set = LabelSet::default();
        set.insert(a.min(b), a.max(b));
        let left = all(IgnoreLabels::new(list(&data), set.clone(), &Env::default()));
        let expected: Vec<_> = frames(&data)
            .into_iter()
            .filter(|(_, label)| !set.contains((*label).into()))
            .collect();
        prop_assert_eq!(frames(&left), expected);
    }

    #[test]
    fn a_map_and_its_inverse_change_nothing(data in data(), by in 1..6i64) {
        let (mut there, mut back) = (LabelMap::default(), LabelMap::default());
        for label in 0..6 {
            there.insert(label, label, (label + by) % 6);
            back.insert((label + by) % 6, (label + by) % 6, label);
        }
        prop_assert_eq!(all(list(&data).map_labels(there).map_labels(back)), data);
    }

    #[test]
    fn partitions_together_are_the_input(data in data(), frames_each in 1..12u64) {
        let size = PartitionSize::of_bytes(4 * COLS as u64 * frames_each);
        let limits = Limits::default();
        let mut stage = Partition::new(list(&data), Some(size), limits);
        let mut utt = Utterance::default();
        let mut pieces: Vec<Utterance> = Vec::new();
        let mut filled = Vec::new();
        while stage.read(&mut utt).unwrap() {
            filled.resize(usize::try_from(utt.part.unwrap()).unwrap() + 1, 0);
            *filled.last_mut().unwrap() += utt.frames();
            pieces.push(utt.clone());
        }
        prop_assert_eq!(frames(&pieces), frames(&data));
        let (last, full) = filled.split_last().unwrap_or((&0, &[]));
        prop_assert!(full.iter().all(|n| *n == frames_each) && *last <= frames_each);
        // A piece is named by its utterance and its frames, a whole utterance as it was.
        let name = |piece: &Utterance| {
            let name = piece.key.to_string();
            name.split('-').next().map(str::to_owned)
        };
        let mut keys: Vec<_> = pieces.iter().map(name).collect();
        keys.dedup();
        prop_assert_eq!(keys, data.iter().map(name).collect::<Vec<_>>());
    }

    #[test]
    fn shuffles_are_permutations(data in data(), seed in any::<u32>(), frames_each in 1..12u64) {
        let limits = Limits::default();
        let size = PartitionSize::of_bytes(4 * COLS as u64 * frames_each);
        for size in [None, Some(size)] {
            let mut got = frames(&all(ShuffleFrames::new(list(&data), size, Rng::Seeded(seed), limits)));
            let mut expected = frames(&data);
            got.sort();
            expected.sort();
            prop_assert_eq!(got, expected);
        }
        let most = usize::try_from(frames_each).unwrap();
        let mut got = all(list(&data).shuffle_utterances(most, Rng::Seeded(seed), limits));
        got.sort_by(|a, b| a.key.cmp(&b.key));
        prop_assert_eq!(got, data);
    }

    /// A shuffle of partitions is the shuffle of each.
    #[test]
    fn stages_nest(data in data(), frames_each in 1..12u64) {
        let limits = Limits::default();
        let size = PartitionSize::of_bytes(4 * COLS as u64 * frames_each);
        let streamed = all(ShuffleFrames::new(list(&data), Some(size), Rng::Pdnn, limits));
        let cut = Partition::new(list(&data), Some(size), limits);
        let flat: Vec<_> = frames(&all(cut));
        for (part, piece) in streamed.iter().zip(flat.chunks(usize::try_from(frames_each).unwrap())) {
            let mut expected = piece.to_vec();
            for (i, j) in Rng::Pdnn.generator().swaps(expected.len()) {
                expected.swap(i, j);
            }
            prop_assert_eq!(frames(std::slice::from_ref(part)), expected);
        }
    }
}
