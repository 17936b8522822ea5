//! Single objects of Kaldi's: odd headers, holders, files without keys, places in archives.

use crate::Scratch;

/// A number with its tag.
fn tagged(n: i32) -> Vec<u8> {
    [&[4][..], &n.to_le_bytes()].concat()
}

#[test]
fn a_matrix_without_rows_is_empty_whatever_its_columns() {
    let s = Scratch::new();
    let entry = |key: &str, token: &str, rows: i32, cols: i32, values: usize| {
        let head = format!("{key} \0B{token} ");
        [
            head.as_bytes(),
            &tagged(rows),
            &tagged(cols),
            &vec![0; values],
        ]
        .concat()
    };
    let compressed = [&b"cm \0BCM "[..], &[0; 12], &40i32.to_le_bytes()].concat();
    let table = [
        entry("ann", "FM", 0, 40, 0),
        compressed,
        entry("bob", "FM", 1, 2, 8),
        entry("eve", "DM", 0, 13, 0),
    ];
    s.write("zero.ark", table.concat());
    let said = s.ok("zero.ark ark:-");
    let empty = |key: &str, token: &str| entry(key, token, 0, 0, 0);
    let expected = [
        empty("ann", "FM"),
        empty("cm", "FM"),
        entry("bob", "FM", 1, 2, 8),
        empty("eve", "DM"),
    ];
    assert_eq!(said.out.as_bytes(), expected.concat());
    let notes = said.err.matches("of 0 rows and 40 columns").count();
    assert_eq!(notes, 1, "{}", said.err);
    // What is not wanted is passed over.
    let said = s.ok("select zero.ark ark,t:- --glob bob");
    assert_eq!(said.out, "bob  [\n  0 0 ]\n");
}

#[test]
fn a_float_holder_takes_doubles_and_the_reverse() {
    let s = Scratch::new();
    let double = |v: f64| [&b"\0B\x08"[..], &v.to_le_bytes()].concat();
    let float = |v: f32| [&b"\0B\x04"[..], &v.to_le_bytes()].concat();
    s.write(
        "d.ark",
        [b"a ", &double(0.1)[..], b"b ", &double(3.0)].concat(),
    );
    s.write(
        "f.ark",
        [b"a ", &float(0.1)[..], b"b ", &float(3.0)].concat(),
    );
    s.write(
        "huge.ark",
        [b"a ", &double(1e300)[..], b"b ", &double(3.0)].concat(),
    );
    let singles = [b"a ", &float(0.1)[..], b"b ", &float(3.0)].concat();
    let doubles = [b"a ", &double(0.1f32.into())[..], b"b ", &double(3.0)].concat();
    for (holder, table, expected) in [
        ("float", "d.ark", &singles),
        ("float", "f.ark", &singles),
        ("double", "f.ark", &doubles),
    ] {
        s.ok(&format!(
            "--oo holder={holder} ark:{table} ark:o.ark --overwrite"
        ));
        assert_eq!(&s.read("o.ark"), expected, "{holder} {table}");
    }
    let error = s.fails("--oo holder=float ark:huge.ark o2.ark");
    assert!(
        error.contains("huge.ark@2: utterance a: 1e300 is beyond the range of a float"),
        "{error}"
    );
}

/// `FM` with one row.
fn matrix(values: &[f32]) -> Vec<u8> {
    let cols = i32::try_from(values.len()).unwrap();
    let values: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    [&b"\0BFM "[..], &tagged(1), &tagged(cols), &values].concat()
}

/// An int32 vector as files without keys hold it.
fn packed(values: &[i32]) -> Vec<u8> {
    let count = i32::try_from(values.len()).unwrap();
    let values: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    [&b"\0B"[..], &tagged(count), &values].concat()
}

#[test]
fn a_file_may_hold_several_objects() {
    let s = Scratch::new();
    s.write("m.mat", [matrix(&[1.0, 2.0]), matrix(&[3.0])].concat());
    s.write("t.mat", " [\n  1 2 ]\n [\n  3 ]\n");
    s.write("i.ali", [packed(&[7, 8, 9]), packed(&[5])].concat());
    s.write("i.txt", "[ 7 8 9 ]\n[ 5 ]\n");
    for (file, name, one, two) in [
        ("m.mat", "m", "  [\n  1 2 ]\n", "  [\n  3 ]\n"),
        ("t.mat", "t", "  [\n  1 2 ]\n", "  [\n  3 ]\n"),
        ("kaldi:i.ali,holder=int32-vector", "i", " 7 8 9 \n", " 5 \n"),
        ("kaldi:i.txt,holder=int32-vector", "i", " 7 8 9 \n", " 5 \n"),
    ] {
        let error = s.fails(&format!("{file} -q ark,t:-"));
        assert!(
            error.contains("more objects follow the first"),
            "{file}: {error}"
        );
        let first = s.ok(&format!("{file},all=false ark,t:-"));
        assert_eq!(first.out, format!("{name}{one}"), "{file}");
        assert!(!first.err.contains("warning"), "{file}: {}", first.err);
        let all = s.ok(&format!("{file},all=true ark,t:-"));
        assert_eq!(
            all.out,
            format!("{name}-000000{one}{name}-000001{two}"),
            "{file}"
        );
        assert!(!all.err.contains("warning"), "{file}: {}", all.err);
    }
    // What is no object is damage, and so is one that is cut.
    s.write("junk.mat", [&matrix(&[1.0])[..], b"junk"].concat());
    let error = s.fails("junk.mat o.ark");
    assert!(error.contains("more bytes follow the object"), "{error}");
    let two = [matrix(&[1.0]), matrix(&[2.0])].concat();
    s.write("cut.mat", &two[..two.len() - 1]);
    s.fails("cut.mat,all=true o.ark");
    // A script file names one object a line.
    s.write("m.scp", "ann m.mat\n");
    let error = s.fails("scp:m.scp ark,t:-");
    assert!(error.contains("m.mat"), "{error}");
    let said = s.ok("scp:m.scp --oo all=false ark,t:-");
    assert_eq!(said.out, "ann  [\n  1 2 ]\n");
    s.fails("m.scp,all=true o.ark");
}

