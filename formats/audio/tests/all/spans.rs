//! Spans of recordings in every coding: their samples, the bytes that they cost, and damage.
#![cfg(all(feature = "flac", feature = "mp3", feature = "vorbis"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spr_core::bytes::{Env, Locator, MemoryStore, ObjectBounds, Part, SampleStream, Source};
use spr_core::format::Format;
use spr_core::model::{Dtype, Limits, Matrix, Rank, Utterance, Waveform};
use spr_core::{ErrorKind, Result};
use spr_format_audio::{AU, FLAC, MP3, OGG, SPHERE, WAV};
use spr_testkit::faults::{Random, flip, one_byte};
use spr_testkit::write_memory;

use super::lossy;
use super::waves::{CODINGS, Sizes, file, fmt};

/// A file, and whether spans of it are read without those before.
struct Case {
    name: String,
    format: &'static dyn Format,
    bytes: Vec<u8>,
    seeks: bool,
}

/// Returns loud and soft stretches of tones with noise, so that the rate of coded bytes varies.
fn values(rows: usize, channels: usize) -> Vec<i16> {
    let mut random = Random::new(rows as u64);
    let sample = |n: usize| {
        let (row, channel) = (n / channels, n % channels);
        let loud = [0, 3, 12, 9][row / 9000 % 4];
        let tone = 1000.0 * (row as f64 * (0.03 + 0.01 * channel as f64)).sin();
        let noise = (random.next() & ((1 << loud) - 1)) as i16;
        if loud == 0 { 7 } else { tone as i16 + noise }
    };
    (0..rows * channels).map(sample).collect()
}

fn encoded(format: &'static dyn Format, samples: Matrix) -> Vec<u8> {
    let utt = Utterance {
        key: "a".into(),
        audio: Some(
            Waveform {
                rate: 8000,
                samples,
            }
            .into(),
        ),
        ..Utterance::default()
    };
    write_memory(format, &[], &[utt]).unwrap()
}

fn coded(format: &'static dyn Format, rows: usize, channels: usize) -> Vec<u8> {
    let samples = Matrix::from_rows(&values(rows, channels), channels, Rank::Matrix);
    encoded(format, samples.unwrap())
}

/// Returns a FLAC file with a seek table, or with one whose bytes are `off` by so many.
fn with_table(flac: &[u8], off: u64) -> Vec<u8> {
    const START: usize = 42;
    let first = flac.windows(2).position(|two| two == [0xff, 0xf8]).unwrap();
    let (mut at, mut points) = (first, Vec::new());
    for frame in 0..128u8 {
        let head = [&flac[first..first + 4], &[frame]].concat();
        let Some(n) = flac[at..].windows(5).position(|bytes| bytes == head) else {
            break;
        };
        at += n;
        if frame % 3 == 0 {
            points.extend((u64::from(frame) * 4096).to_be_bytes());
            points.extend(((at - first) as u64 + off).to_be_bytes());
            points.extend(4096u16.to_be_bytes());
        }
    }
    assert!(points.len() > 18);
    points.extend([0xff; 18]);
    let mut start = flac[..START].to_vec();
    let last = start[4] & 0x80;
    start[4] &= 0x7f;
    let size = u32::try_from(points.len()).unwrap() | u32::from(3 | last) << 24;
    [&start[..], &size.to_be_bytes(), &points, &flac[START..]].concat()
}

