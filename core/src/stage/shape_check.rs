//! Utterances that are as declared.

use crate::format::Reader;
use crate::model::{DatasetInfo, Dtype, Matrix, Utterance};
use crate::{Error, Result};

/// What utterances have in common; `None` where they may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Feature columns; 0 without features.
    pub dim: Option<usize>,
    /// The element type of the features.
    pub dtype: Option<Dtype>,
    /// Label columns; 0 without labels.
    pub label_columns: Option<usize>,
}

impl Shape {
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
    shape: Option<Shape>,
    info: DatasetInfo,
}

impl ShapeCheck {
    /// The utterances of `inner`, of the shape that is declared, or with `None` of the shape of the
    /// first.
    pub fn new(inner: Box<dyn Reader>, shape: Option<Shape>) -> Self {
        let mut stage = Self {
            inner,
            shape,
            info: DatasetInfo::default(),
        };
        stage.describe();
        stage
    }

    fn describe(&mut self) {
        self.info.clone_from(self.inner.info());
        let Some(shape) = self.shape else { return };
        let known = |n: Option<usize>| n.map(|n| n as u64).filter(|n| *n > 0);
        self.info.dim = known(shape.dim).or(self.info.dim);
        self.info.dtype = shape.dtype.or(self.info.dtype);
        self.info.label_columns = known(shape.label_columns).or(self.info.label_columns);
    }
}

fn check(shape: &Shape, own: &Shape) -> Result<()> {
    let columns = |what: &str, due: Option<usize>, own: Option<usize>| match (due, own) {
        (Some(due), Some(own)) if due != own => Err(Error::unfit(format!(
            "has {own} {what} columns, {due} are due"
        ))),
        _ => Ok(()),
    };
    columns("feature", shape.dim, own.dim)?;
    columns("label", shape.label_columns, own.label_columns)?;
    match (shape.dtype, own.dtype) {
        (Some(due), Some(own)) if due != own => {
            Err(Error::unfit(format!("has features of {own}, {due} is due")))
        }
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
            let own = Shape::of(utt);
            check(self.shape.get_or_insert(own), &own)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        self.describe();
        Ok(more)
    }
}
