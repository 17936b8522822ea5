//! `ls`, `show`, `diff`, `select`, `sort`, `merge`, `index`, `stats`.

use serde_json::{Value, json};

use crate::{Scratch, sample};

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn keys(s: &Scratch, argument: &str) -> Vec<String> {
    let list = s.ok(&format!("ls --json {argument}")).out;
    lines(&list)
        .iter()
        .map(|e| e["key"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn ls_has_a_line_an_entry() {
    let s = Scratch::new();
    let (ark, scp) = (sample("fbank.ark"), sample("fbank.scp"));
    let said = s.ok(&format!("ls {ark}"));
    assert_eq!(said.out.lines().count(), 12);
    assert_eq!(
        said.out.lines().next(),
        Some("ann-001   features  291  40  f32       8")
    );
    assert_eq!(
        s.ok(&format!("ls {scp}")).out,
        said.out,
        "offsets of a script file"
    );
    let entries = lines(&s.ok(&format!("ls --json {ark} {}", sample("post.ark"))).out);
    assert_eq!(entries.len(), 24);
    assert_eq!(
        entries[1],
        json!({"schema": 1, "input": ark, "key": "ann-002", "kinds": ["features"], "frames": 227,
            "file": ark, "dim": 40, "dtype": "f32", "offset": 46591, "seconds": null})
    );
    assert_eq!(entries[12]["kinds"], json!(["posterior"]));
    assert_eq!(entries[12]["dim"], Value::Null);
}

#[test]
fn ls_knows_where_entries_start() {
    let s = Scratch::new();
    let both = format!("{} --labels {}", sample("fbank.ark"), sample("ali.ark"));
    s.ok(&format!("{both} a.jsonl"));
    s.ok(&format!("{both} a.pfile"));
    s.ok(&format!("{both} a.jsonl.gz"));
    let offsets = |name: &str| {
        let entries = lines(&s.ok(&format!("ls --json {name}")).out);
        let offsets = entries.iter().map(|e| e["offset"].as_u64());
        offsets.collect::<Vec<_>>()
    };
    let bytes = s.read("a.jsonl");
    for at in offsets("a.jsonl").into_iter().map(Option::unwrap) {
        let at = usize::try_from(at).unwrap();
        assert!(bytes[at..].starts_with(br#"{"key":"#));
    }
    let bytes = s.read("a.pfile");
    for (n, at) in offsets("a.pfile").into_iter().enumerate() {
        let at = usize::try_from(at.unwrap()).unwrap();
        let numbers = [u32::try_from(n).unwrap().to_be_bytes(), [0; 4]].concat();
        assert_eq!(bytes[at..at + 8], numbers, "sentence {n}, frame 0");
    }
    assert!(offsets("a.jsonl.gz").iter().all(Option::is_none));
}

#[test]
fn keys_cannot_play_tricks_on_a_terminal() {
    let s = Scratch::new();
    s.write(
        "a.jsonl",
        "{\"key\":\"a\\u001b[31mb\",\"text\":\"x\\u001b[2Jy\"}\n{\"key\":{\"bytes\":\"ff\"},\"text\":\"z\"}\n",
    );
    for verb in ["ls", "show", "stats", "info"] {
        let out = s.ok(&format!("{verb} a.jsonl")).out;
        assert!(!out.contains('\x1b'), "{verb}: {out:?}");
    }
    let entries = lines(&s.ok("ls --json a.jsonl").out);
    assert_eq!(entries[0]["key"], "a\x1b[31mb");
    assert_eq!(entries[1]["key"], json!({"bytes": "ff"}));
}

#[test]
fn show_prints_values() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    let said = s.ok(&format!("show {ark} ann-003 --range 0:1,0:2"));
    assert_eq!(
        said.out,
        "ann-003\n\
         \x20 features: 219 x 40 of f32\n\
         \x20    0  11.318294  13.099284  18.083248\n\
         \x20    1  13.277352  14.925906  17.442236\n"
    );
    // In the order asked for, from a stream as from a table.
    s.ok(&format!("{ark} a.pfile"));
    for name in [ark.as_str(), "a.pfile"] {
        let said = s.ok(&format!("show {name} bob-001 ann-002 --range 0,0"));
        let names = said.out.lines().filter(|l| !l.starts_with(' '));
        assert_eq!(names.collect::<Vec<_>>(), ["bob-001", "ann-002"], "{name}");
    }
    let said = s.ok(&format!("show {} --head 2", sample("ali.ark")));
    assert_eq!(said.out.matches("labels: ").count(), 2);
    let said = s.ok("show a.pfile bob-001 --json");
    assert_eq!(lines(&said.out)[0]["features"]["shape"], json!([304, 40]));
}

#[test]
fn show_names_what_is_missing() {
    let s = Scratch::new();
    s.ok(&format!("{} a.pfile", sample("fbank.ark")));
    for name in [sample("fbank.scp").as_str(), "a.pfile"] {
        let said = s.run(&format!("show {name} ann-01"));
        assert_eq!(said.status, 2);
        assert_eq!(
            said.err,
            format!(
                "spr-convert: error: {name}: utterance ann-01: there is no such utterance\n\
                 spr-convert: hint: did you mean ann-001?\n"
            )
        );
        assert_eq!(said.out, "");
    }
}

#[test]
fn diff_says_no_with_1() {
    let s = Scratch::new();
    let (ark, scp) = (sample("fbank.ark"), sample("fbank.scp"));
    let said = s.ok(&format!("diff {ark} {scp}"));
    assert_eq!(
        (&*said.out, &*said.err),
        ("", "12 utterances compared, no difference\n")
    );
    s.write(
        "a.jsonl",
        "{\"key\":\"x\",\"features\":{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":[[1,2],[3,\"nan\"]]}}\n\
         {\"key\":\"y\",\"labels\":[1,2,3]}\n",
    );
    s.write(
        "b.jsonl",
        "{\"key\":\"x\",\"features\":{\"dtype\":\"f64\",\"shape\":[2,2],\"data\":[[1,2.5],[4,\"nan\"]]}}\n\
         {\"key\":\"y\",\"labels\":[1,2]}\n{\"key\":\"z\",\"labels\":[1]}\n",
    );
    let said = s.run("diff a.jsonl b.jsonl");
    assert_eq!(said.status, 1);
    assert_eq!(
        said.out,
        "x: features: 2 of 4 values differ, first [0,1] 2 and 2.5, most [1,0] 3 and 4\n\
         y: labels: 3 and 2\n\
         z: only in b.jsonl\n"
    );
    assert!(
        said.err.contains("element types of 1 utterance differ"),
        "{}",
        said.err
    );
    let said = s.run("diff a.jsonl b.jsonl --atol 0.5 --json");
    assert_eq!(said.status, 1);
    let object = &lines(&said.out)[0];
    assert_eq!(object["same"], false);
    assert_eq!(
        (
            &object["compared"],
            &object["different"],
            &object["only_b"],
            &object["values"]
        ),
        (&json!(2), &json!(2), &json!(1), &json!(1))
    );
    assert_eq!(object["worst"]["key"], "x");
    assert_eq!(s.run("diff -q a.jsonl b.jsonl").out, "");
    assert_eq!(s.run("diff a.jsonl missing.jsonl").status, 2);
}

#[test]
fn diff_by_key_needs_no_order() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.ok(&format!("sort {ark} other.ark --by frames"));
    s.ok("other.ark other.jsonl");
    s.ok(&format!("{ark} one.jsonl"));
    assert_eq!(s.run(&format!("diff {ark} other.ark")).status, 1);
    for (a, b) in [
        (ark.as_str(), "other.ark"),
        ("one.jsonl", "other.ark"),
        ("other.ark", "one.jsonl"),
        ("one.jsonl", "other.jsonl"),
    ] {
        s.ok(&format!("diff --by-key {a} {b}"));
    }
    s.ok(&format!("select {ark} part.jsonl --glob ann-*"));
    for (a, b, only) in [
        ("part.jsonl", "other.ark", "only in the second"),
        ("other.ark", "part.jsonl", "only in the first"),
        ("other.jsonl", "part.jsonl", "only in the first"),
    ] {
        let said = s.run(&format!("diff --by-key {a} {b}"));
        assert_eq!(said.status, 1);
        assert_eq!(said.out.lines().count(), 8, "{}", said.out);
        assert!(
            said.err
                .contains(&format!("4 utterances compared, 8 {only}")),
            "{}",
            said.err
        );
    }
    let error = s.fails("diff --by-key one.jsonl other.jsonl --memory 1k");
    assert!(error.contains("wait for their match"), "{error}");
}

#[test]
fn names_that_are_made_up_are_not_compared() {
    let s = Scratch::new();
    s.ok(&format!(
        "{} a.pfile,keys=none --allow-loss keys",
        sample("fbank.ark")
    ));
    let said = s.ok(&format!("diff {} a.pfile", sample("fbank.ark")));
    assert!(said.err.contains("compared by position"), "{}", said.err);
}

#[test]
fn index_finds_what_ls_lists() {
    let s = Scratch::new();
    std::fs::copy(sample("fbank.ark"), s.path("fbank.ark")).unwrap();
    std::fs::copy(sample("ali.txt"), s.path("ali.txt")).unwrap();
    s.ok("index fbank.ark");
    assert_eq!(
        s.read("fbank.scp"),
        std::fs::read(sample("fbank.scp")).unwrap()
    );
    s.ok("diff fbank.scp fbank.ark");
    s.ok("index ali.txt -o text.scp");
    s.ok("diff text.scp ali.txt");
    assert!(s.fails("index fbank.ark").contains("exists already"));
    s.ok("index fbank.ark --overwrite");
    s.ok("fbank.ark a.pfile,keys=none --allow-loss keys");
    s.ok("index a.pfile");
    assert!(
        s.read("a.pfile.utt2num_frames")
            .starts_with(b"utt000000 291\n")
    );
    let facts: Value = serde_json::from_str(&s.ok("info --json a.pfile").out).unwrap();
    assert_eq!(facts["keys"], "sidecar");
    s.ok("index a.pfile");
    s.ok("fbank.ark a.ark.gz");
    for name in ["fbank.scp", "a.ark.gz", "."] {
        s.fails(&format!("index {name}"));
    }
    s.ok("fbank.ark a.jsonl");
    assert!(s.fails("index a.jsonl").contains("needs no index"));
}

#[test]
fn an_index_points_at_what_is_stored() {
    let s = Scratch::new();
    for name in ["fbank.ark", "ali.ark", "ali.txt", "fbank.scp"] {
        std::fs::copy(sample(name), s.path(name)).unwrap();
    }
    s.ok("fbank.ark a.pfile");
    for (line, key) in [
        ("fbank.ark --context 2", "context"),
        ("ali.ark --ignore-label 0-99", "ignore-label"),
        ("ali.ark --map-label 1:0", "map-label"),
        ("fbank.ark --shuffle", "random"),
        ("fbank.ark --frame-shift 0.01", "frame-shift"),
        ("fbank.ark,rcxt=1", "rcxt"),
        ("fbank.ark,label=ali.txt", "label"),
        ("a.pfile,partition=1m", "partition"),
        ("fbank.scp --context 2", "context"),
        ("fbank.ark --context 2 --explain", "context"),
    ] {
        let error = s.fails(&format!("index {line} -o x"));
        let told = format!("{key}: an index points at the data as they are stored");
        assert!(error.contains(&told), "{line}: {error}");
    }
    s.ok("index fbank.ark,type=kaldi -o x");
    for (line, told) in [
        (
            "fbank.ark -o x.pfile",
            "ends with .pfile, but a script file",
        ),
        ("fbank.ark -o x.ark.gz", "ends with .ark, but a script file"),
        ("a.pfile -o x.scp", "ends with .scp, but a side file"),
        ("fbank.scp -o x.ark", "ends with .ark, but a list"),
    ] {
        let error = s.fails(&format!("index {line}"));
        assert!(error.contains(told), "{line}: {error}");
    }
    // Names that are in a side file already are written where they are wanted.
    let said = s.ok("index a.pfile");
    assert!(
        said.err.contains("has its side file already"),
        "{}",
        said.err
    );
    s.ok("index a.pfile -o names");
    assert_eq!(s.read("names"), s.read("a.pfile.utt2num_frames"));
}

#[test]
fn stats_are_those_of_numpy() {
    let s = Scratch::new();
    s.write(
        "a.jsonl",
        "{\"key\":\"x\",\"features\":{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":[[1,\"nan\"],[3,\"inf\"]]},\
         \"labels\":[7,7],\"meta\":{\"frame_shift\":0.5}}\n\
         {\"key\":\"y\",\"features\":{\"dtype\":\"f32\",\"shape\":[1,2],\"data\":[[5,2]]},\
         \"labels\":[8],\"meta\":{\"frame_shift\":0.5}}\n",
    );
    let stats = &lines(&s.ok("stats --json a.jsonl").out)[0];
    assert_eq!(stats["seconds"], 1.5);
    assert_eq!(
        stats["lengths"],
        json!({"min": 1, "mean": 1.5, "median": 1, "max": 2})
    );
    let column = &stats["features"][0];
    assert_eq!(
        (&column["count"], &column["mean"]),
        (&json!(3), &json!(3.0))
    );
    let std = column["std"].as_f64().unwrap();
    assert!((std - (8.0f64 / 3.0).sqrt()).abs() < 1e-12);
    let column = &stats["features"][1];
    assert_eq!(
        (
            &column["count"],
            &column["nan"],
            &column["inf"],
            &column["max"]
        ),
        (&json!(1), &json!(1), &json!(1), &json!(2.0))
    );
    assert_eq!(
        stats["labels"],
        json!([[{"label": 7, "count": 2}, {"label": 8, "count": 1}]])
    );
    let text = s.ok("stats a.jsonl").out;
    assert!(text.contains("1.50 s, 0.000 h"), "{text}");
    let bytes = std::fs::read(sample("fbank.ark")).unwrap();
    s.write("cut.ark", &bytes[..100_000]);
    let said = s.run("stats cut.ark");
    assert_eq!(said.status, 2);
    assert!(
        said.out.contains("2 utterances, 518 frames"),
        "{}",
        said.out
    );
}

#[test]
fn a_frame_shift_is_told_where_the_data_have_none() {
    let s = Scratch::new();
    let both = format!("{} --labels {}", sample("fbank.ark"), sample("ali.ark"));
    for name in ["a.pfile", "a.pkl", "a.jsonl"] {
        s.ok(&format!("{both} {name}"));
    }
    let (ark, scp, ali) = (sample("fbank.ark"), sample("fbank.scp"), sample("ali.ark"));
    for name in [&*ark, &*scp, &*ali, "a.pfile", "a.pkl", "a.jsonl"] {
        let stats = |more: &str| lines(&s.ok(&format!("stats --json {name}{more}")).out)[0].clone();
        assert_eq!(stats("")["seconds"], Value::Null, "{name}");
        let seconds = stats(" --frame-shift 0.01")["seconds"].as_f64().unwrap();
        assert!((seconds - 31.11).abs() < 1e-9, "{name}: {seconds}");
        let text = s.ok(&format!("stats {name} --frame-shift 0.01")).out;
        assert!(text.contains("  duration    31.11 s, 0.009 h"), "{text}");
        let text = s.ok(&format!("info {name} --frame-shift 0.01")).out;
        assert!(
            text.contains("  frame shift 0.01 s, 31.11 s in all"),
            "{text}"
        );
        let entries = lines(&s.ok(&format!("ls --json {name} --frame-shift 0.01")).out);
        assert_eq!(entries[0]["seconds"], 2.91, "{name}");
        for line in [
            "plot {} ann-001 -o - --to svg",
            "plot {} --kind features",
            "show {} ann-001",
        ] {
            let out = s
                .ok(&format!("{} --frame-shift 0.01", line.replace("{}", name)))
                .out;
            assert!(
                out.contains(" s\n") || out.contains("s</text>"),
                "{name}: {line}: {out}"
            );
        }
        let page = s.ok(&format!("report {name} -o - --frame-shift 0.01")).out;
        assert!(page.contains("<dt>Duration</dt><dd>31.11 s</dd>"), "{name}");
    }
    let facts = lines(&s.ok("info --json --quick a.pfile --frame-shift 0.01").out);
    assert_eq!(facts[0]["duration"], 31.11);
    // In a spec, and into formats that keep it.
    s.ok("a.pfile,frame-shift=0.010 spr:out/ --allow-loss labels");
    assert!(s.ok("header out/ann-001.spr").out.contains("0.010"));
    s.ok("stats out/ --frame-shift 0.01");
    let error = s.fails("stats out/ --frame-shift 0.02");
    assert!(
        error.contains("ann-001: has a frame shift of 0.010 s, not of 0.02 s"),
        "{error}"
    );
    for wrong in ["10ms", "0", "-1", "nan", ""] {
        let said = s.run_args(&["stats", "a.pfile", &format!("--frame-shift={wrong}")]);
        assert_eq!(said.status, 2, "{wrong}");
        let hint = "spr-convert: hint: seconds, such as 0.01\n";
        assert!(said.err.ends_with(hint), "{}", said.err);
    }
    for verb in ["ls", "info", "stats", "plot", "report", "show"] {
        let help = s.ok(&format!("{verb} -h")).out;
        assert!(help.contains("--frame-shift <SECONDS>"), "{verb}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let s = Scratch::new();
    let line: String = (0..20_000).map(|i| format!("utt{i} 1 2 3\n")).collect();
    s.write("a.ali", line);
    let diff = format!("diff {} a.ali --all", sample("ali.ark"));
    for line in [
        "ls a.ali",
        "ls --json a.ali",
        "show a.ali",
        "show --json a.ali",
        &diff,
    ] {
        let status = "exit ${PIPESTATUS[0]}";
        let said = s.shell(&format!("spr-convert {line} | head -n 1; {status}"));
        assert_eq!((said.status, &*said.err), (0, ""), "{line}");
    }
}

#[test]
fn misspelt_words_are_recognised() {
    let s = Scratch::new();
    std::fs::copy(sample("ali.ark"), s.path("ali.ark")).unwrap();
    for (line, hint) in [
        ("sotr a b", "did you mean the verb 'sort'?"),
        ("selct a.ark b.ark", "did you mean the verb 'select'?"),
        ("ali.akr", "did you mean ali.ark?"),
        ("check ali.akr", "did you mean ali.ark?"),
        ("stats ali.akr", "did you mean ali.ark?"),
        (
            "select ali.ark b.ark --keys ann-001",
            "--glob takes a key itself",
        ),
        ("sort ali.ark", "or with -o OUT"),
        ("show ali.ark --range 0-9", "such as 0:9,0:3"),
        ("pflie:a b.ark", "did you mean the format 'pfile:'?"),
        ("ls a --from kladi", "did you mean 'kaldi'?"),
        ("ls a --form kaldi", "'--from'"),
        ("a.ark b.ark --allow-loss lables", "did you mean 'labels'?"),
        ("ali.ark a.pfile,kyes=none", "did you mean 'keys'?"),
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 2, "{line}");
        assert!(said.err.contains(hint), "{line}: {}", said.err);
    }
    let said = s.run("ark:none.ark b.ark");
    assert!(!said.err.contains("did you mean"), "{}", said.err);
}

#[test]
fn every_verb_explains_itself() {
    let s = Scratch::new();
    for verb in [
        "ls", "show", "diff", "select", "sort", "merge", "split", "index", "stats", "plot",
        "report",
    ] {
        let (short, long) = (
            s.ok(&format!("{verb} -h")).out,
            s.ok(&format!("{verb} --help")).out,
        );
        for help in [short, long] {
            assert!(
                help.contains(&format!("Usage: spr-convert {verb}")),
                "{help}"
            );
            assert!(help.contains("Examples:"), "{help}");
        }
        assert!(s.ok("completions bash").out.contains(verb));
    }
}

#[test]
fn names_that_are_made_up_are_told() {
    let s = Scratch::new();
    s.write("a.ark", "ann  [\n 1 2 ]\nbob  [\n 3 4 ]\n");
    for (name, utterances) in [("a.pfile", 2), ("a.pkl", 1)] {
        // Asked for by name, so nothing has to be allowed.
        let said = s.ok(&format!("a.ark {name},keys=none"));
        assert!(said.err.contains("keys of "), "{}", said.err);
        for verb in [
            "ls IN",
            "info IN",
            "stats IN",
            "show IN",
            "IN o.jsonl --overwrite",
        ] {
            let line = verb.replace("IN", name);
            let said = s.ok(&line);
            let told = said.err.matches("with the names of its utterances").count();
            assert_eq!(told, 1, "{line}: {}", said.err);
            let asked = s.ok(&format!("{line} --oo keys=none"));
            assert!(!asked.err.contains("side file"), "{line}: {}", asked.err);
        }
        assert_eq!(keys(&s, "o.jsonl").len(), utterances);
        assert_eq!(keys(&s, "o.jsonl")[0], "utt000000");
        s.ok(&format!("a.ark {name} --overwrite"));
        assert!(!s.ok(&format!("ls {name}")).err.contains("side file"));
    }
    s.fails("a.ark pfile:- --overwrite");
}

#[test]
fn diff_by_key_refuses_keys_that_come_twice() {
    let s = Scratch::new();
    let line = |key: &str, value: u32| {
        format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[{value}]]}}}}\n"
        )
    };
    s.write("one.jsonl", line("a", 1) + &line("b", 2));
    // The second of two utterances has other values, or the same.
    for (name, value) in [("other", 3), ("same", 2)] {
        let twice = line("a", 1) + &line("b", 2) + &line("b", value);
        s.write(&format!("{name}.jsonl"), twice);
    }
    for name in ["one", "other", "same"] {
        for target in ["ark", "pfile", "pkl"] {
            s.ok(&format!("{name}.jsonl {name}.{target} -q"));
        }
        s.ok(&format!("{name}.jsonl ark,scp:{name}.listed,{name}.scp -q"));
    }
    let endings = ["ark", "jsonl", "pfile", "pkl", "scp"];
    for twice in ["other", "same"] {
        for a in endings {
            for b in endings {
                for line in [
                    format!("diff --by-key {twice}.{a} one.{b}"),
                    format!("diff --by-key one.{a} {twice}.{b}"),
                    format!("diff --by-key {twice}.{a} {twice}.{b}"),
                ] {
                    let error = s.fails(&line);
                    assert!(
                        error.contains("utterance b: appears twice"),
                        "{line}: {error}"
                    );
                }
            }
        }
    }
}
