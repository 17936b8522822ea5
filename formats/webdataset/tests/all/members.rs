//! What members become, and what becomes of members that are none of their kind.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::{FieldSet, Format, Registry, Request, create};
use spr_core::model::{About, Array, Audio, Dtype, Matrix, NamedArray, Rank, Tag, Utterance};
use spr_core::{Limits, Result};
use spr_format_webdataset::FORMAT;
use spr_testkit::damaged::with_member_kind;
use spr_testkit::faults::{Drained, read_asked};
use spr_testkit::{generate, memory_within, write_memory};

use crate::archives::{archive, options};

pub(crate) fn env() -> Env {
    let formats: [&'static dyn Format; 3] = [
        &spr_format_audio::WAV,
        &spr_format_audio::FLAC,
        &spr_format_numpy::FORMAT,
    ];
    Env::default().with_formats(Registry::new(formats))
}

/// Reads an archive, and returns what was told as well.
fn asked(bytes: Vec<u8>, request: Request) -> (Drained, Vec<String>) {
    let (env, told) = spr_testkit::listening(&env());
    let source = Source::from_bytes("x.tar", bytes).unwrap();
    let drained = read_asked(&FORMAT, &options(&[]), source, request, &env);
    let told = told.lock().unwrap().clone();
    (drained, told)
}

/// Reads one sample.
fn sample<T: AsRef<[u8]>>(members: &[(&str, T)]) -> Result<Utterance> {
    let (drained, _) = asked(archive(members), Request::all());
    drained.whole().map(|mut all| all.pop().unwrap())
}

fn npy(utt: Utterance) -> Vec<u8> {
    write_memory(&spr_format_numpy::FORMAT, &[], &[utt]).unwrap()
}

fn npy_of(matrix: Matrix) -> Vec<u8> {
    npy(Utterance {
        features: Some(matrix),
        ..Utterance::default()
    })
}

/// A file with an array of this shape, which has one value.
fn npy_cube() -> Vec<u8> {
    let array = Array::new(Dtype::F32, &[1, 1, 1], &Limits::default()).unwrap();
    let name = "array".to_owned();
    npy(Utterance {
        arrays: vec![NamedArray { name, array }],
        ..Utterance::default()
    })
}

fn matrix<T: spr_core::model::Element>(values: &[T], cols: usize, rank: Rank) -> Matrix {
    Matrix::from_rows(values, cols, rank).unwrap()
}

#[test]
fn classes_and_json_that_is_no_object_are_kept() {
    let column = |value: &str| Tag::new("manifest", "cls", value);
    let member = |key: &str, value: &str| Tag::new("webdataset", key, value);
    for (name, data, tag) in [
        ("a.cls", "7\n", column("7")),
        ("a.cls", " -12", column("-12")),
        ("a.cls", "0", column("0")),
        // A number that JSON does not write like this is kept to the letter.
        ("a.cls", "007\n", member("cls", "007\n")),
        ("a.cls", "-", member("cls", "-")),
        ("a.cls", "1.0", member("cls", "1.0")),
        ("a.cls", "cat", member("cls", "cat")),
        ("a.json", "[1, 2]", member("json", "[1, 2]")),
        ("a.json", "\"x\"", member("json", "\"x\"")),
        ("a.json", "{\"x\": 1.50}", Tag::new("manifest", "x", "1.50")),
        ("a.pyd", "\u{80}\n", member("pyd", "\u{80}\n")),
        ("a.seg.JSON", "{", member("seg.json", "{")),
    ] {
        let mut utt = sample(&[(name, data)]).unwrap();
        assert_eq!(utt.meta.tags, std::slice::from_ref(&tag), "{name} {data}");
        utt.text = Some("words".into());
        // And all of them are written as they were.
        let written = memory_within(&FORMAT, &options(&[]), &[utt], &env()).unwrap();
        let (again, _) = asked(written, Request::all());
        assert_eq!(again.whole().unwrap()[0].meta.tags, [tag]);
    }
    let error = sample(&[("a.json", "{")]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("x.tar (a.json): utterance a: "),
        "{error}"
    );
}

#[test]
fn text_has_no_line_end_and_may_be_packed() {
    // gzip of CPython.
    let packed = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff\xcb\xc8\xe4\x02\0zzo\xed\x03\0\0\0";
    for (name, data, text) in [
        ("a.txt", &b"x\r\n"[..], "x"),
        ("a.text", b"x\n\n", "x\n"),
        ("a.transcript", b"x\r", "x\r"),
        ("a.txt", b"", ""),
        ("a.txt.gz", packed, "hi"),
        ("a.json", b"{\"text\": \"said\\n\"}", "said\n"),
    ] {
        let utt = sample(&[(name, data)]).unwrap();
        assert_eq!(utt.text.as_deref(), Some(text.as_bytes()), "{name}");
    }
    // The same text once more says nothing, another one is a column.
    let both = |json: &str| {
        let members = [("a.txt", "x"), ("a.json", json)];
        sample(&members).unwrap().meta.tags
    };
    assert_eq!(both("{\"text\": \"x\"}"), []);
    let column = Tag::new("manifest", "manifest:text", "\"y\"");
    let other = both("{\"text\": \"y\"}");
    assert_eq!((other.len(), &other[0].value), (1, &column.value));
}

