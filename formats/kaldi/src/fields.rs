//! Text objects of one line, and Gaussian posteriors, which take several.

use spr_core::bytes::Source;
use spr_core::model::{GaussPosterior, Lists, Matrix, Object, Rank, Sparse, is_word_byte};
use spr_core::{Error, Limits, Result};

use crate::kind::{ObjectKind, Precision};
use crate::layout::Layout;
use crate::number::{self, Real, Scan, is_space};
use crate::scanner::Scanner;
use crate::sized;
use crate::text::{brackets, skip_line, truncated};

/// Reads the line of an object into `line`, replacing its content. The last line of a file may lack
/// its end if a bracket completes it.
pub(crate) fn read_line(
    source: &mut Source,
    line: &mut Vec<u8>,
    kind: ObjectKind,
    limits: &Limits,
) -> Result<()> {
    source.line(line, limits)?;
    let closed = matches!(kind, ObjectKind::SparseVector | ObjectKind::SparseMatrix)
        && line.trim_ascii_end().ends_with(b"]");
    if !source.has_line_end() && !closed {
        return Err(truncated(source, "the file ends inside a line")
            .hint("if the last line is complete, give it a line end"));
    }
    Ok(())
}

/// Parses a number of features, and counts it if it is `rounded`.
pub(crate) fn number(
    line: &[u8],
    precision: Precision,
    rounded: &mut u64,
    into: &mut Matrix,
) -> Result<()> {
    let word = only(line, "number")?;
    *into = match precision {
        Precision::Single => Matrix::from_rows(&[real::<f32>(word, rounded)?], 1, Rank::Scalar)?,
        Precision::Double => Matrix::from_rows(&[real::<f64>(word, rounded)?], 1, Rank::Scalar)?,
    };
    Ok(())
}

/// Parses an object in a line, and counts the `rounded` numbers.
pub(crate) fn object(
    line: &[u8],
    kind: ObjectKind,
    precision: Precision,
    rounded: &mut u64,
) -> Result<Object> {
    if matches!(kind, ObjectKind::Token | ObjectKind::Tokens) {
        let wrong = words(line).flatten().find(|b| !is_word_byte(**b));
        if let Some(b) = wrong {
            return Err(Error::malformed(format!("byte 0x{b:02x} in a word")));
        }
    }
    Ok(match kind {
        ObjectKind::Int => Object::Int(int(only(line, "integer")?)?),
        ObjectKind::Bool => match only(line, "T or F")? {
            b"T" => Object::Bool(true),
            b"F" => Object::Bool(false),
            word => return Err(wrong(word, "T or F")),
        },
        ObjectKind::Floats => {
            let values = words(line).map(|word| real(word, rounded));
            Object::Floats(values.collect::<Result<_>>()?)
        }
        ObjectKind::Lists => Object::IntLists(int_lists(line)?),
        ObjectKind::IntPairs => Object::IntPairs(pairs(line, int)?),
        ObjectKind::FloatPairs => Object::FloatPairs(pairs(line, |word| real(word, rounded))?),
        ObjectKind::Posterior => Object::Posterior(posterior(line, rounded)?),
        ObjectKind::Token => Object::Token(
            only(line, "word")
                .map_err(|e| {
                    e.hint("if the lines hold any number of words, say so with holder=token-vector")
                })?
                .to_vec(),
        ),
        ObjectKind::Tokens => Object::Tokens(words(line).collect()),
        ObjectKind::SparseVector => {
            let (sparse, rest) = sparse_row(line, precision, rounded)?;
            end(rest)?;
            Object::SparseVector(sparse)
        }
        ObjectKind::SparseMatrix => Object::SparseMatrix(sparse_matrix(line, precision, rounded)?),
        other => match sized::encoded(other.name(), words(line)) {
            Some(bytes) => Object::opaque(other.name(), bytes?),
            None => {
                let message = format!("a {} is not written on one line", other.name());
                return Err(Error::malformed(message));
            }
        },
    })
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| is_space(*b)).filter(|word| !word.is_empty())
}

fn only<'a>(line: &'a [u8], what: &str) -> Result<&'a [u8]> {
    let mut words = words(line);
    match (words.next(), words.count()) {
        (Some(word), 0) => Ok(word),
        (None, _) => Err(Error::malformed(format!(
            "expected one {what}, found an empty line"
        ))),
        (_, more) => {
            let message = format!("expected one {what}, found {} words", more + 1);
            Err(Error::malformed(message))
        }
    }
}

fn end(rest: &[u8]) -> Result<()> {
    match words(rest).next() {
        None => Ok(()),
        Some(word) => Err(wrong(word, "the end of the line")),
    }
}

