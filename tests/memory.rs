//! Memory does not grow with the size of the input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]
#![cfg(unix)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Output};

/// Address space given to the program, in KiB; its code, which is 35 MiB with all formats, thread stacks and the
/// allocator's reserves count.
const LIMIT: u64 = 210 << 10;
const UTTERANCES: usize = 900;
const FRAMES: usize = 3000;
const DIM: u8 = 40;

/// An archive and an alignment far larger than the limit, written from the layout.
fn corpus(folder: &Path) {
    let mut ark = BufWriter::new(File::create(folder.join("f.ark")).unwrap());
    let mut ali = BufWriter::new(File::create(folder.join("a.ark")).unwrap());
    let rows = u32::try_from(FRAMES).unwrap().to_le_bytes();
    let values: Vec<u8> = (0..FRAMES * usize::from(DIM))
        .flat_map(|i| (i as f32 * 0.25).to_le_bytes())
        .collect();
    let labels: Vec<u8> = (0..FRAMES)
        .flat_map(|i| [4, u8::from(i % 7 == 0), 0, 0, 0])
        .collect();
    for n in 0..UTTERANCES {
        write!(ark, "utt-{n:04} \0BFM \x04").unwrap();
        ark.write_all(&rows).unwrap();
        ark.write_all(&[4, DIM, 0, 0, 0]).unwrap();
        ark.write_all(&values).unwrap();
        write!(ali, "utt-{n:04} \0B\x04").unwrap();
        ali.write_all(&rows).unwrap();
        ali.write_all(&labels).unwrap();
    }
    assert!(UTTERANCES * values.len() > usize::try_from(LIMIT).unwrap() * 1024 * 3 / 2);
}

/// Runs the program in so much address space and returns what it said on standard error.
fn run(folder: &Path, line: &str) -> String {
    let script = format!("ulimit -v {LIMIT}; exec spr-convert {line}");
    let output = shell(folder, &script);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {said}");
    said
}

/// What comes of a script that finds the program by its name.
fn shell(folder: &Path, script: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_spr-convert"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    Command::new("sh")
        .args(["-c", script])
        .current_dir(folder)
        .env("PATH", path)
        // Else the C library reserves up to 128 MiB for each thread at some moment.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap()
}

#[test]
fn long_inputs_stream() {
    let folder = tempfile::tempdir().unwrap();
    corpus(folder.path());
    for line in [
        "ark:f.ark ark,scp:x.ark,x.scp",
        "f.ark --labels a.ark x.pfile",
        "x.pfile --labels-out y.ali y.ark",
        "x.pfile x.pkl",
        "x.pkl z.ark --labels-out z.ali",
        "x.scp spr:d/",
        "d/ w.ark",
    ] {
        let said = run(folder.path(), line);
        assert!(
            said.contains("900 utterances, 2700000 frames"),
            "{line}: {said}"
        );
    }
    for line in [
        "ls f.ark",
        "ls x.pfile",
        "stats x.pfile",
        "plot x.pfile -o x.png",
        "plot f.ark utt-0899 -o y.svg",
        "report x.pfile -o x.html",
        "show x.pfile utt-0899 --range 0,0",
        "diff f.ark x.scp",
        "diff x.pkl x.pfile",
        "diff f.ark z.ark --by-key",
        "select z.ark few.ark --sample 3",
        "merge f.ark z.ark m.ark --duplicates last",
        "index f.ark -o i.scp",
        "sort f.ark --by frames sorted.ark --memory 32m",
    ] {
        run(folder.path(), line);
    }
    for copy in ["w.ark", "m.ark", "sorted.ark"] {
        let same = Command::new("cmp")
            .args(["f.ark", copy])
            .current_dir(folder.path())
            .status();
        assert!(same.unwrap().success(), "{copy}");
    }
}

#[test]
fn one_array_larger_than_memory_streams() {
    let folder = tempfile::tempdir().unwrap();
    let rows = 2_000_000;
    let mut npy = BufWriter::new(File::create(folder.path().join("g.npy")).unwrap());
    let head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 40), }}");
    npy.write_all(b"\x93NUMPY\x01\0").unwrap();
    writeln!(npy, "\x76\0{head:<117}").unwrap();
    let row: Vec<u8> = (0..40u16)
        .flat_map(|n| f32::from(n).to_le_bytes())
        .collect();
    (0..rows).for_each(|_| npy.write_all(&row).unwrap());
    npy.into_inner().unwrap();
    for line in [
        "g.npy x.ark",
        "x.ark x.pfile",
        "x.pfile x.pkl,protocol=4,keys=none --allow-loss keys",
        "x.pkl,keys=none y.pkl,layout=pdnn,keys=none",
        "y.pkl y.ark",
        "y.ark y.npy",
    ] {
        let said = run(folder.path(), line);
        assert!(said.contains("1 utterance"), "{line}: {said}");
        assert!(said.contains("2000000 frames"), "{line}: {said}");
    }
    let same = Command::new("cmp")
        .args(["g.npy", "y.npy"])
        .current_dir(folder.path())
        .status();
    assert!(same.unwrap().success());
}

