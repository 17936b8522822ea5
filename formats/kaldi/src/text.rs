//! The text forms: numbers in brackets, and lines of integers.

use spr_core::bytes::Source;
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::integers;
use crate::layout::{Layout, Stop};
use crate::number::{self, Real, Scan, end_of_word};
use crate::scanner::Scanner;

/// Bytes looked at together; no number is longer.
pub(crate) const BLOCK: usize = 64 << 10;

/// Reads the numbers from behind `[` to and past `]` into one column of `into`, in their order.
/// `shape` says what rows to expect.
pub(crate) fn brackets<T: Real>(
    source: &mut Source,
    into: &mut Matrix,
    mut shape: Layout,
    scanner: &mut Scanner<T>,
    limits: &Limits,
) -> Result<Layout> {
    into.start(T::DTYPE, Rank::Vector, 1);
    loop {
        // What somebody is still making is not waited for.
        let window = if source.is_live() {
            BLOCK
        } else {
            scanner.window(&shape)
        };
        let (bytes, last) = source.ahead(window, |bytes| bytes.contains(&b']'))?;
        let (used, stop) = scanner.scan(bytes, last, &mut shape)?;
        let ended = last && used == bytes.len();
        advance(source, used, last, &stop)?;
        for numbers in scanner.numbers() {
            source.hold("a matrix", into.as_bytes().len() as u64, limits)?;
            into.extend_from(numbers, limits)
                .map_err(|e| e.file(source.name()).byte(source.offset()))?;
        }
        match stop {
            Stop::Closed => return Ok(shape),
            Stop::Short if ended => {
                return Err(truncated(
                    source,
                    "the file ends before the closing bracket",
                ));
            }
            Stop::Short => {}
            Stop::Bad => {
                let word = next_word(source)?;
                let message = format!("'{word}' is not an {} number", T::DTYPE);
                return Err(source.malformed(message));
            }
            Stop::Ragged => return Err(ragged(source, shape)),
        }
    }
}

fn ragged(source: &Source, shape: Layout) -> Error {
    let Layout { rows, cols, .. } = shape;
    if shape.is_triangle() {
        let message = format!("row {rows} of a packed matrix does not have {cols} numbers");
        return source.malformed(message);
    }
    let message = format!("row {rows} does not have {cols} numbers as those before");
    let error = source.malformed(message);
    match (rows, cols, shape.last) {
        (2, 1, 2) => error.hint(
            "if it is a packed matrix, say so with holder=symmetric-matrix or triangular-matrix",
        ),
        _ => error,
    }
}

fn scan_line(bytes: &[u8], last: bool, block: &mut Vec<i32>) -> (usize, Stop) {
    let mut at = integers::run(bytes, block);
    while let Some(b) = bytes.get(at) {
        match b {
            b'\n' => return (at + 1, Stop::Closed),
            b if number::is_space(*b) => at += 1,
            _ => match number::integer(&bytes[at..], last) {
                Scan::Number(value, len) => {
                    block.push(value);
                    at += len;
                }
                Scan::Unfinished => return (at, Stop::Short),
                Scan::Bad => return (at, Stop::Bad),
            },
        }
    }
    (at, Stop::Short)
}

/// Reads a line of integers into one column of `into`; `false` at a word that is none, which is
/// then next.
pub(crate) fn integers(
    source: &mut Source,
    into: &mut Matrix,
    block: &mut Vec<i32>,
    limits: &Limits,
) -> Result<bool> {
    into.start(Dtype::I32, Rank::Vector, 1);
    loop {
        block.clear();
        let (bytes, last) = source.ahead(BLOCK, |bytes| bytes.contains(&b'\n'))?;
        let (used, stop) = scan_line(bytes, last, block);
        advance(source, used, last, &stop)?;
        source.hold("a matrix", into.as_bytes().len() as u64, limits)?;
        into.extend_from(block, limits)
            .map_err(|e| e.file(source.name()).byte(source.offset()))?;
        match stop {
            Stop::Closed => return Ok(true),
            Stop::Short if !last => {}
            Stop::Short => {
                return Err(truncated(source, "the file ends inside a line")
                    .hint("if the last line is complete, give it a line end"));
            }
            Stop::Bad | Stop::Ragged => return Ok(false),
        }
    }
}

/// Reads integers up to a closing bracket into one column of `into`.
pub(crate) fn bracketed_integers(
    source: &mut Source,
    into: &mut Matrix,
    limits: &Limits,
) -> Result<()> {
    let at = source.offset();
    let mut list = Vec::new();
    source.until(b']', &mut list, limits)?;
    if source.offset() - at == list.len() as u64 {
        return Err(truncated(source, "the file ends inside a vector"));
    }
    let place = |e: Error| e.file(source.name()).byte(at);
    let words = list.split(|b| number::is_space(*b));
    let values = words.filter(|word| !word.is_empty()).map(|word| {
        let value = spr_core::number::parse_integer::<i32>(word);
        let shown = String::from_utf8_lossy(word);
        value.ok_or_else(|| place(Error::malformed(format!("'{shown}' is not an int32"))))
    });
    let values = values.collect::<Result<Vec<_>>>()?;
    into.start(Dtype::I32, Rank::Vector, 1);
    into.extend_from(&values, limits).map_err(place)
}

/// Moves past what was used of a block.
fn advance(source: &mut Source, used: usize, last: bool, stop: &Stop) -> Result<()> {
    if used == 0 && !last && matches!(stop, Stop::Short) {
        return Err(source.malformed(format!("a number of more than {BLOCK} characters")));
    }
    source.skip(used as u64)
}

/// The error where the bytes left are too few. A failure of the system or of a decoder also ends
/// the bytes, and goes first.
pub(crate) fn truncated(source: &mut Source, message: impl Into<String>) -> Error {
    loop {
        match source.peek(BLOCK).map(<[u8]>::len) {
            Err(error) => return error,
            Ok(0) => return source.error(ErrorKind::Truncated, message),
            Ok(n) => drop(source.skip(n as u64)),
        }
    }
}

/// Moves past the end of the line.
pub(crate) fn skip_line(source: &mut Source) -> Result<()> {
    loop {
        let bytes = source.peek(BLOCK)?;
        let end = bytes.iter().position(|b| *b == b'\n');
        let (used, last) = (end.map_or(bytes.len(), |i| i + 1), bytes.len() < BLOCK);
        source.skip(used as u64)?;
        if end.is_some() || last {
            return Ok(());
        }
    }
}

/// The word at the current place, fit to be shown.
pub(crate) fn next_word(source: &mut Source) -> Result<String> {
    const SHOWN: usize = 40;
    let bytes = source.peek(SHOWN)?;
    let end = end_of_word(bytes, true).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    Ok(text.escape_debug().to_string())
}
