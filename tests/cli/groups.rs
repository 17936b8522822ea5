//! Sums of groups by `stats --by`, and data sets side by side.

use serde_json::Value;

use crate::verbs::lines;
use crate::{Scratch, sample};

/// Sound and features of three speakers, one of whom has a name that is not UTF-8.
const SPOKEN: &str = r#"{"key":"a1","text":"hi","meta":{"speaker":"ann","language":"nl"},"audio":{"rate":2,"dtype":"i16","shape":[4,1],"data":[[16384],[0],[0],[0]]}}
{"key":"b1","meta":{"speaker":{"bytes":"62ff"}},"audio":{"rate":4,"dtype":"i16","shape":[4,1],"data":[[0],[0],[0],[0]]}}
{"key":"a2","meta":{"speaker":"ann"},"audio":{"rate":2,"dtype":"i16","shape":[2,1],"data":[[-16384],[0]]}}
{"key":"c1","text":"","meta":{}}
"#;

/// The values of a column of a table with tabs.
fn column<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
    let mut lines = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let at = lines
        .next()
        .unwrap()
        .iter()
        .position(|title| *title == name);
    let at = at.unwrap_or_else(|| panic!("no column {name}: {table}"));
    lines.map(|line| line[at]).collect()
}

#[test]
fn utterances_are_summed_up_by_speaker() {
    let s = Scratch::new();
    s.write("t.jsonl", SPOKEN);
    let table = s.ok("stats t.jsonl --by speaker --tsv").out;
    assert_eq!(
        column(&table, "speaker"),
        ["ann", "{\"bytes\":\"62ff\"}", ""]
    );
    assert_eq!(column(&table, "utterances"), ["2", "1", "1"]);
    assert_eq!(column(&table, "seconds"), ["3.0", "1.0", ""]);
    assert_eq!(column(&table, "max_seconds"), ["2.0", "1.0", ""]);
    assert_eq!(column(&table, "zeros"), ["4", "4", ""]);
    // Silence has no level.
    let peaks = column(&table, "peak_db");
    assert!(
        peaks[0].starts_with("-6.0") && peaks[1].is_empty(),
        "{table}"
    );
    let text = s.ok("stats t.jsonl --by speaker,rate").out;
    assert_eq!(
        text,
        "t.jsonl\n  \
           speaker           rate  utterances  seconds  shortest  mean  longest  peak dB  RMS dB\n  \
           ann               2              2     3.00      1.00  1.50     2.00    -6.02  -10.79\n  \
           {\"bytes\":\"62ff\"}  4              1     1.00      1.00  1.00     1.00        -       -\n  \
           -                 -              1        -         -     -        -        -       -\n"
    );
    let said = s.ok("stats t.jsonl --by gender");
    assert_eq!(
        said.err,
        "spr-convert: warning: t.jsonl: no utterance has 'gender'\n"
    );
}

