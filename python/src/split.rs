//! The rule by which a data set is split.

use std::ffi::OsString;

use pyo3::prelude::*;
use spr_convert::argument;
use spr_convert::core::bytes::Locator;
use spr_convert::plan::{Balance, Rule, Speakers, Split};
use spr_convert::{Error, Result};

use crate::settings::Surroundings;
use crate::text::argument;

/// A rule as a caller gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SplitArgs {
    parts: Option<u64>,
    frames: Option<u64>,
    train: Option<f64>,
    valid: Option<f64>,
    test: Option<f64>,
    by: Option<String>,
    speakers: Option<OsString>,
    balance: Option<String>,
    seed: u32,
}

impl SplitArgs {
    /// Returns the split of a plan.
    pub(crate) fn split(&self, at: &Surroundings) -> Result<Split> {
        let rule = match (self.parts, self.frames, self.train, self.valid) {
            (Some(0), None, None, None) | (None, Some(0), None, None) => {
                return Err(Error::usage("parts and frames: expected 1 or more"));
            }
            (Some(n), None, None, None) => Rule::Parts(n),
            (None, Some(n), None, None) => Rule::Frames(n),
            (None, None, Some(train), None) => Rule::of_train(train)?,
            (None, None, None, Some(valid)) => Rule::of_valid(valid, self.test)?,
            _ => {
                return Err(Error::usage(
                    "expected one of parts, frames, train and valid",
                ));
            }
        };
        if self.test.is_some() && self.valid.is_none() {
            return Err(Error::usage("test goes with valid"));
        }
        Ok(Split::new(rule)
            .with_speakers(self.speakers(at)?)
            .with_balance(self.balance()?)
            .with_seed(self.seed))
    }

    fn balance(&self) -> Result<Option<Balance>> {
        match self.balance.as_deref() {
            None => Ok(None),
            Some("utterances") => Ok(Some(Balance::Utterances)),
            Some("seconds") => Ok(Some(Balance::Seconds)),
            Some(other) => {
                let message = format!("balance is utterances or seconds, not '{other}'");
                Err(Error::usage(message))
            }
        }
    }

    fn speakers(&self, at: &Surroundings) -> Result<Option<Speakers>> {
        let table = self.speakers.clone().map(argument);
        let table: Option<Locator> = table
            .map(|text| argument::table(&text, &at.registry))
            .transpose()?;
        match (table, self.by.as_deref()) {
            (Some(table), None | Some("speaker")) => Ok(Some(Speakers::Table(table))),
            (None, Some("speaker")) => Ok(Some(Speakers::Data)),
            (None, None) => Ok(None),
            (_, Some(other)) => Err(Error::usage(format!("by is speaker, not '{other}'"))),
        }
    }
}
