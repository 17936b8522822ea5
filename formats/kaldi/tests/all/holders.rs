//! Archives whose bytes do not determine their kind: read correctly, or with a warning.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use std::sync::Arc;

use spr_core::bytes::{Locator, MemoryStore, Source};
use spr_core::format::Format;
use spr_core::model::{About, GaussPosterior, Lists, Matrix, Object, Rank, Utterance};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::{Drained, Random, read_source};

fn write(utterances: &[Utterance]) -> Vec<u8> {
    let store = MemoryStore::new();
    let env = common::env().with_store(Arc::new(store.clone()));
    let output = env.output(&Locator::file("x.ark"));
    let options = spr_testkit::options(&FORMAT, &[]).unwrap();
    let mut writer = FORMAT
        .create(output.clone(), &options, &About::default(), &env)
        .unwrap();
    for utt in utterances {
        writer.write(utt).unwrap();
    }
    writer.finish().unwrap();
    output.commit().unwrap();
    store.get("x.ark").unwrap().to_vec()
}

/// Reads without a hint, and returns the warnings.
fn read(bytes: &[u8], pairs: &[(&str, &str)]) -> (Drained, Vec<String>) {
    let (env, warnings) = spr_testkit::listening(&common::env());
    let options = spr_testkit::options(&FORMAT, pairs).unwrap();
    let source = Source::from_bytes("x.ark", bytes.to_vec()).unwrap();
    let drained = read_source(&FORMAT, &options, source, &env);
    let warnings = warnings.lock().unwrap().clone();
    (drained, warnings)
}

/// Returns the kind of an utterance by name.
fn kind(utt: &Utterance) -> String {
    match (&utt.features, &utt.labels) {
        (Some(matrix), _) => format!("{:?} of {}", matrix.rank(), matrix.dtype()),
        (None, Some(_)) => "labels".to_owned(),
        (None, None) => utt.other().unwrap().to_owned(),
    }
}

/// Numbers, most of them usual and some unusual.
struct Numbers<'a> {
    random: &'a mut Random,
    /// The number of odd ones in 100.
    odd: usize,
}

impl Numbers<'_> {
    fn is_odd(&mut self) -> bool {
        self.random.below(100) < self.odd
    }

    fn int(&mut self) -> i32 {
        const ODD: [i32; 10] = [
            i32::MIN,
            i32::MAX,
            -1,
            0,
            -8_388_608,
            -4_194_304,
            1 << 24,
            1 << 30,
            1_000_000_000,
            0x7f80_0000,
        ];
        match self.is_odd() {
            true => ODD[self.random.below(ODD.len())],
            false => i32::try_from(self.random.below(5000)).unwrap() + 1,
        }
    }

    fn long(&mut self) -> i64 {
        match self.is_odd() {
            true => [i64::MIN, i64::MAX, -1, 0, 1 << 62][self.random.below(5)],
            false => i64::from(self.int()),
        }
    }

    fn wide(&mut self) -> f64 {
        const ODD: [f64; 9] = [
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            0.0,
            -0.0,
            1e200,
            -1e-200,
            f64::MIN_POSITIVE,
            1e-310,
        ];
        match self.is_odd() {
            true => ODD[self.random.below(ODD.len())],
            false => f64::from(self.float()),
        }
    }

    fn float(&mut self) -> f32 {
        const ODD: [f32; 11] = [
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            0.0,
            -0.0,
            1e30,
            -1e-30,
            1e19,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-40,
        ];
        match self.is_odd() {
            true => ODD[self.random.below(ODD.len())],
            false => {
                let whole = i16::try_from(self.random.below(20_000)).unwrap() - 10_000;
                (f32::from(whole) + 0.5) / 64.0
            }
        }
    }
}

fn list<T>(n: usize, mut item: impl FnMut() -> T) -> Vec<T> {
    (0..n).map(|_| item()).collect()
}

fn lists<T: Clone>(n: &[usize], mut item: impl FnMut() -> T) -> Lists<T> {
    n.iter().map(|n| list(*n, &mut item)).collect()
}

fn scalar<T: spr_core::model::Element>(value: T) -> Utterance {
    Utterance {
        features: Some(Matrix::from_rows(&[value], 1, Rank::Scalar).unwrap()),
        ..Utterance::default()
    }
}

fn object(object: Object) -> Utterance {
    Utterance {
        object: Some(object),
        ..Utterance::default()
    }
}

const KINDS: usize = 11;

/// Returns an entry of kind number `kind` with `n` items.
fn entry(kind: usize, n: usize, numbers: &mut Numbers<'_>) -> Utterance {
    let sizes = list(n, || numbers.random.below(4));
    match kind {
        0 => object(Object::Int(numbers.int())),
        1 => scalar(numbers.float()),
        2 => scalar(numbers.wide()),
        3 => {
            let bytes = [&b"\0B\x08"[..], &numbers.long().to_le_bytes()].concat();
            object(Object::opaque("int64", bytes))
        }
        4 => Utterance {
            labels: Some(Matrix::from_rows(&list(n, || numbers.int()), 1, Rank::Vector).unwrap()),
            ..Utterance::default()
        },
        5 => object(Object::Floats(list(n, || numbers.float()))),
        6 => object(Object::IntPairs(list(n, || [numbers.int(), numbers.int()]))),
        7 => object(Object::FloatPairs(list(n, || {
            [numbers.float(), numbers.float()]
        }))),
        8 => object(Object::IntLists(lists(&sizes, || numbers.int()))),
        9 => object(Object::Posterior(lists(&sizes, || {
            (numbers.int(), numbers.float())
        }))),
        _ => {
            let ids = lists(&sizes, || numbers.int());
            let vectors = vec![2; ids.items().len()];
            let vectors = lists(&vectors, || numbers.float());
            object(Object::GaussPosterior(GaussPosterior { ids, vectors }))
        }
    }
}

