//! Every small fixture cut at every byte and changed 10 000 times, read and salvaged, with the time
//! and the memory that each case takes.
//!
//!     cargo bench --bench damage [-- WORD]
//!
//! reads the fixtures whose path contains WORD. Each has a process of its own, so that its peak of
//! memory can be told. The status is 1 if a case was too slow, took too much memory, or died.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, exit};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use spr_convert::builtin;
use spr_core::Limits;
use spr_core::bytes::{Access, Env, Source};
use spr_core::format::Format;
use spr_testkit::damaged::{files, read};
use spr_testkit::faults::{Random, flip};

const LARGEST: u64 = 64 << 10;
const FLIPS: u64 = 10_000;
/// What a case may take.
const SLOWEST: Duration = Duration::from_secs(1);
const MOST_KIB: u64 = 200 << 10;
/// A case that takes so long has no end.
const ENDLESS: Duration = Duration::from_secs(30);
/// Cases between two looks at the memory.
const LOOK: u64 = 50;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args()
        .skip(1)
        .filter(|w| w != "--bench")
        .collect();
    if let [file, _] = words.as_slice() {
        one(Path::new(file));
        return ExitCode::SUCCESS;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let (mut cases, mut seen, mut bad) = (0, 0, Vec::new());
    let (mut slowest, mut largest) = (Report::default(), Report::default());
    for path in files(&root, LARGEST) {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        if words.first().is_some_and(|word| !name.contains(&**word)) {
            continue;
        }
        let program = std::env::current_exe().unwrap();
        let output = Command::new(program).arg(&path).arg("alone").output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let Some(report) = Report::parse(&name, &said).filter(|_| output.status.success()) else {
            let cause = String::from_utf8_lossy(&output.stderr).into_owned();
            println!("{name}: {}\n{said}{cause}", output.status);
            bad.push(name);
            continue;
        };
        seen += u64::from(report.cases > 0);
        cases += report.cases;
        if report.time > SLOWEST || report.kib > MOST_KIB {
            println!("{report}");
            bad.push(name);
        }
        if report.time > slowest.time {
            slowest = report.clone();
        }
        if report.kib > largest.kib {
            largest = report;
        }
    }
    println!("{seen} files, {cases} cases");
    println!("slowest: {slowest}\nlargest: {largest}");
    match bad.as_slice() {
        [] if seen > 0 => ExitCode::SUCCESS,
        _ => {
            println!("{} files failed: {}", bad.len(), bad.join(" "));
            ExitCode::FAILURE
        }
    }
}

/// What the process of one file found.
#[derive(Clone, Default)]
struct Report {
    name: String,
    cases: u64,
    time: Duration,
    slow: String,
    kib: u64,
    large: String,
}

impl Report {
    fn parse(name: &str, line: &str) -> Option<Self> {
        let words: Vec<_> = line.split_whitespace().collect();
        let [cases, micros, slow, kib, large] = words.as_slice() else {
            return None;
        };
        Some(Self {
            name: name.to_owned(),
            cases: cases.parse().ok()?,
            time: Duration::from_micros(micros.parse().ok()?),
            slow: (*slow).to_owned(),
            kib: kib.parse().ok()?,
            large: (*large).to_owned(),
        })
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, ms, mib) = (&self.name, self.time.as_millis(), self.kib >> 10);
        write!(
            f,
            "{name}: {} cases, {ms} ms at {}, ",
            self.cases, self.slow
        )?;
        write!(f, "{mib} MiB until {}", self.large)
    }
}

/// Damages one file and prints a report.
fn one(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let Some(format) = format_of(path, &bytes) else {
        println!("0 0 none {} none", peak());
        return;
    };
    let env = Env::new(Limits::default(), Access::Safe, |_| {});
    let mut worst = (Duration::ZERO, String::new());
    let (mut most, mut at_most) = (0, String::new());
    let mut cases = 0;
    watch();
    let mut random = Random::new(bytes.len() as u64);
    let cuts = (0..bytes.len()).map(|n| (format!("cut-{n}"), bytes[..n].to_vec()));
    let flips = (0..FLIPS).map(|n| (format!("flip-{n}"), flip(&bytes, &mut random)));
    for (name, damaged) in cuts.chain(flips) {
        for salvage in [false, true] {
            let run = || {
                *NOW.lock().unwrap() = Some((Instant::now(), name.clone()));
                let start = Instant::now();
                read(format, &damaged, salvage, &env);
                start.elapsed()
            };
            let mut time = run();
            if time > SLOWEST / 2 {
                // Others may have had the processor.
                time = time.min(run());
            }
            if time > worst.0 {
                worst = (time, name.clone());
            }
            cases += 1;
            if cases % LOOK == 0 && peak() > most {
                (most, at_most) = (peak(), name.clone());
            }
        }
    }
    let (time, slow) = (worst.0.as_micros(), worst.1);
    println!("{cases} {time} {slow} {} {at_most}.", peak().max(most));
}

/// The format by content, else by name or family.
fn format_of(path: &Path, bytes: &[u8]) -> Option<&'static dyn Format> {
    let registry = builtin::registry();
    let mut source = Source::from_bytes("fixture", bytes.to_vec()).ok()?;
    let extension = path.extension().and_then(|e| e.to_str());
    registry
        .detect(&mut source)
        .ok()
        .or_else(|| registry.by_extension(extension?).first().copied())
}

/// The most memory that this process has had, in KiB; 0 where the system does not tell.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

/// The case that runs.
static NOW: Mutex<Option<(Instant, String)>> = Mutex::new(None);

/// Ends the process if a case does not.
fn watch() {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            let now = NOW.lock().unwrap();
            if let Some((since, name)) = &*now
                && since.elapsed() > ENDLESS
            {
                println!("no end at {name}");
                exit(2);
            }
        }
    });
}