/// A matrix or vector of Kaldi's: key, mark and token, sizes, and a value over and over.
fn archive(folder: &Path, name: &str, entries: impl Iterator<Item = (String, Vec<u8>)>) {
    let mut ark = BufWriter::new(File::create(folder.join(name)).unwrap());
    for (key, object) in entries {
        write!(ark, "{key} \0B").unwrap();
        ark.write_all(&object).unwrap();
    }
}

/// A number behind its size, as Kaldi tags them.
fn tagged(n: usize) -> Vec<u8> {
    let bytes = u32::try_from(n).unwrap().to_le_bytes();
    [&[4], &bytes[..]].concat()
}

fn matrix(rows: usize, cols: usize) -> Vec<u8> {
    let values = 1.5f32.to_le_bytes().repeat(rows * cols);
    [&b"FM "[..], &tagged(rows), &tagged(cols), &values].concat()
}

/// Data sets that are large in one direction each.
fn shapes(folder: &Path) -> [&'static str; 6] {
    let one = |object| std::iter::once(("a".to_owned(), object));
    archive(folder, "wide.ark", one(matrix(2, 2_000_000)));
    archive(folder, "tall.ark", one(matrix(2_000_000, 2)));
    let keys = (0..100_000).map(|i| (format!("u{i:06}"), matrix(1, 1)));
    archive(folder, "many.ark", keys);
    let long = (0..500).map(|i| (format!("{i:060000}"), matrix(1, 1)));
    archive(folder, "keys.ark", long);
    let labels = (0..30).map(|i| {
        let labels = (0..40_000).flat_map(|n| tagged(n * 30 + i));
        (
            format!("u{i:02}"),
            tagged(40_000).into_iter().chain(labels).collect(),
        )
    });
    archive(folder, "labels.ark", labels);
    let mut line = BufWriter::new(File::create(folder.join("row.jsonl")).unwrap());
    let row: Vec<_> = (0..300_000).map(|n| n.to_string()).collect();
    let text = format!(
        "{{\"key\":\"a\",\"labels\":[[{}]],\"meta\":{{}}}}\n",
        row.join(",")
    );
    line.write_all(text.as_bytes()).unwrap();
    [
        "wide.ark",
        "tall.ark",
        "many.ark",
        "keys.ark",
        "labels.ark",
        "row.jsonl",
    ]
}

/// Whatever the shape, a verb needs a bounded multiple of the largest object, or says that a limit
/// is in the way; what it prints and draws is bounded, too.
#[test]
fn every_verb_is_bounded_for_every_shape() {
    let folder = tempfile::tempdir().unwrap();
    let shapes = shapes(folder.path());
    let verbs = [
        "info IN",
        "info --json IN",
        "ls IN",
        "show IN",
        "stats IN",
        "stats --json IN",
        "plot IN -o out.png",
        "plot IN -o out.svg",
        "report IN -o out.html",
        "check IN",
        "diff IN IN",
        "diff --by-key IN IN",
        "index IN -o out.idx",
        "sort IN out.jsonl --memory 16m",
        "merge IN out.jsonl",
        "split IN out{part}.jsonl -n 1",
        "select IN out.jsonl --sample 1",
        "IN out.jsonl",
        "IN out.pkl",
        "IN out.pfile --allow-loss all",
        "IN out.ark",
    ];
    let mut seen = 0;
    for shape in shapes {
        for verb in verbs {
            let line = verb.replace("IN", shape);
            let line = format!("{line} --max-alloc 64m --overwrite");
            let line = match verb.contains("out") {
                true => line,
                false => line.replace(" --overwrite", ""),
            };
            let script = format!("ulimit -v {LIMIT}; exec spr-convert {line} > printed");
            let output = shell(folder.path(), &script);
            let said = String::from_utf8_lossy(&output.stderr);
            // Labels alone are not for a pickle, an index is for some formats; nothing breaks off.
            let status = output.status.code();
            assert!(matches!(status, Some(0 | 2)), "{line}: {status:?} {said}");
            assert!(!said.contains("cannot allocate"), "{line}: {said}");
            for page in ["out.png", "out.svg", "out.html"] {
                if let Ok(made) = std::fs::metadata(folder.path().join(page)) {
                    assert!(made.len() < 2 << 20, "{line}: {} bytes", made.len());
                }
            }
            for name in std::fs::read_dir(folder.path()).unwrap() {
                let path = name.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if name.starts_with("out") {
                    std::fs::remove_file(path).unwrap();
                }
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 6 * 21);
}
