//! `report`: a survey of a data set as far as it can be read. [`spr_plot::page`] makes the page.

use std::time::{SystemTime, UNIX_EPOCH};

use spr_core::bytes::{Env, OpenedFiles};
use spr_core::format::{Registry, Request};
use spr_core::{Error, Result};
use spr_plot::page::{PICTURE, Report, Subject};
use spr_plot::{Detail, Overview};

use super::check::is_damage;
use crate::argument::OpenedInput;
use crate::plan::Plan;

/// The number of errors kept.
pub const KEPT: usize = 100;

/// Reads a data set, with the audio of the displayed utterances if it has at most `sound` bytes; of
/// a damaged file, the intact part, as in `repair`.
///
/// # Errors
/// It cannot be opened, even as damaged, or reading fails for another reason than damage.
pub fn report(input: &Plan, sound: u64, registry: &Registry, env: &Env) -> Result<Report> {
    let files = OpenedFiles::default();
    let env = &env.measuring(files.clone());
    // A pipe cannot be read again when damage is found.
    let again = input.file().is_some() || input.folder().is_some();
    let request = Request::all().samples();
    let first = match input.open_whole(request.clone(), registry, env) {
        Ok(opened) => Ok(read(input, sound, opened, &files)?),
        Err(error) if is_damage(&error) && again => Err(error),
        Err(error) => return Err(error),
    };
    if let Ok(report) = first.as_ref()
        && (report.damage.is_empty() || !again)
    {
        return first;
    }
    let opened = input.open_whole(request.damaged(), registry, env)?;
    let saved = read(input, sound, opened, &files)?;
    Ok(match first {
        Ok(first) if saved.all.survey.utterances < first.all.survey.utterances => first,
        Ok(first) => first.damage.into_iter().fold(saved, or_else),
        Err(error) => or_else(saved, error),
    })
}

/// Adds `error` if there is no other: if all utterances can be read, a count or the end may be
/// wrong.
fn or_else(mut report: Report, error: Error) -> Report {
    if report.damage.is_empty() {
        report.damage.push(error);
        report.faults = 1;
    }
    report
}

/// Returns date and time in UTC.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let minutes = since.unwrap_or_default().as_secs() / 60;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let (year, month, day) = date(minutes / (24 * 60));
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Returns the date `days` days after 1 January 1970.
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

fn read(input: &Plan, sound: u64, opened: OpenedInput, files: &OpenedFiles) -> Result<Report> {
    let mut reader = opened.reader;
    let (mut damage, mut faults) = (Vec::new(), 0);
    let detail = Detail {
        clip: Some(sound),
        ..Detail::new(PICTURE.0, PICTURE.1)
    };
    let all = Overview::read_past(reader.as_mut(), Some(detail), |error| {
        // An utterance that can't be read, such as one whose sound is missing, costs only itself.
        if !is_damage(&error) && !error.can_continue() {
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
        files: files.sum(),
        read: now(),
    };
    Ok(Report {
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
