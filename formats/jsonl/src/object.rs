//! Objects: the fields `"kind"` and `"value"`.

use spr_core::model::{Dtype, GaussPosterior, Lists, Object, Sparse};
use spr_core::{Error, Result};

use crate::numbers;
use crate::scan::Scan;
use crate::text;

/// Appends the fields `kind` and `value`.
///
/// # Errors
/// It could not be read back.
pub(crate) fn write(object: &Object, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(b"\"kind\":");
    text::write(object.kind().as_bytes(), out);
    out.extend_from_slice(b",\"value\":");
    match object {
        Object::Int(value) => numbers::write(&[*value], out),
        Object::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Object::IntLists(lists) => list(lists.iter(), out, |list, out| {
            bracketed(out, |out| numbers::write(list, out));
        }),
        Object::IntPairs(pairs) => list(pairs.iter(), out, |pair, out| {
            bracketed(out, |out| numbers::write(pair, out));
        }),
        Object::FloatPairs(pairs) => list(pairs.iter(), out, |pair, out| {
            bracketed(out, |out| numbers::write(pair, out));
        }),
        Object::Floats(values) => bracketed(out, |out| numbers::write(values, out)),
        Object::Posterior(frames) => list(frames.iter(), out, |frame, out| {
            list(frame.iter(), out, |(id, weight), out| {
                bracketed(out, |out| {
                    numbers::write(&[*id], out);
                    out.push(b',');
                    numbers::write(&[*weight], out);
                });
            });
        }),
        Object::GaussPosterior(posterior) => {
            let mut vectors = posterior.paired()?;
            list(posterior.ids.iter(), out, |frame, out| {
                list(frame.iter().zip(&mut vectors), out, |(id, vector), out| {
                    bracketed(out, |out| {
                        numbers::write(&[*id], out);
                        out.extend_from_slice(b",[");
                        numbers::write(vector, out);
                        out.push(b']');
                    });
                });
            });
        }
        Object::Token(token) => text::write(token, out),
        Object::Tokens(tokens) => list(tokens.iter(), out, text::write),
        Object::SparseVector(sparse) => {
            open_sparse(sparse, "entries", out)?;
            entries(sparse.row()?, sparse, out);
            out.push(b'}');
        }
        Object::SparseMatrix(sparse) => {
            open_sparse(sparse, "rows", out)?;
            list(sparse.rows.iter(), out, |row, out| {
                entries(row, sparse, out)
            });
            out.push(b'}');
        }
        Object::Opaque { kind, bytes } if !Object::KINDS.contains(&&**kind) => {
            text::write_hex(bytes, out);
        }
        other => {
            let message = format!("has an object of kind {} in an unknown form", other.kind());
            return Err(Error::unfit(message));
        }
    }
    Ok(())
}

fn open_sparse(sparse: &Sparse, name: &str, out: &mut Vec<u8>) -> Result<()> {
    if !matches!(sparse.dtype, Dtype::F32 | Dtype::F64) {
        return Err(Error::unfit(format!(
            "has a sparse object of {}",
            sparse.dtype
        )));
    }
    let head = format!(
        "{{\"dim\":{},\"dtype\":\"{}\",\"{name}\":",
        sparse.dim, sparse.dtype
    );
    out.extend_from_slice(head.as_bytes());
    Ok(())
}

fn entries(row: &[(u32, f64)], sparse: &Sparse, out: &mut Vec<u8>) {
    list(row.iter(), out, |(index, value), out| {
        bracketed(out, |out| {
            numbers::write(&[*index], out);
            out.push(b',');
            match sparse.dtype {
                Dtype::F64 => numbers::write(&[*value], out),
                _ => numbers::write(&[single(*value)], out),
            }
        });
    });
}

#[expect(clippy::cast_possible_truncation, reason = "it was an f32")]
fn single(value: f64) -> f32 {
    value as f32
}

fn bracketed(out: &mut Vec<u8>, inner: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'[');
    inner(out);
    out.push(b']');
}

fn list<T>(
    items: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    bracketed(out, |out| {
        for (n, item) in items.enumerate() {
            if n > 0 {
                out.push(b',');
            }
            write(item, out);
        }
    });
}

