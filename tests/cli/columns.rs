//! The columns of utterances: as a table of `ls`, and in rules of `select` and stages.

use serde_json::{Value, json};

use crate::verbs::keys;
use crate::{Scratch, sample};

/// Sound with a text, a key that is no UTF-8 with an empty text, and features.
const THREE: &str = r#"{"key":"a","text":"hello","meta":{"speaker":"s1"},"audio":{"rate":8000,"dtype":"i16","shape":[3,1],"data":[[1],[2],[3]]}}
{"key":{"bytes":"ff61"},"text":"","meta":{}}
{"key":"c","features":{"dtype":"f32","shape":[2,1],"data":[[1],[2]]},"meta":{"language":"nl"}}
"#;

#[test]
fn ls_prints_columns_that_are_chosen() {
    let s = Scratch::new();
    s.write("t.jsonl", THREE);
    let said = s.ok("ls t.jsonl --tsv --columns text,frames,key,rate");
    assert_eq!(
        said.out,
        "text\tframes\tkey\trate\nhello\t3\ta\t8000\n\t0\t{\"bytes\":\"ff61\"}\t\n\t2\tc\t\n"
    );
    let said = s.ok("ls t.jsonl --json --columns input,key,language");
    let lines: Vec<Value> = said
        .out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            json!({"schema": 1, "input": "t.jsonl", "key": "a", "language": null}),
            json!({"schema": 1, "input": "t.jsonl", "key": {"bytes": "ff61"}, "language": null}),
            json!({"schema": 1, "input": "t.jsonl", "key": "c", "language": "nl"}),
        ]
    );
    // Without a choice, what is known, and what is always there.
    let said = s.ok("ls t.jsonl --json");
    let last: Value = serde_json::from_str(said.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["language"], "nl");
    assert_eq!(
        (last.get("seconds"), last.get("text")),
        (Some(&Value::Null), None)
    );
    s.write("empty.jsonl", "");
    let said = s.ok("ls empty.jsonl --from jsonl --tsv --columns key,text");
    assert_eq!(said.out, "key\ttext\n");
    let said = s.run("ls t.jsonl --columns key,secnds");
    let error = "there is no column 'secnds'\nspr-convert: hint: did you mean 'seconds'? columns: input, key,";
    assert!(said.status == 2 && said.err.contains(error), "{}", said.err);
    let said = s.fails("ls t.jsonl --columns key,key");
    assert!(said.contains("'key' is named twice"), "{said}");
}

#[test]
fn select_takes_what_columns_say() {
    let s = Scratch::new();
    s.write("t.jsonl", THREE);
    s.write("bad.jsonl", THREE.replace("\"c\",\"feat", "\"c\",,\"feat"));
    let select = |rule: &str, value: &str| {
        let args = ["select", "t.jsonl", "o.jsonl", "--overwrite", rule, value];
        let said = s.run_args(&args);
        assert_eq!(said.status, 0, "{}", said.err);
        (
            s.ok("ls o.jsonl --from jsonl --tsv --columns key")
                .out
                .replace("key\n", ""),
            said.err,
        )
    };
    assert_eq!(select("--where", "text != \"\"").0, "a\n");
    assert_eq!(select("--where", "text").0, "a\n{\"bytes\":\"ff61\"}\n");
    assert_eq!(select("--where", "not text or speaker = 's1'").0, "a\nc\n");
    assert_eq!(select("--where", "frames > 1 and frames < 0.003k").0, "c\n");
    assert_eq!(select("--has", "sound,text").0, "a\n");
    assert_eq!(select("--has", "features").0, "c\n");
    assert_eq!(select("--min-text", "5").0, "a\n");
    assert_eq!(select("--stages", "where('text = ''hello''')").0, "a\n");
    let (none, said) = select("--where", "gender = 'f'");
    assert_eq!(none, "");
    assert!(
        said.contains("no utterance has 'gender': comparisons with it are false"),
        "{said}"
    );
    for (rule, fault) in [
        (
            "frames >> 1",
            "--where: frames >^> 1, character 9: expected a number, text in quotes or a column, found '>'",
        ),
        ("secons > 1", "did you mean 'seconds'?"),
        ("offset > 1", "'offset' is known only where data are listed"),
    ] {
        let said = s.run_args(&["select", "t.jsonl", "x.jsonl", "--where", rule]);
        assert_eq!(said.status, 2);
        assert!(said.err.contains(fault), "{}", said.err);
    }
    let said = s.run_args(&["select", "bad.jsonl", "x.jsonl", "--where", "text"]);
    assert_eq!(said.status, 2, "{}", said.err);
}

#[test]
fn durations_must_be_known() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    let said = s.fails(&format!("select {ark} x.ark --min-seconds 2.9"));
    assert!(said.contains("its duration is not known"), "{}", said);
    let rules = "--frame-shift 0.01 --min-seconds 2.9 --max-seconds 2.93";
    s.ok(&format!("select {ark} x.ark {rules}"));
    assert_eq!(keys(&s, "x.ark"), ["ann-001", "ann-004", "bob-002"]);
    for rules in [
        "--min-seconds 2 --max-seconds 1",
        "--min-seconds=-1",
        "--max-seconds nan",
    ] {
        s.fails(&format!("select {ark} y.ark {rules}"));
    }
}

