//! A byte order mark at the start of a text is no part of the first name, whatever the text is.

use std::fs;

use crate::verbs::keys;
use crate::{Scratch, sample};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// Writes a file once more, after a mark.
fn marked(s: &Scratch, name: &str) -> String {
    let marked = format!("marked-{name}");
    s.write(&marked, [MARK, &s.read(name)].concat());
    marked
}

#[test]
fn data_in_text_are_the_same_with_a_mark() {
    let s = Scratch::new();
    for (from, to) in [
        ("fbank.ark", "in.ark,in.scp"),
        ("ali.ark", "ali.ark,ali.scp"),
    ] {
        s.ok(&format!("{} ark,scp:{to}", sample(from)));
    }
    s.ok("in.ark ark,t:in.txt");
    s.ok("ali.ark ark,t:ali.txt");
    s.ok("in.ark in.jsonl");
    for name in ["in.scp", "in.txt", "ali.txt", "in.jsonl"] {
        let marked = marked(&s, name);
        s.ok(&format!("diff {marked} {name}"));
        s.ok(&format!("repair {marked} -o whole.ark --overwrite -q"));
        s.ok(&format!("diff whole.ark {name}"));
        let said = s.ok(&format!("show {marked} ann-001"));
        assert!(said.out.starts_with("ann-001\n"), "{name}: {}", said.out);
        s.ok(&format!(
            "select {marked} one.jsonl --glob ann-001 --overwrite"
        ));
        assert_eq!(keys(&s, "one.jsonl"), ["ann-001"], "{name}");
    }
    // Places are those of the bytes in the file.
    for name in ["marked-in.txt", "marked-ali.txt"] {
        s.ok(&format!("index {name} -o places.scp --overwrite"));
        s.ok(&format!("diff scp:places.scp {name}"));
    }
    s.ok("in.ark o.pfile --labels marked-ali.txt");
    s.ok("in.ark p.pfile --labels ali.txt");
    s.ok("diff o.pfile p.pfile");
    for n in 1..=2 {
        s.ok(&format!("marked-in.jsonl s.{{shard}}.ark --shard {n}/2"));
    }
    s.ok("shards merge s.{shard}.ark -o merged.ark");
    s.ok("diff merged.ark in.ark");
}

#[test]
fn lists_and_tables_are_the_same_with_a_mark() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.write("list", "ann-001\nbob-001\n");
    s.write("spk", "ann-001 ann\nbob-001 bob\n");
    s.write("map", "ann-001 first\nbob-001 second\n");
    for name in ["list", "spk", "map"] {
        marked(&s, name);
    }
    s.ok(&format!(
        "select {ark} a.jsonl --keys marked-list --utt2spk marked-spk"
    ));
    assert_eq!(keys(&s, "a.jsonl"), ["ann-001", "bob-001"]);
    let speakers = s.ok("ls a.jsonl --columns speaker").out;
    assert_eq!(speakers, "ann\nbob\n");
    s.ok("a.jsonl b.jsonl --map-keys marked-map");
    assert_eq!(keys(&s, "b.jsonl"), ["first", "second"]);
    // A manifest, and the tables of a data directory.
    s.ok(&format!("{} m.json --to nemo", sample("../wav")));
    s.ok(&format!("diff {} m.json", marked(&s, "m.json")));
    s.ok("m.json kaldi-data:data");
    s.ok("data same.json --to nemo");
    for table in fs::read_dir(s.path("data")).unwrap() {
        let table = table.unwrap().path();
        fs::write(&table, [MARK, &fs::read(&table).unwrap()].concat()).unwrap();
    }
    s.ok("diff data same.json");
    s.ok("data again.json --to nemo");
    assert_eq!(s.read("again.json"), s.read("same.json"));
}

#[test]
fn a_name_with_a_mark_is_not_written_where_it_would_be_lost() {
    let s = Scratch::new();
    s.ok(&format!("select {} a.jsonl --first 1", sample("fbank.ark")));
    let text = String::from_utf8(s.read("a.jsonl")).unwrap();
    s.write("b.jsonl", text.replace("ann-001", "\u{feff}ann-001"));
    assert_eq!(s.ok("ls b.jsonl --columns key").out, "\\u{feff}ann-001\n");
    let said = s.fails("b.jsonl ark,t:b.txt");
    assert!(said.contains("starts with a byte order mark"), "{said}");
    s.ok("b.jsonl c.jsonl");
    s.ok("diff b.jsonl c.jsonl");
}

#[test]
fn a_line_without_an_end_stays_a_fault() {
    let s = Scratch::new();
    for (name, text) in [("text", "ann-001 hello wor"), ("one.ctm", "r 1 0 0.")] {
        s.write(name, text);
        let marked = marked(&s, name);
        for name in [name, &marked] {
            let said = s.run(&format!("ls {name}"));
            assert!(
                said.status == 2 || said.err.contains("line end"),
                "{name}: {}",
                said.err
            );
        }
    }
}
