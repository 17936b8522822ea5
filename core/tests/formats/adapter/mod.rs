//! What an output can't hold is converted, dropped and counted, or refused.

mod forms;
mod recordings;

use spr_core::adapt::Adapter;
use spr_core::bytes::Locator;
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, Objects, Recordings,
    Rule, SegmentCaps, Tags,
};
use spr_core::loss::{LossKind, LossPolicy, describe};
use spr_core::model::{
    About, AboutField, Array, Audio, AudioReference, Decimal, Dtype, Element, Matrix, NamedArray,
    Object, Rank, Segment, SourceField, Span, Tag, TagSubject, Tier, Utterance, Waveform,
};
use spr_core::{Error, Limits, Remedy};

use crate::toy_samples::pcm;
use crate::toys::World;

fn at(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// The outcome for each utterance, of which those that fit are kept, the losses, and the warnings.
struct Fitted {
    utts: Vec<Result<Utterance, Error>>,
    losses: Vec<String>,
    warnings: Vec<String>,
}

impl Fitted {
    fn one(self) -> Utterance {
        let [utt] = self.utts.try_into().ok().unwrap();
        utt.unwrap()
    }

    fn refused(&self) -> Vec<String> {
        let errors = self.utts.iter().filter_map(|utt| utt.as_ref().err());
        errors
            .map(|error| {
                assert!(error.can_continue());
                error.to_string()
            })
            .collect()
    }
}

fn fit(caps: Caps, utts: impl IntoIterator<Item = Utterance>) -> Fitted {
    fit_as(caps, utts, |adapter| adapter)
}

fn fit_as(
    caps: Caps,
    utts: impl IntoIterator<Item = Utterance>,
    change: impl FnOnce(Adapter) -> Adapter,
) -> Fitted {
    let world = World::of([("r.pcm", pcm(b"PCM1", 10, 1, &[1, 2, 3, 4, 5]))]);
    let mut adapter = change(Adapter::new(caps, None, false, &world.env));
    let mut done = Vec::new();
    for mut utt in utts {
        let fitted = adapter.apply(&mut utt);
        if fitted.is_ok() {
            adapter.keep();
        }
        done.push(fitted.map(|()| utt));
    }
    let lines = adapter.report().lines();
    Fitted {
        losses: lines.map(|(kind, line)| describe(kind, line)).collect(),
        utts: done,
        warnings: world.warnings(),
    }
}

fn caps(change: impl FnOnce(&mut Caps)) -> Caps {
    let mut caps = Caps::new(Count::Many, Keys::Words);
    change(&mut caps);
    caps
}

fn features<T: Element>(key: &str, values: &[T], cols: usize) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

fn labels(key: &str, values: &[i32]) -> Utterance {
    Utterance {
        key: key.into(),
        labels: Some(Matrix::from_rows(values, 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

/// The words `one` and `two` of a recording from 1.5 to 3 seconds, by Ann.
fn stretch(key: &str) -> Utterance {
    let words = vec![
        Segment::new(at("0"), Some(at("0.5")), b"one"),
        Segment::new(at("0.5"), None, b"two"),
    ];
    let mut utt = Utterance {
        key: key.into(),
        tiers: vec![Tier::only(words)],
        ..Utterance::default()
    };
    utt.meta.recording = Some("rec".into());
    utt.meta.speaker = Some("ann".into());
    (utt.meta.start, utt.meta.end) = (Some(at("1.5")), Some(at("3")));
    utt
}

/// The segments of an utterance: start, end, label and speaker.
fn shown(utt: &Utterance) -> Vec<String> {
    let segments = utt.tiers.iter().flat_map(|tier| &tier.segments);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let shown = segments.map(|s| {
        let end = s.end.map(|end| end.to_string()).unwrap_or_default();
        let speaker = s.speaker.as_deref().map(text).unwrap_or_default();
        format!("{}-{end} {} {speaker}", s.start, text(&s.label))
    });
    shown.collect()
}

fn framed(change: impl FnOnce(&mut FeatureCaps, &mut LabelCaps)) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32, Dtype::I16]);
    let mut labels = LabelCaps::new(&[Dtype::I32, Dtype::U8]);
    change(&mut features, &mut labels);
    caps(|caps| (caps.features, caps.labels) = (Some(features), Some(labels)))
}

/// A change of an output of features, one of an utterance for it, and what that loses.
type Lost<'a> = (fn(&mut Caps), fn(&mut Utterance), &'a [&'a str]);

fn lost(cases: &[Lost<'_>]) {
    for (n, (less, more, losses)) in cases.iter().enumerate() {
        let mut caps = framed(|_, _| {});
        less(&mut caps);
        let mut utt = features("a", &[1f32], 1);
        more(&mut utt);
        let fitted = fit(caps, [utt]);
        assert_eq!(fitted.losses, *losses, "{n}");
        caps.check(&fitted.one()).unwrap();
    }
}

#[test]
fn fields_without_a_place_are_lost() {
    lost(&[
        (
            |_| {},
            |u| u.text = Some(b"a".to_vec()),
            &["text of 1 utterance"],
        ),
        (
            |_| {},
            |u| u.sequences = Some(Box::default()),
            &["boundaries of 1 utterance"],
        ),
        (
            |_| {},
            |u| u.audio = Some(Audio::default()),
            &["audio of 1 utterance"],
        ),
        (
            |_| {},
            |u| u.arrays = arrays(Dtype::F32),
            &["arrays beside features and labels of 1 utterance (x)"],
        ),
        (
            |c| {
                c.arrays = Some({
                    let mut a = ArrayCaps::new(&[Dtype::F32]);
                    a.max_rank = 1;
                    a
                })
            },
            |u| u.arrays = arrays(Dtype::F32),
            &["arrays beside features and labels of 1 utterance (x)"],
        ),
        (
            |c| c.arrays = Some(ArrayCaps::new(&[Dtype::F32])),
            |u| u.arrays = arrays(Dtype::F64),
            &[],
        ),
    ]);
}

#[test]
fn what_is_said_without_a_place_is_lost() {
    lost(&[
        (
            |_| {},
            |u| u.meta.frame_shift = Some(at("0.01")),
            &["metadata of 1 utterance (frame shift)"],
        ),
        (
            |c| c.frame_shift = true,
            |u| u.meta.frame_shift = Some(at("0.01")),
            &[],
        ),
        (
            |_| {},
            |u| u.meta.frame_offset = Some(at("0.01")),
            &["metadata of 1 utterance (frame offset)"],
        ),
        (
            |c| c.source = &[SourceField::Speaker],
            |u| u.meta = stretch("a").meta,
            &["metadata of 1 utterance (recording, place in the recording)"],
        ),
        (
            |c| c.tags = Tags::Of("toy"),
            |u| {
                u.meta.tags = vec![
                    Tag::new("toy", "a", "1"),
                    Tag::new("x", "b", "2"),
                    Tag::new("x", "c", "3"),
                ]
            },
            &["metadata of 1 utterance (header lines)"],
        ),
        // The key says what such a tag does.
        (
            |_| {},
            |u| u.meta.tags = vec![Tag::new("x", "b", "2").about(TagSubject::Key)],
            &[],
        ),
        (
            |c| c.segments = Some(SegmentCaps::PLAIN),
            |u| u.tiers = tiers()[1..].to_vec(),
            &["tiers of segments of 1 utterance (phones)"],
        ),
        (
            |c| c.segments = Some(SegmentCaps::PLAIN),
            |u| u.tiers = vec![Tier::default(); 2],
            &["tiers of segments of 1 utterance"],
        ),
        (
            |c| c.segments = Some(SegmentCaps::PLAIN),
            |u| {
                u.tiers = vec![Tier {
                    points: true,
                    ..Tier::default()
                }]
            },
            &["tiers of segments of 1 utterance"],
        ),
        (
            |c| c.segments = Some(SegmentCaps::PLAIN),
            |u| u.tiers = vec![Tier::default()],
            &[],
        ),
        (
            |c| c.segments = Some(SegmentCaps::PLAIN),
            |u| u.tiers = tiers(),
            &[
                "tiers of segments of 1 utterance (words, phones)",
                "scores of segments of 1 utterance",
                "speakers of segments of 1 utterance",
            ],
        ),
        (
            |c| (c.segments, c.text) = (Some(SegmentCaps::PLAIN), true),
            |u| (u.tiers, u.text) = (vec![Tier::only(vec![])], Some(b"a".to_vec())),
            &[],
        ),
        (
            |c| {
                let mut caps = SegmentCaps::PLAIN;
                caps.beside_text = false;
                (c.segments, c.text) = (Some(caps), true);
            },
            |u| u.text = Some(b"a".to_vec()),
            &[],
        ),
        (
            |c| {
                c.segments = Some({
                    let mut s = SegmentCaps::PLAIN;
                    s.beside_text = false;
                    s
                })
            },
            |u| (u.tiers, u.text) = (vec![Tier::only(vec![])], Some(b"a".to_vec())),
            &["text of 1 utterance"],
        ),
    ]);
}

fn arrays(dtype: Dtype) -> Vec<NamedArray> {
    vec![NamedArray {
        name: "x".to_owned(),
        array: Array::new(dtype, &[1, 2], &Limits::default()).unwrap(),
    }]
}

/// Two tiers, the first with a score and a speaker.
fn tiers() -> Vec<Tier> {
    let mut word = Segment::new(at("0"), Some(at("0.5")), b"one");
    (word.score, word.speaker) = (Some(at("1")), Some(b"ann"[..].into()));
    let tier = |name: &[u8], segments| Tier {
        name: name.into(),
        ..Tier::only(segments)
    };
    vec![tier(b"words", vec![word]), tier(b"phones", vec![])]
}

#[test]
fn times_and_speakers_of_segments_fit() {
    let of = |change: fn(&mut SegmentCaps)| {
        caps(|caps| {
            let mut segments = SegmentCaps::ALL;
            change(&mut segments);
            caps.segments = Some(segments);
        })
    };
    let word = |start: &str, speaker: Option<&[u8]>| {
        let mut word = Segment::new(at(start), Some(at("0.5")), b"one");
        word.speaker = speaker.map(Into::into);
        Utterance {
            key: "a".into(),
            tiers: vec![Tier::only(vec![word])],
            ..Utterance::default()
        }
    };
    let fitted = fit(of(|caps| caps.ticks = Some(10)), [word("0.12", None)]);
    assert_eq!(
        fitted.losses,
        [
            "precision: 1 of 2 values in 1 utterance change, by up to 2.000e-2 \
             (times of segments in seconds)"
        ]
    );
    assert_eq!(shown(&fitted.one()), ["0.1-0.5 one "]);
    let fitted = fit(of(|caps| caps.ticks = Some(10)), [word("0.2", None)]);
    assert_eq!(fitted.losses, [""; 0]);
    let fitted = fit(of(|caps| caps.ticks = Some(10)), [word("1e18", None)]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: the time 1000000000000000000 is too large"]
    );
    // A label that is the speaker says all.
    let fitted = fit(of(|caps| caps.speakers = false), [word("0", Some(b"one"))]);
    assert_eq!(
        (fitted.losses.len(), shown(&fitted.one())),
        (0, vec!["0-0.5 one ".to_owned()])
    );
    let fitted = fit(of(|caps| caps.spoken = true), [word("0", None)]);
    assert_eq!(
        (fitted.losses.len(), shown(&fitted.one())),
        (0, vec!["0-0.5 one one".to_owned()])
    );
}

#[test]
fn names_without_a_place_are_lost_with_the_boundaries() {
    let unnamed = || {
        let mut caps = framed(|_, _| {});
        (caps.keys, caps.boundaries) = (Keys::None, false);
        caps
    };
    let two = || ["a", "b", "c"].map(|key| features(key, &[1f32], 1));
    let fitted = fit(unnamed(), two());
    assert_eq!(
        fitted.losses,
        ["keys of 3 utterances", "boundaries of 1 utterance"]
    );
    let world = World::of([]);
    let mut adapter = Adapter::new(unnamed(), None, true, &world.env);
    adapter.apply(&mut features("utt0", &[1f32], 1)).unwrap();
    adapter.keep();
    assert!(adapter.report().is_empty(), "a generated name is none");
    for (keys, key, fits) in [
        (Keys::Words, "a b", false),
        (Keys::SideFile, "a b", false),
        (Keys::FileNames, "../a", false),
        (Keys::FileNames, "a b", true),
        (Keys::FileName, "../a", true),
        (Keys::Any, "a b", true),
    ] {
        let mut caps = framed(|_, _| {});
        caps.keys = keys;
        let fitted = fit(caps, [features(key, &[1f32], 1)]);
        assert_eq!(fitted.refused().is_empty(), fits, "{keys:?} {key}");
    }
}

#[test]
fn sound_is_of_one_rate_where_it_must_be() {
    let mut one = caps(|caps| caps.audio = AudioCaps::samples(&[Dtype::I16]));
    one.audio.same_rate = true;
    let sound = |key: &str, rate| Utterance {
        key: key.into(),
        audio: Some(
            Waveform {
                rate,
                samples: Matrix::from_rows(&[0.5f32], 1, Rank::Matrix).unwrap(),
            }
            .into(),
        ),
        ..Utterance::default()
    };
    let fitted = fit(
        one,
        [sound("a", 8000), sound("b", 16_000), sound("c", 8000)],
    );
    assert_eq!(
        fitted.refused(),
        ["utterance b: has 16000 samples a second, the utterances before it have 8000"]
    );
    assert_eq!(
        fitted.utts[1].as_ref().err().unwrap().remedy(),
        Some(&Remedy::Resample)
    );
    // Samples keep their level: 0.5 is 16384 of 32768.
    let first = fitted.utts[0].as_ref().unwrap().waveform().unwrap();
    assert_eq!(first.samples.as_slice::<i16>().unwrap(), [16384]);
    assert_eq!(fitted.losses, [""; 0]);
}

#[test]
fn what_an_utterance_consists_of_alone_is_refused() {
    let only = |change: fn(&mut Utterance)| {
        let mut utt = Utterance {
            key: "a".into(),
            ..Utterance::default()
        };
        change(&mut utt);
        utt
    };
    let of_features = || caps(|caps| caps.features = Some(FeatureCaps::new(&[Dtype::F32])));
    for (utt, message, listed) in [
        (
            only(|u| u.text = Some(b"a".to_vec())),
            "holds only text, which the format can't hold",
            "text",
        ),
        (
            only(|u| u.tiers = tiers()),
            "holds only segments, which the format can't hold",
            "segments",
        ),
        (
            only(|u| u.arrays = arrays(Dtype::F32)),
            "holds only arrays, which the format can't hold",
            "arrays",
        ),
        (
            only(|u| u.labels = labels("", &[1]).labels),
            "holds nothing that the format can store",
            "labels",
        ),
    ] {
        let fitted = fit(of_features(), [utt]);
        assert_eq!(fitted.refused(), [format!("utterance a: {message}")]);
        let error = fitted.utts[0].as_ref().err().unwrap();
        assert_eq!(error.remedy(), Some(&Remedy::ListFormats(listed.into())));
    }
    let fitted = fit(framed(|_, _| {}), [only(|_| {})]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: holds nothing that the format can store"]
    );
    assert_eq!(fitted.utts[0].as_ref().err().unwrap().remedy(), None);
}

#[test]
fn losses_are_denied_unless_they_are_allowed() {
    let world = World::of([]);
    let mut adapter = Adapter::new(framed(|_, _| {}), None, false, &world.env);
    let mut utt = features("a", &[0.1f64], 1);
    utt.text = Some(b"a".to_vec());
    adapter.apply(&mut utt).unwrap();
    let mut policy = LossPolicy::default();
    assert!(adapter.is_denied(&policy));
    let error = adapter.denied(&policy, "toy").unwrap();
    assert_eq!(
        error.to_string(),
        "utterance a: toy can't hold all of it: precision: 1 of 1 values in 1 utterance change, by up to 1.490e-9; text of 1 utterance"
    );
    let kinds = vec![LossKind::Precision, LossKind::Text];
    assert_eq!(error.remedy(), Some(&Remedy::AllowLosses(kinds)));
    let error = adapter.denied_at_once(&policy, "toy").unwrap();
    assert_eq!(
        error.to_string(),
        "utterance a: toy can't hold all of it: precision; text; the rest was not read"
    );
    // Rounding can only be measured, so that it is no reason to stop.
    policy.allow(LossKind::Text);
    assert!(adapter.denied_at_once(&policy, "toy").is_none());
    assert!(adapter.is_denied(&policy));
    policy.allow(LossKind::Precision);
    assert!(!adapter.is_denied(&policy));
    assert!(adapter.denied(&policy, "toy").is_none());
    // What was not kept is not counted.
    assert!(adapter.report().is_empty());
}

#[test]
fn what_a_data_set_says_of_itself_is_lost_without_a_place() {
    let world = World::of([]);
    let mut caps = framed(|_, _| {});
    caps.about = &[AboutField::License];
    let mut adapter = Adapter::new(caps, None, false, &world.env);
    let mut about = About::default();
    about.license = Some("CC0-1.0".to_owned());
    about.description = Some("read numbers".to_owned());
    about.split = Some("test".to_owned());
    about
        .classes
        .insert("phone".to_owned(), vec!["a".to_owned()]);
    about.other.insert("year".to_owned(), "2026".to_owned());
    adapter.fit_about(&mut about);
    let (kind, line) = adapter.report().lines().next().unwrap();
    assert_eq!(
        describe(kind, line),
        "metadata of the data set (the data set's description, the data set's split, the data set's names of classes, the data set's other facts)"
    );
    let mut left = About::default();
    left.license = Some("CC0-1.0".to_owned());
    assert_eq!(about, left);
}
