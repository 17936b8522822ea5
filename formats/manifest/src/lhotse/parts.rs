//! The forms of an utterance that are wanted.

use spr_core::bytes::Env;
use spr_core::format::Request;
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::Places;

use super::features::Features;
use super::recording::RecordingSegment;
use super::stores::Stores;

/// The requested fields of utterances.
pub(super) struct RequestedFields {
    pub(super) sound: bool,
    pub(super) features: bool,
    /// What is left out in favour of what, if the target holds sound or features, and not both.
    left_out: Option<[&'static str; 2]>,
    is_told: bool,
    file: String,
    stores: Stores,
    env: Env,
}

impl RequestedFields {
    pub(super) fn new(request: &Request, file: &str, env: &Env) -> Self {
        let forms = request.forms;
        let either = forms.audio || forms.features;
        Self {
            sound: request.parts.audio && (forms.audio || !either),
            features: request.parts.features && (forms.features || !either),
            left_out: match (forms.audio, forms.features) {
                (false, true) => Some(["the sound is", "features"]),
                (true, false) => Some(["the features are", "sound"]),
                _ => None,
            },
            is_told: false,
            file: file.to_owned(),
            stores: Stores::new(env),
            env: env.clone(),
        }
    }

    /// Tells, once, that only the sound or the features of utterances with both are taken, if it is so.
    pub(super) fn tell_left_out(&mut self, key: Option<&Key>) {
        let Some([left, right]) = self.left_out.filter(|_| !self.is_told) else {
            return;
        };
        self.is_told = true;
        let message = format!("{left} left out in favour of the {right}, here and below");
        let warning = Error::unfit(message).file(&self.file);
        self.env.warn_left_out(&match key {
            Some(key) => warning.utterance(key),
            None => warning,
        });
    }

    /// Reads features: the frames of a segment, or all of them.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn read(
        &mut self,
        features: &Features,
        stretch: Option<&RecordingSegment>,
        places: &mut Places,
        utt: &mut Utterance,
    ) -> Result<()> {
        features.load(stretch, places, &mut self.stores, utt)
    }

    /// Reads the features of an utterance, if it has some and they are requested. If only features
    /// are requested, audio is removed.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn choose(
        &mut self,
        features: Option<&Features>,
        stretch: &RecordingSegment,
        places: &mut Places,
        utt: &mut Utterance,
    ) -> Result<()> {
        let Some(features) = features else {
            return Ok(());
        };
        if utt.audio.is_some() {
            self.tell_left_out(Some(&utt.key));
        }
        if self.features || utt.audio.is_none() {
            self.read(features, Some(stretch), places, utt)?;
        }
        if !self.sound {
            utt.audio = None;
        }
        Ok(())
    }
}
