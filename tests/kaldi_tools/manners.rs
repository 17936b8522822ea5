//! What all tools have in common: errors, usage, links.

use std::fs;
use std::process::Command;

use super::{PROGRAM, Recipe, said};

#[test]
fn an_archive_of_which_nothing_can_be_read_fails() {
    let recipe = Recipe::new();
    recipe.write("bad", "a x\nb y\n");
    recipe.write("none", "");
    recipe.write("bad.scp", "a gone:4\nb gone:9\n");
    for (tool, options, more, empty) in [
        ("copy-feats", "", "ark,t:-", 1),
        ("copy-matrix", "", "ark,t:-", 1),
        ("copy-vector", "", "ark,t:-", 1),
        ("copy-int-vector", "", "ark,t:-", 1),
        ("copy-post", "", "ark,t:-", 1),
        ("copy-feats-to-htk", "", "", 1),
        ("feat-to-len", "", "", 0),
        ("feat-to-len", "", "ark,t:-", 0),
        ("feat-to-dim", "", "ark,t:-", 0),
        ("matrix-dim", "", "", 1),
        ("subset-feats", "", "ark,t:-", 0),
        ("select-feats", "0", "ark,t:-", 0),
        ("splice-feats", "", "ark,t:-", 0),
        ("compare-feats", "", "ark:fbank.ark", 1),
        ("paste-feats", "", "ark:fbank.ark ark,t:-", 255),
    ] {
        let line = |table: &str| format!("{tool} {options} {table} {more}");
        recipe.fails(
            &line("ark,p:bad"),
            255,
            "bad: none of 2 entries can be read",
        );
        // Kaldi opens these without their entries.
        for table in ["ark,p:none", "scp,p:bad.scp"] {
            let said = recipe.run(&line(table));
            assert_eq!(said.status, empty, "{}: {}", line(table), said.err);
        }
    }
}

#[test]
fn an_archive_has_keys() {
    let recipe = Recipe::new();
    recipe.ok("copy-feats fbank.ark:8 one.mat");
    recipe.ok("copy-matrix --binary=false one.mat text.mat");
    let fault = "@0: starts with an object, expected its key before it";
    for file in ["one.mat", "text.mat"] {
        for line in [
            format!("copy-feats ark:{file} ark:o"),
            format!("cat {file} | copy-feats ark:- ark:o"),
            format!("feat-to-len ark:{file}"),
            format!("paste-feats ark:fbank.ark ark:{file} ark:o"),
        ] {
            recipe.fails(&line, 255, fault);
        }
        recipe.ok(&format!("matrix-dim {file}"));
    }
}

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
        255,
        "Invalid option --nothing=1",
    );
    recipe.fails(
        "copy-feats ark:fbank.ark ark:o --compress",
        1,
        "options go before",
    );
    recipe.fails("copy-feats --binary=maybe a b", 255, "boolean");
    let missing = recipe.run("copy-feats --config=gone ark:fbank.ark ark:o");
    assert!(
        missing.status == 255 && missing.err.contains("gone"),
        "{}",
        missing.err
    );
    assert!(!missing.err.contains("Usage: "), "{}", missing.err);
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

/// What `utils/data/shift_feats.sh` makes of a script file.
const SHIFTED: &str = "ann-001 copy-feats --print-args=false fbank.ark:8 - |\n";

