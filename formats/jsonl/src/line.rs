//! One line: an object with the fields of an utterance.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use spr_core::model::{Dtype, Key, Meta, Rank, Tag, Utterance};
use spr_core::{Error, Limits, Result};

use crate::numbers::{self, Shape};
use crate::object::{self, AudioFields};
use crate::segments::SegmentFields;
use crate::text;

/// Formats whose header lines are known by name.
const TAG_FORMATS: [&str; 9] = [
    "spraak", "kaldi", "htk", "pfile", "pickle", "wav", "sphere", "au", "jsonl",
];

/// The name of a format whose header lines can be read back.
pub(crate) fn tag_format(name: &[u8]) -> Option<&'static str> {
    TAG_FORMATS.into_iter().find(|f| f.as_bytes() == name)
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow)]
    key: &'a RawValue,
    #[serde(borrow)]
    features: Option<Object<Features<'a>>>,
    #[serde(borrow)]
    labels: Option<&'a RawValue>,
    #[serde(borrow)]
    label_dtype: Option<Cow<'a, str>>,
    label_columns: Option<u64>,
    #[serde(borrow)]
    meta: Option<Object<MetaFields<'a>>>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    #[serde(borrow)]
    audio: Option<Object<AudioFields<'a>>>,
    #[serde(borrow)]
    segments: Option<Vec<Object<SegmentFields<'a>>>>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Features<'a> {
    #[serde(borrow)]
    dtype: Cow<'a, str>,
    shape: Vec<u64>,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct MetaFields<'a> {
    #[serde(borrow)]
    frame_shift: Option<&'a RawValue>,
    #[serde(borrow)]
    frame_offset: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tags: Vec<[&'a RawValue; 3]>,
}

/// A `T` written as an object; serde alone would take a list of its fields too.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// Reads a line into `utt`.
///
/// # Errors
/// The line is no such object; the error names the utterance if its key could be read.
pub(crate) fn read(line: &[u8], utt: &mut Utterance, limits: &Limits) -> Result<()> {
    let Object(fields) = match serde_json::from_slice::<Object<Fields<'_>>>(line) {
        Ok(fields) => fields,
        Err(e) => {
            let error = syntax_error(&e, line);
            return Err(match leading_key(line) {
                Some(key) => error.utterance(&key),
                None => error,
            });
        }
    };
    utt.key.set(&text::read(fields.key, "the key")?);
    fields.fill(utt, limits).map_err(|e| e.utterance(&utt.key))
}

impl Fields<'_> {
    fn fill(&self, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        match &self.features {
            Some(Object(features)) => {
                let at = |e: Error| e.context("features");
                let (dtype, shape) = (numbers::dtype(&features.dtype), features.shape());
                let (dtype, shape) = (dtype.map_err(at)?, shape.map_err(at)?);
                numbers::read(
                    features.data.get(),
                    dtype,
                    shape,
                    utt.features_mut(),
                    limits,
                )
                .map_err(at)?;
            }
            None => utt.features = None,
        }
        match self.labels {
            Some(labels) => self
                .read_labels(labels.get(), utt, limits)
                .map_err(|e| e.context("labels"))?,
            None => utt.labels = None,
        }
        self.read_others(utt, limits)?;
        match (&utt.features, &utt.labels) {
            (None, None) if utt.other().is_some() => {}
            _ if utt.object.is_some() => {
                let message = "an object of another kind stands alone";
                return Err(Error::malformed(message));
            }
            (None, None) => return Err(Error::malformed("holds nothing but a key")),
            (Some(f), Some(l)) if f.rows() != l.rows() => {
                return Err(Error::malformed(format!(
                    "{} frames of features, but labels for {}",
                    f.rows(),
                    l.rows()
                )));
            }
            _ => {}
        }
        utt.meta.clear();
        match &self.meta {
            Some(Object(meta)) => meta.fill(&mut utt.meta).map_err(|e| e.context("meta")),
            None => Ok(()),
        }
    }

    fn read_others(&self, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        utt.clear_others();
        if let Some(Object(audio)) = &self.audio {
            utt.audio = Some(audio.read(limits).map_err(|e| e.context("audio"))?);
        }
        if let Some(segments) = &self.segments {
            let segments = segments.iter().map(|Object(segment)| segment.read());
            let segments: Result<Vec<_>> = segments.collect();
            utt.segments = Some(segments.map_err(|e| e.context("segments"))?);
        }
        if let Some(text) = self.text {
            utt.text = Some(text::read(text, "the text")?.into_owned());
        }
        utt.object = match (&self.kind, self.value) {
            (Some(kind), Some(value)) => {
                Some(object::read(kind, value).map_err(|e| e.context("value"))?)
            }
            (None, None) => None,
            _ => return Err(Error::malformed("kind and value stand together")),
        };
        if utt.object.is_some() && utt.others().count() > 1 {
            return Err(Error::malformed("an object of another kind stands alone"));
        }
        Ok(())
    }

    fn read_labels(&self, labels: &str, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        let dtype = self
            .label_dtype
            .as_deref()
            .map_or(Ok(Dtype::I32), numbers::dtype)?;
        let mut shape = Shape::of(labels)?;
        match self.label_columns {
            Some(cols) if shape.rows == 0 => {
                (shape.rank, shape.cols) = (Rank::Matrix, cols);
            }
            Some(cols) if cols != shape.cols => {
                return Err(Error::malformed(format!(
                    "label_columns says {cols}, the first row has {}",
                    shape.cols
                )));
            }
            _ => {}
        }
        numbers::read(labels, dtype, shape, utt.labels_mut(), limits)
    }
}

