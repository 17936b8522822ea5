//! Segmentations, corpora and other lists.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod corpora;
mod folders;
mod inputs;
mod others;
mod segmentations;

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::strict::Strict;
use proptest::prelude::*;
use spr_core::bytes::{Access, Env, Location, Locator, MemoryStore, Part, Source};
use spr_core::format::{Format, Options, Request};
use spr_core::model::{
    Decimal, Matrix, Meta, Object, Position, Rank, Segment, Tag, Tier, Utterance,
};
use spr_core::{ErrorKind, Limits, Result};
use spr_format_spraak::{KEY, SPR, Spraak};
use spr_testkit::{Suite, faults, read_memory, suite, write, write_memory};

static STRICT_SPR: Strict = Strict(&SPR);
static STRICT_KEY: Strict = Strict(&KEY);

#[test]
fn lists_behave() {
    for format in [&STRICT_SPR, &STRICT_KEY] {
        suite(&Suite {
            options: &[
                &[("data", "SEG")],
                &[("data", "CORPUS")],
                &[("data", "DICTIONARY")],
            ],
            // A list has one header, and `-` in it is no name.
            prepare: |utt| {
                utt.meta.clear();
                if utt.key.as_bytes() == b"-" {
                    utt.key = "no-name".into();
                }
            },
            ..Suite::new(format)
        });
    }
}

/// Opens a file.
fn file(path: &Path) -> Source {
    Env::default().open_file(&Location::from(path)).unwrap()
}

/// Reads a whole file, with the warnings.
fn read_with(
    format: &'static Spraak,
    options: &[(&str, &str)],
    source: Source,
) -> Result<(Vec<Utterance>, Vec<String>)> {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = warnings.clone();
    let env = Env::new(Limits::default(), Access::default(), move |e| {
        heard.lock().unwrap().push(e.to_string());
    });
    let options = Options::new(format.info(), options.iter().copied())?;
    let mut reader = Request::all()
        .open(format, source, &options, &env)?
        .into_stream()?;
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt)? {
        all.push(utt.clone());
    }
    assert!(!reader.read(&mut utt)?);
    let warnings = warnings.lock().unwrap().clone();
    Ok((all, warnings))
}

fn read(text: &str) -> Result<(Vec<Utterance>, Vec<String>)> {
    let source = Source::from_bytes("f", text.as_bytes().to_vec())?;
    read_with(&SPR, &[], source)
}

/// Returns a list with these header lines, separated by `/`.
fn list(lines: &str, body: &str) -> String {
    format!(".spr\n{}\n#\n{body}", lines.replace('/', "\n"))
}

fn error(lines: &str, body: &str) -> String {
    read(&list(lines, body)).unwrap_err().to_string()
}

fn tag(key: &str, value: &str) -> Tag {
    Tag::new("spraak", key, value)
}

fn segment(label: &str, start: f64, end: impl Into<Option<f64>>) -> Segment {
    let time = |seconds| Decimal::of(seconds).unwrap();
    Segment::new(time(start), end.into().map(time), label.as_bytes())
}

fn segmented(key: &str, segments: &[Segment]) -> Utterance {
    Utterance {
        key: key.into(),
        tiers: vec![Tier::only(segments.to_vec())],
        ..Utterance::default()
    }
}

fn said(key: &str, text: &str, tags: &[(&str, &str)]) -> Utterance {
    Utterance {
        key: key.into(),
        text: Some(text.into()),
        meta: Meta {
            tags: tags.iter().map(|(key, value)| tag(key, value)).collect(),
            ..Meta::default()
        },
        ..Utterance::default()
    }
}

/// Returns a matrix of one column, whose values are the row numbers.
fn ramp(rows: u8) -> Matrix {
    let values: Vec<f32> = (0..rows).map(f32::from).collect();
    Matrix::from_rows(&values, 1, Rank::Matrix).unwrap()
}

fn track(key: &str, rows: u8, shift: Option<&str>, offset: Option<&str>) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(ramp(rows)),
        meta: Meta {
            frame_shift: shift.and_then(Decimal::parse),
            frame_offset: offset.and_then(Decimal::parse),
            ..Meta::default()
        },
        ..Utterance::default()
    }
}

/// Segments in frames, of two files.
const FRAMES: &str = "\
sess1/utt01\t##0\t0\t12\n-\tg#0\t12\t3\n-\tU#0\t15\t7\nsess1/utt02\t##0\t0\t40\n";
