//! The tool `copy-feats-to-htk`.

use std::path::{Component, Path};

use spr_core::bytes::{Env, Location, Locator, Parents, Part};
use spr_core::format::Reader;
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};

use crate::options::{Options, Spec};
use crate::session::Session;
use crate::table::Holder;
use crate::{DONE, NOTHING, Tool};

/// The size of the header in bytes.
const HEADER: usize = 12;

pub(crate) static TOOL: Tool = Tool {
    name: "copy-feats-to-htk",
    usage: "\
Copies features to HTK files, one an utterance, called as the utterance.

Usage: copy-feats-to-htk [options] <in-rspecifier>
 e.g.: copy-feats-to-htk --output-dir=htk --output-ext=fea scp:feats.scp",
    options: &[
        Spec::text(
            "output-dir",
            "./",
            "The folder for the files, made if need be",
        ),
        Spec::text("output-ext", "fea", "The extension of the files"),
        Spec::int(
            "sample-period",
            100_000,
            "Time from frame to frame, in units of 100 ns",
        ),
        Spec::int(
            "sample-kind",
            9,
            "HTK's number for what the features are: 6 MFCC, 7 FBANK, 9 USER, 11 PLP",
        ),
    ],
    arguments: (1, 1),
    run,
};

fn run(session: &Session) -> Result<u8> {
    let options = &session.options;
    let folder = options.text("output-dir");
    let output = session.env.output(&Locator::folder(folder));
    let output = output.overwrite(true).adding(true);
    let mut folders = Parents::default();
    let mut reader = session.read_table(session.argument(0), Holder::Matrix)?;
    let mut utt = Utterance::default();
    let mut count = 0;
    while reader.read(&mut utt)? {
        let file = file_of(&folder.into(), &utt.key, options.text("output-ext"))?;
        if let Some(folder) = file.parent() {
            make(&folder, &mut folders, &session.env)?;
        }
        let bytes = encode(&utt, options).map_err(|e| e.utterance(&utt.key))?;
        let mut sink = output.create(Part::At(&Locator::File(file)), false)?;
        sink.put(&bytes)?;
        sink.finish()?;
        count += 1;
    }
    output.commit()?;
    folders.keep();
    session.log.info(format!(
        "{count} HTK feature files generated in the directory: {folder}"
    ));
    Ok(if count > 0 { DONE } else { NOTHING })
}

/// Encodes a file as Kaldi does, big-endian: the number of frames, their period, the bytes of a frame
/// and the kind, then floats. The period and the kind are those of the options whatever they are, and
/// a matrix without rows is a header alone, which HTK's own rules do not allow.
///
/// # Errors
/// The header cannot hold a size.
fn encode(utt: &Utterance, options: &Options) -> Result<Vec<u8>> {
    let Some(features) = &utt.features else {
        return Err(Error::unfit("has no features"));
    };
    let rows = features.rows();
    let frames = i32::try_from(rows).map_err(|_| Error::unfit(format!("has {rows} frames")))?;
    let size = features.cols() * size_of::<f32>();
    let size = i16::try_from(size).map_err(|_| {
        Error::unfit(format!(
            "has frames of {size} bytes, expected 32767 at most"
        ))
    })?;
    let mut bytes = Vec::with_capacity(HEADER + features.as_bytes().len());
    bytes.extend_from_slice(&frames.to_be_bytes());
    bytes.extend_from_slice(&options.int("sample-period").to_be_bytes());
    bytes.extend_from_slice(&size.to_be_bytes());
    let [_, _, kind @ ..] = options.int("sample-kind").to_be_bytes();
    bytes.extend_from_slice(&kind);
    let values = features.values::<f32>()?.iter();
    bytes.extend(values.flat_map(|value| value.to_be_bytes()));
    Ok(bytes)
}

/// Creates a folder and its parents if they do not exist.
fn make(folder: &Location, made: &mut Parents, env: &Env) -> Result<()> {
    if env.exists(folder) {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        make(&parent, made, env)?;
    }
    made.make(folder, env)
}

/// Returns the file of an utterance, which is always inside `folder`.
fn file_of(folder: &Location, key: &Key, extension: &str) -> Result<Location> {
    let name = key.as_str().map(|text| format!("{text}.{extension}"));
    let name = name.filter(|name| {
        let mut parts = Path::new(name).components();
        parts.all(|part| matches!(part, Component::Normal(_)))
    });
    match name {
        Some(name) => Ok(folder.join(name)),
        None => Err(Error::unfit("the key can't be a file name").utterance(key)),
    }
}
