//! Values as bytes: numbers little-endian, lists behind their length.

use crate::model::{
    Audio, Decimal, Dtype, GaussPosterior, Lists, Matrix, Object, Rank, Segment, Sparse,
};

/// Something that can be put behind other bytes and taken from their front again.
pub(super) trait Stored: Sized {
    fn put(&self, out: &mut Vec<u8>);
    /// `None` if the bytes are not what `put` makes.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// The first `n` bytes.
pub(super) fn split<'a>(from: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, rest) = from.split_at_checked(n)?;
    *from = rest;
    Some(head)
}

macro_rules! numbers {
    ($($t:ty),*) => {$(
        impl Stored for $t {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                let bytes = split(from, size_of::<$t>())?;
                Some(<$t>::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    )*};
}

numbers!(u8, u32, u64, i32, f32, f64);

impl Stored for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        u64::take(from)?.try_into().ok()
    }
}

impl Stored for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(u8::take(from)? != 0)
    }
}

/// Values without a length before them.
macro_rules! products {
    ($($t:ty { $($field:tt),* })*) => {$(
        impl Stored for $t {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Stored::take(from)?),* })
            }
        }
    )*};
}

products! {
    Segment { start, end, label }
    Audio { rate, samples }
    Sparse { dtype, dim, rows }
    GaussPosterior { ids, vectors }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl<T: Stored> Stored for [T; 2] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(out));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some([T::take(from)?, T::take(from)?])
    }
}

impl<T: Stored> Stored for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        match bool::take(from)? {
            true => T::take(from).map(Some),
            false => Some(None),
        }
    }
}

pub(super) fn put_list<T: Stored>(list: &[T], out: &mut Vec<u8>) {
    list.len().put(out);
    list.iter().for_each(|item| item.put(out));
}

impl<T: Stored> Stored for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        put_list(self, out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let len = usize::take(from)?;
        (0..len).map(|_| T::take(from)).collect()
    }
}

impl Stored for Box<[u8]> {
    fn put(&self, out: &mut Vec<u8>) {
        put_list(self, out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Vec::take(from).map(Vec::into_boxed_slice)
    }
}

impl<T: Stored + Clone> Stored for Lists<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|list| put_list(list, out));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let len = usize::take(from)?;
        (0..len).map(|_| Vec::take(from)).collect()
    }
}

impl Stored for Decimal {
    fn put(&self, out: &mut Vec<u8>) {
        put_list(self.as_str().as_bytes(), out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(&Vec::take(from)?).ok()?)
    }
}

/// By the place in a list of all.
fn put_choice<T: PartialEq>(value: &T, all: &[T], out: &mut Vec<u8>) {
    let place = all.iter().position(|v| v == value);
    place.unwrap_or(all.len()).put(out);
}

fn take_choice<T: Copy>(all: &[T], from: &mut &[u8]) -> Option<T> {
    all.get(usize::take(from)?).copied()
}

const RANKS: &[Rank] = &[Rank::Scalar, Rank::Vector, Rank::Matrix];

impl Stored for Dtype {
    fn put(&self, out: &mut Vec<u8>) {
        put_choice(self, Self::ALL, out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        take_choice(Self::ALL, from)
    }
}

impl Stored for Matrix {
    fn put(&self, out: &mut Vec<u8>) {
        self.dtype().put(out);
        put_choice(&self.rank(), RANKS, out);
        self.rows().put(out);
        self.cols().put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let mut matrix = Self::default();
        take_matrix(&mut matrix, from).then_some(matrix)
    }
}

/// Takes a matrix into one whose allocation can be used again; `false` if there is none.
pub(super) fn take_matrix(matrix: &mut Matrix, from: &mut &[u8]) -> bool {
    let mut take = || {
        let dtype = Dtype::take(from)?;
        let rank = take_choice(RANKS, from)?;
        let (rows, cols) = (usize::take(from)?, usize::take(from)?);
        let len = rows.checked_mul(cols)?.checked_mul(dtype.size())?;
        let bytes = split(from, len)?;
        // As large as bytes that are in memory, so no limit is due.
        let limits = crate::Limits {
            max_alloc: len as u64,
            ..crate::Limits::default()
        };
        let into = matrix.reset(dtype, rank, rows, cols, &limits).ok()?;
        into.copy_from_slice(bytes);
        Some(())
    };
    take().is_some()
}

impl Stored for Object {
    fn put(&self, out: &mut Vec<u8>) {
        put_list(self.kind().as_bytes(), out);
        match self {
            Self::Int(v) => v.put(out),
            Self::Bool(v) => v.put(out),
            Self::IntLists(v) => v.put(out),
            Self::IntPairs(v) => v.put(out),
            Self::FloatPairs(v) => v.put(out),
            Self::Floats(v) => v.put(out),
            Self::Posterior(v) => v.put(out),
            Self::GaussPosterior(v) => v.put(out),
            Self::Token(v) => v.put(out),
            Self::Tokens(v) => v.put(out),
            Self::SparseVector(v) | Self::SparseMatrix(v) => v.put(out),
            Self::Opaque { bytes, .. } => bytes.put(out),
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let name = Vec::take(from)?;
        let name = std::str::from_utf8(&name).ok()?;
        Some(match name {
            "int32" => Self::Int(Stored::take(from)?),
            "bool" => Self::Bool(Stored::take(from)?),
            "int32-vector-vector" => Self::IntLists(Stored::take(from)?),
            "int32-pair-vector" => Self::IntPairs(Stored::take(from)?),
            "float-pair-vector" => Self::FloatPairs(Stored::take(from)?),
            "basic-float-vector" => Self::Floats(Stored::take(from)?),
            "posterior" => Self::Posterior(Stored::take(from)?),
            "gauss-posterior" => Self::GaussPosterior(Stored::take(from)?),
            "token" => Self::Token(Stored::take(from)?),
            "token-vector" => Self::Tokens(Stored::take(from)?),
            "sparse-vector" => Self::SparseVector(Stored::take(from)?),
            "sparse-matrix" => Self::SparseMatrix(Stored::take(from)?),
            opaque => Self::Opaque {
                kind: Self::opaque(opaque)?,
                bytes: Stored::take(from)?,
            },
        })
    }
}
