//! What is written comes back.

use spr_core::bytes::{Codec, Env, MemoryStore};
use spr_core::format::Format;
use spr_core::format::Request;
use spr_core::model::{
    Audio, EncodedAudio, Key, Matrix, NamedArray, Rank, Segment, Tier, Utterance,
};
use spr_format_manifest::{LHOTSE, SHAR};

use super::{features, full, names, plain, read, read_all, sound, surroundings, time, write};

/// The utterances in the order of their tags and arrays, which a Shar does not keep.
fn sorted(mut utts: Vec<Utterance>) -> Vec<Utterance> {
    for utt in &mut utts {
        utt.meta
            .tags
            .sort_by(|a, b| (&a.format, &a.key).cmp(&(&b.format, &b.key)));
        utt.arrays.sort_by(|a, b| a.name.cmp(&b.name));
    }
    utts
}

#[test]
fn everything_comes_back_in_shards() {
    let (store, env) = surroundings();
    let mut late = plain("b", 3);
    late.features = Some(features(2, 0.0));
    late.meta.frame_shift = Some(time("0.01"));
    // Two channels, the first features in the second shard, everything in the third.
    let stereo = Utterance {
        audio: Some(sound(100, 2, 5)),
        ..plain("s", 1)
    };
    let utts = vec![plain("a", 1), stereo, late, plain("c", 9), full()];
    for pairs in [
        &[("shard-size", "2")][..],
        &[
            ("shard-size", "2"),
            ("sound", "wav"),
            ("jsonl", "note+none"),
        ],
        &[("shard-size", "1"), ("first", "7")],
        &[],
    ] {
        let written = write(&utts, pairs, &env).unwrap();
        assert_eq!((written.utterances, written.frames), (5, 6));
        let files = names(&env);
        assert_eq!(sorted(read(&[], &env)), sorted(utts.clone()), "{pairs:?}");
        let bytes: Vec<_> = files
            .iter()
            .map(|name| store.get(format!("d/{name}")))
            .collect();
        write(&utts, pairs, &env).unwrap();
        let again: Vec<_> = files
            .iter()
            .map(|name| store.get(format!("d/{name}")))
            .collect();
        assert_eq!(bytes, again);
    }
    let fields = ["cube", "cuts", "emb", "features", "labels", "recording"];
    let expected = fields.map(|field| match field {
        "cuts" => "cuts.000000.jsonl.gz".to_owned(),
        _ => format!("{field}.000000.tar"),
    });
    assert_eq!(names(&env), expected);
    let listed = names(&env);
    let listed: Vec<_> = listed.iter().map(String::as_str).collect();
    assert!(SHAR.folder().unwrap().fits(&listed) && !LHOTSE.folder().unwrap().fits(&listed));
}

#[test]
fn every_shard_has_a_file_of_every_field() {
    let (_, env) = surroundings();
    let mut last = plain("c", 2);
    last.arrays = vec![NamedArray {
        name: "emb".to_owned(),
        array: spr_core::model::Array::of(
            Matrix::from_rows(&[1f32], 1, Rank::Vector).unwrap(),
            &[1],
        )
        .unwrap(),
    }];
    write(
        &[plain("a", 1), plain("b", 1), last],
        &[("shard-size", "1")],
        &env,
    )
    .unwrap();
    let emb = |name: &String| name.starts_with("emb.");
    assert_eq!(names(&env).iter().filter(|name| emb(name)).count(), 3);
    // No utterances are a shard without cuts.
    let (_, env) = surroundings();
    write(&[], &[("jsonl", "note")], &env).unwrap();
    assert_eq!(
        names(&env),
        ["cuts.000000.jsonl.gz", "note.000000.jsonl.gz"]
    );
    assert_eq!(read(&[], &env), []);
}

#[test]
fn files_of_sound_are_kept() {
    let (_, env) = surroundings();
    write(&[plain("a", 1)], &[("sound", "flac")], &env).unwrap();
    let request = Request::all();
    let opened = request.open_folder(&SHAR, &"d".into(), &[], &super::options(&[]), &env);
    let mut utt = Utterance::default();
    assert!(
        opened
            .unwrap()
            .into_stream()
            .unwrap()
            .read(&mut utt)
            .unwrap()
    );
    let Some(Audio::Reference(reference)) = &utt.audio else {
        panic!("{:?}", utt.audio)
    };
    let mut source = env
        .open(&reference.at)
        .unwrap()
        .limited(reference.len.unwrap())
        .unwrap();
    let bytes = source.rest("a file", &env.limits).unwrap();
    let encoded = Utterance {
        audio: Some(Audio::Encoded(EncodedAudio {
            format: "flac".to_owned(),
            bytes: bytes.clone(),
            facts: reference.recording,
        })),
        ..plain("a", 1)
    };
    for form in ["flac", "original"] {
        write(std::slice::from_ref(&encoded), &[("sound", form)], &env).unwrap();
        let back = read(&[], &env);
        assert_eq!(back[0].audio, plain("a", 1).audio, "{form}");
    }
}

