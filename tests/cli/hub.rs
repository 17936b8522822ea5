//! Hugging Face's data sets through the program.

use std::fs;

use crate::{Scratch, sample};

/// Sample features with labels, as a folder of the Hub and as a file.
fn corpus() -> Scratch {
    let s = Scratch::new();
    let (features, labels) = (sample("fbank.ark"), sample("ali.txt"));
    s.ok(&format!("{features} --labels {labels} hf:set/ --verify"));
    s.ok("set one.parquet --verify");
    s
}

#[test]
fn kaldi_goes_there_and_back() {
    let s = corpus();
    for source in [
        "set",
        "one.parquet",
        "set/data/train-00000-of-00001.parquet",
    ] {
        s.ok(&format!(
            "{source} back.ark --labels-out back.ali --overwrite"
        ));
        let diff = s.ok(&format!("diff {} back.ark", sample("fbank.ark")));
        assert!(diff.out.is_empty(), "{source}: {}", diff.out);
        let diff = s.ok(&format!("diff {} back.ali", sample("ali.txt")));
        assert!(diff.out.is_empty(), "{source}: {}", diff.out);
    }
    assert!(s.ok("diff set one.parquet").out.is_empty());
}

#[test]
fn utterances_are_found_and_shards_make_the_whole() {
    let s = corpus();
    let all = s.ok("ls set").out;
    for source in ["set", "one.parquet"] {
        assert_eq!(s.ok(&format!("ls {source}")).out, all);
        let shown = s.ok(&format!("show {source} ann-002 --json")).out;
        assert!(
            shown.contains("\"ann-002\"") && !shown.contains("\"ann-001\""),
            "{shown}"
        );
        let error = s.run(&format!("show {source} ann-02")).err;
        assert!(error.contains("did you mean ann-002?"), "{error}");
        s.ok(&format!("{source} whole.jsonl --overwrite"));
        let mut joined = Vec::new();
        for n in 1..=3 {
            s.ok(&format!("{source} shard.jsonl --shard {n}/3 --overwrite"));
            joined.extend(s.read(&format!("shard-{n:05}-of-00003.jsonl")));
        }
        assert_eq!(joined, s.read("whole.jsonl"), "{source}");
    }
}

#[test]
fn files_that_are_missing_are_told_whatever_their_numbers_begin_with() {
    let s = corpus();
    fs::create_dir_all(s.path("new/data")).unwrap();
    for n in 1..=3 {
        s.ok(&format!(
            "one.parquet new/data/train-{{shard}}.parquet --shard {n}/3"
        ));
    }
    assert!(!s.ok("new whole.jsonl").err.contains("missing"));
    assert!(s.ok("diff new one.parquet").out.is_empty());
    for (number, missing) in [("2", "lacks shard 2"), ("1", "lacks shards 1 to 2")] {
        fs::remove_file(s.path(&format!("new/data/train-0000{number}-of-00003.parquet"))).unwrap();
        let told = format!("new: split train: {missing}");
        let error = s.fails("new rest.jsonl --overwrite");
        assert!(error.contains(&told), "{error}");
        let said = s.run("new rest.jsonl --overwrite --on-error skip");
        assert_eq!(said.status, 3, "{}", said.err);
        assert!(said.err.contains(&told), "{}", said.err);
    }
}

#[test]
fn faults_are_named_with_their_place() {
    let s = corpus();
    let error = s.run("one.parquet,features=featurs x.ark").err;
    assert!(error.contains("there is no column 'featurs'"), "{error}");
    assert!(error.contains("did you mean 'features'?"), "{error}");
    let error = s.run("hf:set,split=tain x.ark").err;
    assert!(error.contains("has no split 'tain'"), "{error}");
    assert!(error.contains("did you mean 'train'?"), "{error}");
    let whole = s.read("one.parquet");
    s.write("cut.parquet", &whole[..whole.len() / 2]);
    for line in ["cut.parquet x.ark", "info cut.parquet", "check cut.parquet"] {
        let said = s.run(line);
        assert_ne!(said.status, 0, "{line}");
        let all = said.out + &said.err;
        assert!(all.contains("may be cut off"), "{line}: {all}");
    }
    s.write("noise.parquet", [0x9cu8, 0x17, 0, 0xfe].repeat(100));
    let error = s.fails("noise.parquet x.ark");
    assert!(error.contains("noise.parquet"), "{error}");
    let mut wrong = whole;
    wrong[4..40].fill(0xff);
    s.write("wrong.parquet", wrong);
    let error = s.fails("wrong.parquet x.ark");
    assert!(
        error.contains("wrong.parquet@4: row group 0, rows 0 to "),
        "{error}"
    );
    assert!(!s.path("x.ark").exists());
    let error = s.fails("one.parquet x.arrow");
    assert!(
        error.contains("Arrow files are read, and not written"),
        "{error}"
    );
}
