//! The tool `copy-feats-to-htk`.

use std::path::{Component, Path};

use spr_core::bytes::{Env, Location, Locator, Parents, Part};
use spr_core::format::Reader;
use spr_core::model::{Decimal, Key, Tag, Utterance};
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
    let period = Decimal::new(i64::from(options.int("sample-period")), -7);
    // HTK stores 0 for an unknown frame shift.
    let shift = Some(period).filter(|period| !period.is_zero());
    let kind = u16::try_from(options.int("sample-kind"))
        .map_err(|_| Error::usage("--sample-kind is a number from 0 to 65535"))?;
    let htk = session.env.nested("htk")?;
    let mut folders = Parents::default();
    let output = session.env.output(&Locator::folder(folder));
    let output = output.overwrite(true).adding(true);
    let mut reader = session.read_table(session.argument(0), Holder::Matrix)?;
    let mut utt = Utterance::default();
    let mut count = 0;
    while reader.read(&mut utt)? {
        let file = file_of(&folder.into(), &utt.key, options.text("output-ext"))?;
        utt.meta.frame_shift = shift;
        let kind = Tag::new("htk", "kind", kind.to_string());
        utt.meta.tags.push(kind);
        if let Some(folder) = file.parent() {
            make(&folder, &mut folders, &session.env)?;
        }
        let mut sink = output.create(Part::At(&Locator::File(file)), false)?;
        htk.write(&utt, &mut |bytes| sink.put(bytes))
            .map_err(|e| e.utterance(&utt.key))?;
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
