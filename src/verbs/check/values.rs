//! Checks of the values of an utterance by itself and compared with others.

use std::collections::BTreeSet;

use spr_core::model::{Audio, Dtype, Element, Matrix, Rank, Utterance, Wide};
use spr_core::recording::LENGTH_ROUNDING;
use spr_core::{Error, dispatch};
use spr_stats::{Level, decibels};

use super::constant::ConstantColumns;
use super::findings::Findings;

/// The shape of the first utterance, which others are expected to share.
#[derive(Default)]
pub(super) struct CommonShape {
    dim: Option<usize>,
    dtype: Option<Dtype>,
    label_columns: Option<usize>,
    rate: Option<u32>,
    channels: Option<u32>,
    constant: ConstantColumns,
}

impl CommonShape {
    /// Checks an utterance by itself and against the first. Without `values` the numbers are
    /// undefined.
    pub(super) fn check(
        &mut self,
        utt: &Utterance,
        values: bool,
        place: &dyn Fn(Error) -> Error,
        findings: &mut Findings<'_>,
    ) {
        let error = |message: String| place(Error::unfit(message).utterance(&utt.key));
        if let Some(features) = &utt.features {
            if features.rows() == 0 {
                findings.note("empty", error("has no frames".to_owned()));
            }
            if features.rank() == Rank::Matrix && !features.is_empty() {
                let dim = *self.dim.get_or_insert(features.cols());
                if dim != features.cols() {
                    let message = format!("{} columns, the first has {dim}", features.cols());
                    findings.fault("columns", error(message));
                }
            }
            let dtype = *self.dtype.get_or_insert(features.dtype());
            if dtype != features.dtype() {
                let message = format!("holds {}, the first {dtype}", features.dtype());
                findings.note("types", error(message));
            }
            let numbers = values.then(|| not_finite(features)).flatten();
            if let Some(NotFinite { what, of, first }) = numbers {
                let cols = features.cols().max(1);
                let (row, column) = (first / cols, first % cols);
                let message =
                    format!("{what} of {of} values, first in frame {row}, column {column}");
                findings.fault("values", error(message));
            }
            if values {
                self.constant.check(features, &error, findings);
            }
        }
        if let Some(labels) = &utt.labels {
            let columns = *self.label_columns.get_or_insert(labels.cols());
            if columns != labels.cols() && !labels.is_empty() {
                let message = format!(
                    "{} labels per frame, the first has {columns}",
                    labels.cols()
                );
                findings.fault("label columns", error(message));
            }
        }
        if let (Some(features), Some(labels)) = (&utt.features, &utt.labels)
            && features.rows() != labels.rows()
        {
            let (frames, labels) = (features.rows(), labels.rows());
            findings.fault(
                "labels",
                error(format!("{frames} frames, but {labels} labels")),
            );
        }
        let sound = utt.audio.as_ref().map(Audio::facts).unwrap_or_default();
        if let Some(own) = sound.rate() {
            let rate = *self.rate.get_or_insert(own);
            if rate != own {
                let message = format!("{own} Hz, the first has {rate}");
                findings.note("rates", error(message));
            }
        }
        if let Some(own) = sound.channels() {
            let channels = *self.channels.get_or_insert(own);
            if channels != own {
                let message = format!("channels: {own}, the first has {channels}");
                findings.note("channels", error(message));
            }
        }
        if values {
            levels(utt, &error, findings);
        }
        let text = utt
            .text
            .as_deref()
            .filter(|text| text.trim_ascii().is_empty());
        if text.is_some() && (utt.audio.is_some() || utt.features.is_some()) {
            findings.note("empty", error("the text is empty".to_owned()));
        }
        text_rate(utt, &error, findings);
        tiers(utt, &error, findings);
        arrays(utt, values, &error, findings);
    }

    /// Notes what is the same in all utterances and should not be.
    pub(super) fn finish(self, name: &str, findings: &mut Findings<'_>) {
        self.constant.finish(name, findings);
    }
}

