//! `info` and `formats`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::{Scratch, sample};

fn info(s: &Scratch, argument: &str) -> Value {
    serde_json::from_str(&s.ok(&format!("info --json {argument}")).out).unwrap()
}

#[test]
fn the_samples() {
    let s = Scratch::new();
    let facts = info(&s, &sample("fbank.scp"));
    assert_eq!(
        facts,
        json!({
            "schema": 1, "input": sample("fbank.scp"), "format": "kaldi", "utterances": 12, "frames": 3111,
            "dim": 40, "dtype": "f32", "kinds": ["features"], "label_columns": null,
            "labels": null, "byte_order": "little", "compression": null, "frame_shift": null,
            "sample_rate": null, "duration": null, "keys": "stored"
        })
    );
    let facts = info(&s, &sample("ali.txt"));
    assert_eq!(facts["kinds"], json!(["labels"]));
    assert_eq!(facts["label_columns"], 1);
    assert_eq!(
        facts["labels"],
        json!({"min": 0, "max": 23, "distinct": 24})
    );
    assert_eq!(facts["byte_order"], Value::Null);
    assert_eq!(info(&s, &sample("mfcc_cm.ark"))["compression"], "CM");
    assert_eq!(info(&s, &sample("mfcc_cm.ark"))["dim"], 13);
    assert_eq!(info(&s, &sample("cmvn.ark"))["dtype"], "f64");
}

#[test]
fn where_names_come_from() {
    let s = Scratch::new();
    s.ok(&format!(
        "{} --labels {} a.pfile",
        sample("fbank.ark"),
        sample("ali.ark")
    ));
    let facts = info(&s, "a.pfile");
    assert_eq!(
        (&facts["keys"], &facts["byte_order"]),
        (&json!("sidecar"), &json!("big"))
    );
    assert_eq!(facts["kinds"], json!(["features", "labels"]));
    let facts = info(&s, "a.pfile,keys=none");
    assert_eq!(facts["keys"], "generated");
    let facts = info(&s, "--quick a.pfile");
    assert_eq!(
        (&facts["utterances"], &facts["frames"]),
        (&json!(12), &json!(3111))
    );
    assert_eq!(
        (&facts["dim"], &facts["label_columns"]),
        (&json!(40), &json!(1))
    );
}

#[test]
fn for_people_in_80_columns() {
    let s = Scratch::new();
    s.ok(&format!(
        "{} --labels {} a.pfile",
        sample("fbank.ark"),
        sample("ali.ark")
    ));
    let said = s.ok("info a.pfile");
    assert_eq!(
        said.out,
        "a.pfile\n\
         \x20 format      pfile, big endian\n\
         \x20 holds       12 utterances, 3111 frames (99 to 304 each)\n\
         \x20 features    40 columns of f32\n\
         \x20 labels      1 per frame, 0 to 23, 24 different\n\
         \x20 names       in a side file\n"
    );
}

#[test]
fn damage_is_told_after_what_was_found() {
    let s = Scratch::new();
    let bytes = std::fs::read(sample("fbank.ark")).unwrap();
    s.write("cut.ark", &bytes[..100_000]);
    let said = s.run("info --json cut.ark");
    assert_eq!(said.status, 2);
    let facts: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(facts["utterances"], 2);
    let error: Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(error["utterance"], "ann-003", "{}", said.err);
    // The other inputs are looked into all the same.
    let said = s.run(&format!("info cut.ark {}", sample("cmvn.ark")));
    assert_eq!(said.status, 2);
    assert!(said.out.contains("cmvn.ark"), "{}", said.out);
}