/// Packs the tar files, whose members have no place any more.
fn pack(store: &MemoryStore, env: &Env) {
    for name in names(env).iter().filter(|name| name.ends_with(".tar")) {
        let bytes = store.remove(format!("d/{name}")).unwrap();
        let output = env.output(&spr_core::bytes::Locator::file(format!("d/{name}.gz")));
        let mut sink = output.create(spr_core::bytes::Part::Main, false).unwrap();
        sink.put(&bytes).unwrap();
        sink.finish().unwrap();
        output.commit().unwrap();
        let packed = store.get(format!("d/{name}.gz")).unwrap();
        assert!(Codec::detect(&packed).is_some());
    }
}

#[test]
fn packed_tar_files_are_read_alike() {
    let (store, env) = surroundings();
    let utts = vec![plain("a", 1), full()];
    write(&utts, &[], &env).unwrap();
    pack(&store, &env);
    assert_eq!(sorted(read(&[], &env)), sorted(utts));
}

#[test]
fn cuts_of_several_supervisions_are_divided() {
    for packed in [false, true] {
        let (store, env) = surroundings();
        let mut utt = plain("c", 4);
        utt.audio = Some(sound(800, 1, 4));
        utt.features = Some(features(10, 0.5));
        utt.labels =
            Some(Matrix::from_rows(&[0i32, 1, 2, 3, 4, 5, 6, 7, 8, 9], 1, Rank::Vector).unwrap());
        utt.meta.frame_shift = Some(time("0.01"));
        utt.text = Some("x".into());
        write(&[utt.clone()], &[], &env).unwrap();
        let cuts = lines(&store, &env);
        let one = r#"{"id": "c", "recording_id": "c", "start": 0.0, "duration": 0.1, "channel": 0, "text": "x"}"#;
        assert!(cuts.contains(one), "{cuts}");
        let two = concat!(
            r#"{"id": "p", "recording_id": "c", "start": 0.02, "duration": 0.03, "channel": 0, "text": "x"}, "#,
            r#"{"id": "q", "recording_id": "c", "start": 0.05, "duration": 0.05, "channel": 0, "text": "y"}"#
        );
        store.remove("d/cuts.000000.jsonl.gz");
        store.insert("d/cuts.000000.jsonl", cuts.replace(one, two).into_bytes());
        if packed {
            pack(&store, &env);
        }
        let back = read(&[], &env);
        let whole = utt
            .waveform()
            .unwrap()
            .samples
            .values::<i16>()
            .unwrap()
            .to_vec();
        for (utt, key, frames) in [(&back[0], "p", 2..5), (&back[1], "q", 5..10)] {
            assert_eq!(utt.key, Key::from(key));
            let samples = utt.waveform().unwrap().samples.values::<i16>().unwrap();
            assert_eq!(samples, &whole[80 * frames.start..80 * frames.end]);
            let labels: Vec<i32> = frames.clone().map(|n| i32::try_from(n).unwrap()).collect();
            assert_eq!(
                utt.labels.as_ref().unwrap().values::<i32>().unwrap(),
                labels
            );
            assert_eq!(utt.features.as_ref().unwrap().rows(), frames.len());
        }
        let (some, _) =
            read_all(Request::all().keys(|key| key.as_bytes() == b"q"), &[], &env).unwrap();
        assert_eq!(some, back[1..]);
    }
}

/// The text of the cuts.
pub(crate) fn lines(_: &MemoryStore, env: &Env) -> String {
    let mut source = env.open_file(&"d/cuts.000000.jsonl.gz".into()).unwrap();
    String::from_utf8(source.rest("cuts", &env.limits).unwrap()).unwrap()
}

