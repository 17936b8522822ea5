//! Long utterances, which pass in chunks where nothing looks at all of one: what is written, said
//! and refused is what it would be of whole ones.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Said, Scratch};

/// Frames of the long utterance, of 40 columns: several chunks and a rest.
const FRAMES: usize = 20_011;

/// Runs a conversion twice: in chunks, and with whole utterances, which reading back needs.
fn both_ways(s: &Scratch, line: &str) -> (Said, Said) {
    let run = |folder: &str, more: &str| {
        fs::create_dir(s.path(folder)).unwrap();
        let line = line.replace("OUT", folder);
        s.run(&format!("{line} {more}"))
    };
    // What is rounded can't be compared; a report has the hash of all, too.
    let whole = match line.contains("compress=") {
        true => "--report report.json --overwrite",
        false => "--verify",
    };
    (run("portions", ""), run("whole", whole))
}

/// All files below a folder.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => gather(&path, files),
            false => files.push(path),
        }
    }
}

/// The files below both folders, which must be the same, and how many they are; then removes them.
fn compare(s: &Scratch, line: &str) -> usize {
    let files = |folder: &str| {
        let mut found = Vec::new();
        gather(&s.path(folder), &mut found);
        found.sort();
        let read = found.into_iter().map(|path| {
            let bytes = fs::read(&path).unwrap();
            let name = path.strip_prefix(s.path(folder)).unwrap().to_owned();
            // Script files name their archive.
            let bytes = match name.extension().is_some_and(|e| e == "scp") {
                true => String::from_utf8(bytes).unwrap().replace(folder, "").into(),
                false => bytes,
            };
            (name, bytes)
        });
        read.collect::<Vec<_>>()
    };
    let (chunks, whole) = (files("portions"), files("whole"));
    assert_eq!(chunks.len(), whole.len(), "{line}");
    for ((name, bytes), (other, expected)) in chunks.iter().zip(&whole) {
        assert_eq!(name, other, "{line}");
        assert!(bytes == expected, "{line}: {} differs", name.display());
    }
    for folder in ["portions", "whole"] {
        fs::remove_dir_all(s.path(folder)).unwrap();
    }
    chunks.len()
}

/// A short, a long and a short utterance, with labels in `l.ark`: the same data in every format.
fn corpus(s: &Scratch) {
    let mut ark = Vec::new();
    let mut labels = String::new();
    for (key, rows) in [("a", 3), ("long", FRAMES), ("z", 5)] {
        ark.extend_from_slice(format!("{key} \0BFM \x04").as_bytes());
        ark.extend_from_slice(&u32::try_from(rows).unwrap().to_le_bytes());
        ark.extend_from_slice(&[4, 40, 0, 0, 0]);
        labels.push_str(key);
        for row in 0..rows {
            let values = (0..40).map(|col| (row * 40 + col) as f32 * 0.37 - 1e4);
            values.for_each(|value| ark.extend_from_slice(&value.to_le_bytes()));
            labels.push_str(&format!(" {}", row / 7 % 1000));
        }
        labels.push('\n');
    }
    s.write("in.ark", ark);
    s.write("keys.txt", "long\n");
    s.write("l.txt", labels);
    for line in [
        "l.txt ark:l.ark",
        "in.ark f64.ark --dtype f64",
        "in.ark --labels l.ark in.pfile",
        "in.ark --labels l.ark in.pkl",
        "in.ark --labels l.ark four.pkl,protocol=4",
        "in.ark --labels l.ark dict.pkl,layout=dict,protocol=4",
        "f64.ark f64.pkl,layout=list",
        "in.ark npy:npy/",
    ] {
        s.ok(line);
    }
    fs::copy(s.path("npy/long.npy"), s.path("long.npy")).unwrap();
    s.ok("select in.pfile one.pfile,keys=none --keys keys.txt --allow-loss keys");
    s.ok("one.pfile one.pkl,keys=none,protocol=4");
}

const INPUTS: &[&str] = &[
    "in.ark",
    "f64.ark",
    "in.pfile",
    "in.pkl",
    "four.pkl",
    "dict.pkl",
    "f64.pkl",
    "npy/",
    "long.npy",
    "one.pfile",
    "one.pkl",
];

const OUTPUTS: &[&str] = &[
    "ark,scp:OUT/x.ark,OUT/x.scp",
    "ark,t:OUT/x.txt",
    "OUT/x.ark,compress=auto",
    "OUT/x.pfile",
    "OUT/x.pkl",
    "OUT/x.pkl,protocol=0",
    "OUT/x.pkl,layout=dict",
    "npy:OUT/x/",
    "OUT/x.jsonl",
    "htk:OUT/x/",
    "spr:OUT/x/",
];

/// What was said, but for how long it took.
fn words(text: &str) -> String {
    let text = text.replace("whole/", "portions/");
    let text = text.replace(", verified)", ")");
    let lines = text.lines().map(|line| match line.contains(" frames, ") {
        true => line.rsplit_once(", ").unwrap().0,
        false => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn chunks_make_no_difference() {
    let s = Scratch::new();
    corpus(&s);
    let (mut written, mut files) = (0, 0);
    for input in INPUTS {
        let beside = match input.ends_with("file") || input.contains(".pkl") && !input.contains('6')
        {
            true => Some("OUT/x.ark --labels-out ark,t:OUT/l.txt"),
            false => None,
        };
        for output in OUTPUTS.iter().copied().chain(beside) {
            let line = format!("{input} {output} --allow-loss labels,precision -j 2");
            let (chunks, whole) = both_ways(&s, &line);
            assert_eq!(
                (chunks.status, whole.status),
                (0, 0),
                "{line}: {}",
                chunks.err
            );
            assert_eq!(words(&chunks.err), words(&whole.err), "{line}");
            written += 1;
            files += compare(&s, &line);
        }
    }
    assert_eq!((written, files), (127, 225));
}

#[test]
fn faults_are_told_as_of_whole_utterances() {
    let s = Scratch::new();
    corpus(&s);
    let mut faults = 0;
    for input in INPUTS.iter().filter(|input| s.path(input).is_file()) {
        let bytes = s.read(input);
        let (cut, half) = (format!("cut-{input}"), format!("half-{input}"));
        s.write(&cut, &bytes[..bytes.len() - 500]);
        s.write(&half, &bytes[..bytes.len() / 2]);
        for output in ["OUT/x.ark", "OUT/x.pfile", "ark,t:OUT/x.txt"] {
            for input in [&cut, &half, *input] {
                let line = format!("{input} {output}");
                let (chunks, whole) = both_ways(&s, &line);
                let refused = chunks.status != 0;
                assert_eq!(chunks.status, whole.status, "{line}: {}", whole.err);
                if refused {
                    assert_eq!(words(&chunks.err), words(&whole.err), "{line}");
                    assert_eq!(crate::names(&s.path("portions")).len(), 0, "{line}");
                }
                faults += usize::from(refused);
                fs::remove_dir_all(s.path("portions")).unwrap();
                fs::remove_dir_all(s.path("whole")).unwrap();
            }
        }
    }
    assert_eq!(faults, 72);
}
