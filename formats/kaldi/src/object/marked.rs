//! Objects with a binary mark.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Dtype, Matrix, Object, Rank, Utterance};
use spr_core::{Error, Result};

use super::ahead::is_packed;
use super::{Further, ObjectReader, keep};
use crate::binary::{self, Decoder};
use crate::compress::stored;
use crate::decide;
use crate::kind::{ObjectKind, Precision};
use crate::packed::{self, Upper};
use crate::recognise::{self, BinaryForm};
use crate::{nested, opaque, tagged};

impl ObjectReader {
    /// Reads an object after the mark, whose position is `at`.
    pub(super) fn read_binary(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        at: u64,
    ) -> Result<ObjectKind> {
        let bools = [self.holder, self.found.first, self.before].contains(&Some(ObjectKind::Bool));
        let (form, token) = recognise::binary(source, bools)?;
        if form == BinaryForm::Run {
            return self.read_run(source, utt, whole, at);
        }
        if let Some(kind) = form.kind() {
            self.check_holder(source, kind, at)?;
        }
        source.skip(token as u64)?;
        let limits = &self.env.limits;
        Ok(match form {
            BinaryForm::Matrix(precision) => {
                let shape = (
                    binary::size(source, "rows")?,
                    binary::size(source, "columns")?,
                );
                let shape = self.whole_shape(source, shape, at)?;
                let shape = (precision.dtype(), Rank::Matrix, shape.0, shape.1);
                self.floats(source, utt, shape, whole)?;
                ObjectKind::Matrix
            }
            BinaryForm::Vector(precision) => {
                let n = binary::size(source, "numbers")?;
                let shape = (precision.dtype(), Rank::Vector, n, 1);
                self.floats(source, utt, shape, whole)?;
                ObjectKind::Vector
            }
            BinaryForm::Compressed(compression) => {
                utt.origin.coding = Some(compression.token().into());
                let into = utt.features_mut();
                if !self.content.values {
                    Decoder::pass(source, into, compression, limits)?;
                    return Ok(ObjectKind::Matrix);
                }
                self.decoder.read(source, into, compression, limits)?;
                if self.keep && !into.is_empty() {
                    utt.meta
                        .tags
                        .push(stored(self.decoder.stored(compression)?));
                }
                ObjectKind::Matrix
            }
            BinaryForm::Packed(precision) => {
                let upper = Upper::of(self.holder);
                if upper.is_none() {
                    self.check_holder(source, ObjectKind::Matrix, at)?;
                }
                let how = (precision, upper.unwrap_or(Upper::Mirrored));
                packed::read(source, utt.features_mut(), how, limits)?;
                if self.holder != Some(ObjectKind::Matrix) {
                    utt.meta.tags.push(packed::tag(how.1));
                }
                ObjectKind::Matrix
            }
            BinaryForm::Numpy => return self.read_nested(source, utt, nested::NPY, whole),
            BinaryForm::SparseVector => {
                utt.object = Some(Object::SparseVector(tagged::sparse_vector(source, limits)?));
                ObjectKind::SparseVector
            }
            BinaryForm::SparseMatrix => {
                utt.object = Some(Object::SparseMatrix(tagged::sparse_matrix(source, limits)?));
                ObjectKind::SparseMatrix
            }
            BinaryForm::Bool => {
                utt.object = Some(Object::Bool(source.byte()? == b'T'));
                ObjectKind::Bool
            }
            BinaryForm::Wide => return self.read_wide(source, utt, at),
            BinaryForm::Sized(kind, n) => {
                let value = opaque::exactly(source, n + 1, limits)?;
                return keep(utt, ObjectKind::Opaque(kind), marked(&value));
            }
            BinaryForm::Blob => {
                let head = opaque::exactly(source, 12, limits)?;
                let size = head
                    .last_chunk()
                    .map_or(-1, |n| ByteOrder::Little.read_i64(*n));
                let Ok(size) = u64::try_from(size) else {
                    return Err(source.malformed(format!("a blob of {size} bytes")));
                };
                let bytes = [head, opaque::exactly(source, size, limits)?].concat();
                return keep(utt, ObjectKind::Opaque("blob"), marked(&bytes));
            }
            BinaryForm::Tokens => {
                let bytes = match whole && self.further != Further::Read {
                    true => opaque::rest(source, limits)?,
                    false => opaque::tokens(source, limits)?,
                };
                return keep(utt, ObjectKind::Opaque("tokens-object"), marked(&bytes));
            }
            BinaryForm::Run => return Err(source.malformed("it is not a known object")),
        })
    }

