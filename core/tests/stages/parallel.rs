//! Threads that share a reader, and files that several threads read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, KeySource, Utterance};
use spr_core::stage::*;
use spr_core::{Error, ErrorKind, Limits, Result};

use super::script::{Event, Step, any_stream, drain, errors, event, script, utterance};
use super::{Silent, ends};

/// Returns what each of several threads got from one reader.
fn shared(reader: Box<dyn Reader>, threads: usize) -> Vec<Vec<Event>> {
    let shared = ThreadedReader::new(reader);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| shared.clone())
            .map(|own| scope.spawn(|| drain(own)))
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    })
}

#[test]
fn threads_that_share_a_reader_get_each_utterance_once() {
    for (n, threads) in [(0, 3), (1, 3), (500, 1), (500, 4)] {
        let got = shared(script(&vec![Step::Frames(2); n]), threads).concat();
        let mut keys: Vec<_> = got
            .into_iter()
            .map(|event| match event {
                Event::Utterance(utt) => utt.key.as_str().unwrap()[4..].parse::<usize>().unwrap(),
                Event::Error(error) => panic!("{error}"),
            })
            .collect();
        keys.sort_unstable();
        assert_eq!(keys, (0..n).collect::<Vec<_>>());
    }
}

#[test]
fn every_thread_hears_that_the_stream_broke_off_and_one_of_a_fault() {
    let mut steps = vec![Step::Skipped, Step::Frames(1), Step::Skipped];
    let faults: Vec<_> = shared(script(&steps), 3)
        .into_iter()
        .flat_map(errors)
        .collect();
    assert_eq!(faults.len(), 2);
    steps.push(Step::Broken);
    for events in shared(script(&steps), 4) {
        let last = errors(events).pop();
        assert_eq!(last.as_deref(), Some("break 3"));
    }
}

/// Panics at the third read.
struct Panics(u32, DatasetInfo);

impl Reader for Panics {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        self.0 += 1;
        assert!(self.0 < 3, "this panic is part of the test");
        *utt = utterance(0, 1);
        Ok(true)
    }
}

#[test]
fn a_thread_that_dies_while_it_reads_is_an_error_for_the_others() {
    let mut own = ThreadedReader::new(Box::new(Panics(0, DatasetInfo::default())));
    let other = own.clone();
    let mut utt = Utterance::default();
    assert!(own.read(&mut utt).unwrap());
    assert!(thread::spawn(|| drain(other)).join().is_err());
    let error = own.read(&mut utt).unwrap_err();
    assert_eq!(error.message(), "a thread died while it was reading");
    assert!(!own.read(&mut utt).unwrap());
}

/// A file to be read in turn with others.
type Opener = Box<dyn FnOnce() -> Result<Box<dyn Reader>> + Send>;

fn openers(files: &[Vec<Step>]) -> Vec<Opener> {
    let open = |steps: &Vec<Step>| -> Opener {
        let steps = steps.clone();
        Box::new(move || Ok(script(&steps)))
    };
    files.iter().map(open).collect()
}

/// Returns one utterance of each file in turn.
fn in_turn(files: &[Vec<Step>], width: usize) -> Vec<Event> {
    let mut files: VecDeque<_> = files
        .iter()
        .map(|steps| script(steps).into_iter())
        .collect();
    let mut open: VecDeque<_> = files.drain(..width.min(files.len())).collect();
    let mut events = Vec::new();
    while let Some(mut file) = open.pop_front() {
        let next = file.next();
        // A file that breaks off ends.
        let goes_on = match &next {
            Some(Err(error)) => error.can_continue(),
            next => next.is_some(),
        };
        events.extend(next.map(event));
        match goes_on {
            true => open.push_back(file),
            false => files
                .pop_front()
                .into_iter()
                .for_each(|next| open.push_front(next)),
        }
    }
    events
}

proptest! {
    #[test]
    fn files_come_in_turn_whatever_the_number_of_threads(
        files in vec(any_stream(), 0..7), width in 1usize..5, threads in 1usize..5,
    ) {
        let reader = Interleave::new(openers(&files), width, threads).unwrap();
        prop_assert_eq!(drain(reader), in_turn(&files, width));
    }

    #[test]
    fn one_file_at_a_time_is_a_chain(files in vec(any_stream(), 0..7), threads in 1usize..5) {
        let chain = Chain::new(openers(&files).into_iter().map(|open| open())).unwrap();
        let one_by_one = Interleave::new(openers(&files), 1, threads).unwrap();
        prop_assert_eq!(drain(one_by_one), drain(chain));
    }
}

#[test]
fn files_with_many_utterances_come_in_turn_too() {
    let files = [700, 1, 300, 600].map(|n| vec![Step::Frames(40); n]);
    for threads in 1..4 {
        let reader = Interleave::new(openers(&files), 3, threads).unwrap();
        let (found, expected) = (drain(reader), in_turn(&files, 3));
        assert!(found == expected, "{threads} threads");
    }
}

