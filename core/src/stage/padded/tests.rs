//! Tests of padded batches.

use super::*;
use crate::error::ErrorKind;
use crate::model::{Decimal, Key, Matrix, Rank, Tier, Waveform};
use crate::stage::tests::{List, labelled, utterance};

fn of(lengths: &[usize]) -> Box<dyn Reader> {
    let one = |(n, frames): (usize, &usize)| utterance(&n.to_string(), &vec![1.0; *frames], 1);
    List::of(lengths.iter().enumerate().map(one))
}

/// The keys of the utterances in each batch.
fn keys(lengths: &[usize], batching: PaddedBatching) -> Vec<String> {
    let mut batches = PaddedBatches::new(of(lengths), batching, Limits::default()).unwrap();
    let mut all = Vec::new();
    while let Some(batch) = batches.next().unwrap() {
        all.push(batch.keys.iter().map(Key::to_string).collect());
    }
    all
}

fn sized(frames: usize) -> PaddedBatching {
    PaddedBatching {
        frames: Some(frames),
        ..PaddedBatching::default()
    }
}

#[test]
fn batches_end_where_another_utterance_would_exceed_a_size() {
    let lengths = [3, 1, 4, 9, 2, 2, 2, 0];
    let utterances = |n| PaddedBatching {
        utterances: Some(n),
        ..PaddedBatching::default()
    };
    assert_eq!(keys(&lengths, utterances(3)), ["012", "345", "67"]);
    // Padding counts, and one that is too long is a batch of its own.
    assert_eq!(keys(&lengths, sized(6)), ["01", "2", "3", "456", "7"]);
    let both = PaddedBatching {
        utterances: Some(2),
        ..sized(6)
    };
    assert_eq!(keys(&lengths, both), ["01", "2", "3", "45", "67"]);
    let grouped = PaddedBatching {
        buckets: vec![2.0, 4.0],
        ..sized(8)
    };
    assert_eq!(keys(&lengths, grouped.clone()), ["02", "3", "1456", "7"]);
    let whole = PaddedBatching {
        drop_tail: true,
        ..grouped
    };
    assert_eq!(keys(&lengths, whole), ["02", "3", "1456"]);
    assert_eq!(keys(&[], sized(6)), [""; 0]);
}

#[test]
fn a_batch_is_passed_over_as_it_is_made() {
    let mut batches =
        PaddedBatches::new(of(&[3, 1, 4, 9, 2]), sized(6), Limits::default()).unwrap();
    assert!(batches.skip().unwrap() && batches.skip().unwrap());
    assert_eq!(batches.next().unwrap().unwrap().keys, ["3".into()]);
    assert!(batches.skip().unwrap() && !batches.skip().unwrap());
}

#[test]
fn durations_are_those_of_sound_or_of_frames() {
    let sound = |key: &str, samples: usize| Utterance {
        key: key.into(),
        audio: Some(
            Waveform {
                rate: 4,
                samples: Matrix::from_rows(&vec![1i16; samples], 1, Rank::Matrix).unwrap(),
            }
            .into(),
        ),
        ..Utterance::default()
    };
    let mut framed = utterance("c", &[1.0; 6], 1);
    framed.meta.frame_shift = Decimal::parse("0.1");
    let seconds = PaddedBatching {
        seconds: Some(2.0),
        ..PaddedBatching::default()
    };
    let list = List::of([sound("a", 4), sound("b", 3), sound("c", 8)]);
    let mut batches = PaddedBatches::new(list, seconds.clone(), Limits::default()).unwrap();
    let first = batches.next().unwrap().unwrap();
    let audio = first.audio.unwrap();
    assert_eq!(
        (audio.layout.rows, audio.layout.lengths, first.rate),
        (4, vec![4, 3], Some(4))
    );
    assert_eq!(
        audio.values.as_slice::<i16>(),
        Some(&[1, 1, 1, 1, 1, 1, 1, 0][..])
    );
    assert_eq!(audio.values.rank(), Rank::Vector, "one channel");
    assert_eq!(batches.next().unwrap().unwrap().keys, ["c".into()]);
    let list = List::of([framed.clone(), framed, utterance("d", &[1.0], 1)]);
    let mut batches = PaddedBatches::new(list, seconds, Limits::default()).unwrap();
    let error = batches.next().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("utterance d: has neither sound nor a frame shift")
    );
    assert!(error.can_continue() && batches.next().unwrap().is_some());
}

