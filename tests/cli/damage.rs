//! Damaged, cut and hostile inputs end in one clear line, status 2 and no output.

use std::fs;

use crate::{Scratch, sample};

/// A small labelled corpus in every format, by its name in the scratch folder.
fn corpus(s: &Scratch) -> Vec<&'static str> {
    s.write(
        "in.jsonl",
        "{\"key\":\"ann-1\",\"features\":{\"dtype\":\"f32\",\"shape\":[3,2],\"data\":[[1,2],[3,4],[5,6]]},\"labels\":null,\"meta\":{}}\n\
         {\"key\":\"bob-2\",\"features\":{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":[[0.5,7],[8,9]]},\"labels\":null,\"meta\":{}}\n",
    );
    s.ok("in.jsonl in.ark");
    s.ok("in.jsonl ark,t:in.txt");
    s.ok("in.jsonl in.pfile,keys=none --allow-loss keys");
    s.ok("in.jsonl in.pkl,keys=none --allow-loss keys,boundaries");
    s.ok("in.jsonl d.spr/");
    s.ok("in.jsonl e.key/");
    fs::copy(s.path("d.spr/ann-1.spr"), s.path("in.spr")).unwrap();
    fs::copy(s.path("e.key/ann-1.key"), s.path("in.key")).unwrap();
    s.ok("in.ark in.ark.gz");
    vec![
        "in.ark",
        "in.txt",
        "in.pfile",
        "in.pkl",
        "in.spr",
        "in.key",
        "in.jsonl",
        "in.ark.gz",
    ]
}

#[test]
fn cut_anywhere() {
    let s = Scratch::new();
    for name in corpus(&s) {
        let bytes = s.read(name);
        let format = match name {
            "in.txt" | "in.ark.gz" => "kaldi",
            _ => name.rsplit('.').next().unwrap(),
        };
        let format = match format {
            "ark" => "kaldi",
            "pkl" => "pickle",
            other => other,
        };
        // Every place near the ends, some in between.
        let cuts = (1..bytes.len())
            .filter(|n| *n < 60 || bytes.len() - n < 60 || n % 997 == 0)
            .filter(|n| name != "in.pfile" || n % 7 == 0);
        let mut tried = 0;
        for cut in cuts {
            s.write("cut", &bytes[..cut]);
            let whole = at_entry_boundary(name, &bytes, cut);
            let said = s.run(&format!("cut -f {format} out.jsonl"));
            if whole {
                assert_eq!(said.status, 0, "{name} cut at {cut}: {}", said.err);
                fs::remove_file(s.path("out.jsonl")).unwrap();
                continue;
            }
            assert_eq!(said.status, 2, "{name} cut at {cut}: {}", said.err);
            let errors: Vec<_> = said
                .err
                .lines()
                .filter(|l| l.contains(": error: "))
                .collect();
            assert_eq!(errors.len(), 1, "{name} cut at {cut}: {}", said.err);
            assert!(
                errors[0].contains("error: cut"),
                "{name} cut at {cut}: {}",
                said.err
            );
            assert!(!s.path("out.jsonl").exists(), "{name} cut at {cut}");
            tried += 1;
        }
        assert!(tried > 20, "{name}: {tried} cuts tried");
    }
}

/// Text forms without a count look whole when they are cut between two entries.
fn at_entry_boundary(name: &str, bytes: &[u8], cut: usize) -> bool {
    let rest = &bytes[cut..];
    match name {
        "in.ark" => rest.starts_with(b"bob-2 \0B"),
        "in.txt" => {
            rest.starts_with(b"bob-2  [") || rest == b"\n" || rest.starts_with(b"\nbob-2  [")
        }
        "in.jsonl" => rest.starts_with(b"{\"key\":\"bob") || rest.starts_with(b"\n"),
        _ => false,
    }
}

#[test]
fn a_cut_length_is_told_or_found_out_by_its_kind() {
    let s = Scratch::new();
    let bytes = fs::read(sample("ali.ark")).unwrap();
    // The key, a blank, the mark and the length of the first alignment: the bytes of one number.
    s.write("cut.ark", &bytes[..15]);
    let said = s.ok("cut.ark doubt.jsonl");
    assert!(
        said.err.contains("cut.ark: holds the number 291"),
        "{}",
        said.err
    );
    let error = s.fails("cut.ark,holder=int32-vector x.jsonl");
    assert!(
        error.contains("cut.ark@") && error.contains("ann-001"),
        "{error}"
    );
    s.ok("ark:cut.ark x.jsonl --oo holder=int32");
    assert!(
        s.read("x.jsonl")
            .ends_with(b"\"kind\":\"int32\",\"value\":291,\"meta\":{}}\n")
    );
}

