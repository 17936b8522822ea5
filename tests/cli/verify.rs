//! `--verify` reads every sort of output back, finds what differs, and refuses what it can't read.

use std::fs;

use crate::{Scratch, sample};

#[test]
fn names_of_symbols_are_read_back() {
    let s = Scratch::new();
    let symbols = (0..60).map(|n| format!("P{n} {n}\n"));
    s.write("symbols", symbols.collect::<String>());
    for output in ["x.seg", "x.ctm", "x.mlf", "x.rttm", "spr:y.seg,data=SEG"] {
        let line = format!("{} {output},symbols=symbols", sample("ali.txt"));
        let said = s.ok(&format!("{line} --frame-shift 0.01 --verify"));
        assert!(said.err.contains(", verified)"), "{output}: {}", said.err);
    }
}

#[test]
fn every_format_is_read_back() {
    let s = Scratch::new();
    let outputs = crate::faults::OUTPUTS;
    let more = [
        "x.pfile,keys=none",
        "x.pkl,keys=none",
        "spr:x/,byteorder=big",
    ];
    let mut hashes = Vec::new();
    for output in outputs.into_iter().chain(more) {
        let labels = match output {
            "x.pfile" | "x.pkl" | "x.jsonl" => format!("--labels {}", sample("ali.txt")),
            _ => "--labels-out ark:y.ark --labels ".to_owned() + &sample("ali.txt"),
        };
        let loss = "--allow-loss keys,boundaries --report r.json";
        let said = s.ok(&format!(
            "{} {output} {labels} {loss} --verify",
            sample("fbank.scp")
        ));
        assert!(said.err.contains(", verified)"), "{output}: {}", said.err);
        let report: serde_json::Value = serde_json::from_slice(&s.read("r.json")).unwrap();
        assert_eq!(report["verified"], true);
        hashes.push((output, report["hash"].as_str().unwrap().to_owned()));
        for name in s.names() {
            let path = s.path(&name);
            match path.is_dir() {
                true => fs::remove_dir_all(path).unwrap(),
                false => fs::remove_file(path).unwrap(),
            }
        }
    }
    // The same data have one hash, whatever the format.
    let of = |name: &str| &hashes.iter().find(|(output, _)| *output == name).unwrap().1;
    assert_eq!(of("x.ark"), of("ark,t:x.txt"));
    assert_eq!(of("x.jsonl"), of("x.jsonl.gz"));
    assert_eq!(of("spr:x/"), of("key:x/"));
    assert_ne!(of("x.ark"), of("x.jsonl"));
}

#[test]
fn objects_and_odd_shapes_are_read_back() {
    let s = Scratch::new();
    for name in ["post.ark", "ali.ark", "text"] {
        for output in ["x.ark", "x.jsonl"] {
            let line = format!("{} {output} --verify --overwrite", sample(name));
            let said = s.ok(&line);
            assert!(said.err.contains(", verified)"), "{line}: {}", said.err);
        }
    }
}

#[test]
fn what_changes_no_value_is_read_back() {
    let s = Scratch::new();
    let line =
        "{\"key\":\"a\",\"features\":{\"dtype\":\"f64\",\"shape\":[1,1],\"data\":[[0.1]]}}\n";
    s.write("in.jsonl", line);
    // That readers take text for single precision is said, and no fault of the disk.
    for output in ["ark,t:x.txt", "x.spr,compress=gzip", "x.key"] {
        let said = s.ok(&format!("in.jsonl {output} --verify"));
        assert!(said.err.contains(", verified)"), "{output}: {}", said.err);
        let rounds = said.err.contains("rounded: precision: 1 of 1 values");
        assert_eq!(rounds, output == "ark,t:x.txt", "{output}: {}", said.err);
    }
}

#[test]
fn a_difference_leaves_nothing() {
    let s = Scratch::new();
    // Text is read back in one precision.
    let line = |key, dtype, value| {
        format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"{dtype}\",\"shape\":[1,1],\"data\":[[{value}]]}}}}\n"
        )
    };
    s.write("in.jsonl", line("a", "f64", 0.1) + &line("b", "f32", 0.5));
    let error = s.fails("in.jsonl ark,t:x.txt --verify");
    assert!(
        error.contains("x.txt: utterance a: read back, it is not what was written"),
        "{error}"
    );
}