/// Every verb that reads utterances takes the rules, of which `select` has more.
#[test]
fn rules_are_for_every_verb() {
    let s = Scratch::new();
    s.ok(&format!("{} all.ark -q", sample("fbank.scp")));
    // Of 12 utterances, 4 are as long.
    for (line, expected) in [
        ("ls all.ark", "ann-001   features  291"),
        ("info all.ark", "4 utterances, 1182 frames"),
        ("all.ark", "4 utterances, 1182 frames"),
        ("stats all.ark", "4 utterances, 1182 frames"),
        ("stats all.ark --by kinds", "features           4"),
        (
            "diff all.ark all.ark",
            "4 utterances compared, no difference",
        ),
        ("plot all.ark --kind lengths", "Utterances by frames"),
        ("convert all.ark a.ark", "4 utterances, 1182 frames"),
        ("all.ark b.ark", "4 utterances, 1182 frames"),
        ("sort all.ark c.ark", "4 utterances, 1182 frames"),
        ("merge all.ark -o d.ark", "4 utterances, 1182 frames"),
        ("select all.ark e.ark", "4 utterances, 1182 frames"),
        (
            "split all.ark f.{part}.ark -n 2",
            "4 utterances, 1182 frames",
        ),
        ("report all.ark -o g.html", "(g.html)"),
    ] {
        let said = s.ok(&format!("{line} --where frames>290"));
        let all = said.out + &said.err;
        assert!(all.contains(expected), "{line}: {all}");
        let error = s.fails(&format!("{line} --where frames>"));
        assert!(
            error.contains("--where: frames>^, character 8: "),
            "{line}: {error}"
        );
    }
    let page = String::from_utf8(s.read("g.html")).unwrap();
    assert!(page.contains("<dt>Utterances</dt><dd>4</dd>"));
    let shown = s.ok("show all.ark ann-001 --where frames>290").out;
    assert!(shown.starts_with("ann-001\n"), "{shown}");
    // In a conversion the rules go before typed stages.
    let said = s.ok("all.ark h.ark --where frames>290 --stages first(3)");
    assert!(said.err.contains("3 utterances"), "{}", said.err);
    let said = s.ok("all.ark i.ark --has labels");
    assert!(
        said.err.contains("none of its utterances is left"),
        "{}",
        said.err
    );
}

/// Sound that is only named is looked at for a rule that asks for it, and stays a name.
#[test]
fn rules_look_at_sound_that_is_named() {
    let s = Scratch::new();
    s.ok(&format!("{} in/ --to wav -q", sample("../wav/")));
    s.ok("in all.json --to nemo -q");
    let bare = String::from_utf8(s.read("all.json")).unwrap();
    // Lines without rates, and with them.
    for (rule, kept) in [
        ("rate=16000", 3),
        ("rate!=16000", 0),
        ("channels=1", 3),
        ("peak_db>-5", 2),
        ("zeros>0", 3),
        ("seconds>2", 2),
    ] {
        for input in ["in", "all.json"] {
            let line = format!("select {input} out.json --to nemo --overwrite --where {rule}");
            let said = s.ok(&line);
            assert!(
                !said.err.contains("no utterance has"),
                "{line}: {}",
                said.err
            );
            let lines = String::from_utf8(s.read("out.json")).unwrap();
            assert_eq!(lines.lines().count(), kept, "{line}: {lines}");
            let all = lines
                .lines()
                .all(|line| bare.lines().any(|own| own == line));
            assert!(all, "{line}: {lines}");
        }
    }
    let said = s.ok("select in long.json --to nemo --min-seconds 2");
    assert!(said.err.contains("2 utterances"), "{}", said.err);
    s.shell("rm in/ann-001.wav");
    let error = s.fails("select all.json gone.json --to nemo --where peak_db>-5");
    assert!(
        error.contains("in/ann-001.wav: utterance ann-001: cannot open"),
        "{error}"
    );
}

/// A word that is longer than any line moves the rest of its own line alone.
#[test]
fn words_of_any_length_are_printed() {
    let s = Scratch::new();
    let long = "y".repeat(70_000);
    let line = |key: &str, speaker: &str, text: &str| {
        json!({"key": key, "meta": {"speaker": speaker}, "text": text}).to_string() + "\n"
    };
    let lines = [
        line(&long, "s", "a"),
        line("b", &long, "b"),
        line("c", "s", &long),
    ];
    s.write("t.jsonl", lines.concat());
    for words in [
        "ls t.jsonl",
        "ls t.jsonl --columns key,text,speaker",
        "show t.jsonl",
        "show t.jsonl c",
        "stats t.jsonl --by speaker",
        "info t.jsonl",
        "check t.jsonl",
        "diff t.jsonl t.jsonl",
    ] {
        let said = s.run(words);
        assert_eq!(said.status, 0, "{words}: {}", said.err);
    }
    let said = s.ok("ls t.jsonl --columns speaker,key");
    assert!(said.out.contains("\ns   "), "{}", &said.out[..200]);
}
