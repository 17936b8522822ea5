//! Speakers by `spk2utt`: in place of `utt2spk`, and compared with it.

use std::sync::Arc;

use spr_core::ErrorKind;
use spr_core::bytes::{Env, MemoryStore};
use spr_core::format::{Options, Request};
use spr_core::model::Key;
use spr_format_kaldi::DATA;

use super::{Read, read};

const TEXT: (&str, &str) = ("text", "a-1 ONE\na-2\nb TWO\n");

/// Reads a directory with `spk2utt` and without `utt2spk`.
fn listed(inverse: &str) -> Read {
    let gender = ("spk2gender", "a f\nb m\n");
    let files = [TEXT, ("feats.scp", "a-1 x\na-2 x\nb x\n"), gender];
    let files = files.into_iter().chain([("spk2utt", inverse)]);
    let options = [("parts", "text")];
    read(&files.collect::<Vec<_>>(), Request::all(), &options).unwrap()
}

#[test]
fn speakers_are_found_without_their_list() {
    let read = listed("a a-1\ta-2 \nb  b\n");
    assert_eq!(read.warnings, [""; 0]);
    let speakers: Vec<_> = read
        .utts()
        .into_iter()
        .map(|utt| (utt.meta.speaker, utt.meta.gender))
        .collect();
    let (a, f) = (Some(Key::from("a")), Some(Key::from("f")));
    // An utterance of its own name is its own speaker.
    let own = (None, Some(Key::from("m")));
    assert_eq!(speakers, [(a.clone(), f.clone()), (a, f), own]);
}

#[test]
fn faults_of_the_inverse_are_told() {
    for (inverse, left, error) in [
        (
            "a a-1 a-2\nb a-2 b\n",
            &["a-1", "a-2", "b"][..],
            "d/spk2utt:2: utterance a-2: is listed for the speaker a as well",
        ),
        (
            "a a-1 a-1 a-2\nb b\n",
            &["a-1", "a-2", "b"],
            "d/spk2utt:1: utterance a-1: is listed for the speaker a as well",
        ),
        (
            "a a-1 a-2\n\nb b\n",
            &["a-1", "a-2", "b"],
            "d/spk2utt:2: a blank line",
        ),
        (
            "a a-1\nb b\n",
            &["a-1", "b"],
            "d/spk2utt: utterance a-2: is listed for no speaker",
        ),
    ] {
        let read = listed(inverse);
        assert_eq!(read.keys(), left, "{inverse:?}");
        let errors = read.errors();
        assert_eq!(errors.len(), 1, "{inverse:?}: {errors:?}");
        assert!(errors[0].starts_with(error), "{inverse:?}: {errors:?}");
        assert_eq!(read.warnings, [""; 0], "{inverse:?}");
        let second = read.entries.iter().flatten().nth(1).unwrap();
        let speaker = second.meta.speaker.as_ref().map(ToString::to_string);
        let speaks = (second.key.to_string(), speaker.as_deref());
        assert!([("a-2".into(), Some("a")), ("b".into(), None)].contains(&speaks));
    }
}

#[test]
fn utterances_that_only_the_inverse_has_are_told_in_its_order() {
    let read = listed("a a-1 z-2 a-2\nb b z-1 y\n");
    let told = "belongs to no utterance, and is ignored";
    let want = [("1", "z-2"), ("2", "y"), ("2", "z-1")];
    let want = want.map(|(line, key)| format!("d/spk2utt:{line}: utterance {key}: {told}"));
    assert_eq!(read.warnings, want);
    assert_eq!(read.keys(), ["a-1", "a-2", "b"]);
}

#[test]
fn the_inverse_is_held_within_the_limits() {
    let lines = (0..100).map(|n| format!("s{n} {n:0900}\n"));
    let store = MemoryStore::new();
    store.insert("d/text", TEXT.1.as_bytes().to_vec());
    store.insert("d/wav.scp", b"a-1 x\na-2 x\nb x\n".to_vec());
    store.insert("d/spk2utt", lines.collect::<String>().into_bytes());
    let mut env = Env::default().with_store(Arc::new(store));
    env.limits.max_alloc = 1 << 16;
    let options = Options::default();
    let opened = Request::all().open_folder(&DATA, &"d".into(), &[], &options, &env);
    let error = opened.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let what = "the utterances of the speakers";
    assert!(error.to_string().contains(what), "{error}");
}

#[test]
fn the_inverse_is_compared_with_the_list() {
    let contradicts = ["d/spk2utt: contradicts utt2spk, which is taken"];
    for (list, inverse, told) in [
        ("a-1 a\na-2 a\nb b\n", "a a-1 a-2\nb b\n", false),
        ("a-1 a\na-2 a\nb b\n", "a  a-1\ta-2\nb b\n", false),
        // In any order.
        ("a-1 a\na-2 a\nb b\n", "a a-2 a-1\nb b\n", false),
        ("a-1 a\na-2 a\nb b\n", "b b\na a-1 a-2\n", false),
        ("a-1 a\na-2 a\nb b\n", "a a-1\nb b\na a-2\n", false),
        ("a-1 a\na-2 a\nb b\n", "a a-1 a-2\n\nb b\n", false),
        ("a-1 a\na-2 a\nb b\n", "a a-1\nb a-2 b\n", true),
        ("a-1 a\na-2 a\nb b\n", "a a-1 a-2\n", true),
        ("a-1 a\na-2 a\nb b\n", "a a-1 a-2\nb b z\n", true),
        ("a-1 a\na-2 a\nb b\n", "a a-1 a-2\nb b b\n", true),
        ("a-1 a\na-2 a\nb b\n", "a a-1 a-2\nc b\n", true),
        // The pairs are the same the wrong way round.
        ("a-1 a\na-2 a\nb b\n", "a-1 a\na-2 a\nb b\n", true),
        ("a-1 a\na-2 a\nb b\n", "", true),
        // The last line may be cut, and says nothing.
        ("a-1 a\na-2 a\nb b\n", "a a-1 a-2\nb b", true),
    ] {
        let files = [("utt2spk", list), ("spk2utt", inverse), TEXT];
        let read = read(&files, Request::all(), &[]).unwrap();
        let want: &[_] = if told { &contradicts } else { &[] };
        assert_eq!(read.warnings, want, "{inverse:?}");
        assert_eq!(read.keys(), ["a-1", "a-2", "b"], "{inverse:?}");
        assert_eq!(read.errors(), [""; 0], "{inverse:?}");
    }
}

#[test]
fn the_inverse_is_compared_with_whole_lists_alone() {
    let wrong = ("spk2utt", "a a-1 b\n");
    let files = [("utt2spk", "a-1 a\na-2 a\nb b\n"), wrong, TEXT];
    let some = Request::all().keys(|key| key.as_bytes() != b"a-2");
    assert_eq!(read(&files, some, &[]).unwrap().warnings, [""; 0]);
    // Of a list with a fault nobody knows what it would have said.
    let files = [("utt2spk", "a-1 a\na-2 a b\nb b\n"), wrong, TEXT];
    let read = read(&files, Request::all(), &[]).unwrap();
    assert_eq!((read.warnings.len(), read.errors().len()), (0, 1));
}
