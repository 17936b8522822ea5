//! `check` of data directories.

use std::fs;

use super::Scratch;
use super::check::archive;
use super::check_sound::{directory, wave};

/// A line of a table, what is put in its place, and what is found.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    (
        "utt2spk",
        "spk0-utt003 spk0\n",
        "",
        "spk0-utt003 is listed, but not by utt2spk",
    ),
    (
        "utt2spk",
        "spk0-utt003 spk0\n",
        "spk0-utt003\n",
        "expected one word after the key",
    ),
    (
        "text",
        "spk0-utt003 a word\n",
        "",
        "no line for this utterance of utt2spk",
    ),
    ("text", "utt003 a", "utt003 <s>", "may not stand in a text"),
    (
        "text",
        "utt003 a word\n",
        "utt003 a word\r\n",
        "a carriage return",
    ),
    (
        "text",
        "spk9-utt099 a word\n",
        "spk9-utt099 a word",
        "the last line has no end",
    ),
    (
        "spk2utt",
        "spk0 spk0-utt000",
        "spk0",
        "is not listed, but utt2spk has it",
    ),
    (
        "segments",
        "spk0-utt003 rec-spk0-utt003 0.5 2",
        "spk0-utt003 rec-spk0-utt003 2 2",
        "starts at 2 s and ends at 2 s",
    ),
    (
        "wav.scp",
        "rec-spk0-utt003 spk0-utt003.wav\n",
        "",
        "wav.scp has no recording rec-",
    ),
    (
        "wav.scp",
        "spk0-utt003.wav",
        "~/x.wav",
        "~ is not understood",
    ),
    (
        "spk2gender",
        "spk3 f",
        "spk3 x",
        "expected m or f after the key",
    ),
    (
        "utt2num_frames",
        "spk0-utt000 4\n",
        "spk0-utt000 5\n",
        "4 frames, but 5 by data/utt2num_frames",
    ),
    (
        "feats.scp",
        "spk0-utt001 f.ark",
        "spk0-utt001 g.ark",
        "g.ark: utterance spk0-utt001: cannot open",
    ),
    (
        "utt2spk",
        "spk0-utt003 spk0",
        "spk0-utt003 spk9",
        "speaker spk0 comes after spk9",
    ),
    (
        "utt2spk",
        "spk0-utt003 spk0",
        "spk0-utt003 spk0 spk1",
        "expected one word after the key",
    ),
    (
        "utt2spk",
        "spk0-utt003 spk0\n",
        "spk0-utt003 spk0\nspk0-utt003 spk0\n",
        "data/utt2spk:5: utterance spk0-utt003: appears twice, in line 4, too",
    ),
    (
        "spk2utt",
        "spk0 spk0-utt000 spk0-utt001",
        "spk0 spk0-utt001 spk0-utt000",
        "is listed where utt2spk has spk0-utt000",
    ),
    (
        "text",
        "spk9-utt099 a word\n",
        "spk9-utt099 a word\nx a\n",
        "data/text:101: utterance x: utt2spk has no such utterance",
    ),
    (
        "text",
        "utt003 a word",
        "utt003 a\u{a0}word",
        "a blank in the text",
    ),
    ("text", "utt003 a", "utt003 \u{7}", "a control character"),
    ("text", "spk0-utt003 a", "#0 a", "not even as names"),
    ("text", "utt003 a", "utt003 \0a", "a NUL byte"),
    (
        "segments",
        "spk0-utt003 rec-spk0-utt003 0.5 2",
        "spk0-utt003 rec-spk0-utt003 0.5",
        "expected a recording, a start and an end",
    ),
    (
        "segments",
        "rec-spk0-utt003 0.5 2",
        "rec-spk0-utt003 0.5 2 1",
        "expected a recording, a start and an end",
    ),
    (
        "segments",
        "rec-spk0-utt003 0.5 2",
        "rec-9 0.5 2",
        "wav.scp has no recording rec-",
    ),
    (
        "wav.scp",
        "rec-spk0-utt003 spk0-utt003.wav\n",
        "rec-spk0-utt003\n",
        "nothing follows the key",
    ),
    (
        "spk2gender",
        "spk3 f\n",
        "",
        "no line for this speaker of utt2spk",
    ),
    (
        "utt2num_frames",
        "spk0-utt000 4\n",
        "spk0-utt000 0\n",
        "a number of frames above 0",
    ),
    ("utt2lang", "nl", "nl de", "expected one word after the key"),
    ("utt2uniq", "x\n", "\n", "expected one word after the key"),
    ("utt2dur", " 1.5", " 0", "a number of seconds above 0"),
    ("spk2warp", "spk3 1", "spk3 1.5", "between 0.5 and 1.5"),
    (
        "reco2dur",
        "utt003 2",
        "utt003 -2",
        "a number of seconds above 0",
    ),
    (
        "reco2file_and_channel",
        "utt003 r A",
        "utt003 r C",
        "the name of a recording and A or B",
    ),
    ("frame_shift", "0.125", "0", "a number of seconds above 0"),
    (
        "utt2num_frames",
        "spk0-utt000 4\nspk0-utt001 11\n",
        "spk0-utt001 11\nspk0-utt000 4\n",
        "the file is not sorted",
    ),
];

