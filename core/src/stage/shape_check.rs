//! Utterances that are as declared.

use crate::format::Reader;
use crate::model::{DatasetInfo, Dtype, Matrix, Utterance};
use crate::{Error, Result};

/// What utterances have in common; `None` where they may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UtteranceShape {
    /// Feature columns; 0 without features.
    pub dim: Option<usize>,
    /// The element type of the features.
    pub dtype: Option<Dtype>,
    /// Label columns; 0 without labels.
    pub label_columns: Option<usize>,
}

impl UtteranceShape {
    /// All of an utterance's own.
    pub fn of(utt: &Utterance) -> Self {
        let cols = |m: &Option<Matrix>| Some(m.as_ref().map_or(0, Matrix::cols));
        Self {
            dim: cols(&utt.features),
            dtype: utt.features.as_ref().map(Matrix::dtype),
            label_columns: cols(&utt.labels),
        }
    }
}

/// Passes utterances on that have a shape and refuses the others.
pub struct ShapeCheck {
    inner: Box<dyn Reader>,
    shape: Option<UtteranceShape>,
    info: DatasetInfo,
}

impl ShapeCheck {
    /// The utterances of `inner`, of the shape that is declared, or with `None` of the shape of the
    /// first.
    pub fn new(inner: Box<dyn Reader>, shape: Option<UtteranceShape>) -> Self {
        let mut info = inner.info().clone();
        if let Some(shape) = shape {
            let known = |n: Option<usize>| n.map(|n| n as u64).filter(|n| *n > 0);
            info.dim = known(shape.dim).or(info.dim);
            info.dtype = shape.dtype.or(info.dtype);
            info.label_columns = known(shape.label_columns).or(info.label_columns);
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
    match (shape.dtype, own.dtype) {
        (Some(wanted), Some(own)) if wanted != own => Err(Error::unfit(format!(
            "has features of {own}, expected {wanted}"
        ))),
        _ => Ok(()),
    }
}

impl Reader for ShapeCheck {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has another shape; the next can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            let own = UtteranceShape::of(utt);
            check(self.shape.get_or_insert(own), &own)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        Ok(more)
    }
}
