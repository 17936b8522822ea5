//! The values of datasets as fields of utterances.

use std::sync::MutexGuard;

use hdf5_reader::storage::Storage;
use hdf5_reader::{Dataset, Datatype, VarLenKind};
use spr_core::bytes::{ByteOrder, Env, MemoryCounter, Source, swap_in_place};
use spr_core::format::ObjectBounds;
use spr_core::model::{Array, Dtype, Matrix, NamedArray, Rank, Utterance};
use spr_core::{Error, Result};

use crate::attributes::trimmed;
use crate::dataset::{Elements, File, Stored};
use crate::entries::Rows;
use crate::storage::SMALL;
use crate::types;

/// The name of an array with more than two dimensions.
pub(crate) const ARRAY: &str = "array";
/// The number of bytes that tell the format of an object.
const HEAD: usize = 64;

impl File {
    /// Reads the numbers of a dataset of up to two dimensions. Without `values` only the shape is
    /// set.
    ///
    /// # Errors
    /// It has no numbers or more dimensions, is damaged, or exceeds the limits.
    pub(crate) fn matrix(&self, stored: &Stored, values: bool, into: &mut Matrix) -> Result<()> {
        let (rank, rows, cols) = match *stored.shape {
            [] => (Rank::Scalar, 1, 1),
            [n] => (Rank::Vector, n, 1),
            [rows, cols] => (Rank::Matrix, rows, cols),
            _ => {
                let rank = stored.shape.len();
                return Err(Error::unsupported(format!(
                    "has {rank} dimensions, expected 2"
                )));
            }
        };
        if let (rows @ 1.., 0) = (rows, cols) {
            let message = format!("has {rows} rows without columns");
            return Err(Error::malformed(message));
        }
        self.numbers(stored, values, (rank, rows, cols), into)
    }

    /// Reads the numbers of a dataset as an array of any rank.
    ///
    /// # Errors
    /// It has no numbers, is damaged, or exceeds the limits.
    pub(crate) fn array(&self, stored: &Stored) -> Result<NamedArray> {
        let count = types::count(&stored.shape);
        let sizes = stored.shape.iter().map(|n| usize::try_from(*n));
        let (Some(count), Ok(shape)) = (count, sizes.collect::<Result<Vec<_>, _>>()) else {
            return Err(Error::limit("has more elements than can be counted"));
        };
        let mut values = Matrix::default();
        self.numbers(stored, true, (Rank::Vector, count, 1), &mut values)?;
        let array = Array::of(values, &shape)?;
        let name = ARRAY.to_owned();
        Ok(NamedArray { name, array })
    }

    fn numbers(
        &self,
        stored: &Stored,
        values: bool,
        (rank, rows, cols): (Rank, u64, u64),
        into: &mut Matrix,
    ) -> Result<()> {
        let Some((dtype, order)) = stored.number else {
            return Err(types::unlike(&stored.datatype, "numbers"));
        };
        let limits = self.limits();
        match &stored.elements {
            Elements::Plain(at) if values && stored.bytes() <= SMALL as u64 => {
                let (rows, cols) = (to_usize(rows), to_usize(cols));
                let into = into.reset(dtype, rank, rows, cols, limits)?;
                let found = self
                    .shared()
                    .call(|| self.shared().read_range(*at, into.len()))?;
                into.copy_from_slice(&found);
                if order != ByteOrder::NATIVE {
                    swap_in_place(into, dtype.size());
                }
            }
            Elements::Plain(at) => {
                let mut source: MutexGuard<'_, Source> = self.shared().lock();
                source.seek(*at)?;
                match values {
                    true => source.read_matrix(into, (dtype, rank, rows, cols), order, limits)?,
                    false => {
                        source.pass_matrix(into, (dtype, rank, rows, cols), limits)?;
                        return Ok(());
                    }
                }
            }
            Elements::Packed(dataset) => {
                limits.matrix_bytes(dtype, rows, cols)?;
                let (rows, cols) = (to_usize(rows), to_usize(cols));
                let bytes = into.reset(dtype, rank, rows, cols, limits)?;
                if !values || bytes.is_empty() {
                    return Ok(());
                }
                self.shared().call(|| dataset.read_raw_bytes_into(bytes))?;
                self.count_unpacked(bytes.len());
                if order != ByteOrder::NATIVE {
                    swap_in_place(bytes, dtype.size());
                }
            }
        }
        match dtype {
            Dtype::Bool => into.values::<bool>().map(drop),
            _ => Ok(()),
        }
    }

