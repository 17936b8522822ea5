//! Binary objects of tagged numbers, and sparse rows.

use spr_core::bytes::{ByteOrder, PutNumber as _, Source};
use spr_core::model::{Dtype, GaussPosterior, Lists, Matrix, Object, Rank, Sparse};
use spr_core::{Error, Limits, Result};

use crate::binary::{integers, size};
use crate::kind::ObjectKind;
use crate::recognise::{GROUP, TAG};

/// Reads an object of tagged 32-bit numbers.
pub(crate) fn object(source: &mut Source, kind: ObjectKind, limits: &Limits) -> Result<Object> {
    let at = source.offset();
    let object = match kind {
        ObjectKind::Int => Object::Int(word(source)?),
        ObjectKind::Lists => Object::IntLists(lists(source, "lists", word, limits)?),
        ObjectKind::IntPairs => Object::IntPairs(pairs(source, word, limits)?),
        ObjectKind::FloatPairs => Object::FloatPairs(pairs(source, single, limits)?),
        ObjectKind::Floats => {
            let n = size(source, "numbers")?;
            let mut words = Matrix::default();
            integers(source, &mut words, n, limits)?;
            let words = words.values::<i32>()?;
            Object::Floats(words.iter().map(|w| float(*w)).collect())
        }
        ObjectKind::Posterior => {
            let item = |source: &mut Source| Ok((word(source)?, single(source)?));
            Object::Posterior(lists(source, "frames", item, limits)?)
        }
        ObjectKind::Gauss => Object::GaussPosterior(gauss(source, limits)?),
        ObjectKind::Opaque(kind) => {
            let n = size(source, "numbers")?;
            let mut bytes = b"\0B\x04".to_vec();
            let count = i32::try_from(n).unwrap_or(i32::MAX);
            bytes.put_i32(count, ByteOrder::Little);
            for _ in 0..n {
                source.hold("an object", bytes.len() as u64, limits)?;
                match source.array::<2>()? {
                    [1, value] => bytes.extend([1, value]),
                    _ => return Err(source.malformed("a number that is not tagged as one byte")),
                }
            }
            Object::opaque(kind, bytes)
        }
        _ => return Err(source.malformed("no run of tagged numbers")),
    };
    if goes_on(source)? {
        let message = format!("more tagged numbers follow than a {} has", kind.name());
        let error = Error::malformed(message).file(source.name()).byte(at);
        return Err(error.hint("if it is something else, say so with holder=NAME"));
    }
    Ok(object)
}

/// Returns `true` if another tagged number follows. Data not yet written by another process are not
/// waited for, because a key would be there.
pub(crate) fn goes_on(source: &mut Source) -> Result<bool> {
    Ok(source.ahead(1, |_| true)?.0 == [TAG])
}