#[test]
fn numbers_are_of_the_kind_that_their_extension_says() {
    let floats = npy_of(matrix(&[0.5f32, 1.0, 2.0, 3.0], 2, Rank::Matrix));
    let vector = npy_of(matrix(&[1i32, 2, 3], 1, Rank::Vector));
    let scalar = npy_of(matrix(&[7i64], 1, Rank::Scalar));
    let utt = sample(&[("a.npy", &floats), ("a.ali.npy", &vector)]).unwrap();
    assert_eq!(
        utt.features.as_ref().map(|f| (f.rows(), f.cols())),
        Some((2, 2))
    );
    assert_eq!(utt.labels.unwrap().values::<i32>().unwrap(), [1, 2, 3]);
    for (data, shape) in [
        (&floats, &[2, 2][..]),
        (&vector, &[3]),
        (&scalar, &[]),
        (&npy_cube(), &[1, 1, 1]),
    ] {
        let utt = sample(&[("a.em%62.npy", data)]).unwrap();
        assert_eq!(
            (utt.arrays[0].name.as_str(), utt.arrays[0].array.shape()),
            ("emb", shape)
        );
    }
    for (name, data, message) in [
        ("a.npy", npy_cube(), "features of more than two dimensions"),
        (
            "a.labels.npy",
            scalar,
            "a single number, expected labels of frames",
        ),
        ("a.labels.npy", floats, "labels of f32, expected integers"),
        (
            "a.labels.npy",
            npy_cube(),
            "features of more than two dimensions",
        ),
    ] {
        let error = sample(&[(name, data)]).unwrap_err();
        let place = format!("x.tar ({name}): utterance a: ");
        assert_eq!(error.to_string(), format!("{place}{message}"));
        assert!(error.can_continue());
    }
}

#[test]
fn what_is_not_asked_for_is_not_read() {
    let rubbish = &b"rubbish"[..];
    let all = [
        ("a.npy", rubbish),
        ("a.labels.npy", rubbish),
        ("a.emb.npy", rubbish),
        ("a.wav", rubbish),
        ("a.txt", b"text"),
    ];
    let (drained, _) = asked(archive(&all), Request::names());
    let utts = drained.whole().unwrap();
    assert_eq!(
        (utts[0].key.to_string().as_str(), &utts[0].text),
        ("a", &None)
    );
    let text = FieldSet {
        text: true,
        ..FieldSet::NONE
    };
    let (drained, _) = asked(archive(&all), Request::all().parts(text));
    assert_eq!(
        drained.whole().unwrap()[0].text.as_deref(),
        Some(&b"text"[..])
    );
}

#[test]
fn one_of_sound_and_features_is_chosen_by_the_target() {
    let wav = generate::encoded("wav", 4).bytes;
    let features = npy_of(matrix(&[0.5f32], 1, Rank::Matrix));
    let all = [
        ("a.wav", &wav),
        ("b.npy", &features),
        ("b.wav", &wav),
        ("c.npy", &features),
        ("d.npy", &features),
        ("d.wav", &wav),
    ];
    let has = |utt: &Utterance| (utt.audio.is_some(), utt.features.is_some());
    for (forms, left, expected) in [
        (
            FieldSet {
                audio: true,
                ..FieldSet::NONE
            },
            "the features are left out in favour of the sound",
            [(true, false), (true, false), (false, true), (true, false)],
        ),
        (
            FieldSet {
                features: true,
                ..FieldSet::NONE
            },
            "the sound is left out in favour of the features",
            [(true, false), (false, true), (false, true), (false, true)],
        ),
    ] {
        let (drained, told) = asked(archive(&all), Request::all().forms(forms));
        let utts = drained.whole().unwrap();
        assert_eq!(utts.iter().map(has).collect::<Vec<_>>(), expected);
        assert_eq!(
            told,
            [format!("x.tar: utterance b: {left}, here and below")]
        );
    }
    let (drained, told) = asked(archive(&all), Request::all());
    assert_eq!(has(&drained.whole().unwrap()[1]), (true, true));
    assert_eq!(told, [""; 0]);
}

