//! What all tools have in common: errors, usage, links.

use std::fs;
use std::process::Command;

use super::{PROGRAM, Recipe, said};

#[test]
fn nothing_is_lost_in_silence() {
    let recipe = Recipe::new();
    recipe.fails("copy-feats ark:missing ark:o", 255, "ERROR (copy-feats[");
    let cut = "head -c 300000 fbank.ark | copy-feats";
    recipe.fails(
        &format!("{cut} ark:- ark:o"),
        255,
        "utterance bob-003: the file ends here",
    );
    recipe.fails(
        "head -c 46585 fbank.ark | copy-feats ark:- ark:o",
        255,
        "inside a key",
    );
    let kept = recipe.ok(&format!("{cut} ark,p:- ark:p.ark"));
    assert!(kept.err.contains("WARNING (copy-feats["), "{}", kept.err);
    assert!(
        kept.err.ends_with("Copied 6 feature matrices.\n"),
        "{}",
        kept.err
    );
    recipe.write(
        "gaps.scp",
        "ann-001 fbank.ark:8\n\nann-002 fbank.ark:46591\n",
    );
    recipe.fails(
        "copy-feats scp:gaps.scp ark:o",
        255,
        "gaps.scp:2: a blank line",
    );
    recipe.fails(
        "copy-feats 'ark:cat fbank.ark; exit 3 |' ark:o",
        255,
        "exit status 3",
    );
    recipe.fails(
        "copy-feats ark:fbank.ark 'ark:| cat > /dev/null; exit 3'",
        255,
        "exit status 3",
    );
    recipe.write(
        "wide",
        "a \0BDM \x04\x01\0\0\0\x04\x01\0\0\0\0\0\0\0\0\0\0\x7e".as_bytes(),
    );
    recipe.fails(
        "copy-feats ark:wide ark:o",
        255,
        "beyond the range of 32-bit floats",
    );
    recipe.fails("copy-feats ark:ali.ark ark:o", 255, "ann-001");
    recipe.write("pipe.scp", "a touch ran; cat fbank.ark |\n");
    recipe.fails("copy-feats scp:pipe.scp ark:o", 255, "--allow-pipes");
    recipe.write("pipe.scp", "a copy-feats fbank.ark:8 - |\n");
    recipe.ok("copy-feats --allow-pipes scp:pipe.scp ark:o");
    recipe.fails(
        "copy-feats scp:/dev/null ark:/dev/null",
        1,
        "Copied 0 feature matrices.",
    );
}

#[test]
fn usage() {
    let recipe = Recipe::new();
    for name in fs::read_dir(recipe.path("bin")).unwrap() {
        let name = name.unwrap().file_name().into_string().unwrap();
        let help = recipe.ok(&format!("{name} --help"));
        assert!(help.err.contains(&format!("\nUsage: {name} ")) && help.bytes.is_empty());
        recipe.fails(&name, 1, &format!("\nUsage: {name} "));
    }
    recipe.fails(
        "copy-feats --nothing=1 ark:fbank.ark ark:o",
        1,
        "Invalid option --nothing=1",
    );
    recipe.fails(
        "copy-feats ark:fbank.ark ark:o --compress",
        1,
        "options go before",
    );
    recipe.fails("copy-feats --binary=maybe a b", 1, "boolean");
    recipe.write("conf", "--left-context=1 # one\n--right-context=0\n");
    let shape = "splice-feats --config=conf scp:fbank.scp ark:- | matrix-dim ark:- | head -1";
    assert_eq!(recipe.ok(shape).out(), "ann-001\t291\t80\n");
    recipe.fails(
        "splice-feats --config=conf scp:fbank.scp ark:conf",
        255,
        "conf: is read and can't be written in the same run",
    );
}

#[test]
fn links() {
    let recipe = Recipe::new();
    let again = Command::new(PROGRAM)
        .args(["kaldi-links", "bin"])
        .current_dir(recipe.folder.path())
        .output()
        .unwrap();
    assert!(again.status.success(), "{}", said(again).err);
    fs::remove_file(recipe.path("bin/splice-feats")).unwrap();
    recipe.write("bin/splice-feats", "mine");
    fs::remove_file(recipe.path("bin/copy-feats")).unwrap();
    let refused = Command::new(PROGRAM)
        .args(["kaldi-links", "bin"])
        .current_dir(recipe.folder.path())
        .output()
        .unwrap();
    let refused = said(refused);
    assert_eq!(refused.status, 2);
    assert!(
        refused.err.contains("bin/splice-feats: exists already"),
        "{}",
        refused.err
    );
    assert_eq!(recipe.read("bin/splice-feats"), b"mine");
    assert!(!recipe.path("bin/copy-feats").exists(), "nothing was made");
}
