//! The reader of a file.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_schema::Schema;
use spr_core::bytes::{Env, Location, Source};
use spr_core::format::{KeyPredicate, Options, Reader, Request, Subset};
use spr_core::model::{About, DatasetInfo, Key, KeySource, Tag, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::Places;
use spr_syntax::manifest::columns::COLUMN;

use crate::batch::{Batches, TableFile};
use crate::groups::RowChoice;
use crate::guard::guarded;
use crate::layout::{Column, Layout};
use crate::names;
use crate::role::Role;
use crate::row::{self, RowReader};
use crate::rows::Rows;
use crate::split;

/// What a file is read for.
#[derive(Clone, Default)]
pub(crate) struct Place {
    /// The split of its rows, if they are told by a column of that name.
    pub(crate) column: Option<String>,
    /// The number of rows without a key in the files before.
    pub(crate) numbered: Arc<AtomicU64>,
    /// The rows that are read, where not all are.
    pub(crate) run: Option<Range<u64>>,
    /// Whether what is guessed was told for a file before.
    pub(crate) is_told: bool,
}

/// The columns of a file that are read.
pub(crate) struct Chosen {
    pub(crate) layout: Layout,
    pub(crate) columns: Vec<Arc<Column>>,
    /// What is left out in favour of what, where rows have sound and features.
    left_out: Option<(&'static str, &'static str)>,
}

impl Chosen {
    /// Chooses the columns that `request` asks for.
    ///
    /// # Errors
    /// As for [`Layout::of`].
    pub(crate) fn of(
        schema: &Schema,
        options: &Options,
        request: &Request,
        told: &mut dyn FnMut(Error),
    ) -> Result<Self> {
        let (layout, guesses) = Layout::of(schema, options)?;
        guesses.into_iter().for_each(told);
        let mut fields = request.parts;
        let has = |role: Role| layout.of_role(role).is_some();
        let has_both = has(Role::Audio) && has(Role::Features) && fields.audio && fields.features;
        let left_out = match (request.forms.audio, request.forms.features) {
            (false, true) if has_both => {
                fields.audio = false;
                Some(("the sound is", "features"))
            }
            (true, false) if has_both => {
                fields.features = false;
                Some(("the features are", "sound"))
            }
            _ => None,
        };
        let keys = layout.of_keys();
        let wanted = |column: &Column| match &keys {
            _ if column.role.is_among(&fields) => Some(column.clone()),
            Some(keys) if keys.index == column.index => Some(keys.clone()),
            _ => None,
        };
        let columns = layout.columns.iter().filter_map(wanted);
        let columns = columns.map(Arc::new).collect();
        Ok(Self {
            layout,
            columns,
            left_out,
        })
    }

    /// Returns `true` if the key of a row does not depend on the rows before.
    pub(crate) fn can_skip(&self) -> bool {
        let keys = self.layout.of_keys();
        keys.is_none_or(|column| column.role == Role::Key)
    }
}

/// Returns the number of rows of a Parquet file that has keys. Of others it may not be known.
pub(crate) fn rows(at: &Location, options: &Options, env: &Env) -> Option<u64> {
    let file = TableFile::open(env.open_file(at).ok()?, env.limits).ok()?;
    let chosen = Chosen::of(file.schema(), options, &Request::names(), &mut |_| {}).ok()?;
    let keys = chosen.layout.of_keys()?;
    file.rows().filter(|_| keys.role == Role::Key)
}

/// Takes the run of a request, out of so many rows.
pub(crate) fn take_run(request: &mut Request, rows: u64) -> Option<Range<u64>> {
    match request.take_run()? {
        Subset::Run { first, end } => Some(first.min(rows)..end.min(rows).max(first.min(rows))),
        Subset::EveryNth { .. } => None,
    }
}

pub(crate) struct TableReader {
    batches: Batches,
    chosen: Chosen,
    rows: Option<(Rows, usize)>,
    reader: RowReader,
    place: Place,
    wanted: Option<KeyPredicate>,
    file: Arc<str>,
    env: Env,
    info: DatasetInfo,
}

impl TableReader {
    /// Opens a file.
    ///
    /// # Errors
    /// It is damaged, or an option does not fit its columns.
    pub(crate) fn new(
        source: Source,
        options: &Options,
        request: &mut Request,
        place: Place,
        env: &Env,
    ) -> Result<Self> {
        let name: Arc<str> = source.name().into();
        let location = source.location().cloned();
        let compression = source.compression();
        let file = TableFile::open(source, env.limits)?;
        let mut tell = |guess: Error| {
            if !place.is_told {
                env.warn(&guess.file(&*name));
            }
        };
        let chosen = Chosen::of(file.schema(), options, request, &mut tell);
        let chosen = chosen.map_err(|e| e.file(&*name))?;
        let keys = chosen.layout.of_keys();
        let mut info = DatasetInfo::new(match keys {
            Some(_) => KeySource::Stored,
            None => KeySource::Generated,
        });
        info.utterances = file.rows();
        let run = place.run.clone().or_else(|| match &file {
            TableFile::Parquet(file) if chosen.can_skip() => take_run(request, file.rows()),
            _ => None,
        });
        if let Some(run) = &run {
            info.utterances = Some(run.end - run.start);
            if keys.is_none() {
                place.numbered.fetch_add(run.start, Ordering::Relaxed);
            }
        }
        let wanted = request.take_keys();
        let choice = RowChoice {
            run,
            keys: keys.map(Arc::new).zip(wanted.clone()),
        };
        info.compression = compression;
        info.about = chosen.layout.about.clone();
        let split = location.as_ref().and_then(split::of_file);
        info.about.split = info.about.split.take().or(split);
        Ok(Self {
            batches: file.batches(chosen.columns.clone(), choice),
            chosen,
            rows: None,
            reader: RowReader::new(Places::new(location.as_ref(), env), env),
            place,
            wanted,
            file: name,
            env: env.clone(),
            info,
        })
    }

    /// Changes what the data set says of itself.
    pub(crate) fn say(&mut self, change: impl FnOnce(&mut About)) {
        change(&mut self.info.about);
    }

    /// Reads a row into `utt`. Returns `false` if its key is not wanted.
    fn row(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some((rows, at)) = &mut self.rows else {
            return Ok(false);
        };
        let row = *at;
        let number = rows.numbers.get(row).copied().unwrap_or_default();
        *at += 1;
        let cells = row::cells(&self.chosen.columns, rows.batch.columns());
        utt.start();
        utt.key.set(b"");
        let reader = &mut self.reader;
        let wanted = &self.wanted;
        let numbered = &self.place.numbered;
        // Code of the library may panic on arrays of damaged files here, too.
        let read = guarded_row(|| {
            match row::key_of(&cells, row)? {
                Some(key) => utt.key.set(&key),
                None => utt.key = Key::generated(numbered.fetch_add(1, Ordering::Relaxed)),
            }
            if wanted.as_ref().is_some_and(|wanted| !wanted(&utt.key)) {
                return Ok(false);
            }
            reader.fill(&cells, row, utt)?;
            Ok(true)
        });
        let read = read.map_err(|e| {
            let e = match utt.key.as_bytes() {
                b"" => e,
                _ => e.utterance(&utt.key),
            };
            e.context(format!("row {number}"))
                .file(&*self.file)
                .continuable()
        })?;
        utt.origin.file = Some(self.file.clone());
        Ok(read)
    }

    /// Adds the split, and tells what was not as it may seem.
    fn complete(&mut self, utt: &mut Utterance) {
        if let Some(split) = &self.place.column {
            let mut value = Vec::new();
            spr_syntax::json::write_text(split, &mut value);
            let tags = &mut utt.meta.tags;
            tags.retain(|tag| tag.format != COLUMN || tag.key != names::SPLIT.as_bytes());
            tags.push(Tag::new(COLUMN, names::SPLIT, value));
        }
        let placed = |message: String| {
            let warning = Error::unfit(message).file(&*self.file);
            warning.utterance(&utt.key)
        };
        if let Some((left, right)) = self.chosen.left_out.take() {
            let message = format!("{left} left out in favour of the {right}, here and below");
            self.env.warn_left_out(&placed(message));
        }
        let stored = utt.audio.as_ref().and_then(|audio| audio.facts().rate());
        if let (Some(rate), Some(stored)) = (self.chosen.layout.rate, stored)
            && rate != i64::from(stored)
        {
            self.chosen.layout.rate = None;
            let message = format!(
                "has {stored} samples a second, although the data set says {rate}, here and below"
            );
            self.env.warn(&placed(message));
        }
    }
}

/// Runs code that reads a row, and reports a panic as damage.
fn guarded_row<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut failed = None;
    let done = guarded(|| {
        run().map_err(|e| {
            let words = e.to_string();
            failed = Some(e);
            words
        })
    });
    done.map_err(|e| failed.unwrap_or(e))
}

impl Reader for TableReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            let is_left = |(rows, at): &(Rows, usize)| *at < rows.batch.num_rows();
            if !self.rows.as_ref().is_some_and(is_left) {
                // The memory of the rows before is free before others are read.
                self.rows = None;
                match self.batches.next()? {
                    Some(rows) => self.rows = Some((rows, 0)),
                    None => return Ok(false),
                }
                continue;
            }
            if self.row(utt)? {
                self.complete(utt);
                return Ok(true);
            }
        }
    }
}
