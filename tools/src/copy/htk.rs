//! `copy-feats-to-htk`.

use std::path::{Component, Path, PathBuf};

use spr_core::bytes::{ByteOrder, Output, Part, swap_in_place};
use spr_core::format::Reader;
use spr_core::model::{Key, Matrix, Utterance};
use spr_core::{Error, Result};

use crate::options::Spec;
use crate::session::Session;
use crate::table::Holder;
use crate::{DONE, NOTHING, Tool};

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
    let period = options.int("sample-period");
    let kind = u16::try_from(options.int("sample-kind"))
        .map_err(|_| Error::usage("--sample-kind is a number from 0 to 65535"))?;
    let output = Output::folder(folder).overwrite(true);
    let mut reader = session.read_table(session.argument(0), Holder::Matrix)?;
    let mut utt = Utterance::default();
    let mut bytes = Vec::new();
    let mut count = 0;
    while reader.read(&mut utt)? {
        let Some(features) = &utt.features else {
            continue;
        };
        let path = path_of(Path::new(folder), &utt.key, options.text("output-ext"))?;
        encode(features, period, kind, &mut bytes).map_err(|e| e.utterance(&utt.key))?;
        let parent = path.parent().unwrap_or(Path::new(folder));
        std::fs::create_dir_all(parent)
            .map_err(|e| Error::io("cannot create the folder", e).file(folder))?;
        let mut sink = output.create(Part::At(&path), false)?;
        sink.put(&bytes)?;
        sink.finish()?;
        count += 1;
    }
    output.commit()?;
    session.log.info(format!(
        "{count} HTK feature files generated in the directory: {folder}"
    ));
    Ok(if count > 0 { DONE } else { NOTHING })
}

/// The file of an utterance, which never is outside `folder`.
fn path_of(folder: &Path, key: &Key, extension: &str) -> Result<PathBuf> {
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

/// An HTK file: frames, period, bytes of a frame and kind, then the values, all big-endian.
fn encode(features: &Matrix, period: i32, kind: u16, bytes: &mut Vec<u8>) -> Result<()> {
    let frames = i32::try_from(features.rows());
    let width = i16::try_from(4 * features.cols());
    let (Ok(frames), Ok(width)) = (frames, width) else {
        return Err(Error::unfit(format!(
            "{} x {} is more than an HTK file can hold",
            features.rows(),
            features.cols()
        )));
    };
    bytes.clear();
    bytes.extend_from_slice(&frames.to_be_bytes());
    bytes.extend_from_slice(&period.to_be_bytes());
    bytes.extend_from_slice(&width.to_be_bytes());
    bytes.extend_from_slice(&kind.to_be_bytes());
    let header = bytes.len();
    bytes.extend_from_slice(features.as_bytes());
    if ByteOrder::NATIVE == ByteOrder::Little {
        swap_in_place(bytes.get_mut(header..).unwrap_or_default(), 4);
    }
    Ok(())
}
