//! `check` and `repair`.

use std::fs;

use super::{Scratch, names, sample};

/// An archive of a hundred matrices, its script file, and where each entry starts.
fn archive(scratch: &Scratch) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut starts, mut script) = (Vec::new(), Vec::new(), String::new());
    for n in 0..100i32 {
        starts.push(bytes.len());
        let key = format!("spk{}-utt{n:03}", n / 10);
        bytes.extend(format!("{key} ").as_bytes());
        script.push_str(&format!("{key} f.ark:{}\n", bytes.len()));
        let rows = 4 + n * 7 % 13;
        bytes.extend(b"\0BFM \x04");
        bytes.extend(rows.to_le_bytes());
        bytes.extend(b"\x04\x05\0\0\0");
        (0..rows * 5).for_each(|i| bytes.extend((i as f32 * 3.7 - 9.0).to_le_bytes()));
    }
    scratch.write("f.ark", &bytes);
    scratch.write("f.scp", script);
    (bytes, starts)
}

#[test]
fn three_damaged_entries_of_a_hundred() {
    let scratch = Scratch::new();
    let (bytes, starts) = archive(&scratch);
    scratch.ok("check f.ark f.scp");
    let mut damaged = bytes.clone();
    damaged[starts[70] + 20] ^= 1;
    damaged[starts[40] + 12..starts[40] + 60].fill(0);
    damaged.drain(starts[9] + 40..starts[9] + 43);
    scratch.write("d.ark", damaged);
    let said = scratch.run("check d.ark");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    let faults = said.out.lines().filter(|l| l.starts_with("fault: "));
    let faults: Vec<_> = faults.collect();
    assert_eq!(faults.len(), 3, "{}", said.out);
    for (fault, key) in faults
        .iter()
        .zip(["spk0-utt009", "spk4-utt040", "spk7-utt070"])
    {
        assert!(fault.contains(&format!("utterance {key}: ")), "{fault}");
    }
    assert!(said.out.contains("d.ark: 3 faults (kaldi, 97 utterances, "));
    let said = scratch.run("repair d.ark -o ark,scp:g.ark,g.scp --error-log lost.jsonl");
    assert_eq!(said.status, 3, "{}", said.err);
    let lost = String::from_utf8(scratch.read("lost.jsonl")).unwrap();
    assert_eq!(lost.lines().count(), 3);
    let mut expected: Vec<u8> = Vec::new();
    for (n, start) in starts.iter().enumerate() {
        if ![9, 40, 70].contains(&n) {
            let end = starts.get(n + 1).copied().unwrap_or(bytes.len());
            expected.extend(&bytes[*start..end]);
        }
    }
    assert!(scratch.read("g.ark") == expected, "other bytes");
    scratch.ok("check g.ark g.scp");
    let error = scratch.fails("repair d.ark -o d.ark --overwrite");
    assert!(error.contains("d.ark: "), "{error}");
}

#[test]
fn what_is_whole_stays_as_it_is() {
    let scratch = Scratch::new();
    for (name, output) in [
        ("fbank.ark", "out.ark"),
        ("fbank_text.ark", "out.ark"),
        ("mfcc_cm.ark", "out.ark"),
        ("ali.ark", "out.ark"),
        ("post.ark", "out.ark"),
    ] {
        let path = sample(name);
        scratch.ok(&format!("repair {path} -o {output} --overwrite"));
        let same = scratch.read("out.ark") == fs::read(&path).unwrap();
        assert!(same, "{name}");
    }
}

#[test]
fn findings_as_json() {
    let scratch = Scratch::new();
    let (bytes, starts) = archive(&scratch);
    scratch.write("d.ark", &bytes[..starts[99] + 50]);
    let said = scratch.run("check --json d.ark");
    assert_eq!(said.status, 1);
    let lines: Vec<serde_json::Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2, "{}", said.out);
    assert_eq!(lines[0]["severity"], "fault");
    assert_eq!(lines[0]["sort"], "damage");
    assert_eq!(lines[0]["utterance"], "spk9-utt099");
    assert!(lines[0]["byte"].as_u64().unwrap() >= starts[99] as u64);
    assert_eq!(lines[1]["faults"], 1);
    assert_eq!(lines[1]["utterances"], 99);
}