#[test]
fn verbs_take_what_kaldis_programs_take_for_a_file() {
    let s = Scratch::new();
    let ann = [b"ann ", &matrix(&[1.0, 2.0])[..]].concat();
    let table = [&ann[..], b"bob ", &matrix(&[3.0, 4.0])].concat();
    s.write("f.ark", &table);
    s.write("t.ark", "ann  [\n  1 2 ]\nbob  [\n  3 4 ]\n");
    s.write("ali.ark", "ann 1 2 3 \nbob 4 5 \n");
    let at = ann.len() + 4;
    for (input, expected) in [
        ("f.ark:4".to_owned(), "f  [\n  1 2 ]\n"),
        (format!("f.ark:{at}"), "f  [\n  3 4 ]\n"),
        (format!("kaldi:f.ark:{at}"), "f  [\n  3 4 ]\n"),
        (format!("f.ark:{at},holder=float-matrix"), "f  [\n  3 4 ]\n"),
        ("t.ark:4".to_owned(), "t  [\n  1 2 ]\n"),
        ("ali.ark:4".to_owned(), "ali 1 2 3 \n"),
        ("ali.ark:15".to_owned(), "ali 4 5 \n"),
    ] {
        assert_eq!(s.ok(&format!("{input} ark,t:-")).out, expected, "{input}");
    }
    let facts = s.ok(&format!("info f.ark:{at}"));
    assert!(facts.out.contains("1 utterance, 1 frame"), "{}", facts.out);
    let shown = s.ok(&format!("show f.ark:{at}")).out;
    assert!(shown.contains('3') && !shown.contains("bob"), "{shown}");
    assert!(
        s.ok(&format!("check f.ark:{at}"))
            .out
            .contains("nothing wrong")
    );
    // As a table it is an archive from there on.
    let rest = format!("ark:f.ark:{}", ann.len());
    assert_eq!(s.ok(&format!("{rest} ark,t:-")).out, "bob  [\n  3 4 ]\n");
    // The file itself is never written over, and one that is not there is named.
    let error = s.fails("f.ark:4 f.ark --overwrite");
    assert!(error.contains("f.ark"), "{error}");
    assert!(s.fails("info g.ark:4").contains("g.ark:4: cannot open"));
    assert!(s.fails("f.ark:400 o.ark").contains("past the end"));
    s.fails("f.ark:5 o.ark");
    // A file of that very name goes first.
    s.write("t.ark:4", "eve 1 2 \n");
    assert_eq!(s.ok("t.ark:4 ark,t:-").out, "eve 1 2 \n");
    // Commands, whatever they print.
    for (command, expected) in [
        ("cat f.ark |", "ann  [\n  1 2 ]\nbob  [\n  3 4 ]\n"),
        ("kaldi:cat ali.ark | cat |", "ann 1 2 3 \nbob 4 5 \n"),
        (
            "echo '{\"key\":\"a\",\"features\":null,\"labels\":[1]}' |",
            "a 1 \n",
        ),
    ] {
        let said = s.run_args(&[command, "ark,t:-"]);
        assert_eq!(
            (said.status, &*said.out),
            (0, expected),
            "{command}: {}",
            said.err
        );
    }
    assert_eq!(s.run_args(&["info", "cat f.ark |"]).status, 0);
    let safe = s.run_args(&["info", "touch ran |", "--safe"]);
    assert_eq!(safe.status, 2);
    assert!(
        safe.err.contains("refused to run") && !s.path("ran").exists(),
        "{}",
        safe.err
    );
    for bad in ["|", " |", "| cat |"] {
        assert_eq!(s.run_args(&["info", bad]).status, 2, "{bad}");
    }
    let failed = s.run_args(&["cat f.ark; exit 3 |", "o.ark"]);
    assert!(
        failed.status == 2 && failed.err.contains("exit status 3"),
        "{}",
        failed.err
    );
}

/// As Kaldi's copy-int-vector and copy-vector write them with `--binary=false`.
#[test]
fn the_text_of_integers_without_a_key_is_told_to_be_read_as_floats() {
    let s = Scratch::new();
    for (text, options, told) in [
        ("[ 1 2 3 ]\n", " --from kaldi", true),
        ("[ 1 -2 3 ]\n", ",holder=int32-vector --from kaldi", false),
        ("[ 1 2 3 ]\n", ",holder=float-vector --from kaldi", false),
        (" [ 1 2 3 ]\n", "", false),
        ("[ 1 2.5 3 ]\n", " --from kaldi", false),
        ("[ ]\n", " --from kaldi", false),
    ] {
        s.write("v", text);
        let said = s.ok(&format!("v{options} -o x.jsonl --overwrite")).err;
        assert_eq!(
            said.contains("holds float-vector or int32-vector"),
            told,
            "{text}: {said}"
        );
    }
}
