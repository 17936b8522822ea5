//! Pass after pass, a look ahead, and shapes.

use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use spr_core::format::Reader;
use spr_core::model::{Audio, AudioReference, Dtype, Matrix, Rank, Utterance, Waveform};
use spr_core::number::random::Rng;
use spr_core::stage::*;
use spr_core::{Error, Limits};

use super::script::{Event, Step, any_stream, drain, errors, script, utterance};

/// The keys of what is left of a pass.
fn keys(reader: &mut impl Reader) -> Vec<String> {
    let utterances = Utterances::new(reader);
    utterances.map(|utt| utt.unwrap().key.to_string()).collect()
}

fn passes(n: usize, seed: u32) -> impl FnMut() -> Vec<String> {
    let mut passes = Passes::new(move |pass| {
        let rng = Rng::Seeded(seed).of_pass(pass);
        Ok(script(&vec![Step::Frames(1); n]).shuffle_utterances(n, rng, Limits::default()))
    })
    .unwrap();
    let mut started = false;
    move || {
        if std::mem::replace(&mut started, true) {
            passes.reset().unwrap();
        }
        keys(&mut passes)
    }
}

#[test]
fn orders_differ_from_pass_to_pass_and_are_those_of_every_run() {
    let (mut one, mut again, mut other) = (passes(50, 1), passes(50, 1), passes(50, 2));
    let mut seen = Vec::new();
    for pass in 0..5 {
        let order = one();
        assert_eq!(again(), order, "pass {pass}");
        for order in [order, other()] {
            assert!(!seen.contains(&order), "pass {pass}");
            seen.push(order);
        }
    }
    for order in &mut seen {
        order.sort();
    }
    assert!(
        seen.windows(2).all(|pair| pair[0] == pair[1]),
        "the same utterances"
    );
}

#[test]
fn a_reset_starts_anew_wherever_the_pass_is() {
    let mut passes = Passes::new(|pass| {
        let steps: &[Step] = match pass {
            0 => &[Step::Frames(1), Step::Frames(1), Step::Frames(1)],
            1 => &[Step::Frames(1), Step::Broken],
            2 => return Err(Error::malformed("gone")),
            3 => &[],
            _ => &[Step::Skipped, Step::Frames(1)],
        };
        Ok(script(steps))
    })
    .unwrap();
    let mut utt = Utterance::default();
    assert!(passes.read(&mut utt).unwrap());
    passes.reset().unwrap();
    let events = drain(&mut passes);
    assert_eq!(
        (passes.pass(), events.len(), errors(events)),
        (1, 2, vec!["break 1".to_owned()])
    );
    // A stream that cannot be opened ends, and the next reset tries again.
    assert_eq!(passes.reset().unwrap_err().message(), "gone");
    assert!(!passes.read(&mut utt).unwrap());
    passes.reset().unwrap();
    assert_eq!((passes.pass(), drain(&mut passes)), (3, vec![]));
    passes.reset().unwrap();
    assert_eq!(drain(&mut passes).len(), 2);
    assert!(Passes::new(|_| Err(Error::malformed("gone"))).is_err());
}

#[test]
fn what_a_pass_holds_is_free_before_the_next_is_opened() {
    static HELD: AtomicBool = AtomicBool::new(false);
    struct MemoryCounter(Box<dyn Reader>);
    impl Reader for MemoryCounter {
        fn info(&self) -> &spr_core::model::DatasetInfo {
            self.0.info()
        }
        fn read(&mut self, utt: &mut Utterance) -> spr_core::Result<bool> {
            self.0.read(utt)
        }
    }
    impl Drop for MemoryCounter {
        fn drop(&mut self) {
            HELD.store(false, Ordering::Relaxed);
        }
    }
    let mut passes = Passes::new(|_| {
        assert!(!HELD.swap(true, Ordering::Relaxed), "two at a time");
        Ok(Box::new(MemoryCounter(script(&[Step::Frames(1)]))))
    })
    .unwrap();
    passes.reset().unwrap();
    passes.reset().unwrap();
}

proptest! {
    #[test]
    fn looking_ahead_changes_nothing(steps in any_stream(), looks in any::<u64>()) {
        let expected = drain(script(&steps));
        let mut reader = Peek::new(script(&steps));
        let (mut utt, mut found) = (Utterance::default(), Vec::new());
        for n in 0.. {
            if looks >> (n % 64) & 1 == 1 {
                let next = expected.get(n);
                prop_assert_eq!(reader.has_next(), next.is_some());
                let seen = reader.peek().cloned().map(Event::Utterance);
                let there = next.filter(|event| matches!(event, Event::Utterance(_)));
                prop_assert_eq!(seen.as_ref(), there);
            }
            match reader.read(&mut utt) {
                Ok(true) => found.push(Event::Utterance(utt.clone())),
                Ok(false) => break,
                Err(error) => found.push(Event::Error(error.message().to_owned())),
            }
        }
        prop_assert_eq!(found, expected);
        prop_assert!(!reader.has_next() && reader.peek().is_none());
    }
}

