//! Every reader with every writer: what passes comes back the same, what does not is refused by
//! the name of the loss.
//!
//! The formats are those that are built in. What is expected of each stands with it, in
//! `formats/NAME/tests/pairs.txt`: a section `[FORMAT ENDING]` or `[WHAT of FORMAT ENDING]` for each
//! sort of output, with a line for each of the [data sets](data::DATA).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod data;
mod held;
mod rounding;
mod sections;

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use spr_convert::builder::PlanBuilder;
use spr_convert::core::bytes::Env;
use spr_convert::core::format::{Count, Medium, Options, Request};
use spr_convert::core::loss::{LossKind, LossReport};
use spr_convert::core::model::Utterance;
use spr_convert::job::{Job, Outcome};
use spr_convert::{Error, ErrorKind, builtin};

use data::{DATA, MISSING};
use held::difference;
use sections::{Expect, Loss, Missing, Refused, Same, Section, sections};

/// Pairs that are tried at least, whatever the sections say.
const PAIRS: usize = 2000;

/// Stands for the section of what is converted first.
const BASE: &str = "as it is";

/// Safe surroundings, in which nothing waits for the disk.
fn env() -> Env {
    let mut env = builtin::env();
    env.durable = false;
    env
}

/// The format of a section, where the name of a file or folder doesn't tell it.
fn named(section: &str) -> Option<&'static str> {
    let name = section.rsplit(' ').next()?;
    let format = builtin::registry().find(name)?;
    let is_folder = section.starts_with("folder of ");
    (is_folder || format.info().extensions.is_empty()).then_some(format.info().name)
}

/// Converts what was written for the section `from` into a file of the section `to`.
fn convert((from, input): (&str, &Path), (to, output): (&str, &Path)) -> Result<Outcome, Error> {
    let (registry, env) = (builtin::registry(), env());
    let (input, output) = (input.to_str().unwrap(), output.to_str().unwrap());
    let mut builder = PlanBuilder::new(&registry, &env);
    if let Some(format) = named(from) {
        builder.format(format)?;
    }
    if let Some(format) = named(to) {
        builder.output_format(format)?;
    }
    let plan = builder.input(input)?.output(output)?.finish()?;
    Job::new(plan).run(&registry, &env, &mut ())
}

fn read(section: &str, path: &Path) -> Vec<Utterance> {
    let (registry, env) = (builtin::registry(), env());
    let path = path.to_str().unwrap();
    let mut builder = PlanBuilder::new(&registry, &env);
    if let Some(format) = named(section) {
        builder.format(format).unwrap();
    }
    let plan = builder.input(path).unwrap().finish().unwrap();
    let opened = plan.open(Request::all(), &registry, &env).unwrap();
    let (mut reader, mut all) = (opened.reader, Vec::new());
    let mut utt = Utterance::default();
    while reader.read(&mut utt).unwrap() {
        all.push(utt.clone());
    }
    all
}

/// Whether outputs of a format are only ever folders.
fn is_folder(section: &str) -> bool {
    let name = section.rsplit(' ').next().unwrap();
    let format = builtin::registry().find(name);
    format.is_some_and(|format| format.folder().is_some() && format.info().extensions.is_empty())
}

/// Whether it is enough for outputs of a format to say where sound is.
fn holds_references(section: &str) -> bool {
    let name = section.rsplit(' ').next().unwrap();
    let format = builtin::registry().find(name).unwrap();
    let caps = format.caps(&Options::default(), Medium::File);
    caps.is_ok_and(|caps| caps.audio.references)
}

/// Formats that name whole sound files alone.
const MANIFESTS: [&str; 2] = ["nemo", "lhotse"];

/// Formats of archives with sound files in them.
const ARCHIVES: [&str; 4] = ["shar", "nemo-tarred", "webdataset", "hf"];

/// Whether outputs of a format are sound files.
fn is_sound_file(section: &str) -> bool {
    let format = builtin::registry().find(section);
    let caps = format.and_then(|format| format.caps(&Options::default(), Medium::File).ok());
    caps.is_some_and(|caps| {
        caps.count == Count::One && caps.audio.hold_any() && caps.features.is_none()
    })
}