    /// Returns the texts of a dataset of strings, or only the one at an index.
    ///
    /// # Errors
    /// It has no strings or not that one, is damaged, or exceeds the limits.
    pub(crate) fn texts(&self, stored: &Stored, only: Option<u64>) -> Result<Vec<Vec<u8>>> {
        let dataset = strings(stored)?;
        let raw = self.raw(stored, dataset)?;
        let size = self.shared().call(|| dataset.raw_element_size())?.max(1);
        let is_variable = matches!(stored.datatype, Datatype::VarLen { .. });
        let text = |element: &[u8]| match is_variable {
            true => {
                let read = || dataset.resolve_vlen_reference_bytes(element, 1);
                Ok(trimmed(&self.shared().call(read)?))
            }
            false => Ok(trimmed(element)),
        };
        if let Some(index) = only {
            let at = usize::try_from(index).unwrap_or(usize::MAX);
            let missing = || Error::malformed("holds fewer texts than utterances");
            let element = raw.chunks(size).nth(at).ok_or_else(missing)?;
            return Ok(vec![text(element)?]);
        }
        // Many references may lead to one long text.
        let mut held = MemoryCounter::new("texts");
        let mut all = Vec::new();
        for element in raw.chunks(size) {
            let text = text(element)?;
            held.keep(text.len(), self.limits())?;
            all.push(text);
        }
        Ok(all)
    }

    /// Returns the bytes of a dataset as they are stored.
    fn bytes(&self, dataset: &Dataset) -> Result<Vec<u8>> {
        let len = self.shared().call(|| dataset.raw_byte_len())?;
        self.limits().bytes("a dataset", len as u64)?;
        let bytes = self.shared().call(|| dataset.read_raw_bytes())?;
        self.count_unpacked(bytes.len());
        Ok(bytes)
    }

