//! Arrays of numbers, straight between text and a matrix's storage.

use spr_core::model::{Dtype, Element, Lists, Matrix, Rank};
use spr_core::{Error, Limits, Result, dispatch};

/// What an array of numbers is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) rank: Rank,
    pub(crate) rows: u64,
    pub(crate) cols: u64,
}

impl Shape {
    /// The shape of an array that comes without one: numbers, or lists as long as the first.
    /// `text` is valid JSON.
    pub(crate) fn of(text: &str) -> Result<Self> {
        let Some(inner) = text.strip_prefix('[') else {
            return Err(Error::malformed("the labels are no list"));
        };
        let values = |list: &str| match list.trim_ascii() {
            "" | "]" => 0,
            list => 1 + count(list, b','),
        };
        let inner = inner.trim_ascii_start();
        Ok(match inner.strip_prefix('[') {
            Some(row) => Self {
                rank: Rank::Matrix,
                rows: 1 + count(row, b'['),
                cols: values(row.split(']').next().unwrap_or_default()),
            },
            None => Self {
                rank: Rank::Vector,
                rows: values(inner),
                cols: 1,
            },
        })
    }
}

fn count(text: &str, byte: u8) -> u64 {
    text.bytes().filter(|b| *b == byte).count() as u64
}

/// Reads `text`, which is valid JSON, into a matrix of type `dtype` and shape `shape`.
///
/// # Errors
/// The text has another shape or holds something that the type doesn't, or the size exceeds
/// `limits`. A false shape costs nothing.
pub(crate) fn read(
    text: &str,
    dtype: Dtype,
    shape: Shape,
    into: &mut Matrix,
    limits: &Limits,
) -> Result<()> {
    let Shape { rank, rows, cols } = shape;
    limits.matrix_bytes(dtype, rows, cols)?;
    // A value takes a digit and what parts it from the next, a row without values its brackets.
    let least = rows.saturating_mul(cols.max(1)).saturating_mul(2);
    if least > text.len() as u64 + 1 {
        return Err(Error::malformed(format!(
            "the shape says {rows} x {cols} values, the data are too short for that"
        )));
    }
    into.reset(dtype, rank, to_usize(rows), to_usize(cols), limits)?;
    let mut array = Array {
        rest: text.as_bytes(),
    };
    dispatch!(dtype, T => {
        let values = into.as_slice_mut::<T>().unwrap_or_default();
        match rank {
            Rank::Scalar => array.value(values, 0, (0, 0)),
            Rank::Vector => array.list("the data are", to_usize(rows), |array, row| {
                array.value(values, row, (row, 0))
            }),
            Rank::Matrix => array.list("the data are", to_usize(rows), |array, row| {
                let cols = to_usize(cols);
                array.list(format_args!("row {row} is"), cols, |array, col| {
                    array.value(values, row * cols + col, (row, col))
                })
            }),
        }
    })
}

/// A number that was found to be below the length of a text in memory.
fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// What is left of the text of an array.
pub(crate) struct Array<'a> {
    rest: &'a [u8],
}

/// Lists of any length, as objects have them.
impl<'a> Array<'a> {
    /// The text of an array.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            rest: text.as_bytes(),
        }
    }

    /// Reads `[`, what `item` reads with commas between, and `]`.
    fn each(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if !self.take(b'[') {
            return Err(self.wrong("a list"));
        }
        if self.take(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.take(b']') {
                return Ok(());
            }
            self.comma()?;
        }
    }

    /// A list of items.
    pub(crate) fn items<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.each(|array| {
            items.push(item(array)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// A list of lists of items.
    pub(crate) fn lists<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Lists<T>> {
        let mut lists = Lists::default();
        self.each(|array| {
            array.each(|array| {
                lists.push(item(array)?);
                Ok(())
            })?;
            lists.end();
            Ok(())
        })?;
        Ok(lists)
    }

    /// What `inner` reads, in brackets.
    pub(crate) fn tuple<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if !self.take(b'[') {
            return Err(self.wrong("a list"));
        }
        let value = inner(self)?;
        match self.take(b']') {
            true => Ok(value),
            false => Err(self.wrong("']'")),
        }
    }

    /// A list of two numbers.
    pub(crate) fn pair<T: Element + Default>(&mut self) -> Result<[T; 2]> {
        self.tuple(|array| {
            let first = array.number()?;
            array.comma()?;
            Ok([first, array.number()?])
        })
    }

    /// A comma.
    pub(crate) fn comma(&mut self) -> Result<()> {
        match self.take(b',') {
            true => Ok(()),
            false => Err(self.wrong("','")),
        }
    }

    /// A number.
    pub(crate) fn number<T: Element + Default>(&mut self) -> Result<T> {
        let mut value = [T::default()];
        match self.value(&mut value, 0, (0, 0)) {
            Ok(()) => Ok(value[0]),
            Err(_) => Err(self.wrong(T::DTYPE.name())),
        }
    }

    /// The end of the text.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.skip_blanks();
        match self.rest {
            [] => Ok(()),
            _ => Err(self.wrong("the end")),
        }
    }

    #[cold]
    fn wrong(&self, due: &str) -> Error {
        let rest = String::from_utf8_lossy(self.rest);
        let shown: String = rest.chars().take(20).collect();
        Error::malformed(format!(
            "the value goes on with '{}', where {due} is due",
            shown.escape_debug()
        ))
    }
}