fn word(source: &mut Source) -> Result<i32> {
    let at = source.offset();
    match source.array::<GROUP>()? {
        [TAG, bytes @ ..] => Ok(ByteOrder::Little.read_i32(bytes)),
        [tag, ..] => {
            let message = format!("expected a tagged 32-bit number, found byte 0x{tag:02x}");
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

fn pairs<T>(
    source: &mut Source,
    item: fn(&mut Source) -> Result<T>,
    limits: &Limits,
) -> Result<Vec<[T; 2]>> {
    let mut items = Vec::new();
    for _ in 0..size(source, "items")? {
        items.push([item(source)?, item(source)?]);
        source.hold("a list", size_of_val(&items[..]) as u64, limits)?;
    }
    Ok(items)
}

fn lists<T>(
    source: &mut Source,
    what: &str,
    mut item: impl FnMut(&mut Source) -> Result<T>,
    limits: &Limits,
) -> Result<Lists<T>> {
    let mut lists = Lists::default();
    for _ in 0..size(source, what)? {
        for _ in 0..size(source, "items")? {
            lists.push(item(source)?);
            source.hold("a list", lists.bytes(), limits)?;
        }
        lists.end();
        source.hold("a list", lists.bytes(), limits)?;
    }
    Ok(lists)
}

fn gauss(source: &mut Source, limits: &Limits) -> Result<GaussPosterior> {
    let mut vectors = Lists::default();
    let mut vector = Matrix::default();
    let item = |source: &mut Source| {
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
        vectors.add(vector.values()?);
        source.hold("a list", vectors.bytes(), limits)?;
        Ok(id)
    };
    let ids = lists(source, "frames", item, limits)?;
    Ok(GaussPosterior { ids, vectors })
}

/// Reads a sparse vector after its token.
pub(crate) fn sparse_vector(source: &mut Source, limits: &Limits) -> Result<Sparse> {
    let mut sparse = Sparse {
        dtype: Dtype::F32,
        dim: 0,
        rows: Lists::default(),
    };
    sparse_row(source, &mut sparse, true, limits)?;
    Ok(sparse)
}

/// Reads a sparse matrix after its token.
pub(crate) fn sparse_matrix(source: &mut Source, limits: &Limits) -> Result<Sparse> {
    let mut sparse = Sparse {
        dtype: Dtype::F32,
        dim: 0,
        rows: Lists::default(),
    };
    for row in 0..size(source, "rows")? {
        if source.array::<3>()? != *b"SV " {
            return Err(source.malformed(format!("row {row} is not a sparse vector")));
        }
        sparse_row(source, &mut sparse, row == 0, limits)?;
    }
    Ok(sparse)
}

fn sparse_row(
    source: &mut Source,
    sparse: &mut Sparse,
    first: bool,
    limits: &Limits,
) -> Result<()> {
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
            TAG => f64::from(source.read_f32(ByteOrder::Little)?),
            8 => {
                sparse.dtype = Dtype::F64;
                source.read_f64(ByteOrder::Little)?
            }
            b => return Err(source.malformed(format!("expected a float, found byte 0x{b:02x}"))),
        };
        sparse.rows.push((index, value));
        source.hold("a sparse object", sparse.rows.bytes(), limits)?;
    }
    sparse.rows.end();
    source.hold("a sparse object", sparse.rows.bytes(), limits)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use spr_core::ErrorKind;

    use super::*;

    /// Returns tagged numbers.
    fn words(words: &[i32]) -> Vec<u8> {
        let tagged = |w: &i32| [&[TAG][..], &w.to_le_bytes()].concat();
        words.iter().flat_map(tagged).collect()
    }

    #[test]
    fn what_grows_is_held_against_the_limit() {
        let limits = Limits {
            max_alloc: 100,
            ..Limits::default()
        };
        let refused = |result: Result<()>, what: &str| {
            let error = result.expect_err(what);
            assert_eq!(error.kind(), ErrorKind::Limit, "{what}: {error}");
        };
        let source = |bytes: &[u8]| Source::from_bytes("x", bytes.to_vec()).unwrap();
        // Empty lists take memory, too.
        let empty = [&[200][..], &[0; 200]].concat();
        let full = [&[1, 200][..], &[7; 200]].concat();
        for (kind, numbers) in [
            (ObjectKind::Lists, &empty),
            (ObjectKind::Lists, &full),
            (ObjectKind::Posterior, &empty),
            (ObjectKind::Gauss, &empty),
            (ObjectKind::IntPairs, &[&[200][..], &[7; 400]].concat()),
            (ObjectKind::FloatPairs, &[&[200][..], &[7; 400]].concat()),
            (ObjectKind::Floats, &[&[200][..], &[7; 200]].concat()),
        ] {
            let bytes = words(numbers);
            let read = object(&mut source(&bytes), kind, &limits);
            refused(read.map(drop), kind.name());
            object(&mut source(&bytes), kind, &Limits::default()).unwrap();
        }
        let row = [b"SV ", &words(&[1, 0])[..]].concat();
        let sparse = [words(&[200]), row.repeat(200)].concat();
        refused(
            sparse_matrix(&mut source(&sparse), &limits).map(drop),
            "rows",
        );
        sparse_matrix(&mut source(&sparse), &Limits::default()).unwrap();
    }
}
