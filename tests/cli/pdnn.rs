//! PDNN's data specs as they are typed.

use std::fs;

use crate::{Scratch, sample};

/// The sample corpus as the PFile that PDNN's documentation calls `train.pfile`.
fn corpus() -> Scratch {
    let s = Scratch::new();
    let (features, labels) = (sample("fbank.scp"), sample("ali.txt"));
    s.ok(&format!("{features} --labels {labels} train.pfile"));
    s
}

#[test]
fn every_line_of_the_documentation_runs() {
    let s = corpus();
    for name in ["fbank.scp", "fbank.ark", "ali.txt"] {
        fs::copy(sample(name), s.path(name)).unwrap();
    }
    s.ok("train.pfile valid.pfile");
    s.ok("train.pfile train.pickle.1.gz --to pickle");
    s.ok("train.pfile train.pickle.2.gz --to pickle");
    for (i, spec) in [
        "train.pfile,context=5,ignore-label=0:3-9,map-label=1:0/2:1,partition=1000m",
        "train.pfile,context=5,ignore-label=0:3-9,map-label=1:0/2:1,random=True",
        "valid.pfile,stream=False,random=True",
        "train.pickle.*.gz,random=true",
        "train.pickle.[1-10].gz",
        "fbank.scp,label=ali.txt,lcxt=4,rcxt=1,partition=600m,random=True",
    ]
    .iter()
    .enumerate()
    {
        let said = s.ok(&format!("{spec} {i}.pkl.gz"));
        assert!(said.err.contains("-> pickle"), "{}", said.err);
    }
    let info = s.ok("info 0.pkl.gz").out;
    assert!(
        info.contains("1947 frames") && info.contains("440 columns"),
        "{info}"
    );
}

#[test]
fn flags_and_keys_are_the_same() {
    let s = corpus();
    s.ok("train.pfile,context=5:1,ignore-label=0:3-9,map-label=1:0,random=True,seed=7,stream=1,partition=512k a.pkl");
    s.ok("train.pfile --context 5:1 --ignore-label 0:3-9 --map-label 1:0 --shuffle --seed 7 --stream --partition 512k b.pkl");
    s.ok("train.pfile,context=2 --lcxt 5 --rcxt 1 --oo ignore-label=0:3-9 --map-label 1:0 --shuffle --seed 7 --stream --partition 512k c.pkl -j 1");
    assert_eq!(s.read("a.pkl"), s.read("b.pkl"));
    assert_eq!(s.read("a.pkl"), s.read("c.pkl"));
    s.ok("train.pfile --context 5:1 --ignore-label 0:3-9 --map-label 1:0 --shuffle --stream --partition 512k d.pkl");
    assert_ne!(
        s.read("a.pkl"),
        s.read("d.pkl"),
        "another seed, another order"
    );
}

#[test]
fn labels_join_before_frames_go() {
    let s = corpus();
    let features = sample("fbank.scp");
    let labels = sample("ali.txt");
    s.ok(&format!("{features},label={labels},ignore-label=0 a.jsonl"));
    s.ok(&format!(
        "{features} --labels {labels} --ignore-label 0 b.jsonl"
    ));
    s.ok("train.pfile,ignore-label=0 c.jsonl");
    assert_eq!(s.read("a.jsonl"), s.read("b.jsonl"));
    assert_eq!(s.read("a.jsonl"), s.read("c.jsonl"));
    let error = s.fails(&format!(
        "{features},label={labels} --labels {labels} d.jsonl"
    ));
    assert!(error.contains("has labels from"), "{error}");
}

#[test]
fn each_partition_has_a_file_that_knows_its_frames() {
    let s = corpus();
    let said = s.ok("train.pfile,partition=64k part.{part:02}.pfile");
    assert!(said.err.contains("13 partitions"), "{}", said.err);
    let mut names = String::new();
    for part in 0..13 {
        let side = s.read(&format!("part.{part:02}.pfile.utt2num_frames"));
        names.push_str(std::str::from_utf8(&side).unwrap());
    }
    assert!(names.starts_with(
        "ann-001-0000000-0000256 256\nann-001-0000256-0000291 35\nann-002-0000000-0000221 221\n"
    ));
    assert_eq!(s.names().len(), 2 + 26);
    // Together they are what was cut.
    let said = s.ok("part.*.pfile all.jsonl");
    assert!(said.err.contains("3111 frames, 0 skipped"), "{}", said.err);
    s.ok("part.*.pfile all.pkl,keys=none --allow-loss keys,boundaries");
    s.ok("train.pfile whole.pkl");
    assert_eq!(s.read("all.pkl"), s.read("whole.pkl"));
    // Shuffled, the labels apart.
    s.ok("train.pfile,random=True,partition=1m f.{part}.ark --labels-out ark,t:l.{part}.ali");
    let labels = String::from_utf8(s.read("l.0.ali")).unwrap();
    assert_eq!(labels.split_whitespace().count(), 1 + 3111);
}

