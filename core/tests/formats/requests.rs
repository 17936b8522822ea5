//! A request means the same whatever a format does of it.

use spr_core::bytes::Locator;
use spr_core::format::{FieldSet, Format, OpenedDataset, Options, Reader, Request, Subset, Writer};
use spr_core::model::{Dtype, Key, Matrix, Object, Rank, Tier, Utterance};
use spr_core::{DatasetWriter, ErrorKind};

use crate::toy_samples::pcm;
use crate::toys::{BOX, LINES, NUM, PCM, World, num, read_all};

const FIVE: &[u8] = b"LINES\na 1\nb 2\nc x\nd 4\ne 5\n";
const FAULT: &str = "x.lines@18: utterance c: no number";

/// What a request for the five lines gives.
fn lines(request: Request) -> Vec<String> {
    let world = World::of([("x.lines", FIVE.to_vec())]);
    let source = world.env.open_file(&"x.lines".into()).unwrap();
    let opened = request.open(&LINES, source, &Options::default(), &world.env);
    match opened.and_then(OpenedDataset::into_stream) {
        Ok(reader) => read_all(reader),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn what_a_format_leaves_is_done_behind_it() {
    let nth = |index, count| Subset::EveryNth { index, count };
    let run = |first, end| Subset::Run { first, end };
    let all = Request::all;
    let not_b = |key: &Key| *key != Key::from("b");
    for (request, expected) in [
        (all(), &["a 1", "b 2", FAULT, "d 4", "e 5"][..]),
        (all().keys(not_b), &["a 1", FAULT, "d 4", "e 5"]),
        (
            all().keys(not_b).keys(|key| *key != Key::from("e")),
            &["a 1", FAULT, "d 4"],
        ),
        // Shards are of those with selected keys, runs of all, and faulty ones count.
        (all().share(nth(1, 2)), &["b 2", "d 4"]),
        (all().share(nth(1, 2)).keys(not_b), &[FAULT, "e 5"]),
        (all().share(run(1, 4)), &["b 2", FAULT, "d 4"]),
        (all().share(run(1, 4)).keys(not_b), &[FAULT, "d 4"]),
        (all().share(run(4, 9)), &["e 5"]),
        (all().share(run(5, 9)), &[]),
        (all().parts(FieldSet::LABELS), &["a", "b", FAULT, "d", "e"]),
        (Request::names(), &["a", "b", FAULT, "d", "e"]),
        (all().share(nth(2, 2)), &["part 2 of 2: parts count from 0"]),
        (
            all().within(Some([6, 9])),
            &["x.lines: only a part of the file is requested, but it can't be cut"],
        ),
        (all().lookup(), &["expected a stream, found a table"]),
    ] {
        assert_eq!(lines(request), expected);
    }
}

#[test]
fn a_table_is_asked_for_each_key() {
    let world = World::of([("x.lines", FIVE.to_vec())]);
    let source = world.env.open_file(&"x.lines".into()).unwrap();
    let opened = Request::all()
        .lookup()
        .open(&LINES, source, &Options::default(), &world.env);
    let OpenedDataset::Table(mut table) = opened.unwrap() else {
        panic!("a stream")
    };
    let mut utt = Utterance::default();
    assert!(table.find(&"b".into(), &mut utt).unwrap());
    assert_eq!(utt.features.unwrap().as_slice::<f32>().unwrap(), [2.0]);
}

#[test]
fn sound_is_loaded_where_samples_are_asked_for() {
    let sound = pcm(b"PCM1", 8000, 1, &[1, -2]);
    let world = World::of([("x.pcm", sound)]);
    for (request, loaded) in [
        (Request::all().samples(), true),
        (Request::all().samples().parts(FieldSet::LABELS), false),
    ] {
        let source = world.env.open_file(&"x.pcm".into()).unwrap();
        let opened = request.open(&PCM, source, &Options::default(), &world.env);
        let mut reader = opened.unwrap().into_stream().unwrap();
        let mut utt = Utterance::default();
        assert!(reader.read(&mut utt).unwrap());
        assert_eq!(utt.waveform().is_some(), loaded);
    }
}

#[test]
fn a_folder_is_one_data_set_or_one_of_files() {
    let world = World::of([
        ("d/toy.conf", vec![]),
        ("d/all.lines", FIVE.to_vec()),
        ("d/p.num", num(&[9.0])),
    ]);
    let open = |format: &'static dyn Format| {
        let request = Request::all().keys(|key| *key != Key::from("a"));
        let opened = request.open_folder(format, &"d".into(), &[], &Options::default(), &world.env);
        read_all(opened.unwrap().into_stream().unwrap())
    };
    let fault = "d/all.lines@18: utterance c: no number";
    assert_eq!(open(&BOX), ["b 2", fault, "d 4", "e 5"]);
    assert_eq!(open(&NUM), ["p 9"]);
}

#[test]
fn fields_are_cleared_that_are_not_kept() {
    let mut utt = Utterance {
        key: "a".into(),
        features: Some(Matrix::from_rows(&[1.0f32], 1, Rank::Matrix).unwrap()),
        labels: Some(Matrix::from_rows(&[1i32], 1, Rank::Vector).unwrap()),
        text: Some(b"a".to_vec()),
        object: Some(Object::Int(3)),
        tiers: vec![Tier::default()],
        ..Utterance::default()
    };
    FieldSet::ALL.keep(&mut utt);
    assert!(utt.features.is_some() && utt.object.is_some() && utt.tiers.len() == 1);
    FieldSet::LABELS.keep(&mut utt);
    assert!(utt.features.is_none() && utt.object.is_none());
    assert!(utt.labels.is_some() && utt.text.is_some() && utt.tiers.len() == 1);
    FieldSet::NONE.keep(&mut utt);
    assert!(utt.labels.is_none() && utt.text.is_none() && utt.tiers.is_empty());
    let features = FieldSet {
        features: true,
        ..FieldSet::NONE
    };
    let both = FieldSet::LABELS.or(features);
    assert!(both.features && both.labels && both.segments && both.text);
    assert!(!both.audio && !both.objects && !both.arrays);
}

fn numbers(key: &str, values: &[f32]) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(values, 1, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

#[test]
fn a_data_set_is_there_once_it_is_finished() {
    let world = World::of([]);
    let output = || world.env.output(&Locator::file("out.lines"));
    let create = || DatasetWriter::create(&LINES, output(), &Options::default(), &world.env);
    let mut writer = create().unwrap();
    assert!(writer.caps().features.is_some());
    writer.accept(&numbers("a", &[1.0, 0.5])).unwrap();
    writer.write(&numbers("a", &[1.0, 0.5])).unwrap();
    let mut wide = numbers("b", &[1.0]);
    wide.features_mut()
        .cast(Dtype::F64, &world.env.limits)
        .unwrap();
    let refused = writer.accept(&wide).unwrap_err();
    assert_eq!(
        refused.message(),
        "has features of f64, which the format can't hold"
    );
    assert!(world.store.get("out.lines").is_none());
    let written = Box::new(writer).finish().unwrap();
    assert_eq!(
        (written.utterances, written.frames, written.bytes),
        (1, 2, 14)
    );
    assert_eq!(world.store.get("out.lines").unwrap(), b"LINES\na 1 0.5\n");
    // One that is dropped leaves nothing.
    world.store.remove("out.lines");
    drop(create().unwrap());
    assert!(world.store.locations().is_empty());
}

#[test]
fn each_utterance_gets_its_file() {
    let world = World::of([]);
    let output = world.env.output(&Locator::folder("d"));
    let options = Options::default();
    let mut writer = DatasetWriter::create(&NUM, output, &options, &world.env).unwrap();
    for (utt, refused) in [
        (numbers("a", &[1.0]), None),
        (numbers("s/b", &[2.0, 3.0]), None),
        (numbers("c", &[0.0]), Some("utterance c: has a zero")),
        (numbers("../d", &[1.0]), Some("utterance ../d: ")),
    ] {
        let accepted = writer.accept(&utt).map_err(|e| e.to_string());
        let written = writer
            .write(&utt)
            .map_err(|e| (e.can_continue(), e.to_string()));
        match refused {
            None => assert_eq!((accepted, written), (Ok(()), Ok(()))),
            Some(start) => {
                assert!(accepted.unwrap_err().starts_with(start));
                let (goes_on, message) = written.unwrap_err();
                assert!(goes_on && message.starts_with(start), "{message}");
            }
        }
    }
    let written = writer.finish().unwrap();
    assert_eq!(
        (written.utterances, written.frames, written.bytes),
        (2, 3, 20)
    );
    assert_eq!(world.store.get("d/a.num").unwrap(), num(&[1.0]));
    assert_eq!(world.store.get("d/s/b.num").unwrap(), num(&[2.0, 3.0]));
    // A file of its own must have an utterance.
    let output = world.env.output(&Locator::file("one.num"));
    let writer = DatasetWriter::create(&NUM, output, &options, &world.env).unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Unfit, "one.num: no utterance to write")
    );
}
