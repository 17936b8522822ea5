//! Numbers as text, one vector per line. The reader ignores the position of line ends.

use spr_core::bytes::Source;
use spr_core::model::{Dtype, Element, Matrix, Rank};
use spr_core::number::print_row;
use spr_core::{Error, ErrorKind, Limits, Result, dispatch};

use super::{BLOCK, Body, binary};
use crate::header::shown;

/// Returns `true` if all bytes occur in numbers or are blanks, and some are not blank.
pub(super) fn looks_like(head: &[u8]) -> bool {
    let fits =
        |b: &u8| b.is_ascii_digit() || b.is_ascii_whitespace() || b"+-.eEnNaAiIfFtTyY".contains(b);
    head.iter().all(fits) && head.iter().any(|b| !b.is_ascii_whitespace())
}

/// Reads a matrix of `shape`. An open number of rows extends to the end of the file.
///
/// # Errors
/// A word is not a number of the type, or there are too few numbers. A number at the very end
/// without a blank or line end may be truncated, which is an error as well.
pub(crate) fn read(
    source: &mut Source,
    into: &mut Matrix,
    shape: (Dtype, Option<u64>, u64),
    limits: &Limits,
) -> Result<()> {
    let (dtype, rows, cols) = shape;
    let expected = match rows {
        Some(rows) => {
            let bytes = limits.matrix_bytes(dtype, rows, cols);
            let bytes = bytes.map_err(|e| e.file(source.name()).byte(source.offset()))?;
            Some((bytes / dtype.size()) as u64)
        }
        None => None,
    };
    dispatch!(dtype, T => values::<T>(source, into, expected, limits))?;
    let found = into.len() as u64;
    let over = found.checked_rem(cols).unwrap_or(0);
    match expected {
        Some(expected) if found < expected => Err(source.error(
            ErrorKind::Truncated,
            format!("the file ends here: expected {expected} numbers, found {found}"),
        )),
        None if over > 0 => Err(source.error(
            ErrorKind::Truncated,
            format!("the file ends inside a vector: expected {cols} numbers, found {over}"),
        )),
        _ => binary::reshape(into, cols),
    }
}

/// Reads up to `expected` numbers into a column.
fn values<T: Element>(
    source: &mut Source,
    into: &mut Matrix,
    expected: Option<u64>,
    limits: &Limits,
) -> Result<()> {
    into.start(T::DTYPE, Rank::Vector, 1);
    let mut batch = Vec::<T>::new();
    loop {
        let most = expected.map_or(u64::MAX, |expected| expected - into.len() as u64);
        if most == 0 {
            return Ok(());
        }
        source.hold("a matrix", into.as_bytes().len() as u64, limits)?;
        let from = source.offset();
        let block = source.peek(BLOCK)?;
        let Some(end) = block.iter().rposition(u8::is_ascii_whitespace) else {
            return unterminated(source);
        };
        batch.clear();
        let taken = parse_all(&block[..end], most, &mut batch);
        let taken = taken.map_err(|(at, word)| {
            let message = format!("'{}' is not a number of type {}", shown(word), T::DTYPE);
            Error::malformed(message).byte(from + at as u64)
        });
        let taken = taken.map_err(|e| e.file(source.name()))?;
        let added = into.extend_from(&batch, limits);
        added.map_err(|e| e.file(source.name()))?;
        // Includes the blank after the last number.
        source.skip(taken as u64 + 1)?;
    }
}

/// Parses up to `most` numbers, and returns the number of bytes consumed. On failure returns the
/// word that is not a number, and its position.
fn parse_all<'a, T: Element>(
    text: &'a [u8],
    most: u64,
    batch: &mut Vec<T>,
) -> Result<usize, (usize, &'a [u8])> {
    let mut at = 0;
    for word in text.split(u8::is_ascii_whitespace) {
        if !word.is_empty() {
            batch.push(T::parse(word).ok_or((at, word))?);
            if batch.len() as u64 == most {
                return Ok(at + word.len());
            }
        }
        at += word.len() + 1;
    }
    Ok(text.len())
}

