//! Batches: of frames and of whole utterances, padded or not, partition by partition.

use proptest::collection::vec;
use proptest::prelude::*;
use spr_core::convert;
use spr_core::format::{Caps, Count, FeatureCaps, Keys, Reader, WriteSummary, Writer};
use spr_core::loss::{LossKind, LossPolicy};
use spr_core::model::{Dtype, Sequences, Utterance};
use spr_core::stage::*;
use spr_core::{ErrorKind, Limits, Result};

use super::script::{Event, Step, drain, errors, frames, script, utterance, utterances};

fn over(reader: Box<dyn Reader>, batching: Batching) -> Box<dyn Reader> {
    Box::new(Batch::new(reader, batching, Limits::default()).unwrap())
}

fn batches(steps: &[Step], batching: Batching) -> Vec<Event> {
    drain(over(script(steps), batching))
}

/// Utterances of so many frames each.
fn of(lengths: &[usize]) -> Vec<Step> {
    lengths.iter().copied().map(Step::Frames).collect()
}

/// Utterances of a partition and so many frames each.
fn parts(all: &[(u64, usize)]) -> Vec<Step> {
    let utt = |(n, (part, frames)): (usize, &(u64, usize))| Utterance {
        part: Some(*part),
        ..utterance(n, *frames)
    };
    all.iter().enumerate().map(utt).map(Step::Given).collect()
}

fn all(events: Vec<Event>) -> Vec<Utterance> {
    let utterance = |event| match event {
        Event::Utterance(utt) => utt,
        Event::Error(error) => panic!("{error}"),
    };
    events.into_iter().map(utterance).collect()
}

/// The lengths of the utterances in each batch.
fn lengths(events: Vec<Event>) -> Vec<Vec<usize>> {
    let lengths = |utt: &Utterance| utt.sequences.as_ref().unwrap().lengths().collect();
    all(events).iter().map(lengths).collect()
}

/// The lengths of utterances, and of those in each batch.
type Lengths<'a> = (Batching, &'a [usize], &'a [&'a [usize]]);

#[test]
fn whole_utterances_come_in_batches_by_count_frames_or_padded_size() {
    let cases: &[Lengths<'_>] = &[
        (Batching::utterances(2), &[3, 1, 2], &[&[3, 1], &[2]]),
        (Batching::utterances(2).drop_tail(), &[3, 1, 2], &[&[3, 1]]),
        (Batching::utterances(2).drop_tail(), &[3, 1], &[&[3, 1]]),
        (Batching::utterances(2), &[], &[]),
        (Batching::utterances(2), &[0, 4, 0], &[&[0, 4], &[0]]),
        (
            Batching::whole_frames(5),
            &[3, 2, 1, 5, 4],
            &[&[3, 2], &[1], &[5], &[4]],
        ),
        // One that is longer than a batch is one alone, wherever it comes.
        (
            Batching::whole_frames(5),
            &[9, 1, 9, 1],
            &[&[9], &[1], &[9], &[1]],
        ),
        (Batching::whole_frames(5), &[9], &[&[9]]),
        (
            Batching::whole_frames(5).drop_tail(),
            &[3, 3, 5, 4],
            &[&[3], &[3], &[5]],
        ),
        (
            Batching::padded_frames(6),
            &[3, 1, 2, 2, 1],
            &[&[3, 1], &[2, 2, 1]],
        ),
        (
            Batching::padded_frames(6),
            &[1, 1, 1, 4],
            &[&[1, 1, 1], &[4]],
        ),
        (Batching::padded_frames(6), &[7, 7], &[&[7], &[7]]),
        (
            Batching::utterances(2).buckets([2, 5]),
            &[3, 1, 9, 2, 5, 8, 1],
            &[&[1, 2], &[3, 5], &[9, 8], &[1]],
        ),
        (
            Batching::utterances(2).buckets([2, 5]).drop_tail(),
            &[3, 1, 9, 2, 6],
            &[&[1, 2], &[9, 6]],
        ),
        (
            Batching::whole_frames(6).buckets([3]),
            &[5, 3, 3, 2, 4],
            &[&[3, 3], &[5], &[2], &[4]],
        ),
    ];
    for (batching, given, expected) in cases {
        let found = batches(&of(given), batching.clone());
        assert_eq!(lengths(found), *expected, "{batching:?} of {given:?}");
    }
}

#[test]
fn offsets_find_every_utterance_in_its_batch() {
    let batched = all(batches(&of(&[2, 0, 3]), Batching::utterances(3)));
    let [batch] = batched.as_slice() else {
        panic!("one batch");
    };
    let sequences = batch.sequences.as_ref().unwrap();
    assert_eq!(sequences.offsets(), [0, 2, 2, 5]);
    let keys: Vec<_> = sequences.keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["utt-0", "utt-1", "utt-2"]);
    let labels = batch.labels.as_ref().unwrap().values::<u32>().unwrap();
    assert_eq!(labels, [0, 1, 2000, 2001, 2002]);
    assert_eq!(
        (batch.key.to_string(), batch.frames()),
        ("utt000000".to_owned(), 5)
    );
}