/// Checks that the text could be spoken in the time that the sound or the features last.
#[expect(clippy::cast_precision_loss, reason = "no text is so long")]
fn text_rate(utt: &Utterance, error: &dyn Fn(String) -> Error, findings: &mut Findings<'_>) {
    /// The characters a second that nobody speaks; fast speech has 25.
    const MOST: f64 = 30.0;
    let text = utt.text.as_deref().unwrap_or_default().trim_ascii();
    let characters = String::from_utf8_lossy(text).chars().count();
    let Some((what, seconds)) = length(utt).filter(|(_, seconds)| *seconds > 0.0) else {
        return;
    };
    let rate = characters as f64 / seconds;
    if rate > MOST {
        let message = format!(
            "the text has {characters} characters, the {what} {seconds:.2} s: {rate:.0} characters \
             per second"
        );
        findings.note("text", error(message));
    }
}

/// Checks for audio that was recorded or converted badly.
fn levels(utt: &Utterance, error: &dyn Fn(String) -> Error, findings: &mut Findings<'_>) {
    /// The number of full-scale samples that may be peaks.
    const PEAKS: u64 = 2;
    /// The DC offset that microphones and converters cause, relative to full scale.
    const CONSTANT: f64 = 0.01;
    /// The level of the last of 16 bits in dB.
    const SILENCE: f64 = -90.0;
    let level = utt.waveform().and_then(|sound| Level::of(sound).ok());
    let Some(level) = level else {
        return;
    };
    let all = level.values + level.faulty;
    if level.faulty > 0 {
        let message = format!("{} of {all} samples are not finite", level.faulty);
        findings.fault("values", error(message));
    }
    if level.clipped > PEAKS {
        let message = format!(
            "{} of {all} samples are at the end of their range, as clipped sound has them",
            level.clipped
        );
        findings.note("clipped", error(message));
    }
    if level.zeros == all && all > 0 {
        findings.note("silence", error("all samples are 0".to_owned()));
    } else if let Some(rms) = decibels(level.rms()).filter(|rms| *rms <= SILENCE) {
        let message = format!("the level is {rms:.1} dB of full scale, which is almost silent");
        findings.note("silence", error(message));
    }
    for (channel, offset) in level.offsets.iter().enumerate() {
        if offset.abs() > CONSTANT {
            let message = format!(
                "the samples of channel {channel} are {:.1}% of full scale off 0 on average",
                100.0 * offset
            );
            findings.note("offset", error(message));
        }
    }
}

/// Checks the times of segments, and that tiers have unique names.
fn tiers(utt: &Utterance, error: &dyn Fn(String) -> Error, findings: &mut Findings<'_>) {
    let length = length(utt);
    let mut names = BTreeSet::new();
    for tier in &utt.tiers {
        let name = String::from_utf8_lossy(&tier.name);
        if !names.insert(&tier.name) {
            findings.note("tiers", error(format!("several tiers are called '{name}'")));
        }
        for segment in tier.segments.iter().filter(|segment| !segment.is_proper()) {
            let label = String::from_utf8_lossy(&segment.label);
            let mut message = format!("the segment '{label}' starts at {} s", segment.start);
            if let Some(end) = segment.end {
                message.push_str(&format!(" and ends at {end} s"));
            }
            findings.fault("segments", error(message));
        }
        let ends = tier.segments.iter().map(|s| (s.end.unwrap_or(s.start), s));
        if let (Some((what, seconds)), Some((end, last))) =
            (length, ends.max_by_key(|(end, _)| *end))
            && end.value() > seconds + LENGTH_ROUNDING
        {
            let label = String::from_utf8_lossy(&last.label);
            let message =
                format!("the segment '{label}' ends at {end} s, the {what} at {seconds:.3} s");
            findings.fault("segments", error(message));
        }
    }
}

/// Returns the duration of an utterance in seconds, and what it is the duration of.
fn length(utt: &Utterance) -> Option<(&'static str, f64)> {
    let what = match (&utt.audio, &utt.features) {
        (Some(audio), _) if audio.facts().time().is_some() => "sound",
        (_, Some(_)) => "features",
        _ => "utterance",
    };
    Some((what, utt.duration(None)?.value()))
}

