//! The rows of a Parquet file in order: all, those of a run, or those with wanted keys.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use spr_core::format::KeyPredicate;
use spr_core::model::Key;
use spr_core::{Error, Result};

use crate::layout::Column;
use crate::parquet::{ParquetFile, select};
use crate::row;
use crate::rows::Rows;

/// The rows that are read.
#[derive(Clone, Default)]
pub(crate) struct RowChoice {
    /// Those with these numbers.
    pub(crate) run: Option<Range<u64>>,
    /// Those whose keys, which are in this column, are wanted. Rows without a key are read, too.
    pub(crate) keys: Option<(Arc<Column>, KeyPredicate)>,
}

/// The rows of a file in order.
pub(crate) struct Groups<F> {
    file: F,
    columns: Vec<Arc<Column>>,
    keys: Option<(Arc<Column>, KeyPredicate)>,
    /// The row groups that are left, with all of their rows and those of the run.
    left: VecDeque<Group>,
    open: Option<OpenGroup>,
}

struct Group {
    number: usize,
    all: Range<u64>,
    rows: Range<u64>,
}

struct OpenGroup {
    reader: ParquetRecordBatchReader,
    number: usize,
    /// The rows that are left.
    rows: VecDeque<Range<u64>>,
}

impl OpenGroup {
    /// Returns the extent of the rows that are left.
    fn lost(&self) -> Range<u64> {
        let first = self.rows.front().map_or(0, |rows| rows.start);
        first..self.rows.back().map_or(first, |rows| rows.end)
    }

    /// Takes the numbers of the next `n` rows.
    fn take(&mut self, n: usize) -> Vec<u64> {
        let mut numbers = Vec::with_capacity(n);
        while numbers.len() < n
            && let Some(rows) = self.rows.front_mut()
        {
            numbers.extend(rows.by_ref().take(n - numbers.len()));
            if rows.is_empty() {
                self.rows.pop_front();
            }
        }
        numbers
    }
}

impl<F: Borrow<ParquetFile>> Groups<F> {
    /// Reads `columns` of the rows that are chosen.
    pub(crate) fn new(file: F, columns: Vec<Arc<Column>>, choice: RowChoice) -> Self {
        let groups = file.borrow().groups();
        let within = |(number, all): (usize, Range<u64>)| {
            let rows = match &choice.run {
                Some(run) => all.start.max(run.start)..all.end.min(run.end),
                None => all.clone(),
            };
            // A group without rows is opened as well, so that its damage is found.
            let is_read = !rows.is_empty() || choice.run.is_none();
            is_read.then_some(Group { number, all, rows })
        };
        Self {
            left: groups.into_iter().enumerate().filter_map(within).collect(),
            keys: choice.keys,
            file,
            columns,
            open: None,
        }
    }

    /// Opens a row group. Returns `None` if no row of it is wanted.
    fn open(&self, group: &Group) -> Result<Option<OpenGroup>> {
        let file = self.file.borrow();
        let rows = match &self.keys {
            Some((column, wanted)) => wanted_rows(file, group, column, wanted)?,
            None => vec![group.rows.clone()],
        };
        if rows.is_empty() {
            return Ok(None);
        }
        let is_whole = rows == [group.all.clone()];
        let selected = (!is_whole).then(|| select(&group.all, &rows));
        Ok(Some(OpenGroup {
            reader: file.open_group(group.number, &self.columns, selected)?,
            number: group.number,
            rows: rows.into(),
        }))
    }

    /// Reads the next rows. Returns `None` at the end.
    ///
    /// # Errors
    /// A row group is damaged. The next call goes on with the group after it.
    pub(crate) fn next(&mut self) -> Result<Option<Rows>> {
        loop {
            let file = self.file.borrow();
            let Some(mut open) = self.open.take() else {
                let Some(group) = self.left.pop_front() else {
                    return Ok(None);
                };
                let opened = self.open(&group);
                self.open = opened.map_err(|e| file.in_group(e, group.number, &group.rows))?;
                continue;
            };
            let lost = open.lost();
            let number = open.number;
            let here = |e: Error| file.in_group(e, number, &lost);
            match file.next_batch(&mut open.reader).map_err(here)? {
                Some(batch) => {
                    let numbers = open.take(batch.num_rows());
                    if numbers.len() != batch.num_rows() {
                        return Err(here(Error::malformed("more rows than the footer says")));
                    }
                    self.open = Some(open);
                    return Ok(Some(Rows { batch, numbers }));
                }
                None if !lost.is_empty() => {
                    let message = format!("ends before row {}", lost.start);
                    return Err(here(Error::malformed(message)));
                }
                None => {}
            }
        }
    }
}

/// Returns the rows of a row group with wanted keys, and those without a key.
fn wanted_rows(
    file: &ParquetFile,
    group: &Group,
    column: &Arc<Column>,
    wanted: &KeyPredicate,
) -> Result<Vec<Range<u64>>> {
    let columns = [column.clone()];
    let selected = select(&group.all, std::slice::from_ref(&group.rows));
    let mut reader = file.open_group(group.number, &columns, Some(selected))?;
    let mut all: Vec<Range<u64>> = Vec::new();
    let mut at = group.rows.start;
    while let Some(batch) = file.next_batch(&mut reader)? {
        let cells = row::cells(&columns, batch.columns());
        for row in 0..batch.num_rows() {
            // What is wrong with a key is told where its row is read.
            let is_wanted = match row::key_of(&cells, row) {
                Ok(Some(key)) => wanted(&Key::from(key)),
                Ok(None) | Err(_) => true,
            };
            match all.last_mut() {
                _ if !is_wanted => {}
                Some(last) if last.end == at => last.end += 1,
                _ => all.push(at..at + 1),
            }
            at += 1;
        }
    }
    match at == group.rows.end {
        true => Ok(all),
        false => Err(Error::malformed(format!("ends before row {at}"))),
    }
}
