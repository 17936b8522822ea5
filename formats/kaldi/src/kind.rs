//! The kinds of objects, and their names in options.

use spr_core::model::{Dtype, Rank, Utterance};

/// The precision of floats in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Single,
    Double,
}

impl Precision {
    /// Returns the precision for an element type, if a table may have such floats.
    pub(crate) fn of(dtype: Dtype) -> Option<Self> {
        match dtype {
            Dtype::F32 => Some(Self::Single),
            Dtype::F64 => Some(Self::Double),
            Dtype::I8
            | Dtype::I16
            | Dtype::I32
            | Dtype::I64
            | Dtype::U8
            | Dtype::U16
            | Dtype::U32
            | Dtype::U64
            | Dtype::F16
            | Dtype::Bf16
            | Dtype::Bool => None,
        }
    }

    /// Returns the element type.
    pub(crate) fn dtype(self) -> Dtype {
        match self {
            Self::Single => Dtype::F32,
            Self::Double => Dtype::F64,
        }
    }
}

/// The kind of an object, independent of its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Matrix,
    Vector,
    /// A symmetric matrix, stored as its lower triangle.
    Symmetric,
    /// The same with zeros above the diagonal.
    Triangular,
    /// A vector of int32: labels.
    Ints,
    Int,
    /// A number, which is zero-dimensional features.
    Float(Precision),
    Bool,
    Lists,
    IntPairs,
    FloatPairs,
    Floats,
    Posterior,
    Gauss,
    Token,
    Tokens,
    SparseVector,
    SparseMatrix,
    Wave,
    Htk,
    Sphinx,
    Opaque(&'static str),
}

impl ObjectKind {
    /// Returns the name in messages and in `holder=NAME`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Matrix => "float-matrix",
            Self::Vector => "float-vector",
            Self::Symmetric => "symmetric-matrix",
            Self::Triangular => "triangular-matrix",
            Self::Ints => "int32-vector",
            Self::Int => "int32",
            Self::Float(Precision::Double) => "double",
            Self::Float(Precision::Single) => "float",
            Self::Bool => "bool",
            Self::Lists => "int32-vector-vector",
            Self::IntPairs => "int32-pair-vector",
            Self::FloatPairs => "float-pair-vector",
            Self::Floats => "basic-float-vector",
            Self::Posterior => "posterior",
            Self::Gauss => "gauss-posterior",
            Self::Token => "token",
            Self::Tokens => "token-vector",
            Self::SparseVector => "sparse-vector",
            Self::SparseMatrix => "sparse-matrix",
            Self::Wave => "wave",
            Self::Htk => "htk",
            Self::Sphinx => "sphinx",
            Self::Opaque(kind) => kind,
        }
    }

    /// Returns the name of the group that all entries of a table share.
    pub(crate) fn group(self) -> &'static str {
        match self {
            Self::Matrix
            | Self::Vector
            | Self::Symmetric
            | Self::Triangular
            | Self::SparseMatrix
            | Self::Htk
            | Self::Sphinx => "features",
            Self::Ints => "labels",
            Self::Float(_) => "numbers",
            Self::Wave => "audio",
            Self::Token | Self::Tokens => "tokens",
            other => other.name(),
        }
    }

    /// Returns `true` if its binary form consists of tagged 32-bit numbers.
    pub(crate) fn is_run(self) -> bool {
        matches!(
            self,
            Self::Ints
                | Self::Int
                | Self::Float(Precision::Single)
                | Self::Lists
                | Self::IntPairs
                | Self::FloatPairs
                | Self::Floats
                | Self::Posterior
                | Self::Gauss
                | Self::Opaque("int8-vector")
        )
    }
}

/// Formats the name with its article.
impl std::fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let article = match self.name().starts_with('i') {
            true => "an",
            false => "a",
        };
        write!(f, "{article} {}", self.name())
    }
}

/// Returns the group for an utterance being written.
pub(crate) fn group_of(utt: &Utterance) -> &str {
    if let Some(features) = &utt.features {
        return match features.rank() {
            Rank::Scalar => "numbers",
            Rank::Matrix | Rank::Vector => "features",
        };
    }
    match utt.other() {
        Some("sparse-matrix") => "features",
        Some("token" | "token-vector") => "tokens",
        Some(other) => other,
        None => "labels",
    }
}

/// The names for `holder`, with the precision of each in text.
pub(crate) const HOLDERS: &[(&str, (ObjectKind, Precision))] = &[
    ("float-matrix", (ObjectKind::Matrix, Precision::Single)),
    ("double-matrix", (ObjectKind::Matrix, Precision::Double)),
    ("compressed-matrix", (ObjectKind::Matrix, Precision::Single)),
    ("float-vector", (ObjectKind::Vector, Precision::Single)),
    ("double-vector", (ObjectKind::Vector, Precision::Double)),
    (
        "symmetric-matrix",
        (ObjectKind::Symmetric, Precision::Single),
    ),
    (
        "triangular-matrix",
        (ObjectKind::Triangular, Precision::Single),
    ),
    ("int32-vector", (ObjectKind::Ints, Precision::Single)),
    ("int32", (ObjectKind::Int, Precision::Single)),
    (
        "float",
        (ObjectKind::Float(Precision::Single), Precision::Single),
    ),
    (
        "double",
        (ObjectKind::Float(Precision::Double), Precision::Double),
    ),
    ("bool", (ObjectKind::Bool, Precision::Single)),
    (
        "int32-vector-vector",
        (ObjectKind::Lists, Precision::Single),
    ),
    (
        "int32-pair-vector",
        (ObjectKind::IntPairs, Precision::Single),
    ),
    (
        "float-pair-vector",
        (ObjectKind::FloatPairs, Precision::Single),
    ),
    (
        "basic-float-vector",
        (ObjectKind::Floats, Precision::Single),
    ),
    ("posterior", (ObjectKind::Posterior, Precision::Single)),
    ("gauss-posterior", (ObjectKind::Gauss, Precision::Single)),
    ("token", (ObjectKind::Token, Precision::Single)),
    ("token-vector", (ObjectKind::Tokens, Precision::Single)),
    (
        "sparse-vector",
        (ObjectKind::SparseVector, Precision::Single),
    ),
    (
        "sparse-matrix",
        (ObjectKind::SparseMatrix, Precision::Single),
    ),
    ("wave", (ObjectKind::Wave, Precision::Single)),
    ("htk", (ObjectKind::Htk, Precision::Single)),
    ("sphinx", (ObjectKind::Sphinx, Precision::Single)),
    ("int8", (ObjectKind::Opaque("int8"), Precision::Single)),
    ("int16", (ObjectKind::Opaque("int16"), Precision::Single)),
    ("int64", (ObjectKind::Opaque("int64"), Precision::Single)),
    ("uint8", (ObjectKind::Opaque("uint8"), Precision::Single)),
    ("uint16", (ObjectKind::Opaque("uint16"), Precision::Single)),
    ("uint32", (ObjectKind::Opaque("uint32"), Precision::Single)),
    ("uint64", (ObjectKind::Opaque("uint64"), Precision::Single)),
    (
        "int8-vector",
        (ObjectKind::Opaque("int8-vector"), Precision::Single),
    ),
    ("fst", (ObjectKind::Opaque("fst"), Precision::Single)),
];
