//! The Python functions and classes that are understood.

use std::fmt;

/// A global, which a pickle names by module and name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Global {
    Known(KnownGlobal),
    /// Not on the list: stored as a name, never called.
    Other {
        module: Box<str>,
        name: Box<str>,
    },
}

/// A function or class with a known effect. No Python code is involved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownGlobal {
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
    /// joblib's placeholder for an array, whose numbers follow in the file.
    Wrapper,
}

/// Modules, name, and meaning. A pickle cannot call anything else.
const ALLOWED: &[(&[&str], &str, KnownGlobal)] = &[
    (MULTIARRAY, "_reconstruct", KnownGlobal::Reconstruct),
    (MULTIARRAY, "scalar", KnownGlobal::Scalar),
    (
        &["numpy.core.numeric", "numpy._core.numeric"],
        "_frombuffer",
        KnownGlobal::FromBuffer,
    ),
    (&["numpy"], "ndarray", KnownGlobal::Array),
    (
        &["numpy", "numpy.matrixlib.defmatrix"],
        "matrix",
        KnownGlobal::Array,
    ),
    (
        &["numpy", "numpy.core.memmap"],
        "memmap",
        KnownGlobal::Array,
    ),
    (&["numpy"], "dtype", KnownGlobal::Dtype),
    (&["_codecs"], "encode", KnownGlobal::Encode),
    (BUILTINS, "bytes", KnownGlobal::Bytes),
    (BUILTINS, "bytearray", KnownGlobal::Bytes),
    (BUILTINS, "list", KnownGlobal::List),
    (BUILTINS, "tuple", KnownGlobal::Tuple),
    (BUILTINS, "set", KnownGlobal::Set),
    (BUILTINS, "frozenset", KnownGlobal::Set),
    (BUILTINS, "dict", KnownGlobal::Dict),
    (&["collections"], "OrderedDict", KnownGlobal::Dict),
    (&["collections"], "defaultdict", KnownGlobal::DefaultDict),
    (
        &[
            "joblib.numpy_pickle",
            "sklearn.externals.joblib.numpy_pickle",
        ],
        "NumpyArrayWrapper",
        KnownGlobal::Wrapper,
    ),
];

const BUILTINS: &[&str] = &["__builtin__", "builtins"];
/// Only NumPy 1.16.0 wrote the last one.
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

    /// Returns the size of its text in bytes.
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
            Global::Known(KnownGlobal::Reconstruct)
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
