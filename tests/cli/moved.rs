//! Names inside files whose files have moved: `--map-path`, and where they are proposed to be.

use std::fs;

use crate::verbs::keys;
use crate::{Scratch, sample};

/// A place that no file is in.
const OLD: &str = "/nowhere/old corpus";

/// Sound in `now/wav`, and data sets of every form that name it, or features, where nothing is.
fn moved(s: &Scratch) {
    let sound = fs::read(sample("").replace("kaldi/", "wav/ann-001.wav")).unwrap();
    for name in ["a", "b"] {
        s.write(&format!("now/wav/{name}.wav"), &sound);
    }
    s.write("now/f.ark", fs::read(sample("fbank.ark")).unwrap());
    let at = |name: &str| format!("{OLD}/{name}");
    let scp = String::from_utf8(fs::read(sample("fbank.scp")).unwrap()).unwrap();
    let scp = scp.lines().map(|line| {
        let (key, place) = line.split_once(' ').unwrap();
        format!(
            "{key} {}:{}\n",
            at("f.ark"),
            place.rsplit(':').next().unwrap()
        )
    });
    s.write("f.scp", scp.collect::<String>());
    s.write(
        "m.json",
        ["a", "b"]
            .map(|name| {
                let file = at(&format!("wav/{name}.wav"));
                format!("{{\"audio_filepath\": \"{file}\", \"duration\": 2.93, \"text\": \"x\"}}\n")
            })
            .concat(),
    );
    let cut = |name: &str| {
        let file = at(&format!("wav/{name}.wav"));
        format!(
            "{{\"id\": \"{name}\", \"sources\": [{{\"type\": \"file\", \"channels\": [0], \"source\": \
             \"{file}\"}}], \"sampling_rate\": 16000, \"num_samples\": 46901, \"duration\": 2.9313125}}\n"
        )
    };
    s.write("recordings.jsonl", cut("a") + &cut("b"));
    s.write(
        "data/wav.scp",
        format!("a {OLD}/wav/a.wav\nb {OLD}/wav/b.wav\n"),
    );
    s.write("data/utt2spk", "a a\nb b\n");
    s.write("data/spk2utt", "a a\nb b\n");
    s.write("data/text", "a x\nb y\n");
    let line = |name: &str| {
        format!("{{\"key\":\"{name}\",\"audio\":{{\"path\":\"{OLD}/wav/{name}.wav\"}}}}\n")
    };
    s.write("l.jsonl", line("a") + &line("b"));
    s.write(
        "af/metadata.jsonl",
        format!("{{\"file_name\": \"{OLD}/wav/a.wav\", \"text\": \"x\"}}\n"),
    );
    s.write("h.scp", format!("a={OLD}/x.htk\n"));
}

/// Every format that holds names of files reads them where they are now, in every verb.
#[test]
fn names_in_every_format_are_moved() {
    let s = Scratch::new();
    moved(&s);
    let map = format!("--map-path={OLD}=now");
    for (input, verb) in [
        ("f.scp", "stats"),
        ("m.json", "stats"),
        ("recordings.jsonl", "stats"),
        ("data", "stats"),
        ("l.jsonl", "stats"),
        ("af", "stats"),
        ("f.scp", "check"),
        ("m.json", "check"),
        ("data", "check"),
        ("f.scp", "ls"),
        ("f.scp", "info"),
        ("f.scp", "show"),
    ] {
        let with = s.run_args(&[verb, input, &map]);
        assert_eq!(with.status, 0, "{verb} {input}: {}{}", with.out, with.err);
        assert!(!with.err.contains("no name"), "{}", with.err);
    }
    for (n, input) in ["m.json", "recordings.jsonl", "data", "l.jsonl", "af"]
        .into_iter()
        .enumerate()
    {
        let said = s.run_args(&[
            input,
            &format!("o{n}/"),
            "--to",
            "flac",
            "--allow-loss",
            "text",
            &map,
        ]);
        assert_eq!(said.status, 0, "{input}: {}", said.err);
    }
    let without = s.run_args(&["m.json", "x/", "--to", "flac", "--allow-loss", "text"]);
    assert_eq!(without.status, 2);
}

#[test]
fn names_that_are_written_are_moved_as_well() {
    let s = Scratch::new();
    moved(&s);
    let map = format!("--map-path={OLD}=/else/where");
    for (target, file) in [
        ("o.json", "o.json"),
        ("kaldi-data:o", "o/wav.scp"),
        ("lhotse:o.jsonl", "o.jsonl"),
    ] {
        // Nothing is opened.
        let said = s.run_args(&["recordings.jsonl", target, &map]);
        assert_eq!(said.status, 0, "{target}: {}", said.err);
        let text = String::from_utf8(s.read(file)).unwrap();
        assert!(
            text.contains("/else/where/wav/a.wav") && !text.contains(OLD),
            "{text}"
        );
    }
}

#[test]
fn commands_have_names_in_them() {
    let s = Scratch::new();
    moved(&s);
    s.write(
        "data/wav.scp",
        "a cat /gone/a.wav |\nb cat '/gone/b.wav' |\n",
    );
    let said = s.ok("data out/ --to flac --allow-loss text --allow-pipes --map-path /gone=now/wav");
    assert!(said.err.contains("2 utterances"), "{}", said.err);
}

