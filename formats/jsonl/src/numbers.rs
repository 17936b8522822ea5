//! Conversion of numbers between text and matrices.

use std::fmt;

use spr_core::model::{Array, Dtype, Element, Matrix};
use spr_core::{Error, Limits, Result, dispatch};

use crate::scan::Scan;
use crate::shape::{MatrixShape, check_sizes, to_usize};

/// Parses `text`, which is valid JSON, as a matrix of type `dtype` and shape `shape`.
///
/// # Errors
/// The text has another shape or a value outside the type's range, or the size exceeds `limits`.
pub(crate) fn read(
    text: &str,
    dtype: Dtype,
    shape: MatrixShape,
    into: &mut Matrix,
    limits: &Limits,
) -> Result<()> {
    shape.make(text, dtype, into, limits)?;
    let (sizes, dimensions) = shape.sizes();
    fill(text, &sizes.map(to_usize)[..dimensions], into)
}

/// Parses `text`, which is valid JSON, as an array of any shape.
///
/// # Errors
/// As for [`read`].
pub(crate) fn read_array(
    text: &str,
    dtype: Dtype,
    sizes: &[u64],
    limits: &Limits,
) -> Result<Array> {
    check_sizes(text, sizes)?;
    let sizes: Vec<_> = sizes.iter().copied().map(to_usize).collect();
    let mut array = Array::new(dtype, &sizes, limits)?;
    fill(text, &sizes, array.values_mut())?;
    Ok(array)
}

fn fill(text: &str, sizes: &[usize], into: &mut Matrix) -> Result<()> {
    let mut scan = Scan::new(text);
    dispatch!(into.dtype(), T => nested(&mut scan, into.values_mut::<T>()?, sizes, None))
}

/// Parses `values`, which are nested lists of these sizes.
fn nested<T: Element>(
    scan: &mut Scan<'_>,
    values: &mut [T],
    sizes: &[usize],
    place: Option<&ListItem<'_>>,
) -> Result<()> {
    match *sizes {
        [] => {
            let [value] = values else {
                return Err(Error::malformed("not one value"));
            };
            *value = scan
                .element()
                .map_err(|token| not_a(token, T::DTYPE, None))?;
            Ok(())
        }
        [len] => scan.list(ListAt(place), len, |scan, n| match scan.element() {
            Ok(value) => {
                values[n] = value;
                Ok(())
            }
            Err(token) => Err(not_a(token, T::DTYPE, Some(&ListItem { n, outer: place }))),
        }),
        [len, ref inner @ ..] => {
            let step = values.len().checked_div(len).unwrap_or(0);
            scan.list(ListAt(place), len, |scan, n| {
                let values = &mut values[n * step..(n + 1) * step];
                nested(scan, values, inner, Some(&ListItem { n, outer: place }))
            })
        }
    }
}

/// The position in a list, which may be nested in another.
struct ListItem<'a> {
    n: usize,
    outer: Option<&'a Self>,
}

/// Returns the indices of the items, the outermost first.
fn numbers_of(place: Option<&ListItem<'_>>) -> Vec<usize> {
    let items = std::iter::successors(place, |place| place.outer);
    let mut numbers: Vec<_> = items.map(|place| place.n).collect();
    numbers.reverse();
    numbers
}

/// The beginning of a message about a list at a position.
struct ListAt<'a>(Option<&'a ListItem<'a>>);

impl fmt::Display for ListAt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *numbers_of(self.0) {
            [] => f.write_str("the data are"),
            [row] => write!(f, "row {row} is"),
            ref part => write!(f, "part {part:?} is"),
        }
    }
}

#[cold]
fn not_a(token: &[u8], dtype: Dtype, place: Option<&ListItem<'_>>) -> Error {
    let place = match *numbers_of(place) {
        [] => "row 0, column 0".to_owned(),
        [row] => format!("row {row}, column 0"),
        [row, col] => format!("row {row}, column {col}"),
        ref value => format!("value {value:?}"),
    };
    let shown: String = String::from_utf8_lossy(token).chars().take(30).collect();
    Error::malformed(format!("{place}: {} is not {dtype}", shown.escape_debug()))
}

/// Appends `values` separated by commas; the names of non-finite numbers are in quotes.
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
            // Other readers parse -0 as an integer, which has no sign.
            b"-0" => out.extend_from_slice(b".0"),
            _ => {}
        }
    }
}

