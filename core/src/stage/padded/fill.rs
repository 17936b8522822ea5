//! Padding of matrices to one length.

use crate::error::{Error, Result};
use crate::model::{Limits, Matrix, Rank};
use crate::number::{Dtype, Element, Wide, dispatch};

/// The value of padding.
#[derive(Clone, Copy)]
pub(super) enum Fill {
    Float(f64),
    Integer(i64),
    /// That of sound without any.
    Silence,
}

/// The shape of one field of all utterances in a batch.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddedLayout {
    /// The element type.
    pub dtype: Dtype,
    /// [`Rank::Vector`] if a row is one value, else [`Rank::Matrix`].
    pub rank: Rank,
    /// The number of columns.
    pub cols: usize,
    /// The number of rows for each utterance, that of the longest.
    pub rows: usize,
    /// The number of rows of each utterance without padding.
    pub lengths: Vec<usize>,
    /// The number of bytes in all.
    pub bytes: usize,
}

/// Matrices of one type and width, to be padded to the longest.
pub(super) struct Padded<'a> {
    all: Vec<&'a Matrix>,
    /// The bytes of a value of padding.
    element: Vec<u8>,
    pub(super) layout: PaddedLayout,
}

impl<'a> Padded<'a> {
    /// Lays out matrices of one type and width, of which there is one at least.
    ///
    /// # Errors
    /// The padding is not of their type, or the result would exceed `limits`.
    pub(super) fn new(all: Vec<&'a Matrix>, fill: Fill, limits: &Limits) -> Result<Self> {
        let (dtype, mut rank, cols) = all.first().map_or_else(Default::default, |first| {
            (first.dtype(), first.rank(), first.cols())
        });
        if rank != Rank::Matrix || (cols == 1 && matches!(fill, Fill::Silence)) {
            rank = Rank::Vector;
        }
        let lengths: Vec<_> = all.iter().map(|matrix| matrix.rows()).collect();
        let rows = lengths.iter().copied().max().unwrap_or(0);
        let total = (rows as u64).saturating_mul(all.len() as u64);
        let layout = PaddedLayout {
            dtype,
            rank,
            cols,
            rows,
            lengths,
            bytes: limits.matrix_bytes(dtype, total, cols as u64)?,
        };
        let element = bytes_of(dtype, fill)?;
        Ok(Self {
            all,
            element,
            layout,
        })
    }

    /// Fills as many bytes as the layout says.
    pub(super) fn fill(&self, mut into: &mut [u8]) {
        let PaddedLayout {
            dtype, cols, rows, ..
        } = self.layout;
        let zero = self.element.iter().all(|byte| *byte == 0);
        for matrix in &self.all {
            let own = matrix.as_bytes();
            let (place, after) = into.split_at_mut(rows * cols * dtype.size());
            let (frames, padding) = place.split_at_mut(own.len());
            frames.copy_from_slice(own);
            match zero {
                true => padding.fill(0),
                false => padding
                    .chunks_exact_mut(self.element.len())
                    .for_each(|value| value.copy_from_slice(&self.element)),
            }
            into = after;
        }
    }
}

/// The bytes of one value of padding.
fn bytes_of(dtype: Dtype, fill: Fill) -> Result<Vec<u8>> {
    let wide = match fill {
        Fill::Float(value) => Wide::Float(value),
        Fill::Integer(value) => Wide::Int(value.into()),
        Fill::Silence if dtype.is_float() => Wide::Int(0),
        Fill::Silence => Wide::Int(dtype.silence()),
    };
    dispatch!(dtype, T => {
        let value = T::nearest(wide);
        match same(value.to_wide(), wide) || dtype.is_float() {
            true => Ok(bytemuck::bytes_of(&value).to_vec()),
            false => {
                let fill = text(wide);
                Err(Error::unfit(format!("{dtype} values can't be padded with {fill}")))
            }
        }
    })
}

/// Whether both are one number.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of both kinds are compared as floats"
)]
fn same(a: Wide, b: Wide) -> bool {
    match (a, b) {
        (Wide::Int(a), Wide::Int(b)) => a == b,
        (Wide::Float(a), Wide::Float(b)) => a == b,
        (Wide::Int(a), Wide::Float(b)) | (Wide::Float(b), Wide::Int(a)) => a as f64 == b,
    }
}

fn text(wide: Wide) -> String {
    match wide {
        Wide::Int(value) => value.to_string(),
        Wide::Float(value) => value.to_string(),
    }
}