#[test]
fn fields_can_be_chosen() {
    let (_, env) = surroundings();
    write(&[full()], &[], &env).unwrap();
    let one = |pairs: &[(&str, &str)]| read(pairs, &env).pop().unwrap();
    let utt = one(&[("fields", "recording+emb")]);
    assert!(utt.audio.is_some() && utt.features.is_none() && utt.labels.is_none());
    assert_eq!(utt.arrays.len(), 1);
    let utt = one(&[("labels", "none")]);
    assert!(utt.labels.is_none());
    assert!(utt.arrays.iter().any(|array| array.name == "labels"));
    for (pairs, message) in [
        ([("fields", "rec")], "there is no field 'rec'"),
        ([("labels", "rec")], "there is no field 'rec'"),
        (
            [("labels", "cube")],
            "labels are integers with a frame shift",
        ),
    ] {
        let read = read_all(Request::all(), &pairs, &env);
        let error = match read {
            Ok((_, mut errors)) => errors.remove(0),
            Err(error) => error,
        };
        assert!(error.to_string().contains(message), "{error}");
    }
    // Only what is asked for is decoded.
    let audio = |request: Request| read_all(request, &[], &env).unwrap().0.remove(0);
    let mut forms = spr_core::format::FieldSet::ALL;
    forms.audio = false;
    assert!(audio(Request::all().forms(forms)).audio.is_none());
    assert!(audio(Request::names()).features.is_none());
}

#[test]
fn what_has_no_place_is_refused() {
    let (_, env) = surroundings();
    let keyed = |key: &[u8]| Utterance {
        key: key.into(),
        ..plain("a", 1)
    };
    let array = |name: &str| Utterance {
        arrays: vec![NamedArray {
            name: name.to_owned(),
            array: full().arrays.remove(0).array,
        }],
        ..plain("a", 1)
    };
    let mut segments = plain("a", 1);
    segments.tiers = vec![Tier::only(vec![Segment::new(
        time("1"),
        Some(time("2")),
        b"x",
    )])];
    let mut twice = array("snr");
    twice.meta.tags = full().meta.tags;
    let shifted = |audio: bool, shift: bool| {
        let mut utt = full();
        utt.audio.take_if(|_| !audio);
        utt.meta.frame_shift.take_if(|_| !shift);
        utt
    };
    let mut labels = shifted(true, false);
    labels.features = None;
    for (utt, message) in [
        (keyed(b"\xff"), "UTF-8"),
        (keyed(b""), "cannot be a path"),
        (keyed(b"a//b"), "cannot be a path"),
        (keyed(b"a/../b"), "cannot be a path"),
        (keyed(b"a\0"), "cannot be a path"),
        (array("a.b"), "cannot be the name of a field"),
        (array("cuts"), "cannot be the name of a field"),
        (array("duration"), "cannot be the name of a field"),
        (array("labels"), "the name of a field"),
        (twice, "an array and a column called 'snr'"),
        (segments, "segments after its end"),
        (shifted(true, false), "frame shift is unknown"),
        (shifted(false, true), "nobody knows the rate"),
        (labels, "labels whose frame shift is unknown"),
        (
            Utterance {
                audio: None,
                text: Some(b"x".to_vec()),
                ..plain("a", 1)
            },
            "neither sound nor frames",
        ),
        (
            Utterance {
                audio: Some(sound(0, 1, 1)),
                ..plain("a", 1)
            },
            "sound without samples",
        ),
    ] {
        let error = write(&[utt], &[], &env).unwrap_err();
        assert!(
            error.can_continue() && error.to_string().contains(message),
            "{error}"
        );
    }
    for (pairs, message) in [
        ([("tick", "-5")], "only features=lilcom rounds"),
        ([("shard-size", "0")], "expected 1 or more"),
        ([("labels", "a.b")], "cannot be the name of a field"),
        ([("sound", "mp3")], "not a valid value"),
    ] {
        let error = write(&[], &pairs, &env).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn features_alone_last_as_long_as_their_frames() {
    let (store, env) = surroundings();
    let mut utt = full();
    utt.audio = None;
    utt.tiers.clear();
    let written = write(
        &[utt.clone()],
        &[("rate", "16000"), ("features", "lilcom")],
        &env,
    )
    .unwrap();
    assert!(!written.rounded.is_empty());
    assert!(lines(&store, &env).contains("\"duration\": 0.04"));
    let back = read(&[], &env).remove(0);
    let values = |utt: &Utterance| {
        utt.features
            .as_ref()
            .unwrap()
            .values::<f32>()
            .unwrap()
            .to_vec()
    };
    for (a, b) in values(&back).iter().zip(values(&utt)) {
        assert!((a - b).abs() <= 1.0 / 64.0);
    }
}
