//! Binary objects made of tagged numbers, and sparse rows.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Dtype, GaussPosterior, Lists, Matrix, Object, Rank, Sparse};
use spr_core::{Error, Limits, Result};

use crate::binary::{integers, size};
use crate::kind::Kind;
use crate::recognise::{GROUP, TAG};

/// Reads an object that is a run of tagged 32-bit numbers.
pub(crate) fn object(source: &mut Source, kind: Kind, limits: &Limits) -> Result<Object> {
    let at = source.offset();
    let object = match kind {
        Kind::Int => Object::Int(word(source)?),
        Kind::Lists => Object::IntLists(lists(source, "lists", word)?),
        Kind::IntPairs => {
            Object::IntPairs(items(source, |source| Ok([word(source)?, word(source)?]))?)
        }
        Kind::FloatPairs => Object::FloatPairs(items(source, |source| {
            Ok([single(source)?, single(source)?])
        })?),
        Kind::Floats => {
            let n = size(source, "numbers")?;
            let mut words = Matrix::default();
            integers(source, &mut words, n, limits)?;
            let words = words.as_slice::<i32>().unwrap_or_default();
            Object::Floats(words.iter().map(|w| float(*w)).collect())
        }
        Kind::Posterior => Object::Posterior(lists(source, "frames", |source| {
            Ok((word(source)?, single(source)?))
        })?),
        Kind::Gauss => Object::GaussPosterior(gauss(source, limits)?),
        Kind::Opaque(kind) => {
            let n = size(source, "numbers")?;
            let mut bytes = b"\0B\x04".to_vec();
            let count = i32::try_from(n).unwrap_or(i32::MAX);
            bytes.extend_from_slice(&count.to_le_bytes());
            for _ in 0..n {
                match source.array::<2>()? {
                    [1, value] => bytes.extend([1, value]),
                    _ => return Err(source.malformed("a number that is not tagged as one byte")),
                }
            }
            Object::Opaque { kind, bytes }
        }
        _ => return Err(source.malformed("no run of tagged numbers")),
    };
    let more = source.peek(1)?.first() == Some(&TAG);
    if more {
        let message = format!("more tagged numbers follow than a {} has", kind.name());
        let error = Error::malformed(message).file(source.name()).byte(at);
        return Err(error.hint("if it is something else, say so with holder=NAME"));
    }
    Ok(object)
}

fn word(source: &mut Source) -> Result<i32> {
    let at = source.offset();
    match source.array::<GROUP>()? {
        [TAG, bytes @ ..] => Ok(i32::from_le_bytes(bytes)),
        [tag, ..] => {
            let message = format!("byte 0x{tag:02x} where a tagged 32-bit number is due");
            Err(Error::malformed(message).file(source.name()).byte(at))
        }
    }
}

fn single(source: &mut Source) -> Result<f32> {
    word(source).map(float)
}

fn float(word: i32) -> f32 {
    f32::from_bits(word.cast_unsigned())
}

fn items<T>(source: &mut Source, mut item: impl FnMut(&mut Source) -> Result<T>) -> Result<Vec<T>> {
    let mut items = Vec::new();
    for _ in 0..size(source, "items")? {
        items.push(item(source)?);
    }
    Ok(items)
}

fn lists<T>(
    source: &mut Source,
    what: &str,
    mut item: impl FnMut(&mut Source) -> Result<T>,
) -> Result<Lists<T>> {
    let mut lists = Lists::default();
    for _ in 0..size(source, what)? {
        for _ in 0..size(source, "items")? {
            lists.push(item(source)?);
        }
        lists.end();
    }
    Ok(lists)
}

fn gauss(source: &mut Source, limits: &Limits) -> Result<GaussPosterior> {
    let mut vectors = Lists::default();
    let mut vector = Matrix::default();
    let ids = lists(source, "frames", |source| {
        let id = word(source)?;
        let dtype = match source.array::<3>()? {
            [b'F', b'V', b' '] => Dtype::F32,
            [b'D', b'V', b' '] => Dtype::F64,
            _ => return Err(source.malformed("no vector of floats follows the number")),
        };
        let n = size(source, "numbers")?;
        source.read_matrix(
            &mut vector,
            (dtype, Rank::Vector, n, 1),
            ByteOrder::Little,
            limits,
        )?;
        vector.cast(Dtype::F32, limits)?;
        vectors.add(vector.as_slice().unwrap_or_default());
        Ok(id)
    })?;
    Ok(GaussPosterior { ids, vectors })
}

/// Reads a sparse vector from behind its token.
pub(crate) fn sparse_vector(source: &mut Source) -> Result<Sparse> {
    let mut sparse = Sparse {
        dtype: Dtype::F32,
        dim: 0,
        rows: Lists::default(),
    };
    sparse_row(source, &mut sparse, true)?;
    Ok(sparse)
}

/// Reads a sparse matrix from behind its token.
pub(crate) fn sparse_matrix(source: &mut Source) -> Result<Sparse> {
    let mut sparse = Sparse {
        dtype: Dtype::F32,
        dim: 0,
        rows: Lists::default(),
    };
    for row in 0..size(source, "rows")? {
        if source.array::<3>()? != *b"SV " {
            return Err(source.malformed(format!("row {row} is no sparse vector")));
        }
        sparse_row(source, &mut sparse, row == 0)?;
    }
    Ok(sparse)
}

fn sparse_row(source: &mut Source, sparse: &mut Sparse, first: bool) -> Result<()> {
    let dim = size(source, "columns")?;
    let dim = u32::try_from(dim).unwrap_or(u32::MAX);
    if !first && dim != sparse.dim {
        let message = format!(
            "a sparse row of {dim} columns, those before have {}",
            sparse.dim
        );
        return Err(source.malformed(message));
    }
    sparse.dim = dim;
    let n = size(source, "entries")?;
    if n > u64::from(dim) {
        return Err(source.malformed(format!("{n} entries in a sparse row of {dim} columns")));
    }
    for _ in 0..n {
        let index = word(source)?;
        let Some(index) = u32::try_from(index).ok().filter(|i| *i < dim) else {
            let message = format!("column {index} in a sparse row of {dim} columns");
            return Err(source.malformed(message));
        };
        let value = match source.byte()? {
            TAG => f64::from(f32::from_le_bytes(source.array()?)),
            8 => {
                sparse.dtype = Dtype::F64;
                f64::from_le_bytes(source.array()?)
            }
            b => return Err(source.malformed(format!("byte 0x{b:02x} where a float is due"))),
        };
        sparse.rows.push((index, value));
    }
    sparse.rows.end();
    Ok(())
}
