//! Folders of sound with transcripts, as corpora have them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::verbs::lines;
use crate::{Scratch, sample};

/// The sound of one utterance in several containers.
fn wav() -> Vec<u8> {
    fs::read(sample("").replace("kaldi/", "wav/ann-001.wav")).unwrap()
}

pub(super) fn lossy(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read(root.join("fixtures/lossy").join(name)).unwrap()
}

fn sphere() -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("fixtures/audio/sphere-sox-16");
    let mut files = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let file = files.find(|file| file.file_stem().is_some_and(|stem| stem == "input"));
    fs::read(file.unwrap()).unwrap()
}

/// The lines of a manifest that is written from `input`, and what is said of it.
fn manifest(s: &Scratch, input: &str, flags: &str) -> (Vec<Value>, String) {
    let said = s.ok(&format!("{input} m.json --overwrite {flags}"));
    (
        lines(&String::from_utf8(s.read("m.json")).unwrap()),
        said.err,
    )
}

/// Pairs of a field of each line.
fn fields(lines: &[Value], names: [&str; 2]) -> Vec<[String; 2]> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or("-").to_owned();
    lines
        .iter()
        .map(|line| names.map(|name| text(line, name)))
        .collect()
}

#[test]
fn any_containers_are_one_data_set_by_reference() {
    let s = Scratch::new();
    s.write("in/a.wav", wav());
    s.write("in/sub/b.mp3", lossy("mono.mp3"));
    s.write("in/sub/c.ogg", lossy("mono.ogg"));
    s.write("in/d.sph", sphere());
    s.ok("in/a.wav in/e.flac -q");
    let (lines, said) = manifest(&s, "in", "");
    let files = fields(&lines, ["audio_filepath", "utt_id"]);
    let files: Vec<_> = files.iter().map(|[file, _]| file.as_str()).collect();
    assert_eq!(
        files,
        [
            "in/a.wav",
            "in/d.sph",
            "in/e.flac",
            "in/sub/b.mp3",
            "in/sub/c.ogg"
        ]
    );
    assert!(
        lines
            .iter()
            .all(|line| line["duration"].as_f64().unwrap() > 0.0)
    );
    assert!(said.contains("5 utterances"), "{said}");
    for (target, made) in [("lhotse:l.jsonl", "l.jsonl"), ("kaldi-data:k", "k/wav.scp")] {
        s.ok(&format!("in {target} --allow-loss all"));
        let text = String::from_utf8(s.read(made)).unwrap();
        assert!(text.contains("in/sub/c.ogg"), "{text}");
    }
    s.ok("in audiofolder:af --copy");
    assert_eq!(s.read("af/sub/b.mp3"), s.read("in/sub/b.mp3"));
    // A folder of one container, too, where names are wanted, and only there.
    s.write("one/a.wav", wav());
    assert_eq!(manifest(&s, "one", "").0.len(), 1);
    assert!(s.ok("info one").out.contains("format      wav"));
    s.ok("one kaldi-data:named");
    assert_eq!(s.read("named/wav.scp"), b"a one/a.wav\n");
    s.ok("one kaldi-data:copied --copy");
    assert_eq!(s.read("copied/wav.scp"), b"a copied/wav/a.wav\n");
    let error = s.fails("one n.json --copy");
    assert!(
        error.contains("names sound files and holds none"),
        "{error}"
    );
}

#[test]
fn librispeech() {
    let s = Scratch::new();
    for name in ["84/121/84-121-0000", "84/121/84-121-0001", "85/7/85-7-0000"] {
        s.write(&format!("L/dev/{name}.wav"), wav());
    }
    s.write(
        "L/dev/84/121/84-121.trans.txt",
        "84-121-0000 GO DO\n84-121-0001 BUT \u{dc}BER\n",
    );
    s.write("L/dev/85/7/85-7.trans.txt", "85-7-0000 HE WAS\n");
    s.write("L/README.TXT", "about\n");
    let (lines, said) = manifest(&s, "L/dev", "--speaker-from {speaker}/{chapter}/{name}");
    assert_eq!(
        fields(&lines, ["speaker", "text"]),
        [["84", "GO DO"], ["84", "BUT \u{dc}BER"], ["85", "HE WAS"]].map(|p| p.map(str::to_owned))
    );
    assert!(!said.contains("warning"), "{said}");
    // The pattern is for the whole name.
    let said = s.run("L m2.json --speaker-from {speaker}/{chapter}/{name}");
    assert_eq!(said.status, 2);
    assert!(
        said.err
            .contains("its name is not like {speaker}/{chapter}/{name}"),
        "{}",
        said.err
    );
    let said = s.ok("L m2.json --speaker-from {set}/{speaker}/{chapter}/{name} --rename s|.*/||");
    assert!(
        said.err.contains("README.TXT: left out, neither sound"),
        "{}",
        said.err
    );
    let error = s.fails("L m3.json --speaker-from {name}");
    assert!(error.contains("no part of it is {speaker}"), "{error}");
}