/// Returns an archive of one kind, where some numbers are always usual.
fn archive(kind: usize, odd: usize, random: &mut Random) -> Vec<Utterance> {
    let entries = 1 + random.below(40);
    let mut all = Vec::new();
    for i in 0..entries + 4 {
        let usual = i >= entries;
        let n = match usual {
            true => 2,
            false => random.below(6),
        };
        let odd = if usual { 0 } else { odd };
        let utt = entry(kind, n, &mut Numbers { random, odd });
        all.push(utt);
    }
    // The usual ones in random places.
    for i in (1..all.len()).rev() {
        all.swap(i, random.below(i + 1));
    }
    for (i, utt) in all.iter_mut().enumerate() {
        utt.key = format!("k{i}").as_str().into();
    }
    all
}

#[test]
fn archives_of_every_kind_are_read_as_what_they_are_or_warned_about() {
    const EACH: usize = 60;
    let mut random = Random::new(7);
    let (mut right, mut warned, mut seen) = ([0; KINDS], [0; KINDS], 0);
    for kind_number in 0..KINDS {
        for odd in [0, 3, 30] {
            for _ in 0..EACH {
                let all = archive(kind_number, odd, &mut random);
                let bytes = write(&all);
                let (drained, warnings) = read(&bytes, &[]);
                seen += 1;
                let same = drained.errors.is_empty()
                    && all.len() == drained.utterances.len()
                    && all
                        .iter()
                        .zip(&drained.utterances)
                        .all(|(a, b)| kind(a) == kind(b))
                    && write(&drained.utterances) == bytes;
                let loud = !warnings.is_empty() || !drained.errors.is_empty();
                assert!(same || loud, "{} in silence: {all:?}", kind(&all[0]));
                if odd == 0 {
                    assert!(same && !loud, "{warnings:?} of {all:?}");
                }
                right[kind_number] += usize::from(same);
                warned[kind_number] += usize::from(loud);
            }
        }
    }
    assert_eq!(seen, 3 * EACH * KINDS);
    println!("right {right:?}, warned {warned:?}");
    for n in 0..KINDS {
        assert!(
            right[n] > 3 * EACH * 9 / 10,
            "kind {n}: {right:?}, {warned:?}"
        );
    }
}

#[test]
fn one_odd_number_does_not_make_an_archive_something_else() {
    for odd in [f32::NEG_INFINITY, f32::NAN, 1e30, -1e-30, 1e19] {
        let mut all: Vec<_> = (0..40u8).map(|n| scalar(f32::from(n) + 0.5)).collect();
        all[0] = scalar(odd);
        for (i, utt) in all.iter_mut().enumerate() {
            utt.key = format!("k{i}").as_str().into();
        }
        let (drained, warnings) = read(&write(&all), &[]);
        assert_eq!(drained.utterances.len(), 40, "{odd}: {:?}", drained.errors);
        assert!(warnings.is_empty(), "{odd}: {warnings:?}");
        assert!(drained.utterances.iter().all(|utt| utt.features.is_some()));
    }
    let labels = Utterance {
        key: "a".into(),
        labels: Some(Matrix::from_rows(&[i32::MIN; 9], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    let (drained, warnings) = read(&write(std::slice::from_ref(&labels)), &[]);
    assert_eq!(drained.utterances, [labels]);
    assert_eq!(
        warnings,
        [
            "x.ark: holds int32-vector or basic-float-vector: the bytes don't tell which; it is read \
          as int32-vector, holder=NAME says otherwise"
        ]
    );
}

#[test]
fn archives_of_nothing_but_zeros_are_warned_about_once() {
    let zero = b"\0B\x04\x04\0\0\0\0";
    let none = b"\0B\x04\0\0\0\0";
    let mut seen = 0;
    for (value, options) in [
        (&none[..], &[][..]),
        (b"\0B\x08\0\0\0\0\0\0\0\0", &[]),
        (b"\0B\x04\x02\0\0\0\x04\0\0\0\0\x04\0\0\0\0", &[]),
        (b"0 \n", &[]),
        (b"\n", &[]),
        // A requested kind is not checked.
        (none, &[("holder", "int32")]),
        (none, &[("holder", "posterior")]),
        (b"0 \n", &[("holder", "float")]),
    ] {
        let bytes: Vec<u8> = (0..5)
            .flat_map(|n| [format!("k{n} ").as_bytes(), value].concat())
            .collect();
        let (drained, warnings) = read(&bytes, options);
        assert_eq!(
            drained.utterances.len(),
            5,
            "{value:?}: {:?}",
            drained.errors
        );
        assert_eq!(
            warnings.len(),
            usize::from(options.is_empty()),
            "{value:?}: {warnings:?}"
        );
        assert!(
            warnings.iter().all(|w| w.contains("holder=NAME")),
            "{warnings:?}"
        );
        seen += 1;
    }
    assert_eq!(seen, 8);
    // A number that is not a count.
    let (_, warnings) = read(&[b"k ", &zero[..3], b"\xff\xff\xff\xff"].concat(), &[]);
    assert!(warnings.is_empty(), "{warnings:?}");
}
