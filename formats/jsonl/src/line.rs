//! A line: an object with the fields of an utterance.

use std::borrow::Cow;

use serde_json::error::Category;
use serde_json::value::RawValue;
use spr_core::model::{Audio, Dtype, Key, Rank, Tier, Utterance};
use spr_core::{Error, Limits, Result};

use crate::arrays::{self, ArrayFields};
use crate::audio::AudioFields;
use crate::braces::{Braces, NamedObjects};
use crate::meta::MetaFields;
use crate::numbers;
use crate::object;
use crate::segments::{self, SegmentFields, TierFields};
use crate::shape::MatrixShape;
use crate::text;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    schema: Option<u64>,
    #[serde(borrow)]
    key: &'a RawValue,
    #[serde(borrow)]
    features: Option<Braces<Features<'a>>>,
    #[serde(borrow)]
    labels: Option<&'a RawValue>,
    #[serde(borrow)]
    label_dtype: Option<Cow<'a, str>>,
    label_columns: Option<u64>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    #[serde(borrow)]
    audio: Option<Braces<AudioFields<'a>>>,
    #[serde(borrow)]
    segments: Option<Vec<Braces<SegmentFields<'a>>>>,
    #[serde(borrow)]
    tiers: Option<Vec<Braces<TierFields<'a>>>>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    arrays: Option<NamedObjects<ArrayFields<'a>>>,
    #[serde(borrow)]
    meta: Option<Braces<MetaFields<'a>>>,
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

/// Reads a line into `utt`.
///
/// # Errors
/// The line is not such an object. The error names the utterance if its key could be read.
pub(crate) fn read(line: &[u8], utt: &mut Utterance, limits: &Limits) -> Result<()> {
    let Braces(fields) = match serde_json::from_slice::<Braces<Fields<'_>>>(line) {
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
    utt.start();
    fields.fill(utt, limits).map_err(|e| e.utterance(&utt.key))
}

impl Fields<'_> {
    fn fill(&self, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        if let Some(other) = self.schema.filter(|schema| *schema != 1) {
            let message = format!("is of schema {other}, and this version reads schema 1");
            return Err(Error::unsupported(message));
        }
        if let Some(Braces(features)) = &self.features {
            let read = features.read(utt, limits);
            read.map_err(|e| e.context("features"))?;
        }
        if let Some(labels) = self.labels {
            let read = self.read_labels(labels.get(), utt, limits);
            read.map_err(|e| e.context("labels"))?;
        }
        self.read_others(utt, limits)?;
        if let Some(Braces(meta)) = &self.meta {
            utt.meta = meta.read(limits).map_err(|e| e.context("meta"))?;
        }
        let beside = utt.features.is_some() || utt.labels.is_some();
        match (&utt.features, &utt.labels) {
            _ if utt.object.is_some() && (beside || utt.others().count() > 1) => Err(
                Error::malformed("an object of another kind can't go with other data"),
            ),
            (None, None) if utt.other().is_none() => {
                Err(Error::malformed("holds nothing but a key"))
            }
            (Some(f), Some(l)) if f.rows() != l.rows() => Err(Error::malformed(format!(
                "{} frames of features, but labels for {}",
                f.rows(),
                l.rows()
            ))),
            _ => Ok(()),
        }
    }

    fn read_others(&self, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        if let Some(Braces(audio)) = &self.audio {
            let audio: Result<Audio> = audio.read(limits);
            utt.audio = Some(audio.map_err(|e| e.context("audio"))?);
        }
        match (&self.segments, &self.tiers) {
            (Some(_), Some(_)) => {
                return Err(Error::malformed("segments are in tiers, or alone"));
            }
            (Some(segments), None) => {
                let segments = segments::read(segments, limits);
                let only = Tier::only(segments.map_err(|e| e.context("segments"))?);
                utt.tiers.push(only);
            }
            (None, Some(tiers)) => {
                for Braces(tier) in tiers {
                    utt.tiers
                        .push(tier.read(limits).map_err(|e| e.context("tiers"))?);
                }
            }
            (None, None) => {}
        }
        if let Some(text) = self.text {
            utt.text = Some(text::read(text, "the text")?.into_owned());
        }
        if let Some(arrays) = &self.arrays {
            let read = arrays::read(arrays, &mut utt.arrays, limits);
            read.map_err(|e| e.context("arrays"))?;
        }
        utt.object = match (&self.kind, self.value) {
            (Some(kind), Some(value)) => {
                Some(object::read(kind, value).map_err(|e| e.context("value"))?)
            }
            (None, None) => None,
            _ => return Err(Error::malformed("kind and value go together")),
        };
        Ok(())
    }

    fn read_labels(&self, labels: &str, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        let told = self.label_dtype.as_deref().map(numbers::dtype);
        let told = told.transpose()?;
        let mut shape = MatrixShape::of(labels)?;
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
        let mut read = |dtype| numbers::read(labels, dtype, shape, utt.labels_mut(), limits);
        match told {
            Some(dtype) => read(dtype),
            None => read(Dtype::I32).or_else(|_| read(Dtype::I64)),
        }
    }
}