#[test]
fn silence_of_unsigned_samples_is_in_the_middle() {
    let sound = |samples: &[u8], channels| Utterance {
        audio: Some(
            Waveform {
                rate: 8000,
                samples: Matrix::from_rows(samples, channels, Rank::Matrix).unwrap(),
            }
            .into(),
        ),
        ..Utterance::default()
    };
    let of =
        |all: &[Utterance]| PaddedBatch::of(all, &PaddedBatching::default(), &Limits::default());
    let audio = of(&[sound(&[1, 2], 2), sound(&[3, 4, 5, 6], 2)])
        .unwrap()
        .audio
        .unwrap();
    assert_eq!(
        audio.values.as_slice::<u8>(),
        Some(&[1, 2, 128, 128, 3, 4, 5, 6][..])
    );
    assert_eq!(
        (audio.values.rank(), audio.values.cols()),
        (Rank::Matrix, 2)
    );
    let error = of(&[sound(&[1], 1), sound(&[1, 2], 2)])
        .unwrap_err()
        .to_string();
    assert!(error.ends_with(
        "has 2 channels of u8 at 8000 Hz as audio, the batch 1 channels of u8 at 8000 Hz"
    ));
}

#[test]
fn fields_are_padded_with_what_is_asked_for() {
    let mut short = labelled("b", &[5.0], &[3]);
    short.text = Some(b"words".to_vec());
    let all = [labelled("a", &[1.0, 2.0], &[1, 2]), short];
    let batching = PaddedBatching {
        padding: -1.5,
        label_padding: -100,
        ..PaddedBatching::default()
    };
    let batch = PaddedBatch::of(&all, &batching, &Limits::default()).unwrap();
    let features = batch.features.unwrap();
    assert_eq!(
        features.values.as_slice::<f32>(),
        Some(&[1.0, 2.0, 5.0, -1.5][..])
    );
    let labels = batch.labels.unwrap();
    assert_eq!(labels.values.as_slice::<i32>(), Some(&[1, 2, 3, -100][..]));
    assert_eq!(batch.text, Some(vec![None, Some(b"words".to_vec())]));
    let bytes = Utterance {
        labels: Some(Matrix::from_rows(&[1u8], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    let error = PaddedBatch::of(&[bytes], &batching, &Limits::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("u8 values can't be padded with -100")
    );
}

#[test]
fn what_does_not_fit_costs_its_utterance() {
    let mut tiered = utterance("b", &[1.0], 1);
    tiered.tiers.push(Tier::default());
    let list = List::of([
        utterance("a", &[1.0], 1),
        tiered,
        utterance("c", &[1.0, 2.0], 2),
        labelled("d", &[1.0], &[1]),
        utterance("e", &[2.0], 1),
    ]);
    let mut batches = PaddedBatches::new(list, sized(10), Limits::default()).unwrap();
    let mut errors = Vec::new();
    let batch = loop {
        match batches.next() {
            Ok(batch) => break batch.unwrap(),
            Err(error) => errors.push(error.to_string()),
        }
    };
    assert_eq!(
        errors,
        [
            "utterance b: has segments, which can't be part of a batch",
            "utterance c: has rows of 2 f32 as features, the batch rows of 1 f32",
            "utterance d: has rows of 1 i32 as labels, the batch nothing",
        ]
        .map(|text| text.replace("rows of 1 i32 as", "i32 values as"))
    );
    assert_eq!(batch.keys, ["a".into(), "e".into()]);
}

#[test]
fn arrays_stay_in_limits_and_in_memory_that_is_used_again() {
    let limits = Limits {
        max_alloc: 2000,
        ..Limits::default()
    };
    // Each is small, all of them padded are not.
    let mut batches = PaddedBatches::new(of(&[400, 1]), sized(1000), limits).unwrap();
    assert_eq!(batches.next().unwrap_err().kind(), ErrorKind::Limit);
    let mut batches = PaddedBatches::new(of(&[3, 2]), sized(6), Limits::default()).unwrap();
    let mut used = |layout: &PaddedLayout, fill: &dyn Fn(&mut [u8])| {
        assert_eq!(layout.bytes, 24);
        layout.fill_matrix(Matrix::from_words(vec![7; 100]), fill)
    };
    let batch = batches.next_in(&mut used).unwrap().unwrap();
    let values = batch.features.unwrap().values;
    assert_eq!(
        values.as_slice::<f32>(),
        Some(&[1.0, 1.0, 1.0, 1.0, 1.0, 0.0][..])
    );
}

#[test]
fn sizes_are_checked() {
    let new = |batching| PaddedBatches::new(of(&[]), batching, Limits::default()).err();
    assert!(new(PaddedBatching::default()).is_some() && new(sized(0)).is_some());
    for buckets in [vec![2.0, 1.0], vec![0.0], vec![f64::NAN]] {
        assert!(
            new(PaddedBatching {
                buckets,
                ..sized(1)
            })
            .is_some()
        );
    }
    let seconds = Some(f64::INFINITY);
    assert!(
        new(PaddedBatching {
            seconds,
            ..PaddedBatching::default()
        })
        .is_some()
    );
}
