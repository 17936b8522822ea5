//! Utterances sorted, merged, drawn and paired by columns of `ls`.

use serde_json::Value;

use crate::verbs::{keys, lines};
use crate::{Scratch, sample};

/// Lines of jsonl: key, speaker and seconds of sound, `-` for what is not known.
fn spoken(all: &[(&str, &str, usize)]) -> String {
    let line = |(key, speaker, seconds): &(&str, &str, usize)| {
        let samples = vec!["[0]"; seconds * 10].join(",");
        let speaker = match *speaker {
            "-" => String::new(),
            name => format!("\"speaker\":\"{name}\""),
        };
        let audio = match seconds {
            0 => "null".to_owned(),
            _ => format!(
                "{{\"rate\":10,\"dtype\":\"i16\",\"shape\":[{},1],\"data\":[{samples}]}}",
                seconds * 10
            ),
        };
        format!("{{\"key\":\"{key}\",\"text\":\"t\",\"audio\":{audio},\"meta\":{{{speaker}}}}}\n")
    };
    all.iter().map(line).collect()
}

const FIVE: &[(&str, &str, usize)] = &[
    ("e", "bob", 2),
    ("d", "ann", 1),
    ("c", "-", 5),
    ("b", "ann", 3),
    ("a", "ann", 0),
];

/// What is said of an error, with its hint.
fn refused(s: &Scratch, line: &str) -> String {
    s.fails(line);
    s.run(line).err
}

#[test]
fn utterances_are_sorted_by_columns() {
    let s = Scratch::new();
    s.write("in.jsonl", spoken(FIVE));
    let sorted = |flags: &str| {
        let said = s.ok(&format!("sort in.jsonl o.jsonl --overwrite {flags}"));
        (keys(&s, "o.jsonl").concat(), said.err)
    };
    assert_eq!(sorted("").0, "abcde");
    let (order, said) = sorted("--by speaker,seconds");
    assert_eq!(order, "dbaec");
    let told = "warning: 1 utterance has no 'speaker': they come last";
    assert_eq!(said.matches(told).count(), 1, "{said}");
    assert!(said.contains("1 utterance has no 'seconds'"), "{said}");
    assert_eq!(sorted("--by speaker,-seconds").0, "bdaec");
    assert_eq!(sorted("--by -speaker,-key").0, "edbac");
    assert_eq!(sorted("--by=-seconds").0, "cbeda");
    // Equal ones keep their order, in a temporary file as well.
    assert_eq!(sorted("--by dtype").0, "edcba");
    assert_eq!(sorted("--by dtype --memory 1k").0, "edcba");
    assert_eq!(sorted("--by speaker,-seconds --memory 1k").0, "bdaec");
    let (order, said) = sorted("--by gender");
    assert_eq!(order, "edcba");
    assert!(said.contains("no utterance has 'gender': they come last"));
    assert_eq!(sorted("--stages sort(-key)|first(2)").0, "de");
    for (by, fault) in [
        (
            "speaker,secnds",
            "--by: speaker,^secnds, character 9: there is no column 'secnds'\n\
             spr-convert: hint: did you mean 'seconds'? columns: key, kinds,",
        ),
        ("seconds:desc", "hint: -seconds sorts from high to low"),
        ("key,-key", "'key' is named twice"),
        ("key,", "key,^, character 5: expected a column"),
        ("offset", "'offset' is known only where data are listed"),
    ] {
        let said = refused(&s, &format!("sort in.jsonl x.jsonl --by {by}"));
        assert!(said.contains(fault), "{said}");
    }
    assert!(!s.names().contains(&"x.jsonl".to_owned()));
}

