//! The data of a parameter file.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Audio, Dtype, Matrix, Rank, Utterance, Waveform};
use spr_core::{Error, Limits, Result};

use crate::check_sum::CheckSum;
use crate::compress::undone;
use crate::frames::Frames;
use crate::header::Header;
use crate::kind::Content;

/// The scale of reflection coefficients stored as integers.
const REFLECTION: f32 = 32767.0;

/// The requested part of the data.
#[derive(Clone, Copy)]
pub(crate) struct DataRequest {
    /// Whether the values of features are read; otherwise only their shape is set.
    pub(crate) values: bool,
    /// A range of frames; nothing behind it is read.
    pub(crate) frames: Option<Frames>,
}

/// Reads the data after a header into `utt`, which was started, with the information from the
/// header.
///
/// # Errors
/// The data are incomplete, exceed `limits`, or do not match the checksum.
pub(crate) fn read(
    source: &mut Source,
    header: Header,
    DataRequest { values, frames }: DataRequest,
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    let mut sum = CheckSum::default();
    let start = source.offset();
    let (dtype, rank, all, dim) = header.shape();
    let (before, rows) = match frames {
        None => (0, all),
        Some(frames) => frames.of(all).map_err(|e| e.file(source.name()))?,
    };
    let shape = (dtype, rank, rows, dim);
    let content = header.kind.content();
    if content != Content::Compressed {
        pass(source, header, before)?;
    }
    match content {
        Content::Samples => {
            let rate = header.rate().ok_or_else(|| {
                let message = "sound with a period that is no whole number of samples a second";
                source.malformed(message)
            })?;
            let mut samples = Matrix::default();
            source.read_matrix(&mut samples, shape, header.order, limits)?;
            sum.integers(samples.values()?);
            utt.audio = Some(Audio::Samples(Waveform { rate, samples }));
        }
        _ if !values => {
            // The shape is all that is known without the values.
            utt.features_mut()
                .reset(dtype, rank, size(rows), size(dim), limits)?;
            let bytes = header.bytes() - before * header.frame_size();
            source.expect(bytes)?;
            source.skip(bytes)?;
        }
        Content::Floats => {
            source.read_matrix(utt.features_mut(), shape, header.order, limits)?;
            sum.floats(utt.features_mut().values()?);
        }
        Content::Codes => {
            source.read_matrix(utt.features_mut(), shape, header.order, limits)?;
            sum.integers(utt.features_mut().values()?);
        }
        Content::Reflections => {
            let stored = integers(source, header, rows, limits)?;
            sum.integers(stored.values()?);
            decode(&stored, utt.features_mut(), limits, |_, value| {
                f32::from(value) / REFLECTION
            })?;
        }
        Content::Compressed => {
            let mut scales = Matrix::default();
            let shape = (Dtype::F32, Rank::Matrix, 2, dim);
            source.read_matrix(&mut scales, shape, header.order, limits)?;
            pass(source, header, before)?;
            let stored = integers(source, header, rows, limits)?;
            let scales = scales.values::<f32>()?;
            sum.floats(scales);
            sum.integers(stored.values()?);
            let (by, plus) = scales.split_at(stored.cols());
            let undo = |col: usize, code: i16| undone(code, plus[col], by[col]);
            decode(&stored, utt.features_mut(), limits, undo)?;
        }
    }
    header.describe(&mut utt.meta);
    if header.kind.trailer() == 0 || frames.is_some() {
        return Ok(());
    }
    let told = source.read_u16(ByteOrder::Big)?;
    // For little-endian files the range of the checksum is unknown.
    if header.order == ByteOrder::Big
        && (values || content == Content::Samples)
        && told != sum.value()
    {
        let message = format!(
            "the check sum is {told}, that of the data is {}",
            sum.value()
        );
        return Err(Error::malformed(message).file(source.name()).byte(start));
    }
    Ok(())
}

fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Skips `frames` frames.
fn pass(source: &mut Source, header: Header, frames: u64) -> Result<()> {
    match frames * header.frame_size() {
        0 => Ok(()),
        bytes => source.expect(bytes).and_then(|()| source.skip(bytes)),
    }
}

/// Reads `rows` frames of 16-bit integers.
fn integers(source: &mut Source, header: Header, rows: u64, limits: &Limits) -> Result<Matrix> {
    let mut stored = Matrix::default();
    let shape = (Dtype::I16, Rank::Matrix, rows, header.dim());
    source.read_matrix(&mut stored, shape, header.order, limits)?;
    Ok(stored)
}

/// Converts integers to floats with a function of column and value.
fn decode(
    stored: &Matrix,
    features: &mut Matrix,
    limits: &Limits,
    value: impl Fn(usize, i16) -> f32,
) -> Result<()> {
    let (rows, cols) = (stored.rows(), stored.cols());
    features.reset(Dtype::F32, Rank::Matrix, rows, cols, limits)?;
    let rows = stored.values::<i16>()?.chunks_exact(cols.max(1));
    let into = features.values_mut::<f32>()?.chunks_exact_mut(cols.max(1));
    for (row, into) in rows.zip(into) {
        for (col, (from, to)) in row.iter().zip(into).enumerate() {
            *to = value(col, *from);
        }
    }
    Ok(())
}
