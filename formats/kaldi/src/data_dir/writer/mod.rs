//! The writer of data directories: features and audio immediately, sorted tables at the end.

mod field_counts;
mod places;
mod row;
mod sorted;
mod sound;
mod tables;
mod words;

use spr_core::bytes::{Env, Locator, Output, Part};
use spr_core::format::{Caps, Options, WriteSummary, Writer};
use spr_core::loss::LossReport;
use spr_core::model::{Tag, Utterance};
use spr_core::stage::{SortKey, Sorter};
use spr_core::{Error, Result};

use super::faults::is_no_folder;
use super::layout::{FEATURES, NAME, UTT2FRAMES};
use crate::sinks::Sinks;
use crate::writer::{KaldiWriter, TableStyle};
use field_counts::FieldCounts;
use places::{Places, paths};
use row::{Common, Recordings};
pub(super) use words::TRANSCRIPT;

/// The features archive in a directory.
const ARCHIVE: &str = "data/feats.ark";
/// The memory for lines to be sorted, in bytes.
const MEMORY: u64 = 32 << 20;

/// Checks the options for writing.
///
/// # Errors
/// A value is invalid.
pub(super) fn check_options(options: &Options) -> Result<()> {
    paths(options).map(drop)
}

/// A writer of a data directory.
pub(super) struct DataWriter {
    caps: Caps,
    output: Output,
    env: Env,
    style: Option<TableStyle>,
    places: Places,
    features: Option<KaldiWriter>,
    common: Option<Common>,
    recordings: Recordings,
    known: FieldCounts,
    /// Rows to be sorted: utterances without their numbers, and recordings.
    rows: Sorter,
    waves: Sorter,
    last_wave: Utterance,
    lost: LossReport,
    written: WriteSummary,
    scratch: Utterance,
}

impl DataWriter {
    pub(super) fn new(
        caps: Caps,
        style: TableStyle,
        output: Output,
        options: &Options,
        env: &Env,
    ) -> Result<Self> {
        let Locator::Folder(folder) = output.locator() else {
            return Err(is_no_folder(&output.name()));
        };
        Ok(Self {
            caps,
            places: Places::new(folder, options, env)?,
            env: env.clone(),
            style: Some(style),
            features: None,
            common: None,
            recordings: Recordings::default(),
            known: FieldCounts::default(),
            rows: Sorter::new(SortKey::Key, MEMORY),
            waves: Sorter::new(SortKey::Key, MEMORY / 2),
            last_wave: Utterance::default(),
            lost: LossReport::default(),
            written: WriteSummary::default(),
            scratch: Utterance::default(),
            output,
        })
    }

    fn check(&mut self, utt: &Utterance) -> Result<()> {
        row::check(utt, &self.caps)?;
        if let Some(common) = self.common {
            common.check(utt)?;
        }
        self.check_sound(utt)
    }

    fn refused(&self, error: Error, utt: &Utterance) -> Error {
        let error = error.file(self.output.name());
        error.utterance(&utt.key).continuable()
    }

    /// Writes the numbers of an utterance, and returns the rest for the tables.
    fn row(&mut self, utt: &Utterance) -> Result<Utterance> {
        let mut row = Utterance {
            key: utt.key.clone(),
            meta: utt.meta.clone(),
            ..Utterance::default()
        };
        row.text.clone_from(&utt.text);
        if utt.features.is_some() {
            // The features tell it.
            row.meta.tags.retain(|tag| tag.key != UTT2FRAMES.as_bytes());
        }
        row::remove_unfit(&mut row, &mut self.lost);
        self.write_sound(utt, &mut row)?;
        self.write_features(utt, &mut row)?;
        Ok(row)
    }

    /// Writes the features of an utterance, and sets their location.
    fn write_features(&mut self, utt: &Utterance, row: &mut Utterance) -> Result<()> {
        let Some(features) = &utt.features else {
            return Ok(());
        };
        let writer = match (&mut self.features, self.style.take()) {
            (Some(writer), _) => writer,
            (none, Some(style)) => {
                let archive = self.output.create(Part::Member(ARCHIVE), false)?;
                none.insert(KaldiWriter::new(Sinks::only(archive), style, &self.env))
            }
            (None, None) => return Err(Error::unfit("has features after the end")),
        };
        let at = writer.position() + utt.key.as_bytes().len() as u64 + 1;
        self.scratch.key.set(utt.key.as_bytes());
        self.scratch.features_mut().clone_from(features);
        writer.write(&self.scratch)?;
        let place = format!("{}:{at}", self.places.own(ARCHIVE)?);
        let frames = features.rows().to_string();
        let tags = &mut row.meta.tags;
        tags.push(Tag::new(NAME, UTT2FRAMES, frames));
        tags.push(Tag::new(NAME, FEATURES, place));
        Ok(())
    }
}

impl Writer for DataWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map_err(|e| self.refused(e, utt))
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        let row = self.row(utt)?;
        self.common.get_or_insert_with(|| Common::of(utt));
        self.known.count(&row);
        self.rows.push(&row)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        self.write_tables()
    }
}