/// The tables of a directory without a fault.
fn tables(starts: &[usize]) -> [(&'static str, String); 15] {
    // Frames of 0.125 s, at the end of a recording of 2 s.
    let frames = |n: usize| u8::try_from(4 + n * 7 % 13).unwrap();
    let seconds = |n| f64::from(frames(n)) * 0.125;
    let lines = |line: &dyn Fn(usize, &str, &str) -> String| -> String {
        (0..starts.len())
            .map(|n| {
                line(
                    n,
                    &format!("spk{}-utt{n:03}", n / 10),
                    &format!("spk{}", n / 10),
                )
            })
            .collect()
    };
    [
        ("utt2spk", lines(&|_, utt, spk| format!("{utt} {spk}\n"))),
        ("text", lines(&|_, utt, _| format!("{utt} a word\n"))),
        (
            "utt2num_frames",
            lines(&|n, utt, _| format!("{utt} {}\n", frames(n))),
        ),
        (
            "feats.scp",
            lines(&|n, utt, _| format!("{utt} f.ark:{}\n", starts[n] + 12)),
        ),
        (
            "segments",
            lines(&|n, utt, _| format!("{utt} rec-{utt} {} 2\n", 2.0 - seconds(n))),
        ),
        (
            "wav.scp",
            lines(&|_, utt, _| format!("rec-{utt} {utt}.wav\n")),
        ),
        (
            "spk2utt",
            (0..10)
                .map(|s| {
                    let utts = (10 * s..10 * s + 10).map(|n| format!(" spk{s}-utt{n:03}"));
                    format!("spk{s}{}\n", utts.collect::<String>())
                })
                .collect(),
        ),
        (
            "spk2gender",
            (0..10).map(|s| format!("spk{s} f\n")).collect::<String>(),
        ),
        ("utt2lang", lines(&|_, utt, _| format!("{utt} nl\n"))),
        ("utt2uniq", lines(&|_, utt, _| format!("{utt} x\n"))),
        (
            "utt2dur",
            lines(&|n, utt, _| format!("{utt} {}\n", seconds(n))),
        ),
        (
            "spk2warp",
            (0..10).map(|s| format!("spk{s} 1\n")).collect::<String>(),
        ),
        ("reco2dur", lines(&|_, utt, _| format!("rec-{utt} 2\n"))),
        (
            "reco2file_and_channel",
            lines(&|_, utt, _| format!("rec-{utt} r A\n")),
        ),
        ("frame_shift", "0.125\n".to_owned()),
    ]
}

#[test]
fn data_folders() {
    let scratch = Scratch::new();
    let (_, starts) = archive(&scratch);
    scratch.write("data/f.ark", scratch.read("f.ark"));
    let good = tables(&starts);
    for (name, text) in &good {
        scratch.write(&format!("data/{name}"), text);
    }
    for n in 0..starts.len() {
        // Each sound is another.
        let mut sound = wave(2000);
        let end = sound.len() - 2;
        sound[end..].copy_from_slice(&u16::try_from(n).unwrap().to_le_bytes());
        scratch.write(&format!("data/spk{}-utt{n:03}.wav", n / 10), sound);
    }
    let said = scratch.run("check data");
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("data: nothing wrong"), "{}", said.out);
    for &(name, from, to, message) in FAULTS {
        let text = &good.iter().find(|(n, _)| *n == name).unwrap().1;
        assert!(text.contains(from), "{name}: {from}");
        scratch.write(&format!("data/{name}"), text.replacen(from, to, 1));
        let said = scratch.run("check data");
        assert_eq!(said.status, 1, "{message}: {}{}", said.out, said.err);
        assert!(said.out.contains(message), "{message}: {}", said.out);
        scratch.write(&format!("data/{name}"), text);
    }
}

