//! The field `meta`: information besides the data.

use std::borrow::Cow;

use serde_json::value::RawValue;
use spr_core::bytes::MemoryCounter;
use spr_core::model::{Decimal, Key, Meta, Tag};
use spr_core::{Error, Limits, Result};
use spr_syntax::json::Fields;

use crate::text;

/// The fields in `meta`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetaFields<'a> {
    #[serde(borrow)]
    frame_shift: Option<&'a RawValue>,
    #[serde(borrow)]
    frame_offset: Option<&'a RawValue>,
    #[serde(borrow)]
    speaker: Option<&'a RawValue>,
    #[serde(borrow)]
    gender: Option<&'a RawValue>,
    #[serde(borrow)]
    language: Option<&'a RawValue>,
    #[serde(borrow)]
    recording: Option<&'a RawValue>,
    #[serde(borrow)]
    channel: Option<&'a RawValue>,
    #[serde(borrow)]
    start: Option<&'a RawValue>,
    #[serde(borrow)]
    end: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tags: Vec<[&'a RawValue; 3]>,
}

impl MetaFields<'_> {
    /// Converts the fields.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Meta> {
        let time =
            |raw: Option<&RawValue>, what| raw.map(|raw| text::read_decimal(raw, what)).transpose();
        let name = |raw: Option<&RawValue>, what| {
            let text = raw.map(|raw| text::read(raw, what)).transpose();
            text.map(|text| text.map(|text| Key::from(&*text)))
        };
        let mut held = MemoryCounter::new("a list of tags");
        let tags = self.tags.iter().map(|fields| {
            let texts = fields.iter().map(|raw| raw.get().len());
            held.keep(size_of::<Tag>() + texts.sum::<usize>(), limits)?;
            tag(fields)
        });
        let tags: Result<_> = tags.collect();
        Ok(Meta {
            frame_shift: time(self.frame_shift, "frame_shift")?
                .map(shift)
                .transpose()?,
            frame_offset: time(self.frame_offset, "frame_offset")?,
            speaker: name(self.speaker, "speaker")?,
            gender: name(self.gender, "gender")?,
            language: name(self.language, "language")?,
            recording: name(self.recording, "recording")?,
            channel: name(self.channel, "channel")?,
            start: time(self.start, "start")?,
            end: time(self.end, "end")?,
            tags: tags?,
        })
    }
}

/// Checks a frame shift.
fn shift(shift: Decimal) -> Result<Decimal> {
    match shift.is_positive() {
        true => Ok(shift),
        false => {
            let message = format!("frame_shift is {shift}, not a time above 0");
            Err(Error::malformed(message))
        }
    }
}

fn tag([format, key, value]: &[&RawValue; 3]) -> Result<Tag> {
    let format = text::read(format, "the format of a tag")?;
    let format = String::from_utf8(format.into_owned())
        .map_err(|_| Error::malformed("the format of a tag is not text"))?;
    let key = text::read(key, "the key of a tag")?.into_owned();
    let value = text::read(value, "the value of a tag")?.into_owned();
    Ok(Tag::new(Cow::Owned(format), key, value))
}

/// Appends the fields inside of `meta`.
pub(crate) fn write(meta: &Meta, out: &mut Vec<u8>) {
    let mut fields = Fields::compact(out);
    fields.number("frame_shift", meta.frame_shift);
    fields.number("frame_offset", meta.frame_offset);
    for (name, value) in [
        ("speaker", &meta.speaker),
        ("gender", &meta.gender),
        ("language", &meta.language),
        ("recording", &meta.recording),
        ("channel", &meta.channel),
    ] {
        if let Some(value) = value {
            text::write(value.as_bytes(), fields.start(name));
        }
    }
    fields.number("start", meta.start);
    fields.number("end", meta.end);
    if meta.tags.is_empty() {
        return;
    }
    let out = fields.start("tags");
    out.push(b'[');
    for (n, tag) in meta.tags.iter().enumerate() {
        out.extend_from_slice(if n > 0 { b",[" } else { b"[" });
        text::write(tag.format.as_bytes(), out);
        out.push(b',');
        text::write(&tag.key, out);
        out.push(b',');
        text::write(&tag.value, out);
        out.push(b']');
    }
    out.push(b']');
}