#[test]
fn ljspeech() {
    let s = Scratch::new();
    for n in 1..=3 {
        s.write(&format!("LJ/wavs/LJ001-000{n}.wav"), wav());
    }
    s.write(
        "LJ/metadata.csv",
        "LJ001-0001|No. 1 \"a|number one\nLJ001-0002|No. 2|\nLJ001-0003|3|three\n",
    );
    let (lines, _) = manifest(&s, "LJ", "");
    let texts: Vec<_> = fields(&lines, ["text", "text"])
        .into_iter()
        .map(|[a, _]| a)
        .collect();
    assert_eq!(texts, ["number one", "No. 2", "three"]);
    let said = s.ok("info LJ");
    assert!(said.out.contains("soundfolder"), "{}", said.out);
    // Hugging Face's table has a header.
    s.write("af/metadata.csv", "file_name,text\na.wav,hello\n");
    s.write("af/a.wav", wav());
    assert!(s.ok("info af").out.contains("audiofolder"));
    // A manifest in the folder names its files, and is none of its data.
    s.ok("LJ LJ/train.json");
    assert!(
        String::from_utf8(s.read("LJ/train.json"))
            .unwrap()
            .contains("\"wavs/LJ001-0001.wav\"")
    );
    let said = s.ok("LJ LJ/train.json --overwrite");
    assert!(said.err.contains("train.json: left out"), "{}", said.err);
    // Hugging Face's table, without a copy.
    s.ok("LJ LJ/metadata.jsonl --to audiofolder");
    let said = s.ok("LJ h.json");
    assert!(
        said.err
            .contains("metadata.csv: left out, a table without a column file_name"),
        "{}",
        said.err
    );
    let error = s.fails("LJ other.jsonl --to audiofolder");
    assert!(error.contains("is not called metadata.jsonl"), "{error}");
}