#[test]
fn values_keys_shapes_and_labels() {
    let scratch = Scratch::new();
    scratch.write(
        "a.txt",
        "a [\n 1 2\n 3 nan ]\nc [\n 1 2\n inf 2 ]\nb [\n 1 2 3 ]\na [\n 1 2 ]\n",
    );
    scratch.write("a.ali", "a 1 2\nb 1 2\nd 1\n");
    let said = scratch.run("check a.txt --labels a.ali");
    assert_eq!(said.status, 1, "{}", said.err);
    for line in [
        "fault: a.txt: utterance a: 1 NaN of 4 values, first in frame 1, column 1",
        "fault: a.txt: utterance c: 1 infinite of 4 values, first in frame 1, column 0",
        "fault: a.txt: utterance c: no labels in a.ali",
        "fault: a.txt: utterance b: 3 columns, the first has 2",
        "fault: a.txt: utterance b: 1 frames, but 2 labels in a.ali",
        "note: a.txt: utterance b: comes after c; the keys are not sorted",
        "fault: a.txt: utterance a: appears more than once",
        "note: a.ali: has d, which the data do not have",
    ] {
        assert!(
            said.out.contains(&format!("{line}\n")),
            "{line}\n{}",
            said.out
        );
    }
    let said = scratch.ok("check --quick a.ali");
    assert_eq!(
        said.out,
        "a.ali: nothing wrong (kaldi, 3 utterances, 5 frames)\n"
    );
    assert_eq!(scratch.run("check missing.ark").status, 2);
    assert_eq!(scratch.run("check").status, 2);
}

#[test]
fn script_files_and_leftovers() {
    let scratch = Scratch::new();
    let (_, starts) = archive(&scratch);
    let script = String::from_utf8(scratch.read("f.scp")).unwrap();
    let wrong = script.replacen(&format!("f.ark:{}", starts[1] + 12), "f.ark:33", 1);
    scratch.write("f.scp", format!("{wrong}zed f.ark:12\n"));
    let said = scratch.run("check --quick f.ark");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    for line in [
        "fault: f.scp:2: utterance spk0-utt001: byte 33 of f.ark does not follow a key",
        "fault: f.scp:101: utterance zed: byte 12 of f.ark follows the key spk0-utt000",
        "fault: f.scp:101: utterance zed: is in the script file, but not in its archive",
    ] {
        assert!(
            said.out.contains(&format!("{line}\n")),
            "{line}\n{}",
            said.out
        );
    }
    scratch.write("g.scp", "a nothing.ark:5\n");
    let said = scratch.run("check g.scp");
    assert_eq!(said.status, 1);
    assert!(said.out.contains("nothing.ark: "), "{}", said.out);
    scratch.write("h.ali", "a 1 2\n");
    scratch.write(".h.ali.spr-99999999.tmp", "");
    let said = scratch.ok("check h.ali");
    assert!(
        said.out.contains("note: ./.h.ali.spr-99999999.tmp: "),
        "{}",
        said.out
    );
    assert!(scratch.path(".h.ali.spr-99999999.tmp").exists());
}