fn cases() -> Vec<Case> {
    const ROWS: usize = 60_001;
    let mut all = Vec::new();
    let mut add = |name: String, format: &'static dyn Format, bytes, seeks| {
        all.push(Case {
            name,
            format,
            bytes,
            seeks,
        });
    };
    for channels in [1, 2] {
        for (n, coding) in CODINGS.into_iter().enumerate() {
            let fmt = fmt(coding, channels as u16, n % 2 == 0);
            // Any bytes are samples, but for floats that are no numbers.
            let bytes = values(8000, 1).into_iter().flat_map(i16::to_le_bytes);
            let bytes: Vec<u8> = bytes.map(|byte| byte & 0x3f).collect();
            let bytes = &bytes[..bytes.len() / 48 * 48];
            for (m, sizes) in [Sizes::True, Sizes::Told(0, u32::MAX), Sizes::Long]
                .into_iter()
                .enumerate()
            {
                let name = format!("wav {n} {m} {channels}");
                add(name, &WAV, file(&fmt, bytes, sizes, true), true);
            }
        }
        let mut bytes = Vec::new();
        for (format, seeks) in [(&AU, true), (&SPHERE, false)] {
            bytes = coded(format, ROWS, channels);
            add(
                format!("{} {channels}", format.info().name),
                format,
                bytes.clone(),
                seeks,
            );
        }
        // Without the sum.
        let at = bytes
            .windows(15)
            .position(|line| line == b"sample_checksum")
            .unwrap();
        bytes[at..at + 6].copy_from_slice(b"oldest");
        add(
            format!("sphere without sum {channels}"),
            &SPHERE,
            bytes,
            true,
        );
        let flac = coded(&FLAC, ROWS, channels);
        if channels == 1 {
            add("flac with table".into(), &FLAC, with_table(&flac, 0), true);
            add(
                "flac with wrong table".into(),
                &FLAC,
                with_table(&flac, 999),
                true,
            );
        }
        let mut unknown = flac.clone();
        unknown[21] &= 0xf0;
        unknown[22..26].fill(0);
        add(
            format!("flac without total {channels}"),
            &FLAC,
            unknown,
            false,
        );
        add(format!("flac {channels}"), &FLAC, flac, true);
    }
    let wide: Vec<i32> = values(30_000, 2)
        .into_iter()
        .map(|v| i32::from(v) << 9)
        .collect();
    let wide = Matrix::from_rows(&wide, 2, Rank::Matrix).unwrap();
    add("flac 24".into(), &FLAC, encoded(&FLAC, wide), true);
    for name in ["mono", "stereo"] {
        add(
            format!("{name}.mp3"),
            &MP3,
            lossy::file(&format!("{name}.mp3")),
            false,
        );
        add(
            format!("{name}.ogg"),
            &OGG,
            lossy::file(&format!("{name}.ogg")),
            false,
        );
    }
    all
}

fn whole(case: &Case) -> Result<Matrix> {
    let mut source = Source::from_bytes("x", case.bytes.clone())?;
    let mut utt = Utterance::default();
    let nested = case.format.nested().unwrap();
    nested.read(&mut source, ObjectBounds::Whole, &mut utt, &Env::default())?;
    Ok(utt.take_waveform().samples)
}

fn open(format: &dyn Format, source: Source) -> Result<Box<dyn SampleStream>> {
    format.nested().unwrap().samples(source, &Env::default())
}

fn seekable(bytes: &[u8]) -> Source {
    let source = Source::from_bytes("x", bytes.to_vec()).unwrap();
    source.into_seekable().unwrap()
}

/// Reads a block, of which each has its type.
fn block(stream: &mut dyn SampleStream, most: usize) -> Result<(bool, Matrix)> {
    let mut block = Matrix::default();
    let more = stream.read(most, &mut block, &Limits::default())?;
    Ok((more, block))
}

/// Reads the bytes of samples as a recording does.
fn span(stream: &mut dyn SampleStream, rows: Range<u64>) -> Result<Vec<u8>> {
    let mut next = stream.seek(rows.start)?.expect("it seeks");
    assert!(next <= rows.start, "after {rows:?}: {next}");
    let mut out = Vec::new();
    while next < rows.end {
        let (more, block) = block(stream, (rows.end - next) as usize)?;
        assert!(more, "{rows:?} end at {next}");
        let row = block.cols() * block.dtype().size();
        let end = next + block.rows() as u64;
        let from = rows.start.clamp(next, end) - next;
        let to = rows.end.clamp(next, end) - next;
        out.extend_from_slice(&block.as_bytes()[from as usize * row..to as usize * row]);
        next = end;
    }
    Ok(out)
}

/// Reads everything in order.
fn all_of(stream: &mut dyn SampleStream) -> Result<Matrix> {
    let mut all = Matrix::default();
    while stream.read(1000, &mut all, &Limits::default())? {}
    Ok(all)
}

