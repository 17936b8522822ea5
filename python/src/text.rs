//! Conversion between bytes and Python strings. Bytes that are not UTF-8 become lone surrogates, as
//! in file names.

use std::ffi::OsString;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use spr_convert::core::bytes::Location;

/// Decodes bytes as a string.
pub(crate) fn of_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(_) => {
            let decoded =
                PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogateescape"))?;
            Ok(decoded.cast_into()?)
        }
    }
}

/// Encodes a string as bytes.
pub(crate) fn to_bytes(text: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let text = text.cast::<PyString>()?;
    if let Ok(plain) = text.to_cow() {
        return Ok(plain.into_owned().into_bytes());
    }
    let encoded = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
    Ok(encoded.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// Converts an argument to the library's representation, whatever its bytes are.
pub(crate) fn argument(text: OsString) -> String {
    Location::from(text).to_string()
}
