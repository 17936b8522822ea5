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

use spr_convert::argument::OpenedInput;
use spr_convert::builder::PlanBuilder;
use spr_convert::builtin;
use spr_convert::core::format::{Format, IndexKind, Reader, Request};
use spr_convert::core::model::{Audio, Utterance};
use spr_convert::core::stage::{Sort, SortKey};
use spr_convert::plan::Plan;
use spr_convert::plot::{Chart, Overview, draw, raster, svg, terminal};
use spr_convert::stats::{Entry, Scope, Survey};
use spr_convert::verbs::diff::{Tolerance, by_key, in_order};

/// Fixtures that must be found at least.
const FIXTURES: usize = 500;

fn parse(path: &Path) -> Plan {
    let mut builder = PlanBuilder::new(&builtin::registry(), &builtin::env());
    let plan = builder.input(path.to_str().unwrap()).unwrap().finish();
    let plan = plan.unwrap();
    assert_eq!(plan.inputs().len(), 1);
    plan
}

/// A file as it is read.
fn opened(path: &Path) -> OpenedInput {
    let opened = parse(path).open_whole(Request::all(), &builtin::registry(), &builtin::env());
    opened.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn open(path: &Path) -> Box<dyn Reader> {
    opened(path).reader
}

/// What a fixture holds. Of files in a folder of its own that tells their names as they are from
/// there, and here as they are from anywhere.
fn expected(case: &Path, input: &Path) -> PathBuf {
    let expected = case.join("expect.jsonl");
    let text = fs::read_to_string(&expected).unwrap();
    let name = input.file_name().unwrap().to_str().unwrap();
    let (inside, itself) = (format!("\"{name}/"), format!("\"path\": \"{name}\""));
    if !text.contains(&inside) && !text.contains(&itself) {
        return expected;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(case.file_name().unwrap());
    fs::create_dir_all(&folder).unwrap();
    let found = folder.join("expect.jsonl");
    let at = input.display();
    let text = text.replace(&inside, &format!("\"{at}/"));
    let text = text.replace(&itself, &format!("\"path\": \"{at}\""));
    fs::write(&found, text).unwrap();
    found
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
        if !case.join("expect.jsonl").exists() {
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
        all.extend(input.map(|input| {
            let expected = expected(&case, &input);
            (input, expected)
        }));
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
    for depth in [None, Some(terminal::Depth::Full)] {
        let style = terminal::Style {
            width: 80,
            height: None,
            depth,
        };
        let texts = pictures.iter().map(|p| terminal::picture(p, &style));
        let text = texts.collect::<String>() + &terminal::overview(all, &Chart::ALL, &style);
        assert!(depth.is_some() || !text.contains('\x1b'), "{name}");
    }
}

#[test]
fn every_fixture() {
    let mut tell = |_: &_, _: &_| Ok(());
    for (input, expected) in fixtures() {
        let name = input.display();
        let mut reader = open(&input);
        let (mut utt, mut entries) = (Utterance::default(), Vec::new());
        while reader.read(&mut utt).unwrap() {
            entries.push(Entry::of(&utt));
        }
        let mut survey = Survey::new(Scope::Numbers, open(&expected).info());
        survey.read(open(&expected).as_mut()).unwrap();
        assert_eq!(survey.utterances, entries.len() as u64, "{name}");
        let all =
            Overview::read(open(&input).as_mut(), Some(spr_plot::Detail::new(50, 20))).unwrap();
        drawn(&all, &name.to_string());
        // What the bytes hold is what they are known to hold.
        let [a, b] = [&input, &expected].map(|path| opened(path));
        let env = builtin::env();
        let exact = Tolerance::default();
        let summary = in_order(a, b, exact, &env, &mut tell).unwrap();
        assert!(summary.is_same(), "{name}: {summary:?}");
        // In another order, all of it is still there.
        let mut keys: Vec<_> = entries.iter().map(|entry| entry.key.clone()).collect();
        keys.sort();
        let mut sorted = Sort::new(open(&input), SortKey::Key, 64);
        for key in &keys {
            assert!(sorted.read(&mut utt).unwrap());
            assert_eq!(utt.key, *key, "{name}");
        }
        assert!(!sorted.read(&mut utt).unwrap());
        keys.dedup();
        if keys.len() == entries.len() {
            let sides = (&parse(&input), &parse(&expected));
            let around = (&builtin::registry(), &env);
            let summary = by_key(sides, exact, 1 << 30, around, &mut tell).unwrap();
            assert!(summary.is_same(), "{name}: {summary:?}");
        }
    }
}

/// What each verb is asked to do with `IN`, and whether it writes `OUT`, which then holds what `IN`
/// does.
const LINES: &[(&str, bool)] = &[
    ("info IN", false),
    ("ls IN", false),
    ("ls --json IN", false),
    ("show IN --range 0:9,0:9", false),
    ("show IN --json", false),
    ("stats IN", false),
    ("stats --json IN", false),
    ("diff IN EXPECTED", false),
    ("plot IN -o - --to svg", false),
    ("plot IN --kind lengths", false),
    ("report IN -o -", false),
    ("check IN", false),
    ("index IN -o out.index --overwrite", false),
    ("convert IN OUT --overwrite", true),
    ("select IN OUT --overwrite --glob *", true),
    ("sort IN OUT --overwrite", true),
    ("merge IN OUT --overwrite", true),
    ("split IN out.{part}.jsonl --overwrite -n 1", true),
    ("repair IN -o OUT --overwrite", true),
];

/// Kinds of inputs beside one of each format.
const KINDS: [&str; 7] = [
    "kaldi/scp-offsets",
    "audio/wav-folder",
    "spraak/seg",
    "spraak/corpus",
    "spraak/dictionary",
    "kaldi/object-posterior",
    "kaldi/object-gauss-posterior",
];

/// One input of each format, the one with most to say, and one of each of [`KINDS`]; with what it
/// holds.
fn cases() -> BTreeMap<String, (PathBuf, PathBuf)> {
    let mut cases: BTreeMap<String, (PathBuf, PathBuf)> = BTreeMap::new();
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    for (input, expected) in fixtures() {
        let format = opened(&input).format.info().name;
        let case = (input.clone(), expected.clone());
        let largest = cases
            .entry(format.to_owned())
            .or_insert_with(|| case.clone());
        if size(&largest.1) < size(&expected) && size(&expected) < 100_000 {
            *largest = case.clone();
        }
        let folder = expected.parent().unwrap();
        if let Some(kind) = KINDS.iter().find(|kind| folder.ends_with(kind)) {
            cases.insert((*kind).to_owned(), case);
        }
    }
    // What lossy files hold differs in the last bits from decoder to decoder.
    for name in ["mono.mp3", "mono.ogg"] {
        let input = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/lossy")
            .join(name);
        let format = opened(&input).format.info().name;
        cases.insert(format.to_owned(), (input.clone(), input));
    }
    cases
}

/// Whether a verb has to say no to an input that holds `expected`; `None` if that depends on more.
fn must_refuse(line: &str, format: &'static dyn Format, expected: &Path) -> Option<bool> {
    let (mut reader, mut utt) = (open(expected), Utterance::default());
    let (mut has_lengths, mut has_times, mut elsewhere) = (false, false, false);
    while reader.read(&mut utt).unwrap() {
        elsewhere |= matches!(utt.audio, Some(Audio::Reference(_)));
        has_lengths |= utt.frames() > 0 || utt.audio.is_some();
        has_times |= !utt.tiers.is_empty();
    }
    match line.split_whitespace().next() {
        // Script files have none either, and folders.
        Some("index") => (format.info().index == IndexKind::Own).then_some(true),
        // Lists of words and what has no frames.
        // The sound of fixtures is nowhere.
        Some("plot" | "report" | "repair" | "stats") if elsewhere => None,
        Some("plot") if line.contains("lengths") => Some(!has_lengths),
        Some("plot") => Some(!has_lengths && !has_times),
        // Some fixtures are odd.
        Some("check") => None,
        _ => Some(false),
    }
}

/// Whether a verb gives a reason that it may have.
fn has_reason(line: &str, printed: &str, said: &str) -> bool {
    let no_index = [
        "needs no index",
        "is not a plain archive",
        "is made for one file",
        "no index gives it any",
    ];
    match line.split_whitespace().next() {
        Some("index") => no_index.iter().any(|reason| said.contains(reason)),
        Some("plot" | "report") => {
            said.contains("nothing in it can be drawn") || said.contains("cannot open")
        }
        Some("stats") => said.contains("its sound was not read: cannot open"),
        Some("check") => said.is_empty() && printed.contains("fault"),
        Some("repair") => said.contains("skipped: ") && said.contains("cannot open"),
        _ => false,
    }
}

#[test]
fn every_verb_takes_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[String]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spr-convert"));
        command
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let cases = cases();
    for format in builtin::registry().names() {
        assert!(cases.contains_key(format), "{format} has no fixture");
    }
    let mut done = 0;
    for (name, (input, expected)) in &cases {
        let format = opened(input).format;
        for (line, writes) in LINES {
            let word = |word: &str| match word {
                "IN" => input.to_str().unwrap().to_owned(),
                "EXPECTED" => expected.to_str().unwrap().to_owned(),
                "OUT" => "out.0.jsonl".to_owned(),
                word => word.to_owned(),
            };
            let output = run(&line.split_whitespace().map(word).collect::<Vec<_>>());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let passed = output.status.success();
            if let Some(refused) = must_refuse(line, format, expected) {
                assert_eq!(!passed, refused, "{name}: {line}: {said}");
            }
            if passed {
                done += 1;
                let written = output.stdout.is_empty();
                let quiet = *writes || line.starts_with("index") || line.starts_with("diff");
                assert_eq!(written, quiet, "{name}: {line}: {said}");
            } else {
                let printed = String::from_utf8_lossy(&output.stdout);
                let right = has_reason(line, &printed, &said);
                assert!(right, "{name}: {line}: {printed}{said}");
            }
            if *writes && passed {
                let words = [
                    "diff",
                    "--by-key",
                    "out.0.jsonl",
                    expected.to_str().unwrap(),
                ];
                let output = run(&words.map(str::to_owned));
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(output.status.success(), "{name}: {line}: {said}");
            }
        }
        // One utterance by its name.
        let listed = run(&["ls", "--json", input.to_str().unwrap()].map(str::to_owned));
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let first: serde_json::Value =
            serde_json::from_str(listed.lines().next().unwrap()).unwrap();
        if let Some(key) = first["key"].as_str().filter(|key| !key.is_empty()) {
            let words = ["show", input.to_str().unwrap(), "--", key].map(str::to_owned);
            assert!(run(&words).status.success(), "{name}: show {key}");
        }
    }
    let formats = builtin::registry().names().len();
    assert_eq!(cases.len(), formats + KINDS.len());
    assert!(done > 300, "{done} lines");
}
