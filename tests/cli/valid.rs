//! Data and notations that other programs take for valid, and the damaged ones beside them.

use std::fs;

use serde_json::Value;

use crate::{Scratch, sample};

/// An archive of these keys and values after the binary mark.
fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let entry = |(key, value): &(&str, &[u8])| [key.as_bytes(), b" \0B", value].concat();
    entries.iter().flat_map(entry).collect()
}

/// Tagged numbers.
fn tagged(words: &[i32]) -> Vec<u8> {
    let word = |w: &i32| [&[4][..], &w.to_le_bytes()].concat();
    words.iter().flat_map(word).collect()
}

fn line(said: &str) -> Value {
    serde_json::from_str(said.lines().next().unwrap()).unwrap()
}

#[test]
fn an_archive_of_one_number_is_read_and_the_doubt_is_told() {
    let s = Scratch::new();
    let whole = archive(&[("a", &tagged(&[7]))]);
    s.write("one.ark", &whole);
    let doubt = "holds the number 7 and no more, read as int32";
    for (args, told) in [
        ("one.ark - -t jsonl", true),
        ("one.ark,holder=int32 - -t jsonl", false),
    ] {
        let said = s.ok(args);
        assert_eq!(
            (&line(&said.out)["kind"], &line(&said.out)["value"]),
            (&"int32".into(), &7.into())
        );
        assert_eq!(said.err.contains(doubt), told, "{args}: {}", said.err);
    }
    // A cut vector looks the same, and is found out by its name.
    let error = s.fails("one.ark,holder=int32-vector o.jsonl");
    assert!(error.contains("expected 7 numbers, found 0"), "{error}");
    for n in 1..whole.len() {
        s.write("cut.ark", &whole[..n]);
        s.fails("cut.ark o.jsonl");
    }
    let vector = archive(&[("a", &tagged(&[3, 5, 6, 7])), ("b", &tagged(&[3, 5, 6, 7]))]);
    let lone = archive(&[("a", &tagged(&[3]))]).len();
    for n in (1..vector.len()).filter(|n| *n != lone && *n != vector.len() / 2) {
        s.write("cut.ark", &vector[..n]);
        s.fails("cut.ark o.jsonl");
    }
}

#[test]
fn shards_of_one_number_are_merged() {
    let s = Scratch::new();
    let both = archive(&[("a", &tagged(&[7])), ("b", &tagged(&[8]))]);
    s.write("two.ark", &both);
    for shard in ["1/2", "2/2"] {
        s.ok(&format!("two.ark o{{shard}}.ark --shard {shard}"));
    }
    s.ok("shards merge o{shard}.ark -o all.ark");
    assert_eq!(s.read("all.ark"), both);
}

