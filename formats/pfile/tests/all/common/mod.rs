//! PFiles made by hand, and helpers.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Access, Env, Locator, MemoryStore, Output, Source};
use spr_core::format::{Format, Options, Reader, Request, Writer};
use spr_core::model::{About, Matrix, Rank, Utterance};
use spr_core::{Error, Limits, Result};
use spr_format_pfile::FORMAT;

/// Returns lines of a header, padded to `size` bytes.
pub fn header(lines: &[&str], size: usize) -> Vec<u8> {
    let mut bytes = lines.join("\n").into_bytes();
    bytes.push(b'\n');
    assert!(bytes.len() <= size);
    bytes.resize(size, 0);
    bytes
}

pub fn big(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_be_bytes()).collect()
}

pub fn little(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Two sentences of 2 and 1 frames, 2 features and 1 label.
pub const LINES: [&str; 11] = [
    "-pfile_header version 0 size 32768",
    "-num_sentences 2",
    "-num_frames 3",
    "-first_feature_column 2",
    "-num_features 2",
    "-first_label_column 4",
    "-num_labels 1",
    "-format ddffd",
    "-data size 15 offset 0 ndim 2 nrow 3 ncol 5",
    "-sent_table_data size 3 offset 15 ndim 1",
    "-end",
];

pub const TABLE: [u32; 3] = [0, 2, 3];

/// Returns the rows for [`LINES`].
pub fn rows() -> Vec<u32> {
    let mut words = Vec::new();
    for (sentence, frame, features, label) in [
        (0, 0, [1.5f32, -2.0], 7),
        (0, 1, [f32::NAN, 0.25], -1i32),
        (1, 0, [3e-39, f32::INFINITY], i32::MAX),
    ] {
        words.extend([sentence, frame]);
        words.extend(features.map(f32::to_bits));
        words.push(label.cast_unsigned());
    }
    words
}

/// Returns the whole small file.
pub fn small() -> Vec<u8> {
    [header(&LINES, 32768), big(&rows()), big(&TABLE)].concat()
}

/// Returns the small file with a header of 512 bytes.
pub fn short_header() -> Vec<u8> {
    let mut lines = LINES;
    lines[0] = "-pfile_header version 0 size 512";
    [header(&lines, 512), big(&rows()), big(&TABLE)].concat()
}

/// Returns the small file with other lines: `(name, line)`, where an empty line removes it.
pub fn with_lines(changes: &[(&str, &str)]) -> Vec<u8> {
    let mut lines = LINES.to_vec();
    for (name, line) in changes {
        let at = lines.iter().position(|l| l.starts_with(name)).unwrap();
        if line.is_empty() {
            lines.remove(at);
        } else {
            lines[at] = line;
        }
    }
    [header(&lines, 32768), big(&rows()), big(&TABLE)].concat()
}

/// Returns the utterances in [`small`].
pub fn utterances() -> Vec<Utterance> {
    let words = rows();
    let utterance = |n: usize, rows: std::ops::Range<usize>| {
        let rows: Vec<_> = words.chunks(5).collect::<Vec<_>>()[rows].to_vec();
        let features: Vec<f32> = rows
            .iter()
            .flat_map(|r| [r[2], r[3]])
            .map(f32::from_bits)
            .collect();
        let labels: Vec<i32> = rows.iter().map(|r| r[4].cast_signed()).collect();
        utt(
            &format!("utt{n:06}"),
            Some((&features, 2)),
            Some((&labels, 1)),
        )
    };
    vec![utterance(0, 0..2), utterance(1, 2..3)]
}

pub fn utt(
    key: &str,
    features: Option<(&[f32], usize)>,
    labels: Option<(&[i32], usize)>,
) -> Utterance {
    Utterance {
        key: key.into(),
        features: features.map(|(v, cols)| Matrix::from_rows(v, cols, Rank::Matrix).unwrap()),
        labels: labels.map(|(v, cols)| {
            let rank = if cols == 1 {
                Rank::Vector
            } else {
                Rank::Matrix
            };
            Matrix::from_rows(v, cols, rank).unwrap()
        }),
        ..Utterance::default()
    }
}

pub fn options(pairs: &[(&str, &str)]) -> Options {
    Options::new(FORMAT.info(), pairs.iter().copied()).unwrap()
}

/// Returns an environment that collects the warnings.
pub fn listening() -> (Env, Arc<Mutex<Vec<String>>>) {
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let keep = heard.clone();
    let env = Env::new(Limits::default(), Access::default(), move |e: &Error| {
        keep.lock().unwrap().push(e.to_string());
    });
    (env, heard)
}

pub fn open_in(source: Source, pairs: &[(&str, &str)], env: &Env) -> Result<Box<dyn Reader>> {
    let opened = Request::all().open(&FORMAT, source, &options(pairs), env)?;
    opened.into_stream()
}

pub fn open(source: Source, pairs: &[(&str, &str)]) -> Result<Box<dyn Reader>> {
    open_in(source, pairs, &Env::default())
}

/// Reads a file on disk.
pub fn read_file(path: &std::path::Path, pairs: &[(&str, &str)]) -> Result<Vec<Utterance>> {
    let source = Env::default().open_file(&path.into())?;
    drain(&mut *open(source, pairs)?)
}

pub fn drain(reader: &mut dyn Reader) -> Result<Vec<Utterance>> {
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        all.push(utt.clone());
    }
    assert!(!reader.read(&mut utt).unwrap());
    Ok(all)
}

pub fn read_with(bytes: Vec<u8>, pairs: &[(&str, &str)]) -> Result<Vec<Utterance>> {
    drain(&mut *open(Source::from_bytes("x.pfile", bytes)?, pairs)?)
}

pub fn read(bytes: Vec<u8>) -> Result<Vec<Utterance>> {
    read_with(bytes, &[])
}

/// Reads bytes through a pipe of unknown length.
pub fn read_pipe(bytes: Vec<u8>) -> Result<Vec<Utterance>> {
    let source = Source::from_reader("-", Box::new(Cursor::new(bytes)))?;
    drain(&mut *open(source, &[])?)
}

pub fn failure(bytes: Vec<u8>) -> Error {
    read(bytes).expect_err("no error")
}

/// A reader that returns one byte per call.
pub struct Dribble(pub Cursor<Vec<u8>>);

impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = out.len().min(1);
        self.0.read(&mut out[..n])
    }
}

/// Returns a writer to memory, and its files.
pub fn writer(pairs: &[(&str, &str)], env: &Env) -> (Box<dyn Writer>, Output, MemoryStore) {
    let store = MemoryStore::new();
    let env = env.clone().with_store(Arc::new(store.clone()));
    let output = env.output(&Locator::file("memory"));
    let writer = FORMAT
        .create(output.clone(), &options(pairs), &About::default(), &env)
        .unwrap();
    (writer, output, store)
}

/// Returns the bytes and the side file of `utterances`.
pub fn write(utterances: &[Utterance]) -> (Vec<u8>, String) {
    let (mut writer, output, files) = writer(&[], &Env::default());
    for utt in utterances {
        writer.write(utt).unwrap();
    }
    let written = writer.finish().unwrap();
    output.commit().unwrap();
    let main = files.get("memory").unwrap();
    let side = files.get("memory.utt2num_frames").unwrap();
    assert_eq!(written.utterances, utterances.len() as u64);
    assert_eq!(
        written.frames,
        utterances.iter().map(Utterance::frames).sum::<u64>()
    );
    assert_eq!(written.bytes, (main.len() + side.len()) as u64);
    (main, String::from_utf8(side).unwrap())
}
