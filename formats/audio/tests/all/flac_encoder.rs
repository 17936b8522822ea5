//! Sound of every shape through the FLAC encoder and back.
#![cfg(feature = "flac")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

use std::sync::Arc;

use proptest::prelude::*;
use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::{Format, Options, Request};
use spr_core::model::{About, Audio, Element, Matrix, Rank, Utterance, Waveform};
use spr_format_audio::FLAC;

/// Writes a file on this number of threads.
fn written(samples: &Matrix, rate: u32, threads: usize) -> Vec<u8> {
    let mut env = Env::default().with_store(Arc::new(MemoryStore::new()));
    env.threads = threads;
    let sound = Waveform {
        rate,
        samples: samples.clone(),
    };
    let utt = Utterance {
        audio: Some(Audio::Samples(sound)),
        ..Utterance::default()
    };
    let output = env.output(&Locator::file("x.flac"));
    let made = FLAC.create(output.clone(), &Options::default(), &About::default(), &env);
    let mut writer = made.unwrap();
    writer.write(&utt).unwrap();
    writer.finish().unwrap();
    output.commit().unwrap();
    let mut source = env.open_file(&"x.flac".into()).unwrap();
    source.rest("a file", &env.limits).unwrap()
}

/// Reads a file, all of whose checksums must be right.
fn read(bytes: Vec<u8>) -> Waveform {
    let source = Source::from_bytes("x.flac", bytes).unwrap();
    let env = Env::default();
    let opened = Request::all().open(&FLAC, source, &Options::default(), &env);
    let mut reader = opened.unwrap().into_stream().unwrap();
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    utt.take_waveform()
}

/// Checks that a file has these samples, and returns its size.
fn check<T: Element>(values: &[T], channels: usize, rate: u32) -> usize {
    let samples = Matrix::from_rows(values, channels, Rank::Matrix).unwrap();
    let bytes = written(&samples, rate, 1);
    assert_eq!(bytes, written(&samples, rate, 3));
    let size = bytes.len();
    let back = read(bytes);
    assert_eq!((back.rate, back.samples.cols()), (rate, channels));
    assert!(back.samples.as_slice::<T>() == Some(values));
    size
}

/// A sequence of pseudo-random numbers.
fn noise(seed: u64) -> impl FnMut() -> i32 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 32) as u32 as i32
    }
}

/// The forms of sound that differ for the encoder.
#[derive(Clone, Copy, Debug)]
enum Content {
    /// One value.
    Constant,
    /// The loudest and the softest value in turn, which no predictor follows.
    Extremes,
    /// Any values.
    Noise,
    /// Silence with a few loud samples.
    Clicks,
    /// A polynomial of this degree, which a fixed predictor follows.
    Curve(u32),
    /// A sum of tones, which a linear predictor follows, with noise of this many bits.
    Tones(u32),
    /// Nearly the same in all channels.
    Alike,
    /// Noise whose lowest bits are 0.
    Coarse(u32),
}

/// Returns interleaved samples of `bits` bits.
fn sound(content: Content, bits: u32, channels: usize, rows: usize, seed: u64) -> Vec<i32> {
    let mut next = noise(seed);
    let top = 32 - bits;
    let most = i32::MAX >> top;
    let first = next() >> top;
    let mut own = move |n: usize, channel: usize| match content {
        Content::Constant => first,
        Content::Extremes if (n + channel).is_multiple_of(2) => most,
        Content::Extremes => -most - 1,
        Content::Noise => next() >> top,
        Content::Clicks if n % 97 == channel => next() >> top,
        Content::Clicks => 0,
        Content::Curve(degree) => {
            let at = (n % 100) as i32 - 50;
            (at.pow(degree) * (1 + channel as i32)).clamp(-most, most)
        }
        Content::Tones(noisy) => {
            let at = n as f64 * (1.0 + 0.1 * channel as f64);
            let tone = (at * 0.31).sin() * 0.4 + (at * 0.083).sin() * 0.3;
            (tone * f64::from(most)) as i32 + (next() >> (32 - noisy)) / 2
        }
        Content::Alike => {
            let tone = (n as f64 * 0.05).sin() * 0.9 * f64::from(most);
            tone as i32 + (next() >> 31)
        }
        Content::Coarse(zeros) => next() >> top >> zeros << zeros,
    };
    (0..rows * channels)
        .map(|n| own(n / channels, n % channels))
        .collect()
}