/// Why what came of a conversion is not what was expected, if it is not.
fn surprise(expect: &Expect, result: &Result<Outcome, Error>, target: &Path) -> Option<String> {
    let metadata = LossKind::Metadata.name();
    match (expect, result) {
        (Same, Ok(_)) => return None,
        // What a format always rounds is told.
        (Loss(kind), Ok(outcome)) => {
            let all = outcome.losses.iter().chain(&outcome.rounded);
            let lost = all
                .flat_map(LossReport::lines)
                .any(|(k, _)| k.name() == kind);
            return (!lost).then(|| "went through without a loss".to_owned());
        }
        (Loss(kind), Err(e)) if e.kind() == ErrorKind::Loss && kind != metadata => {
            let hint = e.hint_text().unwrap_or_default();
            if !hint.contains(kind.as_str()) {
                return Some(format!("expected {kind} among {hint}: {e}"));
            }
        }
        (Refused, Err(e)) if e.kind() == ErrorKind::Unfit => {}
        (Missing, Err(e)) if e.kind() == ErrorKind::Io && e.to_string().contains(MISSING) => {}
        (_, Err(e)) => return Some(format!("expected {expect:?}, got {:?}: {e}", e.kind())),
        (_, Ok(_)) => return Some(format!("expected {expect:?}, went through")),
    }
    target.exists().then(|| "left its output".to_owned())
}

/// Whether what is written for a section has segments, and no labels of frames.
fn has_segments(section: &str) -> bool {
    let Some(format) = builtin::registry().find(section) else {
        return section.starts_with("segments of");
    };
    let caps = format.caps(&Options::default(), Medium::File).unwrap();
    caps.segments.is_some() && caps.labels.is_none()
}

/// Tries all pairs with one data set; how many, and what is wrong with them.
fn pairs(name: &str, text: &str, sections: &[Section]) -> (usize, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base.jsonl");
    fs::write(&base, text).unwrap();
    let want = read(BASE, &base);
    let (mut tried, mut faults) = (0, Vec::new());
    let mut attempt = |from: &str, source: &Path, to: usize| {
        let Section {
            name: to,
            ending,
            expect,
        } = &sections[to];
        let target = folder.path().join(format!("{from} {to}{ending}"));
        let result = convert((from, source), (to, &target));
        let segments =
            |section: &&Section| section.name == from && section.expect["segments"] != Same;
        let data = match name {
            // What was written as segments are segments from then on, and labels are labels.
            "labels alone" if has_segments(from) => "segments that are frame labels",
            "segments that are frame labels"
                if !has_segments(from) && sections.iter().any(|s| segments(&s)) =>
            {
                "labels alone"
            }
            name => name,
        };
        let is_sound = ["audio of 16 bits", "audio of more bits", "a sound file"].contains(&name);
        let inside = ARCHIVES.iter().any(|name| from.ends_with(name));
        let somewhere = inside || is_folder(from) || is_sound_file(from);
        let expect = match is_sound && somewhere && holds_references(to) {
            // What was written into an archive is no file that a manifest can name.
            true if inside && MANIFESTS.iter().any(|name| to.ends_with(name)) => &Refused,
            // What was written as sound files is somewhere else from then on.
            true => &Same,
            false => &expect[data],
        };
        let mut fault = surprise(expect, &result, &target);
        if *expect == Same && result.is_ok() {
            fault = difference(&want, &read(from, source), &read(to, &target));
        }
        faults.extend(fault.map(|fault| format!("{name}: {from} -> {to}: {fault}")));
        (*expect == Same && result.is_ok()).then_some(target)
    };
    for (n, section) in sections.iter().enumerate() {
        let Some(source) = attempt(BASE, &base, n) else {
            continue;
        };
        for to in 0..sections.len() {
            attempt(&section.name, &source, to);
            tried += 1;
        }
    }
    (tried, faults)
}

#[test]
fn every_pair() {
    let (sections, faults) = sections();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let next = AtomicUsize::new(0);
    let done = Mutex::new((0, Vec::new()));
    let work = || {
        while let Some((name, text)) = DATA.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (tried, faults) = pairs(name, text, &sections);
            let mut done = done.lock().unwrap();
            done.0 += tried;
            done.1.extend(faults);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let (tried, faults) = done.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let passes = sections.iter().flat_map(|section| section.expect.values());
    let passes = passes.filter(|expect| **expect == Same).count();
    assert_eq!(tried, passes * sections.len(), "pairs tried");
    assert!(tried >= PAIRS, "{tried} pairs");
}

/// A comparison that finds nothing would let everything pass.
#[test]
fn differences_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen: Vec<Vec<Utterance>> = Vec::new();
    for (name, text) in DATA {
        let path = folder.path().join("base.jsonl");
        fs::write(&path, text).unwrap();
        let own = read(BASE, &path);
        assert_eq!(difference(&own, &own, &own), None, "{name}");
        for other in &seen {
            assert!(difference(&own, other, other).is_some(), "{name}");
        }
        seen.push(own);
    }
}