    /// Returns the bytes of a dataset of texts or references, which are kept.
    fn raw<'a>(&self, stored: &'a Stored, dataset: &Dataset) -> Result<&'a [u8]> {
        if let Some(raw) = stored.raw.get() {
            return Ok(raw);
        }
        let raw = self.bytes(dataset)?;
        Ok(stored.raw.get_or_init(|| raw))
    }

    /// Reads a scalar of opaque bytes: an object of another format, such as a sound file.
    ///
    /// # Errors
    /// No format recognises it, or it is damaged.
    pub(crate) fn object(&self, stored: &Stored, utt: &mut Utterance, env: &Env) -> Result<()> {
        let Elements::Packed(dataset) = &stored.elements else {
            return Err(Error::unsupported("holds no bytes of an object"));
        };
        if !stored.shape.iter().all(|n| *n == 1) {
            let message = "holds several values of opaque bytes, expected one";
            return Err(Error::unsupported(message));
        }
        self.object_in(self.bytes(dataset)?, utt, env)
    }

    /// Reads the object of another format that these bytes are.
    fn object_in(&self, bytes: Vec<u8>, utt: &mut Utterance, env: &Env) -> Result<()> {
        let mut source = Source::from_bytes(self.shared().name(), bytes)?;
        let format = env.nested_by_content(&mut source)?;
        format.read(&mut source, ObjectBounds::Whole, utt, env)
    }

    /// Reads sequences of bytes that are objects of other formats: a sound file, or the chunks of
    /// features that Lhotse compresses one by one. Returns `false` if they are something else.
    ///
    /// # Errors
    /// They are damaged, exceed the limits, or are chunks of different arrays.
    pub(crate) fn encoded(
        &self,
        stored: &Stored,
        rows: Rows,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<bool> {
        let Datatype::VarLen {
            base,
            kind: VarLenKind::Sequence,
            ..
        } = &stored.datatype
        else {
            return Ok(false);
        };
        let is_bytes = types::number(base).is_some_and(|(dtype, _)| dtype == Dtype::U8);
        let numbers = match rows {
            Rows::All => 0..types::count(&stored.shape).unwrap_or_default(),
            Rows::Ragged(index) => index..index.saturating_add(1),
            Rows::Range(..) | Rows::Item(..) => return Ok(false),
        };
        if !is_bytes || numbers.is_empty() {
            return Ok(false);
        }
        let mut chunks = numbers.map(|n| self.sequence(stored, to_usize(n), 1));
        let Some(first) = chunks.next().transpose()? else {
            return Ok(false);
        };
        if env
            .nested_by_magic(&first[..first.len().min(HEAD)])
            .is_none()
        {
            return Ok(false);
        }
        self.object_in(first, utt, env)?;
        for chunk in chunks {
            let mut next = Utterance::default();
            self.object_in(chunk?, &mut next, env)?;
            let differ = || Error::malformed("holds objects that are no chunks of one matrix");
            let (Some(all), Some(part)) = (&mut utt.features, &next.features) else {
                return Err(differ());
            };
            let shape = |matrix: &Matrix| (matrix.dtype(), matrix.rank(), matrix.cols());
            if shape(all) != shape(part) {
                return Err(differ());
            }
            let room = all.extend_rows(part.rows(), self.limits())?;
            room.copy_from_slice(part.as_bytes());
        }
        Ok(true)
    }

    /// Returns the bytes of the sequence at `index`, whose elements have `size` bytes.
    fn sequence(&self, stored: &Stored, index: usize, size: usize) -> Result<Vec<u8>> {
        let Elements::Packed(dataset) = &stored.elements else {
            return Err(Error::unsupported("holds no arrays of any length"));
        };
        let raw = self.raw(stored, dataset)?;
        let references = dataset.vlen_reference_size().max(1);
        let reference = raw.chunks(references).nth(index);
        let reference = reference.ok_or_else(|| Error::malformed("has too few sequences"))?;
        let read = || dataset.resolve_vlen_reference_bytes(reference, size);
        self.shared().call(read)
    }

    /// Reads a sequence of any length at `index` of a dataset of such.
    ///
    /// # Errors
    /// It has no numbers, is damaged, or exceeds the limits.
    pub(crate) fn ragged(&self, stored: &Stored, index: usize) -> Result<Matrix> {
        let Datatype::VarLen { base, .. } = &stored.datatype else {
            return Err(Error::unsupported("holds no arrays of any length"));
        };
        let Some((dtype, order)) = types::number(base).filter(|(dtype, _)| *dtype != Dtype::F16)
        else {
            let what = types::describe(base);
            return Err(Error::unsupported(format!(
                "holds arrays of {what}, expected numbers"
            )));
        };
        let bytes = self.sequence(stored, index, dtype.size())?;
        let mut matrix = Matrix::default();
        let rows = bytes.len() / dtype.size();
        let into = matrix.reset(dtype, Rank::Vector, rows, 1, self.limits())?;
        if into.len() != bytes.len() {
            return Err(Error::malformed("has a sequence that ends within a number"));
        }
        into.copy_from_slice(&bytes);
        if order != ByteOrder::NATIVE {
            swap_in_place(into, dtype.size());
        }
        Ok(matrix)
    }
}

/// Returns the dataset, if it consists of strings.
pub(crate) fn strings(stored: &Stored) -> Result<&Dataset> {
    let is_text = matches!(
        stored.datatype,
        Datatype::String { .. }
            | Datatype::VarLen {
                kind: VarLenKind::String,
                ..
            }
    );
    match &stored.elements {
        Elements::Packed(dataset) if is_text => Ok(dataset),
        _ => Err(types::unlike(&stored.datatype, "strings")),
    }
}

fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