#[test]
fn common_voice() {
    let s = Scratch::new();
    for n in 1..=3 {
        s.write(&format!("cv/clips/c{n}.mp3"), lossy("mono.mp3"));
    }
    let head = "client_id\tpath\tsentence\tage\tgender\tlocale\n";
    let rows = [
        "aa\tc1.mp3\tHello \"x.\ttwenties\tmale\ten\n",
        "bb\tc2.mp3\tTwo.\t\t\ten\n",
    ];
    s.write("cv/train.tsv", format!("{head}{}", rows.concat()));
    s.write("cv/dev.tsv", format!("{head}cc\tc3.mp3\tThree.\t\t\ten\n"));
    s.write(
        "cv/validated.tsv",
        format!("{head}{}cc\tc3.mp3\tThree.\t\t\ten\n", rows.concat()),
    );
    s.write("cv/clip_durations.tsv", "clip\tduration[ms]\nc1.mp3\t900\n");
    let (all, said) = manifest(&s, "cv", "");
    assert_eq!(all.len(), 3);
    assert_eq!(
        (&all[0]["speaker"], &all[0]["lang"]),
        (&"aa".into(), &"en".into())
    );
    assert_eq!(
        (&all[0]["text"], &all[0]["age"]),
        (&"Hello \"x.".into(), &"twenties".into())
    );
    assert!(
        said.contains("clip_durations.tsv: left out, a table without"),
        "{said}"
    );
    let (train, _) = manifest(&s, "cv/train.tsv", "");
    assert_eq!(
        fields(&train, ["audio_filepath", "text"])[1],
        ["cv/clips/c2.mp3", "Two."]
    );
    // Tables that contradict each other.
    s.write(
        "cv/other.tsv",
        format!("{head}aa\tc1.mp3\tBye.\t\tmale\ten\n"),
    );
    let error = s.fails("cv n.json");
    assert!(error.contains("say different things"), "{error}");
    let said = s.run("cv skipped.json --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    // A row without its sound is a fault where the table is named.
    s.write(
        "cv/few.tsv",
        format!("{head}aa\tgone.mp3\tBye.\t\tmale\ten\n{}", rows[1]),
    );
    let error = s.fails("cv/few.tsv n.json");
    assert!(
        error.contains("few.tsv:2: there is no sound file gone"),
        "{error}"
    );
}

#[test]
fn mfa_and_text_beside() {
    let s = Scratch::new();
    for name in ["ann/u1", "ann/u2", "bob/u1"] {
        s.write(&format!("mfa/{name}.wav"), wav());
        s.write(&format!("mfa/{name}.lab"), format!("hello {name}\n"));
    }
    let (lines, said) = manifest(&s, "mfa", "--speaker-from {speaker}/{name}");
    assert_eq!(
        fields(&lines, ["speaker", "text"])[1],
        ["ann", "hello ann/u2"].map(str::to_owned)
    );
    assert!(!said.contains("warning"), "{said}");
    // Segments, by their form.
    s.write("mfa/bob/u1.lab", "0 5000000 a\n5000000 9000000 b\n");
    let said = s.ok("show mfa bob/u1");
    assert!(said.out.contains("segments: 2"), "{}", said.out);
    s.write("t/a.wav", wav());
    s.write("t/a.txt", "\u{feff}two\r\nlines \r\n");
    s.write("t/b.wav", wav());
    let (lines, said) = manifest(&s, "t", "");
    assert_eq!(lines[0]["text"], "two lines");
    assert!(
        said.contains("b.wav: has no transcript, as 1 of 2 sound files have none"),
        "{said}"
    );
    s.write("t/b.TXT", b"\xff\n");
    let error = s.fails("t n.json");
    assert!(
        error.contains("b.TXT: utterance b: is not UTF-8"),
        "{error}"
    );
    // What the target can't hold is refused, the sound alone is asked for.
    let error = s.fails("t t.ark");
    assert!(
        error.contains("kaldi can't hold all of it: text"),
        "{error}"
    );
    s.ok("t t.ark --from wav");
}

#[test]
fn names_that_lie_and_rubbish() {
    let s = Scratch::new();
    s.write("in/a.wav", wav());
    s.write("in/a.txt", "x\n");
    s.write("in/._a.wav", "rubbish");
    s.write("in/.DS_Store", "rubbish");
    s.ok("in/a.wav in/b.flac -q");
    fs::rename(s.path("in/b.flac"), s.path("in/b.wav")).unwrap();
    let (lines, said) = manifest(&s, "in", "");
    assert_eq!(lines.len(), 2);
    assert!(
        said.contains(".DS_Store: left out, what systems leave in folders, with 1 more"),
        "{said}"
    );
    assert!(said.contains("b.wav: is read as flac"), "{said}");
    for (bytes, fault) in [
        (&b""[..], "c.wav: utterance c: the file is empty"),
        (
            b"<html>",
            "c.wav: utterance c: holds no sound of a format that is read",
        ),
        (b"RIFF\x24\0\0\0WAVEfmt ", "c.wav"),
    ] {
        s.write("in/c.wav", bytes);
        let error = s.fails("in n.json");
        assert!(error.contains(fault), "{error}");
        let said = s.run("in skipped.json --on-error skip --overwrite -q");
        assert_eq!(said.status, 3);
    }
    s.write("in/c.wav", wav());
    s.write("in/c.mp3", lossy("mono.mp3"));
    let error = s.fails("in n.json");
    assert!(
        error.contains("utterance c: two files give the same key"),
        "{error}"
    );
    let said = s.run("in one.json --on-error skip");
    assert_eq!(said.status, 3);
    assert!(said.err.contains(", 1 skipped ("), "{}", said.err);
    let said = s.run("check in");
    assert_eq!(said.status, 1, "{}", said.err);
    assert!(said.out.contains("in: 1 fault"), "{}", said.out);
}

#[test]
fn tables_at_fault() {
    for (text, fault) in [
        (
            "a ONE\na TWO\n",
            "trans.txt:2: a second line of this file, line 1 says otherwise",
        ),
        (
            "a ONE\nb \u{ff}\nb",
            "trans.txt:3: the last line has no line end",
        ),
        (
            "u ONE\n",
            "trans.txt:1: means in/x/u.wav as well as in/y/u.wav",
        ),
    ] {
        let s = Scratch::new();
        for name in ["a", "b", "x/u", "y/u"] {
            s.write(&format!("in/{name}.wav"), wav());
        }
        s.write("in/trans.txt", text);
        let error = s.fails("in n.json");
        assert!(error.contains(fault), "{text}: {error}");
    }
    let s = Scratch::new();
    s.write("in/a.wav", wav());
    s.write("in/transcripts.txt", "a\tone\ngone\ttwo\n");
    let (lines, said) = manifest(&s, "in", "");
    assert_eq!(lines[0]["text"], "one");
    assert!(
        said.contains("transcripts.txt:2: 1 line has no sound file, the first is of gone"),
        "{said}"
    );
    s.write("in/transcripts.txt", b"a\t\xff\n");
    let error = s.fails("in n.json");
    assert!(error.contains("transcripts.txt:1: is not UTF-8"), "{error}");
}

#[test]
fn a_folder_is_written_and_read_back() {
    let s = Scratch::new();
    s.write("t/a.wav", wav());
    s.write("t/a.txt", "one\n");
    s.ok("t soundfolder:back --verify");
    assert_eq!(s.read("back/a.wav"), wav());
    assert_eq!(s.read("back/a.txt"), b"one\n");
    s.ok("diff t back");
}