#[test]
fn spans_have_the_samples_of_the_whole() {
    for case in cases() {
        let name = &case.name;
        let all = whole(&case).unwrap();
        let (rows, row) = (all.rows() as u64, all.cols() * all.dtype().size());
        // Forward, from a source that goes back and from one that gives a byte a read.
        for source in [seekable(&case.bytes), one_byte(&case.bytes).unwrap()] {
            let is_file = source.can_seek();
            let mut stream = open(case.format, source).unwrap();
            let place = stream.seek(0).unwrap();
            assert_eq!(place, (case.seeks && is_file).then_some(0), "{name}");
            assert!(all_of(&mut *stream).unwrap() == all, "{name} {is_file}");
            assert!(!block(&mut *stream, 9).unwrap().0, "{name}");
            if let Some(samples) = stream.facts().samples {
                assert_eq!(samples, rows, "{name}");
            }
        }
        if !case.seeks {
            continue;
        }
        let mut random = Random::new(5);
        let mut any = || {
            let (a, b) = (random.next() % (rows + 1), random.next() % (rows + 1));
            a.min(b)..a.max(b)
        };
        let tenth = rows / 10;
        let parts: Vec<_> = (0..10).map(|n| n * tenth..(n + 1) * tenth - 9).collect();
        let orders = [
            parts.clone(),
            parts.iter().rev().cloned().collect(),
            (0..10).map(|n| parts[n * 7 % 10].clone()).collect(),
            vec![
                rows - 1..rows,
                0..1,
                rows..rows,
                0..0,
                rows / 2..rows / 2,
                0..rows,
                5..rows,
            ],
            (0..30).map(|_| any()).collect(),
        ];
        for order in orders {
            let mut stream = open(case.format, seekable(&case.bytes)).unwrap();
            for rows in order {
                let got = span(&mut *stream, rows.clone()).unwrap();
                let wanted = &all.as_bytes()[rows.start as usize * row..rows.end as usize * row];
                assert!(got == wanted, "{name}: {rows:?}");
            }
        }
    }
}

/// Returns the number of bytes that spans of a file cost, opening it included.
fn cost(format: &'static dyn Format, bytes: &[u8], spans: &[Range<u64>]) -> u64 {
    let env = Env::default().with_store(Arc::new(MemoryStore::new()));
    let output = env.output(&Locator::file("x"));
    let mut sink = output.create(Part::Main, false).unwrap();
    sink.put(bytes).unwrap();
    sink.finish().unwrap();
    output.commit().unwrap();
    let read = Arc::<AtomicU64>::default();
    let env = env.counting(["x".into()], read.clone());
    let mut stream = open(format, env.open_file(&"x".into()).unwrap()).unwrap();
    assert_eq!(stream.seek(0).unwrap(), Some(0));
    for rows in spans {
        span(&mut *stream, rows.clone()).unwrap();
    }
    read.load(Ordering::Relaxed)
}

#[test]
fn a_span_costs_its_bytes() {
    const SECOND: u64 = 8000;
    let rows = 600 * SECOND;
    for channels in [1, 2] {
        let span = 300 * SECOND..302 * SECOND;
        let wav = coded(&WAV, rows as usize, channels);
        let width = 2 * channels as u64;
        let bytes = cost(&WAV, &wav, std::slice::from_ref(&span));
        assert!(bytes <= 2 * SECOND * width + 600, "{bytes}");
        let flac = coded(&FLAC, rows as usize, channels);
        let rate = flac.len() as u64 / 600;
        let bytes = cost(&FLAC, &flac, std::slice::from_ref(&span));
        assert!(bytes <= 2 * rate + (64 << 10), "{bytes} {rate}");
        let spans: Vec<_> = (0..200)
            .map(|n| n * 3 * SECOND..(n * 3 + 2) * SECOND)
            .collect();
        let bytes = cost(&FLAC, &flac, &spans);
        assert!(
            bytes as f64 <= 1.1 * flac.len() as f64,
            "{bytes} {}",
            flac.len()
        );
        let back: Vec<_> = spans.into_iter().rev().collect();
        let bytes = cost(&FLAC, &flac, &back);
        assert!(
            bytes <= flac.len() as u64 + 200 * (48 << 10),
            "{bytes} {}",
            flac.len()
        );
    }
}