impl Features<'_> {
    fn read(&self, utt: &mut Utterance, limits: &Limits) -> Result<()> {
        let (dtype, shape) = (numbers::dtype(&self.dtype)?, MatrixShape::new(&self.shape)?);
        numbers::read(self.data.get(), dtype, shape, utt.features_mut(), limits)
    }
}

/// Converts an error of the JSON parser, with the byte of the line instead of line and column.
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

/// Returns the key of a line that starts with it, perhaps behind the schema, whatever follows.
pub(crate) fn leading_key(line: &[u8]) -> Option<Key> {
    let rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let rest = rest.strip_prefix(b"\"schema\":1,").unwrap_or(rest);
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
        let error = read(line.as_bytes(), &mut Utterance::default(), &Limits::NONE);
        error.unwrap_err().to_string()
    }

    #[test]
    fn reads_every_field_in_any_order() {
        let line = r#" { "schema" : 1, "meta" : {"frame_shift":0.010,"frame_offset":1e-3,"tags":[["spraak","K","v"]]},
            "label_dtype":"u8", "labels":[7,255], "features":{"data":[[1,2.5],[3,4]],
            "shape":[2,2],"dtype":"f64"}, "key":"A-03", "label_columns":1, "audio":null } "#;
        let mut utt = Utterance::default();
        read(line.as_bytes(), &mut utt, &Limits::NONE).unwrap();
        assert_eq!(utt.key, "A-03".into());
        let features = utt.features.unwrap();
        assert_eq!(features.as_slice::<f64>().unwrap(), [1.0, 2.5, 3.0, 4.0]);
        assert_eq!(utt.labels.unwrap().as_slice::<u8>().unwrap(), [7, 255]);
        assert_eq!(utt.meta.frame_shift.unwrap().to_string(), "0.010");
        assert_eq!(utt.meta.frame_offset.unwrap().to_string(), "0.001");
        assert_eq!(utt.meta.tags[0].value, b"v");
    }

    #[test]
    fn what_is_kept_of_short_texts_is_bounded() {
        let many = |item: &str| vec![item; 100].join(",");
        let arrays: Vec<_> = (0..100)
            .map(|n| format!(r#""{n}":{{"dtype":"i8","shape":[1],"data":[1]}}"#))
            .collect();
        let segments = many(r#"{"start":0,"end":1,"label":"a"}"#);
        for (field, what) in [
            (
                format!(r#""text":"","meta":{{"tags":[{}]}}"#, many(r#"["","",""]"#)),
                "meta: a list of tags",
            ),
            (
                format!(r#""segments":[{segments}]"#),
                "segments: a list of segments",
            ),
            (
                format!(r#""tiers":[{{"name":"t","segments":[{segments}]}}]"#),
                "tiers: a list of segments",
            ),
            (
                format!(r#""arrays":{{{}}}"#, arrays.join(",")),
                "arrays: a list of arrays",
            ),
        ] {
            let line = format!(r#"{{"key":"a","features":null,"labels":null,{field}}}"#);
            let read_within = |max_alloc| {
                let limits = Limits {
                    max_alloc,
                    ..Limits::NONE
                };
                read(line.as_bytes(), &mut Utterance::default(), &limits)
            };
            let error = read_within(line.len() as u64).unwrap_err();
            assert_eq!(error.kind(), spr_core::ErrorKind::Limit);
            assert!(error.to_string().contains(what), "{error}");
            read_within(100 * 1000).unwrap();
        }
    }

    /// Lines that are at fault, and the errors.
    const FAULTS: &[(&str, &str)] = &[
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
            r#"{"schema":2,"key":"a","labels":[1]}"#,
            "utterance a: is of schema 2, and this version reads schema 1",
        ),
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
            r#"utterance a: labels: row 0, column 0: \"ah\" is not i64"#,
        ),
        (
            r#"{"key":"a","labels":[3000000000,1.5]}"#,
            "utterance a: labels: row 1, column 0: 1.5 is not i64",
        ),
        (
            r#"{"key":"a","labels":[9223372036854775808]}"#,
            "utterance a: labels: row 0, column 0: 9223372036854775808 is not i64",
        ),
        (
            r#"{"key":"a","labels":[[1],[2]],"label_columns":2}"#,
            "utterance a: labels: label_columns says 2, the first row has 1",
        ),
        (
            r#"{"key":"a","features":{"dtype":"f24","shape":[1],"data":[1]}}"#,
            "utterance a: features: unknown element type 'f24'",
        ),
        (
            r#"{"key":"a","features":{"dtype":"f32","shape":[1,1,1],"data":[1]}}"#,
            "utterance a: features: a shape of 3 dimensions, at most two are possible",
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
            r#"{"key":"a","labels":[1],"meta":{"tags":[[{"bytes":"ff"},"k","v"]]}}"#,
            "utterance a: meta: the format of a tag is not text",
        ),
        (
            r#"{"key":"a","segments":[],"tiers":[]}"#,
            "utterance a: segments are in tiers, or alone",
        ),
        (
            r#"{"key":"a","tiers":[{"name":"b","segments":[{"start":-1,"end":null,"label":""}]}]}"#,
            "utterance a: tiers: a segment starts at -1 and ends before that",
        ),
        (
            r#"{"key":"a","arrays":{"x":{"dtype":"u8","shape":[],"data":1},"x":{"dtype":"u8","shape":[],"data":1}}}"#,
            "utterance a: arrays: 'x' appears twice",
        ),
        (
            r#"{"key":"a","arrays":{"x":{"dtype":"u8","shape":[1,1,1],"data":[[1]]}}}"#,
            "utterance a: arrays: x: part [0, 0] is not a list of 1",
        ),
        (
            r#"{"key":"a","kind":"graph","value":1}"#,
            r#"utterance a: value: the value of kind 'graph' is not {"bytes":"hex"}"#,
        ),
        (
            r#"{"key":"a","kind":"int32","value":1,"text":"b"}"#,
            "utterance a: an object of another kind can't go with other data",
        ),
        (
            r#"{"key":"a","labels":[1],"meta":{"frame_shift":-1}}"#,
            "utterance a: meta: frame_shift is -1, not a time above 0",
        ),
        (
            r#"{"key":"a","labels":[1],"meta":{"frame_shift":"x"}}"#,
            r#"utterance a: meta: frame_shift is not a number: "x""#,
        ),
    ];

    #[test]
    fn says_what_is_wrong_and_where() {
        for (line, expected) in FAULTS.iter().copied() {
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
