//! The audio of utterances: referenced, or written to a file in the directory.

use spr_core::bytes::{Location, Locator, Part};
use spr_core::loss::LossKind;
use spr_core::model::{Audio, AudioReference, Key, Tag, Utterance, Waveform};
use spr_core::recording;
use spr_core::{Error, Result};

use super::super::layout::NAME;
use super::super::layout::{SEGMENTS, WAVES};
use super::DataWriter;
use super::row::{RecordingSegment, is_of_recording, tag};
use crate::audio;

impl DataWriter {
    /// Checks that the audio of an utterance can be referenced.
    pub(super) fn check_sound(&mut self, utt: &Utterance) -> Result<()> {
        match &utt.audio {
            Some(Audio::Reference(sound)) if can_name(sound) => self.places.of(&sound.at).map(drop),
            Some(_) => member(&utt.key).map(drop),
            None => Ok(()),
        }
    }

    /// Adds a reference to the audio of an utterance. The audio is written if no table can refer to
    /// it.
    pub(super) fn write_sound(&mut self, utt: &Utterance, row: &mut Utterance) -> Result<()> {
        let sound = match &utt.audio {
            None => None,
            Some(Audio::Reference(sound)) if can_name(sound) => {
                Some((sound.clone(), self.places.of(&sound.at)?))
            }
            Some(audio) => Some(self.write_file(&utt.key, audio)?),
        };
        self.place(sound.as_ref(), row)?;
        if let Some((sound, place)) = sound {
            self.push_wave(place, row)?;
            row.audio = Some(Audio::Reference(sound));
        }
        Ok(())
    }

    /// Writes an audio file into the directory. Returns the reference to it, and its name in
    /// tables.
    fn write_file(&mut self, key: &Key, audio: &Audio) -> Result<(AudioReference, String)> {
        let name = member(key)?;
        let place = self.places.own(&name)?;
        let mut sink = self.output.create(Part::Member(&name), false)?;
        let facts = match audio {
            Audio::Encoded(encoded) => {
                sink.put(&encoded.bytes)?;
                encoded.facts
            }
            _ => {
                let mut sound = Utterance {
                    key: key.clone(),
                    audio: Some(audio.clone()),
                    ..Utterance::default()
                };
                recording::load(&mut sound, &self.env)?;
                let wav = self.env.nested(audio::WAV)?;
                wav.write(&sound, &mut |bytes| sink.put(bytes))?;
                sound.waveform().map(Waveform::facts).unwrap_or_default()
            }
        };
        self.written.bytes += sink.finish()?;
        let reference = AudioReference {
            recording: facts,
            ..AudioReference::new(Locator::file(name))
        };
        Ok((reference, place))
    }

    /// Adds the recording of an utterance. Without a table for it, the recording is lost.
    fn place(
        &mut self,
        sound: Option<&(AudioReference, String)>,
        row: &mut Utterance,
    ) -> Result<()> {
        let meta = &mut row.meta;
        let (recording, channel) = (meta.recording.take(), meta.channel.take());
        let (start, end) = (meta.start.take(), meta.end.take());
        let stretch = sound.and_then(|(sound, _)| RecordingSegment::of(sound));
        if let (Some(stretch), Some((_, place))) = (stretch, sound) {
            meta.recording = Some(self.recordings.name(recording.as_ref(), place)?);
            (meta.start, meta.end) = (Some(stretch.start), stretch.end);
            let number = stretch.channel.map(|channel| channel.to_string());
            meta.channel = number.map(|number| Key::from(number.as_str()));
            self.doubt(&stretch, &row.key);
            return Ok(());
        }
        let named = recording.is_some_and(|recording| recording != row.key);
        for (what, is_lost) in [
            ("recording", named),
            ("channel", channel.is_some()),
            ("place in the recording", start.or(end).is_some()),
        ] {
            if is_lost {
                self.lost.add(LossKind::Metadata, &row.key, Some(what));
            }
        }
        Ok(())
    }

    /// Warns about a line of `segments` that one of Kaldi's programs accepts and another rejects.
    fn doubt(&self, stretch: &RecordingSegment, key: &Key) {
        let warn = |message: &str| {
            let warning = Error::unfit(message).utterance(key);
            self.env
                .warn(&warning.file(format!("{}/{SEGMENTS}", self.output.name())));
        };
        if stretch.end.is_none() {
            warn("ends with the recording, at -1, which validate_data_dir.sh refuses");
        }
        if stretch.channel.is_some() {
            warn("has the number of a channel, which validate_data_dir.sh refuses");
        }
        if stretch.is_short() {
            warn("is shorter than 0.1 s, and extract-segments passes over it");
        }
    }

    /// Warns about a file that Kaldi's programs can't read, by its name.
    fn doubt_kind(&self, place: &str) {
        let file = Location::from(place);
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        let kind = self.env.sound_by_extension(&extension);
        if let Some(kind) = kind.filter(|kind| *kind != audio::WAV && !place.ends_with('|')) {
            let message = format!(
                "is {kind}, and Kaldi reads WAV files alone, or what a command makes of it"
            );
            self.env.warn(&Error::unfit(message).file(place));
        }
    }

    /// Keeps the recording of an utterance for `wav.scp`.
    fn push_wave(&mut self, place: String, row: &mut Utterance) -> Result<()> {
        let meta = &row.meta;
        let key = meta.recording.as_ref().unwrap_or(&row.key);
        let of_recording = meta.tags.iter().filter(|tag| is_of_recording(&tag.key));
        let last = &self.last_wave;
        let others = last
            .meta
            .tags
            .iter()
            .filter(|tag| tag.key != WAVES.as_bytes());
        let is_same = tag(last, WAVES) == Some(place.as_bytes());
        if last.key == *key && is_same && others.eq(of_recording.clone()) {
            return Ok(());
        }
        self.doubt_kind(&place);
        let mut wave = Utterance {
            key: key.clone(),
            ..Utterance::default()
        };
        wave.meta.tags.extend(of_recording.cloned());
        wave.meta.tags.push(Tag::new(NAME, WAVES, place));
        self.waves.push(&wave)?;
        self.last_wave = wave;
        Ok(())
    }
}

/// Returns `true` if a table can name a reference: neither a range whose length matters, nor a
/// stream.
fn can_name(sound: &AudioReference) -> bool {
    let named = matches!(
        sound.at,
        Locator::File(_) | Locator::FileAt(..) | Locator::Command(_)
    );
    named && sound.len.is_none()
}

/// Returns the name of an audio file in the directory.
///
/// # Errors
/// The key is no valid file name.
fn member(key: &Key) -> Result<String> {
    let fits = |part: &str| !matches!(part, "" | "." | "..");
    match key.as_str() {
        Some(text) if text.split('/').all(fits) => Ok(format!("wav/{text}.wav")),
        _ => Err(Error::unfit("the key can't be the name of a sound file")),
    }
}
