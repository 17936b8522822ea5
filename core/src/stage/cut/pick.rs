//! The tier that an utterance is cut by.

use crate::error::{Error, Remedy, Result};
use crate::model::{Key, Segment, Tier};

/// The segments that utterances are cut by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CutBy {
    /// Those of the only tier.
    Segments,
    /// Those whose labels are words: of a tier of that name, otherwise of the only tier that does not say who
    /// speaks.
    Text,
    /// The turns of speakers: of a tier of that name, otherwise of the only tier whose segments have
    /// speakers, otherwise of the only tier, whose labels are the speakers.
    Speaker,
    /// Those of the tier with this name.
    Tier(Box<[u8]>),
}

impl From<&str> for CutBy {
    /// Understands `segments`, `text`, `speaker` or the name of a tier.
    fn from(text: &str) -> Self {
        match text {
            "segments" => Self::Segments,
            "text" => Self::Text,
            "speaker" => Self::Speaker,
            name => Self::Tier(name.as_bytes().into()),
        }
    }
}

/// Names of tiers of words.
const WORDS: [&[u8]; 4] = [b"text", b"words", b"word", b"utterances"];
/// Names of tiers of turns.
const SPEAKERS: [&[u8]; 3] = [b"speaker", b"speakers", b"turns"];

impl CutBy {
    /// Returns the index of the tier.
    ///
    /// # Errors
    /// There is none, or several; the tiers are named.
    pub(super) fn pick(&self, tiers: &[Tier]) -> Result<usize> {
        if tiers.is_empty() {
            let error = Error::unfit("has no segments to cut it by");
            return Err(error.suggest(Remedy::JoinSegments));
        }
        let spans = || (0..tiers.len()).filter(|n| !tiers[*n].points);
        let named = |names: &[&[u8]]| {
            let mut found = spans().filter(|n| names.contains(&&*tiers[*n].name));
            found.next().filter(|_| found.next().is_none())
        };
        let only = |wanted: &dyn Fn(&Tier) -> bool| {
            let mut found = spans().filter(|n| wanted(&tiers[*n]));
            found.next().filter(|_| found.next().is_none())
        };
        let found = match self {
            Self::Segments => named(&[b"segments"]).or_else(|| only(&|_| true)),
            Self::Text => named(&WORDS).or_else(|| only(&|tier| !is_of_turns(tier))),
            Self::Speaker => named(&SPEAKERS)
                .or_else(|| only(&has_speakers))
                .or_else(|| only(&|_| true)),
            Self::Tier(name) => named(&[name]),
        };
        found.ok_or_else(|| self.missing(tiers))
    }

    /// Returns the error about tiers of which none can be taken.
    fn missing(&self, tiers: &[Tier]) -> Error {
        let own = |tier: &&Tier| matches!(self, Self::Tier(name) if *name == tier.name);
        let message = match self {
            Self::Tier(name) => {
                let name = Key::from(&**name);
                match tiers.iter().filter(own).count() {
                    0 => format!("has no tier '{name}'"),
                    1 => format!("cannot be cut by the points in time of the tier '{name}'"),
                    _ => format!("has several tiers '{name}'"),
                }
            }
            Self::Text => format!("has no single tier of text among {}", tiers.len()),
            Self::Speaker => format!("has no single tier of speakers among {}", tiers.len()),
            Self::Segments if tiers.len() == 1 => "has points in time, not segments".to_owned(),
            Self::Segments => format!("has {} tiers of segments, expected one", tiers.len()),
        };
        let names = tiers.iter().map(|tier| Key::from(&*tier.name).to_string());
        Error::unfit(message).suggest(Remedy::CutByTier(names.collect()))
    }
}

/// Returns `true` if the label of a segment is its speaker.
pub(super) fn is_turn(segment: &Segment) -> bool {
    segment.speaker.as_ref() == Some(&segment.label)
}

fn is_of_turns(tier: &Tier) -> bool {
    !tier.segments.is_empty() && tier.segments.iter().all(is_turn)
}

fn has_speakers(tier: &Tier) -> bool {
    !tier.segments.is_empty() && tier.segments.iter().all(|s| s.speaker.is_some())
}
