//! The member `json`: what is known of an utterance beside its fields of their own.

use std::borrow::Cow;

use serde_json::value::RawValue;
use spr_core::Result;
use spr_core::model::{Key, Tag, Utterance};
use spr_syntax::json::{self, Fields, Object};
use spr_syntax::manifest::columns::{self, COLUMN};
use spr_syntax::manifest::source::{self, Place, utf8};
use spr_syntax::tiers::{self, SEGMENTS, TIERS};

use crate::kinds::{CLASS, JSON};

/// The format of tags that are members of other kinds.
pub(crate) const MEMBER: &str = "webdataset";

/// The key, where the name of the sample is another.
const KEY: &str = "__key__";
const SHIFT: &str = "frame_shift";
const OFFSET: &str = "frame_offset";
const TEXT: &str = "text";
const SPEAKER: [&str; 2] = ["speaker", "speaker_id"];
const GENDER: &str = "gender";
const LANGUAGE: [&str; 3] = ["language", "lang", "locale"];

/// Reads the member into `utt`, whose text is known if it has a member of its own.
///
/// # Errors
/// A field that says where the utterance is in a recording is of another type.
pub(crate) fn read(bytes: &[u8], utt: &mut Utterance) -> Result<()> {
    let mut object = match Object::of_line(bytes) {
        Ok(object) => object,
        // Another value than an object has no fields.
        Err(_) if serde_json::from_slice::<&RawValue>(bytes).is_ok_and(is_no_object) => {
            utt.meta.tags.push(Tag::new(MEMBER, JSON, bytes));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if let Some(key) = object.take_if(KEY, json::name) {
        utt.key.set(key.as_bytes());
    }
    let mut name = |names: &[&str]| {
        let name = names.iter().find_map(|own| object.take_if(own, json::name));
        name.map(|name| Key::from(name.as_ref()))
    };
    let meta = &mut utt.meta;
    (meta.speaker, meta.gender) = (name(&SPEAKER), name(&[GENDER]));
    meta.language = name(&LANGUAGE);
    let number = |raw| json::decimal(raw, "").ok();
    meta.frame_shift = object.take_if(SHIFT, |raw| number(raw).filter(|shift| shift.is_positive()));
    meta.frame_offset = object.take_if(OFFSET, number);
    Place::default().read(&mut object, meta)?;
    let found = object.take_if(SEGMENTS, tiers::read_segments);
    let found = found.or_else(|| object.take_if(TIERS, tiers::read_tiers));
    utt.tiers = found.unwrap_or_default();
    let said = |raw| json::text(raw, TEXT).ok();
    match &utt.text {
        None => {
            let said = object.take_if(TEXT, said);
            utt.text = said.map(|said| said.into_owned().into_bytes());
        }
        // The same once more.
        Some(text) => {
            let same = |said: &Cow<'_, str>| said.as_bytes() == text.as_slice();
            object.take_if(TEXT, |raw| said(raw).filter(same));
        }
    }
    columns::read(object, &mut utt.meta);
    Ok(())
}

fn is_no_object(raw: &RawValue) -> bool {
    !raw.get().starts_with('{')
}

/// Returns `true` for fields with a meaning.
fn is_own(name: &str) -> bool {
    let others = [KEY, SHIFT, OFFSET, TEXT, GENDER, SEGMENTS, TIERS];
    let named = [&others[..], &SPEAKER, &LANGUAGE, &source::FIELDS];
    named.iter().any(|names| names.contains(&name))
}

/// Returns `true` for tags that are members of their own.
pub(crate) fn is_member(tag: &Tag) -> bool {
    tag.format == MEMBER || is_class(tag)
}

/// Returns `true` if a tag is the number of a class.
fn is_class(tag: &Tag) -> bool {
    tag.format == COLUMN && tag.key == CLASS.as_bytes() && is_whole_number(&tag.value)
}

/// Returns `true` for the digits of a whole number, as JSON writes it.
pub(crate) fn is_whole_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let proper = digits.first().is_some_and(|first| *first != b'0') || digits == b"0";
    proper && digits.iter().all(u8::is_ascii_digit)
}

/// Writes the member, or nothing if nothing is to be said. `key` is that of the utterance, if the
/// name of the sample is another.
///
/// # Errors
/// Something is not UTF-8, or not JSON.
pub(crate) fn write(utt: &Utterance, key: Option<&str>, out: &mut Vec<u8>) -> Result<()> {
    let meta = &utt.meta;
    let start = out.len();
    let mut fields = Fields::open(out);
    if let Some(key) = key {
        fields.text(KEY, key);
    }
    for (name, value) in [
        (SPEAKER[0], &meta.speaker),
        (GENDER, &meta.gender),
        (LANGUAGE[0], &meta.language),
    ] {
        if let Some(value) = value {
            fields.text(name, utf8(value.as_bytes(), name)?);
        }
    }
    Place::default().write(meta, &mut fields)?;
    for (name, number) in [(SHIFT, meta.frame_shift), (OFFSET, meta.frame_offset)] {
        if let Some(number) = number {
            fields.time(name, number);
        }
    }
    tiers::write(&utt.tiers, &mut fields)?;
    let tags = meta.tags.iter().filter(|tag| !is_member(tag)).cloned();
    columns::write(
        &tags.collect::<Vec<_>>(),
        |name, _| is_own(name),
        &mut fields,
    )?;
    fields.close();
    if out.len() == start + 2 {
        out.truncate(start);
    }
    Ok(())
}
