//! The writer. Rows wait in temporary files until the types of all columns are known.

mod build;
mod cell;
mod facts;
mod file;
mod generic;
mod order;
mod schema;
mod shapes;
mod spool;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use spr_core::bytes::{Env, Location, MemoryCounter, Output, Part, Sink};
use spr_core::format::{Caps, Options, WriteSummary, Writer};
use spr_core::model::{About, Utterance};
use spr_core::{Error, Result};
use spr_syntax::shards::ShardLimits;

use crate::about::{self, Wanted};
use crate::caps;
use crate::card;
use crate::folder::CARD;
use crate::json::Json;
use crate::options::{CLASSES, SIZE, SPLIT, codec};
use crate::role::Role;
use crate::split;
use cell::{Row, RowMaker};
use facts::Facts;
use file::FileWriter;
use order::ColumnOrder;
use schema::{Columns, Stored};
use spool::{Spool, SpooledRow};

/// The most splits, each of which has a temporary file.
const MOST_SPLITS: usize = 64;
/// The most bytes of a file, unless told otherwise.
const FILE_SIZE: u64 = 500 << 20;
/// The most bytes of a value, whose offsets have 31 bits.
const MOST_BYTES: usize = 1 << 30;

/// Rows that wait, by their splits.
type Spools = Vec<(String, Spool)>;

/// A column whose rows wait.
struct Waiting {
    role: Role,
    /// The name that it stands for, of an array or a column without a field.
    name: String,
    facts: Facts,
}

pub(crate) struct DatasetWriter {
    output: Output,
    /// The file, unless it is a folder.
    main: Option<Sink>,
    caps: Caps,
    maker: RowMaker,
    about: About,
    wanted: BTreeMap<String, Wanted>,
    /// The columns whose values are made classes.
    classes: Vec<String>,
    /// The split of utterances without one.
    split: String,
    most: u64,
    columns: Vec<Waiting>,
    numbers: HashMap<(Role, String), u32>,
    splits: Spools,
    /// The sampling rates: none yet, or the only one.
    rates: Option<Option<u32>>,
    /// The order of the columns without a field.
    order: ColumnOrder,
    held: MemoryCounter,
    written: WriteSummary,
}

impl DatasetWriter {
    pub(crate) fn new(output: Output, options: &Options, about: &About, env: &Env) -> Result<Self> {
        if let Some("arrow") = output.locator().location().and_then(Location::extension) {
            let error = Error::unsupported("Arrow files are read, and not written");
            return Err(error.file(output.name()).hint("call it .parquet"));
        }
        let is_folder = output.is_folder();
        let codec = codec(options)?;
        let split = options.get(SPLIT.name).or(about.split.as_deref());
        let split = split.filter(|_| is_folder).unwrap_or(split::USUAL);
        if !split::is_name(split) {
            let message =
                format!("'{split}' names no split: letters, digits and _, with points between");
            return Err(Error::usage(message).file(output.name()));
        }
        let most = match options.get(SIZE.name) {
            Some(_) => ShardLimits::of(options)?.bytes,
            None => FILE_SIZE,
        };
        let classes = options.get(CLASSES.name).unwrap_or_default();
        let classes = classes.split('+').filter(|name| !name.is_empty());
        let main = match is_folder {
            true => None,
            false => Some(output.create(Part::Main, false)?),
        };
        Ok(Self {
            main,
            caps: caps::caps(codec),
            maker: RowMaker {
                codec,
                divides: is_folder,
                env: env.clone(),
            },
            wanted: about::wanted(about),
            about: about.clone(),
            classes: classes.map(str::to_owned).collect(),
            split: split.to_owned(),
            most,
            columns: Vec::new(),
            numbers: HashMap::new(),
            splits: Vec::new(),
            rates: None,
            order: ColumnOrder::default(),
            held: MemoryCounter::new("the names of columns and classes"),
            written: WriteSummary::default(),
            output,
        })
    }

