//! Arrays as objects.

use spr_core::bytes::{Env, Source};
use spr_core::format::{Claim, Nested, ObjectBounds, Request};
use spr_core::model::{Array, Chunk, Chunks, Dtype, Matrix, NamedArray, Rank, Utterance};
use spr_core::{Error, Limits, Result};

use crate::caps::{NAME, NESTED};
use crate::fortran::reorder;
use crate::header::{self, Header, MAGIC};

/// Reads the elements of an array into `utt`, which was started. Without `values` only the shape of
/// features is set.
///
/// # Errors
/// Elements are missing, or exceed `limits`.
pub(crate) fn read(
    source: &mut Source,
    header: &Header,
    values: bool,
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    let dtype = header.dtype;
    let shape = match *header.shape {
        [] => (dtype, Rank::Scalar, 1, 1),
        [n] => (dtype, Rank::Vector, n, 1),
        [rows, cols] => (dtype, Rank::Matrix, rows, cols),
        _ => return read_array(source, header, utt, limits),
    };
    if let (_, Rank::Matrix, rows @ 1.., 0) = shape {
        let message = format!("a NumPy array of {rows} rows without columns");
        return Err(source.malformed(message));
    }
    let features = utt.features_mut();
    match (values, header.fortran && header.shape.len() == 2) {
        (false, _) => return source.pass_matrix(features, shape, limits),
        (true, false) => source.read_matrix(features, shape, header.order, limits)?,
        (true, true) => {
            let (_, rank, rows, cols) = shape;
            let mut columns = Matrix::default();
            // The stored order is column by column.
            let turned = (dtype, rank, cols, rows);
            source.read_matrix(&mut columns, turned, header.order, limits)?;
            let shape = [columns.cols(), columns.rows()];
            let into = features.reset(dtype, rank, shape[0], shape[1], limits)?;
            reorder(columns.as_bytes(), &shape, dtype.size(), into)?;
        }
    }
    check_truths(source, features)
}

/// Reads the elements of an array of any rank into `utt`, which was started, as its only named
/// array.
///
/// # Errors
/// As for [`read`].
pub(crate) fn read_array(
    source: &mut Source,
    header: &Header,
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    utt.features = None;
    let array = array(source, header, limits)?;
    utt.arrays.push(NamedArray {
        name: NAME.to_owned(),
        array,
    });
    Ok(())
}

/// Returns the chunks of an array, if it consists of rows and has several chunks.
pub(crate) fn chunks(header: &Header) -> Option<Chunks> {
    let size = header.dtype.size() as u64;
    match *header.shape {
        [n] => Chunks::of(n, size),
        [rows, cols] if !header.fortran => Chunks::of(rows, cols.saturating_mul(size)),
        _ => None,
    }
}

/// Reads the next `rows` of an array with [chunks].
///
/// # Errors
/// As for [`read`]. The first call fails if the file is too short for all rows.
pub(crate) fn rows(
    source: &mut Source,
    header: &Header,
    (chunk, rows): (Chunk, u64),
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    let (rank, cols) = match *header.shape {
        [_, cols] => (Rank::Matrix, cols),
        _ => (Rank::Vector, 1),
    };
    if chunk.first == 0 {
        let all = chunk.rows.unwrap_or_default();
        source.expect_matrix((header.dtype, all, cols), limits)?;
    }
    let shape = (header.dtype, rank, rows, cols);
    let features = utt.features_mut();
    source.read_matrix(features, shape, header.order, limits)?;
    check_truths(source, features)
}

/// Returns `true` if only labels are requested, which arrays without that name may be as well.
pub(crate) fn wants_labels(request: &Request) -> bool {
    request.parts.labels && !request.parts.features
}

/// Moves integers, one per frame, to the labels if there are none.
pub(crate) fn take_as_labels(utt: &mut Utterance) {
    let labels = |m: &mut Matrix| {
        let one = m.rank() == Rank::Vector || m.rank() == Rank::Matrix && m.cols() == 1;
        one && Dtype::INTEGERS.contains(&m.dtype())
    };
    if utt.labels.is_none() {
        utt.labels = utt.features.take_if(labels);
    }
}

