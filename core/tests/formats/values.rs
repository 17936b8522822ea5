//! What an utterance and a data set consist of, and what is said of them.

use spr_core::bytes::Locator;
use spr_core::format::{LabelTable, Severity};
use spr_core::model::{
    Audio, AudioReference, Decimal, EncodedAudio, GaussPosterior, KeySource, Lists, Matrix, Meta,
    Object, Rank, RecordingFacts, Segment, SourceField, Span, Tag, TagSubject, Tier, Utterance,
    Waveform,
};

fn at(text: &str) -> Option<Decimal> {
    Some(Decimal::parse(text).unwrap())
}

#[test]
fn each_field_of_a_speaker_is_known_named_and_cleared() {
    let full = || {
        let mut meta = Meta::default();
        for (n, field) in [
            &mut meta.speaker,
            &mut meta.gender,
            &mut meta.language,
            &mut meta.recording,
            &mut meta.channel,
        ]
        .into_iter()
        .enumerate()
        {
            *field = Some(format!("{n}").as_str().into());
        }
        (meta.start, meta.end) = (at("1"), at("2"));
        meta.tags = vec![
            Tag::new("toy", "a", "1"),
            Tag::new("toy", "b", "2").about(TagSubject::Recording),
        ];
        meta
    };
    let names: Vec<_> = full()
        .names()
        .map(|(field, key)| format!("{} {key}", field.name()))
        .collect();
    assert_eq!(
        names,
        [
            "speaker 0",
            "gender 1",
            "language 2",
            "recording 3",
            "channel 4"
        ]
    );
    for field in SourceField::ALL {
        let mut meta = full();
        assert!(meta.has(*field) && !meta.is_empty());
        meta.clear_field(*field);
        let left = SourceField::ALL.iter().filter(|other| meta.has(**other));
        assert_eq!(left.count(), 5, "{}", field.name());
        assert!(!meta.has(*field));
        // A tag of the recording goes with it.
        assert_eq!(
            meta.tags.len(),
            if *field == SourceField::Recording {
                1
            } else {
                2
            }
        );
    }
    let mut meta = full();
    meta.start = None;
    assert!(meta.has(SourceField::Place), "its end is known");
    meta.clear_source();
    assert_eq!(meta.tags, [Tag::new("toy", "a", "1")]);
    meta.frame_shift = at("0.01");
    meta.clear();
    assert!(meta.is_empty());
}

#[test]
fn a_gender_has_a_letter_if_it_is_understood() {
    for (gender, letter) in [
        ("m", Some("m")),
        ("Male", Some("m")),
        ("F", Some("f")),
        ("female", Some("f")),
        ("MALE", None),
        ("x", None),
    ] {
        let meta = Meta {
            gender: Some(gender.into()),
            ..Meta::default()
        };
        assert_eq!(meta.gender_letter(), letter.map(str::as_bytes), "{gender}");
    }
    assert_eq!(Meta::default().gender_letter(), None);
}

#[test]
fn tags_about_what_changed_are_forgotten() {
    let tags = vec![
        Tag::new("toy", "a", "1").about(TagSubject::Frames),
        Tag::new("toy", "b", "2").about(TagSubject::Columns),
        Tag::new("toy", "c", "3").about(TagSubject::Frames),
    ];
    let mut meta = Meta {
        tags,
        ..Meta::default()
    };
    assert_eq!(meta.forget(TagSubject::Frames).unwrap().key, b"a");
    assert_eq!(meta.tags, [Tag::new("toy", "b", "2")]);
    assert_eq!(meta.forget(TagSubject::Frames), None);
}

fn sound() -> Waveform {
    let samples = Matrix::from_rows(&[1i16, 2, 3, 4], 2, Rank::Matrix).unwrap();
    Waveform { rate: 8, samples }
}

