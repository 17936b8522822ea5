//! Stages over streams: nothing is lost, doubled or out of order, errors have their place, and
//! threads end.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::large_enum_variant,
    reason = "tests"
)]

mod batches;
mod choices;
mod joins;
mod parallel;
mod passes;
mod script;
mod sound;

use std::io::{PipeReader, Read};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use script::{
    Step, any_stream, drain, errors, event, frames, script, some, utterance, utterances, whole,
};
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Dtype, Key, Utterance};
use spr_core::stage::*;
use spr_core::{Error, Limits, Result};

/// Work that fails for some utterances.
fn narrow(utt: &mut Utterance) -> Result<()> {
    match utt.frames() {
        3 => Err(Error::unfit("three frames").continuable()),
        11 => Err(Error::unfit("eleven frames")),
        _ => utt
            .features_mut()
            .cast(Dtype::F32, &Limits::default())
            .map(drop),
    }
}

fn batch(inner: Box<dyn Reader>, batching: Batching) -> Box<dyn Reader> {
    Box::new(Batch::new(inner, batching, Limits::default()).unwrap())
}

proptest! {
    #[test]
    fn reading_ahead_changes_nothing(steps in any_stream()) {
        let ahead = Prefetch::new(script(&steps));
        prop_assert_eq!(drain(ahead), drain(script(&steps)));
    }

    #[test]
    fn the_number_of_threads_changes_nothing(steps in any_stream(), threads in 1usize..6) {
        let mut alone = Vec::new();
        for result in script(&steps) {
            let result = result.and_then(|mut utt| narrow(&mut utt).map(|()| utt));
            let ends = result.as_ref().is_err_and(|e| !e.can_continue());
            alone.push(event(result));
            if ends {
                break;
            }
        }
        prop_assert_eq!(drain(Map::new(script(&steps), threads, narrow)), alone);
    }

    #[test]
    fn shards_are_the_whole(steps in some(), count in 1usize..6) {
        let shard = |n: usize| Shard::new(script(&steps), n as u64, count as u64).unwrap();
        let mut parts: Vec<_> = (0..count).map(|n| drain(shard(n)).into_iter()).collect();
        let dealt: Vec<_> = (0..steps.len()).filter_map(|n| parts[n % count].next()).collect();
        prop_assert_eq!(dealt, drain(script(&steps)));
        prop_assert!(parts.iter().all(|part| part.as_slice().is_empty()));
    }

    #[test]
    fn batches_are_the_whole(steps in any_stream(), size in 1usize..20) {
        let all = frames(&drain(script(&steps)));
        let kept = drain(batch(script(&steps), Batching::frames(size)));
        let dropped = drain(batch(script(&steps), Batching::frames(size).drop_tail()));
        prop_assert_eq!(errors(kept.clone()), errors(drain(script(&steps))));
        let (kept, dropped) = (utterances(kept), utterances(dropped));
        let full = all.len() / size;
        prop_assert_eq!(dropped.len(), full);
        prop_assert_eq!(&kept[..full], &dropped);
        prop_assert_eq!(frames(&dropped), &all[..full * size]);
        match steps.last() {
            Some(Step::Broken) => prop_assert_eq!(kept.len(), full, "no tail"),
            _ => prop_assert_eq!(frames(&kept), all),
        }
    }

    #[test]
    fn batches_of_batches_are_batches(steps in whole(), size in 1usize..20, first in 1usize..20) {
        let once = batch(script(&steps), Batching::frames(size));
        let twice = batch(batch(script(&steps), Batching::frames(first)), Batching::frames(size));
        prop_assert_eq!(drain(twice), drain(once));
    }

    #[test]
    fn a_cache_gives_the_whole_again(steps in whole(), times in 0usize..4) {
        let all = drain(script(&steps));
        let cache = Cache::new(script(&steps), &Limits::default()).unwrap();
        prop_assert_eq!(drain(cache.reader()), all.clone());
        let epochs = Repeat::new(Some(times as u64), move |_| Ok(cache.reader())).unwrap();
        prop_assert_eq!(drain(epochs), vec![all; times].concat());
    }

    #[test]
    fn selecting_everything_changes_nothing(steps in any_stream()) {
        let all = || "all".parse::<Ranges>().unwrap();
        let mut reader = script(&steps);
        reader = Box::new(SelectFrames::new(reader, all(), Limits::default()));
        reader = Box::new(SelectColumns::new(reader, all(), Limits::default()));
        reader = reader.select(KeyFilter::glob("*").unwrap());
        reader = Box::new(ShapeCheck::new(reader, Some(UtteranceShape::default())));
        prop_assert_eq!(drain(reader), drain(script(&steps)));
    }

    #[test]
    fn what_is_chosen_and_what_is_not_are_the_whole(steps in whole()) {
        let filter = || KeyFilter::regex("[02468]$").unwrap();
        let even = drain(script(&steps).select(filter()));
        let odd = drain(script(&steps).without(filter()));
        prop_assert_eq!(even.len(), steps.len().div_ceil(2));
        let mut both = frames(&[even, odd].concat());
        both.sort_unstable();
        prop_assert_eq!(both, frames(&drain(script(&steps))));
    }

    #[test]
    fn frames_are_chosen_as_the_ranges_say(rows in 1usize..40, first in 0usize..40, step in 1usize..9) {
        let first = first % rows;
        let ranges: Ranges = format!("{first}:{step}:^0;/{first}:{step}:^0").parse().unwrap();
        let stage = SelectFrames::new(script(&[Step::Frames(rows)]), ranges, Limits::default());
        let mut chosen = frames(&drain(stage));
        let start: Vec<u32> = (0..).take(rows).skip(first).step_by(step).collect();
        prop_assert_eq!(&chosen[..start.len()], start);
        chosen.sort_unstable();
        prop_assert!(chosen.into_iter().eq((0..).take(rows)));
    }

    #[test]
    fn the_iterator_is_the_stream(steps in any_stream()) {
        let events: Vec<_> = script(&steps).into_iter().map(event).collect();
        prop_assert_eq!(events, drain(script(&steps)));
    }
}

