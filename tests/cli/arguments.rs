//! How arguments are understood, and what is said of those that are not.

use std::fs;

use crate::{Scratch, sample};

#[test]
fn explain_says_and_does_nothing() {
    let s = Scratch::new();
    let said = s.ok(&format!(
        "{} --labels {} out.pfile --explain",
        sample("fbank.scp"),
        sample("ali.txt")
    ));
    let lines: Vec<_> = said.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", said.out);
    assert!(
        lines[0].contains("a path; format kaldi (by its content)"),
        "{}",
        lines[0]
    );
    assert!(
        lines[2].ends_with("names to out.pfile.utt2num_frames"),
        "{}",
        lines[2]
    );
    assert_eq!(s.names(), [""; 0]);
    let said = s.ok(&format!("scp,p:{} ark,t:- --explain", sample("fbank.scp")));
    assert!(said.out.contains("a Kaldi rspecifier") && said.out.contains("standard output"));
}

#[test]
fn forms() {
    let s = Scratch::new();
    fs::copy(sample("fbank.ark"), s.path("info")).unwrap();
    // A bare file is looked into; ./info is a file.
    let bare = s.run(&sample("fbank.ark"));
    assert_eq!(
        bare.out,
        s.run(&format!("info {}", sample("fbank.ark"))).out
    );
    assert!(s.ok("./info").out.contains("12 utterances"));
    s.ok("./info x.jsonl");
    s.ok("x.jsonl -t kaldi y");
    assert_eq!(s.read("y"), s.read("info"));
    s.ok("--overwrite -f jsonl x.jsonl pfile:y");
    s.ok("pfile:y kaldi:z");
    assert_eq!(s.read("z"), s.read("info"));
    fs::rename(s.path("z"), s.path("a,b=c")).unwrap();
    s.ok("./a,b=c --from kaldi q.jsonl");
}

#[test]
fn globs_are_sorted() {
    let s = Scratch::new();
    for (name, key) in [("f2.jsonl", "b"), ("f1.jsonl", "a"), ("f10.jsonl", "c")] {
        s.write(
            name,
            format!("{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[1]]}},\"labels\":null,\"meta\":{{}}}}\n"),
        );
    }
    s.ok("f*.jsonl ark,t:all.txt");
    let text = String::from_utf8(s.read("all.txt")).unwrap();
    let keys: Vec<_> = text
        .lines()
        .filter(|l| l.ends_with('['))
        .map(|l| &l[..1])
        .collect();
    assert_eq!(keys, ["a", "c", "b"]);
    let error = s.fails("g*.jsonl x.ark");
    assert!(error.contains("no file matches 'g*.jsonl'"), "{error}");
}

