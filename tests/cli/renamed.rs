//! Old names of flags.

use super::{Scratch, sample};

#[test]
fn an_old_name_does_what_the_new_one_does_and_warns_once() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    let new = s.ok(&format!("select {input} new.ark --sample 5 --seed 7"));
    assert!(!new.err.contains("warning"), "{}", new.err);
    for (n, flag) in ["--sample-seed 7", "--sample-seed=7"].iter().enumerate() {
        let old = s.ok(&format!("select {input} old{n}.ark {flag} --sample 5"));
        let warnings: Vec<_> = old.err.lines().filter(|l| l.contains("warning")).collect();
        assert_eq!(
            warnings,
            [
                "spr-convert: warning: --sample-seed is called --seed now; the old name will be removed"
            ]
        );
        assert_eq!(s.read(&format!("old{n}.ark")), s.read("new.ark"), "{flag}");
    }
    s.ok(&format!("select {input} other.ark --sample 5 --seed 8"));
    assert_ne!(s.read("other.ark"), s.read("new.ark"));
}

#[test]
fn quiet_runs_do_not_warn_of_an_old_name() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    let said = s.ok(&format!(
        "select {input} x.ark --sample 5 --sample-seed 7 -q"
    ));
    assert_eq!(said.err, "");
}

#[test]
fn an_old_name_and_the_new_one_together_are_an_error() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    let error = s.fails(&format!(
        "select {input} x.ark --sample 5 --sample-seed 7 --seed 8"
    ));
    assert!(error.contains("--seed"), "{error}");
}

#[test]
fn an_old_name_belongs_to_its_verb_and_is_no_file() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    let error = s.fails(&format!("convert {input} x.ark --sample-seed 7"));
    assert!(error.contains("--sample-seed"), "{error}");
    // Behind `--` it is the name of a file.
    let error = s.fails("select --sample 5 -o x.ark -- --sample-seed");
    assert!(error.contains("--sample-seed: cannot open"), "{error}");
}