/// Reads some spans of damaged bytes: each has the samples of the whole, or there is an error.
fn damaged(case: &Case, bytes: &[u8], all: &Matrix) -> usize {
    let (rows, row) = (all.rows() as u64, all.cols() * all.dtype().size());
    let mut faults = 0;
    let spans = [
        rows / 2..rows / 2 + 40,
        rows - 30..rows,
        0..30,
        rows / 3..rows / 2,
    ];
    let mut stream = match open(case.format, seekable(bytes)) {
        Ok(stream) => stream,
        Err(error) => {
            assert_eq!(error.file_name(), Some("x"), "{error}");
            return spans.len();
        }
    };
    let of = |matrix: &Matrix| (matrix.dtype(), matrix.cols());
    for rows in spans {
        let read = match stream.seek(0) {
            Ok(None) => {
                let fresh = open(case.format, seekable(bytes));
                let all = fresh.and_then(|mut stream| all_of(&mut *stream));
                all.map(|all| {
                    all.as_bytes()
                        .get(rows.start as usize * row..rows.end as usize * row)
                        .unwrap_or_default()
                        .to_vec()
                })
            }
            _ if stream
                .facts()
                .samples
                .is_some_and(|samples| samples < rows.end) =>
            {
                faults += 1;
                continue;
            }
            _ => span(&mut *stream, rows.clone()),
        };
        match read {
            Ok(got) => {
                let wanted = &all.as_bytes()[rows.start as usize * row..rows.end as usize * row];
                let same = got == wanted;
                assert!(same, "{}: {rows:?} of {:?}", case.name, of(all));
            }
            Err(error) => {
                let kinds = [ErrorKind::Truncated, ErrorKind::Malformed, ErrorKind::Limit];
                assert!(kinds.contains(&error.kind()), "{error}");
                assert_eq!(error.file_name(), Some("x"), "{error}");
                faults += 1;
            }
        }
    }
    faults
}

#[test]
fn damage_is_no_sound() {
    let flac = Case {
        name: "flac".into(),
        format: &FLAC,
        bytes: coded(&FLAC, 40_000, 1),
        seeks: true,
    };
    let all = whole(&flac).unwrap();
    assert_eq!(all.dtype(), Dtype::I16);
    for n in (0..flac.bytes.len()).step_by(13) {
        assert!(damaged(&flac, &flac.bytes[..n], &all) > 0, "cut to {n}");
    }
    let mut random = Random::new(11);
    let table = with_table(&flac.bytes, 0);
    for n in 0..1500 {
        let bytes = if n % 2 == 0 { &flac.bytes } else { &table };
        damaged(&flac, &flip(bytes, &mut random), &all);
    }
    let wav = Case {
        name: "wav".into(),
        format: &WAV,
        bytes: coded(&WAV, 400, 1),
        seeks: true,
    };
    let all = whole(&wav).unwrap();
    for n in 0..wav.bytes.len() {
        assert_eq!(damaged(&wav, &wav.bytes[..n], &all), 4, "cut to {n}");
    }
}

/// The sum of all samples is checked if they were read in order, and each frame has one of its own.
#[test]
fn sums_are_checked() {
    let mut flac = coded(&FLAC, 40_000, 1);
    flac[30] ^= 1;
    let mut stream = open(&FLAC, seekable(&flac)).unwrap();
    assert_eq!(stream.seek(0).unwrap(), Some(0));
    let error = all_of(&mut *stream).unwrap_err().to_string();
    assert!(error.contains("MD5"), "{error}");
    let mut sphere = coded(&SPHERE, 40_000, 1);
    *sphere.last_mut().unwrap() ^= 1;
    let mut stream = open(&SPHERE, seekable(&sphere)).unwrap();
    assert_eq!(stream.seek(0).unwrap(), None);
    let error = all_of(&mut *stream).unwrap_err().to_string();
    assert!(error.contains("sample_checksum"), "{error}");
}
