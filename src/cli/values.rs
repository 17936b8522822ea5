//! Utterances as people read them.

use spr_core::model::{Audio, Element, Matrix, Object, Rank, Segment, Utterance};
use spr_core::{Result, dispatch};

use super::out::{Columns, Out};
use crate::verbs::show::Window;

/// Numbers of a list in a line.
const IN_A_LINE: usize = 10;

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
    if let Some(Audio { rate, samples }) = &utt.audio {
        matrix(&format!("audio, {rate} samples/s"), samples, window, out)?;
    }
    if let Some(list) = &utt.segments {
        segments(list, window, out)?;
    }
    if let Some(text) = &utt.text {
        out.line(format!("  text: {}", escaped(text)))?;
    }
    if let Some(object) = &utt.object {
        show_object(object, window, out)?;
    }
    Ok(())
}

fn matrix(what: &str, matrix: &Matrix, window: &Window, out: &mut Out) -> Result<()> {
    let (dtype, rows, cols) = (matrix.dtype(), matrix.rows(), matrix.cols());
    out.line(match matrix.rank() {
        Rank::Scalar => format!("  {what}: one {dtype}"),
        Rank::Vector => format!("  {what}: {rows} of {dtype}"),
        Rank::Matrix => format!("  {what}: {rows} x {cols} of {dtype}"),
    })?;
    dispatch!(dtype, T => numbers(matrix.as_slice::<T>().unwrap_or_default(), matrix, window, out))
}

/// Rows behind their numbers, every column as wide as need be; a single column as a list.
fn numbers<T: Element>(
    values: &[T],
    matrix: &Matrix,
    window: &Window,
    out: &mut Out,
) -> Result<()> {
    let (rows, cols) = (window.rows(matrix.rows()), window.cols(matrix.cols()));
    if rows.is_empty() || cols.is_empty() {
        return Ok(());
    }
    let mut text = Vec::new();
    let mut word = |value: T| {
        text.clear();
        value.print(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    let all = matrix.cols();
    let lines = match all {
        1 => IN_A_LINE,
        _ => 1,
    };
    let mut columns = Columns::new(0);
    for first in rows.clone().step_by(lines) {
        let mut line = vec![format!("{first:>6}")];
        for row in first..rows.end.min(first + lines) {
            let row = values.get(row * all..(row + 1) * all).unwrap_or_default();
            line.extend(
                row.get(cols.clone())
                    .unwrap_or_default()
                    .iter()
                    .map(|v| word(*v)),
            );
        }
        columns.line(line, out)?;
    }
    columns.finish(out)
}

fn segments(list: &[Segment], window: &Window, out: &mut Out) -> Result<()> {
    out.line(format!("  segments: {}", list.len()))?;
    let mut columns = Columns::new(0);
    for (i, segment) in list.iter().enumerate() {
        if !window.rows(list.len()).contains(&i) {
            continue;
        }
        let end = segment.end.map_or("end".to_owned(), |end| end.to_string());
        let words = vec![format!("{i:>6}"), segment.start.to_string(), end];
        columns.line([words, vec![escaped(&segment.label)]].concat(), out)?;
    }
    columns.finish(out)
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
        _ => Vec::new(),
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