#[test]
fn what_can_not_be_read_back_is_refused() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    let error = s.fails(&format!("{input} ark:- --verify"));
    assert!(error.contains("a pipe can't be read back"), "{error}");
    let error = s.fails(&format!("{input} x.ark --co compress=2 --verify"));
    assert!(error.contains("the output rounds values"), "{error}");
    s.ok(&format!("{} u.wav", sample("../wav/ann-001.wav")));
    for output in ["u.spr,type=ULAW", "u.key,type=ALAW"] {
        let error = s.fails(&format!("u.wav {output} --verify"));
        assert!(error.contains("the output rounds values"), "{error}");
    }
    let error = s.fails(&format!("{input} ark,t:x --co digits=kaldi --verify"));
    assert!(error.contains("the output rounds values"), "{error}");
}

#[test]
fn outputs_are_read_back_without_the_options_of_the_writer() {
    let s = Scratch::new();
    let line = |key, dtype, shape: [u32; 2], data: &str| {
        format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data\":{data}}}}}\n"
        )
    };
    // Read without a word, the one array is the features and the other their labels.
    let features = line("a", "f32", [2, 1], "[[1],[2]]");
    s.write(
        "in.jsonl",
        features.clone() + &line("b", "i32", [2, 1], "[[3],[4]]"),
    );
    let error = s.fails("in.jsonl x.pkl,layout=list --verify --allow-loss all");
    assert!(error.contains("x.pkl"), "{error}");
    s.ok("in.jsonl x.pkl,layout=dict --verify");
    // Or nobody knows which of both they are.
    s.write(
        "in.jsonl",
        features + &line("b", "f32", [2, 1], "[[3],[4]]"),
    );
    let error = s.fails("in.jsonl y.pkl,layout=list --verify");
    assert!(
        error.contains("two arrays of one type and shape"),
        "{error}"
    );
    // What no file can say, readers are told as well.
    for output in ["z.pfile,keys=names", "z.pkl,keys=names2", "sphinx:z/,dim=1"] {
        let said = s.ok(&format!("in.jsonl {output} --verify"));
        assert!(said.err.contains(", verified)"), "{output}: {}", said.err);
    }
}

/// Bytes that are read as something else, unless an option says what they are, are told.
#[test]
fn what_is_read_with_an_option_only_is_told() {
    let s = Scratch::new();
    let text = |text: &str| {
        format!(
            "{{\"key\":\"a\",\"features\":null,\"labels\":null,\"text\":\"{text}\",\"meta\":{{}}}}\n"
        )
    };
    let labels = |labels: &str| {
        format!("{{\"key\":\"a\",\"features\":null,\"labels\":[{labels}],\"meta\":{{}}}}\n")
    };
    for (line, output, holder) in [
        (text("ONE TWO"), "ark,t:o.ark", None),
        (text("1 2"), "ark,t:o.ark", Some("token-vector")),
        (text("1 2"), "o.ark", Some("token-vector")),
        (text("[ 1 2 ]"), "o.ark", Some("token-vector")),
        (labels("1,2"), "ark,t:o.ark", None),
        (labels("1"), "ark,t:o.ark", Some("int32-vector")),
    ] {
        s.write("in.jsonl", line);
        let said = s.ok(&format!("in.jsonl {output} --verify --overwrite"));
        let told = holder
            .map(|holder| format!("o.ark: is read as what was written with holder={holder} only"));
        let only = said.err.lines().find(|line| line.contains("holder="));
        match told {
            Some(told) => assert!(
                only.is_some_and(|only| only.contains(&told)),
                "{}",
                said.err
            ),
            None => assert_eq!(only, None),
        }
        if let Some(holder) = holder {
            s.ok(&format!(
                "o.ark back.jsonl --oo holder={holder} --overwrite"
            ));
            s.ok("diff in.jsonl back.jsonl");
        }
    }
}
