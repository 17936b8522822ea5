//! Members of a sample become the fields of an utterance.

use spr_core::bytes::{Env, ObjectBounds, Source};
use spr_core::model::{Array, Matrix, NamedArray, Rank, Tag, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::columns::COLUMN;

use crate::json::{self, MEMBER};
use crate::kinds::{CLASS, Kind};
use crate::sample::{Data, Sample, SamplePart};

/// Fills `utt`, which was started, from a sample of the archive `file`.
///
/// # Errors
/// A member is not what its extension says.
pub(crate) fn fill(sample: &mut Sample, utt: &mut Utterance, file: &str, env: &Env) -> Result<()> {
    utt.key.set(sample.key.as_bytes());
    let mut json = None;
    for part in sample.parts.drain(..) {
        let name = format!("{file} ({}.{})", sample.key, part.extension);
        let filled = fill_one(part, utt, &mut json, &name, env);
        filled.map_err(|e| e.file(&name).utterance(&sample.key))?;
    }
    // It is read last, as it may say what another member says.
    if let Some((bytes, name)) = json {
        let read = json::read(&bytes, utt);
        read.map_err(|e| e.file(&name).utterance(&sample.key))?;
    }
    Ok(())
}

/// Fills in one member. That of JSON is put by.
fn fill_one(
    part: SamplePart,
    utt: &mut Utterance,
    json: &mut Option<(Vec<u8>, String)>,
    name: &str,
    env: &Env,
) -> Result<()> {
    let bytes = match part.data {
        Data::Unread => return Ok(()),
        Data::Sound(audio) => {
            utt.audio = Some(audio);
            return Ok(());
        }
        Data::Bytes(bytes) => bytes,
    };
    let is_packed = part.extension.ends_with(".gz") && part.kind != Kind::Other;
    let bytes = match is_packed {
        true => Source::from_bytes(name, bytes)?.rest("a member", &env.limits)?,
        false => bytes,
    };
    match part.kind {
        Kind::Features => utt.features = Some(matrix(bytes, name, env)?),
        Kind::Labels => utt.labels = Some(labels(bytes, name, env)?),
        Kind::Array(own) => utt.arrays.push(NamedArray {
            name: own,
            array: array(bytes, name, env)?,
        }),
        Kind::Text => utt.text = Some(without_line_end(bytes)),
        Kind::Json => *json = Some((bytes, name.to_owned())),
        Kind::Class => utt.meta.tags.push(class(bytes)),
        Kind::Audio(_) | Kind::Other => {
            let tag = Tag::new(MEMBER, part.extension, bytes);
            utt.meta.tags.push(tag);
        }
    }
    Ok(())
}

/// Returns the number of a class as a column, or the member as it is if it is none.
fn class(bytes: Vec<u8>) -> Tag {
    match json::is_whole_number(bytes.trim_ascii()) {
        true => Tag::new(COLUMN, CLASS, bytes.trim_ascii()),
        false => Tag::new(MEMBER, CLASS, bytes),
    }
}

fn without_line_end(mut text: Vec<u8>) -> Vec<u8> {
    if text.ends_with(b"\n") {
        text.pop();
        if text.ends_with(b"\r") {
            text.pop();
        }
    }
    text
}

/// Reads a NumPy array into the features or the only array of an utterance.
fn numbers(bytes: Vec<u8>, name: &str, env: &Env) -> Result<Utterance> {
    let mut utt = Utterance::default();
    let mut source = Source::from_bytes(name, bytes)?;
    let nested = env.nested("npy")?;
    nested.read(&mut source, ObjectBounds::Whole, &mut utt, env)?;
    Ok(utt)
}

/// Reads features.
fn matrix(bytes: Vec<u8>, name: &str, env: &Env) -> Result<Matrix> {
    let utt = numbers(bytes, name, env)?;
    utt.features.ok_or_else(|| {
        let error = Error::unsupported("features of more than two dimensions");
        error.hint("features=EXTENSION names another member as features, and this becomes an array")
    })
}

/// Reads frame labels.
fn labels(bytes: Vec<u8>, name: &str, env: &Env) -> Result<Matrix> {
    let labels = matrix(bytes, name, env)?;
    match labels.rank() {
        Rank::Scalar => Err(Error::malformed(
            "a single number, expected labels of frames",
        )),
        _ if labels.dtype().is_float() => {
            let message = format!("labels of {}, expected integers", labels.dtype());
            Err(Error::malformed(message).hint("labels=EXTENSION names another member as labels"))
        }
        _ => Ok(labels),
    }
}

/// Reads a named array.
fn array(bytes: Vec<u8>, name: &str, env: &Env) -> Result<Array> {
    let mut utt = numbers(bytes, name, env)?;
    if let Some(named) = utt.arrays.pop() {
        return Ok(named.array);
    }
    let matrix = utt.features.unwrap_or_default();
    let shape = match matrix.rank() {
        Rank::Scalar => Vec::new(),
        Rank::Vector => vec![matrix.rows()],
        Rank::Matrix => vec![matrix.rows(), matrix.cols()],
    };
    Array::of(matrix, &shape)
}
