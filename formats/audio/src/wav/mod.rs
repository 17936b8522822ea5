//! WAV: RIFF chunks, where one describes the encoding of the samples in another.

mod encode;
mod fmt;
mod nested;
mod own_extent;
mod read;
mod texts;

use spr_core::bytes::ByteOrder;
use spr_core::format::{FormatInfo, ObjectBounds, OptionSpec};
use spr_core::model::Dtype;

use crate::kind::AudioKind;

const NAME: &str = "wav";

pub(crate) static KIND: AudioKind = AudioKind {
    info: FormatInfo::new(NAME, "WAV audio", &["wav"]).options(&[OptionSpec {
        name: "all",
        value: "false",
        help: "reading: only the first of several wave files in one (default: several are an error)",
    }]),
    starts,
    open: |source, extent, options, env| {
        let first = options.choice("all", &[("false", ObjectBounds::Own)])?;
        read::open(source, first.unwrap_or(extent), env)
    },
    nested: Some(&nested::NestedWave),
    dtypes: &[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64],
    order: ByteOrder::Little,
    even: true,
    caveat: |_| None,
    header: encode::header,
};

/// Returns `true` if these are the first bytes of a WAV file.
fn starts(head: &[u8]) -> bool {
    let magic = matches!(head.get(..4), Some(b"RIFF" | b"RIFX" | b"RF64" | b"BW64"));
    magic && head.get(8..12) == Some(b"WAVE")
}
