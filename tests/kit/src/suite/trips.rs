//! What is declared comes back as it was.

use std::fs;
use std::path::PathBuf;

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use spr_core::format::{Count, Empty, Format, Keys, Registry};
use spr_core::model::{Dtype, Rank, Utterance};
use spr_core::{ErrorKind, Limits};

use super::{Bench, keeps_keys};
use crate::faults;
use crate::generate::{self, Columns, Plan};

pub(super) fn run(bench: &Bench<'_>) {
    sweep(bench);
    limits(bench);
    empties(bench);
    generated(bench);
    streams(bench);
    compressed(bench);
    recognised(bench);
    dribbled(bench);
}

/// Writes, reads back and compares.
pub(super) fn trip(bench: &Bench<'_>, utts: &[Utterance]) -> Result<(), String> {
    let (parent, path) = bench.place();
    let (format, pairs) = (bench.suite.format, bench.pairs);
    let written =
        crate::write(format, pairs, utts, &path).map_err(|e| format!("writing failed: {e}"))?;
    let frames: u64 = utts.iter().map(Utterance::frames).sum();
    if (written.utterances, written.frames) != (utts.len() as u64, frames) {
        return Err(format!(
            "wrote {} utterances of {frames} frames, the writer counts {written:?}",
            utts.len()
        ));
    }
    let bytes = size_of_all(parent.path());
    if written.bytes != bytes {
        return Err(format!(
            "wrote files of {bytes} bytes, the writer counts {}",
            written.bytes
        ));
    }
    let back =
        crate::read(format, pairs, &path).map_err(|e| format!("reading back failed: {e}"))?;
    let mut want = utts.to_vec();
    if bench.folder {
        want.sort_by(|a, b| a.key.cmp(&b.key));
    }
    crate::compare_all(&want, &back, keeps_keys(bench.caps.keys), bench.suite.text)
}

fn size_of_all(folder: &std::path::Path) -> u64 {
    let mut sum = 0;
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let entry = entry.expect("the folder is readable");
        let meta = entry.metadata().expect("the file exists");
        sum += if meta.is_dir() {
            size_of_all(&entry.path())
        } else {
            meta.len()
        };
    }
    sum
}

fn check(bench: &Bench<'_>, step: &str, utts: Vec<Utterance>) {
    let utts = bench.prepared(utts);
    if let Err(e) = trip(bench, &utts) {
        bench.fail(format_args!("round trip, {step}"), e);
    }
}

fn one(key: &str, features: Option<spr_core::model::Matrix>) -> Utterance {
    Utterance {
        key: key.into(),
        features,
        ..Utterance::default()
    }
}

/// Every element type of every sort of data set, with values of all kinds.
fn sweep(bench: &Bench<'_>) {
    for plan in generate::plans(&bench.caps) {
        for &dtype in bench.caps.features.map_or(&[][..], |f| f.dtypes) {
            let Some(rank) = plan.features else { break };
            let mut utts = bench.sample(plan, 1);
            let (rows, cols) = match rank {
                Rank::Scalar => (1, 1),
                Rank::Vector => (30, 1),
                Rank::Matrix => (30, utts[0].features_mut().cols()),
            };
            utts[0].features = Some(generate::matrix(dtype, rank, rows, cols, 3));
            let label_dtype = bench.caps.labels.map_or(Dtype::I32, |l| l.dtypes[0]);
            if let Some(labels) = &mut utts[0].labels {
                *labels = generate::matrix(label_dtype, labels.rank(), rows, labels.cols(), 4);
            }
            check(bench, &format!("{dtype} in {plan:?}"), utts);
        }
        for &dtype in bench.caps.labels.map_or(&[][..], |l| l.dtypes) {
            let Some(columns) = plan.labels else { break };
            let mut utts = bench.sample(plan, 1);
            let rows = usize::try_from(utts[0].frames()).expect("small");
            utts[0].labels = Some(match columns {
                Columns::One => generate::matrix(dtype, Rank::Vector, rows, 1, 5),
                Columns::Several => generate::matrix(dtype, Rank::Matrix, rows, 2, 5),
            });
            check(bench, &format!("labels of {dtype} in {plan:?}"), utts);
        }
        for &dtype in bench.caps.audio.iter().filter(|_| plan.audio) {
            for (rows, cols) in [(30, 1), (31, 3), (1, 40)] {
                let mut utts = bench.sample(plan, 1);
                if let Some(audio) = &mut utts[0].audio {
                    audio.samples = generate::matrix(dtype, Rank::Matrix, rows, cols, 7);
                }
                check(bench, &format!("audio of {cols} x {dtype}"), utts);
            }
        }
    }
}

