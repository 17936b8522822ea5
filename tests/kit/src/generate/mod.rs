//! Utterances within the bounds of what an output can hold, and some beyond them.

mod names;
mod numbers;
mod oddity;
mod others;

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use spr_core::format::{Caps, Empty};
use spr_core::model::{Dtype, Rank, Utterance};

pub use names::{decimal, key};
pub use numbers::{matrix, plain};
pub use oddity::{Oddity, oddity};
pub use others::{Other, array, encoded, object, reference, segments, tiers};
pub(crate) use others::{channels, held_bits, rate};

use names::{fit, held_key, meta};

/// What all utterances of a data set have in common.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The rank of the features, if there are features.
    pub features: Option<Rank>,
    /// Label columns, if there are labels: one, or several.
    pub labels: Option<Columns>,
    /// What there is instead of both.
    pub other: Option<Other>,
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
    let nothing = Plan {
        features: None,
        labels: None,
        other: None,
    };
    let of_features = |rank| Plan {
        features: Some(rank),
        ..nothing
    };
    let mut plans: Vec<_> = ranks.iter().copied().map(of_features).collect();
    if let Some(labels) = caps.labels {
        for columns in [Columns::One, Columns::Several] {
            if columns == Columns::Several && labels.max_columns < 2 {
                continue;
            }
            let of_labels = Plan {
                labels: Some(columns),
                ..nothing
            };
            plans.extend(labels.alone.then_some(of_labels));
            if labels.with_features && !ranks.is_empty() {
                plans.push(Plan {
                    features: Some(Rank::Matrix),
                    ..of_labels
                });
            }
        }
    }
    // Where features or labels are held, the others are tested by themselves.
    if plans.is_empty() {
        let held = Other::ALL.iter().filter(|other| other.is_held(caps));
        plans.extend(held.map(|other| Plan {
            other: Some(*other),
            ..nothing
        }));
    }
    plans
}

/// Data sets of one to `most` utterances that an output with `caps` holds, which must have a
/// [plan](plans).
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
        .prop_map(move |utts| unique(utts, &caps))
        .boxed()
}

type Shared = (Plan, usize, Dtype, Dtype, usize);

fn utterance(caps: Caps, shared: Shared) -> impl Strategy<Value = Utterance> {
    let (plan, shared_cols, shared_dtype, label_dtype, shared_labels) = shared;
    let own = (
        held_key(caps),
        rows(caps),
        columns(caps.features.map_or(u64::MAX, |f| f.max_cols)),
        dtypes(caps.features.map(|f| f.dtypes)),
        label_columns(caps),
        meta(caps),
        any::<u64>(),
    );
    own.prop_map(move |(key, rows, cols, dtype, labels, meta, seed)| {
        let same_dim = caps.features.is_some_and(|f| f.same_dim);
        let same_dtype = caps.features.is_some_and(|f| f.same_dtype);
        let same_columns = caps.labels.is_some_and(|l| l.same_columns);
        let cols = if same_dim { shared_cols } else { cols };
        let cols = only_cols(&caps).unwrap_or(cols);
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
        let mut utt = Utterance {
            key,
            features,
            labels,
            meta,
            ..Utterance::default()
        };
        if let Some(other) = plan.other {
            other.put(&mut utt, &caps, rows, Some(seed));
        }
        utt
    })
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

/// The number of columns that frames must have, if there is one.
pub(crate) fn only_cols(caps: &Caps) -> Option<usize> {
    let cols = caps.features?.cols?;
    Some(usize::try_from(cols).expect("small"))
}

/// Makes keys differ that happen to be the same.
fn unique(mut utts: Vec<Utterance>, caps: &Caps) -> Vec<Utterance> {
    let mut seen = HashSet::new();
    for (n, utt) in utts.iter_mut().enumerate() {
        while !seen.insert(utt.key.clone()) {
            let mut key = utt.key.as_bytes().to_vec();
            key.extend_from_slice(format!("-{n}").as_bytes());
            utt.key = fit(key.into(), caps);
        }
    }
    utts
}
