//! Tests of surveys.

use spr_core::Limits;
use spr_core::bytes::Locator;
use spr_core::model::{
    Audio, AudioReference, DatasetInfo, Decimal, Matrix, Rank, Span, Tier, Waveform,
};
use spr_core::model::{Dtype, Utterance};

use super::{Scope, Survey};
use crate::{ListedUtterance, MAX_COLUMNS};

fn utterance(values: &[f64], cols: usize) -> Utterance {
    Utterance {
        features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

/// Returns the survey of all that is counted of some utterances.
fn survey(utts: &[Utterance]) -> Survey {
    let mut survey = Survey::new(Scope::Lists, &DatasetInfo::default());
    for utt in utts {
        survey.add(utt).unwrap();
    }
    survey.columns.finish();
    survey
}

#[test]
fn large_means_cost_no_digits() {
    let blocks = [&[1e9, 1e9 + 1.0][..], &[1e9 + 2.0], &[], &[1e9 + 3.0]];
    let survey = survey(&blocks.map(|block| utterance(block, usize::from(!block.is_empty()))));
    let column = &survey.columns.each[0];
    assert_eq!((column.count, column.mean), (4, 1e9 + 1.5));
    assert!((column.std - 1.25f64.sqrt()).abs() < 1e-9, "{}", column.std);
    assert_eq!((column.min, column.max), (Some(1e9), Some(1e9 + 3.0)));
    let lengths = survey.lengths().unwrap();
    assert_eq!((lengths.min, lengths.median, lengths.max), (0, 1, 2));
    assert_eq!(lengths.mean, 1.0);
    assert_eq!(survey.shortest_longest, Some((0, 2)));
    assert_eq!(survey.seconds(), None);
}

#[test]
fn shapes_and_types_are_each_told_once() {
    let vector = Utterance {
        features: Some(Matrix::from_rows(&[1i16, 2], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    let survey = survey(&[
        utterance(&[1.0, 2.0], 2),
        utterance(&[3.0, 4.0], 2),
        vector,
        utterance(&[], 0),
    ]);
    assert_eq!(Vec::from_iter(survey.dims), [1, 2]);
    assert_eq!(survey.dtypes, [Dtype::F64, Dtype::I16].into());
    assert_eq!(Vec::from_iter(survey.ranks), ["matrix", "vector"]);
}

#[test]
fn what_is_no_number_is_counted_apart() {
    let values = [f64::NAN, f64::INFINITY, 1.0, f64::NAN, 3.0, f64::NAN];
    let survey = survey(&[utterance(&values, 2)]);
    let [a, b] = &survey.columns.each[..] else {
        panic!("two columns");
    };
    assert_eq!((a.count, a.nan, a.inf, a.mean, a.std), (2, 1, 0, 2.0, 1.0));
    assert_eq!((b.count, b.nan, b.inf, b.min), (0, 2, 1, None));
}

#[test]
fn labels_and_seconds() {
    let mut utt = Utterance {
        labels: Some(Matrix::from_rows(&[3i32, 3, -1], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    utt.meta.frame_shift = Decimal::parse("0.5");
    let mut all = survey(&[utt.clone(), utt.clone()]);
    assert_eq!(all.seconds(), Some(3.0));
    let lists = all.labels.lists();
    let counts = lists[0]
        .iter()
        .map(|c| (c.label.as_i64().unwrap(), c.count));
    assert_eq!(counts.collect::<Vec<_>>(), [(-1, 2), (3, 4)]);
    // The frame shift of the data applies to utterances without one.
    utt.meta.frame_shift = None;
    all.info.frame_shift = Decimal::parse("2");
    all.add(&utt).unwrap();
    assert_eq!(all.seconds(), Some(9.0));
    // The duration of segments without frames is unknown.
    all.add(&Utterance {
        tiers: vec![Tier::default()],
        ..Utterance::default()
    })
    .unwrap();
    assert_eq!(all.seconds(), None);
    let sound = |end: Option<&str>| {
        let mut place = AudioReference::new(Locator::file("a.wav"));
        place.span = Span::new(None, end.and_then(Decimal::parse));
        Utterance {
            audio: Some(Audio::Reference(place)),
            ..Utterance::default()
        }
    };
    assert_eq!(survey(&[sound(Some("1.5"))]).seconds(), Some(1.5));
    assert_eq!(survey(&[sound(Some("1.5")), sound(None)]).seconds(), None);
}

#[test]
fn labels_have_a_range() {
    let range = |values: Matrix| {
        let mut survey = Survey::new(Scope::Shapes, &DatasetInfo::default());
        let labels = Some(values);
        survey
            .add(&Utterance {
                labels,
                ..Utterance::default()
            })
            .unwrap();
        survey.label_range()
    };
    let of = |min: f64, max: f64, distinct| Some((Some(min), Some(max), distinct));
    let told = |values: Matrix| {
        range(values).map(|range| (range.min.as_f64(), range.max.as_f64(), range.distinct))
    };
    let integers = Matrix::from_rows(&[3i32, 3, -1, 3], 2, Rank::Matrix).unwrap();
    assert_eq!(told(integers), of(-1.0, 3.0, Some(2)));
    let fractions = Matrix::from_rows(&[f32::NAN, 0.5, 2.0], 1, Rank::Vector).unwrap();
    assert_eq!(told(fractions), of(0.5, 2.0, None));
    let large = Matrix::from_rows(&[1, u64::MAX], 1, Rank::Vector).unwrap();
    assert_eq!(told(large), of(1.0, u64::MAX as f64, None));
    assert_eq!(told(Matrix::default()), None);
}

#[test]
fn every_type_is_counted() {
    for dtype in Dtype::ALL {
        let mut matrix = Matrix::from_rows(&[1u8, 0, 1], 1, Rank::Matrix).unwrap();
        matrix.cast(*dtype, &Limits::default()).unwrap();
        let survey = survey(&[Utterance {
            features: Some(matrix.clone()),
            labels: Some(matrix),
            ..Utterance::default()
        }]);
        let column = &survey.columns.each[0];
        let ends = (column.count, column.min, column.max);
        assert_eq!(ends, (3, Some(0.0), Some(1.0)), "{dtype}");
        let lists = survey.labels.lists();
        let counts: Vec<_> = lists[0].iter().map(|c| c.count).collect();
        assert_eq!(counts, [1, 2], "{dtype}");
    }
}

/// Columns and labels beyond the limits are still counted.
#[test]
fn columns_and_labels_beyond_a_bound_are_summed_up() {
    let cols = MAX_COLUMNS + 3;
    let mut row = vec![1.0; cols];
    row[MAX_COLUMNS..].copy_from_slice(&[2.0, f64::NAN, 4.0]);
    let labels: Vec<i32> = (0..4000).collect();
    let labelled = Utterance {
        labels: Some(Matrix::from_rows(&labels, 2000, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    let all = survey(&[utterance(&row, cols), utterance(&[5.0, 7.0], 2), labelled]);
    let columns = &all.columns;
    assert_eq!((columns.each.len(), columns.count), (MAX_COLUMNS, cols));
    let beyond = columns.beyond.as_ref().unwrap();
    assert_eq!((beyond.count, beyond.nan, beyond.mean), (2, 1, 3.0));
    assert_eq!((beyond.std, beyond.max), (1.0, Some(4.0)));
    assert_eq!(columns.each[1].mean, 4.0);
    let most = columns.from(1).unwrap();
    assert_eq!((most.count, most.max), (MAX_COLUMNS as u64 + 2, Some(7.0)));
    assert_eq!(columns.from(MAX_COLUMNS).as_ref(), columns.beyond.as_ref());
    let none = survey(&[]).columns;
    assert_eq!((none.from(0), none.from(9)), (None, None));
    assert_eq!(
        (all.labels.lists().len(), all.labels.beyond),
        (1024, 2 * 976)
    );
}

#[test]
fn the_longest_and_the_shortest_are_listed() {
    let utts = [5usize, 9, 2, 9, 3, 7, 7, 1, 8, 4, 6, 2].map(|n| utterance(&vec![0.0; n], 1));
    let lists = survey(&utts).lists;
    let places = |list: &[ListedUtterance]| list.iter().map(|l| l.place).collect::<Vec<_>>();
    assert_eq!(places(&lists.first), (0..12).collect::<Vec<_>>());
    assert_eq!(places(&lists.longest), [1, 3, 8, 5, 6, 10, 0, 9, 4, 2]);
    assert_eq!(places(&lists.shortest), [7, 2, 11, 4, 9, 0, 10, 5, 6, 8]);
}

#[test]
fn the_longest_and_the_shortest_are_so_in_time() {
    let sound = |key: &str, rate: u32, samples: usize| Utterance {
        key: key.into(),
        audio: Some(Audio::Samples(Waveform {
            rate,
            samples: Matrix::from_rows(&vec![0i16; samples], 1, Rank::Matrix).unwrap(),
        })),
        ..Utterance::default()
    };
    let survey = survey(&[
        sound("a", 48_000, 4800),
        sound("b", 8000, 1600),
        sound("empty", 8000, 0),
        sound("c", 16_000, 1500),
    ]);
    let keys = |list: &[ListedUtterance]| {
        let keys = list.iter().map(|listed| listed.entry.key.to_string());
        keys.collect::<Vec<_>>()
    };
    assert_eq!(keys(&survey.lists.longest), ["b", "a", "c", "empty"]);
    assert_eq!(keys(&survey.lists.shortest), ["empty", "c", "a", "b"]);
    assert_eq!(keys(survey.lists.shortest_filled.as_slice()), ["c"]);
}
