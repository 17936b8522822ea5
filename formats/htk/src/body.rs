//! The data of a parameter file.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Audio, Dtype, Matrix, Rank, Utterance, Waveform};
use spr_core::{Error, Limits, Result};

use crate::check_sum::CheckSum;
use crate::header::Header;
use crate::kind::Content;

/// By what reflection coefficients are divided where they are integers.
const REFLECTION: f32 = 32767.0;

/// Reads the data behind a header into `utt`, which was started, with what the header says. Without
/// `values` features only get their shape.
///
/// # Errors
/// They are not all there, more than `limits` allow, or not those of their check sum.
pub(crate) fn read(
    source: &mut Source,
    header: Header,
    values: bool,
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    utt.labels = None;
    let mut sum = CheckSum::default();
    let start = source.offset();
    let shape = header.shape();
    let content = header.kind.content();
    match content {
        Content::Samples => {
            utt.features = None;
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
            // Nothing else can be told of it without the numbers.
            let features = utt.features_mut();
            features.reset(shape.0, shape.1, rows(shape.2), rows(shape.3), limits)?;
            let bytes = header.bytes();
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
            let stored = integers(source, header, limits)?;
            sum.integers(stored.values()?);
            decode(&stored, utt.features_mut(), limits, |_, value| {
                value / REFLECTION
            })?;
        }
        Content::Compressed => {
            let mut scales = Matrix::default();
            let shape = (Dtype::F32, Rank::Matrix, 2, header.dim());
            source.read_matrix(&mut scales, shape, header.order, limits)?;
            let stored = integers(source, header, limits)?;
            let scales = scales.values::<f32>()?;
            sum.floats(scales);
            sum.integers(stored.values()?);
            let (by, plus) = scales.split_at(stored.cols());
            let undo = |col: usize, value: f32| (value + plus[col]) / by[col];
            decode(&stored, utt.features_mut(), limits, undo)?;
        }
    }
    header.describe(&mut utt.meta);
    if header.kind.trailer() == 0 {
        return Ok(());
    }
    let told = u16::from_be_bytes(source.array()?);
    // In the other order it is not known over what it goes.
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

fn rows(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The 16-bit numbers of all frames.
fn integers(source: &mut Source, header: Header, limits: &Limits) -> Result<Matrix> {
    let mut stored = Matrix::default();
    let shape = (Dtype::I16, Rank::Matrix, header.rows(), header.dim());
    source.read_matrix(&mut stored, shape, header.order, limits)?;
    Ok(stored)
}

/// Floats of integers, by a function of column and value.
fn decode(
    stored: &Matrix,
    features: &mut Matrix,
    limits: &Limits,
    value: impl Fn(usize, f32) -> f32,
) -> Result<()> {
    let (rows, cols) = (stored.rows(), stored.cols());
    features.reset(Dtype::F32, Rank::Matrix, rows, cols, limits)?;
    let rows = stored.values::<i16>()?.chunks_exact(cols.max(1));
    let into = features.values_mut::<f32>()?.chunks_exact_mut(cols.max(1));
    for (row, into) in rows.zip(into) {
        for (col, (from, to)) in row.iter().zip(into).enumerate() {
            *to = value(col, f32::from(*from));
        }
    }
    Ok(())
}
