//! Conversion between matrices and NumPy arrays.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use spr_convert::core::model::{Array, Dtype, Element, Matrix, Rank};
use spr_convert::core::{Error, Limits};

use crate::failure::raised;
use crate::memory;

/// The class `numpy.ndarray`.
static NDARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Returns NumPy's name of an element type. bfloat16, which NumPy lacks, was converted to float32
/// before.
fn name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 | Dtype::Bf16 => "f4",
        Dtype::F64 => "f8",
        Dtype::I8 => "i1",
        Dtype::U8 => "u1",
        Dtype::I16 => "i2",
        Dtype::U16 => "u2",
        Dtype::I32 => "i4",
        Dtype::U32 => "u4",
        Dtype::I64 => "i8",
        Dtype::U64 => "u8",
        Dtype::F16 => "f2",
        Dtype::Bool => "?",
    }
}

fn dtype(kind: u8, size: usize) -> Option<Dtype> {
    Some(match (kind, size) {
        (b'f', 2) => Dtype::F16,
        (b'f', 4) => Dtype::F32,
        (b'f', 8) => Dtype::F64,
        (b'i', 1) => Dtype::I8,
        (b'i', 2) => Dtype::I16,
        (b'i', 4) => Dtype::I32,
        (b'i', 8) => Dtype::I64,
        (b'u', 1) => Dtype::U8,
        (b'u', 2) => Dtype::U16,
        (b'u', 4) => Dtype::U32,
        (b'u', 8) => Dtype::U64,
        (b'b', 1) => Dtype::Bool,
        _ => return None,
    })
}

/// Wraps the elements of a matrix, without a copy, as an array of at most two dimensions.
pub(crate) fn of_matrix(py: Python<'_>, matrix: Matrix) -> PyResult<Bound<'_, PyAny>> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    match matrix.rank() {
        Rank::Scalar => over(py, matrix, PyTuple::empty(py)),
        Rank::Vector => over(py, matrix, (rows * cols,).into_pyobject(py)?),
        Rank::Matrix => over(py, matrix, (rows, cols).into_pyobject(py)?),
    }
}

/// Wraps the elements of an array without a copy.
pub(crate) fn of_array(py: Python<'_>, array: Array) -> PyResult<Bound<'_, PyAny>> {
    let shape = PyTuple::new(py, array.shape())?;
    over(py, array.into_values(), shape)
}

/// Wraps the elements of a matrix without a copy, in this shape.
pub(crate) fn over<'py>(
    py: Python<'py>,
    mut matrix: Matrix,
    shape: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    if matrix.dtype() == Dtype::Bf16 {
        // The cast from bfloat16 to float32 is exact.
        let cast = matrix.cast(Dtype::F32, &Limits::NONE);
        cast.map_err(|error| raised(py, &error))?;
    }
    let dtype = matrix.dtype();
    // An array of the right type is a view of the words.
    let words = memory::array(py, matrix.into_words())?;
    view(py, words, dtype, shape)
}

/// Shows memory as an array.
pub(crate) fn view<'py>(
    py: Python<'py>,
    memory: Bound<'py, PyAny>,
    dtype: Dtype,
    shape: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let ndarray = NDARRAY.get_or_try_init(py, || {
        let module = py.import("numpy")?;
        module.getattr("ndarray").map(Bound::unbind)
    })?;
    ndarray.bind(py).call1((shape, name(dtype), memory))
}

/// Returns the elements of an array in C order and native byte order.
fn elements<'py>(
    array: &Bound<'py, PyAny>,
) -> PyResult<(Dtype, Vec<usize>, Bound<'py, PyArray1<u8>>)> {
    let py = array.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let mut array = numpy.call_method1(intern!(py, "asarray"), (array,))?;
    let order: char = array.getattr("dtype")?.getattr("byteorder")?.extract()?;
    if !matches!(order, '=' | '|') {
        let native = array
            .getattr("dtype")?
            .call_method1("newbyteorder", ("=",))?;
        array = array.call_method1("astype", (native,))?;
    }
    let untyped = array.cast::<PyUntypedArray>()?;
    let (shape, descr) = (untyped.shape().to_vec(), untyped.dtype());
    let (kind, size) = (
        descr.getattr("kind")?.extract::<char>()?,
        descr.getattr("itemsize")?,
    );
    let kind = u8::try_from(kind).unwrap_or_default();
    let Some(dtype) = dtype(kind, size.extract()?) else {
        let error = Error::usage(format!("arrays of {descr} are not taken"));
        return Err(raised(py, &error.hint("numbers and truth values are")));
    };
    let bytes = numpy
        .call_method1(intern!(py, "ascontiguousarray"), (array,))?
        .call_method1(intern!(py, "reshape"), (-1,))?
        .call_method1(intern!(py, "view"), (intern!(py, "u1"),))?;
    Ok((dtype, shape, bytes.cast_into()?))
}