#[test]
fn a_run_that_fails_leaves_no_partition() {
    let s = corpus();
    s.write("part.3.pkl", "mine");
    let error = s.fails("train.pfile,partition=64k part.{part}.pkl");
    assert!(error.contains("part.3.pkl: exists already"), "{error}");
    s.ok("train.pfile,partition=64k part.{part}.pkl --overwrite");
    assert_ne!(s.read("part.3.pkl"), b"mine");
    let before = s.names();
    s.ok("train.pfile,partition=64k other.{part}.pkl --dry-run");
    assert_eq!(s.names(), before);
}

/// Lines that are wrong, what is said of them, and the hint.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "train.pfile,contxt=5 x.pkl",
        "'train.pfile,contxt=5', character 13: unknown option 'contxt' for pfile",
        "pfile knows: byteorder, keys; any data: context, lcxt",
    ),
    (
        "train.pfile,random=1,context=1:2:3 x.pkl",
        "character 22: context: '1:2:3' is not a valid value",
        "5:1",
    ),
    (
        "train.pfile,context=5, x.pkl",
        "character 23: '' is not key=value",
        "",
    ),
    (
        "train.pfile,ignore-label=9-7 x.pkl",
        "character 13: ignore-label: '9-7'",
        "ascending",
    ),
    (
        "train.pfile,map-label=1 x.pkl",
        "character 13: map-label: '1'",
        "FROM:TO",
    ),
    (
        "train.pfile,partition=0 x.pkl",
        "character 13: partition: '0'",
        "600m",
    ),
    (
        "train.pfile,stream=on x.pkl",
        "character 13: stream: 'on'",
        "True or False",
    ),
    (
        "train.pfile,type=pfil x.pkl",
        "character 13: unknown format 'pfil'",
        "known: kaldi",
    ),
    (
        "train.pfile,seed=7 x.pkl",
        "seed: nothing is shuffled",
        "random=True",
    ),
    (
        "train.pfile --context 5:x x.pkl",
        "error: context: '5:x' is not a valid value",
        "5:1",
    ),
    ("v*.pfile,context=5 x.pkl", "no file matches 'v*.pfile'", ""),
    (
        "a.pfile|b.pfile,context=5 x.pkl",
        "names the data of several tasks",
        "on their own",
    ),
    (
        "train.pfile,label=a.ali x.pkl",
        "utterance ann-001: has labels already",
        "",
    ),
    (
        "train.pfile,partition=16k x.{part}.pkl",
        "a partition of 16384 bytes can't hold even 256 frames of 40 columns",
        "larger",
    ),
    (
        "train.pfile,random=True x.pkl --max-alloc 100k",
        "to be shuffled together, a 737 x 40 matrix of f32 is over the limit",
        "--max-alloc",
    ),
    (
        "train.pfile,random=1 x.{part}.ark --labels-out ark,t:x.ali",
        "x.{part}.ark: has {part}, but 'ark,t:x.ali' does not",
        "",
    ),
    (
        "train.pfile ark,scp:x.{part}.ark,x.scp",
        "'x.scp' has no {part}",
        "every partition would write to it",
    ),
];

#[test]
fn mistakes_in_a_spec_have_their_place() {
    let s = corpus();
    let features = sample("fbank.scp");
    s.write("a.ali", "ann-001 1 2 3\n");
    for (line, message, hint) in MISTAKES.iter().copied() {
        let error = s.fails(line);
        assert!(error.contains(message), "{line}: {error}");
        let said = s.run(line);
        assert!(said.err.contains(hint), "{line}: {}", said.err);
    }
    let error = s.fails(&format!("{features},ignore-label=3 x.pkl"));
    assert!(
        error.contains("utterance ann-001: has no labels"),
        "{error}"
    );
    let said = s.run(&format!("{features},label=a.ali x.pkl --on-error skip"));
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(said.err.contains("12 skipped"), "{}", said.err);
}

