//! What belongs together stays together: data and labels, keys and inputs, work and threads.

use std::collections::BTreeSet;

use super::Scratch;

/// A line of JSON with `cols` features and one label a frame.
fn line(key: &str, cols: usize, labels: &[i32]) -> String {
    let row = format!("[{}]", vec!["0.5"; cols].join(","));
    let rows = vec![row; labels.len()].join(",");
    format!(
        "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[{},{cols}],\
         \"data\":[{rows}]}},\"labels\":{labels:?},\"meta\":{{}}}}\n",
        labels.len()
    )
}

/// The keys of a data set, and the labels of each.
fn contents(s: &Scratch, name: &str) -> Vec<(String, usize)> {
    let said = s.ok(&format!("convert {name} -o jsonl:-"));
    let lines = said.out.lines();
    let parsed = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    parsed
        .map(|utt| {
            let labels = utt["labels"].as_array().map_or(0, Vec::len);
            (utt["key"].as_str().unwrap().to_owned(), labels)
        })
        .collect()
}

#[test]
fn without_threads_all_is_written_as_with_them() {
    let s = Scratch::new();
    let lines = |n: u32| line(&format!("u{n}"), 20, &vec![7; 300]);
    s.write("in.jsonl", (0..200).map(lines).collect::<String>());
    s.ok("in.jsonl in.ark --allow-loss labels");
    let outputs = [
        "o.ark.gz",
        "o.ark.bz2",
        "o.ark.zst",
        "ark,t:o.txt",
        "ark,scp:o.ark,o.scp",
        "o.pfile",
        "o.jsonl.gz",
        "o.pkl",
        "spr:o/",
    ];
    for output in outputs {
        for jobs in ["1", "4"] {
            let line = format!("in.ark {output} --overwrite -j {jobs}");
            let args: Vec<_> = line.split(' ').collect();
            s.ok(&line);
            let file = s.names().into_iter().find(|name| name.starts_with("o"));
            let file = file.unwrap();
            let read = |s: &Scratch| match s.path(&file).is_dir() {
                true => s.read(&format!("{file}/u7.spr")),
                false => s.read(&file),
            };
            let with = read(&s);
            // No thread can have so large a stack.
            let mut command = s.command();
            let output = command
                .args(&args)
                .env("RUST_MIN_STACK", (1u64 << 47).to_string());
            let said = super::said(output.output().unwrap());
            assert_eq!(said.status, 0, "{line}: {}", said.err);
            assert!(read(&s) == with, "{line}");
        }
        for name in s.names().into_iter().filter(|name| name.starts_with('o')) {
            let path = s.path(&name);
            match path.is_dir() {
                true => std::fs::remove_dir_all(path).unwrap(),
                false => std::fs::remove_file(path).unwrap(),
            }
        }
    }
}

