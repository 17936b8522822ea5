//! Splits of a data set.

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Location, Locator};
use spr_core::{Error, Result};

use super::PartName;

/// The distribution of utterances over splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// Which utterances go together.
    pub(crate) rule: Rule,
    /// The source of speakers, if all utterances of a speaker stay together.
    pub(crate) speakers: Option<Speakers>,
    /// What the shares are shares of, if it was said. Speakers then go to numbered parts in any order.
    #[serde(default)]
    pub(crate) balance: Option<Balance>,
    /// The seed for drawing at random.
    pub(crate) seed: u32,
}

/// The rule of a split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A number of parts with equal numbers of utterances, one more in the first ones if necessary,
    /// as in Kaldi's `split_scp.pl`.
    Parts(u64),
    /// Parts with at most this number of frames, but at least one utterance.
    Frames(u64),
    /// Parts with at most this number of bytes of numbers, but at least one utterance.
    Bytes(u64),
    /// `train`, with this share of the utterances at random, and `valid`, with the rest.
    Train(f64),
    /// `valid` and `test`, with these shares of the utterances at random, and `train`, with the
    /// rest.
    Sets {
        /// The share of `valid`.
        valid: f64,
        /// The share of `test`.
        test: f64,
    },
}

/// What parts are shares of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balance {
    /// The number of utterances.
    Utterances,
    /// Their seconds.
    Seconds,
}

/// The source of speakers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speakers {
    /// A table of lines `utterance speaker`.
    Table(Locator),
    /// The data.
    Data,
}

/// The names of the parts of [`Rule::Train`] and [`Rule::Sets`].
const SETS: &[&str] = &["train", "valid", "test"];

impl Rule {
    /// `train` with this share of the utterances, and `valid`.
    ///
    /// # Errors
    /// It is not between 0 and 1.
    pub fn of_train(train: f64) -> Result<Self> {
        share(train).map(Self::Train)
    }

    /// `valid` and `test` with these shares of the utterances, and `train`.
    ///
    /// # Errors
    /// One, or their sum, is not between 0 and 1.
    pub fn of_valid(valid: f64, test: Option<f64>) -> Result<Self> {
        let valid = share(valid)?;
        let Some(test) = test else {
            return Ok(Self::Train(1.0 - valid));
        };
        let test = share(test)?;
        share(valid + test).map(|_| Self::Sets { valid, test })
    }

    /// Returns the names of the parts, if they have names.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Parts(_) | Self::Frames(_) | Self::Bytes(_) => &[],
            Self::Train(_) => &SETS[..2],
            Self::Sets { .. } => SETS,
        }
    }

    /// Returns the number of parts, if it is known in advance.
    pub fn parts(self) -> Option<u64> {
        match self {
            Self::Parts(n) => Some(n),
            Self::Frames(_) | Self::Bytes(_) => None,
            Self::Train(_) | Self::Sets { .. } => Some(self.names().len() as u64),
        }
    }
}

/// Checks that a share is one.
fn share(share: f64) -> Result<f64> {
    match share > 0.0 && share < 1.0 {
        true => Ok(share),
        false => {
            Err(Error::usage(format!("{share} is not a share below 1")).hint("such as 0.1 or 10%"))
        }
    }
}

impl Split {
    /// Splits by a rule, with utterances that are drawn by seed 0.
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            speakers: None,
            balance: None,
            seed: 0,
        }
    }

    /// Keeps all utterances of a speaker together, if there is a source of speakers.
    #[must_use]
    pub fn with_speakers(self, speakers: Option<Speakers>) -> Self {
        Self { speakers, ..self }
    }

    /// Sets the unit that shares are measured in.
    #[must_use]
    pub fn with_balance(self, balance: Option<Balance>) -> Self {
        Self { balance, ..self }
    }

    /// Sets the seed for drawing at random.
    #[must_use]
    pub fn with_seed(self, seed: u32) -> Self {
        Self { seed, ..self }
    }

    /// Returns the rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the unit that shares are measured in, if it was set.
    pub fn balance(&self) -> Option<Balance> {
        self.balance
    }

    /// Returns `true` if the resulting shares may differ from the requested ones.
    pub fn is_grouped(&self) -> bool {
        self.speakers.is_some() || self.balance.is_some()
    }

    /// The file that says who speaks, if there is one.
    pub(crate) fn file(&self) -> Option<Location> {
        match &self.speakers {
            Some(Speakers::Table(table)) => table.location().cloned(),
            _ => None,
        }
    }

    /// The name of a part.
    pub(crate) fn part_name(&self, part: u64) -> PartName {
        let names = self.rule.names();
        let word = usize::try_from(part).ok().and_then(|i| names.get(i));
        word.map_or(PartName::Number(part), |word| PartName::Word(word))
    }

    /// Returns `true` if each part is complete when the next one starts.
    pub(crate) fn is_in_order(&self) -> bool {
        match self.rule {
            Rule::Parts(_) => self.speakers.is_none(),
            Rule::Frames(_) | Rule::Bytes(_) => true,
            Rule::Train(_) | Rule::Sets { .. } => false,
        }
    }
}
