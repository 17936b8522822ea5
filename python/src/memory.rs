//! Memory of arrays, which is used again once Python lets go of it: to zero fresh memory takes about as long as to
//! read a file into it.

use std::mem;
use std::sync::Mutex;

use numpy::ndarray::ArrayView1;
use numpy::{IntoPyArray, PyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use spr_convert::core::model::Matrix;

/// The number of pieces that are kept, and of words in all of them.
const KEPT: usize = 4;
const KEPT_WORDS: usize = 1 << 23;
/// The sizes of pieces that are kept, in words: smaller ones are soon zeroed, larger ones are too much to keep.
const SIZES: std::ops::RangeInclusive<usize> = 1 << 11..=1 << 22;

static FREE: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());

/// Returns an empty matrix in memory that is free, if there is some.
pub(crate) fn matrix() -> Option<Matrix> {
    let mut free = FREE.try_lock().ok()?;
    free.pop().map(Matrix::from_words)
}

/// Returns an empty matrix in free memory of at least so many bytes, if there is some.
pub(crate) fn of_size(bytes: usize) -> Option<Matrix> {
    let mut free = FREE.try_lock().ok()?;
    let fits = |words: &Vec<u64>| (bytes..=2 * bytes).contains(&(8 * words.capacity()));
    let found = free.iter().position(fits)?;
    Some(Matrix::from_words(free.swap_remove(found)))
}

/// Keeps memory for the next matrix.
fn keep(words: Vec<u64>) {
    if let Ok(mut free) = FREE.try_lock()
        && SIZES.contains(&words.capacity())
        && free.len() < KEPT
        && free.iter().map(Vec::capacity).sum::<usize>() + words.capacity() <= KEPT_WORDS
    {
        free.push(words);
    }
}

/// Words that an array of NumPy's shows.
#[pyclass(frozen)]
struct Words(Mutex<Vec<u64>>);

impl Drop for Words {
    fn drop(&mut self) {
        if let Ok(words) = self.0.get_mut() {
            keep(mem::take(words));
        }
    }
}

/// Returns words as an array, without a copy unless they are in far too much memory.
pub(crate) fn array<'py>(py: Python<'py>, words: Vec<u64>) -> PyResult<Bound<'py, PyAny>> {
    // The crate for NumPy panics if its first import is interrupted.
    py.import(intern!(py, "numpy"))?;
    if !SIZES.contains(&words.capacity()) {
        return Ok(words.into_pyarray(py).into_any());
    }
    if words.len() < words.capacity() / 2 {
        let fitting = words.as_slice().to_vec();
        keep(words);
        return Ok(fitting.into_pyarray(py).into_any());
    }
    lent(py, words)
}

/// Returns an array over words that come back when it is dropped.
#[expect(unsafe_code, reason = "NumPy's memory is its own otherwise, and freed")]
fn lent(py: Python<'_>, mut words: Vec<u64>) -> PyResult<Bound<'_, PyAny>> {
    let (start, len) = (words.as_mut_ptr(), words.len());
    let owner = Bound::new(py, Words(Mutex::new(words)))?;
    // SAFETY: the words stay where they are, as nothing touches the vector until its owner is dropped, which the
    // array, and all that are views of it, keep alive. The vector has `len` words, all of them set.
    let array = unsafe {
        let view = ArrayView1::from_shape_ptr(len, start);
        PyArray1::borrow_from_array(&view, owner.into_any())
    };
    Ok(array.into_any())
}
