//! What the fuzz targets share.

mod mend;

use std::sync::Arc;

use spr_convert::builtin;
use spr_core::adapt::Adapter;
use spr_core::bytes::{Access, Env, Location, Locator, MemoryStore, Source};
use spr_core::format::{Caps, Count, Format, Keys, Medium, OpenedDataset, Options, Request};
use spr_core::model::{About, Dtype, Object, Rank, Utterance};
use spr_core::{Limits, Result};
use spr_testkit::damaged::exhaust;
use spr_testkit::{compare_all, faults};

/// Errors and utterances after which a reader is taken to run for ever.
const MANY: usize = 1 << 20;

/// The name of the data in the store.
const MAIN: &str = "main";

/// No commands and no files; memory for objects far beyond what an input of the fuzzer can fill.
pub fn env() -> Env {
    let limits = Limits {
        max_alloc: 64 << 20,
        ..Limits::default()
    };
    let mut env = Env::new(limits, Access::Safe, |_| {});
    env.threads = 1;
    env.with_formats(builtin::registry())
        .with_store(Arc::new(MemoryStore::new()))
}

/// Reads `bytes` as `format` in each of its ways, as they are and with checksums that fit.
pub fn read(format: &'static dyn Format, bytes: &[u8]) {
    read_with(format, &[], bytes);
    if let Some(mended) = mend::mended(bytes) {
        read_with(format, &[], &mended);
    }
}

/// Reads `bytes` as they are with options.
pub fn read_with(format: &'static dyn Format, options: &[(&str, &str)], bytes: &[u8]) {
    let options = Options::new(format.info(), options.iter().copied()).expect("known options");
    let env = env();
    let open = |request: Request| {
        let source = Source::from_bytes("fuzz", bytes.to_vec())?;
        request.open(format, source, &options, &env)
    };
    let some = |request: Request| request.keys(|key| key.as_bytes().len() % 2 == 0);
    for request in [
        Request::all(),
        Request::all().damaged(),
        Request::all().headers(),
        some(Request::all().samples()),
    ] {
        if let Ok(OpenedDataset::Stream(reader)) = open(request) {
            exhaust(reader, MANY);
        }
    }
    if let Ok(OpenedDataset::Table(mut table)) = open(Request::all().lookup()) {
        let mut utt = Utterance::default();
        for key in ["a", "utt000001"] {
            let _ = table.find(&key.into(), &mut utt);
        }
    }
}

/// Reads a folder that is a data set of `format` as a whole: in `bytes` each of its files begins with a
/// line `=NAME`. What is whole of it is written again, and read.
pub fn read_folder(format: &'static dyn Format, bytes: &[u8]) {
    let env = surroundings(bytes);
    let folder = Location::from("folder");
    let options = Options::default();
    let open = |request: Request| {
        let opened = request.open_folder(format, &folder, &[], &options, &env);
        opened.and_then(OpenedDataset::into_stream).ok()
    };
    let some = |request: Request| request.keys(|key| key.as_bytes().len() % 2 == 0);
    for request in [
        Request::all(),
        Request::all().damaged(),
        some(Request::all().headers()),
    ] {
        if let Some(reader) = open(request) {
            exhaust(reader, MANY);
        }
    }
    let utts = open(Request::all()).map(|reader| faults::drain(reader).utterances);
    let output = env.output(&Locator::folder("again"));
    let Ok(mut writer) = format.create(output.clone(), &options, &About::default(), &env) else {
        return;
    };
    for utt in utts.into_iter().flatten() {
        let _ = writer.write(&utt);
    }
    if writer.finish().is_ok() && output.commit().is_ok() {
        let again = Request::all().open_folder(format, &"again".into(), &[], &options, &env);
        if let Ok(reader) = again.and_then(OpenedDataset::into_stream) {
            exhaust(reader, MANY);
        }
    }
}

/// Surroundings with a folder of such files.
fn surroundings(bytes: &[u8]) -> Env {
    let store = MemoryStore::new();
    let (mut name, mut text) = (String::new(), Vec::new());
    for line in bytes
        .split_inclusive(|byte| *byte == b'\n')
        .chain([&b"=\n"[..]])
    {
        match line.strip_prefix(b"=") {
            Some(next) => {
                if !name.is_empty() {
                    store.insert(format!("folder/{name}"), std::mem::take(&mut text));
                }
                name = String::from_utf8_lossy(next)
                    .trim()
                    .replace(['/', '\0'], "");
            }
            None => text.extend_from_slice(line),
        }
    }
    env().with_store(Arc::new(store))
}