#[test]
fn a_folder_in_which_nothing_fits_is_an_error_of_any_format() {
    let s = Scratch::new();
    s.write("empty/.keep", "");
    fs::remove_file(s.path("empty/.keep")).unwrap();
    s.write("other/a.txt", "a b\n");
    let mut tried = 0;
    for format in ["spr", "key", "wav", "sphere", "au", "htk", "npy"] {
        for folder in ["empty", "other"] {
            for line in [
                format!("{format}:{folder}/ x.jsonl"),
                format!("info {format}:{folder}/"),
                format!("check {format}:{folder}/"),
                format!("-f {format} {folder} x.jsonl"),
            ] {
                let said = s.run(&line);
                let text = said.err + &said.out;
                assert_ne!(said.status, 0, "{line}: {text}");
                let expected = format!("{folder}/: holds no {format} files");
                let bare = format!("{folder}: holds no {format} files");
                assert!(
                    text.contains(&expected) || text.contains(&bare),
                    "{line}: {text}"
                );
                assert!(!text.contains("//*"), "{line}: {text}");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 7 * 2 * 4);
    assert_eq!(s.names(), ["empty", "other"]);
}

#[test]
#[cfg(unix)]
fn a_link_to_nothing_is_named_if_it_is_wanted() {
    let s = Scratch::new();
    let one = ".spr\nTYPE I8\nFORMAT BIN01\nDIM2 1\n#\n\u{1}";
    s.write("d/a.spr", one);
    std::os::unix::fs::symlink("nowhere", s.path("d/b.txt")).unwrap();
    assert!(s.ok("spr:d/ x.jsonl").err.contains("1 utterance, "));
    std::os::unix::fs::symlink("nowhere", s.path("d/c.spr")).unwrap();
    let said = s.run("spr:d/ y.jsonl");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(
        said.err.contains("d/c.spr: ") && said.err.contains("No such file"),
        "{}",
        said.err
    );
}

/// Lines that are wrong, what is said of them, and the hint.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "inof f.ark",
        "inof: is neither a file nor a verb",
        "did you mean the verb 'info'?",
    ),
    ("shar:s/ x.jsonl", "error: s/: cannot open", "No such file"),
    (
        "f.ark out",
        "out: nothing says which format to write",
        "--to NAME; `spr-convert formats` lists the names",
    ),
    (
        "f.ark out.pfle",
        "no known format has the extension .pfle",
        "did you mean .pfile?",
    ),
    (
        "e.ark out.pfile",
        "e.ark: cannot open",
        "did you mean f.ark?",
    ),
    (
        "f.ark x.txt",
        "no known format has the extension .txt",
        "ark,t:x.txt",
    ),
    (
        "ark:o,s,cs:f.ark x.ark",
        "o,s,cs:f.ark: cannot open",
        "hint: Kaldi's options stand before the colon: ark,o,s,cs:f.ark",
    ),
    (
        "ark:f.ark,context=1 x.ark",
        "f.ark,context=1: cannot open",
        "so: f.ark,context=1",
    ),
    (
        "f.ark x.png",
        "no known format",
        "by the verb plot: -o x.png",
    ),
    (
        "f.ark x.html",
        "no known format",
        "by the verb report: -o x.html",
    ),
    (
        "f.ark x.ark --first 2",
        "unexpected argument '--first' found",
        "hint: --first is a flag of select",
    ),
    (
        "f.ark x.ark --force",
        "unexpected argument '--force' found",
        "hint: that is --overwrite here",
    ),
    (
        "f.ark x.ark --mono",
        "unexpected argument '--mono' found",
        "hint: that is --channel mix here",
    ),
    (
        "f.ark x.ark --sample-rate 8000",
        "unexpected argument '--sample-rate' found",
        "hint: that is --rate here",
    ),
    (
        "resample f.ark x.ark",
        "resample: is neither a file nor a verb",
        "spr-convert IN OUT --rate HZ",
    ),
    (
        "info f.ark -y",
        "unexpected argument '-y' found",
        "hint: that is --overwrite here",
    ),
    (
        "f.ark x.ark --overwrit",
        "unexpected argument '--overwrit' found",
        "did you mean '--overwrite'?",
    ),
    (
        "f.ark x.ark --nothing-like-it",
        "unexpected argument '--nothing-like-it' found",
        "spr-convert --help lists what there is",
    ),
    (
        "--safe info f.ark",
        "the verb 'info' comes before all options",
        "spr-convert info [OPTIONS] …",
    ),
    // That the flag is one of the verb is no help.
    (
        "-q select f.ark x.ark --first 1",
        "the verb 'select' comes before all options",
        "spr-convert select [OPTIONS] …",
    ),
    (
        "-f kaldi split f.ark x.ark -n 2",
        "the verb 'split' comes before all options",
        "spr-convert split [OPTIONS] …",
    ),
    (
        "-f select f.ark --frist",
        "unexpected argument '--frist' found",
        "",
    ),
    (
        "f.ark,contxt=3 x.pkl",
        "unknown option 'contxt'",
        "did you mean 'context'?",
    ),
    (
        "split f.ark",
        "arguments were not provided",
        "usage: spr-convert split",
    ),
    (
        "f.ark out.xyz",
        "no known format has the extension .xyz",
        "--to",
    ),
    (
        "f.ark -t pfil x",
        "unknown format 'pfil'",
        "known: kaldi, kaldi-data, pfile, pickle",
    ),
    (
        "f.ark x.pfile,bytorder=big",
        "unknown option 'bytorder' for pfile",
        "keys",
    ),
    (
        "f.ark x.pfile --allow-loss presicion",
        "unknown kind of loss 'presicion'",
        "precision, range",
    ),
    (
        "f.ark x.pfile --dtype float",
        "unknown element type 'float'",
        "f32, f64",
    ),
    (
        "f.ark x.pfile --max-alloc lots",
        "'lots' is not a size",
        "512m",
    ),
    ("f.ark x.spr", "a second utterance", "end the name with /"),
    ("f.ark pfile:d/", "d/: is a folder", "name a file"),
    (
        "nowhere/f.ark x.pfile",
        "nowhere/f.ark: cannot open: No such file or directory",
        "",
    ),
    (
        "f.ark nowhere/x.pfile",
        "nowhere/x.pfile: cannot create: there is no folder nowhere",
        "make it: mkdir -p nowhere",
    ),
];

#[test]
fn mistakes_are_told_with_the_way_out() {
    let s = Scratch::new();
    fs::copy(sample("fbank.ark"), s.path("f.ark")).unwrap();
    for (line, message, hint) in MISTAKES.iter().copied() {
        let error = s.fails(line);
        assert!(error.contains(message), "{line}: {error}");
        let said = s.run(line);
        assert!(said.err.contains(hint), "{line}: {}", said.err);
    }
    assert_eq!(s.run("f.ark x.pfile --no-such-flag").status, 2);
    assert_eq!(s.run("").status, 2);
}

#[test]
fn commands_in_files_need_leave() {
    let s = Scratch::new();
    s.write("x.scp", "a touch gotcha; cat f.ark |\n");
    s.write("f.ark", "");
    let error = s.fails("scp:x.scp y.jsonl");
    assert!(
        error.contains("x.scp:1: utterance a: refused to run"),
        "{error}"
    );
    assert!(!s.path("gotcha").exists());
    let said = s.shell("spr-convert --safe 'ark:touch gotcha |' y.jsonl");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(!s.path("gotcha").exists());
    let said = s.shell("spr-convert 'ark:false |' y.jsonl");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("exit status 1"), "{}", said.err);
    let said = s.shell(&format!(
        "spr-convert {} 'ark:| cat >/dev/null; exit 4'",
        sample("fbank.ark")
    ));
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("exit status 4"), "{}", said.err);
}

#[test]
fn the_manual_and_completions() {
    let s = Scratch::new();
    assert!(s.ok("man").out.contains(".TH spr-convert"));
    let help = s.ok("--help").out;
    assert!(help.contains("Examples:") && help.lines().all(|l| l.chars().count() <= 100));
    assert!(s.ok("--version").out.starts_with("spr-convert 0."));
    let said = s.shell("spr-convert man | head -1");
    assert_eq!((said.status, said.err.as_str()), (0, ""));
}
