//! `check` by kinds of findings: what is summed up, chosen, counted and compared.

use std::fmt::Write;

use crate::Scratch;
use crate::verbs::lines;

/// A line of JSON with sound.
fn sound(key: &str, speaker: &str, rate: u32, channels: usize, of: fn(i64) -> i64) -> String {
    let frames = (0..200).map(|n| format!("{:?}", vec![of(n); channels]));
    let frames = frames.collect::<Vec<_>>().join(",");
    format!(
        "{{\"key\":\"{key}\",\"meta\":{{\"speaker\":\"{speaker}\"}},\"audio\":{{\"rate\":{rate},\
         \"dtype\":\"i16\",\"shape\":[200,{channels}],\"data\":[{frames}]}}}}\n"
    )
}

fn loud(n: i64) -> i64 {
    n * 37 % 1000 - 500
}

#[test]
fn notes_on_sound_have_numbers() {
    let s = Scratch::new();
    let text = "\"text\":\"".to_owned() + &"ab ".repeat(25) + "\",\"meta\"";
    s.write(
        "s.jsonl",
        sound("loud", "ann", 100, 1, loud)
            + &sound("quiet", "bob", 200, 1, |n| i64::from(n % 9 == 0))
            + &sound("zero", "ann", 100, 2, |_| 0).replace("\"meta\"", &text)
            + &sound("again", "cleo", 100, 1, loud),
    );
    let said = s.ok("check s.jsonl");
    let expected = [
        "utterance quiet: 200 Hz, the first has 100",
        "utterance quiet: the level is -99.7 dB of full scale, which is almost silent",
        "utterance zero: channels: 2, the first has 1",
        "utterance zero: all samples are 0",
        "utterance zero: the text has 74 characters, the sound 2.00 s: 37 characters per second",
        "utterance again: has the same sound as loud",
    ];
    let notes: Vec<_> = said
        .out
        .lines()
        .filter(|line| line.starts_with("note: "))
        .collect();
    let expected = expected.map(|note| format!("note: s.jsonl: {note}"));
    assert!(
        expected.iter().all(|note| notes.contains(&note.as_str())),
        "{}",
        said.out
    );
    // Any sound that is off zero throughout is noted as well.
    assert!(
        said.out
            .contains(&format!("0 faults, {} notes", notes.len())),
        "{}",
        said.out
    );
    for (flags, status) in [
        ("", 0),
        ("--fail-on faults", 0),
        ("--fail-on notes", 1),
        ("--fail-on notes --only faults", 1),
        ("--fail-on notes -q", 1),
    ] {
        let said = s.run(&format!("check s.jsonl {flags}"));
        assert_eq!(said.status, status, "{flags}: {}{}", said.out, said.err);
    }
}

#[test]
fn findings_of_a_kind_are_one_line() {
    let s = Scratch::new();
    let mut text = "bad  [\n  1 nan ]\n".to_owned();
    for n in 0..30 {
        writeln!(text, "c{n:02}  [\n  {n} {n}\n  {n} {n} ]").unwrap();
    }
    s.write("f.txt", &text);
    let said = s.run("check f.txt");
    assert_eq!(
        (said.status, said.out.as_str()),
        (
            1,
            "fault: f.txt: utterance bad: 1 NaN of 2 values, first in frame 0, column 1\n\
             note: 30 times: f.txt: utterance c00: all 4 values are 0; also c01, c02, c03, …\n\
             f.txt: 1 fault, 30 notes (kaldi, 31 utterances, 61 frames)\n"
        )
    );
    let said = s.run("check f.txt --only faults");
    assert_eq!((said.status, said.out.lines().count()), (1, 2));
    let said = s.run("check f.txt --all");
    assert_eq!((said.status, said.out.lines().count()), (1, 32));
    let said = s.run("check f.txt --json");
    let summary = &lines(&said.out)[0];
    assert_eq!(summary["schema"], 1);
    let said = s.run("check f.txt --error-log log.jsonl");
    let log = String::from_utf8(s.read("log.jsonl")).unwrap();
    assert_eq!((said.status, lines(&log).len()), (1, 31));
    let error = s.fails("check f.txt --error-log log.jsonl");
    assert!(error.contains("log.jsonl: exists already"), "{error}");
}

#[test]
fn one_cause_is_one_line() {
    let s = Scratch::new();
    let line = |root: &str, n: u32| {
        format!("{{\"audio_filepath\":\"{root}/u{n}.wav\",\"duration\":1.0,\"text\":\"a\"}}\n")
    };
    let manifest: String = (0..30).map(|n| line("/no/such/root/x", n)).collect();
    s.write("gone.json", &manifest);
    let said = s.run("check gone.json");
    assert_eq!(said.status, 1);
    let first = said.out.lines().next().unwrap();
    assert!(
        first.starts_with("fault: 30 times, as there is no /no: /no/such/root/x/u0.wav: "),
        "{first}"
    );
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    let said = s.run("check gone.json --only notes");
    assert_eq!((said.status, said.out.lines().count()), (1, 1));
    let said = s.run("check gone.json --all");
    assert_eq!(said.out.lines().count(), 31);
}

#[test]
fn what_train_and_valid_share_is_noted() {
    let s = Scratch::new();
    let train = [("a", "ann"), ("b", "bob"), ("c", "cleo"), ("d", "ann")];
    let lines = |utts: &[(&str, &str)]| -> String {
        let lines = utts
            .iter()
            .map(|(key, speaker)| sound(key, speaker, 100, 1, loud));
        lines.collect()
    };
    s.write("train.jsonl", lines(&train));
    s.write("valid.jsonl", lines(&[("d", "ann"), ("e", "dora")]));
    s.write("other.jsonl", lines(&[("e", "dora")]));
    let said = s.run("check train.jsonl --against valid.jsonl --fail-on notes");
    assert_eq!(said.status, 1);
    for note in [
        "train.jsonl: 1 of 3 speakers (2 utterances) is in valid.jsonl as well (1 utterance): ann\n",
        "train.jsonl: 1 key is in valid.jsonl as well: d\n",
    ] {
        assert!(said.out.contains(note), "{}", said.out);
    }
    let said = s.ok("check train.jsonl --against other.jsonl");
    assert!(!said.out.contains("other.jsonl"), "{}", said.out);
    let error = s.fails("check train.jsonl --against gone.jsonl");
    assert!(error.contains("gone.jsonl"), "{error}");
}