/// Checks that arrays have unique names, and their numbers. Values that are not finite may be
/// intended.
fn arrays(
    utt: &Utterance,
    values: bool,
    error: &dyn Fn(String) -> Error,
    findings: &mut Findings<'_>,
) {
    let mut names = BTreeSet::new();
    for named in &utt.arrays {
        let name = &named.name;
        if !names.insert(name) {
            findings.fault(
                "arrays",
                error(format!("several arrays are called '{name}'")),
            );
        }
        let numbers = values.then(|| not_finite(named.array.values())).flatten();
        if let Some(NotFinite { what, of, first }) = numbers {
            let message = format!("array '{name}': {what} of {of} values, first element {first}");
            findings.note("values", error(message));
        }
    }
}

/// The values of a matrix that are not finite.
struct NotFinite {
    /// The number of each kind.
    what: String,
    /// The number of all values.
    of: usize,
    /// The index of the first.
    first: usize,
}

fn not_finite(matrix: &Matrix) -> Option<NotFinite> {
    dispatch!(matrix.dtype(), T => count(matrix.as_slice::<T>()?))
}

fn count<T: Element>(values: &[T]) -> Option<NotFinite> {
    let (mut nans, mut infinities, mut first) = (0u64, 0u64, None);
    for (at, value) in values.iter().enumerate() {
        let Wide::Float(value) = value.to_wide() else {
            return None;
        };
        if !value.is_finite() {
            match value.is_nan() {
                true => nans += 1,
                false => infinities += 1,
            }
            first.get_or_insert(at);
        }
    }
    let parts = [(nans, "NaN"), (infinities, "infinite")].into_iter();
    let parts: Vec<_> = parts
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"))
        .collect();
    Some(NotFinite {
        what: parts.join(" and "),
        of: values.len(),
        first: first?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::Limits;
    use spr_core::model::{Array, Decimal, Key, NamedArray, Segment, Tier};

    fn found(utt: &Utterance) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        let mut tell = |finding: crate::verbs::check::Finding| {
            all.push((finding.sort, finding.error.message().to_owned()));
        };
        let mut findings = Findings::new(false, &mut tell);
        CommonShape::default().check(utt, true, &|e| e, &mut findings);
        all
    }

    #[test]
    fn counts_what_is_not_finite() {
        let values = [0.0f32, f32::NAN, 2.0, f32::INFINITY, f32::NAN, 1.0];
        let utt = Utterance {
            features: Some(Matrix::from_rows(&values, 3, Rank::Matrix).unwrap()),
            ..Utterance::default()
        };
        let message = "2 NaN and 1 infinite of 6 values, first in frame 0, column 1";
        assert_eq!(found(&utt), [("values", message.to_owned())]);
        assert!(count(&[1.0f64]).is_none());
        assert!(count(&[1i32]).is_none());
    }

    #[test]
    fn tiers_and_arrays_are_looked_at() {
        let (one, two) = (Decimal::new(1, 0), Decimal::new(2, 0));
        let tier = |start, end| Tier {
            name: b"t"[..].into(),
            segments: vec![Segment::new(start, Some(end), b"x")],
            points: false,
        };
        let mut array = Array::new(Dtype::F64, &[2, 2], &Limits::default()).unwrap();
        array.values_mut().values_mut::<f64>().unwrap()[2] = f64::NAN;
        let utt = Utterance {
            key: Key::from("a"),
            tiers: vec![tier(one, two), tier(two, one)],
            arrays: vec![NamedArray {
                name: "n".to_owned(),
                array,
            }],
            ..Utterance::default()
        };
        let expected = [
            ("tiers", "several tiers are called 't'"),
            ("segments", "the segment 'x' starts at 2 s and ends at 1 s"),
            ("values", "array 'n': 1 NaN of 4 values, first element 2"),
        ];
        let expected = expected.map(|(sort, message)| (sort, message.to_owned()));
        assert_eq!(found(&utt), expected);
    }
}
