//! The tools that tell, choose, cut, join and compare features.

use super::{Recipe, words};

#[test]
fn sizes() {
    let recipe = Recipe::new();
    assert_eq!(recipe.ok("feat-to-dim scp:fbank.scp -").out(), "40\n");
    recipe.ok("feat-to-dim scp:mfcc_cm.scp dim");
    assert_eq!(recipe.read("dim"), b"13\n");
    assert_eq!(recipe.ok("feat-to-len scp:fbank.scp").out(), "3111\n");
    let lengths = recipe.ok("feat-to-len scp:fbank.scp ark,t:-");
    assert_eq!(words(lengths.out(), 4), ["bob-001", "304"]);
    assert!(lengths.out().starts_with("ann-001 291 \n"));
    let dims = recipe.ok("feat-to-dim scp:fbank.scp ark:- | head -c 15");
    assert_eq!(dims.bytes, b"ann-001 \0B\x04\x28\0\0\0");
    let shapes = recipe.ok("matrix-dim ark:cmvn.ark");
    assert_eq!(shapes.out().lines().next(), Some("ann-001\t2\t41"));
    assert_eq!(recipe.ok("matrix-dim fbank.ark:8 | cut -f 2").out(), "40\n");
    assert_eq!(recipe.ok("feat-to-len scp:/dev/null").out(), "0\n");
    recipe.fails("feat-to-dim scp:/dev/null o", 255, "no features");
    recipe.fails("matrix-dim scp:/dev/null", 1, "No features read");
}

#[test]
fn subsets() {
    let recipe = Recipe::new();
    recipe.write("list", "bob-001 whatever\r\ncleo-003\nnobody\n");
    let keys = |line: &str| {
        let said = recipe.ok(&format!(
            "{line} | matrix-dim ark:- | cut -f 1 | tr '\\n' ' '"
        ));
        (said.out().trim().to_owned(), said.err)
    };
    assert_eq!(
        keys("subset-feats --n=2 scp:fbank.scp ark:-").0,
        "ann-001 ann-002"
    );
    assert_eq!(
        keys("subset-feats scp:fbank.scp ark:-")
            .0
            .split(' ')
            .count(),
        10
    );
    let (some, log) = keys("subset-feats --include=list scp:fbank.scp ark:-");
    assert_eq!(some, "bob-001 cleo-003");
    assert!(log.contains("Wrote 2 out of 12 utterances."), "{log}");
    let (others, _) = keys("subset-feats '--exclude=cat list |' scp:fbank.scp ark:-");
    assert_eq!(others.split(' ').count(), 10);
    assert!(!others.contains("bob-001") && others.contains("bob-002"));
    recipe.write("none", "nobody\n");
    assert_eq!(
        recipe
            .run("subset-feats --include=none scp:fbank.scp ark:/dev/null")
            .status,
        1
    );
    recipe.write("blank", "bob-001\n\n");
    recipe.fails(
        "subset-feats --include=blank scp:fbank.scp ark:o",
        255,
        "blank:2: a blank line",
    );
    recipe.fails("subset-feats --n=0 scp:fbank.scp ark:o", 255, "at least 1");
    recipe.fails(
        "subset-feats --n=3 --include=list scp:fbank.scp ark:o",
        255,
        "both",
    );
    recipe.fails(
        "subset-feats --exclude=list --include=list scp:fbank.scp ark:o",
        255,
        "both",
    );
}

#[test]
fn what_is_dropped_is_not_loaded() {
    let recipe = Recipe::new();
    recipe.write("gone", "bob-002\n");
    recipe.ok("sed '/^bob-002/s/fbank.ark/gone.ark/' fbank.scp > holes.scp");
    recipe.fails("subset-feats scp:holes.scp ark:o", 255, "gone.ark");
    let said = recipe.ok("subset-feats --exclude=gone scp:holes.scp ark:o");
    assert!(
        said.err.contains("Wrote 11 out of 12 utterances."),
        "{}",
        said.err
    );
    assert_eq!(recipe.ok("feat-to-len ark:o").out(), "2821\n");
    recipe.fails(
        "subset-feats --include=gone scp:holes.scp ark:o",
        255,
        "gone.ark",
    );
    let line = "subset-feats --include=gone ark:fbank.ark ark,t:- | head -1";
    assert_eq!(recipe.ok(line).out(), "bob-002  [\n");
    // An archive that is cut in what is dropped is an error all the same.
    recipe.ok("head -c -1 fbank.ark > cut.ark");
    recipe.fails(
        "subset-feats --include=gone ark:cut.ark ark:o",
        255,
        "cut.ark",
    );
}

