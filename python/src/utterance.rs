//! Conversion of utterances.

use std::mem;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use spr_convert::core::model::{
    Audio, Decimal, EncodedAudio, Key, Matrix, Meta, NamedArray, RecordingFacts, Segment,
    Sequences, Tag, Tier, Utterance, Waveform,
};
use spr_convert::core::{Error, ErrorKind};

use crate::classes::Classes;
use crate::failure::raised;
use crate::{array, object, text};

/// Converts an utterance to a Python one; arrays take over the memory of its matrices.
pub(crate) fn to_python(py: Python<'_>, mut utt: Utterance) -> PyResult<Bound<'_, PyAny>> {
    let classes = Classes::of(py)?;
    let features = utt.features.take().map(|m| array::of_matrix(py, m));
    let labels = utt.labels.take().map(|m| array::of_matrix(py, m));
    let audio = utt.audio.take().map(|audio| of_audio(py, audio, classes));
    let tiers = match utt.tiers.as_slice() {
        [] => None,
        tiers => Some(of_tiers(py, tiers, classes)?),
    };
    let arrays = match mem::take(&mut utt.arrays) {
        none if none.is_empty() => None,
        arrays => Some(of_arrays(py, arrays)?),
    };
    let words = utt.text.as_ref().map(|bytes| text::of_bytes(py, bytes));
    let held = utt.object.take().map(|held| object::to_python(py, held));
    let sequences = utt.sequences.as_deref();
    let sequences = sequences.map(|batch| of_sequences(py, batch, classes));
    let meta = match utt.meta.is_empty() {
        true => None,
        false => Some(of_meta(py, &utt.meta)?),
    };
    classes.utterance.bind(py).call1((
        text::of_bytes(py, utt.key.as_bytes())?,
        features.transpose()?,
        labels.transpose()?,
        audio.transpose()?,
        words.transpose()?,
        tiers,
        held.transpose()?,
        arrays,
        meta,
        sequences.transpose()?,
    ))
}

fn of_audio<'py>(py: Python<'py>, audio: Audio, classes: &Classes) -> PyResult<Bound<'py, PyAny>> {
    match audio {
        Audio::Samples(sound) => {
            let mut samples = sound.samples;
            if samples.cols() == 1 {
                // A single channel becomes a flat list of samples.
                let rows = samples.rows();
                let shaped = samples.reshape(spr_convert::core::model::Rank::Vector, rows, 1);
                shaped.map_err(|error| raised(py, &error))?;
            }
            let samples = array::of_matrix(py, samples)?;
            classes.audio.bind(py).call1((sound.rate, samples))
        }
        Audio::Encoded(sound) => {
            let bytes = PyBytes::new(py, &sound.bytes);
            let facts = sound.facts;
            let told = (
                sound.format,
                bytes,
                facts.rate,
                facts.channels,
                facts.samples,
            );
            classes.encoded.bind(py).call1(told)
        }
        Audio::Reference(place) => classes.reference.bind(py).call1((
            place.at.to_string(),
            place.span.bounds().map(|(start, _)| start.value()),
            place.span.end().map(Decimal::value),
            place.channel,
        )),
        _ => Err(raised(py, &Error::unsupported("sound in an unknown form"))),
    }
}

fn of_tiers<'py>(
    py: Python<'py>,
    tiers: &[Tier],
    classes: &Classes,
) -> PyResult<Bound<'py, PyList>> {
    let of_segment = |segment: &Segment| {
        let speaker = segment
            .speaker
            .as_ref()
            .map(|name| text::of_bytes(py, name));
        classes.segment.bind(py).call1((
            segment.start.value(),
            segment.end.map(Decimal::value),
            text::of_bytes(py, &segment.label)?,
            segment.score.map(Decimal::value),
            speaker.transpose()?,
        ))
    };
    let of_tier = |tier: &Tier| {
        let segments: PyResult<Vec<_>> = tier.segments.iter().map(of_segment).collect();
        let name = text::of_bytes(py, &tier.name)?;
        classes.tier.bind(py).call1((name, segments?, tier.points))
    };
    PyList::new(py, tiers.iter().map(of_tier).collect::<PyResult<Vec<_>>>()?)
}

