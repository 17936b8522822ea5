//! Chains of stages as they are typed.

use std::collections::BTreeSet;

use proptest::prelude::*;
use spr_core::Limits;
use spr_core::bytes::{Env, MemoryStore};
use spr_core::format::{FieldSet, Reader, Subset};
use spr_core::model::{Decimal, Dtype, Rank};
use spr_core::number::random::Rng;
use spr_core::stage::*;
use spr_engine::step::Steps;

use super::script::{Event, Step, any_stream, drain, errors, script};

pub(super) fn env() -> Env {
    let store = MemoryStore::new();
    store.insert("some.list", b"utt-1 x\nutt-3\n".to_vec());
    Env::default().with_store(std::sync::Arc::new(store))
}

pub(super) fn typed(text: &str, steps: &[Step]) -> Vec<Event> {
    let stages: Steps = text.parse().unwrap();
    drain(stages.over(script(steps), &env()).unwrap())
}

pub(super) fn stream() -> Vec<Step> {
    [4, 1, 7, 0, 2, 9, 3].map(Step::Frames).to_vec()
}

type Made = fn(Box<dyn Reader>) -> Box<dyn Reader>;

const NONE: Limits = Limits::NONE;

fn ranges(text: &str) -> Ranges {
    text.parse().unwrap()
}

fn key(pattern: &str) -> KeyFilter {
    KeyFilter::glob(pattern).unwrap()
}