#[test]
fn the_flag_is_proposed_where_a_root_is_gone() {
    let s = Scratch::new();
    moved(&s);
    let flag = format!("--map-path '{OLD}=now' reads the files where they are now");
    for line in [
        "f.scp x.ark",
        "data x/ --to flac --allow-loss text",
        "m.json x/ --to flac --allow-loss text",
        "l.jsonl x/ --to flac",
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 2, "{line}");
        assert!(said.err.contains(&flag), "{line}: {}", said.err);
    }
    // Where others are found by the same root, it is right, and the one file is missing.
    s.write("there/a.wav", s.read("now/wav/a.wav"));
    s.write(
        "n.json",
        "{\"audio_filepath\": \"there/b.wav\", \"duration\": 1}\n",
    );
    let said = s.run("n.json x/ --to flac");
    assert!(!said.err.contains("--map-path"), "{}", said.err);
    // Relative names whose first folder is gone.
    s.write(
        "r.json",
        "{\"audio_filepath\": \"wav/b.wav\", \"duration\": 2.93}\n",
    );
    let said = s.run("r.json x/ --to flac");
    assert!(said.err.contains("--map-path .=now reads"), "{}", said.err);
    s.ok("r.json x/ --to flac --map-path .=now");
}

#[test]
fn rules_are_checked_and_idle_ones_told() {
    let s = Scratch::new();
    moved(&s);
    for (flags, fault) in [
        ("--map-path x", "--map-path: 'x' is not OLD=NEW"),
        ("--map-path =x", "is not OLD=NEW"),
        ("--map-path a=b --map-path a/=c", "a is to be b and c"),
    ] {
        let error = s.fails(&format!("m.json o.json {flags}"));
        assert!(error.contains(fault), "{error}");
    }
    let said = s.ok("m.json o.json --map-path /typo=/x");
    let told = "--map-path /typo=/x: no name that was read begins so";
    assert!(said.err.contains(told), "{}", said.err);
    let said = s.run("m.json o.json --map-path /nowhere=/x --explain");
    assert!(
        said.out.contains("names inside files: /nowhere=/x"),
        "{}",
        said.out
    );
    // The longest beginning counts.
    s.run_args(&[
        "m.json",
        "long.json",
        "--map-path=/nowhere=/no",
        &format!("--map-path={OLD}=now"),
    ]);
    let text = String::from_utf8(s.read("long.json")).unwrap();
    assert!(
        text.contains("now/wav/a.wav") && !text.contains("/no/"),
        "{text}"
    );
    assert_eq!(keys(&s, "m.json"), ["a", "b"]);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_moved() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let s = Scratch::new();
    let sound = fs::read(sample("").replace("kaldi/", "wav/ann-001.wav")).unwrap();
    fs::create_dir(s.path("now")).unwrap();
    fs::write(s.path("now").join(OsStr::from_bytes(b"\xff.wav")), sound).unwrap();
    s.write("w.scp", b"a /gone/\xff.wav\n");
    s.ok("w.scp out/ --to flac --map-path /gone=now");
}

/// A script file is written anew with the names of moved files, and no data are copied.
#[test]
fn a_list_of_moved_files_is_written_anew() {
    let s = Scratch::new();
    fs::create_dir(s.path("new")).unwrap();
    s.write("new/fbank.ark", fs::read(sample("fbank.ark")).unwrap());
    let list = String::from_utf8(fs::read(sample("fbank.scp")).unwrap()).unwrap();
    let old = list.replace("fbank.ark", "/old/disk/fbank.ark");
    let ranged = old.replacen(":8\n", ":8[0:9]\n", 1);
    s.write("old.scp", format!("{ranged}last cat /old/disk/x.ark |\n"));
    let said = s.ok("index old.scp -o feats.scp --map-path /old/disk=new");
    assert!(
        said.err.contains("13 utterances (feats.scp)"),
        "{}",
        said.err
    );
    let feats = String::from_utf8(s.read("feats.scp")).unwrap();
    let expected = ranged.replace("/old/disk", "new") + "last cat new/x.ark |\n";
    assert_eq!(feats, expected);
    s.write("feats.scp", ranged.replace("/old/disk", "new"));
    s.ok("check feats.scp");
    // Names that lead nowhere are told, and nothing is written.
    let error = s.fails("index old.scp -o gone.scp --map-path /old/disk=nowhere");
    assert!(error.contains("nowhere/fbank.ark: cannot open"), "{error}");
    let error = s.fails("index old.scp -o feats.scp --map-path /old/disk=new");
    assert!(error.contains("feats.scp: exists already"), "{error}");
    let error = s.fails("index feats.scp -o feats.scp --overwrite");
    assert!(error.contains("feats.scp"), "{error}");
    s.write("bad.scp", "a new/fbank.ark:8\nb\n");
    let error = s.fails("index bad.scp -o x.scp");
    assert!(
        error.contains("bad.scp:2: utterance b: no file name follows"),
        "{error}"
    );
}