#[test]
fn what_a_killed_run_moved_aside_is_found() {
    let s = Scratch::new();
    s.ok(&format!("{} ark,scp:x.ark,x.scp", sample("ali.ark")));
    // As it is after a kill between the two renames that replace them.
    let (ark, scp) = (".x.ark.spr-99999999.old", ".x.scp.spr-99999999.old");
    fs::rename(s.path("x.ark"), s.path(ark)).unwrap();
    fs::rename(s.path("x.scp"), s.path(scp)).unwrap();
    s.write("x.ark", s.read(ark));
    s.write(".x.scp.spr-99999999.tmp", "");
    let said = s.run("check x.scp");
    assert_eq!(said.status, 2, "{}{}", said.out, said.err);
    assert!(
        said.err.contains(&format!("hint: ./{scp} is the old file"))
            || said.err.contains(&format!("hint: {scp} is the old file")),
        "{}",
        said.err
    );
    let said = s.ok("check x.ark");
    assert!(
        said.out.contains(&format!(
            "{ark}: is the old ./x.ark, from a run that was killed"
        )),
        "{}",
        said.out
    );
    // The next run says so, and leaves them where they are.
    let input = sample("ali.ark");
    let said = s.ok(&format!("{input} ark,scp:x.ark,x.scp --overwrite"));
    for name in [ark, scp, ".x.scp.spr-99999999.tmp"] {
        assert!(
            said.err.contains(&format!("warning: ./{name}: is ")),
            "{}",
            said.err
        );
        assert!(s.path(name).exists());
    }
    // So does a check of the folder that holds them.
    s.ok(&format!("{} spr:d/", sample("fbank.ark")));
    let names = names(&s.path("d"));
    fs::rename(
        s.path("d").join(&names[0]),
        s.path("d").join(format!(".{}.spr-99999999.old", names[0])),
    )
    .unwrap();
    let said = s.run("check d/");
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    assert!(
        said.out.contains("fault: d/.") && said.out.contains("hint: rename it to d/"),
        "{}",
        said.out
    );
}