    /// Makes the row of an utterance.
    fn make<'a>(&self, utt: &'a Utterance) -> Result<Row<'a>> {
        let made = self.caps.check(utt).and_then(|()| self.maker.make(utt));
        let made = made.and_then(|row| {
            let large = row
                .cells
                .iter()
                .find(|(_, _, cell)| cell.size() > MOST_BYTES);
            let Some((_, _, cell)) = large else {
                return self.check_classes(row);
            };
            let message = format!("has a value of {} bytes, ", cell.size());
            Err(Error::unfit(message).the_format(format!(" holds at most {MOST_BYTES}")))
        });
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    /// Checks that what is made a class is text.
    fn check_classes<'a>(&self, row: Row<'a>) -> Result<Row<'a>> {
        let is_text = |cell: &cell::Cell<'_>| match cell {
            cell::Cell::Text(_) => true,
            cell::Cell::Json(text) => text.starts_with('"'),
            _ => false,
        };
        let wrong = row.cells.iter().find(|(role, name, cell)| {
            let name = self.physical(*role, name);
            self.classes.contains(&name) && !is_text(cell)
        });
        match wrong {
            Some((role, name, _)) => {
                let name = self.physical(*role, name);
                Err(Error::unfit(format!(
                    "option classes: the column '{name}' is no text"
                )))
            }
            None => Ok(row),
        }
    }

    /// Returns the name of a column, unless another has it.
    fn physical(&self, role: Role, name: &str) -> String {
        let Some(usual) = role.names().first() else {
            return name.to_owned();
        };
        let mut wanted = self.wanted.iter();
        let wanted = wanted.find(|(_, wanted)| wanted.role == role);
        wanted.map_or_else(|| (*usual).to_owned(), |(name, _)| name.clone())
    }

    /// Returns the number of a column, which may be new.
    fn number(&mut self, role: Role, name: &str) -> Result<u32> {
        if let Some(number) = self.numbers.get(&(role, name.to_owned())) {
            return Ok(*number);
        }
        self.held.keep(
            2 * name.len() + size_of::<Waiting>(),
            &self.maker.env.limits,
        )?;
        let number = u32::try_from(self.columns.len());
        let number = number.map_err(|_| Error::limit("too many columns"))?;
        let physical = self.physical(role, name);
        let wanted = self
            .wanted
            .get(&physical)
            .filter(|wanted| wanted.role == role);
        let told = wanted.and_then(|wanted| wanted.told.as_ref());
        let classes = self.about.classes.get(&physical);
        let can_be_classes = !matches!(role, Role::Features | Role::Labels | Role::Array);
        let collect = self.classes.contains(&physical);
        let classes = classes.filter(|_| can_be_classes);
        self.columns.push(Waiting {
            role,
            name: name.to_owned(),
            facts: Facts::new(role, told, classes, collect),
        });
        self.numbers.insert((role, name.to_owned()), number);
        Ok(number)
    }

    /// Adds a row to those that wait.
    fn keep(&mut self, row: Row<'_>) -> Result<()> {
        let mut spooled: SpooledRow<'_> = Vec::with_capacity(row.cells.len());
        let mut others = Vec::new();
        for (role, name, cell) in row.cells {
            let number = self.number(role, &name)?;
            if role == Role::Tag {
                others.push(number);
            }
            let facts = &mut self.columns[number as usize].facts;
            facts.add(&cell, &mut self.held, &self.maker.env.limits)?;
            spooled.push((number, cell));
        }
        self.order.add(&others);
        if let Some(rate) = row.rate {
            self.rates = Some(match self.rates {
                None => rate,
                Some(other) => other.filter(|_| other == rate),
            });
        }
        let split = row.split.unwrap_or_else(|| self.split.clone());
        let most = match self.output.is_folder() {
            true => self.most,
            false => u64::MAX,
        };
        let at = match self.splits.iter().position(|(name, _)| *name == split) {
            Some(at) => at,
            None if self.splits.len() == MOST_SPLITS => {
                let message = format!("the split {split}, after {MOST_SPLITS} others");
                let error = Error::limit(message).file(self.output.name());
                return Err(error.hint("a file instead of a folder keeps the column split"));
            }
            None => {
                self.splits.push((split, Spool::new()?));
                self.splits.len() - 1
            }
        };
        self.splits[at].1.add(&spooled, most)
    }

    /// Writes all rows.
    fn write_all(&mut self) -> Result<()> {
        let known: Vec<_> = self
            .columns
            .iter()
            .map(|c| self.physical(c.role, &c.name))
            .collect();
        if let Some(missing) = self.classes.iter().find(|name| !known.contains(name)) {
            let message = format!("option classes: there is no column '{missing}'");
            let hint = format!("the columns are {}", known.join(", "));
            return Err(Error::usage(message).hint(hint).file(self.output.name()));
        }
        if self.splits.is_empty() {
            self.splits.push((self.split.clone(), Spool::new()?));
        }
        let waiting = std::mem::take(&mut self.columns);
        let stored = waiting.iter().zip(&known).map(|(column, name)| {
            let (form, told) = column.facts.form();
            Stored {
                role: column.role,
                name: name.clone(),
                stands_for: column.name.clone(),
                is_other: column.facts.is_other(),
                form,
                told,
            }
        });
        let rate = self.rates.flatten();
        let columns = Columns::new(stored.collect(), &self.order, rate, &self.about)?;
        let columns = Arc::new(columns);
        columns.warn_of_generic(&self.maker.env, &self.output.name());
        let spools = std::mem::take(&mut self.splits);
        match self.main.take() {
            Some(sink) => self.write_file(sink, spools, &columns),
            None => self.write_folder(spools, &columns),
        }
    }

    /// Writes all rows to one file.
    fn write_file(&mut self, sink: Sink, spools: Spools, columns: &Arc<Columns>) -> Result<()> {
        let mut file = FileWriter::new(sink, columns, self.maker.env.threads)?;
        for (_, spool) in spools {
            let mut rows = spool.finish()?;
            let count = rows.rows;
            file.add(&mut rows, count)?;
        }
        self.written.bytes += file.finish()?;
        Ok(())
    }

    /// Writes the files of each split, and the card.
    fn write_folder(&mut self, spools: Spools, columns: &Arc<Columns>) -> Result<()> {
        let mut splits = Vec::new();
        for (split, spool) in spools {
            let mut rows = spool.finish()?;
            let shards = rows.shards.clone();
            for (n, count) in shards.iter().enumerate() {
                let name = format!("data/{split}-{n:05}-of-{:05}.parquet", shards.len());
                let sink = self.output.create(Part::Member(&name), false)?;
                let mut file = FileWriter::new(sink, columns, self.maker.env.threads)?;
                file.add(&mut rows, *count)?;
                self.written.bytes += file.finish()?;
            }
            splits.push((split, rows.rows));
        }
        splits.sort_by_key(|(split, _)| split::rank(split));
        let features: Vec<(String, Json)> = columns.features();
        let text = card::make(&features, &splits, &self.about);
        let mut sink = self.output.create(Part::Member(CARD), false)?;
        sink.put(text.as_bytes())?;
        self.written.bytes += sink.finish()?;
        Ok(())
    }
}

impl Writer for DatasetWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let row = self.make(utt)?;
        self.keep(row)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.write_all()?;
        Ok(self.written)
    }
}
