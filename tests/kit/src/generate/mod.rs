//! Utterances within the bounds of what an output can hold, and some beyond them.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use spr_core::Limits;
use spr_core::format::{Caps, Empty, Keys, Tags};
use spr_core::model::{
    Audio, Decimal, Dtype, GaussPosterior, Key, Matrix, Meta, Object, Rank, Segment, Sparse, Tag,
    Utterance,
};

use crate::faults::Random;

/// What all utterances of a data set have in common.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The rank of the features, if there are features.
    pub features: Option<Rank>,
    /// Label columns, if there are labels: one, or several.
    pub labels: Option<Columns>,
    /// Whether there is audio, alone.
    pub audio: bool,
}

/// How many labels a frame has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// One.
    One,
    /// Two or more.
    Several,
}

/// The sorts of data set that `caps` allow.
pub fn plans(caps: &Caps) -> Vec<Plan> {
    let mut ranks = Vec::new();
    if let Some(features) = caps.features {
        ranks.push(Rank::Matrix);
        ranks.extend(features.vectors.then_some(Rank::Vector));
        ranks.extend(features.scalars.then_some(Rank::Scalar));
    }
    let mut plans = Vec::new();
    for &rank in &ranks {
        plans.push(Plan {
            features: Some(rank),
            labels: None,
            audio: false,
        });
    }
    if let Some(labels) = caps.labels {
        for columns in [Columns::One, Columns::Several] {
            if columns == Columns::Several && labels.max_columns < 2 {
                continue;
            }
            if labels.alone {
                plans.push(Plan {
                    features: None,
                    labels: Some(columns),
                    audio: false,
                });
            }
            if labels.with_features && !ranks.is_empty() {
                plans.push(Plan {
                    features: Some(Rank::Matrix),
                    labels: Some(columns),
                    audio: false,
                });
            }
        }
    }
    // Where other data are held, audio is tested beside the other kinds of objects.
    if plans.is_empty() && !caps.audio.is_empty() {
        plans.push(Plan {
            features: None,
            labels: None,
            audio: true,
        });
    }
    plans
}

/// Data sets of one to `most` utterances that an output with `caps` holds, which must have a place
/// for features or labels.
pub fn dataset(caps: Caps, most: usize) -> BoxedStrategy<Vec<Utterance>> {
    let shared = (
        select(plans(&caps)),
        columns(caps.features.map_or(1, |f| f.max_cols)),
        dtypes(caps.features.map(|f| f.dtypes)),
        dtypes(caps.labels.map(|l| l.dtypes)),
        label_columns(caps),
    );
    shared
        .prop_flat_map(move |shared| vec(utterance(caps, shared), 1..=most))
        .prop_map(unique)
        .boxed()
}

type Shared = (Plan, usize, Dtype, Dtype, usize);

fn utterance(caps: Caps, shared: Shared) -> impl Strategy<Value = Utterance> {
    let (plan, shared_cols, shared_dtype, label_dtype, shared_labels) = shared;
    let own = (
        key(caps.keys),
        rows(caps),
        columns(caps.features.map_or(u64::MAX, |f| f.max_cols)),
        dtypes(caps.features.map(|f| f.dtypes)),
        dtypes(Some(caps.audio).filter(|held| !held.is_empty())),
        label_columns(caps),
        meta(caps),
        any::<u64>(),
    );
    own.prop_map(move |(key, rows, cols, dtype, audio, labels, meta, seed)| {
        let same_dim = caps.features.is_some_and(|f| f.same_dim);
        let same_dtype = caps.features.is_some_and(|f| f.same_dtype);
        let same_columns = caps.labels.is_some_and(|l| l.same_columns);
        let cols = if same_dim { shared_cols } else { cols };
        let dtype = if same_dtype { shared_dtype } else { dtype };
        let labels = if same_columns { shared_labels } else { labels };
        let mut rows = rows;
        if plan.labels == Some(Columns::Several) && caps.empty == Empty::Shapeless {
            rows = rows.max(1);
        }
        let features = plan.features.map(|rank| match rank {
            Rank::Scalar => matrix(dtype, rank, 1, 1, seed),
            Rank::Vector => matrix(dtype, rank, rows, 1, seed),
            Rank::Matrix if rows == 0 && caps.empty == Empty::Shapeless => {
                matrix(dtype, rank, 0, 0, seed)
            }
            Rank::Matrix => matrix(dtype, rank, rows, cols, seed),
        });
        let labels = plan.labels.map(|columns| match columns {
            Columns::One => matrix(label_dtype, Rank::Vector, rows, 1, seed ^ 1),
            Columns::Several => matrix(label_dtype, Rank::Matrix, rows, labels, seed ^ 1),
        });
        let audio = plan.audio.then(|| Audio {
            rate: [8000, 16000, 44100, 1][rows % 4],
            samples: matrix(audio, Rank::Matrix, rows, cols, seed),
        });
        Utterance {
            key,
            features,
            labels,
            audio,
            meta,
            ..Utterance::default()
        }
    })
}

