//! Columns by which utterances are sorted, grouped and paired: `speaker,-seconds`.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use spr_core::{Error, Remedy, Result};

use crate::listing::{Cell, ListColumn, Row};
use crate::query::{bytes, misplaced};

/// A list of columns by which utterances are sorted, grouped or paired, with commas between. A `-` before a
/// name sorts from high to low.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderColumns(Vec<OrderColumn>);

#[derive(Clone, Copy, Debug)]
struct OrderColumn {
    column: &'static ListColumn,
    descends: bool,
}

impl PartialEq for OrderColumn {
    fn eq(&self, other: &Self) -> bool {
        (self.column.name, self.descends) == (other.column.name, other.descends)
    }
}

impl Eq for OrderColumn {}

impl FromStr for OrderColumns {
    type Err = Error;

    /// Parses columns to sort by.
    ///
    /// # Errors
    /// One does not exist, is known only where data are listed, or is named twice; the error points at it.
    fn from_str(text: &str) -> Result<Self> {
        let mut columns: Vec<OrderColumn> = Vec::new();
        let mut at = 0;
        for part in text.split(',') {
            let word = part.trim();
            let place = at + part.len() - part.trim_start().len();
            at += part.len() + 1;
            let found = one(word).and_then(|found| {
                let name = found.column.name;
                match columns.iter().any(|other| other.column.name == name) {
                    true => Err(Error::usage(format!("'{name}' is named twice"))),
                    false => Ok(found),
                }
            });
            columns.push(found.map_err(|error| misplaced(text, place, error))?);
        }
        Ok(Self(columns))
    }
}

/// Parses a column with its direction.
fn one(word: &str) -> Result<OrderColumn> {
    let (name, descends) = match word.strip_prefix('-') {
        Some(name) => (name, true),
        None => (word, false),
    };
    if name.is_empty() {
        let error = Error::usage("expected a column");
        return Err(error.hint("such as speaker or -seconds, with commas between"));
    }
    if let Some((name, direction)) = name.split_once([':', ' ', '='])
        && ListColumn::find(name).is_ok()
    {
        let error = Error::usage(format!("'{direction}' is no direction"));
        return Err(error.hint(format!("-{name} sorts from high to low")));
    }
    let column = ListColumn::of_any(name)?;
    Ok(OrderColumn { column, descends })
}

impl fmt::Display for OrderColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|one| match one.descends {
            true => format!("-{}", one.column.name),
            false => one.column.name.to_owned(),
        });
        f.write_str(&names.collect::<Vec<_>>().join(","))
    }
}

impl OrderColumns {
    /// Parses columns by which utterances are grouped or paired, which have no direction.
    ///
    /// # Errors
    /// As for parsing, or there is a direction.
    pub fn undirected(text: &str) -> Result<Self> {
        let columns: Self = text.parse()?;
        match columns.0.iter().find(|one| one.descends) {
            Some(one) => {
                let name = one.column.name;
                Err(Error::usage(format!("'-{name}': nothing is sorted here"))
                    .hint(format!("did you mean '{name}'?")))
            }
            None => Ok(columns),
        }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|one| one.column.name)
    }
}

/// The values of columns as bytes that are in the order of the utterances, and counts of those that are
/// not known.
#[derive(Debug)]
pub struct OrderValues {
    columns: OrderColumns,
    utterances: AtomicU64,
    unknown: Vec<AtomicU64>,
}

impl OrderValues {
    /// Counts from zero.
    pub fn new(columns: OrderColumns) -> Self {
        Self {
            utterances: AtomicU64::new(0),
            unknown: columns.0.iter().map(|_| AtomicU64::new(0)).collect(),
            columns,
        }
    }

    /// Appends the values of an utterance, and returns `true` if all are known. Values that are not known
    /// come last, in both directions.
    pub fn append(&self, row: &Row<'_>, out: &mut Vec<u8>) -> bool {
        self.utterances.fetch_add(1, Relaxed);
        let mut all = true;
        for (one, unknown) in self.columns.0.iter().zip(&self.unknown) {
            let cell = one.column.take(row);
            out.push(u8::from(cell.is_none()));
            let Some(cell) = cell else {
                unknown.fetch_add(1, Relaxed);
                all = false;
                continue;
            };
            let start = out.len();
            append(&cell, out);
            if one.descends {
                out[start..].iter_mut().for_each(|byte| *byte = !*byte);
            }
        }
        all
    }

    /// Returns the columns.
    pub fn columns(&self) -> &OrderColumns {
        &self.columns
    }

