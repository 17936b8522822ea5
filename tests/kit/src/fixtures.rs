//! Files of other programs, read by the tests of a format's own crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use spr_core::bytes::{Env, Locator};
use spr_core::dispatch;
use spr_core::format::{Format, Options, Registry, Request};
use spr_core::model::{
    Array, Audio, Decimal, Dtype, Element, Key, Matrix, NamedArray, Rank, Tag, Utterance, Waveform,
};
use spr_core::{Limits, Result};

use crate::compare_all;
use crate::faults::drain;

/// A JSON object whose values are text.
type Fields = BTreeMap<String, Box<RawValue>>;

/// Reads a folder of cases: each with an `input.*`, as its `expect.jsonl` says, and those under `refused`
/// refused with the words of their `error.txt`. `cases.txt` counts them, as in `60 read, 36 refused`. Objects
/// inside the files are of the formats of `env`.
///
/// # Panics
/// A case is read otherwise, or there are more or fewer than are counted.
pub fn fixtures(folder: &Path, registry: &Registry, env: &Env) {
    let (mut faults, mut found) = (Vec::new(), 0);
    for refused in [false, true] {
        let cases = match refused {
            true => folder.join("refused"),
            false => folder.to_owned(),
        };
        for case in folders(&cases) {
            found += 1;
            let read = read(&case, registry, env);
            let checked = match refused {
                true => words(&case, read.err().map(|e| e.to_string())),
                false => read
                    .map_err(|e| e.to_string())
                    .and_then(|got| compare_all(&expected(&case), &got, true, true)),
            };
            if let Err(fault) = checked {
                faults.push(format!("{}: {fault}", case.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let counts = fs::read_to_string(folder.join("cases.txt")).unwrap();
    let counts = counts
        .split_whitespace()
        .filter_map(|word| word.parse::<usize>().ok());
    assert_eq!(found, counts.sum::<usize>(), "{}", folder.display());
}

/// Checks that an error has the words of a case.
fn words(case: &Path, error: Option<String>) -> Result<(), String> {
    let phrase = fs::read_to_string(case.join("error.txt")).unwrap();
    let error = error.ok_or("was read")?;
    // The words are not to be found in the path.
    match error
        .replace(case.to_str().unwrap(), "")
        .contains(phrase.trim())
    {
        true => Ok(()),
        false => Err(format!("'{}' is not in: {error}", phrase.trim())),
    }
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = all
        .filter(|path| path.is_dir() && !path.ends_with("refused"))
        .collect();
    folders.sort();
    folders
}

/// Reads the input of a case as the format of its name, otherwise of its content.
fn read(case: &Path, registry: &Registry, env: &Env) -> Result<Vec<Utterance>> {
    let names = fs::read_dir(case).unwrap();
    let mut inputs = names.map(|entry| entry.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("input") && !name.ends_with(".utt2num_frames")
    });
    let input = inputs.next().expect("no input");
    let mut source = env.open(&Locator::file(&input))?;
    let named = source.location().and_then(|at| {
        let at = at.plain();
        registry.by_extension(at.extension()?).first().copied()
    });
    let format: &'static dyn Format = match named {
        Some(format) => format,
        None => registry.detect(&mut source)?,
    };
    let opened = Request::all().open(format, source, &Options::default(), env)?;
    drain(opened.into_stream()?).whole()
}

/// What a case must be read as.
fn expected(case: &Path) -> Vec<Utterance> {
    let text = fs::read_to_string(case.join("expect.jsonl")).unwrap();
    text.lines().map(utterance).collect()
}

fn fields(text: &str) -> Fields {
    let mut fields: Fields = serde_json::from_str(text).unwrap();
    fields.retain(|_, value| value.get() != "null");
    fields
}

fn string(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap()
}

/// Text, whose bytes are in hexadecimal if they are not UTF-8.
fn bytes(value: &RawValue) -> Vec<u8> {
    if !value.get().starts_with('{') {
        return string(value).into_bytes();
    }
    let hex = string(&fields(value.get())["bytes"]);
    let digits = hex
        .as_bytes()
        .chunks(2)
        .map(|two| str::from_utf8(two).unwrap());
    digits
        .map(|two| u8::from_str_radix(two, 16).unwrap())
        .collect()
}

/// The utterance of a line of the canonical text form.
fn utterance(line: &str) -> Utterance {
    let mut fields = fields(line);
    let mut utt = Utterance {
        key: Key::from(bytes(&fields.remove("key").unwrap())),
        ..Utterance::default()
    };
    let label_dtype = fields.remove("label_dtype");
    for (name, value) in fields {
        match &*name {
            "features" => utt.features = Some(array(&value).1),
            "labels" => {
                let dtype = label_dtype
                    .as_ref()
                    .map_or("i32".to_owned(), |it| string(it));
                let row = value.get().split(']').next().unwrap_or_default();
                let (rank, cols) = match row.starts_with("[[") {
                    true => (Rank::Matrix, row.split(',').count()),
                    false => (Rank::Vector, 1),
                };
                utt.labels = Some(values(&value, &dtype, rank, cols));
            }
            "text" => utt.text = Some(bytes(&value)),
            "audio" => {
                let rate = self::fields(value.get())["rate"].get().parse().unwrap();
                let (_, samples) = array(&value);
                utt.audio = Some(Audio::Samples(Waveform { rate, samples }));
            }
            "arrays" => {
                let arrays = self::fields(value.get()).into_iter();
                let named = arrays.map(|(name, value)| {
                    let (shape, values) = array(&value);
                    let array = Array::of(values, &shape).unwrap();
                    NamedArray { name, array }
                });
                utt.arrays = named.collect();
            }
            "meta" => meta(&value, &mut utt),
            name => panic!("{name} is not understood"),
        }
    }
    utt
}

fn meta(value: &RawValue, utt: &mut Utterance) {
    for (name, value) in fields(value.get()) {
        match &*name {
            "frame_shift" => utt.meta.frame_shift = Decimal::parse(value.get()),
            "speaker" => utt.meta.speaker = Some(bytes(&value).into()),
            "gender" => utt.meta.gender = Some(bytes(&value).into()),
            "tags" => {
                let tags: Vec<[String; 3]> = serde_json::from_str(value.get()).unwrap();
                let tags = tags
                    .into_iter()
                    .map(|[format, key, value]| Tag::new(format, key, value));
                utt.meta.tags = tags.collect();
            }
            name => panic!("{name} is not understood"),
        }
    }
}

/// The shape and the values of an array with its type.
fn array(value: &RawValue) -> (Vec<usize>, Matrix) {
    let fields = fields(value.get());
    let shape: Vec<usize> = serde_json::from_str(fields["shape"].get()).unwrap();
    let (rank, cols) = match *shape {
        [] => (Rank::Scalar, 1),
        [_, cols] => (Rank::Matrix, cols),
        _ => (Rank::Vector, 1),
    };
    let mut matrix = values(&fields["data"], &string(&fields["dtype"]), rank, cols);
    if let [rows, 0] = *shape {
        matrix.reshape(Rank::Matrix, rows, 0).unwrap();
    }
    (shape, matrix)
}

/// The numbers in nested lists, in their order.
fn values(data: &RawValue, dtype: &str, rank: Rank, cols: usize) -> Matrix {
    let dtype = Dtype::ALL.iter().find(|other| other.to_string() == dtype);
    let plain = data.get().replace(['[', ']', '"', ' '], "");
    let words: Vec<_> = plain.split(',').filter(|word| !word.is_empty()).collect();
    let mut matrix = Matrix::default();
    let rows = words.len() / cols.max(1);
    matrix
        .reset(*dtype.unwrap(), rank, rows, cols, &Limits::default())
        .unwrap();
    dispatch!(matrix.dtype(), T => fill::<T>(&mut matrix, &words));
    matrix
}

fn fill<T: Element>(matrix: &mut Matrix, words: &[&str]) {
    let values = matrix.values_mut::<T>().unwrap();
    for (value, word) in values.iter_mut().zip(words) {
        *value = T::parse(word.as_bytes()).unwrap_or_else(|| panic!("{word} is no number"));
    }
}
