//! The audio of utterances: `wav.scp`, with segments from `segments`.

use spr_core::bytes::{Env, Location, Locator};
use spr_core::model::{Audio, AudioReference, Decimal, Key, Span, Utterance};
use spr_core::{Error, Result};

use super::faults::Faults;
use super::layout::{Layout, SEGMENTS, TableSubject, WAVES};
use super::rules;
use super::table::Table;

/// The shortest segment that Kaldi's `extract-segments` accepts, in seconds.
pub(super) const SHORTEST: Decimal = Decimal::new(1, -1);

/// The locations of recordings, and the segments of utterances.
pub(super) struct Sound {
    waves: Option<Table>,
    segments: Option<Table>,
    /// The last recording and its location.
    last: Option<(Vec<u8>, Locator)>,
    /// The folder of the last file as written, and as found.
    found: Option<(Location, Location)>,
}

/// The fields of a line of `segments` after its key.
#[derive(Debug, PartialEq)]
pub(crate) struct Segment<'a> {
    pub(crate) recording: &'a str,
    pub(crate) start: Decimal,
    pub(crate) end: Option<Decimal>,
    pub(crate) channel: Option<u32>,
}

impl<'a> Segment<'a> {
    /// Parses `recording start end` with an optional channel. An end of -1 is that of the
    /// recording.
    ///
    /// # Errors
    /// A field is missing or none of its kind, or `extract-segments` would pass over it.
    pub(crate) fn parse(rest: &'a [u8]) -> Result<Self> {
        let text = std::str::from_utf8(rest);
        let text = text.map_err(|_| Error::malformed("is not UTF-8"))?;
        let fields: Vec<_> = text.split_ascii_whitespace().collect();
        let (recording, start, end, channel) = match *fields.as_slice() {
            [recording, start, end] => (recording, start, end, None),
            [recording, start, end, channel] => (recording, start, end, Some(channel)),
            _ => {
                let message = format!(
                    "expected a recording, a start and an end after the key, found {} fields",
                    fields.len()
                );
                return Err(Error::malformed(message));
            }
        };
        let time = |text: &str| {
            let message = || Error::malformed(format!("'{text}' is not a number of seconds"));
            Decimal::parse(text).ok_or_else(message)
        };
        let (start, end) = (time(start)?, time(end)?);
        let end = (end != Decimal::new(-1, 0)).then_some(end);
        if start.is_negative() || end.is_some_and(|end| start >= end) {
            let end = end.map_or("-1".to_owned(), |end| end.to_string());
            let message = format!("starts at {start} s and ends at {end} s");
            return Err(Error::malformed(message));
        }
        let number = |text: &str| {
            let message = format!("'{text}' is not the number of a channel");
            text.parse().map_err(|_| Error::malformed(message))
        };
        Ok(Self {
            recording,
            start,
            end,
            channel: channel.map(number).transpose()?,
        })
    }
}

impl Sound {
    /// Opens the tables. Without `sound` the locations of recordings are not returned.
    pub(super) fn open(
        layout: &Layout,
        sound: bool,
        tells: bool,
        env: &Env,
        faults: &mut Faults,
    ) -> Result<Self> {
        let mut open = |name| {
            let at = layout.file(name);
            at.map(|at| Table::open(at, tells, env, faults)).transpose()
        };
        let waves = if sound { open(WAVES)? } else { None };
        Ok(Self {
            waves: waves.map(|waves| waves.of(TableSubject::Recording)),
            segments: open(SEGMENTS)?,
            last: None,
            found: None,
        })
    }

