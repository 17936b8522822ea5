//! Tests of normalisation.

use std::sync::{Arc, Mutex};

use super::*;
use crate::bytes::Env;
use crate::error::{Error, ErrorKind, Remedy};
use crate::format::Reader;
use crate::model::{Limits, Matrix, Rank, Utterance};
use crate::stage::tests::{List, utterance};

/// An utterance of a speaker, with one column.
fn spoken(key: &str, speaker: &str, values: &[f32]) -> Utterance {
    let mut utt = utterance(key, values, 1);
    utt.meta.speaker = (!speaker.is_empty()).then(|| speaker.into());
    utt
}

fn values(utt: &Utterance) -> &[f32] {
    utt.features.as_ref().unwrap().as_slice().unwrap()
}

/// The values of each utterance, or its error.
fn read(mut reader: Cmvn) -> Vec<Result<Vec<f32>, Error>> {
    let (mut utt, mut all) = (Utterance::default(), Vec::new());
    loop {
        match reader.read(&mut utt) {
            Ok(true) => all.push(Ok(values(&utt).to_vec())),
            Ok(false) => return all,
            Err(error) if error.can_continue() => all.push(Err(error)),
            Err(error) => panic!("{error}"),
        }
    }
}

fn unwrapped(reader: Cmvn) -> Vec<Vec<f32>> {
    read(reader).into_iter().map(Result::unwrap).collect()
}

fn two_speakers() -> [Utterance; 3] {
    [
        spoken("a-1", "a", &[1.0, 3.0]),
        spoken("b-1", "b", &[10.0]),
        spoken("a-2", "a", &[5.0]),
    ]
}

fn table(by: CmvnGroup, list: impl IntoIterator<Item = Utterance>) -> Option<Arc<CmvnTable>> {
    let table = CmvnTable::of(by, &mut *List::of(list), Limits::default());
    Some(Arc::new(table.unwrap()))
}

#[test]
fn means_of_each_group() {
    let cmvn = |table| Cmvn::new(List::of(two_speakers()), table, false, &Env::default());
    assert_eq!(
        unwrapped(cmvn(None)),
        [vec![-1.0, 1.0], vec![0.0], vec![0.0]]
    );
    assert_eq!(
        unwrapped(cmvn(table(CmvnGroup::Speaker, two_speakers()))),
        [vec![-2.0, 0.0], vec![0.0], vec![2.0]]
    );
    assert_eq!(
        unwrapped(cmvn(table(CmvnGroup::Global, two_speakers()))),
        [vec![-3.75, -1.75], vec![5.25], vec![0.25]]
    );
}

#[test]
fn variances_are_floored_with_one_warning() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = told.clone();
    let env = Env::default().listening(move |e| heard.lock().unwrap().push(e.to_string()));
    let list = [
        utterance("a", &[0.0, 7.0, 2.0, 7.0], 2),
        utterance("b", &[1.0, 1.0], 2),
    ];
    let all = unwrapped(Cmvn::new(List::of(list), None, true, &env));
    assert_eq!(all, [vec![-1.0, 0.0, 1.0, 0.0], vec![0.0, 0.0]]);
    let expected = "utterance a: the variance of column 1 is 0, and is taken as 1e-20";
    assert_eq!(*told.lock().unwrap(), [expected]);
}

#[test]
fn what_cannot_be_normalised_is_an_error_of_its_utterance() {
    let faulty = || {
        let integers = Utterance {
            features: Some(Matrix::from_rows(&[1i16, 2], 1, Rank::Matrix).unwrap()),
            ..spoken("a-3", "a", &[])
        };
        let mut wide = utterance("a-4", &[1.0, 2.0], 2);
        wide.meta.speaker = Some("a".into());
        let mut bare = spoken("e", "a", &[]);
        bare.features = None;
        let odd = [spoken("c-1", "c", &[1.0]), spoken("d", "", &[1.0]), bare];
        two_speakers()
            .into_iter()
            .chain([integers, wide])
            .chain(odd)
    };
    let known = table(CmvnGroup::Speaker, faulty().take(5));
    let all = read(Cmvn::new(List::of(faulty()), known, false, &Env::default()));
    let faults: Vec<_> = all.iter().filter_map(|read| read.as_ref().err()).collect();
    let texts: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "utterance a-3: has features of i16, and only floats can be normalised",
            "utterance a-4: has 2 columns, the statistics are of 1",
            "utterance c-1: there are no statistics of its speaker 'c'",
            "utterance d: nothing says who speaks it",
            "utterance e: has no features to normalise",
        ]
    );
    assert_eq!(faults[3].remedy(), Some(&Remedy::NameSpeakers));
    assert_eq!(
        all[0].as_ref().unwrap(),
        &[-2.0, 0.0],
        "the rest is as if they were not there"
    );
}