#[test]
fn folders_and_other_formats() {
    let scratch = Scratch::new();
    archive(&scratch);
    scratch.ok("f.ark spr:sp/");
    scratch.ok("check sp/");
    scratch.write("sp/spk0-utt003.spr", "x");
    assert_eq!(scratch.run("check sp/").status, 1);
    assert_eq!(scratch.run("repair sp/ -o spr:sp2/").status, 3);
    assert_eq!(fs::read_dir(scratch.path("sp2")).unwrap().count(), 99);
    scratch.ok("f.ark f.pfile");
    scratch.ok("check f.pfile");
    let bytes = scratch.read("f.pfile");
    scratch.write("c.pfile", &bytes[..bytes.len() - 50]);
    assert_eq!(scratch.run("check c.pfile").status, 1);
    scratch.ok("repair c.pfile -o d.pfile --co keys=none");
    scratch.ok("check d.pfile");
    assert!(scratch.read("d.pfile") == bytes, "the table is made anew");
    scratch.ok("f.ark f.jsonl");
    let text = String::from_utf8(scratch.read("f.jsonl")).unwrap();
    scratch.write("c.jsonl", text.replacen("utt050\"", "utt050", 1));
    assert_eq!(scratch.run("check c.jsonl").status, 1);
    assert_eq!(scratch.run("repair c.jsonl -o d.jsonl").status, 3);
    let kept = String::from_utf8(scratch.read("d.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 99);
}

#[test]
fn data_folders() {
    let scratch = Scratch::new();
    let (_, starts) = archive(&scratch);
    scratch.write("data/f.ark", scratch.read("f.ark"));
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
    let good = [
        ("utt2spk", lines(&|_, utt, spk| format!("{utt} {spk}\n"))),
        ("text", lines(&|_, utt, _| format!("{utt} a word\n"))),
        (
            "utt2num_frames",
            lines(&|n, utt, _| format!("{utt} {}\n", 4 + n * 7 % 13)),
        ),
        (
            "feats.scp",
            lines(&|n, utt, _| format!("{utt} f.ark:{}\n", starts[n] + 12)),
        ),
        (
            "segments",
            lines(&|_, utt, _| format!("{utt} rec-{utt} 0.5 2\n")),
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
        ("utt2dur", lines(&|_, utt, _| format!("{utt} 1.5\n"))),
        (
            "spk2warp",
            (0..10).map(|s| format!("spk{s} 1\n")).collect::<String>(),
        ),
        ("reco2dur", lines(&|_, utt, _| format!("rec-{utt} 2\n"))),
        (
            "reco2file_and_channel",
            lines(&|_, utt, _| format!("rec-{utt} r A\n")),
        ),
        ("frame_shift", "0.01\n".to_owned()),
    ];
    for (name, text) in &good {
        scratch.write(&format!("data/{name}"), text);
    }
    let said = scratch.run("check data");
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("data: nothing wrong"), "{}", said.out);
    let faults = [
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
            "starts at 2 and ends at 2",
        ),
        (
            "wav.scp",
            "rec-spk0-utt003 spk0-utt003.wav\n",
            "",
            "no line for this recording of segments",
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
            "appears more than once",
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
            "no line for this recording of segments",
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
        ("frame_shift", "0.01", "0", "a number of seconds above 0"),
        (
            "utt2num_frames",
            "spk0-utt000 4\nspk0-utt001 11\n",
            "spk0-utt001 11\nspk0-utt000 4\n",
            "the file is not sorted",
        ),
    ];
    for (name, from, to, message) in faults {
        let text = &good.iter().find(|(n, _)| *n == name).unwrap().1;
        assert!(text.contains(from), "{name}: {from}");
        scratch.write(&format!("data/{name}"), text.replacen(from, to, 1));
        let said = scratch.run("check data");
        assert_eq!(said.status, 1, "{message}: {}{}", said.out, said.err);
        assert!(said.out.contains(message), "{message}: {}", said.out);
        scratch.write(&format!("data/{name}"), text);
    }
}

#[test]
fn labels_fit_for_check_where_they_fit_for_a_conversion() {
    let s = Scratch::new();
    s.write("in.txt", "ann  [\n 1 2\n 3 4\n 5 6 ]\n");
    s.write("ali.txt", "ann 1 1 2\n");
    s.ok("ali.txt ali.seg --frame-shift 0.01");
    s.ok("in.txt in.jsonl --frame-shift 0.01");
    for labels in ["ali.txt", "ali.seg"] {
        s.ok(&format!("in.jsonl o.jsonl --labels {labels} --overwrite"));
        let said = s.ok(&format!("check in.jsonl --labels {labels}"));
        assert_eq!(
            said.out,
            "in.jsonl: nothing wrong (jsonl, 1 utterance, 3 frames)\n"
        );
    }
    // And do not where they do not; labels that the data have already are an error for both.
    s.write("short.txt", "ann 1 1\n");
    s.write("other.txt", "bob 1 1 2\n");
    for (labels, why) in [
        ("short.txt", "3 frames, but 2 labels"),
        ("other.txt", "no labels in"),
    ] {
        assert!(
            s.fails(&format!("in.jsonl x.jsonl --labels {labels}"))
                .contains(why)
        );
        let said = s.run(&format!("check in.jsonl --labels {labels}"));
        assert_eq!(said.status, 1);
        assert!(said.out.contains(why), "{}", said.out);
        assert!(said.out.contains(": 1 fault"), "{}", said.out);
    }
    // Labels that stand twice, wherever they do and however they are found.
    s.write("twice.txt", "ann 1 1 2\nbob 1\nann 1 1 3\n");
    s.ok("twice.txt twice.jsonl");
    s.ok("twice.txt twice.pfile");
    for labels in ["twice.txt", "twice.jsonl", "twice.pfile"] {
        let why = format!("{labels}: utterance ann: has labels twice, and they differ");
        let error = s.fails(&format!("in.jsonl x.jsonl --labels {labels}"));
        assert!(error.contains(&why), "{error}");
        let said = s.run(&format!("check in.jsonl --labels {labels}"));
        assert_eq!(said.status, 1, "{}", said.out);
        assert!(said.out.contains(&format!("fault: {why}")), "{}", said.out);
    }
    for verb in ["o.jsonl x.jsonl", "check o.jsonl"] {
        let error = s.fails(&format!("{verb} --labels ali.txt"));
        assert!(error.contains("has labels already"), "{error}");
    }
}

/// Keys that come twice are found however far apart, and without holding the keys.
#[test]
fn many_keys() {
    let s = Scratch::new();
    let lines = |n: usize| (0..n).map(|i| format!("utterance-{i:06} 1 2\n"));
    s.write("a.ali", lines(20_000).collect::<String>());
    let said = s.ok("check a.ali");
    assert_eq!(
        said.out,
        "a.ali: nothing wrong (kaldi, 20000 utterances, 40000 frames)\n"
    );
    s.write("a.ali", lines(20_000).chain(lines(1)).collect::<String>());
    let said = s.run("check a.ali");
    assert_eq!(said.status, 1);
    assert!(
        said.out
            .contains("utterance-000000: appears more than once"),
        "{}",
        said.out
    );
}
