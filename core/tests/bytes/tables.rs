//! Side files with the names of utterances.

use spr_core::bytes::{Env, Locator, Part};
use spr_core::format::{FormatInfo, Options};
use spr_core::model::Key;
use spr_core::tables::side::{OPTION, SideReader, SideWriter};
use spr_core::{ErrorKind, Result};

use super::memory;

static INFO: FormatInfo = FormatInfo::new("toy", "a toy", &["toy"]).options(&[OPTION]);

fn keys(value: &str) -> Options {
    let pair = (!value.is_empty()).then_some(("keys", value));
    Options::new(&INFO, pair).unwrap()
}

fn found(value: &str, env: &Env) -> Result<Option<String>> {
    let data = env.open_file(&"a.toy".into())?;
    let found = SideReader::find(&data, &keys(value), env)?;
    Ok(found.map(|reader| reader.name().to_owned()))
}

#[test]
fn the_side_file_is_beside_the_data_or_where_it_is_said_to_be() {
    let files = || vec![("a.toy", vec![1]), ("b.names", b"x 1\n".to_vec())];
    let beside = ("a.toy.utt2num_frames", b"x 1\n".to_vec());
    let (_, with) = memory(files().into_iter().chain([beside]));
    let (_, without) = memory(files());
    assert_eq!(found("", &with).unwrap().unwrap(), "a.toy.utt2num_frames");
    assert_eq!(found("b.names", &with).unwrap().unwrap(), "b.names");
    assert_eq!(found("none", &with).unwrap(), None);
    assert_eq!(found("", &without).unwrap(), None);
    assert!(found("gone", &without).unwrap_err().is_missing());
}

#[test]
fn names_go_with_the_data_line_by_line() {
    let open = |text: &str| {
        let side = ("a.toy.utt2num_frames", text.as_bytes().to_vec());
        let (_, env) = memory([("a.toy", vec![1]), side]);
        let data = env.open_file(&"a.toy".into()).unwrap();
        SideReader::find(&data, &keys(""), &env).unwrap().unwrap()
    };
    let mut key = Key::default();
    let mut reader = open("ann-1 3\n bob\t0 \n");
    reader.name_next(&mut key, 3).unwrap();
    assert_eq!(key, "ann-1".into());
    assert_eq!(reader.read(&mut key).unwrap(), Some(0));
    assert_eq!(key, "bob".into());
    reader.end().unwrap();
    let file = "a.toy.utt2num_frames";
    let fails = |text: &str, frames: &[u64]| {
        let (mut reader, mut key) = (open(text), Key::default());
        let all = frames
            .iter()
            .try_for_each(|n| reader.name_next(&mut key, *n));
        all.and_then(|()| reader.end()).unwrap_err()
    };
    for (text, frames, message) in [
        (
            "a 3\n",
            &[4][..],
            ":1: utterance a: says 3 frames, the data have 4",
        ),
        (
            "a 3\n",
            &[3, 1],
            ":1: has fewer lines than the data have utterances",
        ),
        (
            "a 3\nb 1\n",
            &[3],
            ":2: has more lines than the data have utterances",
        ),
        ("a 3\nb\n", &[3, 1], ":2: a line is not 'key frames'"),
        ("a 3 4\n", &[3], ":1: a line is not 'key frames'"),
        ("a -3\n", &[3], ":1: a line is not 'key frames'"),
        ("\n", &[3], ":1: a line is not 'key frames'"),
    ] {
        let error = fails(text, frames);
        assert_eq!(error.to_string(), format!("{file}{message}"));
        assert_eq!(error.kind(), ErrorKind::Malformed);
        let hint = "if the side file is of other data, read without it: keys=none";
        assert_eq!(error.hint_text().unwrap(), hint);
    }
}

/// The files that are there after a data set and its names were written over another.
fn written(value: &str, at: &Locator) -> Vec<String> {
    let old = [("a.toy", vec![1]), ("a.toy.utt2num_frames", vec![2])];
    let (store, env) = memory(old);
    let output = env.output(at).overwrite(true);
    let writer = SideWriter::create(&output, &keys(value)).unwrap();
    let mut data = output.create(Part::Main, false).unwrap();
    if let Some(mut writer) = writer {
        writer.write(&"x".into(), 3).unwrap();
        let error = writer.write(&"x y".into(), 4).unwrap_err();
        assert!(error.can_continue() && error.key() == Some(&"x y".into()));
        writer.write(&"z".into(), 5).unwrap();
        assert_eq!(writer.finish().unwrap(), 8);
    }
    data.put(b"new").unwrap();
    data.finish().unwrap();
    output.commit().unwrap();
    let shown = store.locations().into_iter().map(|at| {
        let bytes = store.get(&at).unwrap();
        format!("{at}={}", String::from_utf8_lossy(&bytes).escape_debug())
    });
    shown.collect()
}

#[test]
fn names_are_written_beside_the_data_and_old_ones_go() {
    let file = Locator::file("a.toy");
    assert_eq!(
        written("", &file),
        ["a.toy=new", "a.toy.utt2num_frames=x 3\\nz 5\\n"]
    );
    assert_eq!(written("none", &file), ["a.toy=new"]);
    assert_eq!(written("b", &file), ["a.toy=new", "b=x 3\\nz 5\\n"]);
    assert_eq!(
        written("", &Locator::Nowhere).len(),
        2,
        "what is there stays"
    );
}
