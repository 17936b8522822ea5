//! Comparison of objects.

use spr_core::model::{Dtype, Object, Wide};

use super::utterance::{Difference, UtteranceDiff};
use super::values::Tolerance;

impl Tolerance {
    /// Compares objects of one kind: floats with a tolerance, everything else exactly.
    pub(super) fn objects(&self, a: &Object, b: &Object, found: &mut UtteranceDiff) {
        if a == b || a.kind() != b.kind() || matches!(a, Object::Tokens(_)) {
            return;
        }
        let (Some(mine), Some(theirs)) = (ObjectParts::of(a), ObjectParts::of(b)) else {
            let [a, b] = ["one value", "another"].map(|value| format!("{value} of {}", a.kind()));
            found
                .differences
                .push(Difference::Other("object".into(), a, b));
            return;
        };
        found.types |= sparse_type(a) != sparse_type(b);
        if mine.exact != theirs.exact || mine.floats.len() != theirs.floats.len() {
            let [a, b] = [&mine, &theirs].map(|parts| format!("{} items", parts.exact.len()));
            found
                .differences
                .push(Difference::Other("object".into(), a, b));
            return;
        }
        let of = mine.floats.len() as u64;
        let floats = |parts: ObjectParts| parts.floats.into_iter().map(Wide::Float);
        let values = self.compare(floats(mine).zip(floats(theirs)), 1, of);
        let values = values.map(|values| Difference::Values("object".into(), values));
        found.differences.extend(values);
    }
}

/// Returns the element type of an object, if it has one.
fn sparse_type(object: &Object) -> Option<Dtype> {
    match object {
        Object::SparseVector(sparse) | Object::SparseMatrix(sparse) => Some(sparse.dtype),
        _ => None,
    }
}

/// The integers and lengths of an object, and its floats.
#[derive(Default)]
struct ObjectParts {
    exact: Vec<i64>,
    floats: Vec<f64>,
}

impl ObjectParts {
    /// Returns `None` for an opaque object.
    fn of(object: &Object) -> Option<Self> {
        let mut parts = Self::default();
        match object {
            Object::Int(v) => parts.exact.push((*v).into()),
            Object::Bool(v) => parts.exact.push((*v).into()),
            Object::IntLists(lists) => lists.iter().for_each(|list| {
                parts.len(list.len());
                parts.exact.extend(list.iter().map(|v| i64::from(*v)));
            }),
            Object::IntPairs(pairs) => {
                parts
                    .exact
                    .extend(pairs.iter().flatten().map(|v| i64::from(*v)));
            }
            Object::FloatPairs(pairs) => {
                parts
                    .floats
                    .extend(pairs.iter().flatten().map(|v| f64::from(*v)));
            }
            Object::Floats(values) => parts.floats.extend(values.iter().map(|v| f64::from(*v))),
            Object::Posterior(lists) => lists.iter().for_each(|list| {
                parts.len(list.len());
                parts
                    .exact
                    .extend(list.iter().map(|(id, _)| i64::from(*id)));
                parts
                    .floats
                    .extend(list.iter().map(|(_, weight)| f64::from(*weight)));
            }),
            Object::GaussPosterior(posterior) => {
                posterior.ids.iter().for_each(|list| {
                    parts.len(list.len());
                    parts.exact.extend(list.iter().map(|id| i64::from(*id)));
                });
                posterior.vectors.iter().for_each(|list| {
                    parts.len(list.len());
                    parts.floats.extend(list.iter().map(|v| f64::from(*v)));
                });
            }
            Object::Token(bytes) | Object::Opaque { bytes, .. } => parts.bytes(bytes),
            Object::Tokens(words) => words.iter().for_each(|word| parts.bytes(word)),
            Object::SparseVector(sparse) | Object::SparseMatrix(sparse) => {
                parts.exact.push(sparse.dim.into());
                sparse.rows.iter().for_each(|row| {
                    parts.len(row.len());
                    parts
                        .exact
                        .extend(row.iter().map(|(col, _)| i64::from(*col)));
                    parts.floats.extend(row.iter().map(|(_, value)| *value));
                });
            }
            _ => return None,
        }
        Some(parts)
    }

    fn len(&mut self, n: usize) {
        self.exact.push(i64::try_from(n).unwrap_or(i64::MAX));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.exact.extend(bytes.iter().map(|b| i64::from(*b)));
    }
}
