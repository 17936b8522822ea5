//! What is taken where data don't say how far their frames are apart.

use crate::bytes::Env;
use crate::model::{FrameGrid, Key, Utterance};
use crate::{Error, Remedy};

/// The frames of utterances; for the first that doesn't say how far they are apart, a warning tells
/// that the usual shift is taken.
#[derive(Default)]
pub(crate) struct Guess {
    told: bool,
}

impl Guess {
    /// The frames of `utt`, if it tells of them.
    pub(crate) fn grid(&mut self, utt: &Utterance, env: &Env) -> FrameGrid {
        FrameGrid::of(&utt.meta).unwrap_or_else(|| self.usual(&utt.key, env))
    }

    /// The usual frames, for the utterance `key`.
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