impl Features<'_> {
    fn shape(&self) -> Result<Shape> {
        let (rank, rows, cols) = match *self.shape {
            [] => (Rank::Scalar, 1, 1),
            [rows] => (Rank::Vector, rows, 1),
            [rows, cols] => (Rank::Matrix, rows, cols),
            _ => {
                return Err(Error::malformed(format!(
                    "a shape of {} dimensions; two are the most",
                    self.shape.len()
                )));
            }
        };
        Ok(Shape { rank, rows, cols })
    }
}

impl MetaFields<'_> {
    fn fill(&self, meta: &mut Meta) -> Result<()> {
        let time =
            |raw: Option<&RawValue>, what| raw.map(|raw| text::read_decimal(raw, what)).transpose();
        meta.frame_shift = time(self.frame_shift, "frame_shift")?;
        meta.frame_offset = time(self.frame_offset, "frame_offset")?;
        for [format, key, value] in &self.tags {
            let format = text::read(format, "the format of a tag")?;
            let format = tag_format(&format).ok_or_else(|| {
                let name = String::from_utf8_lossy(&format);
                Error::unsupported(format!("tags of the format '{}'", name.escape_debug()))
                    .hint(format!("known: {}", TAG_FORMATS.join(", ")))
            })?;
            meta.tags.push(Tag {
                format,
                key: text::read(key, "the key of a tag")?.into_owned(),
                value: text::read(value, "the value of a tag")?.into_owned(),
            });
        }
        Ok(())
    }
}

/// What the JSON parser says, with the byte of the line in place of its line and column.
fn syntax_error(error: &serde_json::Error, line: &[u8]) -> Error {
    if error.classify() == Category::Eof {
        let message = format!(
            "the line ends after {} bytes, inside the object",
            line.len()
        );
        return Error::truncated(message);
    }
    let text = error.to_string();
    let message = text.rfind(" at line ").map_or(&*text, |end| &text[..end]);
    // The list of known fields is in the documentation.
    let message = message.split(", expected one of").next().unwrap_or(message);
    Error::malformed(format!("byte {} of the line: {message}", error.column()))
}