#[test]
fn epochs_are_opened_with_their_numbers_and_end_with_an_empty_one() {
    let mut epochs = Repeat::new(None, |epoch| {
        let steps = [Step::Frames(1), Step::Frames(1)];
        Ok(script(
            steps.get(usize::try_from(epoch).unwrap()..).unwrap(),
        ))
    })
    .unwrap();
    let mut utt = Utterance::default();
    let mut seen = Vec::new();
    while epochs.read(&mut utt).unwrap() {
        seen.push(epochs.epoch());
    }
    assert_eq!(seen, [0, 0, 1]);
    let broken = |_| Ok(script(&[Step::Frames(1), Step::Broken]));
    assert_eq!(drain(Repeat::new(Some(3), broken).unwrap()).len(), 2);
}

#[test]
fn another_shape_costs_one_utterance() {
    let (mut bare, mut narrow) = (utterance(1, 2), utterance(2, 2));
    bare.labels = None;
    let features = narrow.features_mut();
    features.cast(Dtype::F32, &Limits::default()).unwrap();
    let steps = [utterance(0, 1), bare, narrow, utterance(3, 4)].map(Step::Given);
    let first = ShapeCheck::new(script(&steps), None);
    let faults = [
        "has 0 label columns, expected 1",
        "has features of f32, expected f64",
    ];
    assert_eq!(errors(drain(first)), faults);
    let declared = UtteranceShape {
        dim: Some(3),
        ..UtteranceShape::default()
    };
    let checked = ShapeCheck::new(script(&steps), Some(declared));
    assert_eq!(checked.info().dim, Some(3));
    let faults = ["has 2 feature columns, expected 3"; 4];
    assert_eq!(errors(drain(checked)), faults);
    let events = drain(batch(script(&steps), Batching::frames(2)));
    assert_eq!(frames(&events), [0, 3000, 3001, 3002, 3003]);
    let faults = [
        "has nothing as labels, the batch vector of 1 u32",
        "has matrix of 2 f32 as features, the batch matrix of 2 f64",
    ];
    assert_eq!(errors(events), faults);
}

