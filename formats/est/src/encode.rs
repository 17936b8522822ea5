//! The bytes of a track.

use spr_core::bytes::{ByteOrder, PutNumber as _};
use spr_core::model::{Matrix, Tag, Utterance};
use spr_core::number::print_f32;
use spr_core::{Error, Result};

use crate::clock::Clock;
use crate::header::{END, Form, MAGIC, OFFSET, SHIFT, TRACK, channel, is_own};
use crate::spacing::Spacing;

/// The bytes of a track that holds all of `utt`, of which the capabilities are checked.
///
/// # Errors
/// Times, breaks or header lines would be read back as others.
pub(crate) fn encode(utt: &Utterance, form: Form) -> Result<Vec<u8>> {
    let Some(features) = &utt.features else {
        return Err(Error::unfit("has no features"));
    };
    let (rows, cols) = (features.rows(), features.cols());
    let (clock, spacing) = Clock::of(utt, rows)?;
    let mut out = [MAGIC, b" ", TRACK, b"\n"].concat();
    let (data_type, order) = match form {
        Form::Ascii => ("ascii", None),
        Form::Binary(ByteOrder::Little) => ("binary", Some("01")),
        Form::Binary(ByteOrder::Big) => ("binary", Some("10")),
    };
    let mut line = |key: &str, value: &str| put_line(key.as_bytes(), value.as_bytes(), &mut out);
    line("DataType", data_type);
    if let Some(order) = order {
        line("ByteOrder", order);
    }
    line("NumFrames", &rows.to_string());
    line("NumChannels", &cols.to_string());
    if form == Form::Ascii {
        line("NumAuxChannels", "0");
    }
    let equal = u8::from(utt.meta.frame_shift.is_some());
    line("EqualSpace", &equal.to_string());
    line("BreaksPresent", "true");
    if order.is_some() {
        // Some readers look for the line and the blank one behind it.
        line("CommentChar", ";\n");
    }
    for tag in &utt.meta.tags {
        check_tag(tag, cols)?;
        put_line(&tag.key, &tag.value, &mut out);
    }
    if let Some(Spacing { first, shift }) = spacing {
        put_line(SHIFT, shift.to_string().as_bytes(), &mut out);
        put_line(OFFSET, first.to_string().as_bytes(), &mut out);
    }
    out.extend_from_slice(END);
    out.push(b'\n');
    match form {
        Form::Ascii => text(&clock, features, &mut out)?,
        Form::Binary(order) => binary(&clock, features, order, &mut out)?,
    }
    Ok(out)
}

fn put_line(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&[key, b" ", value, b"\n"].concat());
}

/// Checks that a header line is read back as it is.
fn check_tag(tag: &Tag, cols: usize) -> Result<()> {
    let key = tag.key.as_slice();
    let is_word = !key.is_empty() && !key.iter().any(u8::is_ascii_whitespace);
    let is_line = !tag.value.contains(&b'\n') && tag.value.trim_ascii() == tag.value;
    let is_there = channel(key).is_none_or(|n| n < cols as u64);
    match is_word && is_line && !is_own(key) && is_there {
        true => Ok(()),
        false => Err(Error::unfit(format!(
            "has the header line '{} {}', which the header of a track of {cols} channels can't hold",
            key.escape_ascii(),
            tag.value.escape_ascii()
        ))),
    }
}

/// Each frame with its time and its mark, which is 0 for a break.
fn frames<'a>(
    clock: &'a Clock,
    features: &'a Matrix,
) -> Result<impl Iterator<Item = (f32, f32, &'a [f32])>> {
    let cols = features.cols();
    let values = features.values::<f32>()?;
    let own = clock.times.iter().zip(&clock.breaks).enumerate();
    Ok(own.map(move |(n, (time, is_break))| {
        let mark = if *is_break { 0.0 } else { 1.0 };
        (*time, mark, &values[n * cols..][..cols])
    }))
}

fn text(clock: &Clock, features: &Matrix, out: &mut Vec<u8>) -> Result<()> {
    for (time, mark, values) in frames(clock, features)? {
        if values.iter().any(|value| value.is_infinite()) {
            return Err(
                Error::unfit("has infinite values, which the tools do not read in text")
                    .hint("binary tracks, which are the default, hold them"),
            );
        }
        print_f32(time, out);
        out.push(b'\t');
        print_f32(mark, out);
        for value in values {
            out.push(b' ');
            print_f32(*value, out);
        }
        out.push(b'\n');
    }
    Ok(())
}

fn binary(clock: &Clock, features: &Matrix, order: ByteOrder, out: &mut Vec<u8>) -> Result<()> {
    for (time, mark, values) in frames(clock, features)? {
        let own = [time, mark];
        own.iter()
            .chain(values)
            .for_each(|value| out.put_f32(*value, order));
    }
    Ok(())
}