#[test]
fn formats_come_from_the_capabilities() {
    let s = Scratch::new();
    let list = s.ok("formats").out;
    let all: Value = serde_json::from_str(&s.ok("formats --json").out).unwrap();
    let names: Vec<_> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "kaldi",
            "kaldi-data",
            "pfile",
            "pickle",
            "spr",
            "key",
            "wav",
            "sphere",
            "au",
            "flac",
            "mp3",
            "ogg",
            "est",
            "hdf5",
            "hf",
            "htk",
            "sphinx",
            "npy",
            "npz",
            "safetensors",
            "ctm",
            "stm",
            "rttm",
            "trn",
            "textgrid",
            "htk-lab",
            "mlf",
            "audacity",
            "timit",
            "pyannote",
            "srt",
            "vtt",
            "eaf",
            "whisper",
            "festvox",
            "jsonl",
            "lilcom",
            "nemo",
            "nemo-tarred",
            "lhotse",
            "shar",
            "audiofolder",
            "soundfolder",
            "webdataset"
        ]
    );
    for name in names {
        assert!(list.contains(name));
        assert!(s.ok(&format!("formats {name}")).out.contains("features"));
    }
    let spr = s.ok("formats spr").out;
    assert!(
        spr.contains("\n  .seg files        hold segments\n"),
        "{spr}"
    );
    assert!(
        spr.contains("\n  not held          labels, arrays, recording\n"),
        "{spr}"
    );
    assert!(list.contains("holds features, sound, objects, segments, text\n"));
    assert!(list.ends_with(
        "All are read and written unless noted. More on one: spr-convert formats NAME\n"
    ));
    let readme = include_str!("../../README.md");
    assert!(
        readme.contains(&s.ok("formats --markdown").out),
        "README's table is out of date"
    );
}

/// What a case of the fixtures is about: its script file if it has one, else `input…`.
fn input(case: &Path) -> Option<String> {
    let names = crate::names(case).into_iter();
    let names = names.filter(|n| n.starts_with("input") && !n.ends_with(".utt2num_frames"));
    let names: Vec<_> = names.collect();
    let script = names.iter().find(|n| *n == "input.scp");
    script.or(names.first()).cloned()
}

#[test]
fn every_fixture_fits_80_columns() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases = 0;
    let formats = crate::names(&fixtures).into_iter();
    let formats = formats.filter(|name| fixtures.join(name).join("cases.txt").exists());
    for format in formats.filter(|name| name != "pdnn") {
        for name in crate::names(&fixtures.join(&format)) {
            let case = fixtures.join(&format).join(name);
            let Some(input) = case.is_dir().then(|| input(&case)).flatten() else {
                continue;
            };
            cases += 1;
            let output = Command::new(env!("CARGO_BIN_EXE_spr-convert"))
                .args(["info", &input])
                .current_dir(&case)
                .output()
                .unwrap();
            let said = crate::said(output);
            let place = case.display();
            assert_eq!(said.status, 0, "{place}: {}", said.err);
            for line in said.out.lines() {
                assert!(line.chars().count() <= 80, "{place}: {line}");
            }
            for fact in ["format", "holds", "names"] {
                let line = format!("\n  {fact} ");
                assert!(said.out.contains(&line), "{place}: {}", said.out);
            }
        }
    }
    assert!(cases >= 454, "{cases} cases");
}

/// Text is read to its end, so numbers at fault are found there, wanted or not.
#[test]
fn numbers_at_fault_are_found_in_text() {
    let s = Scratch::new();
    let json = |data: &str| {
        format!(
            "{{\"key\":\"a\",\"features\":{{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":{data}}}}}\n"
        )
    };
    let spr = |rows: &str| {
        format!(".spr\nDATA\tTRACK\nTYPE\tF32\nFORMAT\tASCII\nDIM1\t2\nDIM2\t2\n#\n{rows}\n")
    };
    for (name, text, whole) in [
        ("word.jsonl", json("[[1,2],[3,\"x\"]]"), false),
        ("short.jsonl", json("[[1,2],[3]]"), false),
        ("whole.jsonl", json("[[1,2],[3,4]]"), true),
        ("word.ark", "a [\n 1 2\n 3 x ]\n".to_owned(), false),
        ("short.ark", "a [\n 1 2\n 3 ]\n".to_owned(), false),
        ("whole.ark", "a [\n 1 2\n 3 4 ]\n".to_owned(), true),
        ("word.spr", spr("1 2\n3 x"), false),
        ("short.spr", spr("1 2\n3"), false),
        ("whole.spr", spr("1 2\n3 4"), true),
    ] {
        s.write(name, text);
        let said = s.run(&format!("info {name}"));
        assert_eq!(said.status == 0, whole, "{name}: {}{}", said.out, said.err);
        // How many there are is not known of what could not be read.
        let counted = said.out.contains("1 utterance, 2 frames");
        assert_eq!(counted, whole, "{name}: {}", said.out);
        assert!(!said.out.contains("0 utterances"), "{name}: {}", said.out);
    }
}