#[test]
fn sizes_do_not_take_values() {
    let recipe = Recipe::new();
    // Values beyond 32-bit floats, which copying refuses.
    let wide = "a  [\n 1 1e300\n 3 4 ]\nb  [\n 5 6 ]\n";
    recipe.write("wide.txt", wide);
    let program = super::PROGRAM;
    recipe.ok(&format!(
        "{program} --oo holder=double-matrix kaldi:wide.txt wide.ark"
    ));
    recipe.fails("copy-feats ark:wide.ark ark:o", 255, "32-bit floats");
    assert_eq!(recipe.ok("feat-to-len ark:wide.ark").out(), "3\n");
    assert_eq!(recipe.ok("feat-to-dim ark:wide.ark -").out(), "2\n");
    assert_eq!(
        recipe.ok("matrix-dim ark:wide.ark").out(),
        "a\t2\t2\nb\t1\t2\n"
    );
    recipe.ok("head -c -1 wide.ark > cut.ark");
    for tool in [
        "feat-to-len ark:cut.ark",
        "feat-to-dim ark:cut.ark ark:o",
        "matrix-dim ark:cut.ark",
    ] {
        recipe.fails(tool, 255, "utterance b");
    }
}

#[test]
fn columns_and_context() {
    let recipe = Recipe::new();
    let one = "\"scp:grep bob-004 fbank.scp |\"";
    let some = recipe.ok(&format!("select-feats 0,3-5,2-1 {one} ark,t:-"));
    let spaced = recipe.ok(&format!("select-feats ' 0, 3- 5 ,2-1' {one} ark,t:-"));
    assert_eq!(spaced.out(), some.out());
    assert_eq!(
        words(some.out(), 1),
        [
            "13.515", "12.52184", "13.3043", "12.99438", "11.38455", "12.63029"
        ]
    );
    assert_eq!(some.out().lines().count(), 100);
    recipe.fails(
        "select-feats 0,40 scp:fbank.scp ark:o",
        255,
        "column 40 was asked for",
    );
    recipe.fails(
        "select-feats 0,x scp:fbank.scp ark:o",
        255,
        "not a list of columns",
    );
    let wide = recipe.ok(&format!(
        "splice-feats --left-context=2 --right-context=1 {one} ark,t:-"
    ));
    let row = |i: usize| {
        let row = words(wide.out(), i);
        [0, 40, 80, 120].map(|column| row[column].to_owned())
    };
    assert_eq!(row(1), ["13.515", "13.515", "13.515", "10.4388"]);
    assert_eq!(row(99), ["-2.451105", "-3.287212", "-4.8696", "-4.8696"]);
    let shape = recipe.ok(&format!("splice-feats {one} ark:- | matrix-dim ark:-"));
    assert_eq!(shape.out(), "bob-004\t99\t360\n");
    recipe.write("empty", "a  [ ]\n");
    recipe.fails(
        "splice-feats ark:empty ark:o",
        255,
        "utterance a: has no frames",
    );
    recipe.fails(
        "splice-feats --left-context=-1 ark:empty ark:o",
        255,
        "left-context",
    );
}

#[test]
fn paste_feats() {
    let recipe = Recipe::new();
    let said = recipe.ok("paste-feats scp:fbank.scp ark:mfcc_cm.ark ark:p.ark");
    assert!(
        said.err.ends_with("Done 12 utts, errors on 0\n"),
        "{}",
        said.err
    );
    let last = "copy-feats \"scp:grep bob-004 p.scp |\" ark,t:- | tail -1";
    recipe.ok("copy-feats ark:p.ark ark,scp:q.ark,p.scp");
    let last = recipe.ok(last);
    let row = words(last.out(), 0);
    let some = [0, 39, 40, 52].map(|i| row[i]);
    assert_eq!(some, ["-4.8696", "7.450468", "4.600739", "-1.103256"]);
    // The second table in another order, with an utterance missing and one that is longer.
    recipe.write("1", "a  [\n 1 2\n 3 4 ]\nb  [\n 5 6 ]\nc  [\n 7 8 ]\n");
    recipe.write("2", "c  [\n 9\n 0 ]\na  [\n 1\n 2 ]\n");
    let strict = recipe.ok("paste-feats ark:1 ark:2 ark,t:-");
    assert_eq!(strict.out(), "a  [\n  1 2 1 \n  3 4 2 ]\n");
    assert!(strict.err.contains("Missing utt b from input ark:2"));
    assert!(
        strict
            .err
            .contains("Length mismatch 2 vs. 1 for utt c exceeds tolerance 0")
    );
    assert!(strict.err.ends_with("Done 1 utts, errors on 2\n"));
    let tolerant = recipe.ok("paste-feats --length-tolerance=1 ark:1 ark:2 ark,t:-");
    assert!(tolerant.out().ends_with("c  [\n  7 8 9 ]\n"));
    recipe.write("x", " [\n 1 2\n 3 4 ]\n");
    recipe.write("y", " [\n 5\n 6\n 7 ]\n");
    let files = recipe.ok("paste-feats --length-tolerance=1 --binary=false x y x -");
    assert_eq!(files.out(), " [\n  1 2 5 1 2 \n  3 4 6 3 4 ]\n");
    recipe.fails(
        "paste-feats x y o",
        1,
        "Length mismatch 3 vs. 2 exceeds tolerance 0",
    );
    recipe.write("3", "z  [\n 1 ]\n");
    assert_eq!(
        recipe.run("paste-feats ark:3 ark:1 ark:/dev/null").status,
        255
    );
}