/// Stages as they are typed, and as the library calls them.
const CALLED: &[(&str, Made)] = &[
    ("select(utt-[13])", |r| r.select(key("utt-[13]"))),
    ("select(regex='[13]$')", |r| r.select(key("utt-[13]"))),
    ("select(keys=some.list)", |r| r.select(key("utt-[13]"))),
    ("select(key=utt-3,key=utt-1)", |r| r.select(key("utt-[13]"))),
    ("without(key=utt-3,key=utt-1)", |r| {
        r.without(key("utt-[13]"))
    }),
    ("slice(1,3)", |r| {
        Box::new(Shard::of(r, Subset::Run { first: 1, end: 3 }).unwrap())
    }),
    ("shuffle", |r| {
        r.shuffle_utterances(usize::MAX, Rng::Seeded(0), NONE)
    }),
    ("rename(old=utt-1,new=x)", |r| {
        let change = KeyChange::sed("s/^utt-1$/x/").unwrap();
        Box::new(Rename::new(r, vec![change]))
    }),
    ("without('utt-[13]')", |r| r.without(key("utt-[13]"))),
    ("without(keys=\"some.list\")", |r| {
        r.without(key("utt-[13]"))
    }),
    ("first(2)", |r| r.first(2)),
    ("shard(1,3)", |r| r.shard(1, 3).unwrap()),
    ("shard(n=3,i=1)", |r| r.shard(1, 3).unwrap()),
    ("unique", |r| r.unique()),
    ("unique(first)", |r| Box::new(Unique::first(r))),
    ("sort", |r| r.sort(SortKey::Key, 1 << 20)),
    ("sort(key)", |r| r.sort(SortKey::Key, 1 << 20)),
    ("sort(frames,memory=1k)", |r| {
        r.sort(SortKey::Frames, 1 << 20)
    }),
    ("check", |r| r.check(None)),
    (
        "check(frames=2-7,dim=2,dtype=f64,rank=matrix,labels=1,rate=0,channels=0)",
        |r| {
            r.check(Some(UtteranceShape {
                dim: Some(2),
                dtype: Some(Dtype::F64),
                rank: Some(Rank::Matrix),
                frames: Some((2, 7)),
                label_columns: Some(1),
                rate: Some(0),
                channels: Some(0),
            }))
        },
    ),
    ("check(frames=3-)", |r| {
        let frames = Some((3, u64::MAX));
        r.check(Some(UtteranceShape {
            frames,
            ..UtteranceShape::default()
        }))
    }),
    ("parts(features,text)", |r| {
        r.parts(FieldSet {
            labels: false,
            audio: false,
            segments: false,
            objects: false,
            arrays: false,
            ..FieldSet::ALL
        })
    }),
    ("samples", |r| r.samples(&env())),
    ("channel(mix)", |r| {
        let choice = SoundChoice {
            channels: Some(Channels::Mix),
            ..SoundChoice::default()
        };
        choice.over(r, &env())
    }),
    ("resample(8000,dither)", |r| {
        let choice = SoundChoice {
            rate: Some(8000),
            dither: Some(0),
            ..SoundChoice::default()
        };
        choice.over(r, &env())
    }),
    ("frame-shift(0.01)", |r| {
        Box::new(FrameShift::new(r, Decimal::parse("0.01").unwrap()))
    }),
    ("frames(0,^0)", |r| r.frames(ranges("0,^0"), NONE)),
    ("frames('0:2:^0;0')", |r| r.frames(ranges("0:2:^0;0"), NONE)),
    ("columns(1)", |r| r.columns(ranges("1"), NONE)),
    ("columns(1,0,0-1)", |r| r.columns(ranges("1,0,0-1"), NONE)),
    ("cmvn(vars)", |r| Box::new(Cmvn::new(r, None, true, &env()))),
    ("cmvn-stats(global)", |r| {
        Box::new(CmvnSums::new(r, CmvnGroup::Global, NONE))
    }),
    ("context(2)", |r| r.context(2, 2, NONE)),
    ("context(2,0)", |r| r.context(2, 0, NONE)),
    ("context(right=1,left=3)", |r| r.context(3, 1, NONE)),
    ("ignore-label(0-2:4000)", |r| {
        r.ignore_labels("0-2:4000".parse().unwrap(), &env())
    }),
    ("map-label(0-2:7/4000:8)", |r| {
        r.map_labels("0-2:7/4000:8".parse().unwrap())
    }),
    ("shuffle(4)", |r| {
        r.shuffle_utterances(4, Rng::Seeded(0), NONE)
    }),
    ("shuffle(4,seed=7)", |r| {
        r.shuffle_utterances(4, Rng::Seeded(7), NONE)
    }),
    ("shuffle(4,seed=pdnn)", |r| {
        r.shuffle_utterances(4, Rng::Pdnn, NONE)
    }),
    ("shuffle-frames", |r| {
        r.shuffle_frames(None, Rng::Seeded(0), NONE)
    }),
    ("shuffle-frames(1k,seed=2)", |r| {
        r.shuffle_frames(Some(PartitionSize::of_bytes(1024)), Rng::Seeded(2), NONE)
    }),
    ("partition(1K)", |r| {
        r.partition(Some(PartitionSize::of_bytes(1024)), NONE)
    }),
    ("batch(5)", |r| r.batch(Batching::frames(5), NONE).unwrap()),
    ("batch(5,drop,across)", |r| {
        r.batch(Batching::frames(5).drop_tail().across_partitions(), NONE)
            .unwrap()
    }),
    ("batch(utterances=2,pad,buckets=3:6)", |r| {
        r.batch(Batching::utterances(2).pad().buckets([3, 6]), NONE)
            .unwrap()
    }),
    ("batch(whole=9)", |r| {
        r.batch(Batching::whole_frames(9), NONE).unwrap()
    }),
    ("batch(padded=9)", |r| {
        r.batch(Batching::padded_frames(9), NONE).unwrap()
    }),
    ("length(2-4)", |r| {
        r.filter(|utt| Ok((2..=4).contains(&utt.frames())))
    }),
    ("rename(prefix=x-)", |r| {
        Box::new(Rename::new(r, vec![KeyChange::Prefix(b"x-".to_vec())]))
    }),
    ("tier(words)", |r| Box::new(PickTier::new(r, "words"))),
    ("cut(words,gap=0.3,key='{n}')", |r| {
        let rules = CutRules {
            gap: Decimal::parse("0.3"),
            keys: KeyPattern::parse("{n}").unwrap(),
            ..CutRules::new(CutBy::from("words"))
        };
        Box::new(Cut::new(r, rules, &env()))
    }),
    ("join(recording)", |r| Box::new(JoinPieces::new(r, &env()))),
    ("sound(rate=8000)", |r| {
        let mut choice = SoundChoice::default();
        choice.set_rate("8000").unwrap();
        choice.over(r, &env())
    }),
    ("prefetch", |r| r.prefetch()),
    ("prefetch(4)", |r| r.prefetch()),
];

