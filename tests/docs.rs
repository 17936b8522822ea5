//! What the documents show is what the program says: every `console` block of the README and of
//! `docs/` is run, in a folder with the sample data, and compared; options of commands that are
//! only named must exist.
//!
//! A line `$ COMMAND` is run by bash, with the lines `> …` that continue it; what follows is all that it prints, standard error too. A
//! line `...` stands for any lines. Times are not compared. `BLESS=1 cargo test --test docs`
//! writes what is printed into the documents, where nothing is left out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Documents with commands, and how many.
const DOCUMENTS: &[(&str, usize)] = &[
    ("README.md", 24),
    ("docs/arguments.md", 12),
    ("docs/check.md", 6),
    ("docs/coming-from.md", 20),
    ("docs/cutting.md", 22),
    ("docs/guide.md", 66),
    ("docs/hugging-face.md", 8),
    ("docs/i-have-a-folder.md", 23),
    ("docs/i-have-a-pfile.md", 14),
    ("docs/i-have-a-pickle.md", 14),
    ("docs/i-have-an-ark.md", 15),
    ("docs/i-have-spraak.md", 12),
    ("docs/kaldi-data.md", 14),
    ("docs/labels.md", 17),
    ("docs/manifests.md", 33),
    ("docs/pipelines.md", 2),
    ("docs/plot.md", 11),
    ("docs/shards.md", 23),
    ("docs/sound.md", 26),
    ("docs/stability.md", 1),
    ("docs/stages.md", 10),
    ("docs/survey.md", 4),
    ("docs/verbs.md", 64),
];

/// A command and the lines shown below it.
struct Shown {
    command: String,
    /// The first line of the output in the document, and the one behind its last.
    lines: (usize, usize),
}

fn commands(text: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (n, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            found.push(Shown {
                command: command.to_owned(),
                lines: (n + 1, n + 1),
            });
        } else if let Some(shown) = found.last_mut().filter(|_| inside) {
            match line.strip_prefix("> ") {
                Some(more) => {
                    shown.command = format!("{}\n{more}", shown.command);
                    shown.lines = (n + 1, n + 1);
                }
                None => shown.lines.1 = n + 1,
            }
        }
    }
    found
}

/// Runs a command as a reader would, in `folder`.
fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_spr-convert"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A closing line with the time taken out.
fn untimed(line: &str) -> String {
    let is_time = |part: &&str| {
        let digits = part.trim_end_matches(')').strip_suffix(" s");
        digits.is_some_and(|digits| digits.parse::<f64>().is_ok())
    };
    let parts: Vec<_> = line.split(", ").collect();
    if !line.contains(" skipped (") {
        return line.to_owned();
    }
    let parts = parts.iter().filter(|part| !is_time(part));
    parts.copied().collect::<Vec<_>>().join(", ")
}

/// Whether printed lines are those shown, of which `...` is any number.
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=printed.len()).any(|n| fits(rest, &printed[n..])),
        ([a, shown @ ..], [b, printed @ ..]) => untimed(a) == untimed(b) && fits(shown, printed),
        _ => false,
    }
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let mut paths: Vec<_> = docs.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "md"));
    paths.push(root.join("README.md"));
    paths.sort();
    paths
}

/// A folder with the sample data.
fn scratch() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples");
    for (from, to) in [("kaldi", ""), ("wav", "wav"), ("htk", "htk")] {
        fs::create_dir_all(folder.path().join(to)).unwrap();
        for entry in fs::read_dir(samples.join(from)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            fs::copy(&path, folder.path().join(to).join(name)).unwrap();
        }
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kaldi/data-directory");
    for (from, to) in [
        (samples.join("kaldi-data"), "audio"),
        (directory.join("input"), "train"),
        (directory.join("input/data"), "train/data"),
        (
            directory.with_file_name("ali-jobs").join("input.exp"),
            "tri",
        ),
    ] {
        let to = folder.path().join(to);
        fs::create_dir_all(&to).unwrap();
        let files = fs::read_dir(from).unwrap().map(|e| e.unwrap().path());
        for file in files.filter(|path| path.is_file()) {
            fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
        }
    }
    let hdf5 = samples.with_file_name("hdf5");
    let to = folder.path().join("hdf5");
    fs::create_dir_all(&to).unwrap();
    for (from, name) in [("h5py-2-speech", "speech.h5"), ("lengths", "joined.h5")] {
        fs::copy(hdf5.join(from).join("input.h5"), to.join(name)).unwrap();
    }
    let waves = folder.path().join("train/wav.scp");
    let text = fs::read_to_string(&waves).unwrap();
    fs::write(&waves, text.replace("../audio", "audio")).unwrap();
    folder
}

