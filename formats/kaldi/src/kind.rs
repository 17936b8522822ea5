//! The kinds of objects, and the names by which users ask for them.

use spr_core::model::{Dtype, Rank, Utterance};

/// What an object is, however it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Matrix,
    Vector,
    /// A square of which the lower triangle is stored.
    Symmetric,
    /// The same with zeros above the diagonal.
    Triangular,
    /// A vector of int32: labels.
    Ints,
    Int,
    /// A number: features of no dimension.
    Float(Dtype),
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

impl Kind {
    /// The name in messages and in `holder=NAME`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Matrix => "float-matrix",
            Self::Vector => "float-vector",
            Self::Symmetric => "symmetric-matrix",
            Self::Triangular => "triangular-matrix",
            Self::Ints => "int32-vector",
            Self::Int => "int32",
            Self::Float(Dtype::F64) => "double",
            Self::Float(_) => "float",
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

    /// What all entries of a table have in common.
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

    /// Whether its binary form is a run of tagged 32-bit numbers.
    pub(crate) fn is_run(self) -> bool {
        matches!(
            self,
            Self::Ints
                | Self::Int
                | Self::Float(Dtype::F32)
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

/// The name with its article.
impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let article = match self.name().starts_with('i') {
            true => "an",
            false => "a",
        };
        write!(f, "{article} {}", self.name())
    }
}

/// What all entries of a table have in common, told from an utterance to write.
pub(crate) fn group_of(utt: &Utterance) -> &'static str {
    if let Some(features) = &utt.features {
        return match features.rank() {
            Rank::Scalar => "numbers",
            _ => "features",
        };
    }
    match utt.other() {
        Some("sparse-matrix") => "features",
        Some("token" | "token-vector") => "tokens",
        Some(other) => other,
        None => "labels",
    }
}

/// The names that `holder` takes, with the element type that each has in text.
pub(crate) const HOLDERS: &[(&str, (Kind, Dtype))] = &[
    ("float-matrix", (Kind::Matrix, Dtype::F32)),
    ("double-matrix", (Kind::Matrix, Dtype::F64)),
    ("compressed-matrix", (Kind::Matrix, Dtype::F32)),
    ("float-vector", (Kind::Vector, Dtype::F32)),
    ("double-vector", (Kind::Vector, Dtype::F64)),
    ("symmetric-matrix", (Kind::Symmetric, Dtype::F32)),
    ("triangular-matrix", (Kind::Triangular, Dtype::F32)),
    ("int32-vector", (Kind::Ints, Dtype::F32)),
    ("int32", (Kind::Int, Dtype::F32)),
    ("float", (Kind::Float(Dtype::F32), Dtype::F32)),
    ("double", (Kind::Float(Dtype::F64), Dtype::F64)),
    ("bool", (Kind::Bool, Dtype::F32)),
    ("int32-vector-vector", (Kind::Lists, Dtype::F32)),
    ("int32-pair-vector", (Kind::IntPairs, Dtype::F32)),
    ("float-pair-vector", (Kind::FloatPairs, Dtype::F32)),
    ("basic-float-vector", (Kind::Floats, Dtype::F32)),
    ("posterior", (Kind::Posterior, Dtype::F32)),
    ("gauss-posterior", (Kind::Gauss, Dtype::F32)),
    ("token", (Kind::Token, Dtype::F32)),
    ("token-vector", (Kind::Tokens, Dtype::F32)),
    ("sparse-vector", (Kind::SparseVector, Dtype::F32)),
    ("sparse-matrix", (Kind::SparseMatrix, Dtype::F32)),
    ("wave", (Kind::Wave, Dtype::F32)),
    ("htk", (Kind::Htk, Dtype::F32)),
    ("sphinx", (Kind::Sphinx, Dtype::F32)),
    ("int8-vector", (Kind::Opaque("int8-vector"), Dtype::F32)),
    ("fst", (Kind::Opaque("fst"), Dtype::F32)),
];
