//! `report`: a data set as far as it can be read, whole or damaged. [`spr_plot::page`] makes the page.

use spr_core::bytes::Env;
use spr_core::format::{Registry, Request};
use spr_core::{Error, Result};
use spr_plot::page::{PICTURE, Subject, Survey};
use spr_plot::{Detail, Overview};

use super::check::is_damage;
use crate::argument::{Input, OpenedInput};

/// Faults that are kept one by one.
pub const KEPT: usize = 100;

/// Reads a data set, with the sound of the utterances that are shown where it has no more bytes than
/// `sound`; of a damaged file all that is whole, as `repair` finds it.
///
/// # Errors
/// It can't be opened, even as damaged, or something else than damage keeps it from being read.
pub fn survey(input: &Input, sound: u64, registry: &Registry, env: &Env) -> Result<Survey> {
    // What comes from a pipe is gone when the damage is seen.
    let again = input.file().is_some() || input.folder().is_some();
    let first = match input.open(request(), registry, env) {
        Ok(opened) => read(input, sound, opened)?,
        Err(error) if is_damage(&error) && again => {
            let saved = read(
                input,
                sound,
                input.open(request().damaged(), registry, env)?,
            )?;
            return Ok(or_else(saved, error));
        }
        Err(error) => return Err(error),
    };
    if first.damage.is_empty() || !again {
        return Ok(first);
    }
    let saved = read(
        input,
        sound,
        input.open(request().damaged(), registry, env)?,
    )?;
    match saved.all.stats.utterances < first.all.stats.utterances {
        true => Ok(first),
        false => Ok(first.damage.into_iter().fold(saved, or_else)),
    }
}

/// Everything, with sound to be drawn.
fn request() -> Request {
    Request::all().samples()
}

/// With `error` if there is no other: where all utterances can be read it may be a count or an end
/// that is wrong.
fn or_else(mut survey: Survey, error: Error) -> Survey {
    if survey.damage.is_empty() {
        survey.damage.push(error);
        survey.faults = 1;
    }
    survey
}

fn read(input: &Input, sound: u64, opened: OpenedInput) -> Result<Survey> {
    let mut reader = opened.reader;
    let (mut damage, mut faults) = (Vec::new(), 0);
    let detail = Detail {
        clip: Some(sound),
        ..Detail::new(PICTURE.0, PICTURE.1)
    };
    let all = Overview::read_past(reader.as_mut(), Some(detail), |error| {
        if !is_damage(&error) {
            return Err(error);
        }
        faults += 1;
        if damage.len() < KEPT {
            damage.push(error);
        }
        Ok(())
    })?;
    let subject = Subject {
        input: input.text().to_owned(),
        format: opened.format.info().name.to_owned(),
        info: reader.info().clone(),
    };
    Ok(Survey {
        subject,
        all,
        damage,
        faults,
    })
}
