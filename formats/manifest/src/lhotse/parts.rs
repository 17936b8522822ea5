//! The forms of an utterance that are wanted.

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::Request;
use spr_core::model::Utterance;
use spr_syntax::manifest::Places;

use super::features::Features;
use super::recording::RecordingSegment;
use super::stores::Stores;

/// The requested fields of utterances.
pub(super) struct RequestedFields {
    pub(super) sound: bool,
    pub(super) features: bool,
    stores: Stores,
}

impl RequestedFields {
    pub(super) fn new(request: &Request, env: &Env) -> Self {
        let forms = request.forms;
        let either = forms.audio || forms.features;
        Self {
            sound: request.parts.audio && (forms.audio || !either),
            features: request.parts.features && (forms.features || !either),
            stores: Stores::new(env),
        }
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
        if self.features || utt.audio.is_none() {
            self.read(features, Some(stretch), places, utt)?;
        }
        if !self.sound {
            utt.audio = None;
        }
        Ok(())
    }
}
