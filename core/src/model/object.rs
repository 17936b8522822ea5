//! Objects: data that are neither features nor frame labels nor audio.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Dtype;
use crate::error::{Error, Result};

/// An object of another kind, such as those in Kaldi's tables.
///
/// Two are equal if their values are; NaN equals nothing.
///
/// ```
/// use spr_core::model::{Lists, Object};
/// let mut words = Lists::default();
/// words.add(b"hello");
/// words.add(b"world");
/// let text = Object::Tokens(words);
/// assert_eq!(text.kind(), "token-vector");
/// assert_eq!(Object::Int(3).kind(), "int32");
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Object {
    /// An integer.
    Int(i32),
    /// A boolean.
    Bool(bool),
    /// Lists of integers, such as the Gaussians selected for each frame.
    IntLists(Lists<i32>),
    /// Pairs of integers.
    IntPairs(Vec<[i32; 2]>),
    /// Pairs of floats.
    FloatPairs(Vec<[f32; 2]>),
    /// Floats stored one by one, not as a vector of features.
    Floats(Vec<f32>),
    /// For each frame, weighted indices of states or the like.
    Posterior(Lists<(i32, f32)>),
    /// For each frame, indices of states, each with the weights of its Gaussians.
    GaussPosterior(GaussPosterior),
    /// A word.
    Token(Vec<u8>),
    /// Words: a transcript.
    Tokens(Lists<u8>),
    /// A sparse vector: a [`Sparse`] of one row.
    SparseVector(Sparse),
    /// A sparse matrix.
    SparseMatrix(Sparse),
    /// Data that only their own format understands.
    Opaque {
        /// The name in its format.
        kind: Cow<'static, str>,
        /// All bytes as stored.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
}

impl Object {
    /// The names of the kinds with known values, in the order of the variants.
    pub const KINDS: &'static [&'static str] = &[
        "int32",
        "bool",
        "int32-vector-vector",
        "int32-pair-vector",
        "float-pair-vector",
        "basic-float-vector",
        "posterior",
        "gauss-posterior",
        "token",
        "token-vector",
        "sparse-vector",
        "sparse-matrix",
    ];

    /// Returns the name of the kind.
    pub fn kind(&self) -> &str {
        match self {
            Self::Int(_) => "int32",
            Self::Bool(_) => "bool",
            Self::IntLists(_) => "int32-vector-vector",
            Self::IntPairs(_) => "int32-pair-vector",
            Self::FloatPairs(_) => "float-pair-vector",
            Self::Floats(_) => "basic-float-vector",
            Self::Posterior(_) => "posterior",
            Self::GaussPosterior(_) => "gauss-posterior",
            Self::Token(_) => "token",
            Self::Tokens(_) => "token-vector",
            Self::SparseVector(_) => "sparse-vector",
            Self::SparseMatrix(_) => "sparse-matrix",
            Self::Opaque { kind, .. } => kind,
        }
    }

    /// Creates an object that only its own format understands.
    pub fn opaque(kind: impl Into<Cow<'static, str>>, bytes: Vec<u8>) -> Self {
        Self::Opaque {
            kind: kind.into(),
            bytes,
        }
    }

    /// Returns the size of its values in memory, in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Int(_) | Self::Bool(_) => 0,
            Self::IntLists(lists) => lists.bytes(),
            Self::IntPairs(pairs) => size_of_val(&pairs[..]) as u64,
            Self::FloatPairs(pairs) => size_of_val(&pairs[..]) as u64,
            Self::Floats(values) => size_of_val(&values[..]) as u64,
            Self::Posterior(lists) => lists.bytes(),
            Self::GaussPosterior(posterior) => posterior.ids.bytes() + posterior.vectors.bytes(),
            Self::Token(bytes) | Self::Opaque { bytes, .. } => bytes.len() as u64,
            Self::Tokens(words) => words.bytes(),
            Self::SparseVector(sparse) | Self::SparseMatrix(sparse) => sparse.rows.bytes(),
        }
    }

    /// Returns the number of frames, if the object has an entry for each.
    pub fn frames(&self) -> u64 {
        match self {
            Self::IntLists(lists) => lists.len() as u64,
            Self::Posterior(lists) => lists.len() as u64,
            Self::GaussPosterior(posterior) => posterior.ids.len() as u64,
            Self::Int(_)
            | Self::Bool(_)
            | Self::IntPairs(_)
            | Self::FloatPairs(_)
            | Self::Floats(_)
            | Self::Token(_)
            | Self::Tokens(_)
            | Self::SparseVector(_)
            | Self::SparseMatrix(_)
            | Self::Opaque { .. } => 0,
        }
    }
}

/// A sequence of lists in one allocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Parts<T>")]
pub struct Lists<T> {
    items: Vec<T>,
    /// The end of each list among the items.
    ends: Vec<usize>,
}