#[test]
fn sound_is_samples_a_file_or_a_place() {
    let facts = |rate, samples, duration| RecordingFacts {
        rate,
        channels: Some(2),
        samples,
        duration,
    };
    let mut place = AudioReference::new(Locator::file("a.wav"));
    place.recording = facts(Some(8), None, at("0.5"));
    let file = EncodedAudio {
        format: "wav".to_owned(),
        bytes: vec![0; 44],
        facts: facts(Some(8), Some(2), None),
    };
    let [mut samples, mut file, mut place] = [
        Audio::from(sound()),
        Audio::Encoded(file),
        Audio::Reference(place),
    ];
    assert_eq!(samples.facts(), facts(Some(8), Some(2), None).whole());
    assert_eq!(file.facts().seconds(), Some(0.25));
    assert_eq!(place.facts().seconds(), Some(0.5));
    let loaded = [&samples, &file, &place].map(|audio| audio.waveform().is_some());
    assert_eq!(loaded, [true, false, false]);
    let loaded = [&mut samples, &mut file, &mut place].map(|audio| audio.waveform_mut().is_some());
    assert_eq!(loaded, [true, false, false]);
    let named = [&samples, &file, &place].map(|audio| audio.reference().is_some());
    assert_eq!(named, [false, false, true]);
    let rates = [samples, file, place].map(|audio| audio.into_waveform().rate);
    assert_eq!(rates, [8, 0, 0]);
    let mut utt = Utterance {
        audio: Some(sound().into()),
        ..Utterance::default()
    };
    assert_eq!(utt.take_waveform(), sound());
    assert_eq!(
        (utt.audio.is_none(), utt.take_waveform()),
        (true, Waveform::default())
    );
}

#[test]
fn the_time_of_sound_is_exact_where_it_can_be() {
    for (rate, samples, duration, time) in [
        (Some(8), Some(2), None, at("0.25")),
        // Counted samples go before what is said of the duration.
        (Some(8), Some(2), at("9"), at("0.25")),
        (Some(8), None, at("9"), at("9")),
        (Some(0), Some(2), at("9"), at("9")),
        (None, Some(2), None, None),
        (Some(3), Some(1), None, Decimal::of(1.0 / 3.0)),
    ] {
        let facts = RecordingFacts {
            rate,
            channels: None,
            samples,
            duration,
        };
        assert_eq!(facts.time(), time, "{rate:?} {samples:?} {duration:?}");
        assert_eq!(facts.seconds(), time.map(Decimal::value));
    }
    let mut place = AudioReference::new(Locator::file("a.wav"));
    assert_eq!(place.facts().time(), None);
    place.duration = at("0.3");
    assert_eq!(place.facts().time(), at("0.3"));
    place.span = Span::new(None, at("0.75"));
    assert_eq!(place.facts().time(), at("0.75"));
    place.span = Span::new(at("0.5"), at("0.75"));
    assert_eq!(place.facts().time(), at("0.25"));
    place.recording = RecordingFacts {
        channels: Some(2),
        ..RecordingFacts::default()
    };
    place.channel = Some(1);
    assert_eq!(place.facts().channels(), Some(1));
}

#[test]
fn an_utterance_lasts_as_long_as_the_first_that_is_known_says() {
    let shift = at("0.01");
    let mut utt = Utterance::default();
    assert_eq!(utt.duration(shift), None);
    utt.tiers = vec![Tier::only(vec![
        Segment::new(Decimal::ZERO, at("9"), b"a"),
        Segment::new(Decimal::ZERO, at("8"), b"b"),
    ])];
    assert_eq!(utt.duration(shift), at("9"));
    (utt.meta.start, utt.meta.end) = (at("1"), at("8"));
    assert_eq!(utt.duration(shift), at("7"));
    utt.labels = Some(Matrix::from_rows(&[1i32; 600], 1, Rank::Matrix).unwrap());
    assert_eq!(utt.duration(None), at("7"));
    assert_eq!(utt.duration(shift), at("6"));
    utt.meta.frame_shift = at("0.005");
    assert_eq!(utt.duration(shift), at("3"));
    utt.features = Some(Matrix::default());
    assert_eq!(utt.duration(shift), at("0"), "features without frames");
    utt.audio = Some(Audio::Reference(AudioReference::new(Locator::file(
        "a.wav",
    ))));
    assert_eq!(utt.duration(shift), at("0"));
    utt.audio = Some(sound().into());
    assert_eq!(utt.duration(shift), at("0.25"));
}

