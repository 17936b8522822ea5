//! Names and lengths that are not quite those of the other data set.

use std::fmt::Write;
use std::fs;

use crate::{Scratch, sample};

/// Three utterances with names and frames as given, as text of Kaldi's, and labels for some frames.
fn set(s: &Scratch, names: [&str; 3], frames: [usize; 3], labels: [usize; 3]) {
    let (mut features, mut alignment) = (String::new(), String::new());
    for ((name, frames), labels) in names.iter().zip(frames).zip(labels) {
        writeln!(features, "{name} [\n{}]", "1 2\n".repeat(frames)).unwrap();
        writeln!(
            alignment,
            "{}{}",
            name.replace('.', "_"),
            " 7".repeat(labels)
        )
        .unwrap();
    }
    s.write("in.txt", features);
    s.write("ali.txt", alignment);
}

fn keys(s: &Scratch, file: &str) -> Vec<String> {
    let lines = s.ok(&format!("ls {file}")).out;
    let first = |line: &str| line.split_whitespace().next().unwrap().to_owned();
    lines.lines().map(first).collect()
}

#[test]
fn names_change_before_labels_join() {
    let s = Scratch::new();
    set(&s, ["a.1", "a.2", "b.1"], [3; 3], [3; 3]);
    s.write("map", "a.1 one\na.2 two\nb.1 three\n");
    for (flags, expected) in [
        (r"--rename s/\./_/", ["a_1", "a_2", "b_1"]),
        (r"--rename s/\./_/ --rename s/^a/x/", ["x_1", "x_2", "b_1"]),
        ("--prefix set1-", ["set1-a.1", "set1-a.2", "set1-b.1"]),
        ("--suffix -8k", ["a.1-8k", "a.2-8k", "b.1-8k"]),
        ("--map-keys map --prefix n-", ["n-one", "n-two", "n-three"]),
    ] {
        s.ok(&format!("in.txt out.ark --overwrite -q {flags}"));
        assert_eq!(keys(&s, "out.ark"), expected, "{flags}");
    }
    // The labels have the new names.
    let error = s.fails("in.txt out.pfile --labels ali.txt");
    assert!(error.contains("utterance a.1: no labels"), "{error}");
    s.ok(r"in.txt out.pfile --labels ali.txt --rename s/\./_/");
    // Those of a folder's files may hold blanks, which Kaldi's can't.
    fs::create_dir(s.path("wav")).unwrap();
    let sound = format!("{}/../wav/ann-001.wav", sample(""));
    for name in ["take 1", "take 2"] {
        fs::copy(&sound, s.path(&format!("wav/{name}.wav"))).unwrap();
    }
    let said = s.run("wav out.ark --overwrite");
    assert_eq!(said.status, 2, "{}", said.err);
    let said = s.run_args(&["wav", "out.ark", "--overwrite", "--rename", "s/ /_/g"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(keys(&s, "out.ark"), ["take_1", "take_2"]);
}

#[test]
fn names_that_become_one_are_refused() {
    let s = Scratch::new();
    set(&s, ["a.1", "a_1", "b.1"], [3; 3], [3; 3]);
    let error = s.fails(r"in.txt out.ark --rename s/\./_/");
    assert!(
        error.contains("utterance a_1: would be called a_1, as another is by now"),
        "{error}"
    );
    // Passed over, it is counted.
    let said = s.run(r"in.txt out.ark --rename s/\./_/ --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(keys(&s, "out.ark"), ["a_1", "b_1"]);
    s.write("map", "a.1 x\n");
    for (flags, expected) in [
        ("--map-keys map", "utterance a_1: is not in map"),
        ("--map-keys nowhere", "nowhere: cannot open"),
        ("--rename a/b/", "'a/b/': expected s/REGEX/TEXT/"),
        ("--rename s/(/x/", "unclosed group"),
        ("--rename s/.*//", "nothing is left of its name"),
    ] {
        let error = s.fails(&format!("in.txt new.ark {flags}"));
        assert!(error.contains(expected), "{flags}: {error}");
    }
    // Of two inputs as well.
    s.write("x.txt", "a [ 1 ]\n");
    s.write("y.txt", "b [ 1 ]\n");
    let error = s.fails("x.txt y.txt -o new.ark --rename s/[ab]/c/");
    assert!(error.contains("utterance c"), "{error}");
}

#[test]
fn lengths_a_few_frames_apart_are_cut_and_told() {
    let s = Scratch::new();
    set(&s, ["a", "b", "c"], [5, 6, 7], [5, 5, 9]);
    let error = s.fails("in.txt out.pfile --labels ali.txt");
    assert!(error.contains("6 frames, but 5 labels"), "{error}");
    let said = s.run("in.txt out.pfile --labels ali.txt");
    assert!(said.err.contains("--length-tolerance N"), "{}", said.err);
    // Two frames are one too many.
    let error = s.fails("in.txt out.pfile --labels ali.txt --length-tolerance 1");
    assert!(error.contains("7 frames, but 9 labels"), "{error}");
    for out in ["out.pfile", "out.pkl"] {
        let said = s.ok(&format!(
            "in.txt {out} --labels ali.txt --length-tolerance 2"
        ));
        assert!(
            said.err.contains(
                "warning: ali.txt: up to 2 frames too many or too few for 2 utterances: the longer was cut"
            ),
            "{}",
            said.err
        );
        assert!(said.err.contains("3 utterances, 17 frames"), "{}", said.err);
    }
    // Labels in a spec as well, and stretches of time.
    s.ok("in.txt,label=ali.txt spec.pfile --length-tolerance 2");
    assert_eq!(s.read("spec.pfile"), s.read("out.pfile"));
    let error = s.fails("in.txt new.pfile --length-tolerance 2");
    assert!(error.contains("is for labels that join"), "{error}");
}
