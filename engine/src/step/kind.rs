//! The description of a step, of which the table has one for each.

use std::sync::Arc;

use spr_core::bytes::Env;
use spr_core::format::{Partitioning, Reader, Registry};
use spr_core::{Error, Result};

use super::list_cache::ListCache;
use super::unmet::Needed;
use super::values::{Parameters, Values};

/// A kind of step: every spelling, every property and how it is built. There are no defaults, so that
/// a property that was forgotten does not compile.
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
    /// The values that name files, which it reads besides the data.
    pub reads: &'static [&'static str],
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
    /// Returns `true` if what comes of an utterance depends on other utterances.
    pub across: fn(&Values) -> bool,
    /// Whether it needs utterances as a whole, rather than in chunks of rows.
    pub needs_whole: bool,
    /// Whether it may leave out utterances.
    pub leaves_out: bool,
    /// For a step that chooses by keys alone: whether it takes the keys that its values name, rather
    /// than all others.
    pub by_keys: Option<bool>,
    /// Whether it takes the share of one of several jobs. Statistics are of all shares.
    pub shares: bool,
    /// Returns `true` if it looks at this column of a table of utterances.
    pub uses: fn(&Values, &str) -> bool,
    /// Returns `true` if it reads what comes before it a second time.
    pub reads_twice: fn(&Values) -> bool,
    /// Returns `true` if it does nothing with these values.
    pub is_idle: fn(&Values) -> bool,
    /// Describes it for people; PDNN's way through the format decides what some values mean.
    pub describe: fn(&Values, Partitioning) -> String,
    /// Builds it, with all values checked.
    pub build: fn(&Values) -> Result<Build>,
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

/// How much of what comes before a step is read once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The same utterances.
    Share,
    /// The utterances of all shares, if the step is one of several jobs.
    All,
}

/// Opens data once more.
pub type Again<'a> = dyn Fn(Extent) -> Result<Box<dyn Reader>> + 'a;

/// The surroundings in which steps are built.
#[derive(Clone)]
pub struct Surroundings<'a> {
    /// The environment, with files and limits.
    pub env: &'a Env,
    /// The formats, for lists of keys that are data sets.
    pub registry: Option<&'a Registry>,
    /// The pass through the data, from 0.
    pub pass: u64,
    /// PDNN's way through the format of the source.
    pub partitioning: Partitioning,
    /// Opens what comes before the step once more.
    pub again: Option<&'a Again<'a>>,
    /// The files read besides the data.
    pub files: ListCache,
}

impl<'a> Surroundings<'a> {
    /// The first pass in `env`.
    pub fn new(env: &'a Env) -> Self {
        Self {
            env,
            registry: None,
            pass: 0,
            partitioning: Partitioning::Partitions,
            again: None,
            files: ListCache::default(),
        }
    }

    /// Returns what opens the data before the step with these values once more.
    ///
    /// # Errors
    /// They can be read only once.
    pub(super) fn again(&self, step: &Values) -> Result<&'a Again<'a>> {
        self.again
            .ok_or_else(|| step.refused("what comes before it can't be read twice here"))
    }
}

/// Puts a step over a reader.
pub type Build =
    Arc<dyn Fn(Box<dyn Reader>, &Surroundings<'_>) -> Result<Box<dyn Reader>> + Send + Sync>;

/// The values that data options asked for, by step.
#[derive(Clone, Debug, Default)]
pub struct OptionValues {
    values: Vec<(&'static str, &'static str, String)>,
}

impl OptionValues {
    /// Sets a value of a step; the last one counts.
    pub fn set(&mut self, step: &'static str, value: &'static str, text: impl Into<String>) {
        self.clear(step, value);
        self.values.push((step, value, text.into()));
    }

    /// Removes a value of a step.
    pub fn clear(&mut self, step: &str, value: &str) {
        self.values
            .retain(|(own, name, _)| *own != step || *name != value);
    }

    /// A value of a step.
    pub fn get(&self, step: &str, value: &str) -> Option<&str> {
        let mut own = self.values.iter();
        let found = own.find(|(own, name, _)| *own == step && *name == value)?;
        Some(&found.2)
    }

    /// The values of a step.
    pub fn of(&self, step: &str) -> Vec<(&'static str, String)> {
        let own = self.values.iter().filter(|(own, ..)| *own == step);
        own.map(|(_, name, text)| (*name, text.clone())).collect()
    }
}