fn fill(py: Python<'_>, bytes: &Bound<'_, PyArray1<u8>>, into: &mut [u8]) -> PyResult<()> {
    let bytes = bytes.try_readonly()?;
    match bytes.as_slice() {
        Ok(bytes) if bytes.len() == into.len() => into.copy_from_slice(bytes),
        _ => {
            let error = Error::usage("an array of another size than its shape says");
            return Err(raised(py, &error));
        }
    }
    Ok(())
}

/// Converts a shape to rank, rows and columns.
fn form(py: Python<'_>, shape: &[usize]) -> PyResult<(Rank, usize, usize)> {
    match *shape {
        [] => Ok((Rank::Scalar, 1, 1)),
        [n] => Ok((Rank::Vector, n, 1)),
        [rows, cols] => Ok((Rank::Matrix, rows, cols)),
        _ => {
            let message = format!(
                "an array of {} dimensions, at most 2 are taken",
                shape.len()
            );
            Err(raised(py, &Error::usage(message)))
        }
    }
}

/// Refuses a masked array of which something is masked: the values under the mask mean nothing.
fn check_mask(array: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = array.py();
    if array.is_exact_instance_of::<PyUntypedArray>() || !array.is_instance_of::<PyUntypedArray>() {
        return Ok(());
    }
    let Some(mask) = array.getattr_opt(intern!(py, "mask"))? else {
        return Ok(());
    };
    match mask.call_method0(intern!(py, "any"))?.is_truthy()? {
        false => Ok(()),
        true => {
            let error = Error::usage("an array with masked values");
            Err(raised(
                py,
                &error.hint("array.filled(VALUE) has others for them"),
            ))
        }
    }
}

/// Fills a matrix, keeping its allocation, with an array of at most two dimensions.
pub(crate) fn to_matrix(array: &Bound<'_, PyAny>, into: &mut Matrix) -> PyResult<()> {
    check_mask(array)?;
    // Most arrays need no conversion by NumPy.
    if copied::<f32>(array, into)? || copied::<i32>(array, into)? || copied::<f64>(array, into)? {
        return Ok(());
    }
    let py = array.py();
    let (dtype, shape, bytes) = elements(array)?;
    let (rank, rows, cols) = form(py, &shape)?;
    let room = into.reset(dtype, rank, rows, cols, &Limits::NONE);
    fill(py, &bytes, room.map_err(|error| raised(py, &error))?)
}

/// Fills a matrix from an array of this element type in C order. Returns `false` for other arrays.
fn copied<T: Element + numpy::Element>(
    array: &Bound<'_, PyAny>,
    into: &mut Matrix,
) -> PyResult<bool> {
    let py = array.py();
    let Ok(array) = array.cast::<PyArrayDyn<T>>() else {
        return Ok(false);
    };
    let array = array.try_readonly()?;
    let Some(values) = array.as_slice().ok().filter(|_| array.is_c_contiguous()) else {
        return Ok(false);
    };
    let (rank, rows, cols) = form(py, array.shape())?;
    let failed = |error: Error| raised(py, &error);
    let room = into.reset(T::DTYPE, rank, rows, cols, &Limits::NONE);
    room.map_err(failed)?;
    into.values_mut::<T>()
        .map_err(failed)?
        .copy_from_slice(values);
    Ok(true)
}

/// Converts an array of any shape.
pub(crate) fn to_array(array: &Bound<'_, PyAny>) -> PyResult<Array> {
    check_mask(array)?;
    let py = array.py();
    let (dtype, shape, bytes) = elements(array)?;
    let made = Array::new(dtype, &shape, &Limits::NONE);
    let mut made = made.map_err(|error| raised(py, &error))?;
    fill(py, &bytes, made.values_mut().as_bytes_mut())?;
    Ok(made)
}
