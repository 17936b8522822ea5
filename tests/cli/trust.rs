//! Files from strangers run nothing, lead nowhere and say nothing to the terminal.

use crate::{Scratch, sample};

#[test]
fn names_and_messages_are_shown_escaped() {
    let s = Scratch::new();
    let key = "a\\u001b[31m\\u0007";
    let data = "{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[1]]}";
    let line = format!("{{\"key\":\"{key}\",\"features\":{data},\"labels\":null,\"meta\":{{}}}}\n");
    s.write("in.jsonl", &line);
    s.write("in\u{1b}[2J.jsonl", &line);
    s.write("bad\u{1b}[2J.jsonl", "{\"key\":\"x\u{1b}[31m\", nonsense\n");
    s.write("bad.scp", "a \u{1b}[31mmissing.ark:3\n");
    let mut said = 0;
    for args in [
        &["in.jsonl", "x.ark"][..],
        &["in.jsonl", "spr:x/", "--labels", "in.jsonl"],
        &["info", "in.jsonl"],
        &["info", "in\u{1b}[2J.jsonl"],
        &["in.jsonl", "y.spr"],
        &["info", "bad\u{1b}[2J.jsonl"],
        &["bad\u{1b}[2J.jsonl", "x.ark"],
        &["bad.scp", "x.ark"],
        &["in.jsonl", "\u{1b}[2J.unknown"],
        &["--no\u{1b}[2Jsuch", "x"],
        &["--explain", "in\u{1b}[2J.jsonl", "x.ark"],
    ] {
        let run = s.run_args(args);
        let text = run.out + &run.err;
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{args:?}: {text:?}");
        said += usize::from(text.contains("\\u{1b}"));
    }
    assert!(said >= 6, "{said} messages show the escape");
}

#[cfg(unix)]
#[test]
fn links_in_an_output_folder_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let s = Scratch::new();
    s.write("outside/keep.spr", "precious");
    let data = "{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[1]]}";
    let line =
        |key| format!("{{\"key\":\"{key}\",\"features\":{data},\"labels\":null,\"meta\":{{}}}}\n");
    s.write("sub.jsonl", line("sub/keep"));
    s.write("file.jsonl", line("keep"));
    std::fs::create_dir(s.path("out")).unwrap();
    symlink("../outside", s.path("out/sub")).unwrap();
    let error = s.fails("sub.jsonl spr:out/ --overwrite");
    assert!(error.contains("out/sub: is a link"), "{error}");
    // A link in the place of a file is replaced itself.
    std::fs::remove_file(s.path("out/sub")).unwrap();
    symlink("../outside/keep.spr", s.path("out/keep.spr")).unwrap();
    s.ok("file.jsonl spr:out/ --overwrite");
    assert!(!s.path("out/keep.spr").is_symlink());
    assert_eq!(s.read("outside/keep.spr"), b"precious");
}

#[test]
fn keys_never_lead_out_of_a_folder() {
    let s = Scratch::new();
    let data = "{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[1]]}";
    for key in ["../x", "/tmp/x", "a/../../x", ".."] {
        let line =
            format!("{{\"key\":\"{key}\",\"features\":{data},\"labels\":null,\"meta\":{{}}}}\n");
        s.write("in.jsonl", line);
        let error = s.fails("in.jsonl spr:out/");
        assert!(error.contains("can't be a file name"), "{error}");
    }
}

#[test]
fn files_run_no_commands() {
    let s = Scratch::new();
    s.write(
        "in.scp",
        format!("a touch ran; cat {} |\n", sample("fbank.ark")),
    );
    // protocol 0: os.system("touch ran")
    s.write("in.pkl", "cos\nsystem\n(S'touch ran'\ntR.");
    let error = s.fails("in.scp x.ark");
    assert!(error.contains("refused to run the command"), "{error}");
    s.fails("in.pkl x.ark");
    s.fails("info in.pkl -f pickle");
    let said = s.run("--safe ark:touch\u{a0}ran| x.ark");
    assert_eq!(said.status, 2);
    assert!(!s.path("ran").exists());
}