#[test]
fn every_stage_that_is_typed_is_the_one_that_is_called() {
    let mut seen = BTreeSet::from([
        // These need speakers, durations, a model or a second pass.
        "ali-to",
        "speaker",
        "speakers",
        "per-speaker",
        "hours",
        "sample",
        "seconds",
        // Has a test of its own.
        "where",
    ]);
    for (text, made) in CALLED.iter().copied() {
        assert_eq!(
            typed(text, &stream()),
            drain(made(script(&stream()))),
            "{text}"
        );
        seen.insert(name(text));
    }
    let all: BTreeSet<_> = Steps::list().map(|(usage, _)| name(usage)).collect();
    assert_eq!(seen, all);
    assert_eq!(all.len(), 39);
}

fn name(text: &str) -> &str {
    text.split(['(', ' ', ',']).next().unwrap()
}

#[test]
fn stages_work_in_the_order_in_which_they_are_typed() {
    let found = typed(
        " shuffle( 1000, seed = 1 ) | context(5,5) | batch(8) | prefetch(4) ",
        &stream(),
    );
    let made = script(&stream())
        .shuffle_utterances(1000, Rng::Seeded(1), NONE)
        .context(5, 5, NONE);
    let made = made.batch(Batching::frames(8), NONE).unwrap().prefetch();
    assert_eq!(found, drain(made));
    let stages: Steps = " first(2)|unique ".parse().unwrap();
    assert_eq!(stages.to_string(), "first(2)|unique");
}

#[test]
fn each_pass_is_shuffled_otherwise_and_every_run_alike() {
    for text in ["shuffle(9)", "shuffle(9,seed=3)", "shuffle-frames(seed=3)"] {
        let stages: Steps = text.parse().unwrap();
        let pass = |pass| drain(stages.in_pass(pass, script(&stream()), &env()).unwrap());
        assert_eq!(pass(0), typed(text, &stream()), "{text}");
        assert_eq!(pass(2), pass(2), "{text}");
        assert_ne!(pass(2), pass(1), "{text}");
        assert_ne!(pass(1), pass(0), "{text}");
    }
    let like_pdnn: Steps = "shuffle-frames(seed=pdnn)".parse().unwrap();
    let pass = |pass| drain(like_pdnn.in_pass(pass, script(&stream()), &env()).unwrap());
    assert_eq!(pass(0), pass(1));
}

/// A chain of each stage, with what it needs.
fn every() -> Vec<String> {
    let texts = [
        "select(*)",
        "without(x)",
        "first(99)",
        "shard(0,1)",
        "unique(first)",
        "sort",
        "check",
        "parts(features,labels)",
        "samples",
        "frame-shift(0.01)",
        "frames(all)",
        "columns(all)",
        "context(0)",
        "ignore-label(9)",
        "map-label(9:9)",
        "shuffle(9)",
        "shuffle-frames",
        "partition(1m)",
        "batch(9)",
        "batch(utterances=3,buckets=5)",
        "prefetch(2)",
    ];
    texts.map(str::to_owned).to_vec()
}

proptest! {
    #[test]
    fn no_stage_hides_a_fault_or_goes_on_behind_the_end(steps in any_stream(), n in 0usize..21) {
        let faults: Vec<_> = errors(drain(script(&steps)));
        prop_assert_eq!(errors(typed(&every()[n], &steps)), faults);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[a-z(),|='\" 0-9:é-]{0,40}") {
        let _ = text.parse::<Steps>();
    }
}

#[test]
fn nothing_comes_of_nothing() {
    assert_eq!(every().len(), 21);
    for text in every() {
        assert_eq!(typed(&text, &[]), [], "{text}");
    }
}
