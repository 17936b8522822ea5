//! HDF5 files through the program: guesses that are told, faults of one dataset, shards, lookup.

use std::path::Path;

use crate::Scratch;

/// A folder with a file of the fixtures as `in.h5`.
fn with(case: &str) -> Scratch {
    let s = Scratch::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("fixtures/hdf5").join(case).join("input.h5");
    s.write("in.h5", std::fs::read(file).unwrap());
    s
}

#[test]
fn a_layout_that_was_concluded_is_told() {
    for (case, told) in [
        ("lengths", "several utterances in a dataset, by lengths"),
        ("offsets", "several utterances in a dataset, by offsets"),
        ("ragged", "several utterances in a dataset, by their names"),
        ("field-groups", "a group for each field"),
        ("utterance-groups", "a group for each utterance"),
    ] {
        let s = with(case);
        let said = s.ok("in.h5 x.jsonl --explain");
        assert!((said.out + &said.err).contains(told), "{case}");
    }
}

#[test]
fn a_layout_may_be_named() {
    let s = with("field-groups");
    let said = s.ok("ls in.h5,layout=paths").out;
    assert!(said.starts_with("features/u0 "), "{said}");
    let error = s.fails("in.h5,layout=rows x.jsonl");
    assert!(
        error.contains("in.h5: has no lengths, offsets or keys"),
        "{error}"
    );
    let error = s.fails("in.h5,layout=path x.jsonl");
    assert!(error.contains("layout"), "{error}");
    let error = s.fails("in.h5,layuot=paths x.jsonl");
    assert!(error.contains("layuot"), "{error}");
    let error = s.fails("in.h5,layout=utterances x.jsonl");
    assert!(
        error.contains("is a second dataset with features"),
        "{error}"
    );
}

#[test]
fn a_value_that_is_not_read_leaves_the_others() {
    let s = Scratch::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let good = root.join("fixtures/hdf5/groups/input.h5");
    s.write("in.h5", std::fs::read(good).unwrap());
    let all = s.ok("ls in.h5").out;
    // The name of the dataset that a link leads to.
    let mut bytes = s.read("in.h5");
    let link = b"/bob/u1\0";
    let at = bytes.windows(link.len()).position(|w| w == link).unwrap();
    bytes[at + 1] = b'r';
    s.write("in.h5", bytes);
    let error = s.fails("in.h5 x.jsonl");
    assert!(error.contains("in.h5: utterance soft"), "{error}");
    assert!(error.contains("leads nowhere, to '/rob/u1'"), "{error}");
    let said = s.run("in.h5 x.jsonl --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(
        s.ok("ls x.jsonl").out.lines().count() + 1,
        all.lines().count()
    );
}

#[test]
fn shards_and_lookups_read_their_own() {
    let s = with("many");
    for shard in 1..=3 {
        s.ok(&format!("in.h5 part.{{shard}}.h5 --shard {shard}/3"));
    }
    s.ok("shards merge part.{shard}.h5 -o whole.h5");
    assert!(s.ok("diff in.h5 whole.h5").out.is_empty());
    let said = s.ok("show in.h5 u077").out;
    assert!(said.contains("77"), "{said}");
    let said = s.shell("spr-convert ls in.h5 | head -n 2");
    assert_eq!((said.status, said.out.lines().count()), (0, 2));
    s.ok("in.h5 file.h5");
    let said = s.shell("spr-convert in.h5 - --to hdf5 | cmp - file.h5");
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
}

#[test]
fn segments_and_text_come_back() {
    let s = Scratch::new();
    s.write(
        "in.jsonl",
        concat!(
            r#"{"key":"a/b","features":{"dtype":"f32","shape":[1,2],"data":[[1,2]]},"labels":null,"segments":[{"start":0,"end":0.5,"label":"é"}],"text":"one","meta":{"frame_shift":0.01}}"#,
            "\n",
            r#"{"key":"c","features":null,"labels":null,"tiers":[{"name":"w","points":true,"segments":[{"start":1,"end":1,"label":"x","score":0.25,"speaker":"s"}]}],"meta":{}}"#,
            "\n",
            r#"{"key":"b","features":null,"labels":null,"segments":[],"meta":{}}"#,
            "\n",
        ),
    );
    s.ok("in.jsonl x.h5 --verify");
    s.ok("x.h5 back.jsonl");
    assert!(s.ok("diff in.jsonl back.jsonl").out.is_empty());
    assert_eq!(s.ok("ls x.h5").out.lines().count(), 3);
    s.ok("in.jsonl y.h5");
    assert_eq!(s.read("x.h5"), s.read("y.h5"));
    let error = s.fails("in.jsonl x.h5");
    assert!(error.contains("exists"), "{error}");
}

#[test]
fn a_script_names_entries_as_espnet_does() {
    let s = with("types");
    s.write(
        "in.scp",
        "one in.h5:t-f4\ntwo in.h5:t-f4-big[1:2]\nthree in.h5:t-f8\n",
    );
    let ls = s.ok("ls in.scp").out;
    let lines: Vec<_> = ls
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .collect();
    assert_eq!(lines[0][..4], ["one", "features", "3", "2"], "{ls}");
    assert_eq!(lines[1][..4], ["two", "features", "2", "2"], "{ls}");
    s.ok("in.scp out.ark");
    s.ok("in.h5 all.ark --quiet --allow-loss all");
    s.ok("select all.ark one.ark --glob t-f4");
    assert!(
        s.ok("show out.ark one")
            .out
            .lines()
            .skip(1)
            .eq(s.ok("show one.ark").out.lines().skip(1))
    );
    // A mistake in a line is one of that utterance.
    s.write(
        "in.scp",
        "one in.h5:t-f4\ntwo in.h5:nothing\nthree no.h5:t-f8\n",
    );
    let said = s.run("in.scp out.jsonl --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(
        said.err.contains("utterance two: there is no 'nothing'"),
        "{}",
        said.err
    );
    assert!(said.err.contains("no.h5: utterance three"), "{}", said.err);
    assert_eq!(s.ok("ls out.jsonl").out.lines().count(), 1);
}

#[test]
fn columns_are_attributes_and_come_back() {
    const FEATURES: &str = r#"{"dtype":"f32","shape":[1,2],"data":[[1,2]]}"#;
    let s = Scratch::new();
    let meta = r#"{"tags":[["manifest","snr","1.50"],["manifest","mic","\"far\""],["manifest","text","[1]"]]}"#;
    let line =
        |key: &str| format!("{{\"key\":\"{key}\",\"features\":{FEATURES},\"meta\":{meta}}}\n");
    s.write("in.jsonl", line("a") + &line("b"));
    s.ok("in.jsonl x.h5");
    s.ok("x.h5 again.h5");
    assert_eq!(s.read("x.h5"), s.read("again.h5"));
    s.ok("x.h5 out.jsonl");
    s.ok("diff in.jsonl out.jsonl");
    let back = String::from_utf8(s.read("out.jsonl")).unwrap();
    assert!(back.contains("1.50") && back.contains("far"), "{back}");
}
