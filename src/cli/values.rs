//! Utterances as people read them.

use spr_core::model::{
    Array, Audio, AudioReference, Element, Matrix, Object, Rank, Segment, Tier, Utterance, Wide,
};
use spr_core::{Result, Symbols, dispatch};

use super::out::{Columns, Out};
use crate::verbs::show::Window;

/// Numbers of a list in a line.
const IN_A_LINE: usize = 10;
/// Columns of a matrix that are aligned.
const ALIGNED: usize = 1 << 12;
/// Numbers of which all are shown where long matrices are shown in part, as NumPy does.
const SHORT: usize = 1000;
/// Rows and columns that are then shown at either end.
const EDGE: usize = 3;

/// The shown part of utterances.
#[derive(Default)]
pub(super) struct View {
    /// Rows and columns.
    pub(super) window: Window,
    /// Names of labels.
    pub(super) symbols: Option<Symbols>,
    /// Whether of long matrices only the ends are shown.
    pub(super) brief: bool,
}

/// Those of a long list that are shown, and before which of them some are left out.
fn ends(mut all: Vec<usize>, long: bool) -> (Vec<usize>, Option<usize>) {
    if !long || all.len() <= 2 * EDGE {
        return (all, None);
    }
    all.drain(EDGE..all.len() - EDGE);
    (all, Some(EDGE))
}

/// Prints the part of an utterance that is in view.
pub(super) fn show(utt: &Utterance, view: &View, out: &mut Out) -> Result<()> {
    let window = &view.window;
    out.line(&utt.key)?;
    if let Some(shift) = &utt.meta.frame_shift {
        out.line(format!("  frame shift: {shift} s"))?;
    }
    if let Some(features) = &utt.features {
        matrix("features", features, view, out)?;
    }
    if let Some(labels) = &utt.labels {
        matrix("labels", labels, view, out)?;
    }
    if let Some(sound) = &utt.audio {
        audio(sound, view, out)?;
    }
    for tier in &utt.tiers {
        segments(tier, window, out)?;
    }
    if let Some(text) = utt.said() {
        out.line(format!("  text: {}", escaped(text)))?;
    }
    for named in &utt.arrays {
        array(&named.name, &named.array, view, out)?;
    }
    if let Some(object) = utt.object.as_ref().filter(|object| !is_text(object)) {
        show_object(object, window, out)?;
    }
    Ok(())
}

fn audio(audio: &Audio, view: &View, out: &mut Out) -> Result<()> {
    match audio {
        Audio::Samples(sound) => {
            let what = format!("audio, {} Hz", sound.rate);
            matrix(&what, &sound.samples, view, out)
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
    if let Some((start, end)) = place.span.bounds() {
        let end = end.map_or("the end".to_owned(), |end| format!("{end} s"));
        text.push_str(&format!(", from {start} s to {end}"));
    }
    if let Some(channel) = place.channel {
        text.push_str(&format!(", channel {channel}"));
    }
    text
}

fn matrix(what: &str, matrix: &Matrix, view: &View, out: &mut Out) -> Result<()> {
    let (dtype, rows, cols) = (matrix.dtype(), matrix.rows(), matrix.cols());
    out.line(match matrix.rank() {
        Rank::Scalar => format!("  {what}: one {dtype}"),
        Rank::Vector => format!("  {what}: {rows} of {dtype}"),
        Rank::Matrix => format!("  {what}: {rows} x {cols} of {dtype}"),
    })?;
    let names = view.symbols.as_ref().filter(|_| what == "labels");
    dispatch!(dtype, T => {
        let word = |value: T| named(value, names);
        numbers(matrix.values::<T>()?, (rows, cols), word, view, out)
    })
}

/// The name of a label, if it has one, else its number.
fn named<T: Element>(value: T, names: Option<&Symbols>) -> String {
    let number = match value.to_wide() {
        Wide::Int(number) => i64::try_from(number).ok(),
        Wide::Float(_) => None,
    };
    let name = names.zip(number);
    match name.and_then(|(names, number)| names.name_of(number)) {
        Some(name) => escaped(name),
        None => printed(value),
    }
}

fn printed<T: Element>(value: T) -> String {
    let mut text = Vec::new();
    value.print(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The last dimension of an array lies across; a row for each place in the others.
fn array(name: &str, array: &Array, view: &View, out: &mut Out) -> Result<()> {
    let (dtype, shape) = (array.dtype(), array.shape());
    let sizes: Vec<_> = shape.iter().map(ToString::to_string).collect();
    let name = escaped(name);
    out.line(match shape {
        [] => format!("  array {name}: one {dtype}"),
        _ => format!("  array {name}: {} of {dtype}", sizes.join(" x ")),
    })?;
    let size = match shape {
        [] => (1, 1),
        [all] => (*all, 1),
        [others @ .., last] => (others.iter().product(), *last),
    };
    dispatch!(dtype, T => {
        numbers(array.values().values::<T>()?, size, printed::<T>, view, out)
    })
}

/// Rows behind their numbers, every column as wide as need be, unless there are very many; a single
/// column as a list.
fn numbers<T: Element>(
    values: &[T],
    (all_rows, all_cols): (usize, usize),
    word: impl Fn(T) -> String,
    view: &View,
    out: &mut Out,
) -> Result<()> {
    let (rows, cols) = (view.window.rows(all_rows), view.window.cols(all_cols));
    if rows.is_empty() && all_rows > 0 {
        return out.line(format!("    none of these rows: it has {all_rows}"));
    }
    if cols.is_empty() && all_cols > 0 {
        return out.line(format!("    none of these columns: it has {all_cols}"));
    }
    if rows.is_empty() || cols.is_empty() {
        return Ok(());
    }
    let long = view.brief && rows.len().saturating_mul(cols.len()) > SHORT;
    let (cols, gap) = ends(cols.collect(), long);
    let line_of = |row: usize| {
        let row = values.get(row * all_cols..).unwrap_or_default();
        let shown = cols.iter().filter_map(move |col| row.get(*col));
        shown.map(|value| word(*value)).collect::<Vec<_>>()
    };
    if cols.len() > ALIGNED {
        for row in rows {
            out.part(&format!("{row:>6}"))?;
            for word in line_of(row) {
                out.part("  ")?;
                out.part(&word)?;
            }
            out.part("\n")?;
        }
        return Ok(());
    }
    // A list has several of its numbers in a line.
    let together = match all_cols {
        1 => IN_A_LINE,
        _ => 1,
    };
    let (firsts, break_at) = ends(rows.clone().step_by(together).collect(), long);
    let mut columns = Columns::new(0);
    for (i, first) in firsts.iter().enumerate() {
        if Some(i) == break_at {
            columns.line(vec![format!("{:>6}", "…")], out)?;
        }
        let mut line = vec![format!("{first:>6}")];
        for row in *first..rows.end.min(first + together) {
            let mut words = line_of(row);
            if let Some(gap) = gap {
                words.insert(gap, "…".to_owned());
            }
            line.extend(words);
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

/// Returns `true` if an object is the transcript, which is shown with the other fields.
fn is_text(object: &Object) -> bool {
    matches!(object, Object::Tokens(_))
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