impl Array<'_> {
    /// Reads `[`, `len` items parted by commas, and `]`.
    fn list(
        &mut self,
        what: impl std::fmt::Display,
        len: usize,
        mut item: impl FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        let open = self.take(b'[');
        for n in 0..len {
            if !open || n > 0 && !self.take(b',') {
                return Err(Error::malformed(format!("{what} no list of {len}")));
            }
            item(self, n)?;
        }
        if open && self.take(b']') {
            return Ok(());
        }
        Err(Error::malformed(format!("{what} no list of {len}")))
    }

    /// Reads a number into `values[n]`, which stands at `place`.
    #[inline]
    fn value<T: Element>(
        &mut self,
        values: &mut [T],
        n: usize,
        place: (usize, usize),
    ) -> Result<()> {
        self.skip_blanks();
        let len = self.rest.iter().position(|b| is_end(*b));
        let (token, rest) = self.rest.split_at(len.unwrap_or(self.rest.len()));
        let value = match token.first() {
            Some(b'"') => non_finite(token).filter(|_| T::DTYPE.is_float()),
            _ => Some(token),
        };
        match (value.and_then(T::parse), values.get_mut(n)) {
            (Some(value), Some(element)) => *element = value,
            _ => return Err(no_number(token, T::DTYPE, place)),
        }
        self.rest = rest;
        Ok(())
    }

    /// Moves past `byte` and the blanks before it, if it comes next.
    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        match self.rest.split_first() {
            Some((first, rest)) if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some((b' ' | b'\t' | b'\n' | b'\r', rest)) = self.rest.split_first() {
            self.rest = rest;
        }
    }
}

#[inline]
fn is_end(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}

fn non_finite(token: &[u8]) -> Option<&[u8]> {
    let name = token.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    matches!(name, b"nan" | b"inf" | b"-inf").then_some(name)
}

#[cold]
fn no_number(token: &[u8], dtype: Dtype, (row, col): (usize, usize)) -> Error {
    let shown: String = String::from_utf8_lossy(token).chars().take(30).collect();
    Error::malformed(format!(
        "row {row}, column {col}: {} is no {dtype}",
        shown.escape_debug()
    ))
}

/// Appends `values`, commas between them and names of non-finite numbers in quotes.
pub(crate) fn write<T: Element>(values: &[T], out: &mut Vec<u8>) {
    for (n, value) in values.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        let start = out.len();
        value.print(out);
        match &out[start..] {
            [.., b'n' | b'f'] => {
                out.insert(start, b'"');
                out.push(b'"');
            }
            // Other readers take -0 for the integer, which has no sign.
            b"-0" => out.extend_from_slice(b".0"),
            _ => {}
        }
    }
}

