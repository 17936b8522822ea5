//! MP3: frames of MPEG layer III, between tags of other programs.

mod frame;
mod stream;

use spr_core::format::FormatInfo;
use spr_core::model::{Tag, Waveform};
use spr_core::{Error, Result};

use crate::coded::{CodedFormat, CodedKind, NestedCoded, sound};
use crate::id3;
use frame::{HEADER, HeaderMatch, header};

const NAME: &str = "mp3";

static KIND: CodedKind = CodedKind {
    info: FormatInfo::new(
        NAME,
        "MP3 audio; read and copied, but not encoded",
        &["mp3"],
    ),
    starts,
    open: |source, _| Ok(Box::new(stream::Stream::open(source)?)),
    audio: sound(&[], &[NAME]),
    encoder: |_| Box::new(encode),
    nested: NestedCoded(|| &KIND),
};

/// MP3 files, which are decoded, or copied unchanged.
pub static MP3: CodedFormat = CodedFormat(&KIND);

/// Returns `true` if the file starts with a tag, unless FLAC follows, or with two consecutive
/// frames.
fn starts(head: &[u8]) -> bool {
    let HeaderMatch::Header(first) = header(head) else {
        return id3::is_tag(head) && !id3::after(head).starts_with(id3::FLAC);
    };
    match head.get(first.len..) {
        Some(next) if next.len() >= HEADER => {
            matches!(header(next), HeaderMatch::Header(next) if next.fits(&first))
        }
        _ => true,
    }
}

fn encode(_: &Waveform, _: &[Tag]) -> Result<Vec<u8>> {
    Err(Error::unfit("has samples, which are not encoded as MP3"))
}
