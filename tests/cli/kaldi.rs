//! Kaldi's tables through the program: what Kaldi passes over in silence, and the whole grammar.

use std::fs;

use crate::{Scratch, sample};

/// Three 5 x 3 matrices `ann`, `bob`, `eve`, binary, with their script file, and labels.
pub(crate) fn corpus() -> Scratch {
    let s = Scratch::new();
    let rows = |n: usize| {
        let rows: Vec<_> = (0..5).map(|r| format!("[{n},{r},0.5]")).collect();
        rows.join(",")
    };
    let mut lines = String::new();
    let mut labels = String::new();
    for (n, key) in ["ann", "bob", "eve"].iter().enumerate() {
        lines.push_str(&format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[5,3],\"data\":[{}]}},\"labels\":null,\"meta\":{{}}}}\n",
            rows(n)
        ));
        labels.push_str(&format!("{key} {n} {n} {n} 7 7 \n"));
    }
    s.write("f.jsonl", lines);
    s.ok("f.jsonl ark,scp:f.ark,f.scp");
    s.write("ali.txt", labels);
    s.ok("ark:ali.txt ark:ali.ark");
    s
}

pub(crate) fn lines(bytes: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The keys that are in a table.
fn keys(s: &Scratch, rspecifier: &str) -> Vec<String> {
    let said = s.ok(&format!("{rspecifier} jsonl:-"));
    let key = |line: &str| line.split('"').nth(3).unwrap().to_owned();
    said.out.lines().map(key).collect()
}

/// Each case with a piece of the one line of error.
fn refused(s: &Scratch, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        let error = s.fails(line);
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn nothing_is_passed_over_in_silence() {
    let s = corpus();
    let (ark, scp) = (s.read("f.ark"), lines(s.read("f.scp")));
    let with = |line: &str| format!("{}\n{line}\n{}\n{}\n", scp[0], scp[1], scp[2]);
    s.write("blank.scp", with(""));
    s.write("alone.scp", with("dan"));
    s.write("gone.scp", with("dan gone.mat"));
    s.write("key.ark", &ark[..ark.len() - 60 - 15 - 2]);
    s.write("data.ark", &ark[..ark.len() - 1]);
    s.write("rubbish.ark", [&ark[..], b"\0\0\0"].concat());
    s.write("words.ark", [&ark[..], b"more"].concat());
    s.write("stop.ark", [&ark[..200], b"\xff\xff"].concat());
    refused(
        &s,
        &[
            ("scp:blank.scp o.ark", "blank.scp:2: a blank line"),
            (
                "scp:alone.scp o.ark",
                "alone.scp:2: utterance dan: no file name follows the key",
            ),
            ("scp:gone.scp o.ark", "gone.mat: utterance dan: cannot open"),
            (
                "scp,bg:gone.scp o.ark",
                "gone.mat: utterance dan: cannot open",
            ),
            ("scp,bg:blank.scp o.ark", "blank.scp:2: a blank line"),
            (
                "ark:key.ark o.ark",
                "utterance ev: the file ends inside a key",
            ),
            (
                "ark:data.ark o.ark",
                "utterance eve: the file ends here: expected 60 bytes, found 59",
            ),
            ("ark,bg:data.ark o.ark", "utterance eve: the file ends here"),
            ("ark:rubbish.ark o.ark", "expected a key, found byte 0x00"),
            (
                "ark:words.ark o.ark",
                "utterance more: the file ends inside a key",
            ),
            ("ark:stop.ark o.ark", "utterance eve: the file ends here"),
        ],
    );
    // Commands with blanks in them.
    let run = |args: &[&str]| {
        let said = s.run_args(args);
        assert_eq!(said.status, 2, "{args:?}: {}{}", said.out, said.err);
        assert!(!s.path("o.ark").exists(), "{args:?}");
        said.err
    };
    let error = run(&["ark:cat f.ark; exit 3 |", "o.ark"]);
    assert!(
        error.contains("command failed with exit status 3"),
        "{error}"
    );
    let error = run(&["scp:cat f.scp; exit 3 |", "o.ark"]);
    assert!(
        error.contains("command failed with exit status 3"),
        "{error}"
    );
    let error = run(&["f.ark", "ark:| cat > x; exit 3"]);
    assert!(
        error.contains("command failed with exit status 3"),
        "{error}"
    );
    // A command that does not read to the end may do so, but it may not fail.
    let feats = sample("fbank.ark");
    let error = run(&[&feats, "ark:| exec 0<&-; sleep 0.05; exit 3"]);
    assert!(
        error.contains("command failed with exit status 3"),
        "{error}"
    );
    let said = s.run_args(&[&feats, "ark:| exec 0<&-; sleep 0.05"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    s.write("pipe.scp", "ann cat f.ark >&2; exit 4 |\n");
    let error = run(&["scp:pipe.scp", "o.ark", "--allow-pipes"]);
    assert!(
        error.contains("exit status 4") || error.contains("utterance ann"),
        "{error}"
    );
}

#[test]
fn permission_keeps_what_is_good_and_says_what_is_not() {
    let s = corpus();
    let scp = lines(s.read("f.scp"));
    s.write(
        "gone.scp",
        format!("{}\ndan gone.mat\n{}\n", scp[0], scp[2]),
    );
    let ark = s.read("f.ark");
    s.write("cut.ark", &ark[..ark.len() - 1]);
    for (line, kept) in [
        ("scp,p:gone.scp ark:o.ark --overwrite", &["ann", "eve"][..]),
        (
            "scp:gone.scp ark:o.ark --overwrite --on-error skip",
            &["ann", "eve"],
        ),
        ("ark,p:cut.ark ark:o.ark --overwrite", &["ann", "bob"]),
        ("ark,p,bg:cut.ark ark:o.ark --overwrite", &["ann", "bob"]),
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 3, "{line}: {}", said.err);
        assert!(said.err.contains("1 skipped"), "{line}: {}", said.err);
        assert!(said.err.contains("utterance dan") || said.err.contains("utterance eve"));
        assert_eq!(keys(&s, "ark:o.ark"), kept, "{line}");
    }
    // With nothing before the damage there is nothing to keep.
    s.write("cut.ark", &ark[..10]);
    assert_eq!(s.run("ark,p:cut.ark ark:o2.ark").status, 2);
}

/// Seventeen inputs that other readers stumble over: right, or a clear error.
#[test]
fn where_others_stumble() {
    let s = corpus();
    let ark = s.read("f.ark");
    let scp = lines(s.read("f.scp"));
    let header = |rows: i32, cols: i32| {
        let size = |n: i32| [&[4][..], &n.to_le_bytes()].concat();
        [&b"ann \0BFM "[..], &size(rows), &size(cols), &[0; 64]].concat()
    };
    s.write("cut.ark", &ark[..ark.len() - 7]);
    s.write("large.ark", header(2_000_000_000, 2_000_000_000));
    s.write("25g.ark", header(250_000_000, 25));
    s.write("negative.ark", header(-3, 3));
    s.write("rubbish.ark", [&ark[..], b"\x01\x02\x03"].concat());
    s.write("nokey.ark", [b" ", &ark[3..]].concat());
    s.write("nowhere.scp", "ann nowhere.ark:4\n");
    s.write("off.scp", "ann f.ark:7\n");
    s.write("pipe.scp", "ann cat f.ark |\n");
    s.write("wide.ark", header(40, 0));
    refused(
        &s,
        &[
            (
                "cut.ark o.ark",
                "utterance eve: the file ends here: expected 60 bytes, found 53",
            ),
            (
                "large.ark o.ark",
                "utterance ann: a 2000000000 x 2000000000 matrix",
            ),
            (
                "25g.ark o.ark",
                "utterance ann: a 250000000 x 25 matrix of f32 is over the limit",
            ),
            (
                "negative.ark o.ark",
                "utterance ann: the header says -3 rows",
            ),
            ("rubbish.ark o.ark", "expected a key, found byte 0x01"),
            ("ark:nokey.ark o.ark", "nokey.ark@"),
            (
                "nowhere.scp o.ark",
                "nowhere.ark: utterance ann: cannot open",
            ),
            ("off.scp o.ark", "utterance ann"),
            ("pipe.scp o.ark", "refused to run the command"),
            (
                "wide.ark o.ark",
                "utterance ann: matrix header says 40 rows of 0 columns",
            ),
        ],
    );
    // Vectors of int32 are found to be that.
    s.ok("ali.ark ali.jsonl");
    assert!(
        String::from_utf8(s.read("ali.jsonl"))
            .unwrap()
            .contains("\"labels\":[0,0,0,7,7]")
    );
    // Compressed, without a pipe.
    s.ok("f.ark f.ark.gz");
    assert_eq!(keys(&s, "ark:f.ark.gz"), ["ann", "bob", "eve"]);
    // Ranges are inclusive.
    s.write("range.scp", format!("{}[0:3]\n", scp[1]));
    s.ok("scp:range.scp range.jsonl");
    let text = String::from_utf8(s.read("range.jsonl")).unwrap();
    assert!(text.contains("\"shape\":[4,3]"), "{text}");
    s.write("range2.scp", format!("{}[1:4,0:1]\n", scp[1]));
    s.ok("scp:range2.scp range2.jsonl");
    let text = String::from_utf8(s.read("range2.jsonl")).unwrap();
    assert!(
        text.contains("\"shape\":[4,2],\"data\":[[1,1],[1,2],[1,3],[1,4]]"),
        "{text}"
    );
    // Keys of any bytes stay apart, text and binary.
    s.write("utf8.txt", "张三  [\n 1 2 ]\n李四  [\n 3 4 ]\n");
    s.ok("ark:utf8.txt utf8.ark");
    s.ok("utf8.ark ark,t:back.txt");
    assert_eq!(keys(&s, "ark:back.txt"), ["张三", "李四"]);
    // Text matrices and text alignments.
    s.ok("f.ark ark,t:f.txt");
    s.ok("ark:f.txt g.ark");
    assert_eq!(s.read("g.ark"), ark);
    s.ok("ali.ark ark,t:ali2.txt");
    assert_eq!(s.read("ali2.txt"), s.read("ali.txt"));
}

/// Rspecifiers, and what is to come of them: keys, or a piece of the error.
#[test]
fn every_rspecifier() {
    let s = corpus();
    fs::copy(s.path("f.ark"), s.path("a b c")).unwrap();
    fs::copy(s.path("f.ark"), s.path("x:")).unwrap();
    fs::copy(s.path("f.scp"), s.path("a b c.scp")).unwrap();
    s.write("crlf.scp", lines(s.read("f.scp")).join("\r\n") + "\r\n");
    s.write(
        "spaces.scp",
        format!("  {}  \n", lines(s.read("f.scp"))[0].replace(' ', " \t ")),
    );
    s.write("one.scp", "ann a b c:4\n");
    s.write("binary.scp", b"\0Bann f.ark:4\n");
    let all: &[&str] = &["ann", "bob", "eve"];
    for (rspecifier, want) in [
        ("ark:f.ark", Ok(all)),
        ("ark,t:f.ark", Ok(all)),
        ("t,ark:f.ark", Ok(all)),
        ("ark t:f.ark", Ok(all)),
        ("b,ark:f.ark", Ok(all)),
        ("ark,s,cs:a b c", Ok(all)),
        ("ark,o,no,p,np,s,ns,cs,ncs,bg:f.ark", Ok(all)),
        ("scp:a b c.scp", Ok(all)),
        ("scp,p,bg:f.scp", Ok(all)),
        ("scp:crlf.scp", Ok(all)),
        ("scp:spaces.scp", Ok(&["ann"])),
        ("scp:one.scp", Ok(&["ann"])),
        ("ark:x:", Ok(all)),
        ("ark:cat f.ark|", Ok(all)),
        ("ark: cat f.ark |", Ok(all)),
        ("scp:cat f.scp |", Ok(all)),
        ("ark:f.ark:0", Ok(all)),
        ("ark:f.ark:00", Ok(all)),
        ("ark:ark:f.ark", Err("it names a table, not a file")),
        ("ark:scp:f.scp", Err("it names a table, not a file")),
        (
            "ark:|cat f.ark",
            Err("a command to read from ends with '|'"),
        ),
        ("ark:f|ark", Err("'|' stands first or last, or not at all")),
        ("ark: f.ark", Err("there is white space around it")),
        (
            "ark:f.ark:99999999999999999999",
            Err("the offset is not a 64-bit number"),
        ),
        ("ark:f.ark:99999", Err("past the end")),
        ("ark:missing.ark", Err("cannot open")),
        ("scp:binary.scp", Err("a script file is text")),
        // No specifiers, hence names of files that are not there.
        ("ark, t:f.ark", Err("")),
        (" ark:f.ark", Err("")),
        ("ark,:f.ark", Err("")),
        ("ark,scp:f.ark,f.scp", Err("")),
        ("scp,scp:f.scp", Err("")),
        ("ark,f:f.ark", Err("")),
        ("ark,nbg:f.ark", Err("")),
        ("ARK:f.ark", Err("")),
        ("ark:f.ark ", Err("")),
        ("b:f.ark", Err("")),
    ] {
        let said = s.run_args(&[rspecifier, "jsonl:-"]);
        match want {
            Ok(keys) => {
                assert_eq!(said.status, 0, "{rspecifier}: {}", said.err);
                assert_eq!(said.out.lines().count(), keys.len(), "{rspecifier}");
            }
            Err(expected) => {
                assert_eq!(said.status, 2, "{rspecifier}: {}{}", said.out, said.err);
                assert!(said.err.contains(expected), "{rspecifier}: {}", said.err);
            }
        }
    }
    let said =
        s.shell("cat f.ark | spr-convert ark:- jsonl:- && cat f.ark | spr-convert ark: jsonl:-");
    assert_eq!(
        (said.status, said.out.lines().count()),
        (0, 6),
        "{}",
        said.err
    );
}

/// Wspecifiers, and what is to come of them: files, or a piece of the error.
#[test]
fn every_wspecifier() {
    for (wspecifier, want) in [
        ("ark:o.ark", Ok(&["o.ark"][..])),
        ("b,ark:o.ark", Ok(&["o.ark"])),
        ("ark,t:o", Ok(&["o"])),
        ("t,ark:o", Ok(&["o"])),
        ("ark,f:o", Ok(&["o"])),
        ("ark nf p:o", Ok(&["o"])),
        ("b,ark:|cat > o", Ok(&["o"])),
        ("ark,scp:o.ark,o.scp", Ok(&["o.ark", "o.scp"])),
        ("t,ark,scp:a b,c,d", Ok(&["a b", "c,d"])),
        ("ark,t,scp:o.ark,|cat > o.scp", Ok(&["o.ark", "o.scp"])),
        ("ark,scp:o.ark", Err("expected a comma and a second name")),
        (
            "ark,scp:|cat > o,o.scp",
            Err("a script file can't point into it: it is not a file"),
        ),
        ("ark,scp:o.ark.gz,o.scp", Err("it is compressed")),
        ("ark:o |", Err("a command to write to starts with '|'")),
        ("ark:o:5", Err("an offset can't be written to")),
        ("ark:scp:o", Err("it names a table, not a file")),
        ("ark:a|b", Err("'|' stands first or last, or not at all")),
        ("scp:missing.scp", Err("missing.scp: cannot open")),
        ("scp,ark:o.scp,o.ark", Err("")),
        ("ark,ark:o", Err("")),
        ("ark,np:o", Err("")),
        ("ark,o:o", Err("")),
        ("nf:o", Err("")),
        ("ark:o ", Err("")),
    ] {
        let s = corpus();
        let before = s.names();
        let said = s.run_args(&["f.ark", wspecifier]);
        let mut made = s.names();
        made.retain(|name| !before.contains(name));
        match want {
            Ok(files) => {
                assert_eq!(said.status, 0, "{wspecifier}: {}", said.err);
                assert_eq!(made, files, "{wspecifier}");
                let all = s.run_args(&[&format!("ark:{}", files[0]), "jsonl:-"]);
                assert_eq!(all.out.lines().count(), 3, "{wspecifier}: {}", all.err);
                if let Some(script) = files.get(1) {
                    let all = s.run_args(&[&format!("scp:{script}"), "jsonl:-"]);
                    assert_eq!(all.out.lines().count(), 3, "{wspecifier}: {}", all.err);
                }
            }
            Err(expected) => {
                assert_eq!(said.status, 2, "{wspecifier}: {}", said.err);
                assert!(said.err.contains(expected), "{wspecifier}: {}", said.err);
                assert_eq!(made, [""; 0], "{wspecifier}");
            }
        }
    }
}

#[test]
fn files_that_a_list_names() {
    let s = corpus();
    s.write("list.scp", "eve d/e.mat\nann d/a.mat\nbob d/b.mat\n");
    s.write("d/keep", "");
    s.ok("f.ark scp:list.scp");
    for name in ["a", "b", "e"] {
        assert!(
            s.read(&format!("d/{name}.mat")).starts_with(b"\0BFM "),
            "{name}"
        );
    }
    s.ok("scp:list.scp ark:back.ark");
    assert_eq!(keys(&s, "ark:back.ark"), ["eve", "ann", "bob"]);
    // The files are the output: they are not replaced unasked.
    assert!(s.fails("f.ark scp:list.scp").contains("d/a.mat: "));
    s.ok("f.ark scp,t:list.scp --overwrite");
    assert!(s.read("d/a.mat").starts_with(b" [\n  0 0 0.5 \n"));
    // A key without a file.
    s.write("two.scp", "ann o1.mat\neve o2.mat\n");
    let error = s.fails("f.ark scp:two.scp");
    assert!(
        error.contains("utterance bob: no file is named for it in two.scp"),
        "{error}"
    );
    for line in [
        "f.ark scp,p:two.scp",
        "f.ark scp:two.scp --on-error skip --overwrite",
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 3, "{line}: {}", said.err);
        assert!(
            said.err.contains("2 utterances") && said.err.contains("1 skipped"),
            "{}",
            said.err
        );
        assert!(said.err.contains("utterance bob"), "{}", said.err);
    }
    assert!(s.read("o2.mat").starts_with(b"\0BFM "));
    // Commands, with leave; nothing is made in a dry run.
    s.write("pipe.scp", "ann | cat > p1\nbob | cat > p2\neve p3\n");
    s.ok("f.ark scp:pipe.scp --allow-pipes --dry-run");
    assert!(!s.path("p1").exists() && !s.path("p3").exists());
    s.ok("f.ark scp:pipe.scp --allow-pipes");
    assert!(
        s.read("p1").starts_with(b"\0BFM ")
            && s.read("p2").starts_with(b"\0BFM ")
            && s.path("p3").exists()
    );
}

#[test]
fn more_files_than_can_be_open() {
    let s = Scratch::new();
    let (mut text, mut list) = (String::new(), String::new());
    for n in 0..1500 {
        text.push_str(&format!("u{n:04} {n} {n} \n"));
        list.push_str(&format!("u{n:04} d/{n}\n"));
    }
    s.write("ali.txt", &text);
    s.write("list.scp", list);
    s.write("d/keep", "");
    let said = s.shell("ulimit -n 256; spr-convert ark:ali.txt scp:list.scp");
    assert_eq!(said.status, 0, "{}", said.err);
    s.ok("scp:list.scp ark,t:back.txt");
    assert_eq!(String::from_utf8(s.read("back.txt")).unwrap(), text);
}

#[test]
fn labels_are_found_by_key() {
    let s = corpus();
    let turned: Vec<_> = lines(s.read("ali.txt")).into_iter().rev().collect();
    s.write("turned.txt", turned.join("\n") + "\n");
    s.ok("ark:turned.txt ark,scp:turned.ark,turned.scp");
    s.ok("f.ark --labels ali.ark want.jsonl");
    for labels in [
        "turned.txt",
        "ark:turned.ark",
        "scp:turned.scp",
        "turned.scp",
        "ark,s,cs:ali.ark",
        "ark,o:turned.ark",
    ] {
        s.ok(&format!("f.ark --labels {labels} o.jsonl --overwrite"));
        assert_eq!(s.read("o.jsonl"), s.read("want.jsonl"), "{labels}");
    }
    let said = s.shell("spr-convert f.ark --labels 'ark:cat turned.ark |' o.jsonl --overwrite");
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(s.read("o.jsonl"), s.read("want.jsonl"));
    // A promise that is not kept.
    let error = s.fails("f.ark --labels ark,s:turned.ark x.jsonl");
    assert!(
        error.contains("utterance ann: no labels in ark,s:turned.ark"),
        "{error}"
    );
    s.write("ab.txt", "bob 1 1 1 7 7 \nann 0 0 0 7 7 \neve 2 2 2 7 7 \n");
    s.write("eve.scp", &lines(s.read("f.scp"))[2]);
    let error = s.fails("scp:eve.scp --labels ark,s:ab.txt x.jsonl");
    assert!(
        error.contains("the keys are not sorted: it follows bob"),
        "{error}"
    );
    // Labels that are not there, and a table that is damaged.
    let ali = s.read("ali.ark");
    s.write("cut.ark", &ali[..ali.len() - 1]);
    assert!(
        s.fails("f.ark --labels cut.ark x.jsonl")
            .contains("utterance eve")
    );
    s.write("less.txt", "ann 0 0 0 7 7 \neve 2 2 2 7 7 \n");
    assert!(
        s.fails("f.ark --labels less.txt x.jsonl")
            .contains("utterance bob: no labels in")
    );
    // By speaker.
    s.write("utt2spk", "ann x\nbob y\neve x\n");
    s.write("spk.txt", "y 1 1 1 1 1 \nx 2 2 2 2 2 \n");
    s.ok("f.ark --labels spk.txt --utt2spk utt2spk spk.jsonl");
    let text = String::from_utf8(s.read("spk.jsonl")).unwrap();
    let found: Vec<_> = text
        .lines()
        .map(|l| l.contains("\"labels\":[2,2,2,2,2]"))
        .collect();
    assert_eq!(found, [true, false, true]);
    s.write("utt2spk", "ann x\nbob y\n");
    let error = s.fails("f.ark --labels spk.txt --utt2spk utt2spk x.jsonl");
    assert!(
        error.contains("utterance eve: is not in utt2spk"),
        "{error}"
    );
}

#[test]
fn compressed_by_name() {
    let s = Scratch::new();
    let fbank = sample("fbank.ark");
    for method in ["auto", "1", "2", "3", "5"] {
        s.ok(&format!(
            "{fbank} ark:c.ark --co compress={method} --overwrite"
        ));
        let said = s.ok("c.ark ark:plain.ark --overwrite");
        assert!(
            said.err.contains("CM"),
            "the closing line says what was decoded: {}",
            said.err
        );
        s.ok("ark:c.ark ark:kept.ark --co compress=keep --overwrite");
        assert_eq!(s.read("kept.ark"), s.read("c.ark"), "{method}");
        s.ok("c.ark c.jsonl --overwrite");
        s.ok("kept.ark kept.jsonl --overwrite");
        assert_eq!(s.read("kept.jsonl"), s.read("c.jsonl"));
    }
    // What was never compressed stays plain.
    s.ok(&format!(
        "{fbank} ark:kept.ark --co compress=keep --overwrite"
    ));
    assert_eq!(s.read("kept.ark"), fs::read(&fbank).unwrap());
    assert!(
        s.fails(&format!("{fbank} ark:x.ark --co compress=9"))
            .contains("'9'")
    );
}
