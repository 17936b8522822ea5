//! Copies of sound and their manifest in one run.

use std::fs;

use serde_json::Value;

use crate::verbs::{keys, lines};
use crate::{Scratch, sample};

/// A manifest of two files with text and speakers.
fn corpus(s: &Scratch) {
    for name in ["ann-001", "bob-004"] {
        let file = sample("").replace("kaldi/", &format!("wav/{name}.wav"));
        s.write(&format!("wav/{name}.wav"), fs::read(file).unwrap());
    }
    s.write(
        "in.json",
        concat!(
            "{\"audio_filepath\": \"wav/ann-001.wav\", \"duration\": 2.9313125, \"text\": \"one \u{fc}\", \"speaker\": \"ann\", \"snr\": 1.50}\n",
            "{\"audio_filepath\": \"wav/bob-004.wav\", \"offset\": 0.1, \"duration\": 0.5, \"text\": \"two\", \"speaker\": \"bob\", \"utt_id\": \"bob-1\"}\n",
        ),
    );
}

#[test]
fn text_and_speakers_are_kept_in_the_manifest() {
    let s = Scratch::new();
    corpus(&s);
    let said = s.ok("in.json out/ --to flac --rate 8000 --manifest out.json");
    assert!(!said.err.contains("lost"), "{}", said.err);
    let made = lines(&String::from_utf8(s.read("out.json")).unwrap());
    assert_eq!(made[0]["audio_filepath"], "out/ann-001.flac");
    assert_eq!(
        (&made[0]["text"], &made[0]["speaker"]),
        (&"one \u{fc}".into(), &"ann".into())
    );
    assert_eq!(made[0]["snr"].to_string(), "1.5");
    assert_eq!(made[1]["audio_filepath"], "out/bob-1.flac");
    assert_eq!(made[1]["duration"], Value::from(0.5));
    assert_eq!(made[1].get("offset"), None);
    assert_eq!(keys(&s, "out.json"), ["ann-001", "bob-1"]);
    s.ok("check out.json");
    // Other manifests, and other folders of sound.
    s.ok("in.json o2/ --to wav --manifest kaldi-data:k");
    assert_eq!(
        s.read("k/text"),
        "ann-001 one \u{fc}\nbob-1 two\n".as_bytes()
    );
    s.ok("check k --allow-pipes");
    s.ok("in.json o3/ --to wav --manifest lhotse:l.jsonl.gz");
    s.ok("check l.jsonl.gz");
    s.ok("in.json soundfolder:o4 --manifest o4.json --verify");
    assert_eq!(s.read("o4/bob-1.txt"), b"two\n");
    assert_eq!(keys(&s, "o4.json"), ["ann-001", "bob-1"]);
}

#[test]
fn what_can_not_be_is_refused_before_anything_is_read() {
    let s = Scratch::new();
    corpus(&s);
    for (line, fault) in [
        (
            "in.json out.ark --manifest m.json",
            "is no folder of sound files",
        ),
        ("in.json out/ --to flac --manifest m.ark", "is no manifest"),
        (
            "in.json kaldi-data:out --manifest m.json",
            "is no folder of sound files",
        ),
        (
            "in.json out/ --to flac --manifest in.json --overwrite",
            "in.json",
        ),
        (
            "in.json out/ --to flac --manifest out/m.json",
            "is inside the output folder",
        ),
        (
            "in.json out/ --to flac --manifest m-{shard}.json --shard 1/2",
            "a shard has only some",
        ),
        (
            "in.json out-{part}/ --to flac --manifest m.json --partition 1m",
            "m.json",
        ),
    ] {
        let error = s.fails(line);
        assert!(error.contains(fault), "{line}: {error}");
    }
    s.write("m.json", "mine");
    let error = s.fails("in.json out/ --to flac --manifest m.json");
    assert!(error.contains("m.json: exists already"), "{error}");
}

/// A kind that the target has no place for is refused at its first utterance: what follows is not
/// read, and may be anything.
#[test]
fn a_kind_without_a_place_is_refused_at_once() {
    let s = Scratch::new();
    corpus(&s);
    fs::write(s.path("wav/bob-004.wav"), "rubbish").unwrap();
    let error = s.fails("in.json out/ --to flac");
    let words = "utterance ann-001: flac can't hold all of it: text; the rest was not read";
    assert!(error.contains(words), "{error}");
    // A dry run goes on to the end, where the other fault is.
    let error = s.fails("in.json out/ --to flac --dry-run");
    assert!(error.contains("bob-004.wav"), "{error}");
}

#[test]
fn a_fault_leaves_neither_copies_nor_manifest() {
    let s = Scratch::new();
    corpus(&s);
    fs::write(s.path("wav/bob-004.wav"), "rubbish").unwrap();
    s.fails("in.json out/ --to flac --manifest out.json");
    let said = s.run("in.json out/ --to flac --manifest out.json --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(keys(&s, "out.json"), ["ann-001"]);
    s.run("in.json dry/ --to flac --manifest dry.json --on-error skip --dry-run");
    assert!(!s.path("dry").exists() && !s.path("dry.json").exists());
}
