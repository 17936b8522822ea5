//! What holds for all streams of an output.

use super::Access;
use super::inputs::Inputs;

/// How streams are opened.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) overwrite: bool,
    pub(super) access: Access,
    pub(super) threads: usize,
    pub(super) durable: bool,
    pub(super) inputs: Inputs,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            overwrite: false,
            access: Access::default(),
            threads: 1,
            durable: true,
            inputs: Inputs::default(),
        }
    }
}
