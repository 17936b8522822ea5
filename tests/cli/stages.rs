//! `--stages`: chains of stages, typed before a conversion.

use crate::verbs::keys;
use crate::{Scratch, sample};

/// Data with labels, and the same in two files.
fn data(s: &Scratch) {
    let (features, labels) = (sample("fbank.ark"), sample("ali.ark"));
    s.ok(&format!("{features} --labels {labels} all.jsonl"));
    s.ok(&format!("{features} f.ark"));
    s.ok(&format!("{labels} l.ark"));
}

#[test]
fn stages_do_what_the_options_do_that_there_are_for_it() {
    let s = Scratch::new();
    data(&s);
    let cases = [
        (
            "convert all.jsonl",
            "context(5,1)",
            "convert all.jsonl --context 5:1",
        ),
        (
            "convert all.jsonl",
            "ignore-label(0-4)",
            "convert all.jsonl --ignore-label 0-4",
        ),
        (
            "convert all.jsonl",
            "map-label(0-4:1)",
            "convert all.jsonl --map-label 0-4:1",
        ),
        (
            "convert f.ark --labels l.ark",
            "ignore-label(0-4)",
            "convert all.jsonl --ignore-label 0-4",
        ),
        (
            "convert all.jsonl",
            "select(ann-*)",
            "select all.jsonl --glob ann-*",
        ),
        (
            "convert all.jsonl",
            "first(5)",
            "select all.jsonl --first 5",
        ),
        (
            "convert all.jsonl",
            "check(frames=100-)|first(3)",
            "select all.jsonl --first 3",
        ),
        (
            "convert all.jsonl",
            "sort(frames)",
            "sort all.jsonl --by frames",
        ),
        (
            "sort all.jsonl --by frames",
            "without(bob-*)|prefetch",
            "sort all.jsonl --by frames --stages without(bob-*)",
        ),
        (
            "select all.jsonl --first 2",
            "without(ann-*)",
            "select all.jsonl --glob bob-* --first 2",
        ),
        ("merge all.jsonl", "unique", "convert all.jsonl"),
        (
            "merge all.jsonl all.jsonl",
            "shard(0,2)|unique(first)",
            "convert all.jsonl --stages shard(0,2)",
        ),
    ];
    for (n, (line, stages, same)) in cases.iter().enumerate() {
        for jobs in [1, 4] {
            s.ok(&format!(
                "{line} --stages {stages} a.jsonl --overwrite -j{jobs}"
            ));
            s.ok(&format!("{same} b.jsonl --overwrite"));
            assert!(
                s.read("a.jsonl") == s.read("b.jsonl"),
                "case {n}: {line} {stages}"
            );
        }
    }
}

/// Header lines that a stage makes untrue are told, as they are where an option asks for it.
#[test]
fn what_a_stage_leaves_out_is_told() {
    let s = Scratch::new();
    let head = ".spr\nDATA TRACK\nLAYOUT MATRIX\nTYPE U8\nFORMAT BIN01\nDIM1 3\nDIM2 2\n";
    s.write("t.spr", format!("{head}NCHAN 2\nCHANLEN 3\n#\nabcdef"));
    for (line, key) in [
        ("t.spr --stages columns(1)", "NCHAN"),
        ("t.spr,columns=1", "NCHAN"),
        ("t.spr --stages context(1)", "NCHAN"),
        ("t.spr --context 1", "NCHAN"),
        ("t.spr --stages frames(0:1)", "CHANLEN"),
        ("t.spr,frames=0:1", "CHANLEN"),
    ] {
        let said = s.ok(&format!("{line} jsonl:/dev/null"));
        let warning = format!("warning: utterance t: the header line {key} is about");
        assert_eq!(
            said.err.matches(&warning).count(),
            1,
            "{line}: {}",
            said.err
        );
    }
}

#[test]
fn a_seed_stands_for_an_order_on_any_number_of_threads() {
    let s = Scratch::new();
    data(&s);
    let shuffled = |seed: u32, jobs: u32| {
        s.ok(&format!(
            "all.jsonl x.jsonl --overwrite -j{jobs} --stages shuffle(100,seed={seed})"
        ));
        keys(&s, "x.jsonl")
    };
    let order = shuffled(1, 1);
    assert_eq!(
        (shuffled(1, 2), shuffled(1, 8)),
        (order.clone(), order.clone())
    );
    assert_ne!(shuffled(2, 1), order);
    let mut sorted = order.clone();
    sorted.sort();
    assert_ne!(sorted, order);
    assert_eq!(sorted, keys(&s, "all.jsonl"));
}