#[test]
fn labels_are_summed_up_by_their_runs() {
    let s = Scratch::new();
    let ali = sample("ali.ark");
    let groups = lines(
        &s.ok(&format!("stats {ali} --by label --json --frame-shift 0.01"))
            .out,
    );
    let facts = &lines(&s.ok(&format!("stats {ali} --json")).out)[0];
    let sum = |name: &str| {
        groups
            .iter()
            .map(|group| group[name].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(sum("frames"), facts["frames"].as_u64().unwrap());
    let counts = facts["labels"][0].as_array().unwrap();
    assert_eq!(groups.len(), counts.len());
    for (group, count) in groups.iter().zip(counts) {
        assert_eq!(
            (&group["label"], &group["frames"]),
            (&count["label"], &count["count"])
        );
        assert!(group["spans"].as_u64() >= group["utterances"].as_u64());
        assert!(group["min_seconds"].as_f64() <= group["mean_seconds"].as_f64());
    }
    s.write("phones.txt", "sil 0\naa 1\n");
    let said = s.ok(&format!(
        "stats {ali} --by label --tsv --symbols phones.txt"
    ));
    assert_eq!(column(&said.out, "label")[..3], ["sil", "aa", "2"]);
    s.write("x.ctm", "r 1 0 0.5 one\nr 1 0.5 0.25 two\nr 1 1 0.75 one\n");
    let said = s.ok("stats x.ctm --by label --tsv");
    assert_eq!(column(&said.out, "label"), ["one", "two"]);
    assert_eq!(column(&said.out, "seconds"), ["1.25", "0.25"]);
    s.write(
        "two.jsonl",
        "{\"key\":\"a\",\"labels\":[[1,2]],\"meta\":{}}\n",
    );
    let error = s.fails("stats two.jsonl --by label");
    assert!(
        error.ends_with("utterance a: its labels have 2 columns; groups need one"),
        "{error}"
    );
}

#[test]
fn groups_of_faulty_and_empty_data() {
    let s = Scratch::new();
    let error = s.fails("stats gone.ark --by spekaer");
    assert!(
        error.ends_with("--by: there is no column 'spekaer'"),
        "{error}"
    );
    let error = s.fails("stats gone.ark --by speaker,speaker");
    assert!(error.ends_with("--by: 'speaker' is named twice"), "{error}");
    let error = s.fails("stats gone.ark --by seconds");
    assert!(
        error.contains("'seconds' is counted in each group"),
        "{error}"
    );
    s.write("none.jsonl", "");
    let said = s.ok("stats none.jsonl --from jsonl --by speaker --tsv");
    assert_eq!(said.out.lines().count(), 1);
    assert!(said.err.contains("warning: none.jsonl"), "{}", said.err);
    // What stands before the damage is summed up.
    s.write("cut.jsonl", &SPOKEN[..SPOKEN.len() - 9]);
    let said = s.run("stats cut.jsonl --by language --tsv");
    assert_eq!(said.status, 2);
    assert_eq!(column(&said.out, "utterances"), ["1", "2"]);
    let said = s.run("stats cut.jsonl --by language --tsv --on-error skip");
    assert_eq!(
        (said.status, column(&said.out, "utterances")),
        (3, vec!["1", "2"])
    );
    // Each input has its groups; by file, one of several files is told from another.
    s.write("t.jsonl", SPOKEN);
    let said = s.ok("stats t.jsonl t.jsonl --by speaker --tsv");
    assert_eq!(column(&said.out, "utterances").len(), 6);
    s.ok(&format!("{} set/ --to wav -q", sample("../wav/")));
    let said = s.ok("stats set --by file --tsv");
    assert_eq!(column(&said.out, "file").len(), 3);
}

/// Two parts of the sample data, with labels and speakers.
fn parts() -> Scratch {
    let s = Scratch::new();
    let (fbank, ali) = (sample("fbank.scp"), sample("ali.txt"));
    s.ok(&format!("{fbank} --labels {ali} all.jsonl -q"));
    s.shell("sed 's/.*\"key\":\"\\([a-z]*\\)-\\([0-9]*\\)\".*/\\1-\\2 \\1/' all.jsonl > utt2spk");
    s.shell("head -n 5 all.jsonl > train.jsonl; tail -n 7 all.jsonl > valid.jsonl");
    s
}

#[test]
fn data_sets_lie_side_by_side() {
    let s = parts();
    let said = s.ok("stats train.jsonl valid.jsonl --utt2spk utt2spk").out;
    let at = said.find("side by side\n").unwrap();
    let table = &said[at..];
    for (name, values) in [("utterances", ["5", "7"]), ("speakers", ["2", "2"])] {
        let line = table.lines().find(|line| line.trim().starts_with(name));
        let words: Vec<_> = line.unwrap().split_whitespace().skip(1).collect();
        assert_eq!(words, values, "{table}");
    }
    assert!(
        table.contains("\n  train.jsonl and valid.jsonl share 1 speaker: "),
        "{table}"
    );
    assert!(!s.ok("stats train.jsonl").out.contains("side by side"));
    let objects = s.ok("stats train.jsonl valid.jsonl --json").out;
    assert_eq!(lines(&objects).len(), 2);
    assert!(
        lines(&objects)
            .iter()
            .all(|object: &Value| object["schema"] == 1)
    );
    // A label that only one has, and nothing in common.
    s.write(
        "a.jsonl",
        "{\"key\":\"a\",\"labels\":[1,2,3],\"meta\":{\"speaker\":\"s\"}}\n",
    );
    s.write(
        "b.jsonl",
        "{\"key\":\"b\",\"labels\":[2,1],\"meta\":{\"speaker\":\"t\"}}\n",
    );
    let said = s.ok("stats a.jsonl b.jsonl").out;
    let end = "  a.jsonl and b.jsonl share no speaker\n  1 label only in a.jsonl: 3\n";
    assert!(said.ends_with(end), "{said}");
}

#[test]
fn a_page_compares_data_sets() {
    let s = parts();
    s.ok("report train.jsonl valid.jsonl --utt2spk utt2spk -o both.html -q");
    let page = String::from_utf8(s.read("both.html")).unwrap();
    assert!(page.contains("<title>train.jsonl · valid.jsonl</title>"));
    assert!(page.contains("<li>train.jsonl and valid.jsonl share 1 speaker: "));
    assert_eq!(
        page.matches("<figcaption>train.jsonl</figcaption>").count(),
        3
    );
    assert_eq!(
        page.matches("<figcaption>valid.jsonl</figcaption>").count(),
        3
    );
    // Damage of one is told, and the page is about what could be read.
    s.shell("head -c 300000 all.jsonl > cut.jsonl");
    let said = s.run("report train.jsonl cut.jsonl -o cut.html");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("error: cut.jsonl"), "{}", said.err);
    let page = String::from_utf8(s.read("cut.html")).unwrap();
    assert!(page.contains("<td>faults</td><td>0</td><td>1</td>"));
}
