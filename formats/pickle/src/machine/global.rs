//! Names of Python functions and classes: the list of those that are understood.

use std::fmt;

/// What a pickle names by module and name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Global {
    Known(Known),
    /// Not on the list: kept as a name, never called.
    Other {
        module: Box<str>,
        name: Box<str>,
    },
}

/// A function or class whose effect is known. None of Python's code stands behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Reconstruct,
    FromBuffer,
    Scalar,
    Array,
    Dtype,
    Encode,
    Bytes,
    List,
    Tuple,
    Set,
    Dict,
    DefaultDict,
    /// joblib's stand-in for an array, whose numbers follow it in the file.
    Wrapper,
}

/// Modules, name, and what it is. The list is the whole of what a pickle can call.
const ALLOWED: &[(&[&str], &str, Known)] = &[
    (MULTIARRAY, "_reconstruct", Known::Reconstruct),
    (MULTIARRAY, "scalar", Known::Scalar),
    (
        &["numpy.core.numeric", "numpy._core.numeric"],
        "_frombuffer",
        Known::FromBuffer,
    ),
    (&["numpy"], "ndarray", Known::Array),
    (
        &["numpy", "numpy.matrixlib.defmatrix"],
        "matrix",
        Known::Array,
    ),
    (&["numpy", "numpy.core.memmap"], "memmap", Known::Array),
    (&["numpy"], "dtype", Known::Dtype),
    (&["_codecs"], "encode", Known::Encode),
    (BUILTINS, "bytes", Known::Bytes),
    (BUILTINS, "bytearray", Known::Bytes),
    (BUILTINS, "list", Known::List),
    (BUILTINS, "tuple", Known::Tuple),
    (BUILTINS, "set", Known::Set),
    (BUILTINS, "frozenset", Known::Set),
    (BUILTINS, "dict", Known::Dict),
    (&["collections"], "OrderedDict", Known::Dict),
    (&["collections"], "defaultdict", Known::DefaultDict),
    (
        &[
            "joblib.numpy_pickle",
            "sklearn.externals.joblib.numpy_pickle",
        ],
        "NumpyArrayWrapper",
        Known::Wrapper,
    ),
];

const BUILTINS: &[&str] = &["__builtin__", "builtins"];
/// The last is what NumPy 1.16.0 alone wrote.
const MULTIARRAY: &[&str] = &[
    "numpy.core.multiarray",
    "numpy._core.multiarray",
    "numpy.core._multiarray_umath",
];

impl Global {
    pub(super) fn new(module: &[u8], name: &[u8]) -> Self {
        for (modules, known_name, known) in ALLOWED {
            if known_name.as_bytes() == name && modules.iter().any(|m| m.as_bytes() == module) {
                return Self::Known(*known);
            }
        }
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned().into_boxed_str();
        Self::Other {
            module: text(module),
            name: text(name),
        }
    }

    /// Bytes of text that it holds.
    pub(super) fn text_len(&self) -> usize {
        match self {
            Self::Known(_) => 0,
            Self::Other { module, name } => module.len() + name.len(),
        }
    }
}

impl fmt::Display for Global {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(known) => match ALLOWED.iter().find(|(_, _, k)| k == known) {
                Some((modules, name, _)) => {
                    write!(f, "{}.{name}", modules.first().unwrap_or(&""))
                }
                None => Ok(()),
            },
            Self::Other { module, name } => {
                for c in module.chars().chain(['.']).chain(name.chars()) {
                    if c.is_control() {
                        write!(f, "{}", c.escape_default())?;
                    } else {
                        write!(f, "{c}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_by_the_exact_pair() {
        assert_eq!(
            Global::new(b"numpy._core.multiarray", b"_reconstruct"),
            Global::Known(Known::Reconstruct)
        );
        for (module, name) in [
            (&b"numpy"[..], &b"_reconstruct"[..]),
            (b"builtins", b"eval"),
            (b"numpy", b"ndarray.tofile"),
            (b"numpy.core.multiarray ", b"_reconstruct"),
        ] {
            assert!(matches!(Global::new(module, name), Global::Other { .. }));
        }
        assert_eq!(
            Global::new(b"os", b"sys\x1btem").to_string(),
            "os.sys\\u{1b}tem"
        );
    }
}
