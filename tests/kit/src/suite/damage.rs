//! Files cut short or changed, disks that are full, writers that are dropped.

use std::fs;

use spr_core::Limits;
use spr_core::bytes::Output;
use spr_core::model::{About, Matrix, Utterance};

use super::Bench;
use crate::faults::{self, Drained, FailingSink, Random};
use crate::generate;

/// What a damaged file may make a reader ask for.
const SMALL: Limits = Limits {
    max_alloc: 1 << 20,
    max_unpacked: 1 << 20,
    max_header: 64 << 10,
    max_depth: 50,
};

/// Bytes by which a process may grow while it reads small damaged files within [`SMALL`].
const GROWTH: u64 = 1 << 30;

pub(super) fn run(bench: &Bench<'_>) {
    let before = address_space();
    for (plan, bytes) in bench.files() {
        let kind = format!("{plan:?}");
        cut(bench, &kind, &bytes);
        appended(bench, &kind, &bytes);
        changed(bench, &kind, &bytes);
    }
    let grown = address_space().saturating_sub(before);
    if grown > GROWTH {
        bench.fail(
            "damaged files",
            format_args!("memory grew by {grown} bytes"),
        );
    }
    full(bench);
    dropped(bench);
}

/// The largest size that the process had so far, where the system tells; of an emulator that runs it, it would
/// tell the emulator's.
fn address_space() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if status.starts_with("Name:\tqemu-") {
        return 0;
    }
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Every place in a short file; in a long one its two ends and some between.
fn places(len: usize) -> impl Iterator<Item = usize> {
    (0..len).filter(move |n| len <= 8192 || *n < 2048 || *n + 2048 > len || n % 61 == 0)
}

/// Every error says in which file it was.
fn check_errors(bench: &Bench<'_>, step: &str, drained: &Drained) {
    for error in &drained.errors {
        if error.file_name().is_none() {
            bench.fail(step, format_args!("an error names no file: {error}"));
        }
    }
}

/// A file cut short is an error, or it ends between utterances where that is allowed.
fn cut(bench: &Bench<'_>, kind: &str, bytes: &[u8]) {
    let whole = bench.expect("reading from memory", bytes);
    for n in places(bytes.len()) {
        let step = format!("{kind} of {} bytes cut to {n}", bytes.len());
        let drained = bench.read_bytes(&bytes[..n], Limits::default());
        check_errors(bench, &step, &drained);
        let got = bench.intact(&drained);
        let other_kind = bench.suite.kind_by_length && got.len() == 1;
        if let Err(e) = bench.compare_cut(&whole, &drained, true, false)
            && !other_kind
            && !(bench.suite.warns_of_missing_end && bench.warns(&bytes[..n]))
        {
            bench.fail(step, format_args!("gives other data: {e}"));
        }
        let newline = bench.suite.text && n + 1 == bytes.len() && got.len() == whole.len();
        if drained.errors.is_empty() && !bench.suite.self_delimiting && !newline {
            bench.fail(
                step,
                format_args!("read {} utterances without an error", got.len()),
            );
        }
    }
}

/// What follows the data is an error, or at least not passed over in silence.
fn appended(bench: &Bench<'_>, kind: &str, bytes: &[u8]) {
    for rubbish in [&b"\0"[..], b"\xff\xfe\xfd\xfc", b"}{ rubbish 1.2.3 ]["] {
        let step = format!("{kind} with {rubbish:02x?} appended");
        let longer = [bytes, rubbish].concat();
        let drained = bench.read_bytes(&longer, Limits::default());
        check_errors(bench, &step, &drained);
        let warned = bench.suite.warns_of_more && bench.warns(&longer);
        if drained.errors.is_empty() && !warned {
            bench.fail(step, "no error");
        }
    }
}

/// Changed bytes give an error or other data, within the limits.
fn changed(bench: &Bench<'_>, kind: &str, bytes: &[u8]) {
    let check = |step: &str, damaged: &[u8]| {
        let drained = bench.read_bytes(damaged, SMALL);
        check_errors(bench, step, &drained);
        let large = |m: &Matrix| m.as_bytes().len() as u64 > SMALL.max_alloc;
        if drained.utterances.iter().flat_map(matrices).any(large) {
            bench.fail(step, "a matrix is larger than the limit");
        }
    };
    let mut random = Random::new(1);
    for n in 0..2000 {
        let damaged = faults::flip(bytes, &mut random);
        check(&format!("{kind}, bit flip {n}"), &damaged);
    }
    let sizes: [&[u8]; 5] = [
        &[0xff; 4],
        &[0xff, 0xff, 0xff, 0x7f],
        &[0x7f, 0xff, 0xff, 0xff],
        &[0xff; 8],
        b"99999999",
    ];
    for at in places(bytes.len()).take(3000) {
        for with in sizes {
            let damaged = faults::smash(bytes, at, with);
            check(&format!("{kind}, {with:02x?} at byte {at}"), &damaged);
        }
    }
}

/// Everything in an utterance that is a matrix.
fn matrices(utt: &Utterance) -> impl Iterator<Item = &Matrix> {
    let sound = utt.waveform().map(|sound| &sound.samples);
    let arrays = utt.arrays.iter().map(|array| array.array.values());
    utt.features
        .iter()
        .chain(&utt.labels)
        .chain(sound)
        .chain(arrays)
}

/// A sink that fails, wherever it fails, is an error of the writer.
fn full(bench: &Bench<'_>) {
    let Some(caps) = bench.stream_caps() else {
        return;
    };
    let Some(&plan) = generate::plans(&caps).first() else {
        return;
    };
    let count = if bench.folder || !caps.boundaries {
        1
    } else {
        3
    };
    let utts = bench.sample(plan, count);
    let len = match bench.memory(&utts) {
        Ok(bytes) => bytes.len(),
        Err(e) => bench.fail("writing to memory", e),
    };
    // With room for everything it is the closing of the stream that fails.
    for room in places(len).step_by(1 + len / 500).chain([len]) {
        let output = Output::stream("full", Box::new(FailingSink::new(room))).within(&bench.env);
        let (format, options) = (bench.suite.format, &bench.options);
        match crate::write_within(format, options, &utts, output, &bench.env) {
            Ok(_) => bench.fail(format_args!("room for {room} of {len} bytes"), "no error"),
            Err(e) if e.file_name().is_none() => {
                bench.fail("a full disk", format_args!("an error names no file: {e}"));
            }
            Err(_) => {}
        }
    }
}

/// A writer that is dropped, or an output that is not committed, leaves nothing behind.
fn dropped(bench: &Bench<'_>) {
    for plan in generate::plans(&bench.caps) {
        let count = bench.most(2);
        for finish in [false, true] {
            let place = bench.place();
            let run = || {
                let (format, output) = (bench.suite.format, bench.output(&place));
                let mut writer =
                    format.create(output, &bench.options, &About::default(), &place.env)?;
                for utt in &bench.sample(plan, count) {
                    writer.write(utt)?;
                }
                if finish {
                    writer.finish().map(drop)
                } else {
                    Ok(())
                }
            };
            if let Err(e) = run() {
                bench.fail("writing to drop it", e);
            }
            if !place.store.locations().is_empty() {
                bench.fail(
                    "a dropped writer",
                    format_args!("files are left ({finish})"),
                );
            }
        }
    }
}