    /// Returns rows and columns in the header of a matrix. A matrix without rows is empty, whatever
    /// its columns. Kaldi crashes on it, but programs that use NumPy write it.
    fn whole_shape(
        &mut self,
        source: &Source,
        (rows, cols): (u64, u64),
        at: u64,
    ) -> Result<(u64, u64)> {
        binary::check_shape(source, (rows, cols))?;
        if rows > 0 || cols == 0 {
            return Ok((rows, cols));
        }
        if !std::mem::replace(&mut self.emptied, true) {
            let message = format!(
                "a matrix of 0 rows and {cols} columns, which Kaldi does not read, is taken for one of \
                 0 x 0, as others like it are"
            );
            self.env
                .warn(&Error::malformed(message).file(source.name()).byte(at));
        }
        Ok((0, 0))
    }

    /// Reads the values of a matrix or vector or its first chunk, or skips them.
    fn floats(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        shape: (Dtype, Rank, u64, u64),
        whole: bool,
    ) -> Result<()> {
        if self.starts_chunks(source, utt, shape, whole)? {
            return self.go_on(source, utt);
        }
        let (into, limits) = (utt.features_mut(), &self.env.limits);
        match self.content.values {
            true => source.read_matrix(into, shape, ByteOrder::Little, limits),
            false => source.pass_matrix(into, shape, limits),
        }
    }

    /// Reads a 64-bit number.
    fn read_wide(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        at: u64,
    ) -> Result<ObjectKind> {
        let float = ObjectKind::Float(Precision::Double);
        let kind = match self.holder {
            Some(holder) => holder,
            None => self.decide_wide(source, 0)?.unwrap_or(float),
        };
        let bytes = opaque::exactly(source, 9, &self.env.limits)?;
        let value = bytes
            .last_chunk()
            .map_or(0.0, |b| ByteOrder::Little.read_f64(*b));
        match kind {
            ObjectKind::Opaque("int64") => keep(utt, kind, marked(&bytes)),
            // Requested floats are converted from doubles, as by Kaldi's holder.
            ObjectKind::Float(Precision::Single) => {
                let mut number = Matrix::from_rows(&[value], 1, Rank::Scalar)?;
                if number.cast(Dtype::F32, &self.env.limits)?.clipped > 0 {
                    let message = format!("{value:e} is beyond the range of a float");
                    let error = Error::malformed(message).file(source.name()).byte(at);
                    return Err(error.continuable());
                }
                utt.features = Some(number);
                Ok(kind)
            }
            _ => {
                self.check_holder(source, float, at)?;
                utt.features = Some(Matrix::from_rows(&[value], 1, Rank::Scalar)?);
                Ok(float)
            }
        }
    }

    /// Reads tagged 32-bit numbers, or a packed vector of int32 in a separate file.
    fn read_run(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        at: u64,
    ) -> Result<ObjectKind> {
        if matches!(self.holder, None | Some(ObjectKind::Ints)) && whole && is_packed(source, 0)? {
            let n = binary::size(source, "numbers")?;
            let shape = (Dtype::I32, Rank::Vector, n, 1);
            source.read_matrix(utt.labels_mut(), shape, ByteOrder::Little, &self.env.limits)?;
            return Ok(ObjectKind::Ints);
        }
        let kind = match self.holder {
            Some(holder) if holder.is_run() => holder,
            Some(holder @ ObjectKind::Float(Precision::Double)) => holder,
            Some(holder) => {
                let message = format!("does not hold {holder}, which the option holder asks for");
                return Err(Error::malformed(message).file(source.name()).byte(at));
            }
            None => match self.decide_runs(source, 0)? {
                Some(kind) => kind,
                None => return Err(decide::unknown(source)),
            },
        };
        let limits = &self.env.limits;
        match kind {
            ObjectKind::Ints => {
                let n = binary::size(source, "numbers")?;
                binary::integers(source, utt.labels_mut(), n, limits)?;
                if tagged::goes_on(source)? {
                    let message = "more tagged numbers follow than an int32-vector has";
                    let error = Error::malformed(message).file(source.name()).byte(at);
                    return Err(error.hint("if it is something else, say so with holder=NAME"));
                }
            }
            ObjectKind::Float(_) => {
                let bytes = opaque::exactly(source, 5, limits)?;
                let value = bytes
                    .last_chunk()
                    .map_or(0.0, |b| ByteOrder::Little.read_f32(*b));
                utt.features = Some(match kind {
                    ObjectKind::Float(Precision::Double) => {
                        Matrix::from_rows(&[f64::from(value)], 1, Rank::Scalar)?
                    }
                    _ => Matrix::from_rows(&[value], 1, Rank::Scalar)?,
                });
            }
            _ => utt.object = Some(tagged::object(source, kind, limits)?),
        }
        Ok(kind)
    }
}

/// Returns bytes with the binary mark before them.
fn marked(bytes: &[u8]) -> Vec<u8> {
    [b"\0B", bytes].concat()
}
