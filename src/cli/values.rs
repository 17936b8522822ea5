//! Utterances as people read them.

use spr_core::model::{
    Array, Audio, AudioReference, Element, Matrix, Object, Rank, Segment, Tier, Utterance,
};
use spr_core::{Result, dispatch};

use super::out::{Columns, Out};
use crate::verbs::show::Window;

/// Numbers of a list in a line.
const IN_A_LINE: usize = 10;
/// Columns of a matrix that are aligned.
const ALIGNED: usize = 1 << 12;

/// Prints the part of an utterance that lies in the window.
pub(super) fn show(utt: &Utterance, window: &Window, out: &mut Out) -> Result<()> {
    out.line(&utt.key)?;
    if let Some(shift) = &utt.meta.frame_shift {
        out.line(format!("  frame shift: {shift} s"))?;
    }
    if let Some(features) = &utt.features {
        matrix("features", features, window, out)?;
    }
    if let Some(labels) = &utt.labels {
        matrix("labels", labels, window, out)?;
    }
    if let Some(sound) = &utt.audio {
        audio(sound, window, out)?;
    }
    for tier in &utt.tiers {
        segments(tier, window, out)?;
    }
    if let Some(text) = &utt.text {
        out.line(format!("  text: {}", escaped(text)))?;
    }
    for named in &utt.arrays {
        array(&named.name, &named.array, window, out)?;
    }
    if let Some(object) = &utt.object {
        show_object(object, window, out)?;
    }
    Ok(())
}

fn audio(audio: &Audio, window: &Window, out: &mut Out) -> Result<()> {
    match audio {
        Audio::Samples(sound) => {
            let what = format!("audio, {} samples/s", sound.rate);
            matrix(&what, &sound.samples, window, out)
        }
        Audio::Encoded(encoded) => {
            let (format, bytes) = (&encoded.format, encoded.bytes.len());
            out.line(format!("  audio: {bytes} bytes of {format}"))
        }
        Audio::Reference(place) => out.line(format!("  audio: {}", stretch(place))),
        other => out.line(format!("  audio: {other:?}")),
    }
}

/// `rec.wav, from 0.5 s to 2 s, channel 1`.
fn stretch(place: &AudioReference) -> String {
    let mut text = place.at.to_string();
    if place.start.is_some() || place.end.is_some() {
        let start = place.start.unwrap_or_default();
        let end = place
            .end
            .map_or("the end".to_owned(), |end| format!("{end} s"));
        text.push_str(&format!(", from {start} s to {end}"));
    }
    if let Some(channel) = place.channel {
        text.push_str(&format!(", channel {channel}"));
    }
    text
}

fn matrix(what: &str, matrix: &Matrix, window: &Window, out: &mut Out) -> Result<()> {
    let (dtype, rows, cols) = (matrix.dtype(), matrix.rows(), matrix.cols());
    out.line(match matrix.rank() {
        Rank::Scalar => format!("  {what}: one {dtype}"),
        Rank::Vector => format!("  {what}: {rows} of {dtype}"),
        Rank::Matrix => format!("  {what}: {rows} x {cols} of {dtype}"),
    })?;
    dispatch!(dtype, T => numbers(matrix.values::<T>()?, (rows, cols), window, out))
}

/// The last dimension of an array lies across; a row for each place in the others.
fn array(name: &str, array: &Array, window: &Window, out: &mut Out) -> Result<()> {
    let (dtype, shape) = (array.dtype(), array.shape());
    let sizes: Vec<_> = shape.iter().map(ToString::to_string).collect();
    let name = escaped(name);
    out.line(match shape {
        [] => format!("  array {name}: one {dtype}"),
        _ => format!("  array {name}: {} of {dtype}", sizes.join(" x ")),
    })?;
    let (rows, cols) = match shape {
        [] => (1, 1),
        [all] => (*all, 1),
        [others @ .., last] => (others.iter().product(), *last),
    };
    dispatch!(dtype, T => numbers(array.values().values::<T>()?, (rows, cols), window, out))
}