#[test]
fn statistics_are_stored_as_kaldi_stores_them() {
    let mut sums = CmvnSums::new(
        List::of(two_speakers()),
        CmvnGroup::Speaker,
        Limits::default(),
    );
    let (mut utt, mut all) = (Utterance::default(), Vec::new());
    while sums.read(&mut utt).unwrap() {
        let matrix = utt.features.clone().unwrap();
        assert_eq!((matrix.rows(), matrix.cols()), (2, 2));
        all.push((
            utt.key.to_string(),
            matrix.as_slice::<f64>().unwrap().to_vec(),
        ));
    }
    let expected = [
        ("a".to_owned(), vec![9.0, 3.0, 35.0, 0.0]),
        ("b".to_owned(), vec![10.0, 1.0, 100.0, 0.0]),
    ];
    assert_eq!(all, expected);
}

/// Statistics of one key.
fn stored(values: &[f64], cols: usize) -> Box<dyn Reader> {
    List::of([Utterance {
        key: "a".into(),
        features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }])
}

#[test]
fn stored_statistics_are_checked() {
    let apply = |values: &[f64], cols, variance| {
        let by = CmvnGroup::Speaker;
        let table = CmvnTable::stored(by, &mut *stored(values, cols), Limits::default())?;
        let list = List::of([spoken("a-1", "a", &[1.0, 3.0])]);
        read(Cmvn::new(
            list,
            Some(Arc::new(table)),
            variance,
            &Env::default(),
        ))
        .pop()
        .unwrap()
    };
    assert_eq!(apply(&[4.0, 2.0, 16.0, 0.0], 2, true).unwrap(), [-0.5, 0.5]);
    assert_eq!(
        apply(&[4.0, 2.0], 2, false).unwrap(),
        [-1.0, 1.0],
        "a row of means"
    );
    for (values, cols, message) in [
        (
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..],
            2,
            "utterance a: has 3 rows of 2 columns, statistics have 1 or 2 rows",
        ),
        (
            &[4.0, 0.5, 1.0, 0.0],
            2,
            "utterance a-1: the statistics are of 0.5 frames, at least 1 is needed",
        ),
        (
            &[4.0, 2.0],
            2,
            "utterance a-1: the statistics have no squares, which the variance is computed from",
        ),
        (
            &[f64::NAN, 2.0, 1.0, 0.0],
            2,
            "utterance a-1: the statistics hold infinity or NaN",
        ),
    ] {
        let error = apply(values, cols, true).unwrap_err();
        assert_eq!(
            (error.kind(), &*error.to_string()),
            (ErrorKind::Unfit, message)
        );
    }
    let twice = List::of(["a", "b"].map(|key| utterance(key, &[1.0, 1.0], 2)));
    let error = CmvnTable::stored(CmvnGroup::Global, &mut { twice }, Limits::default());
    let message = "utterance b: a second matrix, where one is for all utterances";
    assert_eq!(error.err().unwrap().to_string(), message);
}

#[test]
fn as_many_speakers_as_memory_holds() {
    let limits = Limits {
        max_alloc: 400,
        ..Limits::default()
    };
    let many = (0..20).map(|n| spoken(&n.to_string(), &n.to_string(), &[1.0]));
    let error = CmvnTable::of(CmvnGroup::Speaker, &mut *List::of(many.clone()), limits);
    assert_eq!(error.err().unwrap().kind(), ErrorKind::Limit);
    assert!(CmvnTable::of(CmvnGroup::Global, &mut *List::of(many), limits).is_ok());
}