fn check_bits(bits: u32, values: &[i32], channels: usize, rate: u32) -> usize {
    match bits {
        8 => {
            let values: Vec<u8> = values.iter().map(|v| (v + 128) as u8).collect();
            check(&values, channels, rate)
        }
        16 => {
            let values: Vec<i16> = values.iter().map(|v| *v as i16).collect();
            check(&values, channels, rate)
        }
        _ => {
            let values: Vec<i32> = values.iter().map(|v| v << 8).collect();
            check(&values, channels, rate)
        }
    }
}

const CONTENTS: [Content; 11] = [
    Content::Constant,
    Content::Extremes,
    Content::Noise,
    Content::Clicks,
    Content::Curve(1),
    Content::Curve(2),
    Content::Curve(3),
    Content::Tones(1),
    Content::Tones(5),
    Content::Alike,
    Content::Coarse(3),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_sound_comes_back(
        content in prop::sample::select(&CONTENTS[..]),
        bits in prop::sample::select(&[8u32, 16, 24][..]),
        channels in 1..=8usize,
        rows in prop_oneof![1..40usize, 4090..4100usize, 1..10_000usize],
        seed: u64,
        rate in prop_oneof![1..=96_000u32, Just(16_000), Just(44_100)],
    ) {
        check_bits(bits, &sound(content, bits, channels, rows, seed), channels, rate);
    }
}

#[test]
fn every_length_and_shape() {
    for content in CONTENTS {
        for bits in [8, 16, 24] {
            for channels in 1..=8 {
                for rows in [1, 2, 3, 4, 5, 9, 16, 31, 32, 33, 256, 257] {
                    let values = sound(content, bits, channels, rows, 7);
                    check_bits(bits, &values, channels, 8000);
                }
            }
            // Several parts of frames, for several threads.
            let values = sound(content, bits, 2, 80_001, 7);
            check_bits(bits, &values, 2, 16_000);
        }
    }
}

#[test]
fn what_can_be_predicted_is_small() {
    let rows = 40_960;
    for (bits, most) in [(8, 3.0), (16, 6.0), (24, 16.0)] {
        let size = |content, channels| {
            let values = sound(content, bits, channels, rows, 3);
            check_bits(bits, &values, channels, 16_000) as f64 * 8.0 / rows as f64
        };
        // Bits of a sample.
        let head = 0.1;
        let constant = size(Content::Constant, 1);
        assert!(constant < head, "{bits}: {constant}");
        let noise = size(Content::Noise, 1);
        assert!(noise < f64::from(bits) + head, "{bits}: {noise}");
        let coarse = size(Content::Coarse(3), 1);
        assert!(coarse < f64::from(bits) - 3.0 + head, "{bits}: {coarse}");
        // The window and the precision of coefficients limit the gain.
        for content in [Content::Extremes, Content::Tones(1)] {
            let size = size(content, 1);
            assert!(size < most, "{bits}, {content:?}: {size}");
        }
        // The jumps of the curves are not followed.
        for (degree, most) in [(1, 4.5), (2, 6.0)] {
            let curve = size(Content::Curve(degree), 1);
            assert!(curve < most, "{bits}: {curve}");
        }
        // The second channel costs the bits in which it differs.
        let both = size(Content::Alike, 2) - size(Content::Alike, 1);
        assert!(both < 2.5, "{bits}: {both}");
    }
}

/// The streamable subset (RFC 9639, 7) has the bits of a sample in each frame.
#[test]
fn frames_say_how_many_bits_a_sample_has() {
    for (samples, code) in [
        (Matrix::from_rows(&[1i16; 40], 1, Rank::Matrix).unwrap(), 4),
        (
            Matrix::from_rows(&[1i32 << 8; 40], 1, Rank::Matrix).unwrap(),
            6,
        ),
    ] {
        let bytes = written(&samples, 16_000, 1);
        let frame = bytes
            .windows(2)
            .position(|two| two == [0xff, 0xf8])
            .unwrap();
        assert_eq!(bytes[frame + 3] >> 1 & 7, code);
    }
}