#[test]
fn members_that_are_no_files_are_passed_over() {
    let plain = archive(&[("a.txt", "one"), ("x.txt", ""), ("b.txt", "two")]);
    for (kind, told) in [
        (b'5', &[][..]),
        (
            b'1',
            &["x.tar@1024: utterance x.txt: is a link, which is not followed"],
        ),
        (
            b'2',
            &["x.tar@1024: utterance x.txt: is a link, which is not followed"],
        ),
        (
            b'6',
            &["x.tar@1024: utterance x.txt: is no file, and is passed over"],
        ),
    ] {
        let (drained, warnings) =
            asked(with_member_kind(plain.clone(), 1024, kind), Request::all());
        let keys: Vec<_> = drained
            .whole()
            .unwrap()
            .iter()
            .map(|utt| utt.key.to_string())
            .collect();
        assert_eq!(
            (keys.join(" ").as_str(), warnings),
            ("a b", told.iter().map(ToString::to_string).collect())
        );
    }
    // An extension that is no text.
    let mut bytes = archive(&[("a.txt", "one"), ("x.txt", "")]);
    bytes[1024 + 3] = 0xff;
    let (drained, _) = asked(with_member_kind(bytes, 1024, b'0'), Request::all());
    let errors: Vec<_> = drained.errors.iter().map(ToString::to_string).collect();
    assert!(
        errors[0].contains("has an extension that is not UTF-8"),
        "{errors:?}"
    );
}

#[test]
fn members_that_would_not_come_back_are_refused() {
    let tagged = |key: &str, value: &str| Utterance {
        key: "a".into(),
        text: Some("words".into()),
        meta: spr_core::model::Meta {
            tags: vec![Tag::new("webdataset", key, value)],
            ..Default::default()
        },
        ..Utterance::default()
    };
    for (utt, message) in [
        (
            tagged("PYD", "x"),
            "the header line PYD of webdataset is no member that is read back",
        ),
        (
            tagged("x/y", "x"),
            "the header line x/y of webdataset is no member that is read back",
        ),
        (tagged("x\ny", "x"), "is no member that is read back"),
        (
            tagged("wav", "x"),
            "the header line wav of webdataset is no member that is read back",
        ),
        (tagged("npy", "x"), "is no member that is read back"),
        (
            tagged("text", "x"),
            "the header line text of webdataset is no member that is read back",
        ),
        (
            Utterance {
                text: Some("words\n".into()),
                ..tagged("pyd", "x")
            },
            "the text ends in a line end, which is no part of it when it is read",
        ),
        (
            {
                let mut utt = tagged("json", "[1]");
                utt.meta.speaker = Some("ann".into());
                utt
            },
            "has two members .json",
        ),
    ] {
        let error = memory_within(&FORMAT, &options(&[]), &[utt], &env()).unwrap_err();
        assert!(error.to_string().contains(message), "{message}: {error}");
        assert!(error.can_continue() && error.key().is_some(), "{error}");
    }
    for (name, value) in [
        ("sound", "npy"),
        ("features", "wav"),
        ("text", "json"),
        ("labels", ""),
    ] {
        let error = FORMAT.caps(&options(&[(name, value)]), spr_core::format::Medium::File);
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains(&format!(
                "option {name}: '{value}' is no extension of {name}"
            )),
            "{error}"
        );
    }
}

#[test]
fn sound_in_an_archive_is_named() {
    let store = MemoryStore::new();
    let env = env().with_store(Arc::new(store.clone()));
    let wav = generate::encoded("wav", 4).bytes;
    store.insert("x.tar", archive(&[("a.wav", &wav)]));
    let source = env.open_file(&"x.tar".into()).unwrap();
    let drained = read_asked(&FORMAT, &options(&[]), source, Request::all(), &env);
    let Some(Audio::Reference(sound)) = &drained.whole().unwrap()[0].audio else {
        panic!("no reference")
    };
    assert_eq!(sound.at, Locator::FileAt("x.tar".into(), 512));
    assert_eq!(
        (sound.len, sound.recording.samples),
        (Some(wav.len() as u64), Some(5))
    );
    // Written, it is the file that it was.
    let utt = Utterance {
        key: "b".into(),
        audio: Some(Audio::Reference(sound.clone())),
        ..Utterance::default()
    };
    let output = env.output(&Locator::file("y.tar"));
    let mut writer = create(&FORMAT, output, &options(&[]), &About::default(), &env).unwrap();
    let error = writer.write(&utt).unwrap_err();
    assert!(error.can_continue(), "{error}");
}

#[test]
fn matrices_and_escaped_keys_come_back() {
    let utt = Utterance {
        key: "__x__/a.b".into(),
        features: Some(matrix(&[0.5f32, 1.0], 2, Rank::Matrix)),
        labels: Some(matrix(&[7i32], 1, Rank::Vector)),
        ..Utterance::default()
    };
    let escape = options(&[("names", "escape")]);
    let bytes = memory_within(&FORMAT, &escape, std::slice::from_ref(&utt), &env()).unwrap();
    let (drained, told) = asked(bytes, Request::all());
    let found = &drained.whole().unwrap()[0];
    assert_eq!((&found.key, &found.features), (&utt.key, &utt.features));
    assert_eq!((&found.labels, told.len()), (&utt.labels, 0));
}
