//! The entries of the table of steps.

use std::sync::Arc;

use spr_core::{Error, Result};

use super::operation::Operation;
use super::option_values::OptionValues;
use super::unmet::Needed;
use super::values::{Parameters, Values};

/// A kind of step: its spellings, and what is the same for every step of the kind. What depends on the
/// values of a step, its `Operation` answers. There are no defaults, so that a property that was
/// forgotten does not compile.
#[non_exhaustive]
pub struct Kind {
    /// The name as a stage.
    pub name: &'static str,
    /// Other names as a stage, each for one value given on its own.
    pub aliases: &'static [Alias],
    /// The notation as a stage.
    pub usage: &'static str,
    /// A description in a few words.
    pub what: &'static str,
    /// The parameters in its brackets.
    pub parameters: Parameters,
    /// The data options of an input that ask for it.
    pub options: &'static [DataOption],
    /// The flags of the program that ask for it and stand for no data option.
    pub flags: &'static [&'static str],
    /// Its place among the steps that data options and flags ask for.
    pub phase: Phase,
    /// The data that it works on.
    pub subject: Subject,
    /// The coarsest input that it accepts.
    pub takes: Level,
    /// The level of the result, if it is no longer utterances.
    pub gives: Option<Level>,
    /// Whether it may leave out utterances.
    pub leaves_out: bool,
    /// Parses the values of a step, all of which it checks.
    pub(super) parse: fn(&Values) -> Result<Arc<dyn Operation>>,
}

impl Kind {
    /// Checks that a step of this kind gets what it needs after the steps that left `mixed`, the last
    /// one that gave something else than utterances.
    ///
    /// # Errors
    /// It needs utterances, and they are mixed.
    pub(super) fn check_level(&self, mixed: &mut Option<(&'static str, Level)>) -> Result<()> {
        if let Some((before, level)) = *mixed
            && level > self.takes
        {
            let message = format!("{}: utterances are no more behind {before}", self.name);
            return Err(Error::usage(message).hint(format!("put it before {before}")));
        }
        *mixed = self.gives.map(|level| (self.name, level)).or(*mixed);
        Ok(())
    }
}

/// Another name of a step.
#[non_exhaustive]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// The value that stands first in its brackets.
    pub value: &'static str,
    /// The notation.
    pub usage: &'static str,
    /// A description in a few words.
    pub what: &'static str,
}

/// A data option of an input: PDNN's `context=5`.
#[non_exhaustive]
pub struct DataOption {
    /// The key.
    pub key: &'static str,
    /// The program's flag for all inputs, without `--`.
    pub flag: Option<&'static str>,
    /// A description of valid values, with an example.
    pub expected: &'static str,
    /// Takes a value; `false` if it is wrong.
    pub set: fn(&mut OptionValues, &str) -> Result<bool>,
}

/// The order of the steps that data options and flags ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The time from frame to frame is set.
    FrameShift,
    /// A tier is picked.
    Tier,
    /// Speakers are taken from names.
    Speaker,
    /// Utterances are renamed; labels, text and speakers join by the new names.
    Names,
    /// Labels become what their model says that they stand for.
    Meaning,
    /// The parts of a recording become one utterance.
    Join,
    /// Utterances are cut by their segments.
    Cut,
    /// Sound gets its channels and rate.
    Sound,
    /// Frames get their neighbours.
    Context,
    /// Frames with certain labels go.
    Ignore,
    /// Labels are mapped.
    Map,
    /// Frames are shuffled.
    Shuffle,
    /// Frames are cut into partitions.
    Partition,
    /// Utterances are chosen and ordered, in the order in which this is asked for.
    Choice,
}

/// The data that a step works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Utterances by their names, lengths and sources.
    Utterances,
    /// Features, labels and other values.
    Frames,
    /// Features; utterances without them stay as they are.
    Features,
    /// Audio; utterances without it stay as they are.
    Sound,
}

impl Subject {
    /// What an utterance must have to be changed, if others stay as they are.
    pub(super) fn needed(self) -> Option<Needed> {
        match self {
            Self::Utterances | Self::Frames => None,
            Self::Features => Some(Needed {
                what: "features",
                is_in: |utt| utt.features.is_some(),
            }),
            Self::Sound => Some(Needed {
                what: "sound",
                is_in: |utt| utt.audio.is_some(),
            }),
        }
    }
}

/// The level of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All of each.
    Utterances,
    /// Whole frames, mixed.
    Frames,
    /// Batches of frames or utterances.
    Batches,
}