#[test]
fn folders_of_sound_are_verified() {
    let s = Scratch::new();
    let wave = sample("../wav/ann-001.wav");
    s.write("placed.jsonl", r#"{"key":"a1","audio":{"rate":8000,"dtype":"i16","shape":[2,1],"data":[[1],[2]]},"text":"hello","meta":{"speaker":"s1","recording":"r1","start":0.5,"end":0.6}}"#.to_owned() + "\n");
    s.ok(&format!("{wave} ann.flac"));
    s.write("cut/wav.scp", format!("r {wave}\n"));
    s.write("cut/segments", "u1 r 0.0 0.2\nu2 r 0.2 0.45\n");
    s.write("cut/utt2spk", "u1 s1\nu2 s1\n");
    s.write("cut/spk2utt", "s1 u1 u2\n");
    for input in [wave.as_str(), "ann.flac", "placed.jsonl", "cut"] {
        for format in ["audiofolder", "kaldi-data"] {
            for change in ["", "--rate 4000", "--dtype i16"] {
                let said = s.ok(&format!(
                    "{input} o/ -t {format} --verify --overwrite --allow-loss all {change}"
                ));
                assert!(
                    said.err.contains(", verified)"),
                    "{input} {format}: {}",
                    said.err
                );
            }
        }
    }
}

#[test]
fn floats_become_flac_as_far_as_is_allowed() {
    let s = Scratch::new();
    let sound = |dtype, data| {
        format!(
            r#"{{"key":"a","audio":{{"rate":8000,"dtype":"{dtype}","shape":[3,1],"data":{data}}}}}"#
        ) + "\n"
    };
    for (data, kinds) in [
        (sound("f32", "[[0.5],[-1.0],[0.25]]"), ""),
        (sound("f32", "[[0.5],[-1.0],[1e-9]]"), "precision"),
        (sound("i32", "[[65536],[256],[-512]]"), ""),
        (sound("i32", "[[65536],[257],[-512]]"), "precision"),
        (sound("f64", "[[0.1],[0.2],[1.0]]"), "precision,range"),
    ] {
        s.write("in.jsonl", &data);
        if !kinds.is_empty() {
            let said = s.run("in.jsonl x.flac --overwrite");
            assert_eq!(said.status, 2, "{data}: {}", said.err);
            assert!(
                said.err.contains(&format!("--allow-loss {kinds}\n")),
                "{data}: {}",
                said.err
            );
        }
        let allowed = if kinds.is_empty() { "" } else { "--allow-loss" };
        s.ok(&format!(
            "in.jsonl x.flac --overwrite --verify {allowed} {kinds}"
        ));
        let back = line(&s.ok("x.flac - -t jsonl").out);
        assert_eq!(
            (&back["audio"]["dtype"], &back["audio"]["shape"]),
            (&"i32".into(), &serde_json::json!([3, 1]))
        );
    }
}

#[test]
fn ranges_stand_behind_places_in_every_verb() {
    let s = Scratch::new();
    s.write("in.jsonl", "{\"key\":\"a\",\"features\":{\"dtype\":\"f32\",\"shape\":[3,2],\"data\":[[1,2],[3,4],[5,6]]}}\n{\"key\":\"b\",\"features\":{\"dtype\":\"f32\",\"shape\":[1,2],\"data\":[[7,8]]}}\n");
    s.ok("in.jsonl m.ark");
    for (place, data) in [
        ("m.ark:2[1:1]", "[[3,4]]"),
        ("m.ark:2[,1:1]", "[[2],[4],[6]]"),
        ("m.ark:2[:,1:1]", "[[2],[4],[6]]"),
        ("m.ark:2[0:1,0:1]", "[[1,2],[3,4]]"),
        ("m.ark:2[1:4]", "[[3,4],[5,6]]"),
        ("./m.ark:2[1:1],holder=float-matrix", "[[3,4]]"),
        ("kaldi:m.ark:2[1:1]", "[[3,4]]"),
        ("m.ark:2,range=1:1", "[[3,4]]"),
    ] {
        let said = s.ok(&format!("{place} - -t jsonl"));
        let want: Value = serde_json::from_str(data).unwrap();
        assert_eq!(
            line(&said.out)["features"]["data"],
            want.to_owned(),
            "{place}"
        );
        assert_eq!(
            said.err.contains("past the last row"),
            place.contains("1:4"),
            "{}",
            said.err
        );
        let frames = want.as_array().unwrap().len();
        let said = s.ok(&format!("info --json {place}"));
        assert_eq!(line(&said.out)["frames"], frames, "{place}: {}", said.out);
        for verb in ["show", "ls", "check", "stats"] {
            // A range that is cut is a fault for check.
            let status = i32::from(verb == "check" && place.contains("1:4"));
            assert_eq!(
                s.run(&format!("{verb} {place}")).status,
                status,
                "{verb} {place}"
            );
        }
    }
    for (place, fault) in [
        ("m.ark:2[3:4]", "the range 3:4 is outside its 3 rows"),
        ("m.ark:2[0:1,1:2]", "the range 1:2 is outside its 2 columns"),
        ("m.ark:2[1]", "'[1]' is not a range"),
        ("m.ark:2[1:0]", "'[1:0]' is not a range"),
        ("m.ark:3[0:1]", "no utterance seems to start at that byte"),
        ("m.ark[0:1]", "it has keys"),
        ("gone.ark:2[0:1]", "no file matches"),
    ] {
        let error = s.fails(&format!("{place} o.jsonl"));
        assert!(error.contains(fault), "{place}: {error}");
    }
    // A pattern stays one, and so does the name of a file.
    fs::copy(s.path("m.ark"), s.path("m.ark1")).unwrap();
    fs::copy(s.path("m.ark"), s.path("x[0:1]")).unwrap();
    s.ok("-f kaldi m.ark[1] 1.jsonl");
    s.ok("-f kaldi x[0:1] 2.jsonl");
    assert_eq!(s.read("1.jsonl"), s.read("2.jsonl"));
}

#[test]
#[cfg(unix)]
fn speakers_come_from_every_sort_of_table() {
    let s = Scratch::new();
    s.write(
        "in.jsonl",
        "{\"key\":\"a\",\"text\":\"x\"}\n{\"key\":\"b\",\"text\":\"y\"}\n",
    );
    s.write("u2s", "a s1\nb s2\n");
    for table in [
        "u2s",
        "ark:u2s",
        "ark,t:u2s",
        "'cat u2s |'",
        "'ark:cat u2s |'",
        "-",
        "ark:-",
    ] {
        let said = s.shell(&format!(
            "spr-convert in.jsonl - -t jsonl --utt2spk {table} < u2s"
        ));
        assert_eq!(said.status, 0, "{table}: {}", said.err);
        let speakers: Vec<_> = said
            .out
            .lines()
            .map(|text| line(text)["meta"]["speaker"].clone())
            .collect();
        assert_eq!(speakers, ["s1", "s2"], "{table}: {}", said.out);
        let said = s.shell(&format!(
            "spr-convert ls in.jsonl --json --utt2spk {table} < u2s"
        ));
        assert!(said.status == 0, "{table}: {}{}", said.out, said.err);
        let out = format!(
            "spr-convert split in.jsonl 'o.{{part}}.jsonl' -n 2 --overwrite --utt2spk {table} < u2s"
        );
        assert_eq!(s.shell(&out).status, 0, "{table}");
    }
    for (rest, fault) in [
        (
            "in.jsonl o.jsonl --utt2spk scp:u2s",
            "is not an archive of words",
        ),
        ("in.jsonl o.jsonl --utt2spk 'cat u2s |' --safe", "cat u2s"),
        ("in.jsonl o.jsonl --utt2spk 'false |'", "false"),
        ("in.jsonl o.jsonl --utt2spk '|'", "before its one '|'"),
        ("in.jsonl o.jsonl --utt2spk gone", "gone"),
        (
            "- o.jsonl -f jsonl --utt2spk - < in.jsonl",
            "standard input can be read only once",
        ),
    ] {
        let said = s.shell(&format!("spr-convert {rest}"));
        assert!(
            said.status == 2 && said.err.contains(fault),
            "{rest}: {}",
            said.err
        );
        assert!(!s.path("o.jsonl").exists(), "{rest}");
    }
}

#[test]
fn wide_labels_have_one_type() {
    let s = Scratch::new();
    let utt = |key, last: i64| {
        format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[2,1],\"data\":[[1],[2]]}},\"labels\":[1,{last}]}}\n"
        )
    };
    let (narrow, wide) = (utt("a", 2), utt("b", 1 << 40));
    s.write("in.jsonl", narrow.clone() + &wide);
    let said = s.run("in.jsonl x.pkl");
    assert!(
        said.status == 2 && said.err.contains("--label-dtype"),
        "{}",
        said.err
    );
    s.ok("in.jsonl x.pkl --label-dtype i64 --verify");
    let said = s.ok("x.pkl - -t jsonl").out;
    let labels: Vec<_> = said
        .lines()
        .map(|text| line(text)["labels"].clone())
        .collect();
    assert_eq!(
        labels,
        [
            serde_json::json!([1, 2]),
            serde_json::json!([1, 1i64 << 40])
        ]
    );
    // The first one is wide enough for all.
    s.write("sorted.jsonl", wide + &narrow);
    s.ok("sorted.jsonl y.pkl --verify");
    for (rest, fault) in [
        ("in.jsonl z.pkl --label-dtype i16", "range: 1 of 2 values"),
        ("in.jsonl z.pfile --label-dtype i64", "range: 1 of 2 values"),
        ("in.jsonl z.pkl --label-dtype f64", "labels are integers"),
        ("in.jsonl z.pkl --label-dtype i63", "i63"),
    ] {
        let error = s.fails(rest);
        assert!(error.contains(fault), "{rest}: {error}");
    }
}
