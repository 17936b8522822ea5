//! Conversion of objects that are neither features nor labels.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use spr_convert::core::Error;
use spr_convert::core::model::{Dtype, GaussPosterior, Lists, Object, Sparse};

use crate::classes::Classes;
use crate::failure::raised;
use crate::text;

/// Converts a list of lists.
fn nested<'py, T: Clone + IntoPyObject<'py>>(
    py: Python<'py>,
    lists: &Lists<T>,
) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for list in lists.iter() {
        all.append(PyList::new(py, list.iter().cloned())?)?;
    }
    Ok(all)
}

/// Converts an object to a Python value with the name of its kind.
pub(crate) fn to_python(py: Python<'_>, object: Object) -> PyResult<Bound<'_, PyAny>> {
    let kind = object.kind().to_owned();
    let value = match object {
        Object::Int(value) => value.into_pyobject(py)?.into_any(),
        Object::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Object::IntLists(lists) => nested(py, &lists)?.into_any(),
        Object::IntPairs(pairs) => PyList::new(py, pairs.iter().map(|[a, b]| (*a, *b)))?.into_any(),
        Object::FloatPairs(pairs) => {
            PyList::new(py, pairs.iter().map(|[a, b]| (*a, *b)))?.into_any()
        }
        Object::Floats(values) => PyList::new(py, values)?.into_any(),
        Object::Posterior(lists) => nested(py, &lists)?.into_any(),
        Object::GaussPosterior(posterior) => gauss(py, &posterior)?.into_any(),
        Object::Token(word) => text::of_bytes(py, &word)?.into_any(),
        Object::Tokens(words) => {
            let words: PyResult<Vec<_>> = words.iter().map(|w| text::of_bytes(py, w)).collect();
            PyList::new(py, words?)?.into_any()
        }
        Object::SparseVector(sparse) | Object::SparseMatrix(sparse) => {
            let rows = nested(py, &sparse.rows)?;
            (sparse.dtype.name(), sparse.dim, rows)
                .into_pyobject(py)?
                .into_any()
        }
        Object::Opaque { bytes, .. } => PyBytes::new(py, &bytes).into_any(),
        _ => {
            let error =
                Error::unsupported(format!("holds a {kind}, which Python has no value for"));
            return Err(raised(py, &error));
        }
    };
    Classes::of(py)?.object.bind(py).call1((kind, value))
}

fn gauss<'py>(py: Python<'py>, posterior: &GaussPosterior) -> PyResult<Bound<'py, PyList>> {
    let mut vectors = posterior.paired().map_err(|error| raised(py, &error))?;
    let all = PyList::empty(py);
    for ids in posterior.ids.iter() {
        let frame = PyList::empty(py);
        for (id, weights) in ids.iter().zip(&mut vectors) {
            frame.append((*id, weights.to_vec()))?;
        }
        all.append(frame)?;
    }
    Ok(all)
}

/// Converts a kind and a Python value to an object.
pub(crate) fn of_python(object: &Bound<'_, PyAny>) -> PyResult<Object> {
    let (kind, value): (String, Bound<'_, PyAny>) = object.extract()?;
    Ok(match kind.as_str() {
        "int32" => Object::Int(value.extract()?),
        "bool" => Object::Bool(value.extract()?),
        "int32-vector-vector" => Object::IntLists(lists::<i32>(&value)?),
        "int32-pair-vector" => Object::IntPairs(value.extract()?),
        "float-pair-vector" => Object::FloatPairs(value.extract()?),
        "basic-float-vector" => Object::Floats(value.extract()?),
        "posterior" => Object::Posterior(lists::<(i32, f32)>(&value)?),
        "gauss-posterior" => {
            let frames: Vec<Vec<(i32, Vec<f32>)>> = value.extract()?;
            let ids = frames.iter().map(|frame| frame.iter().map(|(id, _)| *id));
            let ids = ids.map(Iterator::collect::<Vec<_>>).collect();
            let vectors = frames
                .iter()
                .flatten()
                .map(|(_, weights)| weights)
                .collect();
            Object::GaussPosterior(GaussPosterior { ids, vectors })
        }
        "token" => Object::Token(text::to_bytes(&value)?),
        "token-vector" => {
            let words = value.try_iter()?.map(|word| text::to_bytes(&word?));
            Object::Tokens(words.collect::<PyResult<Vec<_>>>()?.into_iter().collect())
        }
        "sparse-vector" => Object::SparseVector(sparse(&value)?),
        "sparse-matrix" => Object::SparseMatrix(sparse(&value)?),
        _ => Object::opaque(kind, value.extract()?),
    })
}

fn lists<'py, T>(value: &Bound<'py, PyAny>) -> PyResult<Lists<T>>
where
    T: Clone + for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let all = value.try_iter()?.map(|list| {
        let items = list?.try_iter()?.map(|item| item?.extract::<T>());
        items.collect::<PyResult<Vec<T>>>()
    });
    Ok(all.collect::<PyResult<Vec<_>>>()?.into_iter().collect())
}

fn sparse(value: &Bound<'_, PyAny>) -> PyResult<Sparse> {
    let (dtype, dim, rows): (String, u32, Bound<'_, PyAny>) = value.extract()?;
    let dtype = dtype.parse::<Dtype>();
    Ok(Sparse {
        dtype: dtype.map_err(|error| raised(value.py(), &error))?,
        dim,
        rows: lists::<(u32, f64)>(&rows)?,
    })
}