/// Rows behind their numbers, every column as wide as need be, unless there are very many; a single
/// column as a list.
fn numbers<T: Element>(
    values: &[T],
    (all_rows, all_cols): (usize, usize),
    window: &Window,
    out: &mut Out,
) -> Result<()> {
    let (rows, cols) = (window.rows(all_rows), window.cols(all_cols));
    if rows.is_empty() || cols.is_empty() {
        return Ok(());
    }
    let mut text = Vec::new();
    let mut word = |value: T| {
        text.clear();
        value.print(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    if cols.len() > ALIGNED {
        for row in rows {
            out.part(&format!("{row:>6}"))?;
            let row = values.get(row * all_cols..).unwrap_or_default();
            for value in row.iter().take(cols.end).skip(cols.start) {
                out.part("  ")?;
                out.part(&word(*value))?;
            }
            out.part("\n")?;
        }
        return Ok(());
    }
    let lines = match all_cols {
        1 => IN_A_LINE,
        _ => 1,
    };
    let mut columns = Columns::new(0);
    for first in rows.clone().step_by(lines) {
        let mut line = vec![format!("{first:>6}")];
        for row in first..rows.end.min(first + lines) {
            let row = values.get(row * all_cols..).unwrap_or_default();
            let shown = row.iter().take(cols.end).skip(cols.start);
            line.extend(shown.map(|value| word(*value)));
        }
        columns.line(line, out)?;
    }
    columns.finish(out)
}

fn segments(tier: &Tier, window: &Window, out: &mut Out) -> Result<()> {
    let list = &tier.segments;
    let what = if tier.points { "points" } else { "segments" };
    out.line(match tier.name.is_empty() {
        true => format!("  {what}: {}", list.len()),
        false => format!("  {what} of {}: {}", escaped(&tier.name), list.len()),
    })?;
    let mut columns = Columns::new(0);
    for (i, segment) in list.iter().enumerate() {
        if window.rows(list.len()).contains(&i) {
            columns.line(segment_words(i, segment, tier.points), out)?;
        }
    }
    columns.finish(out)
}

/// Number, times and label of a segment, and what else is known of it.
fn segment_words(number: usize, segment: &Segment, point: bool) -> Vec<String> {
    let mut words = vec![format!("{number:>6}"), segment.start.to_string()];
    if !point {
        let end = segment.end.map(|end| end.to_string());
        words.push(end.unwrap_or_else(|| "end".to_owned()));
    }
    words.push(escaped(&segment.label));
    words.extend(
        segment
            .speaker
            .as_ref()
            .map(|speaker| format!("by {}", escaped(speaker))),
    );
    words.extend(segment.score.map(|score| format!("score {score}")));
    words
}

fn show_object(object: &Object, window: &Window, out: &mut Out) -> Result<()> {
    out.line(format!("  {}", object.kind()))?;
    let lines: Vec<String> = match object {
        Object::Int(v) => vec![v.to_string()],
        Object::Bool(v) => vec![v.to_string()],
        Object::IntLists(lists) => lists.iter().map(joined).collect(),
        Object::IntPairs(pairs) => pairs.iter().map(|pair| joined(pair)).collect(),
        Object::FloatPairs(pairs) => pairs.iter().map(|pair| joined(pair)).collect(),
        Object::Floats(values) => vec![joined(values)],
        Object::Posterior(lists) => {
            let pair = |(id, weight): &(i32, f32)| format!("{id}:{weight}");
            let line = |list: &[(i32, f32)]| list.iter().map(pair).collect::<Vec<_>>().join(" ");
            lists.iter().map(line).collect()
        }
        Object::GaussPosterior(posterior) => {
            let mut vectors = posterior.vectors.iter();
            let lines = posterior.ids.iter().map(|ids| {
                let pair = |(id, vector)| format!("{id}:[{}]", joined(vector));
                let pairs = ids.iter().zip(&mut vectors).map(pair);
                pairs.collect::<Vec<_>>().join(" ")
            });
            lines.collect()
        }
        Object::Token(word) => vec![escaped(word)],
        Object::Tokens(words) => {
            let words: Vec<_> = words.iter().map(escaped).collect();
            vec![words.join(" ")]
        }
        Object::SparseVector(sparse) | Object::SparseMatrix(sparse) => {
            let pair = |(col, value): &(u32, f64)| format!("{col}:{value}");
            let line = |row: &[(u32, f64)]| row.iter().map(pair).collect::<Vec<_>>().join(" ");
            sparse.rows.iter().map(line).collect()
        }
        Object::Opaque { bytes, .. } => vec![format!("{} bytes", bytes.len())],
        other => vec![format!("{other:?}")],
    };
    let rows = window.rows(lines.len());
    let several = lines.len() > 1;
    for (i, line) in lines.iter().enumerate().filter(|(i, _)| rows.contains(i)) {
        match several {
            true => out.line(format!("{i:>6}  {line}").trim_end())?,
            false => out.line(format!("  {line}").trim_end())?,
        }
    }
    Ok(())
}

fn joined<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Text with its control characters escaped.
fn escaped(bytes: impl AsRef<[u8]>) -> String {
    spr_core::model::Key::from(bytes.as_ref()).to_string()
}
