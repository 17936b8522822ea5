//! Streams from memory, and what comes out of stages over them.

use proptest::collection::vec;
use proptest::prelude::*;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Key, Matrix, Rank, Utterance};
use spr_core::{Error, Result};

/// A step of a stream.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// An utterance of so many frames.
    Frames(usize),
    /// An utterance.
    Given(Utterance),
    /// An error behind which it goes on.
    Skipped,
    /// An error behind which it does not.
    Broken,
}

/// An item of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Utterance(Utterance),
    Error(String),
}

/// A stream from memory.
pub(crate) struct Script {
    steps: std::iter::Enumerate<std::vec::IntoIter<Step>>,
    info: DatasetInfo,
}

pub(crate) fn script(steps: &[Step]) -> Box<dyn Reader> {
    Box::new(Script {
        steps: Vec::from(steps).into_iter().enumerate(),
        info: DatasetInfo::default(),
    })
}

impl Reader for Script {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        match self.steps.next() {
            None => return Ok(false),
            Some((n, Step::Frames(rows))) => *utt = utterance(n, rows),
            Some((_, Step::Given(given))) => *utt = given,
            Some((n, Step::Skipped)) => {
                return Err(Error::unfit(format!("fault {n}")).continuable());
            }
            Some((n, Step::Broken)) => {
                self.steps = Vec::new().into_iter().enumerate();
                return Err(Error::malformed(format!("break {n}")));
            }
        }
        Ok(true)
    }
}

/// Utterance `n`, each of whose frames is like no other, of it or of others.
pub(crate) fn utterance(n: usize, rows: usize) -> Utterance {
    let first = u32::try_from(n * 1000).unwrap();
    let labels: Vec<u32> = (first..).take(rows).collect();
    let frame = |&label: &u32| [f64::from(label), f64::from(label) + 0.5];
    let features: Vec<f64> = labels.iter().flat_map(frame).collect();
    let mut matrix = Matrix::from_rows(&features, 2, Rank::Matrix).unwrap();
    matrix.reshape(Rank::Matrix, rows, 2).unwrap();
    Utterance {
        key: Key::from(format!("utt-{n}").as_str()),
        features: Some(matrix),
        labels: Some(Matrix::from_rows(&labels, 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

pub(crate) fn event(result: Result<Utterance>) -> Event {
    match result {
        Ok(utt) => Event::Utterance(utt),
        Err(error) => Event::Error(error.message().to_owned()),
    }
}

pub(crate) fn drain(mut reader: impl Reader) -> Vec<Event> {
    let mut events = Vec::new();
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(true) => events.push(event(Ok(utt.clone()))),
            Ok(false) => break,
            Err(error) => {
                let goes_on = error.can_continue();
                events.push(event(Err(error)));
                if !goes_on {
                    break;
                }
            }
        }
    }
    for _ in 0..3 {
        assert!(!reader.read(&mut utt).unwrap(), "over is over");
    }
    events
}

/// The labels of all frames, which tell what the features must be.
pub(crate) fn frames(events: &[Event]) -> Vec<u32> {
    let mut all = Vec::new();
    for event in events {
        let Event::Utterance(utt) = event else {
            continue;
        };
        let labels = utt.labels.as_ref().unwrap().as_slice::<u32>().unwrap();
        let features = utt.features.as_ref().unwrap().as_slice::<f64>().unwrap();
        assert_eq!(features.len(), 2 * labels.len());
        for (label, frame) in labels.iter().zip(features.chunks(2)) {
            assert_eq!(frame, [f64::from(*label), f64::from(*label) + 0.5]);
        }
        all.extend_from_slice(labels);
    }
    all
}

pub(crate) fn utterances(mut events: Vec<Event>) -> Vec<Event> {
    events.retain(|event| matches!(event, Event::Utterance(_)));
    events
}

pub(crate) fn errors(events: Vec<Event>) -> Vec<String> {
    let text = |event| match event {
        Event::Error(text) => Some(text),
        Event::Utterance(_) => None,
    };
    events.into_iter().filter_map(text).collect()
}

pub(crate) fn some() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0usize..12).prop_map(Step::Frames),
        1 => Just(Step::Skipped),
    ];
    vec(step, 0..30)
}

/// A stream that may break off.
pub(crate) fn any_stream() -> impl Strategy<Value = Vec<Step>> {
    (some(), any::<bool>()).prop_map(|(mut steps, breaks)| {
        steps.extend(breaks.then_some(Step::Broken));
        steps
    })
}

/// A stream without errors.
pub(crate) fn whole() -> impl Strategy<Value = Vec<Step>> {
    vec((0usize..12).prop_map(Step::Frames), 0..30)
}
