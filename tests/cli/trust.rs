//! Files from strangers run nothing and lead nowhere.

use crate::{Scratch, sample};

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
    let error = s.fails("sub.jsonl spr:out/ --overwrite --add");
    assert!(error.contains("out/sub: is a link"), "{error}");
    // Links go with the folder that they are in, and a link in the place of a file is replaced
    // itself.
    for add in ["", "--add"] {
        symlink("../outside/keep.spr", s.path("out/keep.spr")).unwrap();
        s.ok(&format!("file.jsonl spr:out/ --overwrite {add}"));
        assert!(!s.path("out/sub").is_symlink() && !s.path("out/keep.spr").is_symlink());
        assert_eq!(s.read("outside/keep.spr"), b"precious");
        std::fs::remove_file(s.path("out/keep.spr")).unwrap();
    }
}

/// Utterances of these keys, as they stand in JSON.
fn keyed(keys: &[&str]) -> String {
    let data = "{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[1]]}";
    let line = |key| format!("{{\"key\":\"{key}\",\"features\":{data},\"meta\":{{}}}}\n");
    keys.iter().map(line).collect()
}

#[test]
fn keys_never_lead_out_of_a_folder() {
    let s = Scratch::new();
    let long = "x".repeat(300);
    for (key, why) in [
        ("../x", "can't be a file name"),
        ("/etc/x", "can't be a file name"),
        ("a/../../x", "can't be a file name"),
        ("..", "can't be a file name"),
        (".", "can't be a file name"),
        ("./x", "can't be a file name"),
        ("", "can't be a file name"),
        ("a//x", "can't be a file name"),
        ("a/", "can't be a file name"),
        ("a\\u0000x", "can't be a file name"),
        (&long, "cannot create: File name too long"),
    ] {
        s.write("in.jsonl", keyed(&["good", key]));
        for folder in ["spr:out/", "key:out/"] {
            let error = s.fails(&format!("in.jsonl {folder}"));
            assert!(error.contains(why), "{error}");
        }
    }
    // Names of two bytes that one file system takes for one are refused there, by the system.
    s.write("in.jsonl", keyed(&["ann", "Ann", "sub/x"]));
    s.ok("in.jsonl spr:out/");
    assert_eq!(crate::names(&s.path("out")), ["Ann.spr", "ann.spr", "sub"]);
    s.write("in.jsonl", keyed(&["ann", "ann"]));
    let error = s.fails("in.jsonl spr:twice/");
    assert!(
        error.contains("a second utterance with this name"),
        "{error}"
    );
    // A file where another key needs a folder.
    s.write("in.jsonl", keyed(&["a", "a.spr/b"]));
    let error = s.fails("in.jsonl spr:both/");
    assert!(error.contains("cannot create"), "{error}");
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_link_is_replaced_itself() {
    use std::os::unix::fs::symlink;
    let s = Scratch::new();
    s.write("in.jsonl", keyed(&["a"]));
    s.write("outside/keep", "precious");
    for (name, output) in [
        ("x.ark", "x.ark"),
        ("x.scp", "ark,scp:y.ark,x.scp"),
        ("x.pkl.utt2num_frames", "x.pkl"),
    ] {
        symlink("outside/keep", s.path(name)).unwrap();
        s.fails(&format!("in.jsonl {output}"));
        s.ok(&format!("in.jsonl {output} --overwrite"));
        assert!(!s.path(name).is_symlink(), "{name}");
        assert_eq!(s.read("outside/keep"), b"precious", "{name}");
    }
    // Nor is a file made that a dangling link names.
    symlink("outside/new", s.path("z.ark")).unwrap();
    s.fails("in.jsonl z.ark");
    s.ok("in.jsonl z.ark --overwrite");
    assert_eq!(crate::names(&s.path("outside")), ["keep"]);
    // A link in the place of the folder itself was named by the user, and is followed.
    symlink("outside", s.path("folder")).unwrap();
    s.ok("in.jsonl spr:folder/ --add");
    assert_eq!(crate::names(&s.path("outside")), ["a.spr", "keep"]);
    s.ok("in.jsonl spr:folder/ --overwrite");
    assert!(s.path("folder").is_symlink());
    assert_eq!(crate::names(&s.path("outside")), ["a.spr"]);
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
