//! WAV: RIFF chunks, of which one tells how the samples in another are stored.

mod encode;
mod fmt;
mod read;

use spr_core::bytes::ByteOrder;
use spr_core::format::FormatInfo;
use spr_core::model::Dtype;

use crate::kind::Kind;

const NAME: &str = "wav";

pub(crate) static KIND: Kind = Kind {
    info: FormatInfo {
        name: NAME,
        title: "WAV audio",
        extensions: &["wav"],
        options: &[],
    },
    starts: |head| {
        let magic = head.get(..4).unwrap_or_default();
        matches!(magic, b"RIFF" | b"RIFX" | b"RF64" | b"BW64") && head.get(8..12) == Some(b"WAVE")
    },
    open: read::open,
    dtypes: &[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64],
    order: ByteOrder::Little,
    even: true,
    header: encode::header,
};