/// Lists as stored, which may be damaged.
#[derive(Deserialize)]
struct Parts<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> TryFrom<Parts<T>> for Lists<T> {
    type Error = &'static str;

    fn try_from(parts: Parts<T>) -> Result<Self, &'static str> {
        let Parts { items, ends } = parts;
        let inside = ends.last().is_none_or(|end| *end <= items.len());
        match inside && ends.is_sorted() {
            true => Ok(Self { items, ends }),
            false => Err("lists that end outside their items"),
        }
    }
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T> Lists<T> {
    /// Adds an item to the list that the next [`end`](Self::end) completes.
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Completes a list.
    pub fn end(&mut self) {
        self.ends.push(self.items.len());
    }

    /// Returns the number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the memory of the lists in bytes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&self.items[..]) + size_of_val(&self.ends[..])) as u64
    }

    /// Returns `true` if there are no lists.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the items of all lists.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Iterates over the lists.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let list = &self.items[start..*end];
            start = *end;
            list
        })
    }
}

impl<T: Clone> Lists<T> {
    /// Adds a list.
    pub fn add(&mut self, list: &[T]) {
        self.items.extend_from_slice(list);
        self.end();
    }
}

impl<T: Clone, L: AsRef<[T]>> FromIterator<L> for Lists<T> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut all = Self::default();
        for list in lists {
            all.add(list.as_ref());
        }
        all
    }
}

/// For each frame, indices of states, each with a vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GaussPosterior {
    /// The indices, one list per frame.
    pub ids: Lists<i32>,
    /// A vector for each index, in the order of [`ids`](Self::ids).
    pub vectors: Lists<f32>,
}

impl GaussPosterior {
    /// Returns the vectors, one for each index.
    ///
    /// # Errors
    /// The numbers differ.
    pub fn paired(&self) -> Result<impl Iterator<Item = &[f32]>> {
        let (numbers, vectors) = (self.ids.items().len(), self.vectors.len());
        match numbers == vectors {
            true => Ok(self.vectors.iter()),
            false => Err(Error::unfit(format!(
                "has {numbers} numbers of Gaussians, but {vectors} vectors"
            ))),
        }
    }
}

/// Rows of which only nonzero values are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sparse {
    /// The type of the values: `f32`, whose values are exact as `f64`, or `f64`.
    pub dtype: Dtype,
    /// The number of columns.
    pub dim: u32,
    /// For each row, columns counted from 0 with their values.
    pub rows: Lists<(u32, f64)>,
}

impl Sparse {
    /// Returns the only row of a vector.
    ///
    /// # Errors
    /// There is not exactly one row.
    pub fn row(&self) -> Result<&[(u32, f64)]> {
        let mut rows = self.rows.iter();
        match (rows.next(), rows.next()) {
            (Some(row), None) => Ok(row),
            _ => Err(Error::unfit(format!(
                "has a sparse vector of {} rows",
                self.rows.len()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn lists_come_back() {
        let lists: Lists<i32> = [&[1, 2][..], &[], &[3]].into_iter().collect();
        let back: Vec<_> = lists.iter().collect();
        assert_eq!(back, [&[1, 2][..], &[], &[3]]);
        assert_eq!((lists.len(), lists.items().len()), (3, 3));
        assert!(Lists::<u8>::default().iter().next().is_none());
    }

    #[test]
    fn damaged_lists_are_refused() {
        let stored = |ends: Vec<usize>| postcard::to_allocvec(&(vec![1, 2, 3], ends)).unwrap();
        let read = |bytes: &[u8]| postcard::from_bytes::<Lists<i32>>(bytes).ok();
        let lists = [&[1, 2][..], &[3]].into_iter().collect();
        assert_eq!(read(&stored(vec![2, 3])), Some(lists));
        for ends in [vec![2, 4], vec![2, 1], vec![9, 3]] {
            assert_eq!(read(&stored(ends)), None);
        }
    }

    #[test]
    fn what_does_not_go_together_is_an_error() {
        let mut posterior = GaussPosterior::default();
        posterior.ids.add(&[7, 8]);
        posterior.vectors.add(&[0.5]);
        let error = posterior.paired().err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Unfit);
        let mut sparse = Sparse {
            dtype: Dtype::F32,
            dim: 3,
            rows: Lists::default(),
        };
        assert!(sparse.row().is_err());
        sparse.rows.add(&[(0, 1.0)]);
        assert_eq!(sparse.row().unwrap(), [(0, 1.0)]);
        sparse.rows.end();
        assert!(sparse.row().is_err());
    }

    #[test]
    fn opaque_objects_say_their_kind() {
        let object = Object::opaque("fst", Vec::new());
        assert_eq!(object.kind(), "fst");
    }
}
