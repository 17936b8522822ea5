//! Expressions over the [columns](crate::COLUMNS) of utterances: `seconds > 1 and text != ""`.
//!
//! ```text
//! any        = all { "or" all }
//! all        = not { "and" not }
//! not        = "not" not | "(" any ")" | comparison
//! comparison = value [ ("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "~") value ]
//! value      = COLUMN | NUMBER | TEXT
//! ```
//!
//! `and`, `or` and `not` may be in capitals. A number is decimal, and may end with `k` for thousands.
//! Text is in single or double quotes; a quote inside is doubled. `~` finds its right side in its left:
//! a part of a text, or a word of a list. A column alone is true if its value is known. A comparison
//! with a value that is not known is false, whatever the sign. Text is compared byte by byte.

mod parse;
mod words;

use std::borrow::Cow;
use std::str::FromStr;

use spr_core::{Error, Result};

use crate::listing::{Cell, ListColumn, Row};
pub(crate) use words::misplaced;

/// An expression that is true or false of an utterance.
#[derive(Clone, Debug)]
pub struct Expression(Condition);

#[derive(Clone, Debug)]
enum Condition {
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Box<Condition>),
    IsKnown(&'static ListColumn),
    Compare(Operand, Sign, Operand),
}

/// A side of a comparison.
#[derive(Clone, Debug)]
enum Operand {
    Column(&'static ListColumn),
    Number(f64),
    Text(String),
}

/// A sign of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Contains,
}

impl FromStr for Expression {
    type Err = Error;

    /// Parses an expression.
    ///
    /// # Errors
    /// It is not one; the error points at the place.
    fn from_str(text: &str) -> Result<Self> {
        parse::expression(text).map(Self)
    }
}

impl Expression {
    /// Returns `true` if the expression is true of an utterance.
    pub fn holds(&self, row: &Row<'_>) -> bool {
        self.0.holds(row)
    }

    /// Returns the names of its columns, as often as they stand there.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.columns().iter().map(|column| column.name).collect()
    }

    /// Returns the columns that it compares, each once.
    pub fn compared(&self) -> Vec<&'static ListColumn> {
        let mut found = Vec::new();
        self.0.compared(&mut found);
        found
    }
}

impl Condition {
    fn holds(&self, row: &Row<'_>) -> bool {
        match self {
            Self::Any(each) => each.iter().any(|one| one.holds(row)),
            Self::All(each) => each.iter().all(|one| one.holds(row)),
            Self::Not(inner) => !inner.holds(row),
            Self::IsKnown(column) => column.take(row).is_some(),
            Self::Compare(left, sign, right) => match (left.cell(row), right.cell(row)) {
                (Some(left), Some(right)) => sign.holds(&left, &right),
                _ => false,
            },
        }
    }

    fn columns(&self) -> Vec<&'static ListColumn> {
        match self {
            Self::Any(each) | Self::All(each) => each.iter().flat_map(Self::columns).collect(),
            Self::Not(inner) => inner.columns(),
            Self::IsKnown(column) => vec![column],
            Self::Compare(left, _, right) => {
                let sides = [left, right].into_iter();
                sides.filter_map(Operand::column).collect()
            }
        }
    }

    fn compared(&self, found: &mut Vec<&'static ListColumn>) {
        let mut add = |column: &'static ListColumn| {
            if !found.iter().any(|other| other.name == column.name) {
                found.push(column);
            }
        };
        match self {
            Self::Any(each) | Self::All(each) => each.iter().for_each(|one| one.compared(found)),
            Self::Not(inner) => inner.compared(found),
            Self::IsKnown(_) => {}
            Self::Compare(left, _, right) => {
                for side in [left, right] {
                    if let Operand::Column(column) = side {
                        add(column);
                    }
                }
            }
        }
    }
}

impl Operand {
    fn column(&self) -> Option<&'static ListColumn> {
        match self {
            Self::Column(column) => Some(column),
            Self::Number(_) | Self::Text(_) => None,
        }
    }

    fn cell<'a>(&'a self, row: &'a Row<'_>) -> Option<Cell<'a>> {
        match self {
            Self::Column(column) => column.take(row),
            Self::Number(number) => Some(Cell::Number(*number)),
            Self::Text(text) => Some(Cell::Text(text.as_bytes().into())),
        }
    }
}

impl Sign {
    fn holds(self, left: &Cell<'_>, right: &Cell<'_>) -> bool {
        if let (Some(left), Some(right)) = (number(left), number(right)) {
            return self.orders(left.partial_cmp(&right));
        }
        match (self, left, right) {
            (Self::Contains, Cell::Words(words), Cell::Text(word)) => {
                words.iter().any(|own| own.as_bytes() == &**word)
            }
            (Self::Contains, ..) => contains(&bytes(left), &bytes(right)),
            _ => self.orders(Some(bytes(left).cmp(&bytes(right)))),
        }
    }

    fn orders(self, order: Option<std::cmp::Ordering>) -> bool {
        order.is_some_and(|order| match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
            Self::Contains => false,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn number(cell: &Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Count(count) => Some(*count as f64),
        Cell::Number(number) => Some(*number),
        Cell::Text(_) | Cell::Words(_) => None,
    }
}

/// Returns the bytes of text, or of words joined by `+`, as tables have them.
pub(crate) fn bytes<'a>(cell: &'a Cell<'_>) -> Cow<'a, [u8]> {
    match cell {
        Cell::Text(text) => Cow::Borrowed(text),
        Cell::Words(words) => words.join("+").into_bytes().into(),
        Cell::Count(_) | Cell::Number(_) => Cow::default(),
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests;