#[test]
fn what_is_sorted_may_be_empty_doubled_broken_or_of_any_encoding() {
    let s = Scratch::new();
    s.write("empty.jsonl", "");
    s.ok("sort empty.jsonl o.jsonl --from jsonl --by speaker");
    let bytes = r#"{"key":{"bytes":"ff62"},"text":"b","meta":{"speaker":{"bytes":"ff"}}}
{"key":{"bytes":"ff61"},"text":"a","meta":{"speaker":{"bytes":"fe"}}}
{"key":"c","text":"a","meta":{"speaker":"ÿ"}}
"#;
    s.write("bytes.jsonl", bytes);
    s.ok("sort bytes.jsonl b.jsonl --by speaker");
    let sorted = lines(&String::from_utf8(s.read("b.jsonl")).unwrap());
    let of = |line: &Value| line["key"].to_string();
    let order: Vec<_> = sorted.iter().map(of).collect();
    assert_eq!(
        order,
        ["\"c\"", r#"{"bytes":"ff61"}"#, r#"{"bytes":"ff62"}"#]
    );
    let labels = [
        "b\",\"labels\":[1",
        "a\",\"labels\":[3,4",
        "b\",\"labels\":[5",
    ];
    let labels = labels.map(|line| format!("{{\"key\":\"{line}]}}\n"));
    s.write("twice.jsonl", labels.concat());
    s.ok("sort twice.jsonl o.ark --by=-frames");
    assert_eq!(keys(&s, "o.ark").concat(), "abb");
    s.write("bad.jsonl", spoken(FIVE).replace("\"d\",", "\"d\",,"));
    s.fails("sort bad.jsonl x.jsonl --by speaker");
    assert!(!s.names().contains(&"x.jsonl".to_owned()));
    let said = s.run("sort bad.jsonl x.jsonl --by speaker --on-error skip");
    assert_eq!(said.status, 3);
    assert_eq!(keys(&s, "x.jsonl").concat(), "baec");
}

#[test]
fn what_joins_is_sorted_and_chosen_by() {
    let s = Scratch::new();
    let labels = ["a", "b", "c"].map(|key| format!("{{\"key\":\"{key}\",\"labels\":[1,2]}}\n"));
    s.write("in.jsonl", labels.concat());
    s.write("utt2spk", "a z\nb y\nc x\n");
    s.write("text", "a 3\nb 1\nc 2\n");
    let chosen = |line: &str| {
        s.ok(&format!("{line} --overwrite"));
        keys(&s, "o.jsonl").concat()
    };
    let line = "sort in.jsonl o.jsonl --by speaker --utt2spk utt2spk";
    assert_eq!(chosen(line), "cba");
    assert_eq!(chosen("sort in.jsonl o.jsonl --by text --text text"), "bca");
    let line = "select in.jsonl o.jsonl --where speaker='y' --utt2spk utt2spk";
    assert_eq!(chosen(line), "b");
    let line = "select in.jsonl o.jsonl --min-text 1 --text text --where text>'1'";
    assert_eq!(chosen(line), "ac");
    s.write("sound.jsonl", spoken(&[("a", "-", 1), ("b", "-", 1)]));
    s.write(
        "one.jsonl",
        "{\"key\":\"a\",\"labels\":[1]}\n{\"key\":\"b\",\"labels\":[1]}\n",
    );
    let line = "select sound.jsonl o.jsonl --has labels --labels one.jsonl";
    assert_eq!(chosen(line), "ab");
}

#[test]
fn several_inputs_are_merged_by_columns() {
    let s = Scratch::new();
    s.write("one.jsonl", spoken(&FIVE[..3]));
    s.write("two.jsonl", spoken(&FIVE[3..]));
    s.ok("merge one.jsonl two.jsonl o.jsonl --by speaker,key");
    assert_eq!(keys(&s, "o.jsonl").concat(), "abdec");
    s.ok("merge one.jsonl two.jsonl p.jsonl");
    assert_eq!(keys(&s, "p.jsonl").concat(), "edcba");
    let said = refused(&s, "merge one.jsonl one.jsonl x.jsonl --by speaker");
    assert!(
        said.contains("one.jsonl has an utterance with this key"),
        "{said}"
    );
    s.ok("merge one.jsonl one.jsonl x.jsonl --by=-key --duplicates last");
    assert_eq!(keys(&s, "x.jsonl").concat(), "edc");
    let said = refused(&s, "merge one.jsonl two.jsonl y.jsonl --by spaeker");
    assert!(said.contains("did you mean 'speaker'?"), "{said}");
}

/// Twelve utterances of each of three speakers, of one to three seconds.
fn many() -> Vec<(String, &'static str, usize)> {
    let of =
        |speaker: &'static str| (0..12).map(move |n| (format!("{speaker}{n}"), speaker, 1 + n % 3));
    ["ann", "bob", "cleo"].into_iter().flat_map(of).collect()
}

#[test]
fn hours_are_drawn_at_random() {
    let s = Scratch::new();
    let all = many();
    let all: Vec<_> = all
        .iter()
        .map(|(key, who, n)| (key.as_str(), *who, *n))
        .collect();
    s.write("in.jsonl", spoken(&all));
    let drawn = |flags: &str| {
        let said = s.ok(&format!("select in.jsonl o.jsonl --overwrite {flags}"));
        let keys = keys(&s, "o.jsonl");
        let length = |key: &String| all.iter().find(|(own, ..)| own == key).unwrap().2;
        let seconds: usize = keys.iter().map(length).sum();
        (keys, seconds, said.err)
    };
    let (first, seconds, _) = drawn("--random 12s --seed 1");
    assert_eq!(seconds, 12);
    assert_eq!(drawn("--random 12s --seed 1").0, first);
    assert_eq!(drawn("--sample 0.2m --seed 1").0, first);
    assert_ne!(drawn("--random 12s --seed 2").0, first);
    let mut sorted = first.clone();
    sorted.sort_by_key(|key| all.iter().position(|(own, ..)| own == key));
    assert_eq!(first, sorted, "in their order");
    // Each speaker gives a third.
    let (each, _, _) = drawn("--random 18s --seed 5 --by speaker");
    for speaker in ["ann", "bob", "cleo"] {
        let own = each.iter().filter(|key| key.starts_with(speaker));
        assert!((2..=6).contains(&own.count()), "{each:?}");
    }
    let (each, ..) = drawn("--sample 6 --by speaker");
    assert_eq!(each.len(), 6);
    assert_eq!(each.iter().filter(|key| key.starts_with("bob")).count(), 2);
    let (two, _, said) = drawn("--sample 2 --by speaker,seconds");
    assert_eq!(two.len(), 2);
    assert!(
        said.contains(
            "no utterance is taken of 7 of 9 groups by speaker,seconds, as the share is less than one: "
        ),
        "{said}"
    );
    let (whole, _, said) = drawn("--random 1h");
    assert_eq!(whole.len(), 36);
    assert!(
        said.contains("the data last 72.00 s, less than 1.00 h: all are taken"),
        "{said}"
    );
    for (flags, fault) in [
        (
            "--random 10x",
            "'10x' is not a number of utterances, or a duration such as 10h, 30m or 90s",
        ),
        ("--random 1h --by spaeker", "did you mean 'speaker'?"),
        ("--random 1h --by=-speaker", "nothing is sorted here"),
        ("--random 1h --first 3", "--first"),
        ("--by speaker", "--sample"),
    ] {
        let said = refused(&s, &format!("select in.jsonl x.jsonl {flags}"));
        assert!(said.contains(fault), "{said}");
    }
    // What has no duration is an error, and is skipped where errors are.
    s.write("five.jsonl", spoken(FIVE));
    let said = s.fails("select five.jsonl x.jsonl --random 1h");
    assert!(
        said.contains("utterance a: its duration is not known"),
        "{said}"
    );
    let said = s.run("select five.jsonl x.jsonl --random 1h --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(keys(&s, "x.jsonl").concat(), "edcb");
    let fbank = sample("fbank.ark");
    let said = s.fails(&format!("select {fbank} x.ark --random 10s"));
    assert!(said.contains("its duration is not known"), "{said}");
    s.ok(&format!(
        "select {fbank} x.ark --random 10s --frame-shift 0.01"
    ));
}

#[test]
fn shares_of_hours_are_kept_by_speakers() {
    let s = Scratch::new();
    // One speaker has most, the others can be put together to a tenth exactly.
    let mut all = Vec::new();
    for (speaker, seconds) in [
        ("big", 60),
        ("b", 9),
        ("c", 8),
        ("d", 7),
        ("e", 6),
        ("f", 4),
        ("g", 3),
        ("h", 3),
    ] {
        // In many short utterances, or in one.
        match seconds % 2 {
            0 => all.extend((0..seconds).map(|n| (format!("{speaker}-{n}"), speaker, 1))),
            _ => all.push((speaker.to_owned(), speaker, seconds)),
        }
    }
    let all: Vec<_> = all
        .iter()
        .map(|(key, who, n)| (key.as_str(), *who, *n))
        .collect();
    s.write("in.jsonl", spoken(&all));
    for seed in 0..5 {
        let flags = "--valid 0.1 --test 0.2 --by speaker --balance seconds --overwrite";
        let said = s.ok(&format!(
            "split in.jsonl {{part}}.jsonl {flags} --seed {seed}"
        ));
        for (part, share, seconds) in [("train", 70.0, 70), ("valid", 10.0, 10), ("test", 20.0, 20)]
        {
            let told = format!("{part} {share:.1} % (");
            assert!(said.err.contains(&told), "{}", said.err);
            assert!(
                said.err.contains(&format!(", {seconds}.00 s)")),
                "{}",
                said.err
            );
        }
    }
    let speakers = |part: &str| {
        let said = s.ok(&format!("ls {part}.jsonl --tsv --columns speaker"));
        let mut names: Vec<_> = said.out.lines().skip(1).map(str::to_owned).collect();
        names.dedup();
        names
    };
    let (train, valid, test) = (speakers("train"), speakers("valid"), speakers("test"));
    assert_eq!(
        train.len() + valid.len() + test.len(),
        8,
        "no speaker is in two"
    );
    let said = s.ok("split in.jsonl p.{part}.jsonl -n 2 --by speaker --balance seconds");
    let told = "shares of seconds: the smallest part 1 40.0 % (";
    assert!(said.err.contains(told), "{}", said.err);
    let said = s.ok("split in.jsonl q.{part}.jsonl -n 4 --balance seconds --json");
    let parts: Value = serde_json::from_str(&said.out).unwrap();
    let lengths = parts["parts"].as_array().unwrap().iter();
    let lengths: Vec<_> = lengths
        .map(|part| part["duration"].as_f64().unwrap())
        .collect();
    assert_eq!(lengths.iter().sum::<f64>(), 100.0);
    assert!(
        lengths.iter().all(|n| (20.0..=30.0).contains(n)),
        "{lengths:?}"
    );
    let fbank = sample("fbank.ark");
    let said = s.fails(&format!(
        "split {fbank} x.{{part}}.ark -n 2 --balance seconds"
    ));
    assert!(said.contains("its duration is not known"), "{said}");
    let said = s.fails("split in.jsonl x.{part}.jsonl --frames 9 --balance seconds");
    assert!(
        said.contains("--balance goes with -n, --train or --valid"),
        "{said}"
    );
    // The smallest share is one speaker, and the largest leaves one.
    for share in ["0.001", "0.999"] {
        s.ok(&format!(
            "split in.jsonl {{part}}.jsonl --valid {share} --by speaker --overwrite"
        ));
        assert!(speakers("valid").len() + speakers("train").len() == 8);
    }
    s.write("two.jsonl", spoken(&[("a", "x", 1), ("b", "x", 2)]));
    let said = refused(
        &s,
        "split two.jsonl {part}.jsonl --valid 0.5 --by speaker --overwrite",
    );
    assert!(said.contains("1 speaker is too few for 2 parts"), "{said}");
}

const OLD: &str = r#"{"audio_filepath": "a.wav", "duration": 2, "text": "one two", "speaker": "ann", "mood": "sad"}
{"audio_filepath": "b.wav", "duration": 2, "text": "three", "speaker": "ann"}
"#;

#[test]
fn diff_names_the_field_and_the_lines() {
    let s = Scratch::new();
    s.write("old.json", OLD);
    let differs = |change: fn(String) -> String| {
        s.write("new.json", change(OLD.to_owned()));
        let said = s.run("diff old.json new.json");
        assert_eq!(said.status, i32::from(!said.out.is_empty()), "{}", said.err);
        said.out
    };
    assert_eq!(differs(|old| old), "");
    assert_eq!(
        differs(|old| old.replace("three", "tree")),
        "b (old.json:2, new.json:2): text: 'three' and 'tree'\n"
    );
    assert_eq!(
        differs(|old| old.replace("\"ann\"}", "\"bob\"}")),
        "b (old.json:2, new.json:2): speaker: 'ann' and 'bob'\n"
    );
    assert_eq!(
        differs(|old| old.replace(", \"speaker\": \"ann\"}", "}")),
        "b (old.json:2, new.json:2): speaker: 'ann' and none\n"
    );
    assert_eq!(
        differs(|old| old.replace("2, \"text\": \"three", "2.5, \"text\": \"three")),
        "b (old.json:2, new.json:2): seconds: 2 and 2.5\n"
    );
    assert_eq!(
        differs(|old| old.replace("sad", "glad")),
        "a (old.json:1, new.json:1): field 'mood': '\"sad\"' and '\"glad\"'\n"
    );
    assert_eq!(
        differs(|old| old.lines().next().unwrap().to_owned() + "\n"),
        "b: only in old.json:2\n"
    );
    s.write("new.json", OLD.replace("three", "tree"));
    let said = s.run("diff old.json new.json --json");
    let told: Value = serde_json::from_str(&said.out).unwrap();
    let finding = &told["findings"][0];
    assert_eq!(finding["places"]["a"]["line"], 2);
    assert_eq!(finding["places"]["b"]["file"], "new.json");
    assert_eq!(finding["differences"][0]["what"], "text");
    // Another format may lack a field.
    s.write("utt.trn", "one two (a)\nthree (b)\n");
    let said = s.run("diff old.json utt.trn");
    assert!(!said.out.contains("speaker:"), "{}", said.out);
}

#[test]
fn diff_pairs_by_columns() {
    let s = Scratch::new();
    let line = |key: &str, recording: &str, start: &str, text: &str| {
        let start = match start {
            "" => String::new(),
            start => format!(",\"start\":{start}"),
        };
        format!(
            "{{\"key\":\"{key}\",\"text\":\"{text}\",\"meta\":{{\"recording\":\"{recording}\"{start}}}}}\n"
        )
    };
    let old = [
        line("r1-1", "r1", "0", "one"),
        line("r1-2", "r1", "1.50", "two"),
        line("r2-1", "r2", "0", "three"),
    ];
    let new = [
        line("x", "r2", "0.0", "three"),
        line("y", "r1", "1.5", "too"),
        line("z", "r1", "0", "one"),
    ];
    s.write("old.jsonl", old.concat());
    s.write("new.jsonl", new.concat());
    let said = s.run("diff old.jsonl new.jsonl --by recording,start");
    assert_eq!(said.out, "r1-2 and y: text: 'two' and 'too'\n");
    assert_eq!(said.status, 1);
    s.write("same.jsonl", new.concat().replace("too", "two"));
    let said = s.ok("diff old.jsonl same.jsonl --by recording,start");
    assert!(
        said.err.contains("3 utterances compared, no difference"),
        "{}",
        said.err
    );
    let said = s.run("diff old.jsonl new.jsonl --by recording,start --json");
    let told: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(told["findings"][0]["other_key"], "y");
    // Two of one data set with the same values.
    let said = refused(&s, "diff old.jsonl new.jsonl --by recording");
    assert!(
        said.contains("old.jsonl: utterance r1-2: has the same recording as r1-1, so that they can't be paired by it"),
        "{said}"
    );
    // What is not known makes no pair, and is told once.
    s.write(
        "some.jsonl",
        [line("x", "r2", "", "three"), new[1].clone(), new[2].clone()].concat(),
    );
    let said = s.run("diff old.jsonl some.jsonl --by recording,start");
    assert_eq!(said.status, 1);
    assert!(said.out.contains("x: only in some.jsonl\n"), "{}", said.out);
    assert!(
        said.out.contains("r2-1: only in old.jsonl\n"),
        "{}",
        said.out
    );
    let told = "1 utterance has no 'start': they can't be paired";
    assert_eq!(said.err.matches(told).count(), 1, "{}", said.err);
    let said = refused(&s, "diff old.jsonl new.jsonl --by recoding");
    assert!(
        said.contains("--by: ^recoding, character 1: there is no column 'recoding'"),
        "{said}"
    );
    assert!(said.contains("did you mean 'recording'?"), "{said}");
    s.fails("diff old.jsonl new.jsonl --by key --by-key");
    s.write("empty.jsonl", "");
    let said = s.run("diff old.jsonl empty.jsonl --from jsonl --by recording,start");
    assert_eq!(
        (said.status, said.out.lines().count()),
        (1, 3),
        "{}",
        said.err
    );
}