#[test]
fn what_is_shown_is_what_is_printed() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut faults = Vec::new();
    let mut counts = Vec::new();
    for path in documents() {
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let found = commands(&text);
        if found.is_empty() {
            continue;
        }
        counts.push((name.display().to_string(), found.len()));
        let folder = scratch();
        let all: Vec<_> = text.lines().collect();
        let mut blessed: Vec<String> = Vec::new();
        let mut copied = 0;
        for Shown { command, lines } in &found {
            let shown = &all[lines.0..lines.1];
            let printed = run(command, folder.path());
            let printed: Vec<_> = printed.lines().collect();
            blessed.extend(all[copied..lines.0].iter().map(|l| (*l).to_owned()));
            copied = lines.1;
            if fits(shown, &printed) {
                blessed.extend(shown.iter().map(|l| (*l).to_owned()));
                continue;
            }
            blessed.extend(printed.iter().map(|l| (*l).to_owned()));
            faults.push(format!(
                "{}:{}: $ {command}\n{}",
                name.display(),
                lines.0,
                printed.join("\n")
            ));
        }
        if bless {
            blessed.extend(all[copied..].iter().map(|l| (*l).to_owned()));
            fs::write(&path, blessed.join("\n") + "\n").unwrap();
        }
    }
    if bless {
        return;
    }
    assert!(
        faults.is_empty(),
        "printed instead:\n{}",
        faults.join("\n\n")
    );
    let counts: Vec<_> = counts.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(counts, DOCUMENTS, "commands in the documents");
}

/// The commands of this program in a document: lines of blocks, and words in backquotes.
fn mentioned(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| line.starts_with("spr-convert "));
    let quoted = text.lines().filter(|line| !line.starts_with("```"));
    let quoted = quoted.flat_map(|line| line.split('`').skip(1).step_by(2));
    let quoted = quoted.filter(|words| words.starts_with("spr-convert "));
    lines.chain(quoted).collect()
}

#[test]
fn options_that_are_named_exist() {
    let script = run("spr-convert completions bash", Path::new("."));
    let known: Vec<_> = script.split_whitespace().collect();
    let mut options = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for command in mentioned(&text) {
            let words = command.split(|c: char| c.is_whitespace() || "='\",;".contains(c));
            for option in words.filter(|word| word.starts_with("--") && word.len() > 2) {
                options += 1;
                let place = path.display();
                assert!(known.contains(&option), "{place}: {option}: {command}");
            }
        }
    }
    assert!(options >= 20, "{options} options");
}

#[test]
fn the_comparison_can_fail() {
    let same = |shown: &str, printed: &str| {
        let [shown, printed] = [shown, printed].map(|text| text.lines().collect::<Vec<_>>());
        fits(&shown, &printed)
    };
    assert!(same("a\nb", "a\nb"));
    assert!(!same("a", "a\nb") && !same("a\nb", "a") && !same("a", "b"));
    assert!(same("a\n...\nd", "a\nb\nc\nd") && same("...", "") && !same("...\nd", "a"));
    let line = |size, time| format!("1 frame, 0 skipped (a -> b, {size} MB, {time} s, 2 parts)");
    assert!(same(&line(3, "0.0"), &line(3, "1.2")));
    assert!(!same(&line(3, "0.0"), &line(4, "0.0")));
    assert!(!same("took 0.1 s", "took 0.2 s"));
}