    /// Returns the values of an utterance in words, `-` for what is not known.
    pub fn label(&self, row: &Row<'_>) -> String {
        let words = self.columns.0.iter().map(|one| match one.column.take(row) {
            None => "-".to_owned(),
            Some(Cell::Count(n)) => n.to_string(),
            Some(Cell::Number(n)) => n.to_string(),
            Some(cell) => String::from_utf8_lossy(&bytes(&cell)).into_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns a warning for each column that is not known of all utterances, which says what becomes of
    /// the others.
    pub fn warnings(&self, outcome: &str) -> Vec<Error> {
        let all = self.utterances.load(Relaxed);
        let counts = self.unknown.iter().map(|count| count.load(Relaxed));
        let unknown = self.columns.names().zip(counts).filter(|(_, n)| *n > 0);
        let warning = |(name, n): (&'static str, u64)| {
            let who = match n {
                n if n == all => "no utterance has".to_owned(),
                1 => "1 utterance has no".to_owned(),
                n => format!("{n} utterances have no"),
            };
            let warning = Error::unfit(format!("{who} '{name}': {outcome}"));
            match name {
                "seconds" => warning.suggest(Remedy::TellFrameShift),
                "speaker" => warning.suggest(Remedy::NameSpeakers),
                _ => warning,
            }
        };
        unknown.map(warning).collect()
    }
}

/// Appends a value as bytes in the order of the values, none of which starts with another.
fn append(cell: &Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Count(count) => out.extend(count.to_be_bytes()),
        Cell::Number(number) => {
            // Without the sign of zero.
            let bits = (number + 0.0).to_bits();
            let sign = 1 << 63;
            let ordered = match bits & sign == 0 {
                true => bits | sign,
                false => !bits,
            };
            out.extend(ordered.to_be_bytes());
        }
        Cell::Text(_) | Cell::Words(_) => {
            for byte in bytes(cell).iter() {
                out.push(*byte);
                // Two zeros are the end.
                out.extend((*byte == 0).then_some(0xff));
            }
            out.extend([0, 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spr_core::model::{Decimal, Key, Utterance};

    use super::*;

    fn encoded(cell: &Cell<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        append(cell, &mut out);
        out
    }

    proptest! {
        #[test]
        fn bytes_are_in_the_order_of_values(
            a in any::<f64>(), b in any::<f64>(), n in any::<u64>(), m in any::<u64>(),
            x in prop::collection::vec(prop_oneof![Just(0u8), Just(255), any::<u8>()], 0..4),
            y in prop::collection::vec(prop_oneof![Just(0u8), Just(255), any::<u8>()], 0..4),
        ) {
            let number = |n| encoded(&Cell::Number(n));
            if let Some(order) = a.partial_cmp(&b) {
                prop_assert_eq!(number(a).cmp(&number(b)), order);
            }
            let count = |n| encoded(&Cell::Count(n));
            prop_assert_eq!(count(n).cmp(&count(m)), n.cmp(&m));
            let text = |text: &Vec<u8>| encoded(&Cell::Text(text.clone().into()));
            prop_assert_eq!(text(&x).cmp(&text(&y)), x.cmp(&y));
        }
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(encoded(&Cell::Number(-0.0)), encoded(&Cell::Number(0.0)));
    }

    fn utterance(speaker: Option<&str>, start: Option<&str>) -> Utterance {
        let mut utt = Utterance::default();
        utt.meta.speaker = speaker.map(Key::from);
        utt.meta.start = start.and_then(Decimal::parse);
        utt
    }

    #[test]
    fn unknown_values_are_last_and_counted() {
        let all = [
            utterance(Some("b"), None),
            utterance(None, Some("1")),
            utterance(Some("a"), Some("2")),
            utterance(Some("b"), Some("10")),
            utterance(Some("b"), Some("9")),
        ];
        let sorted = |text: &str| {
            let values = OrderValues::new(text.parse().unwrap());
            let mut order: Vec<_> = (0..all.len()).collect();
            order.sort_by_key(|i| {
                let mut out = Vec::new();
                values.append(&Row::new(&all[*i], None), &mut out);
                out
            });
            order
        };
        assert_eq!(sorted("speaker,start"), [2, 4, 3, 0, 1]);
        assert_eq!(sorted("-speaker , -start"), [3, 4, 0, 2, 1]);
        let values = OrderValues::new("start,gender".parse().unwrap());
        for utt in &all {
            values.append(&Row::new(utt, None), &mut Vec::new());
        }
        let told = values.warnings("they come last");
        let told: Vec<_> = told.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "1 utterance has no 'start': they come last",
                "no utterance has 'gender': they come last"
            ]
        );
        let values = OrderValues::new("seconds,speaker,gender".parse().unwrap());
        values.append(&Row::new(&all[1], None), &mut Vec::new());
        let told = values.warnings("it comes last");
        let remedies: Vec<_> = told.iter().map(Error::remedy).collect();
        let wanted = [
            Some(&Remedy::TellFrameShift),
            Some(&Remedy::NameSpeakers),
            None,
        ];
        assert_eq!(remedies, wanted);
    }

    #[test]
    fn faults_are_pointed_at() {
        for (text, fault) in [
            (
                "speaker,secnds",
                "speaker,^secnds, character 9: there is no column 'secnds'",
            ),
            ("key, -key", "key, ^-key, character 6: 'key' is named twice"),
            ("", "^, character 1: expected a column"),
            ("key,", "key,^, character 5: expected a column"),
            (
                "seconds:desc",
                "^seconds:desc, character 1: 'desc' is no direction",
            ),
            (
                "offset",
                "^offset, character 1: 'offset' is known only where data are listed",
            ),
        ] {
            let error = text.parse::<OrderColumns>().unwrap_err();
            assert_eq!(error.to_string(), fault);
        }
        assert!(OrderColumns::undirected("-key").is_err());
        let columns = OrderColumns::undirected("recording, start").unwrap();
        assert_eq!(columns.to_string(), "recording,start");
    }
}
