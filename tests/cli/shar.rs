//! Shar through the program: from a data directory and back, checked, repaired, in shards.

use std::fs;

use crate::manifests::{data, sounds};
use crate::{Scratch, names};

/// A data directory with sound, and a Shar of it.
fn made(options: &str) -> Scratch {
    let s = Scratch::new();
    sounds(&s);
    data(&s, ["audio/rec1.wav", "audio/rec2.wav"]);
    let said = s.ok(&format!("data shar:out{options}"));
    assert!(said.err.contains("3 utterances"), "{}", said.err);
    s
}

#[test]
fn a_data_directory_is_a_shar_and_back() {
    for options in ["", ",sound=wav", ",shard-size=2,sound=original"] {
        let s = made(options);
        s.ok("out kaldi-data:back");
        for name in [
            "text",
            "utt2spk",
            "spk2utt",
            "spk2gender",
            "utt2lang",
            "utt2uniq",
        ] {
            let [want, got] = ["data", "back"].map(|d| s.read(&format!("{d}/{name}")));
            assert_eq!(want, got, "{name}");
        }
        // The recordings are not in the folder, and times are those of cuts.
        for name in ["first", "again"] {
            let from = if name == "first" { "data" } else { "out" };
            s.ok(&format!("{from} wav:{name}/ --allow-loss text"));
        }
        for name in ["ann-1.wav", "ann-2.wav", "bob-1.wav"] {
            let [want, got] = ["first", "again"].map(|d| s.read(&format!("{d}/{name}")));
            assert_eq!(want, got, "{name}");
        }
    }
}

#[test]
fn nothing_else_is_in_the_folder() {
    let s = made("");
    let expected = ["cuts.000000.jsonl.gz", "recording.000000.tar"];
    assert_eq!(names(&s.path("out")), expected);
    s.ok("data shar:out --overwrite --verify --report report.json");
    assert_eq!(names(&s.path("out")), expected);
    // What is there already is not added to.
    let error = s.fails("data shar:out");
    assert!(error.contains("out"), "{error}");
    // A run that fails leaves nothing.
    fs::write(s.path("audio/rec2.wav"), b"RIFF").unwrap();
    s.fails("data shar:new");
    assert!(!s.path("new").exists());
}

#[test]
fn what_is_broken_is_told_by_name() {
    let s = made(",sound=wav");
    assert!(
        s.ok("check out")
            .out
            .contains("nothing wrong (shar, 3 utterances")
    );
    let file = "out/recording.000000.tar";
    let mut bytes = s.read(file);
    let second = bytes
        .windows(9)
        .position(|part| part == b"ann-2.wav")
        .unwrap();
    bytes[second + 3] = b'!';
    fs::write(s.path(file), &bytes).unwrap();
    let error = s.fails("out flac:whole/ --allow-loss text");
    assert!(
        error.contains("recording.000000.tar@") && error.contains("damaged"),
        "{error}"
    );
    let said = s.run("check out");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    assert!(said.out.contains("ann-2"), "{}", said.out);
    let said = s.run("out flac:some/ --allow-loss text --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(names(&s.path("some")), ["ann-1.flac", "bob-1.flac"]);
    let said = s.run("repair out -o mended --to shar");
    assert!(
        s.path("mended/cuts.000000.jsonl.gz").exists(),
        "{}",
        said.err
    );
    assert_eq!(s.ok("ls mended").out.lines().count(), 2);
    s.ok("check mended");
    // What lhotse cannot open is told.
    fs::write(s.path("mended/README.md"), "x").unwrap();
    let said = s.ok("info mended");
    assert!(
        said.err.contains("README.md: is no file of a Shar"),
        "{}",
        said.err
    );
}

#[test]
fn sound_is_not_read_where_it_is_only_listed() {
    let s = made("");
    let file = "out/recording.000000.tar";
    let mut bytes = s.read(file);
    // Samples behind the header of the first file.
    bytes[512 + 200..512 + 260].fill(0x55);
    fs::write(s.path(file), &bytes).unwrap();
    assert_eq!(s.ok("ls out").out.lines().count(), 3);
    s.ok("info out");
    let said = s.run("check out");
    assert_eq!(said.status, 1, "{}", said.out);
    assert!(said.out.contains("ann-1"), "{}", said.out);
}

#[test]
fn shards_of_a_run_are_merged_to_one() {
    let s = made(",shard-size=1");
    for n in 1..=2 {
        s.ok(&format!(
            "data shar:part-{{shard}}/,shard-size=1 --shard {n}/2"
        ));
        let folder = s.path(&format!("part-0000{n}-of-00002"));
        let foreign = |name: &String| !name.ends_with(".tar") && !name.ends_with(".jsonl.gz");
        assert_eq!(names(&folder).iter().find(|name| foreign(name)), None);
    }
    s.ok("shards status shar:part-{shard}/ --of 2");
    s.ok("shards merge shar:part-{shard}/ -o shar:joined,shard-size=1");
    assert_eq!(names(&s.path("joined")), names(&s.path("out")));
    for name in names(&s.path("out")) {
        let [want, got] = ["out", "joined"].map(|d| s.read(&format!("{d}/{name}")));
        assert_eq!(want, got, "{name}");
    }
}

#[test]
fn misspelt_options_and_places_are_refused() {
    let s = made("");
    for (line, message) in [
        ("data shar:x,shard_size=2", "shard-size"),
        ("data shar:x,sound=flak", "known: flac, wav, original"),
        ("data shar:x,tick=-8", "only features=lilcom"),
        ("out jsonl:- --oo fields=record", "there are: recording"),
        ("shar:out/cuts.000000.jsonl.gz jsonl:-", "name the folder"),
        ("lhotse:out jsonl:-", "shar:out"),
        ("data shar:-", "folder"),
    ] {
        s.fails(line);
        let error = s.run(line).err;
        assert!(error.contains(message), "{line}: {error}");
    }
}

#[test]
fn the_recording_is_kept_without_sound_and_features() {
    let s = Scratch::new();
    for text in ["", r#""text":"ONE","#] {
        let line = format!(
            "{{\"key\":\"a\",\"features\":null,\"labels\":[1,2,3],{text}\"meta\":{{\"frame_shift\":0.01,\
             \"recording\":\"rec7\",\"channel\":\"A\",\"start\":1.25,\"end\":1.28}}}}\n"
        );
        s.write("l.jsonl", line);
        s.ok("l.jsonl shar:out --overwrite");
        s.ok("out back.jsonl --overwrite");
        assert_eq!(s.ok("diff l.jsonl back.jsonl").out, "", "{text}");
    }
}

#[test]
fn a_shard_that_is_missing_between_others_is_an_error() {
    let s = made(",shard-size=1");
    for name in names(&s.path("out")) {
        if name.contains(".000001.") {
            fs::remove_file(s.path(&format!("out/{name}"))).unwrap();
        }
    }
    let error = s.fails("out x.jsonl");
    assert!(error.contains("out: lacks shard 1"), "{error}");
    assert!(!s.path("x.jsonl").exists());
    let said = s.run("out x.jsonl --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(s.ok("ls x.jsonl").out.lines().count(), 2);
    assert_eq!(s.run("check out").status, 1);
}