/// Parses the value of an object of `kind`; `value` is valid JSON.
pub(crate) fn read(kind: &str, value: &serde_json::value::RawValue) -> Result<Object> {
    let mut scan = Scan::new(value.get());
    let object = match kind {
        "int32" => Object::Int(scan.number()?),
        "bool" => match value.get() {
            "true" => return Ok(Object::Bool(true)),
            "false" => return Ok(Object::Bool(false)),
            _ => return Err(Error::malformed("the value is neither true nor false")),
        },
        "int32-vector-vector" => Object::IntLists(scan.lists(Scan::number)?),
        "int32-pair-vector" => Object::IntPairs(scan.items(Scan::pair)?),
        "float-pair-vector" => Object::FloatPairs(scan.items(Scan::pair)?),
        "basic-float-vector" => Object::Floats(scan.items(Scan::number)?),
        "posterior" => Object::Posterior(scan.lists(|scan| {
            scan.tuple(|scan| {
                let id = scan.number()?;
                scan.comma()?;
                Ok((id, scan.number()?))
            })
        })?),
        "gauss-posterior" => Object::GaussPosterior(gauss(&mut scan)?),
        "token" => return Ok(Object::Token(text::read(value, "the value")?.into_owned())),
        "token-vector" => return tokens(value).map(Object::Tokens),
        "sparse-vector" | "sparse-matrix" => return sparse(kind, value),
        other => {
            let shown: String = other.chars().take(30).collect();
            let what = format!("the value of kind '{}'", shown.escape_debug());
            let bytes = text::read_hex(value, &what)?;
            return Ok(Object::opaque(other.to_owned(), bytes));
        }
    };
    scan.end()?;
    Ok(object)
}

fn gauss(scan: &mut Scan<'_>) -> Result<GaussPosterior> {
    let mut vectors = Lists::default();
    let ids = scan.lists(|scan| {
        scan.tuple(|scan| {
            let id = scan.number()?;
            scan.comma()?;
            vectors.add(&scan.items(Scan::number)?);
            Ok(id)
        })
    })?;
    Ok(GaussPosterior { ids, vectors })
}

fn tokens(value: &serde_json::value::RawValue) -> Result<Lists<u8>> {
    let list: Vec<&serde_json::value::RawValue> = serde_json::from_str(value.get())
        .map_err(|_| Error::malformed("the value is not a list of words"))?;
    let mut tokens = Lists::default();
    for token in list {
        tokens.add(&text::read(token, "a word")?);
    }
    Ok(tokens)
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SparseFields<'a> {
    dim: u32,
    dtype: &'a str,
    #[serde(borrow)]
    entries: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow)]
    rows: Option<&'a serde_json::value::RawValue>,
}

fn sparse(kind: &str, value: &serde_json::value::RawValue) -> Result<Object> {
    let refuse = || Error::malformed(format!("the value is not a {kind}"));
    let fields: SparseFields<'_> = serde_json::from_str(value.get()).map_err(|_| refuse())?;
    let dtype = match fields.dtype {
        "f32" => Dtype::F32,
        "f64" => Dtype::F64,
        _ => return Err(refuse()),
    };
    let dim = fields.dim;
    let mut rows = Lists::default();
    let mut entry = |scan: &mut Scan<'_>| {
        let (index, value) = scan.tuple(|scan| {
            let index: u32 = scan.number()?;
            scan.comma()?;
            let value = match dtype {
                Dtype::F64 => scan.number::<f64>()?,
                _ => f64::from(scan.number::<f32>()?),
            };
            Ok((index, value))
        })?;
        if index >= dim {
            let message = format!("column {index} of a sparse row of {dim}");
            return Err(Error::malformed(message));
        }
        Ok((index, value))
    };
    match (kind, fields.entries, fields.rows) {
        ("sparse-vector", Some(entries), None) => {
            let mut scan = Scan::new(entries.get());
            rows.add(&scan.items(&mut entry)?);
            scan.end()?;
        }
        ("sparse-matrix", None, Some(list)) => {
            let mut scan = Scan::new(list.get());
            rows = scan.lists(&mut entry)?;
            scan.end()?;
        }
        _ => return Err(refuse()),
    }
    let sparse = Sparse { dtype, dim, rows };
    Ok(match kind {
        "sparse-vector" => Object::SparseVector(sparse),
        _ => Object::SparseMatrix(sparse),
    })
}
