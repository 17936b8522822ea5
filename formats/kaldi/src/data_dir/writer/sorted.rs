//! The completion of a directory: all tables, sorted by key.

use spr_core::format::WriteSummary;
use spr_core::loss::LossKind;
use spr_core::model::{Decimal, Key, Utterance};
use spr_core::stage::{SortKey, SortedReader, Sorter};
use spr_core::{Error, Remedy, Result};

use super::super::layout::{
    FEATURES, FRAME_SHIFT, RECO2DUR, SEGMENTS, SPK2GENDER, SPK2UTT, TEXT, TableSubject as Table,
    UTT2DUR, UTT2FRAMES, UTT2GENDER, UTT2LANG, UTT2SPK, WAVES, tag_tables,
};
use super::row::{duration, tag};
use super::tables::Tables;
use super::{DataWriter, MEMORY};

impl DataWriter {
    /// Writes all tables.
    ///
    /// # Errors
    /// The system refuses, or two utterances or two recordings have the same name.
    pub(super) fn write_tables(mut self) -> Result<WriteSummary> {
        if let Some(features) = self.features.take() {
            let written = spr_core::format::Writer::finish(Box::new(features))?;
            self.written.bytes += written.bytes;
            self.written.rounded = written.rounded;
        }
        let mut tables = Tables::new(self.output.clone());
        let none = || Sorter::new(SortKey::Key, MEMORY / 2);
        let (rows, waves) = (
            std::mem::replace(&mut self.rows, none()).finish()?,
            std::mem::replace(&mut self.waves, none()).finish()?,
        );
        let speakers = self.write_utterances(rows, &mut tables)?;
        self.write_recordings(waves, &mut tables)?;
        self.write_speakers(speakers, &mut tables)?;
        if let Some(shift) = self.common.and_then(|common| common.frame_shift()) {
            tables.put(FRAME_SHIFT, &[shift.to_string().as_bytes(), b"\n"])?;
        }
        if self.known.utterances == 0 {
            // A directory without utterances is still one.
            [UTT2SPK, SPK2UTT]
                .iter()
                .try_for_each(|name| tables.put(name, &[]))?;
        }
        self.tell();
        self.written.bytes += tables.finish()?;
        self.written.rounded.append(&self.lost);
        Ok(self.written)
    }

    /// Writes the tables of utterances, and collects their speakers.
    fn write_utterances(
        &mut self,
        mut rows: SortedReader,
        tables: &mut Tables,
    ) -> Result<SortedReader> {
        let mut speakers = Sorter::new(SortKey::Key, MEMORY);
        let (mut row, mut before) = (Utterance::default(), Key::default());
        let mut last = Key::default();
        while rows.next(&mut row)? {
            if row.key == before {
                return Err(self.twice(&row.key));
            }
            before.set(row.key.as_bytes());
            self.write_row(&row, tables)?;
            let key = row.key.as_bytes();
            let speaker = row.meta.speaker.as_ref().unwrap_or(&row.key).clone();
            tables.line(UTT2SPK, key, speaker.as_bytes())?;
            if speaker < last {
                let message = format!(
                    "speaker {speaker} comes after {last}, which validate_data_dir.sh refuses"
                );
                let hint = "let the names of utterances start with those of their speakers";
                let warning = Error::unfit(message).utterance(&row.key).hint(hint);
                self.env
                    .warn(&warning.file(format!("{}/{UTT2SPK}", self.output.name())));
            }
            last.set(speaker.as_bytes());
            // A blank sorts before all characters of names.
            row.key
                .set(&[speaker.as_bytes(), b" ", before.as_bytes()].concat());
            (row.text, row.audio) = (None, None);
            row.meta.speaker = Some(speaker);
            let of_speaker = |name: &[u8]| name == b"spk2warp" || name == b"spk2sid";
            row.meta.tags.retain(|tag| of_speaker(&tag.key));
            speakers.push(&row)?;
        }
        speakers.finish()
    }

    fn twice(&self, key: &Key) -> Error {
        let message = "comes twice, and a data directory has one line for each name";
        let error = Error::unfit(message).utterance(key);
        error.file(self.output.name()).suggest(Remedy::KeepOnlyOne)
    }

    /// Writes the lines of an utterance, except that of its speaker.
    fn write_row(&mut self, row: &Utterance, tables: &mut Tables) -> Result<()> {
        let (key, meta) = (row.key.as_bytes(), &row.meta);
        if self.known.texts > 0 {
            tables.line(TEXT, key, row.text.as_deref().unwrap_or_default())?;
        }
        if self.known.stretches > 0 {
            tables.line(SEGMENTS, key, &segment(row))?;
        }
        if let Some(place) = tag(row, FEATURES) {
            tables.line(FEATURES, key, place)?;
        }
        if let Some(language) = &meta.language {
            match self.known.is_all(self.known.languages) {
                true => tables.line(UTT2LANG, key, language.as_bytes())?,
                false => self
                    .lost
                    .add(LossKind::Metadata, &row.key, Some("language")),
            }
        }
        if let Some(gender) = &meta.gender
            && !self.known.is_all(self.known.genders)
        {
            tables.line(UTT2GENDER, key, gender.as_bytes())?;
        }
        if let Some(duration) = duration(row).filter(|_| self.known.has_table(UTT2DUR)) {
            let text = duration.to_string();
            tables.line(UTT2DUR, key, text.as_bytes())?;
            if self.known.stretches == 0 && row.audio.is_some() {
                tables.line(RECO2DUR, key, text.as_bytes())?;
            }
        }
        for table in tag_tables() {
            let name = table.name;
            let (Some(value), false) = (
                tag(row, name),
                name == UTT2DUR && self.known.has_table(name),
            ) else {
                continue;
            };
            let counted = name != UTT2FRAMES || value != b"0";
            match (self.known.has_table(name), table.by) {
                (true, Table::Utterance) if counted => tables.line(name, key, value)?,
                (true, _) => {}
                (false, _) => self.lost.add(LossKind::Metadata, &row.key, Some(name)),
            }
        }
        Ok(())
    }