#[test]
fn an_utterance_is_in_both_outputs_or_in_none() {
    let labels = [
        "l.ark",
        "ark,t:l.ark",
        "ark,scp:l.ark,l.scp",
        "l.jsonl",
        "spr:l/,data=SEG",
        "l.seg",
    ];
    // What the output of data refuses: other columns, a key that is no name, a key again.
    // Some are wrong by themselves, others beside those before.
    let refused = [
        ("o.pfile", line("b", 3, &[1, 2]), false),
        ("o.pkl", line("b", 3, &[1, 2]), false),
        ("o.ark", line("b d", 2, &[1, 2]), true),
        ("o.pkl,layout=dict", line("a", 2, &[1, 2]), false),
        ("spr:o/", line("../b", 2, &[1, 2]), true),
        ("spr:o/", line("a", 2, &[1, 2]), false),
    ];
    let mut tried = 0;
    for output in labels {
        for (data, bad, alone) in &refused {
            for first in [false, true] {
                let s = Scratch::new();
                let (a, c) = (line("a", 2, &[1, 2, 3]), line("c", 2, &[4]));
                if first && !alone {
                    continue;
                }
                s.write(
                    "in.jsonl",
                    match first {
                        false => format!("{a}{bad}{c}"),
                        true => format!("{bad}{a}{c}"),
                    },
                );
                let line = format!(
                    "in.jsonl {data} --labels-out {output} --on-error skip --allow-loss all"
                );
                let said = s.run(&line);
                if said.err.contains("has no segments") || said.err.contains("unknown option") {
                    // Some lists take no labels.
                    continue;
                }
                assert_eq!(said.status, 3, "{line}: {}", said.err);
                assert!(
                    said.err.contains("2 utterances, 4 frames, 1 skipped"),
                    "{line}: {}",
                    said.err
                );
                let keys = |name: &str| -> BTreeSet<String> {
                    contents(&s, name).into_iter().map(|(key, _)| key).collect()
                };
                let data = data.split(',').next().unwrap();
                let file = match output {
                    "spr:l/,data=SEG" => "spr:l/",
                    "ark,t:l.ark" | "ark,scp:l.ark,l.scp" => "l.ark",
                    name => name,
                };
                let wanted = ["a", "c"].map(str::to_owned).into();
                assert_eq!(keys(data), wanted, "{line}");
                assert_eq!(keys(file), wanted, "{line}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 30, "{tried}");
}

#[test]
fn what_the_labels_refuse_is_not_in_the_data() {
    let s = Scratch::new();
    let all = [line("a", 2, &[1]), line("b d", 2, &[2]), line("c", 2, &[3])];
    s.write("in.jsonl", all.concat());
    let said = s.run("in.jsonl o.jsonl --labels-out l.ali --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(s.read("l.ali"), b"a 1 \nc 3 \n");
    assert_eq!(contents(&s, "o.jsonl").len(), 2);
    s.fails("in.jsonl p.jsonl --labels-out m.ali");
}

#[test]
fn losses_are_those_of_what_is_written() {
    let s = Scratch::new();
    let wide = r#"{"key":"b","features":{"dtype":"f64","shape":[1,3],"data":[[0.1,0.2,0.3]]},"labels":null,"meta":{}}"#;
    let fits = line("a", 2, &[1]).replace("[1]", "null");
    s.write("in.jsonl", format!("{fits}{wide}\n"));
    let said = s.run("in.jsonl o.pfile --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(!said.err.contains("precision"), "{}", said.err);
}

#[test]
fn utterances_of_one_key_all_have_its_labels() {
    let s = Scratch::new();
    s.write("ali.txt", "b 3\na 1 2\n");
    s.ok("ark,t:ali.txt ali.ark");
    s.ok("ali.ark ali.jsonl");
    s.ok("ark,t:ali.txt ark,scp:a.ark,ali.scp");
    s.shell("gzip -k ali.txt ali.ark ali.jsonl");
    s.write(
        "f.txt",
        "a  [\n 1\n 2 ]\nb  [\n 3 ]\na  [\n 4\n 5 ]\nb  [\n 6 ]\n",
    );
    let labels = [
        "ali.txt",
        "ali.ark",
        "ali.jsonl",
        "ali.scp",
        "ali.txt.gz",
        "ali.ark.gz",
        "ali.jsonl.gz",
    ];
    for name in labels {
        let said = s.ok(&format!("f.txt -o jsonl:- --labels {name}"));
        assert_eq!(said.out.matches("\"labels\":[1,2]").count(), 2, "{name}");
        assert_eq!(said.out.matches("\"labels\":[3]").count(), 2, "{name}");
    }
    for line in [
        "gunzip -c ali.ark.gz | spr-convert f.txt -o jsonl:- --labels -",
        "spr-convert f.txt -o jsonl:- --labels 'ark:gunzip -c ali.ark.gz |'",
        "spr-convert f.txt -o jsonl:- --labels <(cat ali.txt)",
        "spr-convert f.txt,label=ali.txt.gz -o jsonl:-",
    ] {
        let said = s.shell(line);
        assert_eq!(said.status, 0, "{line}: {}", said.err);
        assert_eq!(said.out.matches("\"labels\":[1,2]").count(), 2, "{line}");
        assert_eq!(said.out.matches("\"labels\":[3]").count(), 2, "{line}");
    }
}

#[test]
fn labels_that_stand_twice_are_an_error_unless_they_are_equal() {
    let s = Scratch::new();
    s.write("f.txt", "a  [\n 1\n 2 ]\nb  [\n 3 ]\n");
    let lists = [
        ("equal", "a 1 2\nb 3\na 1 2\n", true),
        ("near", "a 1 2\na 1 2\nb 3\n", true),
        ("other", "a 1 2\na 1 1\nb 3\n", false),
        ("later", "a 1 2\nb 3\na 1 1\n", false),
        ("unasked", "a 1 2\nb 3\nx 4\nx 5\n", false),
    ];
    let mut tried = 0;
    for (name, text, equal) in lists {
        let as_json = text.lines().map(|line| {
            let (key, labels) = line.split_once(' ').unwrap();
            let labels = labels.replace(' ', ",");
            format!("{{\"key\":\"{key}\",\"labels\":[{labels}]}}\n")
        });
        s.write(&format!("{name}.ali"), text);
        s.write(&format!("{name}.jsonl"), as_json.collect::<String>());
        s.ok(&format!("ark,t:{name}.ali {name}.ark"));
        s.shell(&format!("gzip -k {name}.ali {name}.ark {name}.jsonl"));
        for extension in ["ali", "ark", "jsonl", "ali.gz", "ark.gz", "jsonl.gz"] {
            let line = format!("f.txt o.pfile --overwrite --labels {name}.{extension}");
            if equal {
                s.ok(&line);
            } else {
                let error = s.fails(&line);
                assert!(error.contains("twice"), "{line}: {error}");
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 30);
}

#[test]
fn a_key_of_two_inputs_is_an_error() {
    let s = Scratch::new();
    s.write("one.txt", "a  [\n 1 ]\nb  [\n 2 ]\n");
    s.write("two.txt", "c  [\n 3 ]\na  [\n 4 ]\n");
    s.write("again.txt", "d  [\n 5 ]\nd  [\n 6 ]\n");
    for (line, verb) in [
        ("convert one.txt one.txt -o", ""),
        ("convert one.txt two.txt -o", ""),
        ("convert *.txt -o", "a glob"),
        ("select one.txt two.txt -o", ""),
        ("sort one.txt two.txt -o", ""),
        ("merge one.txt two.txt -o", ""),
        ("split one.txt two.txt --parts 2 -o", ""),
    ] {
        let output = if line.starts_with("split") {
            "o{part}.ark"
        } else {
            "o.ark"
        };
        let error = s.fails(&format!("{line} {output}"));
        assert!(error.contains("utterance a: "), "{line} {verb}: {error}");
        let said = s.run(&format!("{line} {output}"));
        assert!(said.err.contains("--duplicates"), "{line}: {}", said.err);
    }
    let counts = [("first", 3), ("last", 3), ("keep", 4)];
    for verb in ["convert", "select", "sort", "merge"] {
        for (how, n) in counts {
            let line = format!("{verb} one.txt two.txt -o o.ark --overwrite --duplicates {how}");
            let said = s.ok(&line);
            assert!(
                said.err.contains(&format!("{n} utterances")),
                "{line}: {}",
                said.err
            );
        }
    }
    // Of one table they are passed on.
    assert!(s.ok("again.txt p.ark").err.contains("2 utterances"));
    assert!(
        s.ok("convert again.txt one.txt -o q.ark")
            .err
            .contains("4 utterances")
    );
    s.fails("again.txt r.ark --duplicates refuse");
    s.fails("again.txt r/ --to spr");
    let said = s.run("convert one.txt two.txt -o t.ark --on-error skip");
    assert_eq!(said.status, 3);
    assert!(
        said.err.contains("3 utterances, 3 frames, 1 skipped"),
        "{}",
        said.err
    );
}

#[test]
fn files_of_a_pattern_keep_the_folders_that_tell_them_apart() {
    let s = Scratch::new();
    for speaker in ["ann", "bob"] {
        let data = format!("u1  [\n 1 ]\nu2  [\n {} ]\n", speaker.len());
        s.write("in.txt", data);
        std::fs::create_dir_all(s.path("in")).unwrap();
        s.ok(&format!("in.txt spr:in/{speaker}/"));
    }
    let wanted = ["ann/u1", "ann/u2", "bob/u1", "bob/u2"];
    for pattern in ["spr:in/*/*.spr", "in/**/*.spr", "in/[ab]*/u?.spr", "in/"] {
        s.ok(&format!("{pattern} o.ark --overwrite"));
        let said = s.ok("ls o.ark");
        let keys: Vec<_> = said
            .out
            .lines()
            .map(|l| l.split_whitespace().next().unwrap())
            .collect();
        assert_eq!(keys, wanted, "{pattern}: {}", said.out);
    }
    let said = s.ok("ls in/ann/*.spr");
    assert!(said.out.starts_with("in/ann/u1.spr  u1 "), "{}", said.out);
    // A shell that takes the pattern apart leaves names alone.
    let said = s.shell("spr-convert convert in/*/*.spr -o p.ark");
    assert_eq!(said.status, 2);
    assert!(
        said.err.contains("utterance u1: in/ann/u1.spr has"),
        "{}",
        said.err
    );
}
