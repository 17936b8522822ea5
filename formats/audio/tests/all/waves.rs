//! WAV in every encoding and every form of header in use.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use spr_core::bytes::{Env, ObjectBounds, Source};
use spr_core::format::{Format, Options, Request};
use spr_core::model::{Dtype, Utterance};
use spr_core::{Error, ErrorKind};
use spr_format_audio::WAV;

const RATE: u32 = 8000;

/// An encoding: its number, bytes and valid bits per sample, and the element type when read.
#[derive(Clone, Copy)]
pub(super) struct Coding(u16, u16, u16, Dtype);

pub(super) const CODINGS: [Coding; 10] = [
    Coding(1, 1, 8, Dtype::U8),
    Coding(1, 2, 16, Dtype::I16),
    Coding(1, 2, 12, Dtype::I16),
    Coding(1, 3, 24, Dtype::I32),
    Coding(1, 3, 20, Dtype::I32),
    Coding(1, 4, 32, Dtype::I32),
    Coding(3, 4, 32, Dtype::F32),
    Coding(3, 8, 64, Dtype::F64),
    Coding(6, 1, 8, Dtype::I16),
    Coding(7, 1, 8, Dtype::I16),
];

/// The content of the size fields.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sizes {
    True,
    /// The sizes of the file and of the samples.
    Told(u32, u32),
    /// As many whole blocks of samples as fit in this size, as sox writes them.
    Blocks(u32),
    /// The sizes in a separate chunk.
    Long,
}

const SIZES: [Sizes; 11] = [
    Sizes::True,
    Sizes::Told(0, 0),
    Sizes::Told(u32::MAX, u32::MAX),
    Sizes::Told(0, u32::MAX),
    Sizes::Told(0x7fff_f024, 0x7fff_f000),
    Sizes::Told(0x7fff_ffff, 0x7fff_ffff),
    Sizes::Told(36, 0x8000_0000),
    Sizes::Told(u32::MAX, 0x7fff_0000),
    Sizes::Blocks(0x7fff_f000),
    Sizes::Blocks(0x7fff_ffff),
    Sizes::Long,
];

fn chunk(name: &[u8; 4], bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let padding = &[0][..bytes.len() % 2];
    [name, &size[..], bytes, padding].concat()
}

