//! The frames of a track as they are read: a time, perhaps a mark, and the channels.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Dtype, Key, Matrix, Rank};
use spr_core::number::parse_f32;
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::clock::Clock;
use crate::header::{Form, Header};

/// The fault of a file that does not end behind its frames.
const GOES_ON: &str = "the file goes on after the frames";

/// Reads all frames into `features`, up to the end of the file.
///
/// # Errors
/// The file is cut off, goes on after the frames, or holds other than numbers.
pub(crate) fn read(
    source: &mut Source,
    header: &Header,
    features: &mut Matrix,
    limits: &Limits,
) -> Result<Clock> {
    match header.form {
        Form::Ascii => text(source, header, features, limits),
        Form::Binary(order) => binary(source, header, order, features, limits),
    }
}

fn binary(
    source: &mut Source,
    header: &Header,
    order: ByteOrder,
    features: &mut Matrix,
    limits: &Limits,
) -> Result<Clock> {
    let start = source.offset();
    let before = 1 + u64::from(header.breaks);
    let mut all = Matrix::default();
    let shape = (Dtype::F32, Rank::Matrix, header.rows, before + header.cols);
    source.read_matrix(&mut all, shape, order, limits)?;
    if !source.at_end()? {
        return Err(source.error(ErrorKind::Malformed, GOES_ON));
    }
    let width = all.cols();
    let cols = width - if header.breaks { 2 } else { 1 };
    features.reset(Dtype::F32, Rank::Matrix, all.rows(), cols, limits)?;
    let into = features.values_mut::<f32>()?;
    let mut clock = Clock::default();
    for (n, frame) in all.values::<f32>()?.chunks_exact(width).enumerate() {
        let at = start + (n * width * size_of::<f32>()) as u64;
        let placed = |message: String| Error::malformed(message).file(source.name()).byte(at);
        let (own, values) = frame.split_at(width - cols);
        match *own {
            [time, ..] if !time.is_finite() => {
                return Err(placed(format!("the time of frame {n} is {time}")));
            }
            [time, ref marks @ ..] => {
                let mark = marks.first().copied().unwrap_or(1.0);
                if mark != 0.0 && mark != 1.0 {
                    return Err(placed(format!(
                        "frame {n} is marked {mark}, expected 0 or 1"
                    )));
                }
                clock.breaks.push(mark == 0.0);
                clock.times.push(time);
            }
            [] => {}
        }
        into[n * cols..][..cols].copy_from_slice(values);
    }
    Ok(clock)
}

fn text(
    source: &mut Source,
    header: &Header,
    features: &mut Matrix,
    limits: &Limits,
) -> Result<Clock> {
    let sized = limits.matrix_bytes(Dtype::F32, header.rows, header.cols);
    sized.map_err(|e| header.lines.place(e, source))?;
    let cols = usize::try_from(header.cols).unwrap_or(usize::MAX);
    let (mut lines, mut clock) = (header.lines.clone(), Clock::default());
    let mut values = Vec::new();
    features.start(Dtype::F32, Rank::Matrix, cols);
    for n in 0..header.rows {
        if !lines.next(source, limits)? {
            let expected = header.rows;
            let message = format!("the file ends here: expected {expected} frames, found {n}");
            return Err(lines.place(Error::truncated(message), source));
        }
        let frame = frame(lines.text(), header, &mut values);
        let (time, is_break) = frame.map_err(|message| lines.error(message, source))?;
        clock.times.push(time);
        clock.breaks.push(is_break);
        source.hold(
            "a track",
            (clock.times.len() * (size_of::<f32>() + 1)) as u64,
            limits,
        )?;
        let row = source.grow(features, 1, limits)?;
        row.copy_from_slice(bytemuck::cast_slice(&values));
    }
    match lines.next(source, limits)? {
        false => Ok(clock),
        true => Err(lines.error(GOES_ON, source)),
    }
}

/// Parses a line: the time of a frame and whether it is a break, and its `values`.
fn frame(line: &[u8], header: &Header, values: &mut Vec<f32>) -> Result<(f32, bool), String> {
    let words = line.split(u8::is_ascii_whitespace);
    let mut words = words.filter(|word| !word.is_empty());
    let number = |word: &[u8]| {
        let wrong = || format!("'{}' is not a number of type f32", Key::from(word));
        parse_f32(word).ok_or_else(wrong)
    };
    let time = number(words.next().unwrap_or_default())?;
    if !time.is_finite() {
        return Err(format!("the time of the frame is {time}"));
    }
    let is_break = match header.breaks.then(|| words.next().unwrap_or_default()) {
        None | Some(b"1") => false,
        Some(b"0") => true,
        Some(mark) => {
            let mark = Key::from(mark);
            return Err(format!("the frame is marked '{mark}', expected 0 or 1"));
        }
    };
    values.clear();
    for word in words {
        values.push(number(word)?);
    }
    match values.len() as u64 == header.cols {
        true => Ok((time, is_break)),
        false => Err(format!(
            "the frame has {} channels, expected {}",
            values.len(),
            header.cols
        )),
    }
}