#[test]
fn padding_is_zeros_behind_each_utterance() {
    let batched = all(batches(&of(&[1, 3, 2]), Batching::utterances(2).pad()));
    let [first, second] = batched.as_slice() else {
        panic!("two batches");
    };
    let sequences = first.sequences.as_ref().unwrap();
    assert_eq!(
        (sequences.stride(), sequences.offsets()),
        (Some(3), &[0, 1, 4][..])
    );
    let labels = first.labels.as_ref().unwrap().values::<u32>().unwrap();
    assert_eq!(labels, [0, 0, 0, 1000, 1001, 1002]);
    let features = first.features.as_ref().unwrap();
    assert_eq!((features.rows(), features.cols()), (6, 2));
    assert_eq!(
        features.values::<f64>().unwrap()[..8],
        [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1000.0, 1000.5]
    );
    assert_eq!(sequences.rows(1), Some(3..6));
    let sequences = second.sequences.as_ref().unwrap();
    assert_eq!((sequences.stride(), second.frames()), (Some(2), 2));
    assert_eq!(
        lengths(batches(&of(&[0, 0]), Batching::padded_frames(4))),
        [[0, 0]]
    );
}

/// The frames in a batch, and its partition.
type Size = (u64, Option<u64>);

fn sizes(events: Vec<Event>) -> Vec<Size> {
    let size = |utt: &Utterance| (utt.frames(), utt.part);
    all(events).iter().map(size).collect()
}

#[test]
fn no_batch_goes_from_one_partition_to_the_next_unless_it_may() {
    let steps = parts(&[(0, 3), (0, 2), (1, 4), (2, 0), (3, 1)]);
    let (a, b, c, d) = (Some(0), Some(1), Some(2), Some(3));
    let cases: &[(Batching, &[Size])] = &[
        (Batching::frames(4), &[(4, a), (1, a), (4, b), (1, d)]),
        (Batching::frames(4).drop_tail(), &[(4, a), (4, b)]),
        (
            Batching::frames(4).across_partitions(),
            &[(4, None), (4, None), (2, None)],
        ),
        (
            Batching::frames(4).across_partitions().drop_tail(),
            &[(4, None), (4, None)],
        ),
        (Batching::utterances(2), &[(5, a), (4, b), (0, c), (1, d)]),
        (Batching::utterances(2).drop_tail(), &[(5, a)]),
        (
            Batching::utterances(2).across_partitions(),
            &[(5, None), (4, None), (1, None)],
        ),
    ];
    for (batching, expected) in cases {
        assert_eq!(
            sizes(batches(&steps, batching.clone())),
            *expected,
            "{batching:?}"
        );
    }
    // A partition that is shuffled is still one.
    let size = PartitionSize::of_bytes(5 * 2 * 4);
    let shuffled = ShuffleFrames::new(
        script(&of(&[4, 4])),
        Some(size),
        Default::default(),
        Limits::NONE,
    );
    let found = drain(over(Box::new(shuffled), Batching::frames(2).drop_tail()));
    assert_eq!(sizes(found), [(2, a), (2, a), (2, b)]);
}

proptest! {
    #[test]
    fn whole_batches_are_the_whole(
        lengths in vec(0usize..12, 0..30), size in 1usize..20, kind in 0usize..3, pad: bool,
        buckets in proptest::sample::subsequence(vec![1, 3, 5, 8], 0..=4),
    ) {
        let sized: [fn(usize) -> Batching; 3] = [Batching::utterances, Batching::whole_frames, Batching::padded_frames];
        let mut batching = sized[kind](size).buckets(buckets.clone());
        if pad {
            batching = batching.pad();
        }
        let batched = all(batches(&of(&lengths), batching));
        let mut found = Vec::new();
        for batch in &batched {
            let sequences = batch.sequences.as_ref().unwrap();
            for (n, key) in sequences.keys().iter().enumerate() {
                let labels = batch.labels.as_ref().unwrap().values::<u32>().unwrap();
                found.push((key.to_string(), labels[sequences.rows(n).unwrap()].to_vec()));
            }
            prop_assert!(within(kind, size, sequences), "{sequences:?}");
        }
        let mut given: Vec<_> = utterances(drain(script(&of(&lengths)))).into_iter().map(|event| {
            let key = match &event { Event::Utterance(utt) => utt.key.to_string(), _ => unreachable!() };
            (key, frames(&[event]))
        }).collect();
        if !buckets.is_empty() {
            found.sort();
            given.sort();
        }
        prop_assert_eq!(found, given);
    }
}

fn within(kind: usize, size: usize, sequences: &Sequences) -> bool {
    let taken = match kind {
        0 => sequences.len(),
        1 => sequences.frames(),
        _ => sequences.longest() * sequences.len(),
    };
    taken <= size || (kind > 0 && sequences.len() == 1)
}