fn wrong(word: &[u8], expected: &str) -> Error {
    let text = String::from_utf8_lossy(word);
    let shown: String = text.chars().take(40).collect();
    Error::malformed(format!(
        "expected {expected}, found '{}'",
        shown.escape_debug()
    ))
}

fn int(word: &[u8]) -> Result<i32> {
    match number::integer(word, true) {
        Scan::Number(value, _) => Ok(value),
        _ => Err(wrong(word, "an int32")),
    }
}

fn real<T: Real>(word: &[u8], rounded: &mut u64) -> Result<T> {
    number::streamed(word, rounded).ok_or_else(|| wrong(word, T::DTYPE.name()))
}

fn int_lists(line: &[u8]) -> Result<Lists<i32>> {
    let mut lists = Lists::default();
    let mut parts = line.split(|b| *b == b';').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            end(part).map_err(|e| e.context("after the last ';'"))?;
            break;
        }
        for word in words(part) {
            lists.push(int(word)?);
        }
        lists.end();
    }
    Ok(lists)
}

fn pairs<T>(line: &[u8], mut read: impl FnMut(&[u8]) -> Result<T>) -> Result<Vec<[T; 2]>> {
    if words(line).next().is_none() {
        return Ok(Vec::new());
    }
    let pair = |part| {
        let mut words = words(part);
        match (words.next(), words.next(), words.next()) {
            (Some(a), Some(b), None) => Ok([read(a)?, read(b)?]),
            _ => Err(Error::malformed("not two numbers between two ';'")),
        }
    };
    line.split(|b| *b == b';').map(pair).collect()
}

fn posterior(line: &[u8], rounded: &mut u64) -> Result<Lists<(i32, f32)>> {
    let mut frames = Lists::default();
    let mut inside = false;
    let mut id = None;
    for word in words(line) {
        let mut word = word;
        if !inside {
            let Some(rest) = word.strip_prefix(b"[") else {
                return Err(wrong(word, "'['"));
            };
            (inside, word) = (true, rest);
        }
        let closed = word.strip_suffix(b"]");
        let value = closed.unwrap_or(word);
        if !value.is_empty() {
            id = match id {
                None => Some(int(value)?),
                Some(id) => {
                    frames.push((id, real(value, rounded)?));
                    None
                }
            };
        }
        if closed.is_some() {
            if let Some(id) = id {
                return Err(Error::malformed(format!("no weight follows {id}")));
            }
            inside = false;
            frames.end();
        }
    }
    match inside {
        true => Err(Error::malformed("the line ends before the closing bracket")),
        false => Ok(frames),
    }
}

/// Parses `dim=N [ index value ... ]`, and returns the rest.
fn sparse_row<'a>(
    line: &'a [u8],
    precision: Precision,
    rounded: &mut u64,
) -> Result<(Sparse, &'a [u8])> {
    let (dim, rest) = field(line, b"dim=")?;
    let rest = rest.trim_ascii_start();
    let close = rest.iter().position(|b| *b == b']');
    let (Some(list), Some(close)) = (rest.strip_prefix(b"["), close) else {
        return Err(Error::malformed("no brackets follow the number of columns"));
    };
    let mut rows = Lists::default();
    let mut words = words(&list[..close - 1]);
    while let Some(index) = words.next() {
        let Some(value) = words.next() else {
            return Err(Error::malformed("a column without a value in a sparse row"));
        };
        let index = number::integer(index, true);
        let column = match index {
            Scan::Number(index, _) => u32::try_from(index).ok().filter(|i| *i < dim),
            _ => None,
        };
        let Some(column) = column else {
            return Err(Error::malformed(format!(
                "a sparse row of {dim} has no such column"
            )));
        };
        let value = match precision {
            Precision::Single => f64::from(real::<f32>(value, rounded)?),
            Precision::Double => real::<f64>(value, rounded)?,
        };
        rows.push((column, value));
    }
    rows.end();
    let dtype = precision.dtype();
    Ok((Sparse { dtype, dim, rows }, &rest[close + 1..]))
}

fn sparse_matrix(line: &[u8], precision: Precision, rounded: &mut u64) -> Result<Sparse> {
    let (n, mut rest) = field(line, b"rows=")?;
    let mut all = Sparse {
        dtype: precision.dtype(),
        dim: 0,
        rows: Lists::default(),
    };
    for row in 0..n {
        let (one, after) = sparse_row(rest, precision, rounded)?;
        if row > 0 && one.dim != all.dim {
            return Err(Error::malformed(
                "sparse rows of different numbers of columns",
            ));
        }
        all.dim = one.dim;
        all.rows.add(one.rows.items());
        rest = after;
    }
    end(rest)?;
    Ok(all)
}