/// The most rows and columns, where that is not too much for a test.
fn limits(bench: &Bench<'_>) {
    let caps = bench.caps;
    if let Some(features) = caps.features {
        let dtype = features.dtypes[0];
        let shapes = [(1, features.max_cols), (caps.max_rows, 1)];
        for (rows, cols) in shapes.map(|(r, c)| (r.min(1000), c.min(1000))) {
            let (rows, cols) = (small(rows), small(cols));
            let matrix = generate::plain(dtype, Rank::Matrix, rows, cols);
            check(
                bench,
                &format!("{rows} x {cols}"),
                vec![one("a", Some(matrix))],
            );
        }
    }
    if let Some(labels) = caps.labels.filter(|l| l.max_columns > 1) {
        let columns = small(labels.max_columns.min(50));
        for plan in generate::plans(&caps) {
            if plan.labels == Some(Columns::Several) {
                let mut utts = bench.sample(plan, 1);
                let matrix = generate::plain(labels.dtypes[0], Rank::Matrix, 2, columns);
                utts[0].labels = Some(matrix);
                check(bench, &format!("{columns} label columns"), utts);
            }
        }
    }
}

fn small(n: u64) -> usize {
    usize::try_from(n).expect("a small number")
}

/// Utterances without frames, between others and alone, and data sets without utterances.
fn empties(bench: &Bench<'_>) {
    if bench.caps.empty != Empty::Refused {
        for plan in generate::plans(&bench.caps) {
            let shapeless = bench.caps.empty == Empty::Shapeless;
            if plan.features == Some(Rank::Scalar)
                || shapeless && plan.labels == Some(Columns::Several)
            {
                continue;
            }
            let mut utts = bench.sample(plan, most(bench, 3));
            let empty = utts.len() / 2;
            let utt = &mut utts[empty];
            if let Some(features) = &mut utt.features {
                let (dtype, rank) = (features.dtype(), features.rank());
                let cols = match rank {
                    Rank::Matrix if shapeless => 0,
                    _ => features.cols(),
                };
                *features = generate::matrix(dtype, rank, 0, cols, 1);
            }
            if let Some(labels) = &mut utt.labels {
                *labels = generate::matrix(labels.dtype(), labels.rank(), 0, labels.cols(), 1);
            }
            if let Some(audio) = &mut utt.audio {
                let samples = &mut audio.samples;
                *samples = generate::matrix(samples.dtype(), Rank::Matrix, 0, samples.cols(), 1);
            }
            let alone = vec![utts[empty].clone()];
            check(bench, &format!("an empty utterance of {plan:?}"), utts);
            check(
                bench,
                &format!("only an empty utterance of {plan:?}"),
                alone,
            );
        }
    }
    let (_parent, path) = bench.place();
    if crate::write(bench.suite.format, bench.pairs, &[], &path).is_ok() {
        match crate::read(bench.suite.format, bench.pairs, &path) {
            Ok(utts) if utts.is_empty() => {}
            other => bench.fail(
                "reading back a data set without utterances",
                format!("{other:?}"),
            ),
        }
    }
}

/// Utterances that an output holds without running them together.
fn most(bench: &Bench<'_>, wanted: usize) -> usize {
    if bench.caps.boundaries { wanted } else { 1 }
}

fn generated(bench: &Bench<'_>) {
    if generate::plans(&bench.caps).is_empty() {
        return;
    }
    let config = Config {
        cases: 100,
        failure_persistence: None,
        ..Config::default()
    };
    let data = generate::dataset(bench.caps, most(bench, 4));
    let result = TestRunner::new(config).run(&data, |utts| {
        trip(bench, &bench.prepared(utts)).map_err(TestCaseError::fail)
    });
    if let Err(e) = result {
        bench.fail("round trip of generated utterances", e);
    }
}