    /// Writes the tables of recordings.
    fn write_recordings(&mut self, mut waves: SortedReader, tables: &mut Tables) -> Result<()> {
        let (mut wave, mut before) = (Utterance::default(), Utterance::default());
        while waves.next(&mut wave)? {
            if wave.key == before.key {
                if tag(&wave, WAVES) != tag(&before, WAVES) {
                    let message = "is the name of two recordings in different places";
                    let error = Error::unfit(message).utterance(&wave.key);
                    return Err(error.file(format!("{}/{WAVES}", self.output.name())));
                }
                self.agree(Table::Recording, &wave.key, [&before, &wave])?;
                continue;
            }
            let key = wave.key.as_bytes();
            tables.line(WAVES, key, tag(&wave, WAVES).unwrap_or_default())?;
            for table in tag_tables().filter(|table| table.by == Table::Recording) {
                let name = table.name;
                let own = name == RECO2DUR && self.known.stretches == 0;
                if let Some(value) = tag(&wave, name)
                    && self.known.has_table(name)
                    && !(own && self.known.has_table(UTT2DUR))
                {
                    tables.line(name, key, value)?;
                }
            }
            std::mem::swap(&mut wave, &mut before);
        }
        Ok(())
    }

    /// Writes the tables of speakers. Each key consists of the speaker followed by an utterance.
    fn write_speakers(&mut self, mut rows: SortedReader, tables: &mut Tables) -> Result<()> {
        let (mut row, mut first) = (Utterance::default(), Utterance::default());
        while rows.next(&mut row)? {
            let speaker = row.meta.speaker.clone().unwrap_or_default();
            let name = speaker.as_bytes();
            let utt = row.key.as_bytes().get(name.len()..).unwrap_or_default();
            let gender = |row: &Utterance| row.meta.gender_letter();
            if first.meta.speaker.as_ref() == Some(&speaker) {
                tables.put(SPK2UTT, &[utt])?;
                let genders = [gender(&first), gender(&row)];
                if self.known.is_all(self.known.genders) {
                    self.agreed(SPK2GENDER, Table::Speaker, &speaker, genders)?;
                }
                self.agree(Table::Speaker, &speaker, [&first, &row])?;
                continue;
            }
            let end: &[u8] = if first.meta.speaker.is_some() {
                b"\n"
            } else {
                b""
            };
            tables.put(SPK2UTT, &[end, name, utt])?;
            if let Some(letter) = gender(&row).filter(|_| self.known.is_all(self.known.genders)) {
                tables.line(SPK2GENDER, name, letter)?;
            }
            for table in tag_tables().filter(|table| table.by == Table::Speaker) {
                let table = table.name;
                if let Some(value) = tag(&row, table).filter(|_| self.known.has_table(table)) {
                    tables.line(table, name, value)?;
                }
            }
            std::mem::swap(&mut row, &mut first);
        }
        match first.meta.speaker {
            Some(_) => tables.put(SPK2UTT, &[b"\n"]),
            None => Ok(()),
        }
    }

    /// Checks that two rows about one speaker or recording have the same values.
    fn agree(&self, by: Table, key: &Key, rows: [&Utterance; 2]) -> Result<()> {
        let written = tag_tables().filter(|table| self.known.has_table(table.name));
        written
            .filter(|table| table.by == by)
            .try_for_each(|table| {
                let values = rows.map(|row| tag(row, table.name));
                self.agreed(table.name, by, key, values)
            })
    }

    /// Checks that two values of one line are the same.
    fn agreed(&self, name: &str, by: Table, key: &Key, values: [Option<&[u8]>; 2]) -> Result<()> {
        let [first, other] = values.map(|value| Key::from(value.unwrap_or_default()));
        if first == other {
            return Ok(());
        }
        let what = by.name();
        let message = format!("{what} {key} has the values '{first}' and '{other}'");
        let error = Error::unfit(message).file(format!("{}/{name}", self.output.name()));
        Err(error.hint("a table has one value a line: make the inputs agree, or leave one out"))
    }

    /// Reports generated names.
    fn tell(&self) {
        let known = &self.known;
        let tell = |count: u64, message: &str| {
            if count > 0 {
                let warning = Error::unfit(format!(
                    "{count} of {} utterances {message}",
                    known.utterances
                ));
                self.env.warn(&warning.file(self.output.name()));
            }
        };
        tell(
            known.utterances - known.speakers,
            "have no speaker: each is its own",
        );
        if known.texts > 0 {
            tell(
                known.utterances - known.texts,
                "have no text: their lines are empty",
            );
        }
    }
}

/// Returns the line of an utterance in `segments` after its key.
fn segment(row: &Utterance) -> Vec<u8> {
    let meta = &row.meta;
    let recording = meta.recording.as_ref().unwrap_or(&row.key);
    let start = meta.start.unwrap_or(Decimal::ZERO);
    let whole = || duration(row).filter(|_| meta.start.is_none());
    let end = meta.end.or_else(whole).unwrap_or(Decimal::new(-1, 0));
    let mut line = recording.as_bytes().to_vec();
    line.extend_from_slice(format!(" {start} {end}").as_bytes());
    if let Some(channel) = &meta.channel {
        line.push(b' ');
        line.extend_from_slice(channel.as_bytes());
    }
    line
}