#[test]
fn objects_have_a_kind_a_size_and_frames() {
    let lists = |lists: &[&[i32]]| lists.iter().copied().collect::<Lists<i32>>();
    let posterior = |lists: &[&[(i32, f32)]]| lists.iter().copied().collect::<Lists<_>>();
    // The ends of lists have eight bytes.
    let cases = [
        (Object::Int(3), "int32", 0, 0),
        (Object::Bool(true), "bool", 0, 0),
        (
            Object::IntLists(lists(&[&[1, 2], &[]])),
            "int32-vector-vector",
            8 + 16,
            2,
        ),
        (Object::IntPairs(vec![[1, 2]]), "int32-pair-vector", 8, 0),
        (
            Object::FloatPairs(vec![[1.0, 2.0]; 2]),
            "float-pair-vector",
            16,
            0,
        ),
        (Object::Floats(vec![1.0; 3]), "basic-float-vector", 12, 0),
        (
            Object::Posterior(posterior(&[&[(1, 0.5)]])),
            "posterior",
            8 + 8,
            1,
        ),
        (
            Object::GaussPosterior(GaussPosterior::default()),
            "gauss-posterior",
            0,
            0,
        ),
        (Object::Token(b"one".to_vec()), "token", 3, 0),
        (
            Object::Tokens([&b"one"[..], b"two"].into_iter().collect()),
            "token-vector",
            6 + 16,
            0,
        ),
        (Object::opaque("CuMatrix", vec![0; 9]), "CuMatrix", 9, 0),
    ];
    for (object, kind, bytes, frames) in cases {
        assert_eq!(object.kind(), kind);
        assert_eq!((object.bytes(), object.frames()), (bytes, frames), "{kind}");
        let utt = Utterance {
            object: Some(object),
            ..Utterance::default()
        };
        assert_eq!(utt.bytes(), Utterance::default().bytes() + bytes);
        let other = if kind == "token-vector" { "text" } else { kind };
        assert_eq!(utt.others().collect::<Vec<_>>(), [other]);
    }
}

#[test]
fn lists_are_put_together_item_by_item() {
    let mut lists = Lists::default();
    assert!(lists.is_empty());
    lists.push(1);
    assert!(lists.is_empty(), "it has no end yet");
    lists.push(2);
    lists.end();
    lists.end();
    lists.add(&[3]);
    assert_eq!((lists.len(), lists.items()), (3, &[1, 2, 3][..]));
    let all: Vec<_> = lists.iter().collect();
    assert_eq!(all, [&[1, 2][..], &[], &[3]]);
}

#[test]
fn an_utterance_tells_what_it_has_beside_frames() {
    let mut utt = Utterance {
        audio: Some(sound().into()),
        text: Some(b"one".to_vec()),
        tiers: vec![Tier::default()],
        ..Utterance::default()
    };
    assert_eq!(
        utt.others().collect::<Vec<_>>(),
        ["audio", "segments", "text"]
    );
    assert_eq!(
        (utt.other(), utt.said().as_deref()),
        (Some("audio"), Some(&b"one"[..]))
    );
    assert_eq!(utt.segments(), Some(&[][..]));
    utt.tiers.push(Tier::default());
    assert_eq!(utt.segments(), None, "there are two tiers");
    utt.clear_others();
    assert_eq!((utt.other(), utt.said()), (None, None));
    utt.object = Some(Object::Tokens([&b"one"[..], b"two"].into_iter().collect()));
    assert_eq!(utt.said().as_deref(), Some(&b"one two"[..]));
}

#[test]
fn tables_of_labels_have_a_first_and_a_last() {
    let table = LabelTable::new(5, vec![10, 20]);
    assert_eq!(table.range(), Some((5, 6)));
    let found = [4, 5, 6, 7, i64::MIN].map(|label| table.get(label));
    assert_eq!(found, [None, Some(10), Some(20), None, None]);
    assert_eq!(LabelTable::default().range(), None);
    assert_eq!(
        [Severity::Fault, Severity::Note].map(Severity::name),
        ["fault", "note"]
    );
    let names = [KeySource::Stored, KeySource::SideFile, KeySource::Generated].map(KeySource::name);
    assert_eq!(names, ["stored", "sidecar", "generated"]);
}