/// Demands of a shape check that it says this of an utterance, or nothing.
fn check_shape(shape: UtteranceShape, utt: Utterance, expected: Option<&str>) {
    let found = errors(drain(ShapeCheck::new(
        script(&[Step::Given(utt)]),
        Some(shape),
    )));
    let expected: Vec<_> = expected.into_iter().collect();
    assert_eq!(found, expected, "{shape:?}");
}

fn sound(rate: u32, channels: usize) -> Utterance {
    Utterance {
        key: "s".into(),
        audio: Some(Audio::Samples(Waveform {
            rate,
            samples: Matrix::from_rows(&vec![0i16; 4 * channels], channels, Rank::Matrix).unwrap(),
        })),
        ..Utterance::default()
    }
}

#[test]
fn a_shape_is_declared_for_sound_too() {
    let elsewhere = Utterance {
        audio: Some(Audio::Reference(AudioReference::new(
            spr_core::bytes::Locator::Command("cat a.wav".to_owned()),
        ))),
        ..sound(1, 1)
    };
    let free = UtteranceShape::default();
    let rate = |rate| UtteranceShape {
        rate: Some(rate),
        ..free
    };
    let channels = UtteranceShape {
        channels: Some(1),
        ..free
    };
    for (shape, utt, expected) in [
        (free, elsewhere.clone(), None),
        (rate(16_000), sound(16_000, 1), None),
        (
            rate(16_000),
            sound(8000, 1),
            Some("has sound of 8000 samples a second, expected 16000 samples a second"),
        ),
        (
            rate(16_000),
            utterance(0, 1),
            Some("has no sound, expected 16000 samples a second"),
        ),
        (
            rate(16_000),
            elsewhere,
            Some("has sound of an unknown rate, expected 16000 samples a second"),
        ),
        (channels, sound(8000, 1), None),
        (
            channels,
            sound(8000, 2),
            Some("has sound of 2 channels, expected 1 channel"),
        ),
        (
            rate(0),
            sound(1, 1),
            Some("has sound of 1 samples a second, expected none"),
        ),
    ] {
        check_shape(shape, utt, expected);
    }
}

#[test]
fn a_shape_is_declared_for_rank_type_and_frames() {
    let list = Utterance {
        features: Some(Matrix::from_rows(&[1f64], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    let free = UtteranceShape::default();
    let frames = |least, most| UtteranceShape {
        frames: Some((least, most)),
        ..free
    };
    let rank = UtteranceShape {
        rank: Some(Rank::Matrix),
        ..free
    };
    let dtype = UtteranceShape {
        dtype: Some(Dtype::F32),
        ..free
    };
    for (shape, utt, expected) in [
        (frames(2, 3), utterance(0, 2), None),
        (frames(2, 3), utterance(0, 3), None),
        (
            frames(2, 3),
            utterance(0, 4),
            Some("has 4 frames, expected 2 to 3"),
        ),
        (
            frames(2, 2),
            utterance(0, 1),
            Some("has 1 frames, expected 2"),
        ),
        (
            frames(2, u64::MAX),
            utterance(0, 0),
            Some("has 0 frames, expected 2 or more"),
        ),
        (rank, utterance(0, 1), None),
        (
            rank,
            list,
            Some("has features of one dimension, expected two dimensions"),
        ),
        (
            dtype,
            utterance(0, 1),
            Some("has features of f64, expected f32"),
        ),
    ] {
        check_shape(shape, utt, expected);
    }
}

#[test]
fn the_shape_of_the_first_counts_but_for_its_length() {
    let steps = [sound(8000, 1), sound(16_000, 1), sound(8000, 2)].map(Step::Given);
    let found = errors(drain(ShapeCheck::new(script(&steps), None)));
    assert_eq!(
        found,
        [
            "has sound of 16000 samples a second, expected 8000 samples a second",
            "has sound of 2 channels, expected 1 channel"
        ]
    );
    let steps = [Step::Frames(1), Step::Frames(9)];
    assert_eq!(drain(ShapeCheck::new(script(&steps), None)).len(), 2);
}