#[test]
fn a_file_that_can_not_be_opened_is_an_error_at_its_turn() {
    let fails = || -> Opener { Box::new(|| Err(Error::malformed("no such file"))) };
    let mut files = vec![fails()];
    files.extend(openers(&[vec![Step::Frames(1)]]));
    let error = Interleave::new(files, 2, 2).err().unwrap();
    assert_eq!(error.message(), "no such file");
    for width in [1, 2, 3] {
        let mut files = openers(&[vec![Step::Frames(1); 2]]);
        files.push(fails());
        let events = drain(Interleave::new(files, width, 2).unwrap());
        let is_error = |event: &Event| matches!(event, Event::Error(_));
        let place = if width == 1 { 2 } else { 1 };
        assert_eq!(events.iter().position(is_error), Some(place));
        assert_eq!(
            (events.len(), errors(events)),
            (3, vec!["no such file".to_owned()])
        );
    }
    assert!(drain(Interleave::new(openers(&[]), 2, 2).unwrap()).is_empty());
    let error = Interleave::new(openers(&[]), 0, 2).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn a_thread_that_dies_with_a_file_is_an_error() {
    let mut files = openers(&[vec![Step::Frames(1)]]);
    files.push(Box::new(|| Ok(Box::new(Panics(2, DatasetInfo::default())))));
    for threads in [1, 2] {
        let files = std::mem::take(&mut files);
        if files.is_empty() {
            break;
        }
        let events = drain(Interleave::new(files, 2, threads).unwrap());
        assert!(matches!(events.last(), Some(Event::Error(error)) if error.contains("died")));
    }
}

#[test]
fn made_up_keys_and_partitions_go_on_counting() {
    let open = |frames: usize| -> Opener {
        Box::new(move || {
            let size = PartitionSize::of_bytes(2 * 2 * 4);
            let cut = script(&[Step::Frames(frames)]).partition(Some(size), Limits::default());
            cut.batch(Batching::frames(2), Limits::default())
        })
    };
    let read = |width| {
        let reader = Interleave::new([3, 2, 4].map(open), width, 2).unwrap();
        assert_eq!(reader.info().keys, KeySource::Generated);
        let utterances = Utterances::new(reader).map(|utt| utt.unwrap());
        utterances
            .map(|utt| (utt.key.to_string(), utt.part))
            .collect::<Vec<_>>()
    };
    let key = |n: u64| format!("utt{n:06}");
    let counted: Vec<_> = (0..5).map(|n| (key(n), Some(n))).collect();
    assert_eq!(read(1), counted);
    let mixed: Vec<_> = (0..5).map(|n| (key(n), None)).collect();
    assert_eq!(read(2), mixed);
}

/// Never ends, and counts what was read of it.
struct Endless(Arc<AtomicUsize>, DatasetInfo);

impl Reader for Endless {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        self.0.fetch_add(1, Ordering::Relaxed);
        utt.clone_from(&utterance(1, 1));
        Ok(true)
    }
}

#[test]
fn little_is_read_ahead_and_threads_end_when_it_is_dropped() {
    let read = Arc::new(AtomicUsize::new(0));
    let open = |_| -> Opener {
        let read = read.clone();
        Box::new(move || Ok(Box::new(Endless(read, DatasetInfo::default()))))
    };
    let files: Vec<_> = (0..50).map(open).collect();
    let mut reader = Interleave::new(files, 3, 2).unwrap();
    let mut utt = Utterance::default();
    for _ in 0..10 {
        assert!(reader.read(&mut utt).unwrap());
    }
    drop(reader);
    assert!(ends(&read), "a thread is still there");
    assert!(read.load(Ordering::Relaxed) <= 3 * 2 * 256);
    let mut ahead = Prefetch::waiting(Box::new(Endless(read.clone(), DatasetInfo::default())), 5);
    assert!(ahead.read(&mut utt).unwrap());
    drop(ahead);
    assert!(ends(&read), "the thread is still there");
    assert!(read.load(Ordering::Relaxed) <= (3 * 2 + 5 + 3) * 256);
}

#[test]
fn dropping_files_does_not_wait_for_a_silent_pipe() {
    let (pipe, speaker) = std::io::pipe().unwrap();
    let alive = Arc::new(());
    let silent = Silent {
        pipe,
        info: DatasetInfo::default(),
        _alive: alive.clone(),
    };
    let mut files = openers(&[vec![Step::Frames(1)]]);
    files.push(Box::new(move || Ok(Box::new(silent))));
    let mut reader = Interleave::new(files, 2, 2).unwrap();
    assert!(reader.read(&mut Utterance::default()).unwrap());
    let (done, dropped) = channel();
    thread::spawn(move || {
        drop(reader);
        done.send(()).unwrap();
    });
    let dropped = dropped.recv_timeout(Duration::from_secs(30));
    dropped.expect("dropping hangs");
    drop(speaker);
    assert!(ends(&alive), "the thread is still there");
}