#[test]
fn an_utterance_at_fault_costs_itself_alone() {
    let mut bare = utterance(1, 2);
    bare.labels = None;
    let mut spoken = utterance(2, 2);
    spoken.text = Some(b"yes".to_vec());
    let mut unequal = utterance(3, 2);
    unequal.labels = utterance(3, 1).labels;
    let mut steps = vec![Step::Skipped];
    let given = [utterance(0, 1), bare, spoken, unequal, utterance(4, 3)];
    steps.extend(given.map(Step::Given));
    for batching in [
        Batching::frames(9),
        Batching::utterances(9),
        Batching::utterances(9).pad(),
    ] {
        let events = batches(&steps, batching);
        assert_eq!(
            errors(events.clone()),
            [
                "fault 0",
                "has nothing as labels, the batch vector of 1 u32",
                "has text, which can't be part of a batch of frames",
                "2 frames of features, but labels for 1",
            ]
        );
        assert_eq!(utterances(events).len(), 1);
    }
    // Frames gathered before the stream broke off are not returned as if they were all.
    let broken = [Step::Frames(2), Step::Broken];
    for batching in [Batching::frames(9), Batching::utterances(9)] {
        assert_eq!(utterances(batches(&broken, batching)).len(), 0);
    }
}

#[test]
fn the_limits_hold_for_all_buckets_and_for_padding() {
    let frame = 2 * 8 + 4;
    let limited = |batching, bytes| {
        let limits = Limits {
            max_alloc: bytes,
            ..Limits::default()
        };
        errors(drain(
            Batch::new(script(&of(&[1, 2, 9])), batching, limits).unwrap(),
        ))
    };
    let bucketed = || Batching::utterances(9).buckets([1, 2]);
    assert_eq!(limited(bucketed(), 12 * frame), [""; 0]);
    let error = limited(bucketed(), 12 * frame - 1);
    assert!(
        error[0].starts_with("the batches of all buckets of 240 bytes is over"),
        "{error:?}"
    );
    assert_eq!(limited(Batching::utterances(9), 12 * 16), [""; 0]);
    let error = limited(Batching::utterances(9).pad(), 12 * 16);
    assert!(
        error[0].starts_with("a 27 x 2 matrix of f64 is over"),
        "{error:?}"
    );
}

#[test]
fn batches_that_make_no_sense_are_refused() {
    let cases = [
        (Batching::frames(0), "a batch of nothing"),
        (Batching::utterances(0), "a batch of nothing"),
        (Batching::frames(1).pad(), "only whole utterances"),
        (Batching::frames(1).buckets([3]), "only whole utterances"),
        (Batching::utterances(1).buckets([3, 3]), "must ascend"),
        (Batching::utterances(1).buckets([0]), "must ascend"),
    ];
    for (batching, message) in cases {
        let error = Batch::new(script(&[]), batching, Limits::default())
            .err()
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn frames_of_a_batch_are_never_taken_for_those_of_one_utterance() {
    let batched = || over(script(&of(&[1, 2])), Batching::utterances(2));
    let limits = Limits::default();
    let env = spr_core::bytes::Env::default();
    let set = LabelSet::default();
    let stages: [Box<dyn Reader>; 8] = [
        batched().context(1, 1, limits),
        batched().frames("0".parse::<Ranges>().unwrap(), limits),
        batched().ignore_labels(set, &env),
        batched().map_labels(LabelMap::default()),
        batched().partition(None, limits),
        batched().shuffle_frames(None, Default::default(), limits),
        batched().batch(Batching::frames(2), limits).unwrap(),
        batched().batch(Batching::utterances(2), limits).unwrap(),
    ];
    for stage in stages {
        assert_eq!(
            errors(drain(stage)),
            ["is a batch of 2 utterances, whose frames can't be told apart here"]
        );
    }
    // Stages that do not touch frames pass a batch on.
    for stage in [
        batched().first(3),
        batched().prefetch(),
        batched().shuffle_utterances(3, Default::default(), limits),
    ] {
        assert_eq!(lengths(drain(stage)), [[1, 2]]);
    }
}

/// Takes features.
struct Features(Caps, WriteSummary);

impl Writer for Features {
    fn caps(&self) -> &Caps {
        &self.0
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.0.check(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        self.1.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        Ok(self.1)
    }
}

#[test]
fn where_utterances_in_a_batch_start_is_not_lost_in_silence() {
    let writer = || {
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.features = Some(FeatureCaps::new(&[Dtype::F64]));
        Features(caps, WriteSummary::default())
    };
    let batched = || {
        let features = spr_core::format::FieldSet {
            labels: false,
            ..spr_core::format::FieldSet::ALL
        };
        over(
            script(&of(&[1, 2])).parts(features),
            Batching::utterances(2),
        )
    };
    let mut utt = Utterance::default();
    assert!(batched().read(&mut utt).unwrap());
    let error = writer().write(&utt).unwrap_err();
    assert!(
        error.message().contains("the frames of several utterances"),
        "{error}"
    );
    let mut policy = LossPolicy::default();
    let error = convert(batched(), writer(), &policy).unwrap_err();
    assert!(error.to_string().contains("boundaries"), "{error}");
    policy.allow(LossKind::Boundaries);
    assert_eq!(
        convert(batched(), writer(), &policy)
            .unwrap()
            .written
            .frames,
        3
    );
}
