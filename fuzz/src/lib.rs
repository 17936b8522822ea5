//! What the fuzz targets share.

use spr_convert::builtin;
use spr_core::adapt::Adapter;
use spr_core::bytes::{Access, Env, Output, Source};
use spr_core::format::{Caps, Count, Format, Keys, Options, Place};
use spr_core::model::{Dtype, Object, Rank, Utterance};
use spr_core::{Limits, Result};
use spr_testkit::damaged::exhaust;
use spr_testkit::{compare_all, faults};

/// Errors and utterances after which a reader is taken to run for ever.
const MANY: usize = 1 << 20;

/// No commands; memory for objects far beyond what an input of the fuzzer can fill.
pub fn env() -> Env {
    let limits = Limits {
        max_alloc: 64 << 20,
        ..Limits::default()
    };
    let mut env = Env::new(limits, Access::Safe, |_| {});
    env.threads = 1;
    env
}

/// Reads `bytes` as `format` in each of its ways.
pub fn read(format: &'static dyn Format, bytes: &[u8]) {
    read_with(format, &[], bytes);
}

/// [`read`] with options.
pub fn read_with(format: &'static dyn Format, options: &[(&str, &str)], bytes: &[u8]) {
    let options = Options::new(format.info(), options.iter().copied()).expect("known options");
    let source = || Source::from_bytes("fuzz", bytes.to_vec());
    let env = env();
    if let Ok(reader) = source().and_then(|source| format.open(source, &options, &env)) {
        exhaust(reader, MANY);
    }
    if let Ok(reader) = source().and_then(|source| format.salvage(source, &options, &env)) {
        exhaust(reader, MANY);
    }
    let mut passing = env;
    passing.values = false;
    if let Ok(reader) = source().and_then(|source| format.open(source, &options, &passing)) {
        exhaust(reader, MANY);
    }
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
    let mut source = Source::from_bytes("fuzz", bytes.to_vec()).ok()?;
    let format = builtin::registry().detect(&mut source).ok()?;
    let reader = format.open(source, &Options::default(), &env()).ok()?;
    Some(faults::drain(reader).utterances)
}

/// Fails where the data can't be held; panics where they were taken and do not come back.
fn trip(target: &'static dyn Format, utts: Vec<Utterance>) -> Result<()> {
    let options = Options::default();
    let (output, files) = Output::memory();
    let caps = target.caps(&options, Place::Stream)?;
    let mut adapter = Adapter::new(caps, None, false, Limits::default());
    let mut writer = target.create(output.clone(), &options, &env())?;
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
            Ok(()) => kept.push(utt),
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
    let main = files.lock().expect("no thread died").remove("main");
    let name = target.info().name;
    let main = main.unwrap_or_else(|| panic!("{name} wrote nothing"));
    let source = Source::from_bytes(name, main)?;
    let mut back = target
        .open(source, &holder(target, &kept)?, &env())
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
