//! Ogg Vorbis: packets in pages with checksums.

mod page;
mod stream;

use spr_core::format::FormatInfo;
use spr_core::model::{Tag, Waveform};
use spr_core::{Error, Result};

use crate::coded::{CodedFormat, CodedKind, NestedCoded, sound};

const NAME: &str = "ogg";

static KIND: CodedKind = CodedKind {
    info: FormatInfo::new(
        NAME,
        "Ogg Vorbis audio; read and copied, but not encoded",
        &["ogg", "oga"],
    ),
    starts: |head| head.starts_with(page::MAGIC),
    open: |source, env| Ok(Box::new(stream::Stream::open(source, env)?)),
    audio: sound(&[], &[NAME]),
    encoder: |_| Box::new(encode),
    nested: NestedCoded(|| &KIND),
};

/// Ogg files with Vorbis audio, which are decoded, or copied unchanged.
pub static OGG: CodedFormat = CodedFormat(&KIND);

fn encode(_: &Waveform, _: &[Tag]) -> Result<Vec<u8>> {
    Err(Error::unfit("has samples, which are not encoded as Vorbis"))
}
