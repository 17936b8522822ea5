//! Calls of the libraries that read Parquet and Arrow, which panic on some damaged files.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use spr_core::{Error, Result};

thread_local! {
    /// Whether a panic of this thread is caught, and reported as an error.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Has panics that are caught here leave no message of their own, as they become errors.
fn hush() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            if !IS_GUARDED.get() {
                usual(what);
            }
        }));
    });
}

/// Runs code of the library, and reports its errors and panics as damage.
///
/// # Errors
/// The library fails or panics.
pub(crate) fn guarded<T, E: Display>(run: impl FnOnce() -> Result<T, E>) -> Result<T> {
    hush();
    let outer = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(outer);
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(why)) => {
            let why = why.to_string();
            let why = why.lines().next().unwrap_or_default();
            Err(Error::malformed(format!("damaged data: {why}")))
        }
        Err(_) => Err(Error::malformed("damaged data: the decoder gave up")),
    }
}

/// Refuses a file where the library would take the bytes of numbers in the wrong order, in silence.
///
/// # Errors
/// The machine is big-endian.
pub(crate) fn check_machine(name: &str) -> Result<()> {
    match cfg!(target_endian = "big") {
        true => {
            let message =
                "Parquet and Arrow are for little-endian machines only, which this is not";
            Err(Error::unsupported(message).file(name))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_and_errors_are_damage() {
        assert_eq!(guarded(|| Ok::<_, String>(1)).unwrap(), 1);
        let failed = guarded(|| Err::<(), _>("bad page\nand more")).unwrap_err();
        assert!(failed.to_string().contains("damaged data: bad page"));
        let gave_up = guarded(|| -> Result<(), String> { panic!("index out of bounds") });
        assert!(gave_up.unwrap_err().to_string().contains("gave up"));
    }
}
