//! Checks of the shape of utterances.

use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Audio, DatasetInfo, Dtype, Matrix, Rank, Utterance};

/// The common shape of utterances; `None` for properties that may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UtteranceShape {
    /// The number of feature columns; 0 without features.
    pub dim: Option<usize>,
    /// The element type of the features.
    pub dtype: Option<Dtype>,
    /// The rank of the features: matrix, vector or scalar.
    pub rank: Option<Rank>,
    /// The smallest and the largest number of frames.
    pub frames: Option<(u64, u64)>,
    /// The number of label columns; 0 without labels.
    pub label_columns: Option<usize>,
    /// The sampling rate in Hz; 0 without audio.
    pub rate: Option<u32>,
    /// The number of audio channels; 0 without audio.
    pub channels: Option<u32>,
}

impl UtteranceShape {
    /// Returns the shape of an utterance, as far as known: of audio that is not loaded, from its
    /// header.
    pub fn of(utt: &Utterance) -> Self {
        let cols = |m: &Option<Matrix>| Some(m.as_ref().map_or(0, Matrix::cols));
        let sound = utt.audio.as_ref().map(Audio::facts);
        Self {
            dim: cols(&utt.features),
            dtype: utt.features.as_ref().map(Matrix::dtype),
            rank: utt.features.as_ref().map(Matrix::rank),
            frames: Some((utt.frames(), utt.frames())),
            label_columns: cols(&utt.labels),
            rate: sound.map_or(Some(0), |sound| sound.rate()),
            channels: sound.map_or(Some(0), |sound| sound.channels()),
        }
    }
}

/// Passes on utterances of a given shape and rejects others.
///
/// ```
/// # use spr_core::format::Reader;
/// # use spr_core::model::{DatasetInfo, Matrix};
/// use spr_core::model::{Rank, Utterance};
/// use spr_core::stage::{ShapeCheck, UtteranceShape};
/// # struct Narrower(u64, DatasetInfo);
/// # impl Reader for Narrower {
/// #     fn info(&self) -> &DatasetInfo { &self.1 }
/// #     fn read(&mut self, utt: &mut Utterance) -> spr_core::Result<bool> {
/// #         let cols = [40, 39][self.0 as usize];
/// #         utt.features = Some(Matrix::from_rows(&vec![1f32; 2 * cols], cols, Rank::Matrix)?);
/// #         self.0 += 1;
/// #         Ok(true)
/// #     }
/// # }
/// # let reader = Box::new(Narrower(0, DatasetInfo::default()));
/// let shape = UtteranceShape {
///     dim: Some(40),
///     rank: Some(Rank::Matrix),
///     frames: Some((1, 3000)),
///     ..UtteranceShape::default()
/// };
/// let mut reader = ShapeCheck::new(reader, Some(shape));
/// let mut utt = Utterance::default();
/// assert!(reader.read(&mut utt)?);
/// let error = reader.read(&mut utt).unwrap_err();
/// assert!(error.to_string().contains("has 39 feature columns, expected 40"));
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct ShapeCheck {
    inner: Box<dyn Reader>,
    shape: Option<UtteranceShape>,
    info: DatasetInfo,
}

impl ShapeCheck {
    /// Checks the utterances of `inner` against the declared shape, or with `None` against the
    /// shape of the first one without the number of frames.
    pub fn new(inner: Box<dyn Reader>, shape: Option<UtteranceShape>) -> Self {
        let mut info = inner.info().clone();
        if let Some(shape) = shape {
            let known = |n: Option<usize>| n.map(|n| n as u64).filter(|n| *n > 0);
            info.dim = known(shape.dim).or(info.dim);
            info.dtype = shape.dtype.or(info.dtype);
            info.label_columns = known(shape.label_columns).or(info.label_columns);
            info.sample_rate = shape.rate.filter(|rate| *rate > 0).or(info.sample_rate);
        }
        Self { inner, shape, info }
    }
}

fn check(shape: &UtteranceShape, own: &UtteranceShape) -> Result<()> {
    let columns = |what: &str, wanted: Option<usize>, own: Option<usize>| match (wanted, own) {
        (Some(wanted), Some(own)) if wanted != own => Err(Error::unfit(format!(
            "has {own} {what} columns, expected {wanted}"
        ))),
        _ => Ok(()),
    };
    columns("feature", shape.dim, own.dim)?;
    columns("label", shape.label_columns, own.label_columns)?;
    features(shape.dtype, own.dtype, Dtype::to_string)?;
    features(shape.rank, own.rank, |rank| match rank {
        Rank::Scalar => "one number".to_owned(),
        Rank::Vector => "one dimension".to_owned(),
        Rank::Matrix => "two dimensions".to_owned(),
    })?;
    if let (Some((least, most)), Some((n, _))) = (shape.frames, own.frames)
        && !(least..=most).contains(&n)
    {
        let expected = match (least == most, most) {
            (true, _) => least.to_string(),
            (false, u64::MAX) => format!("{least} or more"),
            (false, _) => format!("{least} to {most}"),
        };
        return Err(Error::unfit(format!("has {n} frames, expected {expected}")));
    }
    let rate = |n| format!("{n} samples a second");
    sound(shape.rate, own.rate, rate, "an unknown rate")?;
    let channels = |n| match n {
        1 => "1 channel".to_owned(),
        n => format!("{n} channels"),
    };
    let unknown = "an unknown number of channels";
    sound(shape.channels, own.channels, channels, unknown)
}

fn features<T: PartialEq>(
    wanted: Option<T>,
    own: Option<T>,
    name: impl Fn(&T) -> String,
) -> Result<()> {
    match (wanted, own) {
        (Some(wanted), Some(own)) if wanted != own => Err(Error::unfit(format!(
            "has features of {}, expected {}",
            name(&own),
            name(&wanted)
        ))),
        _ => Ok(()),
    }
}

fn sound(
    wanted: Option<u32>,
    own: Option<u32>,
    name: impl Fn(u32) -> String,
    unknown: &str,
) -> Result<()> {
    let Some(wanted) = wanted.filter(|_| wanted != own) else {
        return Ok(());
    };
    let found = match own {
        None => format!("sound of {unknown}"),
        Some(0) => "no sound".to_owned(),
        Some(n) => format!("sound of {}", name(n)),
    };
    let expected = match wanted {
        0 => "none".to_owned(),
        n => name(n),
    };
    Err(Error::unfit(format!("has {found}, expected {expected}")))
}

#[warn(clippy::missing_trait_methods)]
impl Reader for ShapeCheck {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has another shape; the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            let own = UtteranceShape::of(utt);
            let first = UtteranceShape {
                frames: None,
                ..own
            };
            check(self.shape.get_or_insert(first), &own)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        Ok(more)
    }
}
