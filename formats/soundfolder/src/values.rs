//! Meanings of columns without a header, by the values in them.

use std::collections::BTreeSet;

use spr_core::model::Decimal;

use crate::columns::{Columns, Row};
use crate::meaning::Meaning;

/// The look of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Nothing,
    Numbers,
    /// Single words of letters, digits and marks such as `_`.
    Names,
    Text,
}

/// Codes of genders and of splits.
const GENDERS: [&str; 6] = ["m", "f", "w", "male", "female", "other"];
const SPLITS: [&str; 7] = [
    "train",
    "dev",
    "valid",
    "validation",
    "test",
    "eval",
    "validated",
];

/// The values of the columns without a meaning.
pub(crate) struct Values<'a> {
    /// The columns, and how each looks.
    open: Vec<(usize, Look)>,
    file: usize,
    rows: &'a [Row],
    holds_text: bool,
}

impl<'a> Values<'a> {
    pub(crate) fn of(columns: &Columns, rows: &'a [Row], holds_text: bool) -> Self {
        let open = columns.meanings.iter().enumerate();
        let open = open.filter(|(_, meaning)| meaning.is_none());
        Self {
            open: open.map(|(n, _)| (n, look(rows, n))).collect(),
            file: columns.find(Meaning::File).unwrap_or_default(),
            rows,
            holds_text,
        }
    }