/// Reads `bytes`, writes what they hold in the format of that number, reads it again and compares.
pub fn round_trip(number: usize, bytes: &[u8]) {
    let registry = builtin::registry();
    let Some(utts) = detected(bytes) else { return };
    let formats: Vec<_> = registry.formats().collect();
    let target = formats[number % formats.len()];
    let _ = trip(target, utts);
}

fn detected(bytes: &[u8]) -> Option<Vec<Utterance>> {
    let bytes = mend::mended(bytes).unwrap_or_else(|| bytes.to_vec());
    let mut source = Source::from_bytes("fuzz", bytes).ok()?;
    let format = builtin::registry().detect(&mut source).ok()?;
    let opened = Request::all().open(format, source, &Options::default(), &env());
    Some(faults::drain(opened.ok()?.into_stream().ok()?).utterances)
}

/// Fails where the data can't be held; panics where they were taken and do not come back.
fn trip(target: &'static dyn Format, utts: Vec<Utterance>) -> Result<()> {
    let options = Options::default();
    let env = env();
    let output = env.output(&Locator::file(MAIN));
    let caps = target.caps(&options, Medium::File)?;
    let mut adapter = Adapter::new(caps, None, false, &env);
    let mut writer = target.create(output.clone(), &options, &About::default(), &env)?;
    let mut kept = Vec::new();
    let room = match caps.count {
        Count::One => 1,
        Count::Many => usize::MAX,
    };
    for mut utt in utts.into_iter().take(room) {
        if adapter.apply(&mut utt).is_err() {
            continue;
        }
        match writer.write(&utt) {
            Ok(()) => {
                adapter.keep();
                kept.push(utt);
            }
            Err(error) if error.can_continue() => {}
            Err(error) => return Err(error),
        }
    }
    let written = writer.finish()?;
    output.commit()?;
    assert_eq!(
        written.utterances,
        kept.len() as u64,
        "utterances are counted"
    );
    let name = target.info().name;
    let source = env
        .open_file(&MAIN.into())
        .unwrap_or_else(|e| panic!("{name} wrote nothing: {e}"));
    // Sound in containers is a reference to it unless samples are asked for.
    let request = match kept.iter().any(|utt| utt.waveform().is_some()) {
        true => Request::all().samples(),
        false => Request::all(),
    };
    let opened = request.open(target, source, &holder(target, &kept)?, &env);
    let mut back = opened
        .and_then(OpenedDataset::into_stream)
        .and_then(|reader| faults::drain(reader).whole())
        .unwrap_or_else(|e| panic!("{name} reads what it wrote: {e}\n{kept:?}"));
    same(&caps, &kept, &mut back).unwrap_or_else(|e| panic!("{name}: {e}\n{kept:?}\n{back:?}"));
    Ok(())
}

/// The options to read `utts` again. The bytes of some Kaldi objects are those of others too: a
/// number 0 is an empty vector, and only the user knows.
fn holder(target: &'static dyn Format, utts: &[Utterance]) -> Result<Options> {
    let known = target
        .info()
        .options
        .iter()
        .any(|option| option.name == "holder");
    let holder = utts
        .first()
        .and_then(|utt| match (&utt.object, &utt.features) {
            (Some(Object::Opaque { .. }), _) => None,
            (Some(object), _) => Some(object.kind()),
            (_, Some(number)) if number.rank() == Rank::Scalar && number.dtype() == Dtype::F32 => {
                Some("float")
            }
            _ => None,
        });
    // A token may look like the place of an object, which a script file has.
    let pairs = [
        holder.map(|holder| ("holder", holder)),
        Some(("table", "ark")),
    ];
    Options::new(target.info(), pairs.into_iter().flatten().filter(|_| known))
}

fn same(caps: &Caps, want: &[Utterance], got: &mut [Utterance]) -> std::result::Result<(), String> {
    if !caps.boundaries {
        let rows = |utts: &[Utterance]| -> Vec<u8> {
            let matrices = utts.iter().filter_map(|utt| utt.features.as_ref());
            matrices.flat_map(|m| m.as_bytes().to_vec()).collect()
        };
        return match rows(want) == rows(got) {
            true => Ok(()),
            false => Err("other features".to_owned()),
        };
    }
    // How far values may be off is told by the writer, and tested with its format.
    if caps.rounded {
        return match want.len() == got.len() {
            true => Ok(()),
            false => Err("other utterances".to_owned()),
        };
    }
    // A writer adds the header lines that its format needs.
    for (want, got) in want.iter().zip(got.iter_mut()) {
        let tags = &mut got.meta.tags;
        if want.meta.tags.iter().all(|tag| tags.contains(tag)) {
            tags.clone_from(&want.meta.tags);
        }
    }
    let keys = matches!(caps.keys, Keys::Words | Keys::Any);
    compare_all(want, got, keys, true)
}
