//! What the program would have to guess: it asks, or says what it took.

use crate::{Scratch, sample};

fn corpus() -> Scratch {
    let s = Scratch::new();
    for name in ["fbank.ark", "ali.ark", "text"] {
        s.write(name, std::fs::read(sample(name)).unwrap());
    }
    s
}

/// Command lines that are refused, with words of the error and of its hint.
const REFUSED: &[(&str, &str, &str)] = &[
    // A verb that there is not must not be an input, nor the input an output.
    (
        "view fbank.ark",
        "view: is neither a file nor a verb",
        "the verb 'show'?",
    ),
    (
        "validate fbank.ark",
        "validate: is neither",
        "the verb 'check'?",
    ),
    (
        "copy-feats fbank.ark",
        "copy-feats: is neither",
        "`spr-convert --help` lists",
    ),
    ("help- fbank.ark", "help-: is neither", "lists the verbs"),
    ("none.ark fbank.ark", "none.ark: cannot open", ""),
    // What stands before a colon.
    (
        "fbank.ark akr:x.ark",
        "akr:x.ark: 'akr' is no format",
        "did you mean ark:?",
    ),
    (
        "fbank.ark sprr:x.ark",
        "'sprr' is no format",
        "did you mean spr:?",
    ),
    (
        "fbank.ark pfil:x",
        "'pfil' is no format",
        "written ./pfil:x",
    ),
    (
        "fbank.ark scpp:x.ark",
        "'scpp' is no format",
        "did you mean scp:?",
    ),
    (
        "akr:fbank.ark",
        "akr:fbank.ark: cannot open",
        "the format 'ark:'?",
    ),
    (
        "pfil:fbank.ark x.ark",
        "cannot open",
        "the format 'pfile:'?",
    ),
    // Options that would be part of a name.
    (
        "fbank.ark ark:x.ark,compress=1",
        "compress= is an option",
        "say --co compress=…",
    ),
    (
        "fbank.ark ark,scp:x.ark,x.scp,text=true",
        "text= is an option",
        "--co text=",
    ),
    // Flags of conversions, and nothing to convert to.
    (
        "fbank.ark --labels-out ark:x.ark",
        "--labels-out: nothing says where",
        "name the output",
    ),
    (
        "fbank.ark --to pfile",
        "--to: nothing says where to write",
        "-o OUT",
    ),
    (
        "--dtype f16 fbank.ark",
        "--dtype: nothing says where to write",
        "-o OUT",
    ),
    (
        "fbank.ark --overwrite",
        "--overwrite: nothing says where",
        "-o OUT",
    ),
    (
        "fbank.ark --allow-loss all",
        "--allow-loss: nothing says where",
        "-o OUT",
    ),
    // Who speaks.
    (
        "split fbank.ark s.{part}.ark -n 2 --by speaker",
        "nothing says who speaks it",
        "--utt2spk FILE",
    ),
    (
        "split fbank.ark s.{part}.ark --valid 0.3 --by speaker",
        "nothing says who",
        "--utt2spk",
    ),
    (
        "select fbank.ark x.ark --speakers ann",
        "fbank.ark: utterance ann-001: nothing says",
        "--utt2spk",
    ),
    (
        "select fbank.ark x.ark --per-speaker 1",
        "nothing says who speaks it",
        "--utt2spk",
    ),
];

#[test]
fn what_would_be_a_guess_is_refused() {
    let s = corpus();
    let before = s.names();
    for (line, error, hint) in REFUSED {
        let said = s.run(line);
        assert_eq!((said.status, &*said.out), (2, ""), "{line}: {}", said.err);
        let mut lines = said.err.lines();
        let first = lines.next().unwrap_or_default();
        assert!(first.contains(error), "{line}: {}", said.err);
        assert!(
            lines.next().unwrap_or_default().contains(hint),
            "{line}: {}",
            said.err
        );
        assert_eq!(s.names(), before, "{line}");
    }
    // Names with a colon are possible, and files called as verbs of others.
    s.ok("fbank.ark ./akr:x.ark");
    s.ok("./akr:x.ark b:c.pfile");
    std::fs::copy(s.path("fbank.ark"), s.path("view")).unwrap();
    s.ok("view view.pfile");
    s.ok("fbank.ark --safe --json");
}

#[test]
fn speakers_come_from_a_table() {
    let s = corpus();
    let table = |speaker: fn(&str) -> String| {
        let keys = s.ok("ls fbank.ark --tsv").out;
        let keys = keys
            .lines()
            .skip(1)
            .filter_map(|line| line.split('\t').nth(1));
        keys.map(|key| format!("{key} {}\n", speaker(key)))
            .collect::<String>()
    };
    s.write("utt2spk", table(|key| key[..3].to_owned()));
    let count = |file: &str| s.ok(&format!("ls {file}")).out.lines().count();
    s.ok("select fbank.ark first.ark --per-speaker 1 --utt2spk utt2spk");
    s.ok("select fbank.ark ann.ark --speakers ann --utt2spk utt2spk");
    s.ok("select fbank.ark both.ark --speakers ann,bob --per-speaker 3 --utt2spk utt2spk");
    assert_eq!(["first.ark", "ann.ark", "both.ark"].map(count), [3, 4, 6]);
    s.ok("split fbank.ark s.{part}.ark -n 3 --by speaker --utt2spk utt2spk");
    assert_eq!(["s.0.ark", "s.1.ark", "s.2.ark"].map(count), [4, 4, 4]);
    let said = s.run("select fbank.ark none.ark --per-speaker 1 --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(
        said.err.contains("0 utterances, 0 frames, 12 skipped"),
        "{}",
        said.err
    );
}

