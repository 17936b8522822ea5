//! Streams of lilcom as objects.

use spr_core::bytes::{Env, Source};
use spr_core::format::{ArrayCaps, Caps, Claim, Count, FeatureCaps, Keys, Nested, ObjectBounds};
use spr_core::model::{Array, CastStats, Dtype, Matrix, NamedArray, Rank, Utterance};
use spr_core::{Error, Limits, Result};
use spr_syntax::lilcom::{Decoder, Encoder, Header};

/// The name of an array with more than two axes.
const ARRAY: &str = "array";
/// The largest size of an axis.
const MOST: u64 = i32::MAX as u64;

/// Returns the capabilities of a file whose name is stored as `keys`.
pub(crate) const fn caps(keys: Keys) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.vectors = true;
    features.max_cols = MOST;
    let mut arrays = ArrayCaps::new(&[Dtype::F32]);
    (arrays.min_rank, arrays.max_count, arrays.name) = (3, 1, Some(ARRAY));
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.arrays = Some(arrays);
    caps.max_rows = MOST;
    caps.rounded = true;
    caps
}

/// Reads the stream at the position of `source` into `utt`, which was started. Without `values`
/// only the shape of features is set, and the stream is passed over to the end of the source.
///
/// # Errors
/// The stream is damaged, or exceeds `limits`.
pub(crate) fn read(
    source: &mut Source,
    values: bool,
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    let decoder = Decoder::open(source)?;
    let shape = decoder.header().shape.clone();
    if let ([rows, rest @ ..], true) = (&*shape, shape.len() <= 2 && !values) {
        let (rank, cols) = match rest {
            [cols] => (Rank::Matrix, *cols),
            _ => (Rank::Vector, 1),
        };
        let features = utt.features_mut();
        limits.matrix_bytes(Dtype::F32, *rows, cols)?;
        features.reset(Dtype::F32, rank, to_usize(*rows), to_usize(cols), limits)?;
        return Ok(());
    }
    if shape.len() <= 2 {
        return decoder.read(utt.features_mut(), limits);
    }
    let mut all = Matrix::default();
    decoder.read(&mut all, limits)?;
    let shape: Vec<_> = shape.into_iter().map(to_usize).collect();
    utt.features = None;
    utt.arrays.push(NamedArray {
        name: ARRAY.to_owned(),
        array: Array::of(all, &shape)?,
    });
    Ok(())
}

/// Converts a size that was checked against the limits, which are sizes in memory.
fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Returns the stream of an utterance, and the loss by rounding.
///
/// # Errors
/// It holds anything but one array of finite values.
pub(crate) fn encode(utt: &Utterance, encoder: &Encoder) -> Result<(Vec<u8>, CastStats)> {
    match (&utt.features, utt.arrays.as_slice()) {
        (Some(features), []) => {
            let shape = [features.rows(), features.cols()];
            let rank = if features.rank() == Rank::Matrix {
                2
            } else {
                1
            };
            encoder.encode(features.values()?, &shape[..rank])
        }
        (None, [only]) => encoder.encode(only.array.values().values()?, only.array.shape()),
        _ => Err(Error::unfit("has an array beside features, ").the_format(" holds one")),
    }
}

/// Fails unless the file ends after the values.
///
/// # Errors
/// There are more bytes.
pub(crate) fn end(source: &mut Source) -> Result<()> {
    match (source.at_end()?, source.remaining()) {
        (true, _) => Ok(()),
        (_, Some(n)) => Err(source.malformed(format!("{n} bytes after the last value"))),
        (_, None) => Err(source.malformed("the file goes on after the last value")),
    }
}

/// A stream inside a container.
pub(crate) struct NestedLilcom;

impl Nested for NestedLilcom {
    fn claim(&self, head: &[u8]) -> Claim {
        match Header::of(head) {
            Some(_) => Claim::Magic,
            None => Claim::No,
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        read(source, true, utt, &env.limits)?;
        match extent {
            ObjectBounds::Whole => end(source),
            ObjectBounds::Own => Ok(()),
        }
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        caps(Keys::Any).check(utt)?;
        let (bytes, _) = encode(utt, &Encoder::default())?;
        put(&bytes)
    }
}