fn of_arrays(py: Python<'_>, arrays: Vec<NamedArray>) -> PyResult<Bound<'_, PyDict>> {
    let named = PyDict::new(py);
    for NamedArray { name, array } in arrays {
        named.set_item(name, array::of_array(py, array)?)?;
    }
    Ok(named)
}

fn of_sequences<'py>(
    py: Python<'py>,
    batch: &Sequences,
    classes: &Classes,
) -> PyResult<Bound<'py, PyAny>> {
    let keys = batch.keys().iter();
    let keys: PyResult<Vec<_>> = keys.map(|key| text::of_bytes(py, key.as_bytes())).collect();
    let lengths: Vec<_> = batch.lengths().collect();
    classes
        .sequences
        .bind(py)
        .call1((keys?, lengths, batch.offsets().to_vec(), batch.stride()))
}

fn of_meta<'py>(py: Python<'py>, meta: &Meta) -> PyResult<Bound<'py, PyDict>> {
    let known = PyDict::new(py);
    for (name, time) in [
        ("frame_shift", meta.frame_shift),
        ("frame_offset", meta.frame_offset),
        ("start", meta.start),
        ("end", meta.end),
    ] {
        if let Some(time) = time {
            known.set_item(name, time.value())?;
        }
    }
    for (name, word) in [
        ("speaker", &meta.speaker),
        ("gender", &meta.gender),
        ("language", &meta.language),
        ("recording", &meta.recording),
        ("channel", &meta.channel),
    ] {
        if let Some(word) = word {
            known.set_item(name, text::of_bytes(py, word.as_bytes())?)?;
        }
    }
    if !meta.tags.is_empty() {
        let tags = PyList::empty(py);
        for tag in &meta.tags {
            let (key, value) = (
                text::of_bytes(py, &tag.key)?,
                text::of_bytes(py, &tag.value)?,
            );
            tags.append((tag.format.as_ref(), key, value))?;
        }
        known.set_item("tags", tags)?;
    }
    Ok(known)
}

/// Returns the value of an attribute, unless it is `None`.
fn given<'py>(
    from: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = from.getattr(name)?;
    Ok((!value.is_none()).then_some(value))
}

/// Fills an utterance from a Python one, keeping its allocations.
pub(crate) fn fill(from: &Bound<'_, PyAny>, utt: &mut Utterance) -> PyResult<()> {
    let py = from.py();
    utt.start();
    utt.key
        .set(&text::to_bytes(&from.getattr(intern!(py, "key"))?)?);
    matrix(given(from, intern!(py, "features"))?, &mut utt.features)?;
    matrix(given(from, intern!(py, "labels"))?, &mut utt.labels)?;
    if let Some(audio) = given(from, intern!(py, "audio"))? {
        utt.audio = Some(to_audio(&audio)?);
    }
    if let Some(words) = given(from, intern!(py, "text"))? {
        utt.text = Some(text::to_bytes(&words)?);
    }
    if let Some(tiers) = given(from, intern!(py, "tiers"))? {
        for tier in tiers.try_iter()? {
            utt.tiers.push(to_tier(&tier?)?);
        }
    }
    if let Some(held) = given(from, intern!(py, "object"))? {
        utt.object = Some(object::of_python(&held)?);
    }
    if let Some(arrays) = given(from, intern!(py, "arrays"))? {
        for (name, value) in arrays.cast::<PyDict>()?.iter() {
            let (name, array) = (name.extract()?, array::to_array(&value)?);
            utt.arrays.push(NamedArray { name, array });
        }
    }
    if let Some(meta) = given(from, intern!(py, "meta"))? {
        to_meta(meta.cast::<PyDict>()?, &mut utt.meta)?;
    }
    Ok(())
}

fn matrix(from: Option<Bound<'_, PyAny>>, into: &mut Option<Matrix>) -> PyResult<()> {
    match from {
        Some(array) => array::to_matrix(&array, into.get_or_insert_default()),
        None => {
            *into = None;
            Ok(())
        }
    }
}