    fn cells(&self, column: usize) -> impl Iterator<Item = &'a str> {
        cells(self.rows, column)
    }

    fn are_among(&self, column: usize, known: &[&str]) -> bool {
        let mut all = self.cells(column);
        all.all(|cell| known.contains(&&*cell.to_lowercase()))
    }

    /// Returns `true` if values of a column come again: those of speakers do, names of files don't.
    fn are_few(&self, column: usize) -> bool {
        let count = self.cells(column).count();
        let distinct = self.cells(column).collect::<BTreeSet<_>>().len();
        match count {
            0..10 => distinct < count,
            _ => distinct * 2 <= count,
        }
    }

    fn looking(&self, wanted: Look) -> Vec<usize> {
        let found = self.open.iter().filter(|(_, look)| *look == wanted);
        found.map(|(n, _)| *n).collect()
    }

    /// Decides all columns of a table without a header.
    pub(crate) fn decide(&self, columns: &mut Columns) -> Result<(), String> {
        self.decide_text(columns)?;
        let mut speakers = Vec::new();
        for n in self.looking(Look::Names) {
            if columns.meanings[n].is_some() {
                continue;
            }
            let is_language = |cell: &str| {
                let mut parts = cell.split(['-', '_']).map(str::len);
                parts.next() == Some(2) && parts.all(|len| len == 2)
            };
            if self.are_among(n, &GENDERS) {
                columns.meanings[n] = Some(Meaning::Gender);
            } else if self.are_among(n, &SPLITS) {
                columns.meanings[n] = Some(Meaning::Split);
            } else if self.cells(n).all(is_language) {
                return Err(format!(
                    "column {} may be the language or the speaker",
                    n + 1
                ));
            } else if self.are_few(n) {
                speakers.push(n);
                continue;
            } else {
                continue;
            }
            columns.guessed = true;
        }
        match *speakers.as_slice() {
            [] => {}
            [n] => {
                columns.meanings[n] = Some(Meaning::Speaker);
                columns.guessed = true;
            }
            [n, m, ..] => {
                return Err(format!(
                    "columns {} and {} may both be the speaker",
                    n + 1,
                    m + 1
                ));
            }
        }
        self.decide_times(columns)
    }

    /// Decides which column is the text.
    fn decide_text(&self, columns: &mut Columns) -> Result<(), String> {
        let is_open = |n: &usize| columns.meanings[*n].is_none();
        let texts = self.looking(Look::Text);
        let names: Vec<_> = self
            .looking(Look::Names)
            .into_iter()
            .filter(is_open)
            .collect();
        let numbers = self.looking(Look::Numbers);
        let both = |n: usize, m: usize| {
            let (n, m) = (n + 1, m + 1);
            Err(format!("columns {n} and {m} may both be the text"))
        };
        // In LJSpeech, columns 2 and 3 are the text and the same normalised, which may be empty.
        let is_lj = self.file == 0 && columns.dialect.delimiter == b'|' && columns.names.len() == 3;
        let is_alone = self.open.len() == 1;
        let found = match (&*texts, &*names, &*numbers) {
            ([n], [m, ..], _) if self.are_few(*n) && !self.are_few(*m) => return both(*n, *m),
            ([n], ..) => Some(*n),
            ([1, 2], [], _) if is_lj => {
                columns.meanings[2] = Some(Meaning::Normalized);
                Some(1)
            }
            ([n, m, ..], ..) => return both(*n, *m),
            ([], [2], [1]) if is_lj && self.holds_text && !self.are_few(2) => {
                columns.meanings[2] = Some(Meaning::Normalized);
                Some(1)
            }
            ([], [1], []) if is_lj && self.holds_text => Some(1),
            ([], [n], _) if is_alone && (self.holds_text || !self.are_few(*n)) => Some(*n),
            ([], [n], _) => return Err(format!("column {} may be the text or the speaker", n + 1)),
            ([], [n, m, ..], _) => return both(*n, *m),
            ([], [], [n]) if is_alone && self.holds_text => Some(*n),
            ([], [], [n, ..]) => {
                return Err(format!("column {} may be the text or a number", n + 1));
            }
            ([], [], []) if self.holds_text => self.open.first().map(|(n, _)| *n),
            ([], [], []) => None,
        };
        if let Some(n) = found {
            columns.meanings[n] = Some(Meaning::Text);
        }
        Ok(())
    }

    /// Decides what two columns of numbers are: start and end, or start and duration.
    fn decide_times(&self, columns: &mut Columns) -> Result<(), String> {
        let is_open = |n: &usize| columns.meanings[*n].is_none();
        let numbers: Vec<_> = self
            .looking(Look::Numbers)
            .into_iter()
            .filter(is_open)
            .collect();
        let &[first, second] = &*numbers else {
            return Ok(());
        };
        let has_point = |n: usize| self.cells(n).any(|cell| cell.contains('.'));
        if !has_point(first) && !has_point(second) {
            return Ok(());
        }
        let ends = self.are_spans(first, second, |_, second| Some(second));
        let durations = self.are_spans(first, second, Decimal::plus);
        let other = match (ends, durations) {
            (true, false) => Meaning::End,
            (false, true) => Meaning::Duration,
            (false, false) => return Ok(()),
            (true, true) => {
                let (first, second) = (first + 1, second + 1);
                return Err(format!(
                    "columns {first} and {second} may be start and end, or start and duration"
                ));
            }
        };
        columns.meanings[first] = Some(Meaning::Start);
        columns.meanings[second] = Some(other);
        columns.guessed = true;
        Ok(())
    }

    /// Returns `true` if each row is a span that ends after its start, and no span starts before the end
    /// of the one before in the same file.
    fn are_spans(
        &self,
        start: usize,
        other: usize,
        end: impl Fn(Decimal, Decimal) -> Option<Decimal>,
    ) -> bool {
        let mut before: Option<(&str, Decimal)> = None;
        self.rows.iter().all(|row| {
            let number = |n: usize| row.get(n).and_then(|cell| Decimal::parse(cell));
            let Some((start, second)) = number(start).zip(number(other)) else {
                return false;
            };
            let Some(end) = end(start, second) else {
                return false;
            };
            let file = row.get(self.file).map_or("", String::as_str);
            let follows = before.is_none_or(|(last, end)| last != file || end <= start);
            before = Some((file, end));
            follows && !start.is_negative() && start <= end
        })
    }
}

/// Returns the cells of a column that are not empty.
fn cells(rows: &[Row], column: usize) -> impl Iterator<Item = &str> {
    let cells = rows.iter().filter_map(move |row| row.get(column));
    cells.map(String::as_str).filter(|cell| !cell.is_empty())
}

fn look(rows: &[Row], column: usize) -> Look {
    let is_name = |cell: &str| {
        let mut bytes = cell.bytes();
        bytes.all(|b| b.is_ascii_alphanumeric() || b"_-./".contains(&b))
    };
    let mut all = cells(rows, column).peekable();
    if all.peek().is_none() {
        return Look::Nothing;
    }
    let (mut numbers, mut names) = (true, true);
    for cell in all {
        numbers &= Decimal::parse(cell).is_some();
        names &= is_name(cell);
    }
    match (numbers, names) {
        (true, _) => Look::Numbers,
        (false, true) => Look::Names,
        (false, false) => Look::Text,
    }
}
