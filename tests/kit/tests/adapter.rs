//! What the adapter makes of any utterance, an output of any capabilities takes; and what that
//! takes anyhow, the adapter leaves as it is.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use spr_core::adapt::Adapter;
use spr_core::bytes::Env;
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, Objects, SegmentCaps,
    Tags,
};
use spr_core::loss::LossKind;
use spr_core::model::{
    About, AboutField, Audio, Decimal, Dtype, Object, Rank, SourceField, Utterance, Waveform,
};
use spr_testkit::{compare, generate};

fn dtypes() -> impl Strategy<Value = &'static [Dtype]> {
    const SOME: &[&[Dtype]] = &[
        Dtype::ALL,
        Dtype::COMMON,
        &[Dtype::F32],
        &[Dtype::I16, Dtype::F64],
        &[Dtype::F16, Dtype::Bool],
    ];
    select(SOME)
}

fn feature_caps() -> impl Strategy<Value = FeatureCaps> {
    let most = select(&[3, u64::MAX][..]);
    (dtypes(), any::<[bool; 4]>(), most).prop_map(|(dtypes, flags, most)| {
        let mut caps = FeatureCaps::new(dtypes);
        [caps.vectors, caps.scalars, caps.same_dim, caps.same_dtype] = flags;
        caps.max_cols = most;
        caps
    })
}

fn label_caps() -> impl Strategy<Value = LabelCaps> {
    let most = select(&[1, 2, u64::MAX][..]);
    (dtypes(), any::<[bool; 3]>(), most).prop_map(|(dtypes, flags, most)| {
        let mut caps = LabelCaps::new(dtypes);
        [caps.with_features, caps.alone, caps.same_columns] = flags;
        caps.max_columns = most;
        caps
    })
}

fn audio_caps() -> impl Strategy<Value = AudioCaps> {
    const FILES: &[&[&str]] = &[&[], &["wav"]];
    let samples = prop_oneof![Just(&[][..]), dtypes()];
    (samples, select(FILES), any::<bool>()).prop_map(|(dtypes, encoded, references)| {
        let mut caps = AudioCaps::samples(dtypes);
        (caps.encoded, caps.references) = (encoded, references);
        caps
    })
}

fn segment_caps() -> impl Strategy<Value = SegmentCaps> {
    let ticks = select(&[None, Some(10_000_000), Some(22_050)][..]);
    (any::<[bool; 5]>(), ticks).prop_map(|(flags, ticks)| {
        let mut caps = SegmentCaps::PLAIN;
        [
            caps.tiers,
            caps.scores,
            caps.speakers,
            caps.spoken,
            caps.beside_text,
        ] = flags;
        caps.spoken &= caps.speakers;
        caps.ticks = ticks;
        caps
    })
}

fn array_caps() -> impl Strategy<Value = ArrayCaps> {
    (dtypes(), 0..=8usize).prop_map(|(dtypes, rank)| {
        let mut caps = ArrayCaps::new(dtypes);
        caps.max_rank = rank;
        caps
    })
}

/// Any capabilities.
fn caps() -> impl Strategy<Value = Caps> {
    let keys = select(
        &[
            Keys::None,
            Keys::SideFile,
            Keys::Words,
            Keys::FileNames,
            Keys::Any,
        ][..],
    );
    let empty = select(&[Empty::Refused, Empty::Shapeless, Empty::Kept][..]);
    let tags = select(&[Tags::None, Tags::Of("spraak"), Tags::Any][..]);
    let some = Objects::Kinds(&["token", "token-vector", "posterior"]);
    let objects = select(vec![Objects::None, some, Objects::All]);
    let parts = (
        option::of(feature_caps()),
        option::of(label_caps()),
        audio_caps(),
        option::of(segment_caps()),
        option::of(array_caps()),
    );
    let few: &[_] = &[SourceField::Speaker, SourceField::Place];
    let sources = vec![&[][..], few, SourceField::ALL];
    let most = select(&[5, u64::MAX][..]);
    (
        keys,
        parts,
        objects,
        empty,
        tags,
        (any::<[bool; 3]>(), select(sources)),
        most,
    )
        .prop_map(
            |(keys, parts, objects, empty, tags, (flags, source), most)| {
                let mut caps = Caps::new(Count::Many, keys);
                (
                    caps.features,
                    caps.labels,
                    caps.audio,
                    caps.segments,
                    caps.arrays,
                ) = parts;
                (caps.objects, caps.empty, caps.tags) = (objects, empty, tags);
                [caps.text, caps.frame_shift, caps.frame_offset] = flags;
                caps.source = source;
                caps.max_rows = most;
                caps
            },
        )
}

