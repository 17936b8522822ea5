//! What a page is about, read from whole or damaged data.

use spr_core::bytes::Env;
use spr_core::format::Registry;
use spr_core::{Error, Result};

use super::Origin;
use crate::argument::{Input, Opened};
use crate::check::is_damage;
use crate::verbs::plot::Overview;

/// Faults that are kept one by one.
const KEPT: usize = 100;

/// A data set as far as it could be read.
#[derive(Debug)]
pub struct Survey {
    /// Where the data come from.
    pub origin: Origin,
    /// What was read.
    pub all: Overview,
    /// What could not be read, the first hundred of it.
    pub damage: Vec<Error>,
    /// How much could not be read.
    pub faults: u64,
}

impl Survey {
    /// Reads a data set; of a damaged file all that is whole, as `repair` finds it. `pictures` as
    /// for [`Overview::read`].
    ///
    /// # Errors
    /// It can't be opened, even as damaged, or something else than damage keeps it from being read.
    pub fn read(
        input: &Input,
        pictures: (usize, usize),
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        // What comes from a pipe is gone when the damage is seen.
        let again = input.file().is_some() || input.folder().is_some();
        let first = match input.open(registry, env) {
            Ok(opened) => Self::of(input, opened, pictures)?,
            Err(error) if is_damage(&error) && again => {
                let saved = Self::of(input, input.salvage(registry, env)?, pictures)?;
                return Ok(saved.or_else(error));
            }
            Err(error) => return Err(error),
        };
        if first.damage.is_empty() || !again {
            return Ok(first);
        }
        let opened = input.salvage(registry, env)?;
        let saved = Self::of(input, opened, pictures)?;
        match saved.all.stats.utterances < first.all.stats.utterances {
            true => Ok(first),
            false => Ok(first.damage.into_iter().fold(saved, Self::or_else)),
        }
    }

    /// With `error` if there is no other: where all utterances can be read it may be a count or an
    /// end that is wrong.
    fn or_else(mut self, error: Error) -> Self {
        if self.damage.is_empty() {
            self.damage.push(error);
            self.faults = 1;
        }
        self
    }

    fn of(input: &Input, opened: Opened, pictures: (usize, usize)) -> Result<Self> {
        let mut reader = opened.reader;
        let (mut damage, mut faults) = (Vec::new(), 0);
        let all = Overview::read_past(reader.as_mut(), Some(pictures), |error| {
            if !is_damage(&error) {
                return Err(error);
            }
            faults += 1;
            if damage.len() < KEPT {
                damage.push(error);
            }
            Ok(())
        })?;
        let origin = Origin {
            input: input.text().to_owned(),
            format: opened.format.info().name.to_owned(),
            info: reader.info().clone(),
        };
        Ok(Self {
            origin,
            all,
            damage,
            faults,
        })
    }
}