/// Returns the element type called `name`.
pub(crate) fn dtype(name: &str) -> Result<Dtype> {
    name.parse().map_err(|e: Error| {
        let shown: String = name.chars().take(30).collect();
        let error = Error::malformed(format!("unknown element type '{}'", shown.escape_debug()));
        match e.remedy() {
            Some(remedy) => error.suggest(remedy.clone()),
            None => error,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Rank;

    fn read_as<T: Element>(text: &str, rank: Rank, rows: u64, cols: u64) -> Result<Vec<T>> {
        let mut matrix = Matrix::default();
        let shape = MatrixShape { rank, rows, cols };
        read(text, T::DTYPE, shape, &mut matrix, &Limits::default())?;
        Ok(matrix.as_slice::<T>().unwrap().to_vec())
    }

    #[test]
    fn zero_keeps_its_sign_and_names_have_quotes() {
        let mut text = Vec::new();
        write(
            &[-0.0f32, 0.0, -0.5, f32::NAN, f32::NEG_INFINITY],
            &mut text,
        );
        assert_eq!(text, b"-0.0,0,-0.5,\"nan\",\"-inf\"");
        text.clear();
        write(&[0i16, -7], &mut text);
        assert_eq!(text, b"0,-7");
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
            (
                "[[1,2],[3]]",
                Rank::Matrix,
                2,
                2,
                "row 1 is not a list of 2",
            ),
            (
                "[[1,2],[3,4,5]]",
                Rank::Matrix,
                2,
                2,
                "row 1 is not a list of 2",
            ),
            (
                "[[1,2],[3,4],[5]]",
                Rank::Matrix,
                2,
                2,
                "the data are not a list of 2",
            ),
            (
                "[[1,2]          ]",
                Rank::Matrix,
                2,
                2,
                "the data are not a list of 2",
            ),
            (
                "[1,1.5]",
                Rank::Vector,
                2,
                1,
                "row 1, column 0: 1.5 is not i16",
            ),
            (
                "[32768]",
                Rank::Vector,
                1,
                1,
                "row 0, column 0: 32768 is not i16",
            ),
            (
                r#"["nan"]"#,
                Rank::Vector,
                1,
                1,
                r#"row 0, column 0: \"nan\" is not i16"#,
            ),
            (
                "[[1],[2]]",
                Rank::Vector,
                2,
                1,
                "row 0, column 0: [1 is not i16",
            ),
            (
                "[null]",
                Rank::Vector,
                1,
                1,
                "row 0, column 0: null is not i16",
            ),
            ("7", Rank::Vector, 0, 1, "the data are not a list of 0"),
        ] {
            assert_eq!(error(text, rank, rows, cols), message);
        }
        let error = read_as::<f32>(r#"["infinity"]"#, Rank::Vector, 1, 1).unwrap_err();
        assert!(error.to_string().ends_with("is not f32"), "{error}");
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
    fn writes_what_it_reads() {
        let mut out = Vec::new();
        write(
            &[0.1f32, 3.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY],
            &mut out,
        );
        assert_eq!(out, br#"0.1,3,"nan","inf","-inf""#);
    }

    #[test]
    fn lists_go_as_deep_as_the_shape() {
        let read = |text, sizes: &[u64]| read_array(text, Dtype::Bool, sizes, &Limits::default());
        let array = read("[[[1,0]],[[false,true]]]", &[2, 1, 2]).unwrap();
        let values = array.values().values::<bool>().unwrap();
        assert_eq!(
            (array.shape(), values),
            (&[2, 1, 2][..], &[true, false, false, true][..])
        );
        assert_eq!(
            read("1", &[]).unwrap().values().values::<bool>().unwrap(),
            [true]
        );
        assert_eq!(read("[[],[]]", &[2, 0, 9]).unwrap().shape(), [2, 0, 9]);
        assert_eq!(read("[]", &[0, u64::MAX >> 1]).unwrap().values().len(), 0);
        for (text, sizes, message) in [
            (
                "[[[1,0]],[[1,2]]]",
                &[2, 1, 2][..],
                "value [1, 0, 1]: 2 is not bool",
            ),
            (
                "[[[1,0]],[[1]]  ]",
                &[2, 1, 2],
                "part [1, 0] is not a list of 2",
            ),
            (
                "[[1,0],[1,0]]",
                &[2, 2, 1],
                "part [0, 0] is not a list of 1",
            ),
            (
                "[1]",
                &[1, 1 << 40],
                "the shape says 1 x 1099511627776 values, the data are too short",
            ),
        ] {
            let error = read(text, sizes).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        assert!(read("1", &[1; 9]).is_err());
    }
}
