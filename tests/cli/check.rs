//! `check` and `repair`.

use std::fs;

use super::{Scratch, names, sample};

/// An archive of a hundred matrices, its script file, and where each entry starts.
pub(super) fn archive(scratch: &Scratch) -> (Vec<u8>, Vec<usize>) {
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
    let said = scratch.run("check a.txt --labels a.ali --all");
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

/// An archive and its script file, each way that they can disagree.
#[test]
fn archives_and_their_script_files() {
    let s = Scratch::new();
    let (bytes, starts) = archive(&s);
    let script = String::from_utf8(s.read("f.scp")).unwrap();
    let end = script.trim_end().rfind('\n').unwrap() + 1;
    s.write("f.scp", &script[..end]);
    let said = s.run("check f.ark");
    let line = "fault: f.scp: utterance spk9-utt099: is in the archive, but not in its script file";
    assert_eq!(said.status, 1);
    assert!(said.out.contains(line), "{}", said.out);
    s.write("f.scp", &script);
    s.write("f.ark", &bytes[..starts[50]]);
    let said = s.run("check f.scp --all");
    assert_eq!(said.status, 1);
    let past = format!("byte {} is past the end of f.ark", starts[60] + 12);
    assert!(said.out.contains(&past), "{}", said.out);
    fs::remove_file(s.path("f.ark")).unwrap();
    let said = s.run("check f.scp");
    assert_eq!(said.status, 1);
    assert!(
        said.out
            .contains("f.ark: utterance spk0-utt000: cannot open"),
        "{}",
        said.out
    );
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
