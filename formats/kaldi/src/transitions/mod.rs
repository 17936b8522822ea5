//! Transition models, `final.mdl`: the phone and the pdf of each transition id of alignments.
//!
//! A transition id stands for one transition out of one state of the HMM of a phone. The ids count
//! from 1, through the tuples of (phone, HMM state, pdf) in the order of the file, and for each
//! tuple through the transitions of its state in the topology.
//!
//! Source: Kaldi, `src/hmm/hmm-topology.cc` and `src/hmm/transition-model.cc`.

mod model;
mod scan;

use spr_core::bytes::{Env, Source};
use spr_core::format::{LabelModels, LabelTable};
use spr_core::{Error, Result};

use model::{Model, Unit};

/// Transition models as the label models of the [format](crate::FORMAT).
pub(crate) struct TransitionModels;

/// The start of a binary and of a text model.
const BINARY: &[u8] = b"\0B<TransitionModel>";
const TEXT: &[u8] = b"<TransitionModel>";

impl LabelModels for TransitionModels {
    fn names(&self) -> &'static [&'static str] {
        &["final.mdl"]
    }

    fn units(&self) -> &'static [&'static str] {
        &["phones", "pdfs"]
    }

    fn missing_unit(&self, unit: &str) -> Option<&'static str> {
        (unit == "words").then_some(
            "an alignment and its model do not tell words, which need the lexicon; Kaldi's \
             steps/get_train_ctm.sh writes them as a CTM file, which is read",
        )
    }

    fn is_model(&self, head: &[u8]) -> bool {
        head.starts_with(BINARY) || head.trim_ascii_start().starts_with(TEXT)
    }

    fn read(&self, source: Source, unit: &str, env: &Env) -> Result<LabelTable> {
        let unit = match unit {
            "phones" => Unit::Phones,
            "pdfs" => Unit::Pdfs,
            _ => return Err(Error::usage(format!("a transition model tells no {unit}"))),
        };
        Model::read(source, &env.limits)?.table(unit, &env.limits)
    }
}