/// Standard output and commands have no place for side files.
fn streams(bench: &Bench<'_>) {
    let Some(caps) = bench.stream_caps() else {
        return;
    };
    let one = caps.count == Count::One || !caps.boundaries;
    // A file of one utterance does not name it.
    let keys = matches!(caps.keys, Keys::Words | Keys::Any);
    for plan in generate::plans(&caps) {
        let utts = bench.sample(plan, if one { 1 } else { 3 });
        let shared = SharedSink::default();
        let output = spr_core::bytes::Output::stream("stream", Box::new(shared.clone()));
        if let Err(e) = crate::write_to(bench.suite.format, &bench.options, &utts, output) {
            bench.fail(format_args!("writing {plan:?} to a stream"), e);
        }
        let bytes = shared.0.lock().expect("no thread died").clone();
        let back = bench.expect("reading back a stream", &bytes);
        if let Err(e) = crate::compare_all(&utts, &back, keys, bench.suite.text) {
            bench.fail("round trip of a stream", e);
        }
    }
}

#[derive(Clone, Default)]
struct SharedSink(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for SharedSink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .expect("no thread died")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl spr_core::bytes::Finish for SharedSink {
    fn finish(self: Box<Self>) -> std::io::Result<()> {
        Ok(())
    }
}

/// A compressed file can be read and, whatever has to be patched, written.
fn compressed(bench: &Bench<'_>) {
    if bench.folder {
        return;
    }
    let (_parent, path) = bench.place();
    let mut packed = path.into_os_string();
    packed.push(".gz");
    let path = PathBuf::from(packed);
    let Some(&plan) = generate::plans(&bench.caps).first() else {
        return;
    };
    let utts = bench.sample(plan, most(bench, 3));
    let (format, pairs) = (bench.suite.format, bench.pairs);
    let back = crate::write(format, pairs, &utts, &path)
        .and_then(|_| crate::read(format, pairs, &path))
        .unwrap_or_else(|e| bench.fail("a compressed file", e));
    let keys = keeps_keys(bench.caps.keys);
    if let Err(e) = crate::compare_all(&utts, &back, keys, bench.suite.text) {
        bench.fail("round trip of a compressed file", e);
    }
}

/// The format knows its own output by its content.
fn recognised(bench: &Bench<'_>) {
    let registry = Registry::new([bench.suite.format]);
    for (plan, bytes) in bench.files() {
        let step = format!("recognising {plan:?}");
        let mut source = faults::one_byte(&bytes).expect("a source");
        match registry.detect(&mut source) {
            Ok(format) if format.info().name == bench.name() => {}
            Ok(format) => bench.fail(step, format.info().name),
            Err(e) => bench.fail(step, e),
        }
        match bench.read_source(source, Limits::default()).whole() {
            Ok(utts) if !utts.is_empty() => {}
            other => bench.fail("reading after recognising", format!("{other:?}")),
        }
        for n in 0..bytes.len().min(300) {
            let head = spr_core::format::Probe {
                head: &bytes[..n],
                whole: n % 2 == 0,
                len: Some(n as u64),
                path: None,
            };
            // A pure function that never panics.
            let format: &dyn Format = bench.suite.format;
            if format.probe(&head) != format.probe(&head) {
                bench.fail("recognising a prefix", "two answers");
            }
        }
    }
    let mut nothing = faults::one_byte(&[]).expect("a source");
    match registry.detect(&mut nothing) {
        Err(e) if e.kind() == ErrorKind::Unrecognised => {}
        other => bench.fail("recognising an empty file", format!("{:?}", other.is_ok())),
    }
}

/// A source that gives a byte a read is the same data.
fn dribbled(bench: &Bench<'_>) {
    for (Plan { .. }, bytes) in bench.files() {
        let whole = bench.expect("reading from memory", &bytes);
        let source = faults::one_byte(&bytes).expect("a source");
        match bench.read_source(source, Limits::default()).whole() {
            Err(e) => bench.fail("reading a byte at a time", e),
            Ok(utts) => {
                if let Err(e) = crate::compare_all(&whole, &utts, true, false) {
                    bench.fail("reading a byte at a time", e);
                }
            }
        }
    }
}