#[test]
fn explain_tells_the_work_in_its_order() {
    let s = corpus();
    let spec = "train.pfile,random=True,map-label=1:0/2:1,ignore-label=0:3-9,context=5";
    let said = s.ok(&format!("{spec} out.{{part}}.pkl --explain"));
    let work = "; 5 frames before and 5 after each; without frames labelled 0, 3-9; \
                labels 1 to 0, 2 to 1; shuffled as a whole, seed 18877";
    assert!(said.out.contains(work), "{}", said.out);
    assert!(
        said.out.contains("; one for each partition"),
        "{}",
        said.out
    );
    let said = s.ok("train.pfile --shuffle --seed 3 --stream --partition 2m out.pkl --explain");
    let work = "; shuffled in partitions of 2 MiB of whole 256s of frames, seed 3";
    assert!(said.out.contains(work), "{}", said.out);
}

#[test]
fn the_flags_of_pdnn_name_inputs() {
    let s = corpus();
    let spec = "train.pfile,context=2,random=True";
    s.ok(&format!("{spec} a.pkl"));
    s.ok(&format!("--train-data {spec} b.pkl"));
    s.ok(&format!("convert --valid-data={spec} -o c.pkl"));
    assert_eq!(s.read("a.pkl"), s.read("b.pkl"));
    assert_eq!(s.read("a.pkl"), s.read("c.pkl"));
    assert_eq!(
        s.ok(&format!("info --train-data {spec}")).out,
        s.ok(&format!("info {spec}")).out
    );
    // Validation data never become training data.
    for line in [
        "--train-data train.pfile --valid-data train.pfile x.pkl",
        "convert --valid-data=train.pfile -o x.pkl --train-data train.pfile",
        "sort --train-data train.pfile --valid-data=train.pfile x.pkl",
        "train.pfile --valid-data train.pfile x.pkl",
        "--valid-data train.pfile train.pfile --valid-data=train.pfile x.pkl",
        "split -n 2 --train-data train.pfile --valid-data train.pfile x-{part}.pkl",
        "split -n 2 train.pfile --valid-data train.pfile x-{part}.pkl",
    ] {
        let error = s.fails(line);
        assert!(
            error.contains("would be mixed in one output"),
            "{line}: {error}"
        );
    }
    let both = "--train-data train.pfile,partition=1m --valid-data train.pfile,partition=1m";
    s.ok(&format!("{both} both.{{part}}.pfile --duplicates keep"));
    s.ok(&format!("{} other.pfile", sample("fbank.ark")));
    s.ok("--train-data train.pfile --train-data other.pfile x.jsonl --duplicates first");
    let said = s.run("--train-data train.pfile,contxt=2 x.pkl");
    assert!(said.err.contains("did you mean 'context'"), "{}", said.err);
    let said = s.run("train.pfile x.pkl --train-dat");
    assert!(said.err.contains("'--train-dat' found"), "{}", said.err);
}

#[test]
fn standard_input_and_output_take_options() {
    let s = corpus();
    s.ok("train.pfile,keys=none,context=1 a.jsonl");
    s.ok("train.pfile,keys=none,context=1 a.pkl,keys=none --allow-loss all");
    for (line, same) in [
        (
            "spr-convert -,context=1 b.jsonl -q < train.pfile",
            "a.jsonl",
        ),
        (
            "spr-convert convert -,context=1 -o b.jsonl -q < train.pfile",
            "a.jsonl",
        ),
        (
            "spr-convert -,context=1 -,protocol=2 --to pickle --allow-loss all -q < train.pfile > b.jsonl",
            "a.pkl",
        ),
    ] {
        let said = s.shell(line);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{line}");
        assert_eq!(s.read("b.jsonl"), s.read(same), "{line}");
        fs::remove_file(s.path("b.jsonl")).unwrap();
    }
    let said = s.shell("spr-convert -,contxt=1 x.jsonl < train.pfile");
    assert!(
        said.err.contains("'-,contxt=1', character 3"),
        "{}",
        said.err
    );
}