/// Returns the format chunk, optionally in the extensible form.
pub(super) fn fmt(Coding(tag, bytes, bits, _): Coding, channels: u16, extensible: bool) -> Vec<u8> {
    let block = bytes * channels;
    let speed = RATE * u32::from(block);
    // In the extensible form the container bits and the valid bits are separate.
    let (number, width) = if extensible {
        (0xfffe, 8 * bytes)
    } else {
        (tag, bits)
    };
    let mut out = Vec::new();
    out.extend(u16::to_le_bytes(number));
    out.extend(channels.to_le_bytes());
    out.extend(RATE.to_le_bytes());
    out.extend(speed.to_le_bytes());
    out.extend(block.to_le_bytes());
    out.extend(width.to_le_bytes());
    if extensible {
        out.extend([22, 0]);
        out.extend(bits.to_le_bytes());
        out.extend([3, 0, 0, 0]);
        out.extend(tag.to_le_bytes());
        out.extend(*b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71");
    }
    chunk(b"fmt ", &out)
}

/// Returns a file with these samples; `junk` adds unknown chunks, one of odd size.
pub(super) fn file(fmt: &[u8], samples: &[u8], sizes: Sizes, junk: bool) -> Vec<u8> {
    let before = if junk {
        chunk(b"JUNK", &[7; 28])
    } else {
        Vec::new()
    };
    let between = match junk {
        true => [chunk(b"fact", &[1, 0, 0, 0]), chunk(b"bext", &[7; 13])].concat(),
        false => Vec::new(),
    };
    let length = u32::try_from(samples.len()).unwrap();
    let mut long = Vec::new();
    let body = 4 + before.len() + fmt.len() + between.len() + 8 + samples.len();
    let (magic, whole, data) = match sizes {
        Sizes::True => (b"RIFF", u32::try_from(body).unwrap(), length),
        Sizes::Told(whole, data) => (b"RIFF", whole, data),
        Sizes::Blocks(size) => {
            let block = u32::from(u16::from_le_bytes([fmt[20], fmt[21]]));
            (b"RIFF", size, size - size % block)
        }
        Sizes::Long => {
            let sizes = [body as u64 + 36, u64::from(length), 0].map(u64::to_le_bytes);
            long = chunk(b"ds64", &[sizes.as_flattened(), &[0; 4]].concat());
            (b"RF64", u32::MAX, u32::MAX)
        }
    };
    let (whole, data) = (whole.to_le_bytes(), data.to_le_bytes());
    let head = [&magic[..], &whole, b"WAVE", &long, &before, fmt, &between];
    [&head.concat()[..], b"data", &data, samples].concat()
}

fn read(bytes: Vec<u8>) -> Utterance {
    let source = Source::from_bytes("x.wav", bytes).unwrap();
    let env = Env::default();
    let opened = Request::all()
        .open(&WAV, source, &Options::default(), &env)
        .unwrap();
    let mut reader = opened.into_stream().unwrap();
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    assert!(!reader.read(&mut Utterance::default()).unwrap());
    utt
}

#[test]
fn every_coding_in_every_header() {
    for coding in CODINGS {
        let Coding(_, bytes, _, dtype) = coding;
        for channels in [1, 2] {
            let size = usize::from(bytes * channels);
            let samples: Vec<u8> = (0..6 * size)
                .map(|n| u8::try_from(n % 63).unwrap())
                .collect();
            let mut first = None;
            for extensible in [false, true] {
                for sizes in SIZES {
                    for junk in [false, true] {
                        let fmt = fmt(coding, channels, extensible);
                        let utt = read(file(&fmt, &samples, sizes, junk));
                        let sound = utt.waveform().unwrap();
                        let what = format!("{dtype} {channels} {extensible} {sizes:?} {junk}");
                        assert_eq!(sound.rate, RATE, "{what}");
                        let shape = (sound.samples.rows(), sound.samples.cols());
                        assert_eq!(shape, (6, usize::from(channels)), "{what}");
                        assert_eq!(sound.samples.dtype(), dtype, "{what}");
                        let first = first.get_or_insert_with(|| sound.clone());
                        assert!(sound == first, "{what}: other samples");
                    }
                }
            }
        }
    }
}

/// Some programs leave the padding of an odd chunk out, others fill it with what was there.
#[test]
fn padding_may_be_missing_or_no_zero() {
    let samples: Vec<u8> = (0..40).collect();
    let fmt = fmt(CODINGS[1], 1, false);
    let right = read(file(&fmt, &samples, Sizes::True, false));
    for padding in [&b""[..], b"\0", b"A", b"\xff"] {
        for next in [&b""[..], b"JUNK\x02\0\0\0ab"] {
            let data = [&b"data\x28\0\0\0"[..], &samples].concat();
            let parts = [
                b"WAVE",
                &fmt[..],
                b"odd \x03\0\0\0abc",
                padding,
                next,
                &data,
            ]
            .concat();
            let size = u32::try_from(parts.len()).unwrap().to_le_bytes();
            let (utt, warnings) = attempt([b"RIFF", &size[..], &parts].concat());
            assert_eq!(
                (utt, warnings),
                (Ok(right.clone()), 0),
                "{padding:?} {next:?}"
            );
        }
    }
}

/// Reads a file, and returns the samples or the kind of the error, and the number of warnings.
fn attempt(bytes: Vec<u8>) -> (Result<Utterance, ErrorKind>, usize) {
    let warnings = Arc::new(AtomicUsize::new(0));
    let counter = warnings.clone();
    let env = Env::default().listening(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let source = Source::from_bytes("x.wav", bytes).unwrap();
    let read = || {
        let opened = Request::all().open(&WAV, source, &Options::default(), &env)?;
        let mut utt = Utterance::default();
        opened.into_stream()?.read(&mut utt)?;
        Ok(utt)
    };
    let read = read().map_err(|e: Error| e.kind());
    (read, warnings.load(Ordering::Relaxed))
}

/// Returns the format chunk of 16-bit samples of one channel with these bytes a second and block.
fn with_block(speed: u32, block: u16) -> Vec<u8> {
    let mut chunk = fmt(CODINGS[1], 1, false);
    chunk[16..20].copy_from_slice(&speed.to_le_bytes());
    chunk[20..22].copy_from_slice(&block.to_le_bytes());
    chunk
}

#[test]
fn a_wrong_block_is_a_warning_where_the_speed_agrees() {
    let samples: Vec<u8> = (0..200).collect();
    let right = read(file(&with_block(2 * RATE, 2), &samples, Sizes::True, false));
    for (speed, block, warnings) in [
        (2 * RATE, 2, Some(0)),
        (RATE, 1, Some(1)),
        (4 * RATE, 4, Some(1)),
        // One of the two is wrong.
        (2 * RATE, 4, Some(1)),
        (RATE, 2, Some(1)),
        // Neither of them agrees with anything.
        (RATE, 4, None),
        (4 * RATE, 1, None),
        (RATE, 0, None),
        // Neither is there.
        (0, 0, Some(1)),
    ] {
        let (utt, told) = attempt(file(
            &with_block(speed, block),
            &samples,
            Sizes::True,
            false,
        ));
        match warnings {
            Some(n) => {
                assert_eq!(utt.unwrap().audio, right.audio, "{speed} {block}");
                assert_eq!(told, n, "{speed} {block}");
            }
            None => assert_eq!(utt.unwrap_err(), ErrorKind::Malformed, "{speed} {block}"),
        }
    }
}

#[test]
fn a_size_derived_from_none_is_a_warning_and_a_cut_file_an_error() {
    let samples: Vec<u8> = (0..200).collect();
    let plain = fmt(CODINGS[1], 1, false);
    let right = read(file(&plain, &samples, Sizes::True, false));
    for (sizes, junk, is_read) in [
        (Sizes::Told(0xffff_fff8, 0xffff_ffd4), false, true),
        (Sizes::Told(236, 0xffff_ffd4), false, true),
        (Sizes::Told(0, 0xffff_ffd3), false, true),
        // From a size in the RIFF header of 0, -1 and the largest.
        (Sizes::Told(0, 0xffff_ffdc), false, true),
        (Sizes::Told(u32::MAX, 0xffff_ffdb), false, true),
        (Sizes::Told(0x7fff_ffff, 0x7fff_ffdb), false, true),
        // Not that of this header.
        (Sizes::Told(0xffff_fff8, 0xffff_ffd4), true, false),
        (Sizes::Told(0xffff_fff8, 0xffff_ffd6), false, false),
        (Sizes::Told(0xffff_fff8, 0xffff_0000), false, false),
        (Sizes::Told(236, 202), false, false),
        (Sizes::Told(236, 0x7fff_ffd4), false, false),
    ] {
        let (utt, told) = attempt(file(&plain, &samples, sizes, junk));
        match is_read {
            true => {
                assert_eq!(
                    (utt.unwrap().audio, told),
                    (right.audio.clone(), 1),
                    "{sizes:?}"
                );
            }
            false => assert_eq!(utt.unwrap_err(), ErrorKind::Truncated, "{sizes:?}"),
        }
    }
}

#[test]
fn damage_to_the_shape_of_samples_is_an_error() {
    let samples: Vec<u8> = (0..240).collect();
    for coding in CODINGS.iter().filter(|Coding(tag, ..)| *tag == 1) {
        for channels in [1, 2] {
            let chunk = fmt(*coding, channels, false);
            let (_, told) = attempt(file(&chunk, &samples, Sizes::True, false));
            assert_eq!(told, 0);
            // The bits of the number of channels, and those of the bits of a sample that change its
            // size.
            for (byte, bit) in
                (0..16)
                    .map(|n| (10 + n / 8, n % 8))
                    .chain([(22, 3), (22, 5), (23, 0)])
            {
                let mut damaged = chunk.clone();
                damaged[byte] ^= 1 << bit;
                let (utt, _) = attempt(file(&damaged, &samples, Sizes::True, false));
                let Coding(_, _, bits, _) = coding;
                assert!(
                    utt.is_err(),
                    "{bits} bits, {channels} channels: {byte}, {bit}"
                );
            }
        }
    }
}

/// What is passed over inside a container is what would be read.
#[test]
fn passing_ends_where_reading_ends() {
    let env = Env::default();
    let nested = WAV.nested().unwrap();
    let samples: Vec<u8> = (0..240).collect();
    for coding in CODINGS {
        for channels in [1, 2] {
            for sizes in SIZES {
                for junk in [false, true] {
                    let own = file(&fmt(coding, channels, false), &samples, sizes, junk);
                    let bytes = [&own[..], b"next"].concat();
                    let source = || Source::from_bytes("x", bytes.clone()).unwrap();
                    let (mut read, mut passed) = (source(), source());
                    let utt = &mut Utterance::default();
                    let is_read = nested.read(&mut read, ObjectBounds::Own, utt, &env).is_ok();
                    let is_passed = nested.pass(&mut passed, &env).ok();
                    match is_passed {
                        Some(true) => assert!(is_read && passed.offset() == read.offset()),
                        Some(false) => assert_eq!(passed.offset(), 0),
                        None => assert!(!is_read, "{sizes:?}"),
                    }
                    // Those with a size of their own are passed.
                    let is_told = matches!(sizes, Sizes::True | Sizes::Long);
                    assert_eq!(is_passed == Some(true), is_told && is_read, "{sizes:?}");
                }
            }
        }
    }
    // A header that is longer than what is looked at first.
    let plain = fmt(CODINGS[1], 1, false);
    let far = [chunk(b"JUNK", &[0; 3000]), plain].concat();
    let own = file(&far, &samples, Sizes::True, false);
    let mut source = Source::from_bytes("x", own.clone()).unwrap();
    assert!(nested.pass(&mut source, &env).unwrap());
    assert_eq!(source.offset(), own.len() as u64);
    // A file that ends in the samples.
    let mut source = Source::from_bytes("x", own[..own.len() - 1].to_vec()).unwrap();
    let error = nested.pass(&mut source, &env).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
}
