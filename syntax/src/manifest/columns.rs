//! Columns without a field in the model.
//!
//! All formats here store them as tags of one format name, so that a column of one format is a
//! column of the others. A tag of another format becomes the column `FORMAT:KEY`, and a tag again
//! when it is read.

use serde_json::value::RawValue;
use spr_core::model::{Meta, Tag};
use spr_core::{Error, Result};

use crate::json::{self, Fields, Object};

/// The format name of tags that are columns. Their values are JSON, unchanged.
pub const COLUMN: &str = "manifest";

/// Stores the fields that were not taken. Line ends between values become blanks.
pub fn read(rest: Object<'_>, meta: &mut Meta) {
    for (name, value) in rest.rest() {
        meta.tags.push(tag(&name, value));
    }
}

fn tag(name: &str, value: &RawValue) -> Tag {
    let line = || match value.get().contains(['\n', '\r']) {
        true => value.get().replace(['\n', '\r'], " "),
        false => value.get().to_owned(),
    };
    match name.split_once(':') {
        Some((COLUMN, column)) => return Tag::new(COLUMN, column, line()),
        Some((format, key)) if !format.is_empty() => {
            if let Ok(text) = json::text(value, name) {
                return Tag::new(format.to_owned(), key, text.into_owned());
            }
        }
        _ => {}
    }
    Tag::new(COLUMN, name, line())
}

/// Adds the tags as fields; `is_own` returns `true` for names that have another meaning with such a
/// value.
///
/// # Errors
/// There are two of a name, or one that is not UTF-8 or not JSON.
pub fn write(
    tags: &[Tag],
    is_own: impl Fn(&str, &RawValue) -> bool,
    fields: &mut Fields<'_>,
) -> Result<()> {
    for (n, tag) in tags.iter().enumerate() {
        if tags[..n].iter().any(|other| is_twin(other, tag)) {
            return Err(refused(tag, "appears twice"));
        }
        let utf8 = |bytes| std::str::from_utf8(bytes).map_err(|_| refused(tag, "is not UTF-8"));
        let (key, value) = (utf8(&tag.key)?, utf8(&tag.value)?);
        if tag.format == COLUMN {
            let raw = serde_json::from_str::<&RawValue>(value).ok();
            let raw = raw.filter(|raw| raw.get() == value && !value.contains('\n'));
            let Some(raw) = raw else {
                return Err(refused(tag, "is not JSON on one line"));
            };
            match is_own(key, raw) || self::tag(key, raw) != *tag {
                true => fields.raw(&format!("{COLUMN}:{key}"), value),
                false => fields.raw(key, value),
            }
        } else {
            if tag.format.is_empty() || tag.format.contains(':') {
                return Err(refused(tag, "is of a format without a proper name"));
            }
            fields.text(&format!("{}:{key}", tag.format), value);
        }
    }
    Ok(())
}

fn is_twin(a: &Tag, b: &Tag) -> bool {
    (&a.format, &a.key) == (&b.format, &b.key)
}

fn refused(tag: &Tag, why: &str) -> Error {
    let key = tag.key.escape_ascii();
    Error::unfit(format!("the column {key} of {} {why}", tag.format))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(tags: &[Tag]) -> Result<String> {
        let mut out = Vec::new();
        let mut fields = Fields::open(&mut out);
        write(tags, |name, _| name == "text", &mut fields)?;
        fields.close();
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn columns_come_back() {
        for (tag, line) in [
            (Tag::new(COLUMN, "snr", "1.50"), r#"{"snr": 1.50}"#),
            (Tag::new(COLUMN, "text", "[]"), r#"{"manifest:text": []}"#),
            (Tag::new(COLUMN, "a:b", "\"x\""), r#"{"manifest:a:b": "x"}"#),
            (
                Tag::new("kaldi-data", "utt2uniq", "é"),
                r#"{"kaldi-data:utt2uniq": "é"}"#,
            ),
            (Tag::new("x", "", ""), r#"{"x:": ""}"#),
            (Tag::new(COLUMN, "", "null"), r#"{"": null}"#),
        ] {
            let tags = [tag];
            assert_eq!(written(&tags).unwrap(), line);
            let mut meta = Meta::default();
            read(Object::of_line(line.as_bytes()).unwrap(), &mut meta);
            assert_eq!(meta.tags, tags);
        }
    }

    #[test]
    fn columns_with_colons_that_are_no_tags() {
        for line in [r#"{"a:b": 1}"#, r#"{":b": "x"}"#] {
            let mut meta = Meta::default();
            read(Object::of_line(line.as_bytes()).unwrap(), &mut meta);
            assert_eq!(meta.tags[0].format, COLUMN);
            assert_eq!(written(&meta.tags).unwrap(), line);
        }
    }

    #[test]
    fn what_is_no_column_is_refused() {
        for tags in [
            vec![Tag::new(COLUMN, "a", "rubbish")],
            vec![Tag::new(COLUMN, "a", " 1")],
            vec![Tag::new(COLUMN, "a", "[1,\n2]")],
            vec![Tag::new(COLUMN, "a", "1"); 2],
            vec![Tag::new("x", b"\xff".as_slice(), "1")],
            vec![Tag::new("x", "a", b"\xff".as_slice())],
            vec![Tag::new("x:y", "a", "")],
            vec![Tag::new("", "a", "")],
        ] {
            assert!(written(&tags).is_err(), "{tags:?}");
        }
    }
}