#[test]
fn an_integer_is_the_label_of_one_frame() {
    let s = Scratch::new();
    s.write("f.txt", "a [\n 1 2 ]\nb [\n 3 4 ]\nc [\n 5 6\n 7 8 ]\n");
    s.write("one.ali", "a 5\nb 7\n");
    s.write("some.ali", "a 5\nb 7\nc 8 9\n");
    s.ok("ark:f.txt ark,scp:f.ark,f.scp");
    s.ok("ark:one.ali --oo holder=int32 ark:one.ark");
    for labels in ["one.ali", "one.ark", "ark,t:one.ali"] {
        let said = s.run(&format!(
            "f.ark --labels {labels} x.jsonl --on-error skip --overwrite"
        ));
        assert_eq!(said.status, 3, "{}", said.err);
        assert!(
            said.err.contains("2 utterances, 2 frames, 1 skipped"),
            "{}",
            said.err
        );
        let text = String::from_utf8(s.read("x.jsonl")).unwrap();
        assert!(
            text.contains(r#""labels":[5]"#) && text.contains(r#""labels":[7]"#),
            "{text}"
        );
    }
    s.ok("f.scp,label=some.ali,context=1 y.jsonl");
    s.write("words.txt", "a one\nb two\nc three\n");
    let error = s.fails("f.ark --labels words.txt z.jsonl");
    assert!(error.contains("holds no labels"), "{error}");
}

#[test]
fn a_pickled_dict_of_whole_numbers_is_labels() {
    let s = Scratch::new();
    s.write("f.txt", "a [\n 1 2\n 3 4 ]\nb [\n 5 6 ]\n");
    // What Python 2 makes of {'b': [7], 'a': [5, 2**40]} in protocol 0.
    s.write(
        "ali.pkl",
        "(dp0\nS'a'\np1\n(lp2\nI5\naL1099511627776L\nasS'b'\np3\n(lp4\nI7\nas.",
    );
    for labels in ["ali.pkl", "pickle:ali.pkl"] {
        s.ok(&format!("ark:f.txt --labels {labels} x.jsonl --overwrite"));
        let text = String::from_utf8(s.read("x.jsonl")).unwrap();
        assert!(text.contains(r#""labels":[5,1099511627776]"#), "{text}");
        assert!(text.contains(r#""labels":[7]"#), "{text}");
    }
    let said = s.ok("info ali.pkl").out;
    assert!(said.contains("vector"), "{said}");
}

#[test]
fn what_stream_does_not_do_is_told() {
    let s = corpus();
    for name in ["fbank.scp", "fbank.ark", "ali.txt"] {
        fs::copy(sample(name), s.path(name)).unwrap();
    }
    s.ok("train.pfile train.pkl");
    for (spec, told) in [
        (
            "fbank.scp,stream=False,random=True",
            Some("stream=False does nothing here"),
        ),
        ("fbank.scp,stream=True,random=True", None),
        (
            "train.pkl,stream=True",
            Some("stream=True does nothing here"),
        ),
        ("train.pkl,stream=False,random=True", None),
        ("train.pfile,stream=True,random=True", None),
        ("train.pfile,stream=False,random=True", None),
    ] {
        let said = s.ok(&format!("{spec} x.jsonl --overwrite"));
        match told {
            Some(told) => assert!(said.err.contains(told), "{spec}: {}", said.err),
            None => assert!(!said.err.contains("warning"), "{spec}: {}", said.err),
        }
    }
}

/// Segments and sound keep their times, which are not those of the frames that are left.
#[test]
fn frames_are_not_left_out_beside_segments() {
    let s = Scratch::new();
    let line = r#"{"key":"a","features":null,"labels":[1,1,2,2],"segments":[{"start":0,"end":0.02,"label":"x"}],"meta":{"frame_shift":0.01}}"#;
    s.write("a.jsonl", format!("{line}\n"));
    let error = s.fails("a.jsonl b.jsonl --ignore-label 1");
    let told = "utterance a: has segments, whose times would not be those of its frames";
    assert!(error.contains(told), "{error}");
    s.ok("a.jsonl b.jsonl --ignore-label 7");
    s.ok("a.jsonl c.jsonl --stages parts(labels)|ignore-label(1)");
}