#[test]
fn the_frame_shift_that_is_taken_is_told_once() {
    let s = corpus();
    let warning = "spr-convert: warning: utterance ann-001: no frame shift is known, 0.01 s is taken\n\
                   spr-convert: hint: say it with --frame-shift, such as --frame-shift 0.01\n";
    let mut shifted = 0;
    for (line, told) in [
        ("ali.ark a.ctm", 1),
        ("ali.ark a.mlf", 1),
        ("ali.ark a.seg", 1),
        ("ali.ark TextGrid:grids/", 1),
        ("ali.ark --frame-shift 0.01 b.ctm", 0),
        ("ali.ark again.ark", 0),
        ("a.ctm labels.ark", 1),
        ("a.seg frames.ark", 0),
        ("fbank.ark --labels a.ctm joined.pfile", 1),
        ("fbank.ark --labels a.ctm --frame-shift 0.01 j.pfile", 0),
    ] {
        let said = s.run(line);
        let line = line.replace("TextGrid:", "textgrid:");
        let said = if said.status == 0 { said } else { s.ok(&line) };
        assert_eq!(
            said.err.matches(warning).count(),
            told,
            "{line}: {}",
            said.err
        );
        shifted += told;
    }
    assert_eq!(shifted, 6);
}

#[test]
fn a_type_that_is_asked_for_and_not_held_is_told_once() {
    let s = corpus();
    for (line, told) in [
        (
            "fbank.ark i16.ark --dtype i16",
            "the format holds no i16: rounded to it, written as f32",
        ),
        (
            "fbank.ark f64.pfile --dtype f64 --allow-loss all",
            "holds no f64: rounded to it, written as f32",
        ),
        (
            "fbank.ark bf16.npz --dtype bf16",
            "the format holds no bf16: rounded to it, written as ",
        ),
        ("fbank.ark i16.npz --dtype i16", ""),
        ("fbank.ark f64.ark --dtype f64", ""),
    ] {
        let said = s.ok(line).err;
        assert_eq!(
            said.matches("the format holds no").count(),
            usize::from(!told.is_empty()),
            "{said}"
        );
        assert!(said.contains(told), "{line}: {said}");
    }
}

#[test]
fn a_folder_of_several_formats_is_not_read_as_one_of_them() {
    let s = corpus();
    s.ok("fbank.ark htk:mix/ --frame-shift 0.01");
    s.ok("select fbank.ark mix/x/ -t npy --first 2");
    let said = s.run("mix x.ark");
    assert_eq!(said.status, 2);
    let error = "mix: holds files of several formats: htk (ann-001.htk), npy (";
    assert!(said.err.contains(error), "{}", said.err);
    assert!(
        said.err.contains("say which with --from htk or --from npy"),
        "{}",
        said.err
    );
    let said = s.ok("info mix --from npy");
    assert!(said.out.contains("2 utterances"), "{}", said.out);
    // Labels may lie beside what they are about, and what is no data after all.
    s.ok("select fbank.ark one/ -t htk --first 2 --frame-shift 0.01");
    s.write("one/notes.npy", "no array");
    s.ok("select ali.ark one/ -t textgrid --first 2 --add");
    let said = s.ok("info one");
    assert!(said.out.contains("2 utterances"), "{}", said.out);
    assert!(
        said.err
            .contains("one/ann-001.TextGrid: skipped, with 2 more"),
        "{}",
        said.err
    );
}

/// A format that only the look of text speaks for is called a guess by the run as well, and so is a key
/// that an archive lacks.
#[test]
fn the_run_tells_what_it_guessed() {
    let s = Scratch::new();
    s.write("Dockerfile", "FROM debian\nRUN make\nCOPY . /x\n");
    let said = s.ok("Dockerfile o.jsonl");
    assert!(
        said.err.contains("(kaldi by its look -> jsonl"),
        "{}",
        said.err
    );
    let said = s.ok("Dockerfile o.jsonl -f kaldi --overwrite");
    assert!(said.err.contains("(kaldi -> jsonl"), "{}", said.err);
    s.write("one.mat", " [\n  1 2\n  3 4 ]\n");
    let warning = "one.mat: starts with an object, where an archive has a key";
    for (input, is_told) in [("ark:one.mat", true), ("one.mat", false)] {
        let said = s.ok(&format!("{input} o.jsonl --overwrite"));
        assert_eq!(said.err.contains(warning), is_told, "{input}: {}", said.err);
    }
    s.write("one.ark", "76 5 25\n");
    let said = s.ok("one.ark o.jsonl --overwrite");
    let kinds = "int32-vector, basic-float-vector, int32-pair-vector or float-pair-vector";
    assert!(said.err.contains(kinds), "{}", said.err);
    let said = s.ok("one.ark,holder=int32-vector o.jsonl --overwrite");
    assert!(!said.err.contains("warning"), "{}", said.err);
}
