//! Every verb works on every format: on each fixture through the library, on one of each format
//! through the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spr_convert::argument::{Input, Opened};
use spr_convert::builtin;
use spr_convert::core::bytes::Env;
use spr_convert::core::format::Reader;
use spr_convert::core::model::Utterance;
use spr_convert::core::stage::{By, Sort};
use spr_convert::verbs::diff::{Tolerance, by_key, in_order};
use spr_convert::verbs::ls::Entry;
use spr_convert::verbs::plot::{Chart, Overview, draw, raster, svg, terminal};
use spr_convert::verbs::stats::Stats;

/// Fixtures that must be found at least.
const FIXTURES: usize = 298;

fn parse(path: &Path) -> Input {
    let registry = builtin::registry();
    let mut inputs = Input::parse(path.to_str().unwrap(), None, &[], &registry).unwrap();
    assert_eq!(inputs.len(), 1);
    inputs.remove(0)
}

fn open(path: &Path) -> Opened {
    parse(path)
        .open(&builtin::registry(), &Env::default())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Each fixture and what it holds, as `expect.jsonl`.
fn fixtures() -> Vec<(PathBuf, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let list = |folder: &Path| {
        let mut paths: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        paths
    };
    let mut all = Vec::new();
    for case in list(&root)
        .iter()
        .filter(|p| p.is_dir())
        .flat_map(|p| list(p))
    {
        let expected = case.join("expect.jsonl");
        if !expected.exists() {
            continue;
        }
        let script = case.join("input.scp");
        let input = match script.exists() {
            true => Some(script),
            false => list(&case).into_iter().find(|path| {
                let name = path.file_name().unwrap().to_str().unwrap();
                name.starts_with("input") && !name.ends_with("utt2num_frames")
            }),
        };
        // Some cases are commands over the input of another.
        all.extend(input.map(|input| (input, expected)));
    }
    assert!(all.len() >= FIXTURES, "{} fixtures", all.len());
    all
}

/// Draws all that can be drawn of a data set.
fn drawn(all: &Overview, name: &str) {
    let pictures: Vec<_> = all.pictures.iter().flatten().cloned().collect();
    let sheets = [
        draw::pictures(&pictures, 300),
        draw::overview(all, &Chart::ALL, 300),
    ];
    for scene in sheets {
        assert!(svg::document(&scene).ends_with("</svg>\n"), "{name}");
        assert!(raster::png(&scene).starts_with(b"\x89PNG"), "{name}");
    }
    for colour in [false, true] {
        let look = terminal::Look { width: 80, colour };
        let texts = pictures.iter().map(|p| terminal::picture(p, &look));
        let text = texts.collect::<String>() + &terminal::overview(all, &Chart::ALL, &look);
        assert!(colour || !text.contains('\x1b'), "{name}");
    }
}

#[test]
fn every_fixture() {
    let mut tell = |_: &_, _: &_| Ok(());
    for (input, expected) in fixtures() {
        let name = input.display();
        let mut reader = open(&input).reader;
        let (mut utt, mut entries) = (Utterance::default(), Vec::new());
        while reader.read(&mut utt).unwrap() {
            entries.push(Entry::of(&utt, reader.info()));
        }
        let mut stats = Stats::default();
        stats.read(open(&expected).reader.as_mut()).unwrap();
        assert_eq!(stats.utterances, entries.len() as u64, "{name}");
        let all = Overview::read(open(&input).reader.as_mut(), Some((50, 20))).unwrap();
        drawn(&all, &name.to_string());
        // What the bytes hold is what they are known to hold.
        let mut sides = [&input, &expected].map(|path| open(path).reader);
        let [a, b] = &mut sides;
        let summary = in_order(a.as_mut(), b.as_mut(), Tolerance::default(), &mut tell).unwrap();
        assert!(summary.is_same(), "{name}: {summary:?}");
        // In another order, all of it is still there.
        let mut keys: Vec<_> = entries.iter().map(|entry| entry.key.clone()).collect();
        keys.sort();
        let mut sorted = Sort::new(open(&input).reader, By::Key, 64);
        for key in &keys {
            assert!(sorted.read(&mut utt).unwrap());
            assert_eq!(utt.key, *key, "{name}");
        }
        assert!(!sorted.read(&mut utt).unwrap());
        keys.dedup();
        if keys.len() == entries.len() {
            let sides = (&parse(&input), &parse(&expected));
            let around = (&builtin::registry(), &Env::default());
            let summary = by_key(sides, Tolerance::default(), 1 << 30, around, &mut tell).unwrap();
            assert!(summary.is_same(), "{name}: {summary:?}");
        }
    }
}

#[test]
fn every_format_through_the_program() {
    let mut of_format = BTreeMap::new();
    for (input, expected) in fixtures() {
        let entry = of_format.entry(open(&input).format.info().name);
        let case = entry.or_insert_with(|| (input.clone(), expected.clone()));
        // The largest has most to say.
        let size = |path: &Path| fs::metadata(path).unwrap().len();
        if size(&case.1) < size(&expected) && size(&expected) < 100_000 {
            *case = (input, expected);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spr-convert"));
        let output = command
            .args(line)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{line:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for format in builtin::registry().names() {
        let (input, expected) = of_format
            .get(format)
            .unwrap_or_else(|| panic!("{format} has no fixture"));
        let (input, expected) = (input.to_str().unwrap(), expected.to_str().unwrap());
        let keys = run(&["ls", "--json", input]);
        assert!(!keys.is_empty(), "{format}");
        assert_eq!(run(&["ls", input]).lines().count(), keys.lines().count());
        assert!(!run(&["show", input, "--range", "0:9,0:9"]).is_empty());
        let first: serde_json::Value = serde_json::from_str(keys.lines().next().unwrap()).unwrap();
        if let Some(key) = first["key"].as_str().filter(|key| !key.is_empty()) {
            run(&["show", input, "--", key]);
        }
        assert!(run(&["stats", input]).contains("utterance"));
        assert!(run(&["report", input, "-o", "-"]).ends_with("</html>\n"));
        assert!(run(&["info", input]).contains("utterance"));
        run(&["diff", input, expected]);
        for line in [
            &["select", input, "out.jsonl", "--min-frames", "0"][..],
            &["merge", input, "out.jsonl"],
            &["sort", input, "out.jsonl"],
        ] {
            run(&[line, &["--overwrite"]].concat());
            run(&["diff", "--by-key", "out.jsonl", expected]);
        }
    }
}
