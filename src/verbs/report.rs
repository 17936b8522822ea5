//! `report`: a data set as far as it can be read, whole or damaged. [`spr_plot::page`] makes the page.

use std::time::{SystemTime, UNIX_EPOCH};

use spr_core::bytes::{Env, FileKind, Location};
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
        Ok(opened) => read(input, sound, opened, env)?,
        Err(error) if is_damage(&error) && again => {
            let saved = read(
                input,
                sound,
                input.open(request().damaged(), registry, env)?,
                env,
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
        env,
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

/// The size of a file that is no pipe.
fn bytes(file: &Location, env: &Env) -> Option<u64> {
    let look = env.look(file).ok().flatten()?;
    (look.kind == FileKind::File).then_some(look.length)
}

/// The date and the time of day, of UTC.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let minutes = since.unwrap_or_default().as_secs() / 60;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let (year, month, day) = date(minutes / (24 * 60));
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// The day so many days after 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

fn read(input: &Input, sound: u64, opened: OpenedInput, env: &Env) -> Result<Survey> {
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
        bytes: input.file().and_then(|file| bytes(file, env)),
        read: now(),
        info: reader.info().clone(),
    };
    Ok(Survey {
        subject,
        all,
        damage,
        faults,
    })
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_453, (2025, 12, 31)),
            (20_454, (2026, 1, 1)),
        ] {
            assert_eq!(date(days), expected, "{days}");
        }
    }
}