/// Room for everything.
fn all() -> Caps {
    let mut caps = Caps::new(Count::Many, Keys::Any);
    let mut features = FeatureCaps::new(Dtype::ALL);
    (features.vectors, features.scalars) = (true, true);
    (caps.features, caps.labels) = (Some(features), Some(LabelCaps::new(Dtype::ALL)));
    (caps.empty, caps.tags) = (Empty::Kept, Tags::Any);
    (caps.segments, caps.arrays) = (Some(SegmentCaps::ALL), Some(ArrayCaps::new(Dtype::ALL)));
    (caps.audio, caps.objects) = (AudioCaps::samples(Dtype::ALL), Objects::All);
    (caps.audio.encoded, caps.audio.references) = (&["wav", "flac", "unknown"], true);
    (caps.frame_shift, caps.frame_offset) = (true, true);
    (caps.source, caps.text) = (SourceField::ALL, true);
    caps
}

proptest! {
    #![proptest_config(ProptestConfig {failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn what_is_made_to_fit_fits(
        utts in generate::dataset(all(), 1),
        oddities in proptest::collection::vec(generate::oddity("spraak"), 0..4),
        kind in option::weighted(0.1, select(Object::KINDS)),
        caps in caps(),
    ) {
        let mut utt = utts.into_iter().next().unwrap();
        for oddity in oddities {
            oddity.apply(&mut utt);
        }
        if let Some(kind) = kind {
            utt.clear_data();
            utt.object = Some(generate::object(kind, 2));
        }
        // Times of more digits than a decimal holds are rounded, on a grid of frames.
        utt.meta.frame_shift = utt.meta.frame_shift.and(Decimal::parse("0.01"));
        utt.meta.frame_offset = utt.meta.frame_offset.and(Decimal::parse("0.0125"));
        // What nothing can hold is left to the writers.
        prop_assume!(all().check(&utt).is_ok());
        let before = utt.clone();
        let mut adapter = Adapter::new(caps, None, true, &Env::default());
        let adapted = adapter.apply(&mut utt);
        adapter.keep();
        match caps.check(&before) {
            Ok(()) => {
                prop_assert!(adapted.is_ok(), "{adapted:?}");
                prop_assert_eq!(compare(&before, &utt, false), Ok(()));
                prop_assert_eq!(adapter.report().lines().collect::<Vec<_>>().len(), 0);
            }
            Err(_) if adapted.is_err() => {}
            Err(_) => {
                let fits = caps.check(&utt);
                prop_assert!(fits.is_ok(), "{fits:?} {utt:?}");
            }
        }
    }
}

#[test]
fn one_sampling_rate_is_that_of_the_first() {
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.audio = AudioCaps::samples(Dtype::ALL);
    caps.audio.same_rate = true;
    let mut adapter = Adapter::new(caps, None, true, &Env::default());
    let mut fits = |rate| {
        let samples = generate::plain(Dtype::I16, Rank::Matrix, 3, 1);
        let mut utt = Utterance {
            audio: Some(Audio::Samples(Waveform { rate, samples })),
            ..Utterance::default()
        };
        let fitted = adapter.apply(&mut utt);
        if fitted.is_ok() {
            adapter.keep();
        }
        fitted.is_ok()
    };
    assert_eq!([8000, 16000, 8000].map(&mut fits), [true, false, true]);
}

#[test]
fn what_a_data_set_says_of_itself_is_lost_once() {
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.about = &[AboutField::License];
    let mut adapter = Adapter::new(caps, None, true, &Env::default());
    let mut about = About::default();
    about.license = Some("CC0-1.0".to_owned());
    about.split = Some("train".to_owned());
    adapter.fit_about(&mut about);
    assert_eq!((about.license.is_some(), about.split), (true, None));
    let (kind, line) = adapter.report().lines().next().unwrap();
    assert_eq!((kind, line.utterances), (LossKind::Metadata, 0));
    assert_eq!(line.what, ["the data set's split"]);
}