/// Parses a number after its name, and returns the rest.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Result<(u32, &'a [u8])> {
    let line = line.trim_ascii_start();
    let end = line.iter().position(|b| is_space(*b)).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let value = word
        .strip_prefix(name)
        .map(|digits| number::integer(digits, true));
    match value {
        Some(Scan::Number(value, _)) if value >= 0 => Ok((value.unsigned_abs(), rest)),
        _ => Err(wrong(word, &String::from_utf8_lossy(name))),
    }
}

/// Reads a Gaussian posterior, and counts the `rounded` numbers.
pub(crate) fn gauss(
    source: &mut Source,
    rounded: &mut u64,
    limits: &Limits,
) -> Result<GaussPosterior> {
    let mut posterior = GaussPosterior::default();
    let mut vector = Matrix::default();
    let mut scanner = Scanner::new(1);
    for _ in 0..count(source)? {
        for _ in 0..count(source)? {
            let id = int(&word(source)?)?;
            skip_blanks(source)?;
            match source.byte()? {
                b'[' => {}
                b => return Err(source.malformed(format!("expected '[', found byte 0x{b:02x}"))),
            }
            let form = Layout::default();
            let read = brackets::<f32>(source, &mut vector, form, &mut scanner, limits)?;
            *rounded += read.rounded;
            posterior.ids.push(id);
            posterior.vectors.add(vector.values()?);
            source.hold("a list", posterior.vectors.bytes(), limits)?;
        }
        posterior.ids.end();
        source.hold("a list", posterior.ids.bytes(), limits)?;
    }
    skip_line(source)?;
    Ok(posterior)
}

fn count(source: &mut Source) -> Result<u32> {
    let word = word(source)?;
    u32::try_from(int(&word)?).map_err(|_| wrong(&word, "a count"))
}

fn word(source: &mut Source) -> Result<Vec<u8>> {
    skip_blanks(source)?;
    let bytes = source.peek(64)?;
    let Some(end) = bytes.iter().position(|b| is_space(*b)) else {
        return Err(match bytes.len() {
            64 => source.malformed("a number of more than 64 characters"),
            _ => truncated(source, "the file ends inside a posterior of Gaussians"),
        });
    };
    let word = bytes[..end].to_vec();
    source.skip(end as u64)?;
    Ok(word)
}

fn skip_blanks(source: &mut Source) -> Result<()> {
    loop {
        let blanks = source
            .peek(64)?
            .iter()
            .take_while(|b| is_space(**b))
            .count();
        source.skip(blanks as u64)?;
        if blanks < 64 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, kind: ObjectKind) -> Result<Object> {
        object(line.as_bytes(), kind, Precision::Single, &mut 0)
    }

    #[test]
    fn lines_are_read() {
        let lists = [&[1, 2][..], &[], &[3]].into_iter().collect();
        assert_eq!(
            read("1 2 ; ; 3 ; ", ObjectKind::Lists).unwrap(),
            Object::IntLists(lists)
        );
        let pairs = Object::IntPairs(vec![[1, 2], [3, 4]]);
        assert_eq!(read("1 2 ;3 4", ObjectKind::IntPairs).unwrap(), pairs);
        let frames = [&[(1, 0.5), (2, 0.5)][..], &[], &[(7, 1.0)]]
            .into_iter()
            .collect();
        let text = "[ 1 0.5 2 0.5 ] [ ] [ 7 1] ";
        assert_eq!(
            read(text, ObjectKind::Posterior).unwrap(),
            Object::Posterior(frames)
        );
        let rows = [&[(1, 2.0)][..], &[]].into_iter().collect();
        let sparse = Sparse {
            dtype: Precision::Single.dtype(),
            dim: 10,
            rows,
        };
        let text = "rows=2 dim=10 [ 1 2 ] dim=10 [ ] ";
        assert_eq!(
            read(text, ObjectKind::SparseMatrix).unwrap(),
            Object::SparseMatrix(sparse)
        );
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for (line, kind) in [
            ("", ObjectKind::Int),
            ("1 2", ObjectKind::Int),
            ("True", ObjectKind::Bool),
            ("1 ; 2", ObjectKind::Lists),
            ("1 2 ;", ObjectKind::IntPairs),
            ("1 2 3 ; 4 5", ObjectKind::IntPairs),
            ("[ 1 ]", ObjectKind::Posterior),
            ("[ 1 2", ObjectKind::Posterior),
            ("1 2", ObjectKind::Posterior),
            ("[ 1.5 2 ]", ObjectKind::Posterior),
            ("rows=2 dim=1 [ 0 1 ]", ObjectKind::SparseMatrix),
            ("dim=1 [ 1 1 ]", ObjectKind::SparseVector),
            ("dim=1 ] [", ObjectKind::SparseVector),
            ("dim=1 [ 0 ]", ObjectKind::SparseVector),
            ("a b", ObjectKind::Token),
        ] {
            assert!(read(line, kind).is_err(), "{line}");
        }
    }
}
