//! WAV in every encoding and every form of header in use.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Request};
use spr_core::model::{Dtype, Utterance};
use spr_format_audio::WAV;

const RATE: u32 = 8000;

/// An encoding: its number, bytes and valid bits per sample, and the element type when read.
#[derive(Clone, Copy)]
struct Coding(u16, u16, u16, Dtype);

const CODINGS: [Coding; 10] = [
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
enum Sizes {
    True,
    /// The sizes of the file and of the samples.
    Told(u32, u32),
    /// The sizes in a separate chunk.
    Long,
}

const SIZES: [Sizes; 9] = [
    Sizes::True,
    Sizes::Told(0, 0),
    Sizes::Told(u32::MAX, u32::MAX),
    Sizes::Told(0, u32::MAX),
    Sizes::Told(0x7fff_f024, 0x7fff_f000),
    Sizes::Told(0x7fff_ffff, 0x7fff_ffff),
    Sizes::Told(36, 0x8000_0000),
    Sizes::Told(u32::MAX, 0x7fff_0000),
    Sizes::Long,
];

fn chunk(name: &[u8; 4], bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let padding = &[0][..bytes.len() % 2];
    [name, &size[..], bytes, padding].concat()
}

/// Returns the format chunk, optionally in the extensible form.
fn fmt(Coding(tag, bytes, bits, _): Coding, channels: u16, extensible: bool) -> Vec<u8> {
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
fn file(fmt: &[u8], samples: &[u8], sizes: Sizes, junk: bool) -> Vec<u8> {
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
