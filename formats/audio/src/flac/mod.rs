//! FLAC: blocks about the sound, then frames of samples, each with its checksum.
//!
//! The frames are decoded here, and not by a library: those there are go on behind damaged frames
//! as if nothing was missing, and can't say where a file ends that others follow.

mod bits;
mod blocks;
mod comments;
mod decode;
mod encode;
mod frame;
mod stream_info;
mod subframe;

use spr_core::format::FormatInfo;
use spr_core::model::Dtype;

use crate::coded::{CodedFormat, CodedKind, NestedCoded};

const NAME: &str = "flac";
const MAGIC: &[u8; 4] = b"fLaC";

static KIND: CodedKind = CodedKind {
    info: FormatInfo::new(NAME, "FLAC audio", &["flac"]),
    starts: |head| head.starts_with(MAGIC),
    open: |source, env| Ok(Box::new(decode::Stream::open(source, env)?)),
    dtypes: &[Dtype::I16, Dtype::U8, Dtype::I32],
    own: &[NAME],
    encode: encode::file,
    nested: NestedCoded(|| &KIND),
};

/// FLAC files.
pub static FLAC: CodedFormat = CodedFormat(&KIND);