/// Explains a missing blank: the end, a truncated number, or no number at all.
fn unterminated(source: &mut Source) -> Result<()> {
    let length = source.peek(BLOCK)?.len();
    if length == BLOCK {
        return Err(source.malformed(format!("a word of more than {BLOCK} bytes is not a number")));
    }
    source.skip(length as u64)?;
    // A read error comes first.
    source.at_end()?;
    if length == 0 {
        return Ok(());
    }
    Err(source
        .error(
            ErrorKind::Truncated,
            "the file ends inside a number or without a line end",
        )
        .hint("if the last number is whole, add a line end"))
}

/// Skips blanks, and returns whether other bytes follow.
pub(crate) fn more(source: &mut Source) -> Result<bool> {
    loop {
        let block = source.peek(BLOCK)?;
        let blanks = block.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let (found, end) = (blanks < block.len(), block.is_empty());
        if found || end {
            return Ok(found);
        }
        source.skip(blanks as u64)?;
    }
}

/// Writes one vector per line, in the shortest digits that read back to the same values; `block` is
/// a buffer.
pub(crate) fn write(matrix: &Matrix, block: &mut Vec<u8>, body: &mut Body<'_>) -> Result<()> {
    block.clear();
    dispatch!(matrix.dtype(), T => {
        let values = matrix.values::<T>()?;
        for row in values.chunks_exact(matrix.cols().max(1)) {
            print_row(row, b' ', block);
            block.push(b'\n');
            if block.len() >= BLOCK {
                body.put(block)?;
                block.clear();
            }
        }
    });
    body.put(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &[u8], rows: Option<u64>, cols: u64) -> Result<(Vec<i16>, bool)> {
        let mut source = Source::from_bytes("t", text.to_vec())?;
        let mut matrix = Matrix::default();
        let limits = Limits::default();
        let shape = (Dtype::I16, rows, cols);
        read(&mut source, &mut matrix, shape, &limits)?;
        assert_eq!(matrix.cols() as u64, cols);
        Ok((matrix.as_slice().unwrap().to_vec(), more(&mut source)?))
    }

    #[test]
    fn line_ends_do_not_matter() {
        for text in [
            &b"1 -2\n3 4\n"[..],
            b"\n\n1\t-2 \r\n 3\n4\n \n",
            b"1 -2 3 4 ",
        ] {
            for rows in [Some(2), None] {
                let (values, more) = parse(text, rows, 2).unwrap();
                assert_eq!((values, more), (vec![1, -2, 3, 4], false));
            }
        }
        assert_eq!(parse(b" \n", None, 2).unwrap(), (vec![], false));
        assert_eq!(parse(b"", Some(0), 2).unwrap(), (vec![], false));
    }

    #[test]
    fn more_numbers_are_seen_and_left() {
        let (values, more) = parse(b"1 2 3 x", Some(1), 2).unwrap();
        assert_eq!((values, more), (vec![1, 2], true));
        let (values, more) = parse(b"1 2\n\n ", Some(1), 2).unwrap();
        assert_eq!((values, more), (vec![1, 2], false));
    }

    #[test]
    fn errors_say_where() {
        for (text, rows, message) in [
            (&b"1 2\n3"[..], None, "t@5: the file ends inside a number"),
            (b"1 2", Some(1), "t@3: the file ends inside a number"),
            (
                b"1 2\n3\n",
                Some(2),
                "t@6: the file ends here: expected 4 numbers, found 3",
            ),
            (
                b"1 2\n3\n",
                None,
                "t@6: the file ends inside a vector: expected 2 numbers, found 1",
            ),
            (
                b"1 2\n3 0x4\n",
                None,
                "t@6: '0x4' is not a number of type i16",
            ),
            (
                b"1 40000\n",
                None,
                "t@2: '40000' is not a number of type i16",
            ),
        ] {
            let error = parse(text, rows, 2).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        let long = vec![b'1'; 3 * BLOCK];
        assert!(
            parse(&long, None, 2)
                .unwrap_err()
                .to_string()
                .contains("65536")
        );
    }

    #[test]
    fn blocks_do_not_cut_numbers() {
        let values: Vec<i16> = (0..60_000)
            .map(|i| i16::try_from(i % 30_011).unwrap())
            .collect();
        let mut text = Vec::new();
        print_row(&values, b' ', &mut text);
        text.push(b'\n');
        assert!(text.len() > 4 * BLOCK);
        assert_eq!(parse(&text, None, 3).unwrap().0, values);
    }
}
