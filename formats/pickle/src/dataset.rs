//! Which arrays of a pickle make up the data set.

use spr_core::{Error, Result};

use crate::array::Array;
use crate::machine::{Heap, Node, Value};

/// The features of all utterances joined, and their labels if there are any.
pub(crate) struct Dataset {
    pub(crate) features: Array,
    pub(crate) labels: Option<Array>,
}

impl Dataset {
    /// The data set that a pickle's value is: an array of features, or a tuple or list of an
    /// array of features and an array of labels or None.
    ///
    /// # Errors
    /// The value is something else; the error says what.
    pub(crate) fn find(heap: &Heap, top: Value) -> Result<Self> {
        let is_array = |value: &Value| match heap.node(*value) {
            Some(Node::Array(Some(array))) => heap.tuple(array.shape) != Some(&[]),
            _ => false,
        };
        let (features, labels) = match heap.node(top) {
            Some(Node::Array(_)) if is_array(&top) => (top, Value::None),
            Some(Node::Tuple(pair) | Node::List(pair)) => match pair.as_slice() {
                [features, labels]
                    if is_array(features) && (is_array(labels) || *labels == Value::None) =>
                {
                    (*features, *labels)
                }
                _ => return Err(something_else(heap, top)),
            },
            _ => return Err(something_else(heap, top)),
        };
        let features = Array::find(heap, features, "features")?;
        let labels = match labels {
            Value::None => None,
            labels => Some(Array::find(heap, labels, "labels")?),
        };
        match &labels {
            Some(labels) if labels.rows != features.rows => Err(Error::malformed(format!(
                "{} frames of features, but labels for {}",
                features.rows, labels.rows
            ))),
            _ => Ok(Self { features, labels }),
        }
    }
}

fn something_else(heap: &Heap, top: Value) -> Error {
    Error::unsupported(format!(
        "holds {}; a (features, labels) pair of arrays or one array is read",
        heap.describe(top)
    ))
}
