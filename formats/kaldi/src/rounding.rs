//! Counting of numbers whose digits their type does not hold, with a single warning.

use spr_core::Error;
use spr_core::bytes::Env;

/// The number of values of an input that were rounded, reported at its end.
pub(crate) struct Rounding {
    env: Env,
    /// Whether to warn: not if the user names the type.
    told: bool,
    file: String,
    count: u64,
}

impl Rounding {
    pub(crate) fn new(told: bool, env: &Env) -> Self {
        Self {
            env: env.clone(),
            told,
            file: String::new(),
            count: 0,
        }
    }

    /// Returns an empty counter that never warns.
    pub(crate) fn silent(&self) -> Self {
        Self::new(false, &self.env)
    }

    /// Counts numbers of a file.
    pub(crate) fn add(&mut self, count: u64, file: &str) {
        if count == 0 || !self.told {
            return;
        }
        if self.count == 0 {
            file.clone_into(&mut self.file);
        }
        self.count += count;
    }

    /// Reports the count, and resets it.
    pub(crate) fn end(&mut self) {
        let what = match std::mem::take(&mut self.count) {
            0 => return,
            1 => "1 number has digits that f32 does not hold and was".to_owned(),
            n => format!("{n} numbers have digits that f32 does not hold and were"),
        };
        let message = format!(
            "{what} rounded; dtype=f64 keeps those of matrices, vectors and single numbers"
        );
        self.env.warn(&Error::unfit(message).file(&self.file));
    }
}

impl Drop for Rounding {
    fn drop(&mut self) {
        self.end();
    }
}