/// A matrix filled from a seed: any bits at all, small numbers, and the ends of the type's range
/// with its NaNs, infinities, denormals and zeros. Seed 0 gives zeros.
pub fn matrix(dtype: Dtype, rank: Rank, rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut matrix = Matrix::default();
    let bytes = matrix
        .reset(dtype, rank, rows, cols, &Limits::default())
        .expect("a matrix for a test is small");
    let mut random = Random::new(seed);
    let size = dtype.size();
    for element in bytes.chunks_exact_mut(size) {
        let bits = if seed == 0 {
            0
        } else {
            bits(dtype, &mut random)
        };
        if cfg!(target_endian = "big") {
            element.copy_from_slice(&bits.to_be_bytes()[8 - size..]);
        } else {
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    matrix
}

/// Segments one after the other, more for a larger `n`; the last goes on to the end.
pub fn segments(n: usize) -> Vec<Segment> {
    let times: Vec<f64> = (0u8..).map(|t| f64::from(t) / 4.0).take(n + 3).collect();
    let segment = |t: usize| Segment {
        start: times[t],
        end: times.get(t + 1).copied(),
        label: format!("ah{t}").into_bytes().into(),
    };
    (0..n + 3).map(segment).collect()
}

/// An object of a kind of [`Object::KINDS`], of about `size` items, not empty.
pub fn object(kind: &str, size: usize) -> Object {
    let ints: Vec<i32> = (1..=i32::try_from(size).expect("small") + 1).collect();
    let floats: Vec<f32> = (0u8..)
        .map(|n| 0.25 + f32::from(n))
        .take(size + 1)
        .collect();
    let sparse = |rows: usize| Sparse {
        dtype: Dtype::F32,
        dim: 9,
        rows: (0..rows).map(|_| [(2, 0.5), (7, -1.0)]).collect(),
    };
    let words = ["one", "two-words", "\u{e9}t\u{e9}"].iter().cycle();
    match kind {
        "int32" => Object::Int(40 + ints[0]),
        "bool" => Object::Bool(size.is_multiple_of(2)),
        "int32-vector-vector" => Object::IntLists([&ints[..], &[], &ints].into_iter().collect()),
        "int32-pair-vector" => Object::IntPairs(ints.iter().map(|i| [*i, 5]).collect()),
        "float-pair-vector" => Object::FloatPairs(floats.iter().map(|v| [*v, 0.5]).collect()),
        "basic-float-vector" => Object::Floats(floats),
        "posterior" => {
            let frame: Vec<_> = ints.iter().copied().zip(floats).collect();
            Object::Posterior([&frame[..], &[], &frame[1..]].into_iter().collect())
        }
        "gauss-posterior" => Object::GaussPosterior(GaussPosterior {
            vectors: ints.iter().map(|_| &floats[..]).collect(),
            ids: [&ints[..], &[]].into_iter().collect(),
        }),
        "token" => Object::Token(b"word".to_vec()),
        "token-vector" => Object::Tokens(words.take(size + 1).map(|w| w.as_bytes()).collect()),
        "sparse-vector" => Object::SparseVector(sparse(1)),
        "sparse-matrix" => Object::SparseMatrix(sparse(size)),
        other => panic!("no such kind: {other}"),
    }
}

/// A matrix of small numbers that every element type tells apart: 0, 1, 2, … 99, 0, 1, …
pub fn plain(dtype: Dtype, rank: Rank, rows: usize, cols: usize) -> Matrix {
    let mut matrix = matrix(dtype, rank, rows, cols, 0);
    spr_core::dispatch!(dtype, T => {
        use spr_core::model::Element;
        for (n, value) in matrix.as_slice_mut::<T>().into_iter().flatten().enumerate() {
            *value = T::parse((n % 100).to_string().as_bytes()).expect("every type holds it");
        }
    });
    matrix
}

const F32: [u64; 12] = [
    0x8000_0000, // -0
    0x7f80_0000, // inf
    0xff80_0000, // -inf
    0x7fc0_0000, // NaN
    0x7fa0_0001, // signalling NaN
    0xffc1_2345, // negative NaN with a payload
    0x0000_0001, // smallest denormal
    0x807f_ffff, // largest denormal
    0x0080_0000, // smallest normal
    0x7f7f_ffff, // largest
    0xff7f_ffff, // lowest
    0x3f80_0001, // next after 1
];

const F64: [u64; 12] = [
    0x8000_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff4_0000_0000_0001,
    0xfff8_1234_5678_9abc,
    0x0000_0000_0000_0001,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0001,
];

fn bits(dtype: Dtype, random: &mut Random) -> u64 {
    let sort = random.below(4);
    let small = i16::try_from(random.below(2001)).expect("small") - 1000;
    match (sort, dtype) {
        (0, _) => random.next(),
        (1, Dtype::F32) => F32[random.below(F32.len())],
        (1, Dtype::F64) => F64[random.below(F64.len())],
        (1, _) => {
            let top = 1u64 << (8 * dtype.size() - 1);
            [0, top, top - 1, u64::MAX][random.below(4)]
        }
        (_, Dtype::F32) => u64::from((f32::from(small) / 10.0).to_bits()),
        (_, Dtype::F64) => (f64::from(small) / 10.0).to_bits(),
        _ => i64::from(small).cast_unsigned(),
    }
}

fn dtypes(held: Option<&'static [Dtype]>) -> impl Strategy<Value = Dtype> {
    select(held.unwrap_or(&[Dtype::F32]))
}

fn rows(caps: Caps) -> impl Strategy<Value = usize> {
    let least = usize::from(caps.empty == Empty::Refused);
    let most = usize::try_from(caps.max_rows).unwrap_or(usize::MAX);
    prop_oneof![
        4 => least..=12,
        1 => 1..=300usize,
    ]
    .prop_map(move |rows| rows.min(most))
}

fn columns(most: u64) -> impl Strategy<Value = usize> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    prop_oneof![4 => 1..=6usize, 1 => Just(40)].prop_map(move |cols| cols.min(most))
}

fn label_columns(caps: Caps) -> impl Strategy<Value = usize> {
    let most = usize::try_from(caps.labels.map_or(2, |l| l.max_columns)).unwrap_or(usize::MAX);
    (2..=4usize).prop_map(move |columns| columns.min(most))
}

/// Keys of the sort that an output keeps.
pub fn key(keys: Keys) -> BoxedStrategy<Key> {
    let word = (0x21..=0xfeu8).prop_filter("DEL", |b| *b != 0x7f);
    match keys {
        Keys::Any | Keys::None => prop_oneof![
            "[a-z]{1,8}-[0-9]{1,3}".prop_map(|k| Key::from(&*k)),
            "\\PC{0,8}".prop_map(|k| Key::from(&*k)),
            vec(any::<u8>(), 0..12).prop_map(Key::from),
        ]
        .boxed(),
        Keys::Words | Keys::SideFile => prop_oneof![
            "[a-z]{1,8}-[0-9]{1,3}".prop_map(|k| Key::from(&*k)),
            vec(word, 1..12).prop_map(Key::from),
            "[!-~]{80,120}".prop_map(|k| Key::from(&*k)),
        ]
        .boxed(),
        Keys::FileNames => prop_oneof![
            "[a-zA-Z0-9_-]{1,8}(\\.[0-9]{1,2})?",
            "[a-z]{1,3}/[a-z ]{1,8}[é_]",
        ]
        .prop_map(|k| Key::from(&*k))
        .boxed(),
    }
}

/// Makes keys differ that happen to be the same.
fn unique(mut utts: Vec<Utterance>) -> Vec<Utterance> {
    let mut seen = HashSet::new();
    for (n, utt) in utts.iter_mut().enumerate() {
        while !seen.insert(utt.key.clone()) {
            let mut key = utt.key.as_bytes().to_vec();
            key.extend_from_slice(format!("-{n}").as_bytes());
            utt.key = key.into();
        }
    }
    utts
}

fn meta(caps: Caps) -> impl Strategy<Value = Meta> {
    let times = caps.frame_times;
    (
        option::of(decimal()),
        option::of(decimal()),
        tags(caps.tags),
    )
        .prop_map(move |(shift, offset, tags)| Meta {
            frame_shift: shift.filter(|_| times),
            frame_offset: offset.filter(|_| times),
            tags,
        })
}

const TIMES: [&str; 6] = [
    "0.01",
    "0.010",
    "0.0125",
    "1",
    "0.0050",
    "0.12345678901234567890",
];

/// Times in seconds, some with digits that a float would not keep.
pub fn decimal() -> impl Strategy<Value = Decimal> {
    select(&TIMES[..]).prop_map(|text| Decimal::parse(text).expect("a decimal"))
}

fn tags(held: Tags) -> BoxedStrategy<Vec<Tag>> {
    match held {
        Tags::None => Just(Vec::new()).boxed(),
        Tags::Of(format) => vec(("X[A-Z0-9_]{0,7}", "[!-~]([ -~]{0,10}[!-~])?"), 0..4)
            .prop_map(move |pairs| {
                let mut seen = HashSet::new();
                let tag = |(key, value): (String, String)| Tag {
                    format,
                    key: key.into_bytes(),
                    value: value.into_bytes(),
                };
                let fresh = pairs
                    .into_iter()
                    .filter(|(key, _)| seen.insert(key.clone()));
                fresh.map(tag).collect()
            })
            .boxed(),
        Tags::Any => vec(any_tag("spraak"), 0..4).boxed(),
    }
}

fn any_tag(format: &'static str) -> impl Strategy<Value = Tag> {
    let bytes = || {
        prop_oneof![
            "\\PC{0,8}".prop_map(String::into_bytes),
            vec(any::<u8>(), 0..8),
        ]
    };
    (bytes(), bytes()).prop_map(move |(key, value)| Tag { format, key, value })
}

/// A change that most outputs can't hold.
#[derive(Clone, Debug)]
pub enum Oddity {
    /// Any key.
    Key(Key),
    /// Features of any type, rank and size.
    Features(Option<(Dtype, Rank, usize)>),
    /// Labels of any type and number of columns.
    Labels(Option<(Dtype, usize)>),
    /// Header lines with any bytes.
    Tag(Tag),
    /// A frame shift.
    Shift(Decimal),
}

/// Oddities; header lines are said to be of `format`.
pub fn oddity(format: &'static str) -> impl Strategy<Value = Oddity> {
    let dtype = || select(Dtype::ALL);
    let rank = select(&[Rank::Matrix, Rank::Matrix, Rank::Vector, Rank::Scalar][..]);
    prop_oneof![
        key(Keys::Any).prop_map(Oddity::Key),
        option::weighted(0.8, (dtype(), rank, 0..4usize)).prop_map(Oddity::Features),
        option::weighted(0.8, (dtype(), 0..4usize)).prop_map(Oddity::Labels),
        any_tag(format).prop_map(Oddity::Tag),
        decimal().prop_map(Oddity::Shift),
    ]
}

impl Oddity {
    /// Makes the change.
    pub fn apply(&self, utt: &mut Utterance) {
        let rows = usize::try_from(utt.frames()).expect("a small matrix");
        match self {
            Self::Key(key) => utt.key = key.clone(),
            Self::Features(features) => {
                utt.features = features.map(|(dtype, rank, cols)| match rank {
                    Rank::Matrix => matrix(dtype, rank, rows, cols, 5),
                    Rank::Vector => matrix(dtype, rank, rows, 1, 5),
                    Rank::Scalar => matrix(dtype, rank, 1, 1, 5),
                });
            }
            Self::Labels(labels) => {
                utt.labels = labels.map(|(dtype, cols)| match cols {
                    1 => matrix(dtype, Rank::Vector, rows, 1, 6),
                    _ => matrix(dtype, Rank::Matrix, rows, cols, 6),
                });
            }
            Self::Tag(tag) => utt.meta.tags.push(tag.clone()),
            Self::Shift(shift) => utt.meta.frame_shift = Some(shift.clone()),
        }
    }
}