/// The key of a line that is broken further on.
fn leading_key(line: &[u8]) -> Option<Key> {
    let rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"key\"")?;
    let rest = rest.trim_ascii_start().strip_prefix(b":")?;
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
    let key = text::read(values.next()?.ok()?, "the key").ok()?;
    Some(Key::from(&*key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(line: &str) -> String {
        let error = read(
            line.as_bytes(),
            &mut Utterance::default(),
            &Limits::default(),
        );
        error.unwrap_err().to_string()
    }

    #[test]
    fn reads_every_field_in_any_order() {
        let line = r#" { "meta" : {"frame_shift":0.010,"frame_offset":1e-3,"tags":[["spraak","K","v"]]},
            "label_dtype":"u8", "labels":[7,255], "features":{"data":[[1,2.5],[3,4]],
            "shape":[2,2],"dtype":"f64"}, "key":"A-03", "label_columns":1, "audio":null } "#;
        let mut utt = Utterance::default();
        read(line.as_bytes(), &mut utt, &Limits::default()).unwrap();
        assert_eq!(utt.key, "A-03".into());
        let features = utt.features.unwrap();
        assert_eq!(features.as_slice::<f64>().unwrap(), [1.0, 2.5, 3.0, 4.0]);
        assert_eq!(utt.labels.unwrap().as_slice::<u8>().unwrap(), [7, 255]);
        assert_eq!(utt.meta.frame_shift.unwrap().as_str(), "0.010");
        assert_eq!(utt.meta.frame_offset.unwrap().as_str(), "1e-3");
        assert_eq!(utt.meta.tags[0].value, b"v");
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        for (line, expected) in [
            (
                r#"["a"]"#,
                "byte 0 of the line: invalid type: sequence, expected an object",
            ),
            (
                r#"{"labels":[1]}"#,
                "byte 14 of the line: missing field `key`",
            ),
            (
                r#"{"key":"a","labels":[1],"speaker":"b"}"#,
                "utterance a: byte 33 of the line: unknown field `speaker`",
            ),
            (
                r#"{"key":"a","labels":[1],"labels":[1]}"#,
                "utterance a: byte 32 of the line: duplicate field `labels`",
            ),
            (
                r#"{"key":"a","labels":[1,"#,
                "utterance a: the line ends after 23 bytes, inside the object",
            ),
            (
                r#"{"key":"a"#,
                "the line ends after 9 bytes, inside the object",
            ),
            (
                r#"{"key":7,"labels":[1]}"#,
                r#"the key is neither a string nor {"bytes":"hex"}"#,
            ),
            (r#"{"key":"a"}"#, "utterance a: holds nothing but a key"),
            (
                r#"{"key":"a","text":7}"#,
                r#"utterance a: the text is neither a string nor {"bytes":"hex"}"#,
            ),
            (
                r#"{"key":"a","segments":[{"start":2,"end":1,"label":"b"}]}"#,
                "utterance a: segments: a segment starts at 2 and ends before that",
            ),
            (
                r#"{"key":"a","segments":[[0,1,"b"]]}"#,
                "utterance a: byte 23 of the line: invalid type: sequence, expected an object",
            ),
            (
                r#"{"key":"a","labels":["ah"]}"#,
                r#"utterance a: labels: row 0, column 0: \"ah\" is no i32"#,
            ),
            (
                r#"{"key":"a","labels":[[1],[2]],"label_columns":2}"#,
                "utterance a: labels: label_columns says 2, the first row has 1",
            ),
            (
                r#"{"key":"a","features":{"dtype":"f16","shape":[1],"data":[1]}}"#,
                "utterance a: features: unknown element type 'f16'",
            ),
            (
                r#"{"key":"a","features":{"dtype":"f32","shape":[1,1,1],"data":[1]}}"#,
                "utterance a: features: a shape of 3 dimensions; two are the most",
            ),
            (
                r#"{"key":"a","features":["f32",[1],[1]]}"#,
                "utterance a: byte 22 of the line: invalid type: sequence, expected an object",
            ),
            (
                r#"{"key":"a","features":{"dtype":"f32","shape":[1],"data":[1]},"labels":[1,2]}"#,
                "utterance a: 1 frames of features, but labels for 2",
            ),
            (
                r#"{"key":"a","labels":[1],"meta":{"tags":[["esps","k","v"]]}}"#,
                "utterance a: meta: tags of the format 'esps'",
            ),
            (
                r#"{"key":"a","labels":[1],"meta":{"frame_shift":"x"}}"#,
                r#"utterance a: meta: frame_shift is no number: "x""#,
            ),
        ] {
            assert_eq!(message(line), expected, "{line}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_without_recursion() {
        let deep = "[".repeat(1 << 20);
        let line = format!(r#"{{"key":"a","labels":{deep}"#);
        assert!(message(&line).starts_with("utterance a: "));
        let line = format!(r#"{{"key":"a","labels":{deep}{}}}"#, "]".repeat(1 << 20));
        assert!(message(&line).starts_with("utterance a: labels: "));
    }
}