#[test]
fn a_stream_that_breaks_off_ends_every_stage() {
    let (limits, env) = (Limits::default(), spr_core::bytes::Env::default());
    let rng = spr_core::number::random::Rng::default();
    let steps = [
        Step::Frames(2),
        Step::Frames(1),
        Step::Skipped,
        Step::Broken,
    ];
    let all = || "all".parse::<Ranges>().unwrap();
    let of = || script(&steps);
    let stages: Vec<Box<dyn Reader>> = vec![
        of().select(KeyFilter::glob("*").unwrap()),
        of().parts(spr_core::format::FieldSet::ALL),
        of().samples(&env),
        of().frames(all(), limits),
        of().columns(all(), limits),
        of().first(9),
        of().shard(0, 1).unwrap(),
        of().filter(|_| Ok(true)),
        of().unique(),
        of().map(2, |_| Ok(())),
        of().context(1, 1, limits),
        of().ignore_labels(LabelSet::default(), &env),
        of().map_labels(LabelMap::default()),
        of().shuffle_frames(None, rng, limits),
        of().shuffle_utterances(9, rng, limits),
        of().partition(None, limits),
        of().batch(Batching::frames(9), limits).unwrap(),
        of().batch(Batching::utterances(9), limits).unwrap(),
        of().prefetch(),
        Box::new(ShapeCheck::new(of(), None)),
        Box::new(Sort::new(of(), SortKey::Key, 1 << 20)),
        Box::new(Sort::new(of(), SortKey::Key, 0)),
        Box::new(Peek::new(of())),
        Box::new(ThreadedReader::new(of())),
        Box::new(Passes::new(move |_| Ok(script(&[Step::Skipped, Step::Broken]))).unwrap()),
        Box::new(Repeat::new(None, move |_| Ok(script(&[Step::Skipped, Step::Broken]))).unwrap()),
        // The next would follow.
        Box::new(Chain::new([Ok(of())].into_iter()).unwrap()),
        Box::new(Interleave::new([of()].map(|r| || Ok(r)), 1, 2).unwrap()),
    ];
    assert_eq!(stages.len(), 28);
    for (n, stage) in stages.into_iter().enumerate() {
        // Calls after the end are checked there.
        let errors = errors(drain(stage));
        assert_eq!(errors.len(), 2, "stage {n}: {errors:?}");
        assert!(errors[1].starts_with("break"), "stage {n}: {errors:?}");
    }
}

#[test]
fn a_cache_keeps_the_limits() {
    let one = utterance(0, 5).bytes();
    let limits = Limits {
        max_alloc: one,
        ..Limits::default()
    };
    let cache = |n| Cache::new(script(&vec![Step::Frames(5); n]), &limits);
    assert!(cache(1).is_ok());
    let error = cache(2).err().unwrap();
    let message = format!("a data set in memory of {} bytes is over", 2 * one);
    assert!(error.to_string().starts_with(&message), "{error}");
}

#[test]
fn no_such_part_and_no_such_batch() {
    assert!(Shard::new(script(&[]), 3, 3).is_err());
    assert!(Shard::new(script(&[]), 0, 0).is_err());
    assert!(Batch::new(script(&[]), Batching::frames(0), Limits::default()).is_err());
}

#[test]
fn a_panic_in_a_thread_is_an_error_not_the_end() {
    let map = Map::new(script(&vec![Step::Frames(1); 9]), 2, |utt| {
        assert_ne!(
            utt.key,
            Key::from("utt-4"),
            "this panic is part of the test"
        );
        Ok(())
    });
    let died = "a thread died, and its work with it";
    assert!(errors(drain(map)).contains(&died.to_owned()));
}

/// Waits for a pipe that says nothing.
struct Silent {
    pipe: PipeReader,
    info: DatasetInfo,
    _alive: Arc<()>,
}

impl Reader for Silent {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, _: &mut Utterance) -> Result<bool> {
        let read = self.pipe.read(&mut [0]);
        read.map_err(|e| Error::io("cannot read", e)).map(|n| n > 0)
    }
}

/// Waits, with a bound so that a failure does not hang, until nothing else holds `alive`.
fn ends<T>(alive: &Arc<T>) -> bool {
    (0..3000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        Arc::strong_count(alive) == 1
    })
}

#[test]
fn dropping_does_not_wait_for_a_silent_pipe() {
    let (pipe, speaker) = std::io::pipe().unwrap();
    let alive = Arc::new(());
    let silent = Silent {
        pipe,
        info: DatasetInfo::default(),
        _alive: alive.clone(),
    };
    let ahead = Prefetch::new(Box::new(silent));
    let (done, dropped) = channel();
    thread::spawn(move || {
        drop(Map::new(Box::new(ahead), 2, |_| Ok(())));
        done.send(()).unwrap();
    });
    let dropped = dropped.recv_timeout(Duration::from_secs(30));
    dropped.expect("dropping hangs");
    drop(speaker);
    assert!(ends(&alive), "the thread is still there");
}

#[test]
fn threads_end_with_their_stage() {
    let alive = Arc::new(());
    let held = alive.clone();
    let mut map = Map::new(script(&vec![Step::Frames(1); 100]), 4, move |_| {
        let _ = &held;
        Ok(())
    });
    assert!(map.read(&mut Utterance::default()).unwrap());
    drop(map);
    assert!(ends(&alive), "a thread is still there");
}
