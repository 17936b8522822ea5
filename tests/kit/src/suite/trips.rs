//! What is declared comes back as it was.

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use spr_core::bytes::{Location, Output, Source};
use spr_core::format::{Count, Empty, Format, Keys, Registry, Request};
use spr_core::model::{Audio, Decimal, Dtype, Rank, Utterance};
use spr_core::{Error, ErrorKind, Limits, Remedy};

use super::{Bench, keeps_keys, request_for};
use crate::faults;
use crate::generate::{self, Columns, Other, Plan};

pub(super) fn run(bench: &Bench<'_>) {
    sweep(bench);
    limits(bench);
    empties(bench);
    generated(bench);
    streams(bench);
    on_disk(bench);
    recognised(bench);
    dribbled(bench);
}

/// Writes, reads back and compares.
pub(super) fn trip(bench: &Bench<'_>, utts: &[Utterance]) -> Result<(), String> {
    let place = bench.place();
    let written = bench
        .write(utts, &place)
        .map_err(|e| format!("writing failed: {e}"))?;
    let frames: u64 = utts.iter().map(Utterance::frames).sum();
    if (written.utterances, written.frames) != (utts.len() as u64, frames) {
        return Err(format!(
            "wrote {} utterances of {frames} frames, the writer counts {written:?}",
            utts.len()
        ));
    }
    let files = place.store.locations().into_iter();
    let bytes: usize = files
        .filter_map(|at| Some(place.store.get(at)?.len()))
        .sum();
    if written.bytes != bytes as u64 {
        return Err(format!(
            "wrote files of {bytes} bytes, the writer counts {}",
            written.bytes
        ));
    }
    let back = bench.read(&place, request_for(utts));
    let back = back.map_err(|e| format!("reading back failed: {e}"))?;
    let mut want = utts.to_vec();
    if bench.folder {
        want.sort_by(|a, b| a.key.cmp(&b.key));
    }
    crate::compare_all(&want, &back, keeps_keys(bench.caps.keys), bench.suite.text)
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
        for &dtype in bench.caps.audio.dtypes {
            if plan.other != Some(Other::Samples) {
                break;
            }
            for (rows, cols) in [(30, 1), (31, 3), (1, 40)] {
                let cols = generate::channels(&bench.caps.audio, cols);
                let mut utts = bench.sample(plan, 1);
                if let Some(sound) = utts[0].audio.as_mut().and_then(Audio::waveform_mut) {
                    let samples = generate::matrix(dtype, Rank::Matrix, rows, cols, 7);
                    sound.samples = generate::held_bits(samples, &bench.caps.audio);
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
            let (rows, cols) = (small(rows), small(features.cols.unwrap_or(cols)));
            let matrix = generate::plain(dtype, Rank::Matrix, rows, cols);
            let mut utt = one("a", Some(matrix));
            if features.needs_shift {
                utt.meta.frame_shift = Decimal::parse("0.01");
            }
            check(bench, &format!("{rows} x {cols}"), vec![utt]);
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
                || plan.other.is_some_and(|other| other != Other::Samples)
                || shapeless && plan.labels == Some(Columns::Several)
                || plan.other == Some(Other::Samples) && bench.caps.audio.needs_samples
            {
                continue;
            }
            let mut utts = bench.sample(plan, bench.most(3));
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
            if let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) {
                let samples = &mut sound.samples;
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
    let place = bench.place();
    if bench.write(&[], &place).is_ok() && !place.store.locations().is_empty() {
        match bench.read(&place, Request::all()) {
            Ok(utts) if utts.is_empty() => {}
            other => bench.fail(
                "reading back a data set without utterances",
                format!("{other:?}"),
            ),
        }
    }
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
    let data = generate::dataset(bench.caps, bench.most(4));
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
        let output = Output::stream("stream", Box::new(shared.clone())).within(&bench.env);
        let (format, options) = (bench.suite.format, &bench.options);
        if let Err(e) = crate::write_within(format, options, &utts, output, &bench.env) {
            bench.fail(format_args!("writing {plan:?} to a stream"), e);
        }
        let bytes = shared.0.lock().expect("no thread died").clone();
        let source = Source::from_bytes("stream", bytes);
        let back = bench
            .read_asked(source, request_for(&utts), Limits::default())
            .whole();
        let back = back.unwrap_or_else(|e| bench.fail("reading back a stream", e));
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

/// On a disk, a file can be read and written, and, whatever has to be patched, a compressed one.
fn on_disk(bench: &Bench<'_>) {
    let Some(&plan) = generate::plans(&bench.caps).first() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = folder
        .path()
        .join(bench.place().at.to_str().expect("UTF-8"));
    let utts = bench.sample(plan, bench.most(3));
    for suffix in ["", ".gz"] {
        if bench.folder && !suffix.is_empty() {
            continue;
        }
        let at = Location::from(&name).with_suffix(suffix);
        let (format, options) = (bench.suite.format, &bench.options);
        let back = crate::locator(format, options, &at).and_then(|locator| {
            let output = bench.env.output(&locator);
            crate::write_within(format, options, &utts, output, &bench.env)?;
            let (options, request) = (options.clone(), request_for(&utts));
            let reader = crate::open_within(format, options, &at, request, &bench.env)?;
            faults::drain(reader).whole()
        });
        let back = back.unwrap_or_else(|e| bench.fail(format_args!("a file{suffix}"), e));
        let keys = keeps_keys(bench.caps.keys);
        if let Err(e) = crate::compare_all(&utts, &back, keys, bench.suite.text) {
            bench.fail(format_args!("round trip of a file{suffix}"), e);
        }
    }
}

/// Whether an error offers to read a file as this format.
fn names(error: &Error, format: &str) -> bool {
    matches!(error.remedy(), Some(Remedy::ReadAs(formats)) if formats.contains(&format))
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
            Err(e) if bench.suite.named && e.kind() == ErrorKind::Unrecognised => {}
            // Text that starts as another kind of text needs its name.
            Err(e) if e.kind() == ErrorKind::Ambiguous && names(&e, bench.name()) => {}
            Err(e) => bench.fail(step, e),
        }
        match bench
            .read_asked(Ok(source), Request::all(), Limits::default())
            .whole()
        {
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
        match bench
            .read_asked(Ok(source), Request::all(), Limits::default())
            .whole()
        {
            Err(e) => bench.fail("reading a byte at a time", e),
            Ok(utts) => {
                if let Err(e) = crate::compare_all(&whole, &utts, true, false) {
                    bench.fail("reading a byte at a time", e);
                }
            }
        }
    }
}