#[test]
fn stages_that_are_wrong_are_told_before_anything_is_read() {
    let s = Scratch::new();
    let cases = [
        (
            "",
            "--stages: '', character 1: expected the name of a stage, found the end",
        ),
        (
            "contxt(5)",
            "--stages: 'contxt(5)', character 1: there is no stage 'contxt'",
        ),
        (
            "first(2)|context(x)",
            "character 18: context: 'x' is not a number of frames, such as 5",
        ),
        (
            "first(2)|batch(256)",
            "character 10: batch: what comes out is not utterances",
        ),
        (
            "batch(utterances=2,pad)",
            "character 1: batch: what comes out is not utterances",
        ),
        (
            "shuffle-frames",
            "character 1: shuffle-frames: what comes out is not utterances",
        ),
        (
            "partition(1m)",
            "character 1: partition: what comes out is not utterances",
        ),
        (
            "first(2",
            "character 8: expected a comma or ), found the end",
        ),
    ];
    for (stages, message) in cases {
        for verb in ["convert", "select", "sort", "merge", "split -n 2"] {
            let mut args: Vec<_> = verb.split(' ').collect();
            args.extend(["no-such.ark", "x.{part}.ark", "--stages", stages]);
            let said = s.run_args(&args);
            assert_eq!(said.status, 2, "{verb} {stages}: {}", said.err);
            assert!(said.err.contains(message), "{verb}: {}", said.err);
        }
    }
    let said = s.run("no-such.ark x.ark --stages batch(9)");
    assert!(
        said.err.contains("--shuffle puts frames in random order"),
        "{}",
        said.err
    );
    let said = s.run("no-such.ark x.ark --stages shufle(9)");
    assert!(said.err.contains("did you mean 'shuffle'?"), "{}", said.err);
    let error = s.fails("no-such.ark x.ark --stages select(keys=no.list)");
    assert!(error.contains("no-such.ark"), "{error}");
    s.ok(&format!("{} f.ark", sample("fbank.ark")));
    let error = s.fails("f.ark x.ark --stages select(keys=no.list)");
    assert!(error.contains("no.list: 'select': cannot open"), "{error}");
}

#[test]
fn what_is_at_fault_in_a_stage_is_passed_over_where_that_is_asked_for() {
    let s = Scratch::new();
    data(&s);
    let error = s.fails("all.jsonl x.jsonl --stages check(frames=200-300)");
    assert!(
        error.contains("utterance bob-001: has 304 frames, expected 200 to 300"),
        "{error}"
    );
    let said = s.run("all.jsonl x.jsonl --stages check(frames=200-300) --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(keys(&s, "x.jsonl").len(), 10);
    let said = s.run("all.jsonl y.jsonl --stages select(nobody)");
    assert_eq!(said.status, 0);
    assert!(
        said.err.contains("none of its utterances is left"),
        "{}",
        said.err
    );
    let explained = s
        .ok("all.jsonl z.jsonl --stages unique|first(2) --explain")
        .out;
    assert!(
        explained.contains("\nstages: unique|first(2)\n"),
        "{explained}"
    );
}

#[test]
fn what_is_counted_first_has_been_through_the_stages_and_has_its_labels() {
    let s = Scratch::new();
    data(&s);
    for how in ["--ignore-label 0-4", "--stages ignore-label(0-4)"] {
        s.ok(&format!(
            "split -n 3 f.ark --labels l.ark {how} p.{{part}}.jsonl --overwrite"
        ));
        let parts = [0, 1, 2].map(|part| keys(&s, &format!("p.{part}.jsonl")));
        assert_eq!(parts.concat(), keys(&s, "all.jsonl"), "{how}");
        assert!(parts.iter().all(|part| part.len() == 4), "{how}");
    }
    s.ok("split -n 2 all.jsonl --stages first(3) q.{part}.jsonl");
    assert_eq!(keys(&s, "q.0.jsonl").len() + keys(&s, "q.1.jsonl").len(), 3);
    s.ok("select all.jsonl few.jsonl --sample 2 --stages first(3)");
    assert_eq!(keys(&s, "few.jsonl").len(), 2);
}

#[test]
fn partitions_that_another_order_mixes_are_refused() {
    let s = Scratch::new();
    data(&s);
    for line in [
        "sort all.jsonl,partition=100k x.{part}.jsonl",
        "all.jsonl,partition=100k x.{part}.jsonl --stages shuffle(9)",
        "all.jsonl,partition=100k x.{part}.jsonl --stages sort(frames)",
    ] {
        let error = s.fails(line);
        assert!(error.contains("partitions are lost"), "{error}");
    }
    s.ok("all.jsonl,partition=100k x.{part}.jsonl --stages context(1)|without(bob-*)");
}