#[test]
fn what_a_data_set_says_of_itself_is_told() {
    let s = Scratch::new();
    let word = "Telephone speech of two cities. ".repeat(4);
    let bytes = |description: &str| {
        let header = json!({
            "__metadata__": {"description": description, "license": "CC0-1.0", "made by": "hand"},
            "ann": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        });
        let header = header.to_string();
        let length = (header.len() as u64).to_le_bytes();
        [&length[..], header.as_bytes(), &[0; 8]].concat()
    };
    std::fs::write(s.path("a.safetensors"), bytes(&word)).unwrap();
    std::fs::write(s.path("b.safetensors"), bytes("Other speech.")).unwrap();
    let said = s.ok("info a.safetensors").out;
    let shown = format!("  description {}…\n", &word[..60]);
    for line in [
        shown.as_str(),
        "  licence     CC0-1.0\n",
        "  made by     hand\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let about = &info(&s, "a.safetensors")["about"];
    assert_eq!(about["description"], json!(word));
    assert_eq!(about["other"], json!({"made by": "hand"}));
    // Of two inputs the first's words are kept, and nothing else is silent.
    let twice = "--duplicates first -o x.safetensors";
    let said = s.ok(&format!("convert a.safetensors b.safetensors {twice}"));
    let told =
        "b.safetensors: the first input says otherwise or nothing of description, and that is kept";
    assert!(said.err.contains(told), "{}", said.err);
    assert_eq!(
        info(&s, "x.safetensors")["about"]["description"],
        json!(word)
    );
    assert!(
        !s.ok(&format!("convert a.safetensors {twice} --overwrite"))
            .err
            .contains("kept")
    );
    assert!(info(&s, &sample("fbank.scp")).get("about").is_none());
}

/// Faulty utterances cost only themselves, and the first is told with their number.
#[test]
fn what_is_whole_is_told_beside_what_is_not() {
    let s = Scratch::new();
    s.ok(&format!("{} in/ --to wav -q", sample("../wav/")));
    let wav = s.read("in/ann-001.wav");
    s.write("in/cut.wav", &wav[..2000]);
    s.write("in/empty.wav", "");
    for flags in ["", " --quick"] {
        let said = s.run(&format!("info in{flags}"));
        assert_eq!(said.status, 2);
        assert!(said.out.contains("3 utterances, 6.22 s"), "{}", said.out);
        let error = "in/cut.wav@44: utterance cut: the first of 2: the file ends here";
        assert!(said.err.contains(error), "{}", said.err);
    }
    s.write("t.txt", "a [ 1 2 ]\nb [ 1 x ]\nc [ 1 3 ]\n");
    let said = s.run("info t.txt");
    assert_eq!(said.status, 2);
    assert!(said.err.contains("t.txt@16: utterance b: "), "{}", said.err);
}

/// Pipes with a name are read once, as standard input is.
#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.write("cut.ark", &std::fs::read(&ark).unwrap()[..100_000]);
    let expected = s.ok(&format!("info {ark}")).out;
    let (_, expected) = expected.split_once('\n').unwrap();
    for line in [
        format!("timeout 60 spr-convert info <(cat {ark})"),
        format!("mkfifo f; (cat {ark} > f &); timeout 60 spr-convert f"),
    ] {
        let said = s.shell(&line);
        assert_eq!(said.status, 0, "{line}: {}", said.err);
        assert!(said.out.ends_with(expected), "{line}: {}", said.out);
    }
    for (line, status, told) in [
        (
            format!("split <(cat {ark}) 'z{{part}}.ark' -n 2"),
            2,
            "is a pipe, and has to be read twice",
        ),
        (
            format!("select <(cat {ark}) z.ark --sample 2"),
            2,
            "is a pipe, and has to be read twice",
        ),
        (
            format!("check <(cat {ark}) --against {ark}"),
            2,
            "a pipe can be read only once, and --against reads twice",
        ),
        (
            format!("show <(cat {ark}) ann-01"),
            2,
            "there is no such utterance",
        ),
        ("check <(cat cut.ark)".to_owned(), 1, ""),
        ("info <(cat cut.ark)".to_owned(), 2, "ann-003"),
    ] {
        let said = s.shell(&format!("timeout 60 spr-convert {line}"));
        assert_eq!(said.status, status, "{line}: {}{}", said.out, said.err);
        assert!(said.err.contains(told), "{line}: {}", said.err);
    }
}