/// What the tables say wrong is told once, and what else is wrong as well.
#[test]
fn faults_of_tables_are_told_once() {
    let s = Scratch::new();
    for (name, text, faults) in [
        (
            "segments",
            "a-1 r1 0 0.5\na-2 r1 1 0.5\nb-1 r2 0.2 0.9\n",
            1,
        ),
        ("segments", "a-1 r1 0 0.5\nb-1 r2 0.2 0.9\n", 1),
        ("text", "a-1 ONE\nb-1 THREE\n", 1),
        ("utt2spk", "a-1 a\na-2 a b\nb-1 b\n", 2),
        ("text", "a-2 TWO\na-1 ONE\nb-1 THREE\n", 1),
        ("utt2lang", "a-1 xx\nb-1 xx\n", 1),
        ("wav.scp", "r1 wav/r1.wav\n", 1),
        ("wav.scp", "r1 wav/r1.wav\nr2 |wav\n", 1),
        ("frame_shift", "0\n", 1),
    ] {
        directory(&s);
        s.write(&format!("data/{name}"), text);
        let said = s.run("check data");
        assert_eq!(said.status, 1, "{name}: {}{}", said.out, said.err);
        let found = said.out.lines().filter(|line| line.starts_with("fault: "));
        assert_eq!(found.count(), faults, "{name} {text}: {}", said.out);
        assert!(!said.out.contains(" 0 utterances"), "{name}: {}", said.out);
        let _ = fs::remove_file(s.path(&format!("data/{name}")));
    }
    // A table at fault hides nothing of the sound.
    directory(&s);
    s.write("data/text", "a-1 ONE\nb-1 THREE\n");
    s.write("wav/r2.wav", &wave(1000)[..500]);
    let said = s.run("check data");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    for fault in ["data/text: utterance a-2: no line", "wav/r2.wav"] {
        assert!(said.out.contains(fault), "{fault}: {}", said.out);
    }
    // A folder that lacks almost everything is one all the same.
    s.write("poor/spk2utt", "a a-1\n");
    let said = s.run("check poor");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    assert!(
        said.out.contains("poor/utt2spk: is missing"),
        "{}",
        said.out
    );
}

#[test]
fn a_directory_whose_list_is_empty_is_refused() {
    let s = Scratch::new();
    s.write("d/utt2spk", "");
    s.write("d/text", "ann-1 x\n");
    for line in ["d o.jsonl", "repair d -o e"] {
        let error = s.fails(line);
        assert!(
            error.contains("d: utt2spk is empty, and text is not"),
            "{error}"
        );
    }
    let said = s.run("check d");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
}