#[test]
fn segments() {
    let recipe = Recipe::new();
    recipe.write(
        "segments",
        "s1 ann-001 0.5 1.5\ns2 ann-001 0 99\nbad\ns3 nobody 0 1\ns4 bob-001 0.25 0.75 1\n\
         s5 ann-001 0.5 0.6\n",
    );
    let said = recipe.ok("extract-feature-segments scp:fbank.scp segments ark,t:- | tee t");
    for warning in [
        "End sample too far out of range 9898 [length:] 291x40, skipping segment s2",
        "Invalid line in segments file: bad",
        "Did not find features for utterance nobody, skipping segment s3",
        "Segment s5 too short, skipping it.",
        "Successfully processed 2 lines out of 6 in the segments file.",
    ] {
        assert!(said.err.contains(warning), "{warning}: {}", said.err);
    }
    let text = said.out();
    assert_eq!(words(text, 1)[..3], ["11.88014", "13.6136", "16.51821"]);
    assert_eq!(words(text, 98)[..3], ["10.21519", "10.94883", "11.83833"]);
    assert_eq!(words(text, 99), ["s4", "["]);
    let whole = "extract-feature-segments --snip-edges=false --max-overshoot=97 scp:fbank.scp \
                 segments ark:- | matrix-dim ark:- | head -2";
    assert_eq!(recipe.ok(whole).out(), "s1\t100\t40\ns2\t291\t40\n");
    recipe.write("none", "s nobody 0 1\n");
    let line = "extract-feature-segments scp:fbank.scp none ark:/dev/null";
    assert_eq!(recipe.run(line).status, 255);
}

#[test]
fn compare_feats() {
    let recipe = Recipe::new();
    let same = recipe.ok("compare-feats scp:fbank.scp ark:fbank.ark").err;
    for line in [
        "self-product of 1st features for each column dimension:  [ 542816 ",
        "Overall similarity for the two feats is:1 (1.0 means identical",
        "Processed 12 feature files, 0 had errors.",
        "Features are considered similar since 1 >= 0.99",
    ] {
        assert!(same.contains(line), "{line}: {same}");
    }
    let doubled = "\"ark:copy-matrix --scale=2 scp:fbank.scp ark:- |\"";
    let other = recipe.run(&format!("compare-feats scp:fbank.scp {doubled}"));
    assert_eq!(other.status, 1);
    assert!(
        other.err.contains("considered dissimilar since 0.8 < 0.99"),
        "{}",
        other.err
    );
    recipe.ok(&format!(
        "compare-feats --threshold=0.79 scp:fbank.scp {doubled}"
    ));
    let dims = recipe.run("compare-feats scp:fbank.scp scp:mfcc_cm.scp");
    assert_eq!(dims.status, 1);
    assert!(
        dims.err
            .contains("Feature dimensions differ for utterance ann-001, 40 vs. 13")
    );
    // Narrower than the first they are added to its columns, as in Kaldi.
    recipe.write("w1", "a  [\n 1 1 1 ]\nb  [\n 10 10 ]\n");
    recipe.write("w2", "a  [\n 1 1 1 ]\nb  [\n -10 -10 ]\n");
    let narrower = recipe.run("compare-feats ark:w1 ark:w2");
    assert_eq!(narrower.status, 1, "{}", narrower.err);
    for line in [
        "Processed 2 feature files, 0 had errors.",
        "considered dissimilar since -0.3201",
    ] {
        assert!(narrower.err.contains(line), "{line}: {}", narrower.err);
    }
    // Wider ones fail, which Kaldi does not look at.
    recipe.write("v1", "b  [\n 10 10 ]\na  [\n 1 1 1 ]\n");
    let wider = "utterance a: 3 columns, but 2 before";
    recipe.fails("compare-feats ark:v1 ark:v1", 255, wider);
    recipe.write("a", "a  [\n 1 ]\n");
    let none = recipe.run("compare-feats ark:a scp:fbank.scp");
    assert_eq!(none.status, 1);
    assert!(
        none.err
            .contains("Processed 0 feature files, 1 had errors."),
        "{}",
        none.err
    );
    recipe.write("b", "a  [\n 1\n 1 ]\n");
    recipe.fails(
        "compare-feats ark:a ark:b",
        255,
        "utterance a: 1 frames vs. 2",
    );
}
