//! Lookup of rows by key.

use std::collections::HashMap;
use std::sync::Arc;

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::format::{Options, RandomAccess, Request, Weight};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::Places;

use crate::batch::TableFile;
use crate::groups::{Groups, RowChoice};
use crate::parquet::ParquetFile;
use crate::reader::Chosen;
use crate::row::{self, RowReader};
use crate::rows::Rows;

/// The rows of a Parquet file by their keys.
pub(crate) struct KeyTable {
    file: ParquetFile,
    chosen: Chosen,
    rows: HashMap<Key, u64>,
    keys: Vec<Key>,
    twice: Option<Key>,
    reader: RowReader,
    name: Arc<str>,
}

/// Opens a Parquet file for lookup.
///
/// # Errors
/// It is damaged, or an option does not fit its columns.
pub(crate) fn open(
    source: Source,
    options: &Options,
    request: &Request,
    env: &Env,
) -> Result<KeyTable> {
    let name: Arc<str> = source.name().into();
    let location = source.location().cloned();
    let file = ParquetFile::open(source, env.limits)?;
    let here = |e: Error| e.file(&*name);
    let mut tell = |guess: Error| env.warn(&here(guess));
    let chosen = Chosen::of(file.schema(), options, request, &mut tell).map_err(here)?;
    let mut table = KeyTable {
        file,
        chosen,
        rows: HashMap::new(),
        keys: Vec::new(),
        twice: None,
        reader: RowReader::new(Places::new(location.as_ref(), env), env),
        name: name.clone(),
    };
    let mut held = MemoryCounter::new("the names of utterances");
    let (rows, keys, twice) = (&mut table.rows, &mut table.keys, &mut table.twice);
    let mut add = |key: Key, row: u64| {
        held.keep(2 * key.as_bytes().len(), &env.limits)?;
        match rows.contains_key(&key) {
            // The first one counts.
            true => drop(twice.get_or_insert(key)),
            false => {
                rows.insert(key.clone(), row);
                keys.push(key);
            }
        }
        Ok(())
    };
    each_key(
        &table.file,
        &table.chosen,
        request.on_error.skips(),
        env,
        &mut add,
    )
    .map_err(here)?;
    Ok(table)
}

/// Passes on the key of each row, with the number of the row.
fn each_key(
    file: &ParquetFile,
    chosen: &Chosen,
    lenient: bool,
    env: &Env,
    each: &mut dyn FnMut(Key, u64) -> Result<()>,
) -> Result<()> {
    let Some(column) = chosen.layout.of_keys().map(Arc::new) else {
        for row in 0..file.rows() {
            each(Key::generated(row), row)?;
        }
        return Ok(());
    };
    let columns = vec![column];
    let mut groups = Groups::new(file, columns.clone(), RowChoice::default());
    let mut generated = 0;
    loop {
        let rows = match groups.next() {
            Ok(Some(rows)) => rows,
            Ok(None) => return Ok(()),
            Err(error) if lenient => {
                env.tell_skipped(&error);
                continue;
            }
            Err(error) => return Err(error.fatal()),
        };
        let cells = row::cells(&columns, rows.batch.columns());
        for (at, number) in rows.numbers.iter().enumerate() {
            let key = match row::key_of(&cells, at) {
                Ok(Some(key)) => Key::from(key),
                Ok(None) => {
                    generated += 1;
                    Key::generated(generated - 1)
                }
                Err(error) => {
                    let error = error.context(format!("row {number}"));
                    let error = error.file(file.name());
                    match lenient {
                        true => env.tell_skipped(&error),
                        false => return Err(error),
                    }
                    continue;
                }
            };
            each(key, *number)?;
        }
    }
}

/// Weighs the rows of a file: its keys are read, and a row has its part of the row group.
///
/// # Errors
/// The file is damaged, or `each` fails.
pub(crate) fn weigh(
    source: Source,
    options: &Options,
    env: &Env,
    each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
) -> Result<bool> {
    let name = source.name().to_owned();
    let TableFile::Parquet(file) = TableFile::open(source, env.limits)? else {
        return Ok(false);
    };
    let chosen = Chosen::of(file.schema(), options, &Request::names(), &mut |_| {});
    let chosen = chosen.map_err(|e| e.file(&name))?;
    let groups = file.groups();
    let mut at = 0;
    let mut weigh_one = |key: Key, row: u64| {
        while groups.get(at).is_some_and(|rows| !rows.contains(&row)) {
            at += 1;
        }
        let rows = groups.get(at).map_or(1, |rows| rows.end - rows.start);
        let weight = Weight {
            frames: None,
            bytes: Some(file.group_bytes(at.min(groups.len() - 1)) / rows.max(1)),
        };
        each(&key, weight)
    };
    each_key(&file, &chosen, false, env, &mut weigh_one)?;
    Ok(true)
}

impl RandomAccess for KeyTable {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(row) = self.rows.get(key).copied() else {
            return Ok(false);
        };
        let columns = &self.chosen.columns;
        let Some(Rows { batch, .. }) = self.file.row(row, columns)? else {
            return Ok(false);
        };
        if batch.num_rows() == 0 {
            return Ok(false);
        }
        utt.start();
        utt.key = key.clone();
        let cells = row::cells(columns, batch.columns());
        let read = row::key_of(&cells, 0).and_then(|found| match found {
            Some(found) if found != key.as_bytes() => {
                let found = Key::from(found);
                Err(Error::malformed(format!(
                    "the key is {found} when read again"
                )))
            }
            _ => self.reader.fill(&cells, 0, utt),
        });
        read.map_err(|e| {
            let e = e.context(format!("row {row}")).utterance(key);
            e.file(&*self.name).continuable()
        })?;
        utt.origin.file = Some(self.name.clone());
        Ok(true)
    }

    fn keys(&self) -> Option<Vec<Key>> {
        Some(self.keys.clone())
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        Ok(self.twice.clone())
    }
}
