//! Objects that are neither features nor labels: `"kind"` and `"value"`; and audio.

use std::borrow::Cow;

use spr_core::model::{Audio, Dtype, GaussPosterior, Lists, Matrix, Object, Rank, Sparse};
use spr_core::{Error, Limits, Result};

use crate::numbers::{self, Array, Shape};
use crate::text;

/// Appends the fields `kind` and `value`.
pub(crate) fn write(object: &Object, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\"kind\":\"{}\",\"value\":", object.kind()).as_bytes());
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
            let mut vectors = posterior.vectors.iter();
            list(posterior.ids.iter(), out, |frame, out| {
                list(frame.iter(), out, |id, out| {
                    bracketed(out, |out| {
                        numbers::write(&[*id], out);
                        out.extend_from_slice(b",[");
                        numbers::write(vectors.next().unwrap_or_default(), out);
                        out.push(b']');
                    });
                });
            });
        }
        Object::Token(token) => text::write(token, out),
        Object::Tokens(tokens) => list(tokens.iter(), out, text::write),
        Object::SparseVector(sparse) => {
            open_sparse(sparse, "entries", out);
            entries(sparse.rows.iter().next().unwrap_or_default(), sparse, out);
            out.push(b'}');
        }
        Object::SparseMatrix(sparse) => {
            open_sparse(sparse, "rows", out);
            list(sparse.rows.iter(), out, |row, out| {
                entries(row, sparse, out)
            });
            out.push(b'}');
        }
        Object::Opaque { bytes, .. } => text::write_hex(bytes, out),
        // The enum may grow; a kind that is not known here is never declared to be held.
        _ => out.extend_from_slice(b"null"),
    }
}

fn open_sparse(sparse: &Sparse, name: &str, out: &mut Vec<u8>) {
    let head = format!(
        "{{\"dim\":{},\"dtype\":\"{}\",\"{name}\":",
        sparse.dim, sparse.dtype
    );
    out.extend_from_slice(head.as_bytes());
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

/// Reads the value of an object of `kind`; `value` is valid JSON.
pub(crate) fn read(kind: &str, value: &serde_json::value::RawValue) -> Result<Object> {
    if let Some(kind) = Object::opaque(kind) {
        let bytes = text::read_hex(value, "the value")?;
        return Ok(Object::Opaque { kind, bytes });
    }
    let mut array = Array::new(value.get());
    let object = match kind {
        "int32" => Object::Int(array.number()?),
        "bool" => match value.get() {
            "true" => return Ok(Object::Bool(true)),
            "false" => return Ok(Object::Bool(false)),
            _ => return Err(Error::malformed("the value is neither true nor false")),
        },
        "int32-vector-vector" => Object::IntLists(array.lists(Array::number)?),
        "int32-pair-vector" => Object::IntPairs(array.items(Array::pair)?),
        "float-pair-vector" => Object::FloatPairs(array.items(Array::pair)?),
        "basic-float-vector" => Object::Floats(array.items(Array::number)?),
        "posterior" => Object::Posterior(array.lists(|array| {
            array.tuple(|array| {
                let id = array.number()?;
                array.comma()?;
                Ok((id, array.number()?))
            })
        })?),
        "gauss-posterior" => Object::GaussPosterior(gauss(&mut array)?),
        "token" => return Ok(Object::Token(text::read(value, "the value")?.into_owned())),
        "token-vector" => return tokens(value).map(Object::Tokens),
        "sparse-vector" | "sparse-matrix" => return sparse(kind, value),
        _ => {
            let known: Vec<_> = [Object::KINDS, Object::OPAQUE].concat();
            let shown: String = kind.chars().take(30).collect();
            let message = format!("unknown kind '{}'", shown.escape_debug());
            return Err(
                Error::unsupported(message).hint(format!("known kinds: {}", known.join(", ")))
            );
        }
    };
    array.end()?;
    Ok(object)
}

fn gauss(array: &mut Array<'_>) -> Result<GaussPosterior> {
    let mut vectors = Lists::default();
    let ids = array.lists(|array| {
        array.tuple(|array| {
            let id = array.number()?;
            array.comma()?;
            vectors.add(&array.items(Array::number)?);
            Ok(id)
        })
    })?;
    Ok(GaussPosterior { ids, vectors })
}

fn tokens(value: &serde_json::value::RawValue) -> Result<Lists<u8>> {
    let list: Vec<&serde_json::value::RawValue> = serde_json::from_str(value.get())
        .map_err(|_| Error::malformed("the value is no list of words"))?;
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
    let refuse = || Error::malformed(format!("the value is no {kind}"));
    let fields: SparseFields<'_> = serde_json::from_str(value.get()).map_err(|_| refuse())?;
    let dtype = match fields.dtype {
        "f32" => Dtype::F32,
        "f64" => Dtype::F64,
        _ => return Err(refuse()),
    };
    let dim = fields.dim;
    let mut rows = Lists::default();
    let mut entry = |array: &mut Array<'_>| {
        let (index, value) = array.tuple(|array| {
            let index: u32 = array.number()?;
            array.comma()?;
            let value = match dtype {
                Dtype::F64 => array.number::<f64>()?,
                _ => f64::from(array.number::<f32>()?),
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
            let mut array = Array::new(entries.get());
            rows.add(&array.items(&mut entry)?);
            array.end()?;
        }
        ("sparse-matrix", None, Some(list)) => {
            let mut array = Array::new(list.get());
            rows = array.lists(&mut entry)?;
            array.end()?;
        }
        _ => return Err(refuse()),
    }
    let sparse = Sparse { dtype, dim, rows };
    Ok(match kind {
        "sparse-vector" => Object::SparseVector(sparse),
        _ => Object::SparseMatrix(sparse),
    })
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AudioFields<'a> {
    rate: u32,
    #[serde(borrow)]
    dtype: Cow<'a, str>,
    shape: [u64; 2],
    #[serde(borrow)]
    data: &'a serde_json::value::RawValue,
}

impl AudioFields<'_> {
    /// Reads the samples.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Audio> {
        let dtype = numbers::dtype(&self.dtype)?;
        let [rows, cols] = self.shape;
        let shape = Shape {
            rank: Rank::Matrix,
            rows,
            cols,
        };
        let mut samples = Matrix::default();
        numbers::read(self.data.get(), dtype, shape, &mut samples, limits)?;
        Ok(Audio {
            rate: self.rate,
            samples,
        })
    }
}