    /// Sets the recording and the audio of an utterance.
    ///
    /// # Errors
    /// A line of it is missing or malformed.
    pub(super) fn fill(
        &mut self,
        utt: &mut Utterance,
        env: &Env,
        faults: &mut Faults,
    ) -> Result<()> {
        let (mut span, mut channel) = (Span::Whole, None);
        let mut recording = utt.key.as_bytes().to_vec();
        let mut line = None;
        if let Some(table) = &mut self.segments {
            let name = table.name().to_owned();
            let Some((rest, line_number)) = table.find(utt.key.as_bytes(), env, faults)? else {
                return Err(faults.no_line(&name));
            };
            let place = |e: Error| e.file(&name).line(line_number);
            let segment = Segment::parse(rest).map_err(place)?;
            recording = segment.recording.as_bytes().to_vec();
            span = Span::new(Some(segment.start), segment.end);
            channel = segment.channel;
            utt.meta.recording = Some(Key::from(recording.as_slice()));
            (utt.meta.start, utt.meta.end) = (Some(segment.start), segment.end);
            let number = channel.map(|channel| channel.to_string());
            utt.meta.channel = number.map(|number| Key::from(number.as_str()));
            line = Some((name, line_number));
        }
        if self.waves.is_none() {
            return Ok(());
        }
        let at = self.recording(&recording, env, faults);
        let at = at.map_err(|e| match line {
            Some((name, number)) => e.file(name).line(number),
            None => e,
        })?;
        utt.audio = Some(Audio::Reference(AudioReference {
            span,
            channel,
            shortest: span.bounds().map(|_| SHORTEST),
            ..AudioReference::new(at)
        }));
        Ok(())
    }

    /// Returns the location of a recording.
    fn recording(&mut self, key: &[u8], env: &Env, faults: &mut Faults) -> Result<Locator> {
        if let Some((last, at)) = &self.last
            && last == key
        {
            return Ok(at.clone());
        }
        let Some(table) = &mut self.waves else {
            return Err(Error::unfit("has no sound"));
        };
        let script = table.at().clone();
        let Some((rest, number)) = table.find(key, env, faults)? else {
            if let Some(fault) = faults.of(table.name()) {
                return Err(fault);
            }
            let key = Key::from(key);
            let message = format!("the recording {key} has no line in {}", table.name());
            return Err(Error::unfit(message));
        };
        let at = rules::recording(rest);
        let at = at.map_err(|e| e.file(script.to_string()).line(number))?;
        let at = self.found(&script, env.moved(at), env);
        env.names(None, &at);
        self.last = Some((key.to_vec(), at.clone()));
        Ok(at)
    }

    /// Returns the name by which a file is found from the working folder. Consecutive files of one
    /// folder need one lookup.
    fn found(&mut self, script: &Location, at: Locator, env: &Env) -> Locator {
        let Some(file) = at.location().filter(|file| file.is_relative()) else {
            return at;
        };
        let parent = file.parent().unwrap_or_else(|| "".into());
        if let (Some((before, leads)), Some(name)) = (&self.found, file.name())
            && *before == parent
        {
            let file = leads.join(name);
            return match at {
                Locator::FileAt(_, byte) => Locator::FileAt(file, byte),
                _ => Locator::File(file),
            };
        }
        let found = env.found_from(Some(script), &at);
        self.found = match found.location() {
            Some(file) if env.exists(file) => {
                let leads = file.parent().unwrap_or_else(|| "".into());
                Some((parent, leads))
            }
            _ => None,
        };
        found
    }

    /// Reads the tables to their ends.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn finish(&mut self, env: &Env, faults: &mut Faults) -> Result<()> {
        let mut tables = self.waves.iter_mut().chain(&mut self.segments);
        tables.try_for_each(|table| table.finish(env, faults))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_stretches_of_recordings() {
        let time = |text| Decimal::parse(text).unwrap();
        let segment = Segment {
            recording: "rec",
            start: time("0.45"),
            end: Some(time("0.8")),
            channel: None,
        };
        assert_eq!(Segment::parse(b"rec  0.45\t0.80").unwrap(), segment);
        let open = Segment::parse(b"rec 0 -1 1").unwrap();
        assert_eq!((open.end, open.channel), (None, Some(1)));
        for (rest, fault) in [
            (&b""[..], "0 fields"),
            (b"rec 0", "2 fields"),
            (b"rec 0 1 0 x", "5 fields"),
            (b"rec a 1", "'a'"),
            (b"rec 0 nan", "'nan'"),
            (b"rec -0.5 1", "starts at -0.5"),
            (b"rec 1 1", "ends at 1"),
            (b"rec 2 1", "ends at 1"),
            (b"rec 0 -2", "ends at -2"),
            (b"rec 0 0", "ends at 0"),
            (b"rec 0 1 A", "'A'"),
            (b"\xff 0 1", "UTF-8"),
        ] {
            let error = Segment::parse(rest).unwrap_err().to_string();
            assert!(error.contains(fault), "{}: {error}", rest.escape_ascii());
        }
    }
}
