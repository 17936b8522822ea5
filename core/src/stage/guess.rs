//! The default frame shift of data without one.

use crate::bytes::Env;
use crate::error::{Error, Remedy};
use crate::model::{FrameGrid, Key, Utterance};

/// The frame grids of utterances. The first utterance without a frame shift causes a warning that
/// the default is used.
#[derive(Default)]
pub(crate) struct Guess {
    told: bool,
}

impl Guess {
    /// Returns the frame grid of `utt`, or the default.
    pub(crate) fn grid(&mut self, utt: &Utterance, env: &Env) -> FrameGrid {
        FrameGrid::of(&utt.meta).unwrap_or_else(|| self.usual(&utt.key, env))
    }

    /// Returns the default grid, with a warning for the utterance `key`.
    pub(crate) fn usual(&mut self, key: &Key, env: &Env) -> FrameGrid {
        if !std::mem::replace(&mut self.told, true) {
            let shift = FrameGrid::USUAL_SHIFT;
            let message = format!("no frame shift is known, {shift} s is taken");
            let warning = Error::unfit(message).utterance(key);
            env.warn(&warning.suggest(Remedy::TellFrameShift));
        }
        FrameGrid::usual()
    }
}