#[test]
fn absurd_sizes_fail_at_once() {
    let s = Scratch::new();
    let huge = i32::MAX.to_le_bytes();
    let mut ark = b"a \0BFM \x04".to_vec();
    ark.extend_from_slice(&huge);
    ark.push(4);
    ark.extend_from_slice(&huge);
    s.write("huge.ark", &ark);
    let error = s.fails("huge.ark x.jsonl");
    assert!(
        error.contains("huge.ark@") && error.contains("utterance a: "),
        "{error}"
    );
    s.write(
        "huge.spr",
        ".spr\nDATA\tTRACK\nTYPE\tF32\nFORMAT\tBIN01\nDIM1\t2147483647\nDIM2\t2147483647\n#\n",
    );
    s.fails("huge.spr x.jsonl");
    // Below the limit, but not in the file: nothing is allocated for it, even from a pipe.
    let mut ark = b"a \0BFM \x04".to_vec();
    ark.extend_from_slice(&30_000i32.to_le_bytes());
    ark.push(4);
    ark.extend_from_slice(&30_000i32.to_le_bytes());
    s.write("big.ark", &ark);
    let error = s.fails("big.ark x.jsonl");
    assert!(
        error.contains("expected 3600000000 bytes, found 0"),
        "{error}"
    );
    let said = s.shell("ulimit -v 400000; cat big.ark | spr-convert - -f kaldi x.jsonl");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("expected "), "{}", said.err);
}

#[test]
fn the_wrong_sort_of_file() {
    let s = Scratch::new();
    fs::copy(sample("text"), s.path("text")).unwrap();
    s.write("noise", [0x9cu8, 0x17, 0x00, 0xfe].repeat(100));
    s.write("empty", "");
    for (name, message) in [
        ("noise", "noise: no known format"),
        ("empty", "empty: the file is empty"),
    ] {
        let error = s.fails(&format!("{name} x.jsonl"));
        assert!(error.contains(message), "{error}");
    }
    // What widespread files start with; of those behind the magic bytes nothing is looked at.
    let tar = [&b"a.npy"[..], &[0; 252], b"ustar\x0000"].concat();
    for (head, name) in [
        (
            &b"PK\x03\x04\x2d\0\0\0"[..],
            "a zip file, but not one of arrays such as .npz",
        ),
        (&tar, "a tar file"),
        (b"\xfe\xff\0D\0a\0t\0a", "text in UTF-16"),
        (
            b"{\"start\": 0.0, \"end\": 2.0}\n",
            "JSON, but not of the format jsonl",
        ),
    ] {
        s.write("other", head);
        let error = s.run("other x.jsonl").err;
        let message = format!("other: looks like {name}, which this version does not convert\n");
        assert!(error.contains(&message), "{error}");
    }
    for format in ["kaldi", "pfile", "pickle", "spr", "key", "jsonl"] {
        // To Kaldi a text is a table of transcripts.
        if format != "kaldi" {
            let error = s.fails(&format!("text -f {format} x.jsonl"));
            assert!(error.contains("error: text"), "{format}: {error}");
        }
        let error = s.fails(&format!("noise -f {format} x.ark"));
        assert!(error.contains("error: noise"), "{format}: {error}");
    }
    let error = s.fails(&format!("{} x.pfile", sample("post.ark")));
    assert!(error.contains("posterior"), "{error}");
}

#[test]
fn skipping_keeps_what_is_good() {
    let s = Scratch::new();
    let bytes = fs::read(sample("fbank.ark")).unwrap();
    s.write("cut.ark", &bytes[..100_000]);
    for line in [
        "cut.ark x.jsonl --on-error skip",
        "ark,p:cut.ark x.jsonl --overwrite",
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 3, "{}", said.err);
        assert!(
            said.err.contains("2 utterances, ") && said.err.contains("1 skipped"),
            "{}",
            said.err
        );
    }
    // An index with one bad line loses one utterance.
    let script = fs::read_to_string(sample("fbank.scp")).unwrap();
    let folder = sample("");
    let script = script.replace("fbank.ark", &format!("{folder}fbank.ark"));
    s.write("bad.scp", script.replace("bob-001 ", "bob-001 missing/"));
    let error = s.fails("scp:bad.scp y.jsonl");
    assert!(error.contains("utterance bob-001: "), "{error}");
    let said = s.run("scp,p:bad.scp y.jsonl");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(
        said.err.contains("11 utterances, ") && said.err.contains("1 skipped"),
        "{}",
        said.err
    );
}

/// Of data that can't be opened as a whole, `info` tells what is intact, or at least their format.
#[test]
fn info_tells_what_it_can_of_cut_data() {
    let s = Scratch::new();
    let mut tried = 0;
    for (name, format, told) in [
        ("c.pfile", "pfile", "utterances, "),
        ("c.pkl", "pickle", ""),
        ("c.npz", "npz", ""),
        ("c.h5", "hdf5", ""),
        ("c.parquet", "hf", ""),
        ("c.safetensors", "safetensors", ""),
        ("c.tar", "webdataset", "utterances, "),
    ] {
        s.ok(&format!(
            "{} {name} --allow-loss all -q",
            sample("fbank.ark")
        ));
        let bytes = s.read(name);
        s.write(name, &bytes[..bytes.len() * 3 / 5]);
        let said = s.run(&format!("info {name}"));
        assert_eq!(said.status, 2, "{name}: {}", said.err);
        let start = format!("{name}\n  format      {format}");
        assert!(said.out.starts_with(&start), "{name}: {}", said.out);
        assert!(said.out.contains(told), "{name}: {}", said.out);
        assert!(said.err.contains("error: "), "{name}: {}", said.err);
        let said = s.run(&format!("info --json {name}"));
        let facts: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(facts["format"], format, "{}", said.out);
        assert_ne!(facts["keys"], "", "{}", said.out);
        tried += 1;
    }
    assert_eq!(tried, 7);
}
