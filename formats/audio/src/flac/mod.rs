//! FLAC: metadata blocks followed by frames of samples with checksums.
//!
//! The decoder is our own, because existing ones skip damaged frames silently and cannot report
//! where a file ends that is followed by others.

mod bits;
mod blocks;
mod checksum;
mod comments;
mod decode;
mod encode;
mod frame;
mod sample;
mod seek;
mod stream_info;
mod subframe;

use spr_core::format::{AudioCaps, FormatInfo, Rule};
use spr_core::model::Dtype;

use crate::coded::{CodedFormat, CodedKind, NestedCoded, sound};
use crate::id3;

const NAME: &str = "flac";
const MAGIC: &[u8; 4] = b"fLaC";

/// The audio that can be encoded.
const AUDIO: AudioCaps = {
    let mut audio = sound(&[Dtype::I16, Dtype::U8, Dtype::I32], &[NAME]);
    audio.max_channels = encode::CHANNELS;
    audio.bits = encode::BITS;
    audio.rates = Rule::new("of at most 96000 Hz", encode::check_rate);
    audio.needs_samples = true;
    audio
};

static KIND: CodedKind = CodedKind {
    info: FormatInfo::new(NAME, "FLAC audio", &["flac"]),
    starts: |head| id3::after(head).starts_with(MAGIC),
    open: |source, env| decode::open(source, env),
    audio: AUDIO,
    encoder: encode::encoder,
    nested: NestedCoded(|| &KIND),
};

/// FLAC files.
pub static FLAC: CodedFormat = CodedFormat(&KIND);
