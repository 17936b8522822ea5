//! Arrays in archives and tensors: what has no place there, lookup, weights, and long arrays in chunks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::path::Path;
use std::sync::Arc;

use spr_core::bytes::{Env, Location, Locator, MemoryStore, Source};
use spr_core::format::{
    ChunkSupport, Claim, Format, ObjectBounds, OpenedDataset, Options, Probe, Request, Score,
    create,
};
use spr_core::model::{About, Array, Matrix, NamedArray, Rank, RecordingFacts, Utterance};
use spr_core::{ErrorKind, Remedy};
use spr_format_numpy::{FORMAT, NPZ, SAFETENSORS};
use spr_testkit::{options, read_memory, write_memory};

fn utterance(key: &str, values: &[f32]) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(values, 1, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

fn array(name: &str) -> NamedArray {
    let values = Matrix::from_rows(&[1i16, 2], 1, Rank::Vector).unwrap();
    NamedArray {
        name: name.to_owned(),
        array: Array::of(values, &[2]).unwrap(),
    }
}

#[test]
fn names_beyond_ascii_are_marked_as_utf8() {
    for (key, flags) in [("a", 8_u16), ("ü", 8 | 1 << 11)] {
        let bytes = write_memory(&NPZ, &[], &[utterance(key, &[1.0])]).unwrap();
        // Behind the signature and the version that is needed, as APPNOTE.TXT 4.3.7 and 4.3.12 have it.
        let central = bytes
            .windows(4)
            .position(|four| four == b"PK\x01\x02")
            .unwrap();
        for at in [6, central + 8] {
            assert_eq!(bytes[at..at + 2], flags.to_le_bytes(), "{key} at {at}");
        }
    }
}

type Case = (fn(&mut Utterance), &'static str);

/// Each change makes an utterance that is refused with these words, and the next one is written.
fn refused(format: &'static dyn Format, cases: &[Case]) {
    let env = Env::default().with_store(Arc::new(MemoryStore::new()));
    let output = env.output(&Locator::file("out"));
    let (about, plain) = (About::default(), Options::default());
    let mut writer = create(format, output.clone(), &plain, &about, &env).unwrap();
    writer.write(&utterance("first", &[1.0])).unwrap();
    for (change, message) in cases {
        let mut utt = utterance("x", &[1.0]);
        change(&mut utt);
        for error in [
            writer.accept(&utt).unwrap_err(),
            writer.write(&utt).unwrap_err(),
        ] {
            assert_eq!(error.message(), *message);
            assert!(
                error.can_continue() && error.key() == Some(&utt.key),
                "{message}"
            );
            let twice = message.starts_with("a second");
            assert_eq!(error.remedy() == Some(&Remedy::KeepOnlyOne), twice);
        }
    }
    writer.accept(&utterance("last", &[2.0])).unwrap();
    writer.write(&utterance("last", &[2.0])).unwrap();
    assert_eq!(writer.finish().unwrap().utterances, 2);
    output.commit().unwrap();
    let source = env.open_file(&"out".into()).unwrap();
    let opened = Request::all().open(format, source, &plain, &env).unwrap();
    let keys = opened
        .into_stream()
        .unwrap()
        .into_iter()
        .map(|utt| utt.unwrap().key);
    assert_eq!(keys.collect::<Vec<_>>(), ["first".into(), "last".into()]);
}

#[test]
fn names_that_would_not_come_back_are_refused() {
    let both: [Case; 6] = [
        (
            |utt| utt.key = "first".into(),
            "a second utterance with this key",
        ),
        (
            |utt| utt.key = "a.labels".into(),
            "the key ends as the name of a part does: .labels, .audio, .rate",
        ),
        (
            |utt| utt.key = "a.array.b".into(),
            "the key holds .array., as the names of arrays do",
        ),
        (
            |utt| utt.arrays = vec![array("x.audio")],
            "the array 'x.audio' ends as the name of a part does: .labels, .audio, .rate",
        ),
        (
            |utt| utt.arrays = vec![array("x"), array("x")],
            "has two arrays called 'x'",
        ),
        (
            |utt| utt.text = Some(b"a".to_vec()),
            "has text, which the format can't hold",
        ),
    ];
    refused(&NPZ, &both);
    refused(&SAFETENSORS, &both);
    refused(
        &NPZ,
        &[(
            |utt| utt.key = "k".repeat(65_532).as_str().into(),
            "the key is too long for a zip archive",
        )],
    );
    refused(
        &SAFETENSORS,
        &[(
            |utt| utt.key = b"\xff"[..].into(),
            "the key is not UTF-8, which the format can't hold",
        )],
    );
}

#[test]
fn the_level_of_packing_is_checked() {
    for (level, is_known) in [
        ("none", true),
        ("1", true),
        ("9", true),
        ("0", false),
        ("10", false),
        ("best", false),
    ] {
        let options = options(&NPZ, &[("compress", level)]).unwrap();
        let caps = NPZ.caps(&options, spr_core::format::Medium::File);
        assert_eq!(caps.is_ok(), is_known, "{level}");
        if let Err(error) = caps {
            let message = format!("option compress: '{level}' is neither none nor 1 to 9");
            assert_eq!(
                (error.kind(), error.message()),
                (ErrorKind::Usage, &*message)
            );
        }
    }
}

#[test]
fn members_are_found_in_any_order() {
    let utts = ["a", "b", "c"].map(|key| utterance(key, &[f32::from(key.as_bytes()[0])]));
    for format in [&NPZ as &dyn Format, &SAFETENSORS] {
        let bytes = write_memory(format, &[], &utts).unwrap();
        let store = MemoryStore::new();
        store.insert("x", bytes);
        let env = Env::default().with_store(Arc::new(store));
        let source = env.open_file(&"x".into()).unwrap();
        let opened = Request::all()
            .lookup()
            .open(format, source, &Options::default(), &env);
        let OpenedDataset::Table(mut table) = opened.unwrap() else {
            panic!("a stream")
        };
        assert_eq!(table.keys().unwrap(), ["a", "b", "c"].map(Into::into));
        let mut utt = Utterance::default();
        for n in [2, 0, 2] {
            assert!(table.find(&utts[n].key, &mut utt).unwrap());
            assert_eq!(utt, utts[n]);
        }
        assert!(!table.find(&"d".into(), &mut utt).unwrap());
        assert_eq!(table.find_twice().unwrap(), None);
    }
}

#[test]
fn a_directory_tells_the_weight_of_members() {
    let mut labelled = utterance("b", &[0.0; 1000]);
    labelled.labels = Some(Matrix::from_rows(&[7i32; 1000], 1, Rank::Vector).unwrap());
    let utts = [utterance("a", &[1.0, 2.0]), labelled];
    // A header of 128 bytes and the numbers of each array, and as much less as is packed.
    for (compress, expected) in [("none", [136, 128 + 4000 + 128 + 4000]), ("9", [0, 0])] {
        let bytes = write_memory(&NPZ, &[("compress", compress)], &utts).unwrap();
        let source = Source::from_bytes("x", bytes.clone()).unwrap();
        let mut weights = Vec::new();
        let weighed = NPZ.weigh(
            source,
            &Options::default(),
            &Env::default(),
            &mut |key, weight| {
                assert_eq!(weight.frames, None);
                weights.push((key.to_string(), weight.bytes.unwrap()));
                Ok(())
            },
        );
        assert!(weighed.unwrap());
        assert_eq!(
            weights.iter().map(|(key, _)| &**key).collect::<String>(),
            "ab"
        );
        match compress {
            "none" => assert_eq!([weights[0].1, weights[1].1], expected),
            _ => assert!(weights[1].1 < 400 && weights[0].1 < 136, "{weights:?}"),
        }
    }
}

/// More members than a field of 16 bits counts: the end of the directory in its wide form, as
/// PKWARE's APPNOTE 4.3.14 has it.
#[test]
fn many_members_need_the_wide_end() {
    let utts: Vec<_> = (0..65_536u32)
        .map(|n| {
            let mut utt = utterance("", &[]);
            utt.key = format!("{n}").as_str().into();
            utt.features = Some(Matrix::from_rows(&[n], 1, Rank::Scalar).unwrap());
            utt
        })
        .collect();
    let bytes = write_memory(&NPZ, &[], &utts).unwrap();
    let end = bytes.len() - 22;
    assert_eq!(bytes[end..end + 4], *b"PK\x05\x06");
    assert_eq!(bytes[end + 8..end + 12], [0xff; 4], "both counts");
    let (locator, wide) = (end - 20, end - 20 - 56);
    assert_eq!(bytes[locator..locator + 4], *b"PK\x06\x07");
    assert_eq!(bytes[wide..wide + 4], *b"PK\x06\x06");
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(number(locator + 8), wide as u64);
    assert_eq!([number(wide + 24), number(wide + 32)], [65_536; 2]);
    assert_eq!(
        number(wide + 40) + number(wide + 48),
        wide as u64,
        "size and start"
    );
    let read = read_memory(&NPZ, &[], &bytes).unwrap();
    assert!(read == utts);
}

#[test]
fn a_long_array_is_read_in_chunks() {
    const ROWS: usize = 150_000;
    let values: Vec<f32> = (0..4 * ROWS).map(|n| n as f32).collect();
    let utt = Utterance {
        features: Some(Matrix::from_rows(&values, 4, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    let bytes = write_memory(&FORMAT, &[], std::slice::from_ref(&utt)).unwrap();
    let read = |bytes: &[u8]| {
        let source = Source::from_bytes("x.npy", bytes.to_vec())?;
        let request = Request::all().chunks(ChunkSupport::Counted);
        let opened = request.open(&FORMAT, source, &Options::default(), &Env::default())?;
        let (mut reader, mut utt) = (opened.into_stream()?, Utterance::default());
        let (mut parts, mut all) = (Vec::new(), Vec::new());
        while reader.read(&mut utt)? {
            let chunk = utt.chunk.as_ref().unwrap();
            assert_eq!(chunk.rows, Some(ROWS as u64));
            parts.push((chunk.first, utt.frames(), chunk.is_last));
            all.extend_from_slice(utt.features.as_ref().unwrap().as_slice::<f32>().unwrap());
        }
        Ok::<_, spr_core::Error>((parts, all))
    };
    let (parts, all) = read(&bytes).unwrap();
    let expected = [
        (0, 65_536, false),
        (65_536, 65_536, false),
        (131_072, 18_928, true),
    ];
    assert_eq!(parts, expected);
    assert!(all == values);
    // What is missing is told at once, and what is too much at the end.
    let error = read(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!(
        (error.kind(), error.byte_offset()),
        (ErrorKind::Truncated, Some(128))
    );
    let error = read(&[&bytes[..], b"x"].concat()).unwrap_err();
    assert_eq!(error.message(), "the file goes on after the array");
}

#[test]
fn facts_of_a_data_set_do_not_stand_for_each_other() {
    let env = Env::default().with_store(Arc::new(MemoryStore::new()));
    let write = |change: fn(&mut About)| {
        let mut about = About::default();
        change(&mut about);
        let output = env.output(&Locator::file("x.safetensors")).overwrite(true);
        let mut writer = create(
            &SAFETENSORS,
            output.clone(),
            &Options::default(),
            &about,
            &env,
        )?;
        writer.write(&utterance("a", &[1.0]))?;
        writer.finish()?;
        output.commit()?;
        let source = env.open_file(&Location::from("x.safetensors"))?;
        let opened =
            Request::all().open(&SAFETENSORS, source, &Options::default(), &Env::default())?;
        let read = opened.into_stream()?.info().about.clone();
        Ok::<_, spr_core::Error>((about, read))
    };
    let (meant, read) = write(|about| {
        about.license = Some("CC0-1.0".to_owned());
        about.description = Some("numbers".to_owned());
        about.split = Some("test".to_owned());
        about
            .classes
            .insert("phone".to_owned(), vec!["a".to_owned(), "b".to_owned()]);
        about.other.insert("year".to_owned(), "2026".to_owned());
    })
    .unwrap();
    assert_eq!(meant, read);
    for own in ["license", "description", "split", "classes"] {
        let mut about = About::default();
        about.other.insert(own.to_owned(), "x".to_owned());
        let output = env.output(&Locator::Nowhere);
        let error = create(&SAFETENSORS, output, &Options::default(), &about, &env);
        let message = format!("the fact '{own}' of the data set has a meaning of its own here");
        assert_eq!(error.err().unwrap().message(), message);
    }
}

#[test]
fn a_name_is_believed_where_the_content_says_nothing() {
    for (format, name, magic) in [
        (&FORMAT as &dyn Format, "a.npy", &b"\x93NUMPY\x01\0"[..]),
        (
            &NPZ,
            "a.npz",
            b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0a.npy",
        ),
    ] {
        let score = |head: &[u8], path: &str| {
            format.probe(&Probe {
                head,
                whole: false,
                len: None,
                path: Some(Path::new(path)),
            })
        };
        assert_eq!(score(magic, "a.txt"), Score::Certain, "{name}");
        assert_eq!(score(b"what", name), Score::NameOnly, "{name}");
        assert_eq!(score(b"what", "a.txt"), Score::No, "{name}");
        assert_eq!(score(b"", name), Score::No, "{name}");
    }
}

#[test]
fn an_array_inside_a_container_is_none_of_sound_and_is_not_passed_over() {
    let bytes = write_memory(&FORMAT, &[], &[utterance("a", &[1.0, 2.0])]).unwrap();
    let nested = FORMAT.nested().unwrap();
    assert_eq!(nested.claim(&bytes), Claim::Magic);
    assert_eq!(nested.claim(b"RIFF"), Claim::No);
    let (env, mut utt) = (Env::default(), Utterance::default());
    let more = [&bytes[..], b"more"].concat();
    let mut source = Source::from_bytes("x", more).unwrap();
    assert_eq!(
        nested.facts(&mut source, &env).unwrap(),
        RecordingFacts::default()
    );
    assert!(!nested.pass(&mut source, &env).unwrap());
    assert_eq!(source.offset(), 0);
    nested
        .read(&mut source, ObjectBounds::Own, &mut utt, &env)
        .unwrap();
    assert_eq!((source.offset(), utt.frames()), (bytes.len() as u64, 2));
    source = Source::from_bytes("x", [&bytes[..], b"more"].concat()).unwrap();
    let error = nested
        .read(&mut source, ObjectBounds::Whole, &mut utt, &env)
        .unwrap_err();
    assert_eq!(error.message(), "the file goes on after the array");
    let mut both = utterance("a", &[1.0]);
    both.arrays = vec![array("x")];
    let error = nested.write(&both, &mut |_| Ok(())).unwrap_err();
    assert!(error.message().starts_with("has "), "{error}");
}
