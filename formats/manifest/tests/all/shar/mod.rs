//! Shar: what is written comes back, and damage in one file shifts no other.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod damage;
mod entries;
mod trips;

use std::sync::Arc;

use spr_core::bytes::{Env, Location, Locator, MemoryStore};
use spr_core::format::{Format, Options, Registry, Request, WriteSummary};
use spr_core::model::{
    About, Array, Audio, Decimal, Dtype, Matrix, NamedArray, Rank, Segment, Tag, Tier, Utterance,
    Waveform,
};
use spr_core::recording;
use spr_core::{Error, Limits, Result};
use spr_format_manifest::SHAR;

/// A store, and surroundings with the formats that a Shar holds.
pub(crate) fn surroundings() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let formats: [&'static dyn Format; 3] = [
        &spr_format_audio::WAV,
        &spr_format_audio::FLAC,
        &spr_format_numpy::FORMAT,
    ];
    let env = Env::new(Limits::default(), Default::default(), |_| {});
    let env = env.with_formats(Registry::new(formats));
    (store.clone(), env.with_store(Arc::new(store)))
}

pub(crate) fn options(pairs: &[(&str, &str)]) -> Options {
    Options::new(SHAR.info(), pairs.iter().copied()).unwrap()
}

pub(crate) fn write(utts: &[Utterance], pairs: &[(&str, &str)], env: &Env) -> Result<WriteSummary> {
    // What was read before is no input of this run.
    let env = &env.clone().with_store(env.store().clone());
    let output = env.output(&Locator::folder("d")).overwrite(true);
    let mut writer = SHAR.create(output.clone(), &options(pairs), &About::default(), env)?;
    for utt in utts {
        writer.accept(utt)?;
        writer.write(utt)?;
    }
    let written = writer.finish()?;
    output.commit()?;
    Ok(written)
}

/// What reading gives: utterances with their sound as samples, and errors.
pub(crate) fn read_all(
    request: Request,
    pairs: &[(&str, &str)],
    env: &Env,
) -> Result<(Vec<Utterance>, Vec<Error>)> {
    let at = Location::from("d");
    let opened = request.open_folder(&SHAR, &at, &[], &options(pairs), env)?;
    let mut reader = opened.into_stream()?;
    let (mut utts, mut errors) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        let mut utt = Utterance::default();
        match reader.read(&mut utt) {
            Ok(false) => return Ok((utts, errors)),
            Ok(true) => match recording::load(&mut utt, env) {
                Ok(()) => utts.push(utt),
                Err(error) => errors.push(error),
            },
            Err(error) => {
                let goes_on = error.can_continue();
                errors.push(error);
                if !goes_on {
                    return Ok((utts, errors));
                }
            }
        }
    }
    panic!("it does not end");
}

/// Reads everything, of which nothing is at fault.
pub(crate) fn read(pairs: &[(&str, &str)], env: &Env) -> Vec<Utterance> {
    let (utts, errors) = read_all(Request::all(), pairs, env).unwrap();
    assert!(errors.is_empty(), "{errors:?}");
    utts
}

/// The files of the folder.
pub(crate) fn names(env: &Env) -> Vec<String> {
    let files = env.list(&"d".into()).unwrap();
    let mut names: Vec<_> = files
        .iter()
        .map(|at| at.name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

pub(crate) fn time(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

pub(crate) fn sound(rows: usize, channels: usize, seed: i16) -> Audio {
    let values: Vec<i16> = (0..i16::try_from(rows * channels).unwrap())
        .map(|n| (n.wrapping_mul(seed) % 97) * 50)
        .collect();
    Audio::Samples(Waveform {
        rate: 8000,
        samples: Matrix::from_rows(&values, channels, Rank::Matrix).unwrap(),
    })
}

pub(crate) fn features(rows: usize, seed: f32) -> Matrix {
    let values: Vec<f32> = (0u16..)
        .take(3 * rows)
        .map(|n| f32::from(n) * 0.37 + seed)
        .collect();
    Matrix::from_rows(&values, 3, Rank::Matrix).unwrap()
}

/// An utterance with everything.
pub(crate) fn full() -> Utterance {
    let mut utt = Utterance {
        key: "sub/d\u{e9}.x-1".into(),
        audio: Some(sound(320, 1, 7)),
        features: Some(features(4, 1.5)),
        labels: Some(Matrix::from_rows(&[7i32, 7, -1, 2], 1, Rank::Vector).unwrap()),
        text: Some("\u{fc}ber".into()),
        ..Utterance::default()
    };
    let mut cube = Array::new(Dtype::U8, &[2, 1, 3], &Limits::default()).unwrap();
    cube.values_mut()
        .values_mut::<u8>()
        .unwrap()
        .copy_from_slice(&[1, 2, 3, 4, 5, 6]);
    let flat = Array::of(
        Matrix::from_rows(&[0.5f64, -2.0], 1, Rank::Vector).unwrap(),
        &[2],
    );
    let named = |name: &str, array| NamedArray {
        name: name.to_owned(),
        array,
    };
    utt.arrays = vec![named("cube", cube), named("emb", flat.unwrap())];
    let mut word = Segment::new(time("0.01"), Some(time("0.03")), "\u{fc}ber".as_bytes());
    word.score = Some(time("0.5"));
    utt.tiers = vec![Tier {
        name: b"word".as_slice().into(),
        segments: vec![word],
        points: false,
    }];
    let meta = &mut utt.meta;
    meta.frame_shift = Some(time("0.01"));
    (meta.speaker, meta.language) = (Some("ann".into()), Some("nl".into()));
    (meta.recording, meta.channel) = (Some("r 1".into()), Some("A".into()));
    (meta.start, meta.end) = (Some(time("0.5")), Some(time("0.54")));
    meta.tags = vec![
        Tag::new("manifest", "snr", "1.50"),
        Tag::new("manifest", "note", "{\"a\": [1, null]}"),
        Tag::new("kaldi-data", "utt2uniq", "u 1"),
        Tag::new("shar", "emb", r#"{"temporal_dim": 0, "frame_shift": 0.02}"#),
    ];
    utt
}

pub(crate) fn plain(key: &str, seed: i16) -> Utterance {
    Utterance {
        key: key.into(),
        audio: Some(sound(160, 1, seed)),
        ..Utterance::default()
    }
}
