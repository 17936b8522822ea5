//! Text files with times next to sound, captions, and recordings in turn, through the program.

use std::fs;

use crate::verbs::lines;
use crate::{Scratch, sample};

fn wav() -> Vec<u8> {
    fs::read(sample("").replace("kaldi/", "wav/ann-001.wav")).unwrap()
}

#[test]
fn what_is_joined_to_sound_is_counted() {
    let s = Scratch::new();
    for name in ["a", "b", "c", "d"] {
        s.write(&format!("in/{name}.wav"), wav());
    }
    s.write("in/a.txt", "0.25\t0.5\tone\n0.5\t0.75\ttwo words\n");
    s.write("in/b.txt", "0.1 0.2 A: one\n0.15 0.3 B: two\n");
    s.write("in/c.txt", "three\n");
    s.write("in/d.srt", "1\n00:00:00,100 --> 00:00:00,500\nfour\n\n");
    let told = "in: transcripts beside the sound: label tracks of Audacity (1 file), plain text \
                (1 file), srt (1 file), text with times and speakers, as in Fisher (1 file)";
    let said = s.ok("info in");
    assert!(said.err.contains(told), "{}", said.err);
    assert!(said.out.contains("segments, text\n"), "{}", said.out);
    let said = s.ok("in o.jsonl -t jsonl");
    assert!(said.err.contains(told), "{}", said.err);
    let all = lines(&String::from_utf8(s.read("o.jsonl")).unwrap());
    let texts: Vec<_> = all
        .iter()
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["one two words", "one two", "three", "four"]);
    assert_eq!(all[1]["segments"][1]["speaker"], "B");
    // A manifest holds the text alone, which needs permission.
    let said = s.fails("in o.json -t nemo");
    assert!(
        said.contains("nemo can't hold all of it: segments"),
        "{said}"
    );
    s.ok("in o.json -t nemo --allow-loss segments");
    // A contradiction with the sound is a fault of that utterance alone.
    s.write("in/a.txt", "0.25\t99.5\tone\n");
    let said = s.run("in o.jsonl -t jsonl --overwrite --on-error skip");
    let told = "in/a.txt:1: utterance a: ends at 99.5 s, but the sound lasts ";
    assert!(said.err.contains(told), "{}", said.err);
    assert_eq!(
        lines(&String::from_utf8(s.read("o.jsonl")).unwrap()).len(),
        3
    );
}

#[test]
fn recordings_in_turn_are_read_from_files() {
    let s = Scratch::new();
    let turns = "SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\nSPEAKER b 1 0 1 <NA> <NA> y <NA> <NA>\n\
                 SPEAKER a 1 1 1 <NA> <NA> z <NA> <NA>\n";
    s.write("a.rttm", turns);
    let said = s.ok("a.rttm - -t rttm");
    let sorted = "SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\nSPEAKER a 1 1 1 <NA> <NA> z <NA> <NA>\n\
                  SPEAKER b 1 0 1 <NA> <NA> y <NA> <NA>\n";
    assert_eq!(said.out, sorted);
    s.write("eight.rttm", "SPEAKER a 1 0 1 <NA> <NA> x\n");
    assert!(s.ok("info eight.rttm").out.contains("rttm"));
    // Packed, too.
    s.ok("a.rttm b.rttm.gz -q");
    assert_eq!(s.ok("b.rttm.gz - -t rttm").out, sorted);
}

#[test]
fn captions_and_annotations_go_round() {
    let s = Scratch::new();
    s.write("a.ctm", "a 1 0.5 0.25 one\na 1 0.75 0.5 two\n");
    for (first, second) in [("a.srt", "a.eaf"), ("a.eaf", "a.json"), ("a.json", "a.vtt")] {
        let to = |name: &str| if name == "a.json" { " -t whisper" } else { "" };
        s.ok(&format!(
            "a.ctm {first} -q --verify --overwrite{}",
            to(first)
        ));
        s.ok(&format!(
            "{first} {second} -q --verify --overwrite{}",
            to(second)
        ));
        let back = s.ok(&format!("{second} - -t ctm -q"));
        assert_eq!(back.out, "a 1 0.5 0.25 one\na 1 0.75 0.5 two\n", "{second}");
    }
    // Of a stream, JSON is known by its content.
    let found = s.ok("info a.json").out;
    assert!(found.contains("whisper"), "{found}");
    s.write("txt.done.data", "( a \"One \\\"two\\\".\" )\n");
    assert_eq!(s.ok("txt.done.data - -t trn -q").out, "One \"two\". (a)\n");
}

#[test]
fn doubled_lines_of_a_manifest_go_by_the_option() {
    let s = Scratch::new();
    let line = |file: &str, text: &str| {
        format!("{{\"audio_filepath\": \"{file}\", \"duration\": 1, \"text\": \"{text}\"}}\n")
    };
    let text = [
        line("x/a.wav", "one"),
        line("y/a.wav", "two"),
        line("x/a.wav", "three"),
    ];
    s.write("m.json", text.concat());
    let said = s.fails("m.json o.trn --allow-loss audio");
    assert!(said.contains("a second line of this name"), "{said}");
    for (flags, out) in [
        ("--duplicates first", "one (a)\n"),
        ("--duplicates last", "three (a)\n"),
        ("--duplicates keep", "one (a)\ntwo (a)\nthree (a)\n"),
    ] {
        let said = s.ok(&format!("m.json - -t trn -q --allow-loss audio {flags}"));
        assert_eq!(said.out, out, "{flags}");
    }
    let said = s.ok("m.json,keys=path - -t trn -q --allow-loss audio");
    assert_eq!(said.out, "one (x/a)\ntwo (y/a)\nthree (x/a-2)\n");
}