/// Reads an array of any rank.
fn array(source: &mut Source, header: &Header, limits: &Limits) -> Result<Array> {
    let at = source.offset();
    let placed = |source: &Source, e: Error| e.file(source.name()).byte(at);
    let sizes = header.shape.iter().map(|n| usize::try_from(*n));
    let shape = sizes.collect::<Result<Vec<_>, _>>();
    let (Ok(shape), Ok(len)) = (shape, header.len()) else {
        let error = Error::limit("a NumPy array of more elements than can be counted");
        return Err(placed(source, error));
    };
    let mut values = Matrix::default();
    let vector = (header.dtype, Rank::Vector, len, 1);
    source.read_matrix(&mut values, vector, header.order, limits)?;
    check_truths(source, &values)?;
    if header.fortran {
        let stored = std::mem::take(&mut values);
        let into = values.reset(header.dtype, Rank::Vector, stored.rows(), 1, limits);
        let into = into.map_err(|e| placed(source, e))?;
        reorder(stored.as_bytes(), &shape, header.dtype.size(), into)?;
    }
    Array::of(values, &shape)
}

/// Rejects boolean values other than 0 and 1; `source` is positioned after them.
fn check_truths(source: &Source, values: &Matrix) -> Result<()> {
    if values.dtype() != Dtype::Bool {
        return Ok(());
    }
    let checked = values.values::<bool>().map(drop);
    checked.map_err(|e| e.file(source.name()).byte(source.offset()))
}

/// Fails unless the file ends after the elements.
///
/// # Errors
/// There are more bytes.
pub(crate) fn end(source: &mut Source) -> Result<()> {
    match source.at_end()? {
        true => Ok(()),
        false => Err(source.malformed("the file goes on after the array")),
    }
}

/// An array inside a container.
pub(crate) struct NestedArray;

impl Nested for NestedArray {
    fn claim(&self, head: &[u8]) -> Claim {
        match head.starts_with(MAGIC) {
            true => Claim::Magic,
            false => Claim::No,
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let header = Header::read(source, &env.limits)?;
        match *header.shape {
            // No matrix, but an array that a container may have been given.
            [rows, 0] if rows > 0 => read_array(source, &header, utt, &env.limits)?,
            _ => read(source, &header, true, utt, &env.limits)?,
        }
        match extent {
            ObjectBounds::Whole => end(source),
            ObjectBounds::Own => Ok(()),
        }
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        NESTED.check(utt)?;
        let mut bytes = Vec::new();
        let values = match (&utt.features, utt.arrays.as_slice()) {
            (Some(features), []) => {
                let rows = usize::try_from(utt.whole_frames()).unwrap_or(usize::MAX);
                let shape = [rows, features.cols()];
                let rank = match features.rank() {
                    Rank::Scalar => 0,
                    Rank::Vector => 1,
                    Rank::Matrix => 2,
                };
                if utt.starts() {
                    header::print(features.dtype(), &shape[..rank], &mut bytes)?;
                }
                features
            }
            (None, [only]) => {
                header::print(only.array.dtype(), only.array.shape(), &mut bytes)?;
                only.array.values()
            }
            _ => {
                return Err(Error::unfit("has an array beside features, ").the_format(" holds one"));
            }
        };
        put(&bytes)?;
        values.put_little_endian(put)
    }
}

/// Writes `values` as an array of this shape.
///
/// # Errors
/// NumPy has no such type, or `put` fails.
pub(crate) fn write(
    values: &Matrix,
    shape: &[usize],
    put: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut header = Vec::new();
    header::print(values.dtype(), shape, &mut header)?;
    put(&header)?;
    values.put_little_endian(put)
}

/// Returns the shape of a matrix as an array.
pub(crate) fn shape_of(matrix: &Matrix) -> Vec<usize> {
    match matrix.rank() {
        Rank::Scalar => Vec::new(),
        Rank::Vector => vec![matrix.rows()],
        Rank::Matrix => vec![matrix.rows(), matrix.cols()],
    }
}
