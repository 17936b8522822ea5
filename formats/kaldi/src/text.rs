//! The text forms: numbers in brackets, and lines of integers.

use spr_core::bytes::Source;
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::integers;
use crate::layout::{Layout, Stop};
use crate::number::{self, Real, Scan, end_of_word};
use crate::scanner::{BLOCK, Scanned, Scanner};

/// Reads the numbers between `[`, which was consumed, and `]` into one column of `into`. `shape` is
/// the expected layout.
pub(crate) fn brackets<T: Real>(
    source: &mut Source,
    into: &mut Matrix,
    mut shape: Layout,
    scanner: &mut Scanner<T>,
    limits: &Limits,
) -> Result<Layout> {
    into.start(T::DTYPE, Rank::Vector, 1);
    scanner.begin(source.offset())?;
    loop {
        let Scanned {
            used,
            last,
            ended,
            stop,
        } = scanner.scan(source, &mut shape)?;
        advance(source, used, last, &stop)?;
        source.hold("a matrix", into.as_bytes().len() as u64, limits)?;
        into.extend_from(scanner.numbers(), limits)
            .map_err(|e| e.file(source.name()).byte(source.offset()))?;
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

/// Reads a line of integers into one column of `into`. Returns `false` at a word that is not an
/// integer, without consuming it.
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

/// Consumes the used part of a block.
fn advance(source: &mut Source, used: usize, last: bool, stop: &Stop) -> Result<()> {
    if used == 0 && !last && matches!(stop, Stop::Short) {
        return Err(source.malformed(format!("a number of more than {BLOCK} characters")));
    }
    source.skip(used as u64)
}

/// Returns the error for truncated data. An error of the system or of a decoder also ends the data,
/// and takes precedence.
pub(crate) fn truncated(source: &mut Source, message: impl Into<String>) -> Error {
    loop {
        match source.peek(BLOCK).map(<[u8]>::len) {
            Err(error) => return error,
            Ok(0) => return source.error(ErrorKind::Truncated, message),
            Ok(n) => drop(source.skip(n as u64)),
        }
    }
}

/// Skips the end of the line.
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

/// Returns the word at the current position for a message.
pub(crate) fn next_word(source: &mut Source) -> Result<String> {
    const SHOWN: usize = 40;
    let bytes = source.peek(SHOWN)?;
    let end = end_of_word(bytes, true).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    Ok(text.escape_debug().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scans text, and returns whether threads were used.
    fn read(text: &str, threads: usize) -> (std::result::Result<(Vec<f32>, String), String>, bool) {
        let mut source = Source::from_bytes("demo", text.into()).unwrap();
        let mut scanner = Scanner::new(threads);
        let (mut into, limits) = (Matrix::default(), Limits::default());
        let any = Layout::of_any();
        let shape = brackets::<f32>(&mut source, &mut into, any, &mut scanner, &limits);
        let shape = shape.map(|shape| format!("{shape:?}, then byte {}", source.offset()));
        let read = shape.map(|shape| (into.values().unwrap().to_vec(), shape));
        (read.map_err(|e| e.to_string()), scanner.taken() > 0)
    }

    fn rows(n: usize) -> Vec<String> {
        let number = |i: usize| format!("{}.{:06}", i % 23, i * 7919 % 1_000_000);
        let row = |r: usize| (0..10).map(|c| number(10 * r + c)).collect::<Vec<_>>();
        (0..n).map(|r| row(r).join(" ")).collect()
    }

    /// Returns `true` if threads were used.
    fn check(rows: &[String], end: &str) -> bool {
        let text = format!("\n  {}{end}", rows.join(" \n  "));
        let (alone, _) = read(&text, 1);
        [2, 3, 9].into_iter().all(|threads| {
            let (read, shared) = read(&text, threads);
            assert!(
                read == alone,
                "{:?} and {:?}",
                read.err(),
                alone.as_ref().err()
            );
            shared
        })
    }

    #[test]
    fn threads_change_nothing() {
        for n in [600, 5000, 30_000] {
            assert!(check(&rows(n), " ]\nnext "));
        }
        assert!(check(&rows(5000), "] [ 1 ]"));
        assert!(check(&rows(5000), ""));
        assert!(check(&rows(5000), "\n"));
        assert!(check(&rows(5000), ";\n\n ]"));
    }

    #[test]
    fn faults_have_the_same_place() {
        for row in [0, 1, 2, 700, 2500, 2501, 4998, 4999] {
            for fault in [
                "x",
                "1 2 3",
                "",
                "0.12345678901 1 2 3 4 5 6 7 8 9",
                "1;2",
                "3-4",
                "[ 1",
            ] {
                let mut rows = rows(5000);
                fault.clone_into(&mut rows[row]);
                assert!(check(&rows, " ]\n") || row < 700);
            }
        }
    }

    /// Reads objects one after the other, and says of each what it is, or why it can't be read.
    fn objects(sources: &[&str], threads: usize) -> (Vec<String>, usize) {
        let mut scanner = Scanner::new(threads);
        let (mut into, limits) = (Matrix::default(), Limits::default());
        let mut found = Vec::new();
        for text in sources {
            let mut source = Source::from_bytes("demo", text.as_bytes().to_vec()).unwrap();
            let mut skipped = Vec::new();
            while source.until(b'[', &mut skipped, &limits).is_ok() && !source.at_end().unwrap() {
                skipped.clear();
                let any = Layout::of_any();
                let read = brackets::<f32>(&mut source, &mut into, any, &mut scanner, &limits);
                let values = into.values::<f32>().unwrap().iter();
                let sum: f64 = values.map(|x| f64::from(*x)).sum();
                let at = source.offset();
                found.push(match read {
                    Ok(shape) => format!("{sum} {shape:?} {at}"),
                    Err(error) => format!("{error} {at}"),
                });
            }
        }
        (found, scanner.taken())
    }

    #[test]
    fn objects_that_are_scanned_ahead_are_those_that_follow() {
        let triangle: Vec<_> = (1..400).map(|n| vec!["0.5"; n].join(" ")).collect();
        let triangle = triangle.join("\n");
        let mut text = String::new();
        for n in [3000, 1, 2, 700, 0, 20, 9000, 5] {
            let matrix = rows(n).join(" \n  ");
            text += &format!("a-{n}  [\n  {matrix} ]\nv-{n}  [ 1 2 3 ]\nt-{n}  [{triangle} ]\n");
        }
        let faulty = text.replacen("12.0", "x", 3);
        let other = text.replace('7', "8");
        let sources = [&*text, &faulty, &other, &text];
        let (alone, taken) = objects(&sources, 1);
        assert_eq!((alone.len(), taken), (96, 0));
        for threads in [2, 3, 9] {
            let (found, taken) = objects(&sources, threads);
            assert!(found == alone && taken > 90);
        }
    }
}