fn to_audio(audio: &Bound<'_, PyAny>) -> PyResult<Audio> {
    let py = audio.py();
    if audio.is_instance(Classes::of(py)?.encoded.bind(py))? {
        let (format, bytes, rate, channels, samples) = audio.extract()?;
        return Ok(Audio::Encoded(EncodedAudio {
            format,
            bytes,
            facts: RecordingFacts {
                rate,
                channels,
                samples,
                ..RecordingFacts::default()
            },
        }));
    }
    if audio.is_instance(Classes::of(py)?.reference.bind(py))? {
        let error = Error::usage("sound is written as samples or as a file, not as a place");
        return Err(raised(py, &error));
    }
    let (rate, samples): (u32, Bound<'_, PyAny>) = audio.extract()?;
    let mut sound = Waveform {
        rate,
        ..Waveform::default()
    };
    array::to_matrix(&samples, &mut sound.samples)?;
    let (rows, cols) = (sound.samples.rows(), sound.samples.cols());
    let shaped = sound
        .samples
        .reshape(spr_convert::core::model::Rank::Matrix, rows, cols);
    shaped.map_err(|error| raised(py, &error))?;
    Ok(sound.into())
}

/// Converts seconds with the digits that Python shows.
fn decimal(value: &Bound<'_, PyAny>) -> PyResult<Decimal> {
    let shown = value.repr()?.to_string();
    let parsed = Decimal::parse(&shown).or_else(|| Decimal::of(value.extract().ok()?));
    parsed.ok_or_else(|| {
        let message = format!("{shown} is not a number of seconds");
        raised(value.py(), &Error::new(ErrorKind::Usage, message))
    })
}

fn to_tier(tier: &Bound<'_, PyAny>) -> PyResult<Tier> {
    let (name, segments, points): (Bound<'_, PyAny>, Bound<'_, PyAny>, bool) = tier.extract()?;
    let mut made = Tier {
        name: text::to_bytes(&name)?.into(),
        segments: Vec::new(),
        points,
    };
    for segment in segments.try_iter()? {
        let [start, end, label, score, speaker]: [Bound<'_, PyAny>; 5] = segment?.extract()?;
        let known = |value: Bound<'_, PyAny>| match value.is_none() {
            true => Ok(None),
            false => decimal(&value).map(Some),
        };
        let mut segment = Segment::new(decimal(&start)?, known(end)?, &text::to_bytes(&label)?);
        segment.score = known(score)?;
        if !speaker.is_none() {
            segment.speaker = Some(text::to_bytes(&speaker)?.into());
        }
        made.segments.push(segment);
    }
    Ok(made)
}

fn to_meta(from: &Bound<'_, PyDict>, meta: &mut Meta) -> PyResult<()> {
    for (name, value) in from.iter() {
        let word = || text::to_bytes(&value).map(|bytes| Some(Key::from(bytes)));
        match name.extract::<String>()?.as_str() {
            "frame_shift" => meta.frame_shift = Some(decimal(&value)?),
            "frame_offset" => meta.frame_offset = Some(decimal(&value)?),
            "start" => meta.start = Some(decimal(&value)?),
            "end" => meta.end = Some(decimal(&value)?),
            "speaker" => meta.speaker = word()?,
            "gender" => meta.gender = word()?,
            "language" => meta.language = word()?,
            "recording" => meta.recording = word()?,
            "channel" => meta.channel = word()?,
            "tags" => {
                for tag in value.try_iter()? {
                    let (format, key, value): (String, Bound<'_, PyAny>, Bound<'_, PyAny>) =
                        tag?.extract()?;
                    let (key, value) = (text::to_bytes(&key)?, text::to_bytes(&value)?);
                    meta.tags.push(Tag::new(format, key, value));
                }
            }
            other => {
                let error = Error::usage(format!("there is no metadata '{other}'"));
                return Err(raised(from.py(), &error));
            }
        }
    }
    Ok(())
}