#[test]
fn commands_in_script_files_may_be_allowed_for_a_recipe() {
    let recipe = Recipe::new();
    recipe.write("pipe.scp", SHIFTED);
    let line = "copy-feats scp:pipe.scp ark:o.ark";
    recipe.fails(line, 255, "SPR_CONVERT_ALLOW_PIPES=1 in the environment");
    recipe.fails(
        &format!("SPR_CONVERT_ALLOW_PIPES=yes {line}"),
        255,
        "refused",
    );
    recipe.fails(
        "SPR_CONVERT_ALLOW_PIPES=1 copy-feats --allow-pipes=false scp:pipe.scp ark:o.ark",
        255,
        "refused",
    );
    recipe.ok(&format!("SPR_CONVERT_ALLOW_PIPES=1 {line}"));
    // The main program asks for more than a variable.
    let program = format!("SPR_CONVERT_ALLOW_PIPES=1 {PROGRAM} scp:pipe.scp ark:o2.ark");
    recipe.fails(&program, 2, "refused");
    let links = |options: &[&str]| {
        let run = Command::new(PROGRAM)
            .arg("kaldi-links")
            .args(options)
            .arg("bin")
            .current_dir(recipe.folder.path())
            .output()
            .unwrap();
        let said = said(run);
        assert_eq!(said.status, 0, "{}", said.err);
        said.err
    };
    // Scripts take the places of links, and links those of scripts.
    assert!(links(&["--allow-pipes"]).contains("run the commands in script files"));
    recipe.ok("copy-feats scp:pipe.scp ark:o3.ark");
    assert_eq!(recipe.read("o3.ark"), recipe.read("o.ark"));
    let said = recipe.ok("copy-feats 'ark:cat o.ark |' ark:o4.ark");
    assert!(
        said.err
            .starts_with("copy-feats 'ark:cat o.ark |' ark:o4.ark "),
        "{}",
        said.err
    );
    links(&["--allow-pipes"]);
    recipe.ok("copy-feats scp:pipe.scp ark:o5.ark");
    links(&[]);
    recipe.fails("copy-feats scp:pipe.scp ark:o6.ark", 255, "refused");
}

#[test]
fn the_last_line_of_the_log_is_kaldis() {
    let recipe = Recipe::new();
    recipe.write("v.ark", "a  [ 1 2 3 ]\nb  [ 4 ]\n");
    recipe.write("list", "ann-001\n");
    recipe.write("segments", "s1 ann-001 0.5 1.5\n");
    for (line, last) in [
        ("copy-vector ark:v.ark ark:o", "Copied 2 vectors.\n"),
        (
            "copy-vector --change-dim=2 ark:v.ark ark:o",
            "Copied 2 vectors, setting dim to 2 scaled by 1\n",
        ),
        (
            "copy-vector --scale=2 ark:v.ark ark:o",
            "Copied 2 vectors, setting dim to -1 scaled by 2\n",
        ),
        (
            "copy-vector --scale=-0.33333333 ark:v.ark ark:o",
            "Copied 2 vectors, setting dim to -1 scaled by -0.333333\n",
        ),
        (
            "subset-feats --include=list scp:fbank.scp ark:o",
            ":main())  Wrote 1 out of 12 utterances.\n",
        ),
        (
            "extract-feature-segments scp:fbank.scp segments ark:o",
            "Successfully processed 1 lines out of 1 in the segments file. \n",
        ),
    ] {
        let said = recipe.ok(line);
        assert!(said.err.ends_with(last), "{line}: {:?}", said.err);
    }
    // A hint is no line of the log.
    recipe.write("pipe.scp", SHIFTED);
    let said = recipe.run("copy-feats scp:pipe.scp ark:o");
    let (_, hint) = said.err.trim_end().rsplit_once('\n').unwrap();
    assert!(hint.starts_with("copy-feats: hint: "), "{}", said.err);
    assert!(!said.err.contains("LOG ("), "{}", said.err);
}

#[test]
fn a_table_is_flushed_where_it_says_so() {
    let recipe = Recipe::new();
    recipe.write("two.scp", "ann-001 fbank.ark:8\nann-002 fbank.ark:46591\n");
    let line = "(head -1 two.scp; while [ ! -e seen ]; do sleep 0.01; done; tail -1 two.scp) \
                | timeout 60 copy-feats scp:- ark,t,f:- | (read line; touch seen; cat > /dev/null)";
    recipe.ok(line);
}
