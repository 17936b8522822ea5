//! Folders that a run was killed in: no reader takes what is left of them for all.

use std::fs;

use crate::Scratch;
use crate::outputs::corpus;

/// No process has such a number.
const DEAD: u32 = 99_999_999;

/// What reads a folder, or files in it by a pattern.
const READERS: [&str; 8] = [
    "{} out.ark",
    "info {}",
    "ls {}",
    "stats {}",
    "select {} out.ark --first 1",
    "diff {} in.ark --by-key",
    "in.ark out.pkl --labels {}",
    "index {}",
];

/// Runs all readers over `input`, which has to be refused by each.
fn is_refused(s: &Scratch, input: &str) {
    for line in READERS {
        let line = line.replace("{}", input);
        let said = s.run(&line);
        let refused = said
            .err
            .contains("may lack files: a run that was to change it was killed");
        let is_index = line.starts_with("index");
        assert!(
            said.status == 2 && (refused || is_index),
            "{line}: {}",
            said.err
        );
    }
    assert!(!s.path("out.ark").exists() && !s.path("out.pkl").exists());
}

#[test]
fn a_folder_whose_change_was_killed_is_refused() {
    let s = corpus();
    for (folder, extension) in [("spr", "spr"), ("npy", "npy"), ("htk", "htk")] {
        let out = format!("{folder}:x/ -q");
        let (old, moved) = (
            s.path(&format!("x/ann-001.{extension}")),
            s.path(&format!("x/.ann-001.{extension}.spr-{DEAD}.old")),
        );
        let staging = s.path(&format!("x/.folder.spr-{DEAD}.tmp"));
        s.ok(&format!("in.ark {out}"));
        // An old file that nothing replaced.
        fs::rename(&old, &moved).unwrap();
        is_refused(&s, "x");
        is_refused(&s, &format!("x/*.{extension}"));
        // A pattern that is not about it.
        s.ok(&format!("x/bob*.{extension} -o b.ark --overwrite -q"));
        // New files that were not moved into the folder.
        fs::rename(&moved, &old).unwrap();
        fs::create_dir(&staging).unwrap();
        fs::write(staging.join(format!("new.{extension}")), "").unwrap();
        is_refused(&s, "x");
        // A folder for files that never came says nothing.
        fs::remove_file(staging.join(format!("new.{extension}"))).unwrap();
        s.ok("x out.ark -q");
        fs::remove_file(s.path("out.ark")).unwrap();
        // Written again, it is whole.
        fs::write(staging.join(format!("new.{extension}")), "").unwrap();
        fs::rename(&old, &moved).unwrap();
        s.ok(&format!("in.ark {out} --overwrite"));
        assert!(!staging.exists() && !moved.exists());
        s.ok("x out.ark -q");
        fs::remove_file(s.path("out.ark")).unwrap();
        fs::remove_dir_all(s.path("x")).unwrap();
    }
}

#[test]
fn so_is_a_data_directory() {
    let s = corpus();
    s.ok("in.ark kaldi-data:x -q");
    let moved = s.path(&format!("x/.utt2spk.spr-{DEAD}.old"));
    fs::rename(s.path("x/utt2spk"), &moved).unwrap();
    is_refused(&s, "x");
    is_refused(&s, "kaldi-data:x");
    let said = s.run("check kaldi-data:x");
    assert_ne!(said.status, 0, "{}", said.out);
}