/// The element type called `name`.
pub(crate) fn dtype(name: &str) -> Result<Dtype> {
    name.parse().map_err(|e: Error| {
        let shown: String = name.chars().take(30).collect();
        Error::malformed(format!("unknown element type '{}'", shown.escape_debug()))
            .hint(e.hint_text().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as<T: Element>(text: &str, rank: Rank, rows: u64, cols: u64) -> Result<Vec<T>> {
        let mut matrix = Matrix::default();
        let shape = Shape { rank, rows, cols };
        read(text, T::DTYPE, shape, &mut matrix, &Limits::default())?;
        Ok(matrix.as_slice::<T>().unwrap().to_vec())
    }

    #[test]
    fn reads_each_rank() {
        let values = read_as::<f32>("[[1, 2.5] ,\t[ -0,1e-7 ] ]", Rank::Matrix, 2, 2).unwrap();
        assert_eq!(values, [1.0, 2.5, -0.0, 1e-7]);
        assert!(values[2].is_sign_negative());
        assert_eq!(read_as::<i64>("[]", Rank::Vector, 0, 1).unwrap(), [0; 0]);
        assert_eq!(read_as::<i64>("[]", Rank::Matrix, 0, 40).unwrap(), [0; 0]);
        assert_eq!(
            read_as::<i64>("[[], []]", Rank::Matrix, 2, 0).unwrap(),
            [0; 0]
        );
        let text = "18446744073709551615";
        assert_eq!(
            read_as::<u64>(text, Rank::Scalar, 1, 1).unwrap(),
            [u64::MAX]
        );
        let values = read_as::<f64>(r#"["nan","inf","-inf"]"#, Rank::Vector, 3, 1).unwrap();
        assert!(values[0].is_nan());
        assert_eq!(values[1..], [f64::INFINITY, f64::NEG_INFINITY]);
    }

    #[test]
    fn says_what_does_not_fit() {
        let error = |text, rank, rows, cols| {
            read_as::<i16>(text, rank, rows, cols)
                .unwrap_err()
                .to_string()
        };
        for (text, rank, rows, cols, message) in [
            ("[[1,2],[3]]", Rank::Matrix, 2, 2, "row 1 is no list of 2"),
            (
                "[[1,2],[3,4,5]]",
                Rank::Matrix,
                2,
                2,
                "row 1 is no list of 2",
            ),
            (
                "[[1,2],[3,4],[5]]",
                Rank::Matrix,
                2,
                2,
                "the data are no list of 2",
            ),
            (
                "[[1,2]          ]",
                Rank::Matrix,
                2,
                2,
                "the data are no list of 2",
            ),
            (
                "[1,1.5]",
                Rank::Vector,
                2,
                1,
                "row 1, column 0: 1.5 is no i16",
            ),
            (
                "[32768]",
                Rank::Vector,
                1,
                1,
                "row 0, column 0: 32768 is no i16",
            ),
            (
                r#"["nan"]"#,
                Rank::Vector,
                1,
                1,
                r#"row 0, column 0: \"nan\" is no i16"#,
            ),
            (
                "[[1],[2]]",
                Rank::Vector,
                2,
                1,
                "row 0, column 0: [1 is no i16",
            ),
            (
                "[null]",
                Rank::Vector,
                1,
                1,
                "row 0, column 0: null is no i16",
            ),
            ("7", Rank::Vector, 0, 1, "the data are no list of 0"),
        ] {
            assert_eq!(error(text, rank, rows, cols), message);
        }
        let error = read_as::<f32>(r#"["infinity"]"#, Rank::Vector, 1, 1).unwrap_err();
        assert!(error.to_string().ends_with("is no f32"), "{error}");
    }

    #[test]
    fn a_false_shape_costs_nothing() {
        for (rows, cols) in [
            (1 << 30, 0),
            (1 << 20, 1 << 8),
            (u64::MAX, u64::MAX),
            (6, 1),
        ] {
            let error = read_as::<f32>("[[1],[2]]", Rank::Matrix, rows, cols).unwrap_err();
            assert!(error.to_string().contains(&rows.to_string()), "{error}");
        }
    }

    #[test]
    fn finds_the_shape() {
        for (text, rank, rows, cols) in [
            ("[]", Rank::Vector, 0, 1),
            ("[ 1, 2 ]", Rank::Vector, 2, 1),
            ("[[1,2],[3,4],[5,6]]", Rank::Matrix, 3, 2),
            ("[ [ ] ]", Rank::Matrix, 1, 0),
        ] {
            assert_eq!(
                Shape::of(text).unwrap(),
                Shape { rank, rows, cols },
                "{text}"
            );
        }
        assert!(Shape::of("7").is_err());
    }

    #[test]
    fn writes_what_it_reads() {
        let mut out = Vec::new();
        write(
            &[0.1f32, 3.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY],
            &mut out,
        );
        assert_eq!(out, br#"0.1,3,"nan","inf","-inf""#);
    }
}
