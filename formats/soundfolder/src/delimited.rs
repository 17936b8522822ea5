//! Records of tables: cells between delimiters, quoted as in RFC 4180 or not at all.
//!
//! The `csv` crate reads `"a"b` as `ab`, and other text after a closing quote likewise. Here it is a
//! fault, by which text that only contains quotes is told from quoted cells.

use std::borrow::Cow;

/// The delimiters of tables.
pub(crate) const DELIMITERS: [u8; 4] = *b"\t|;,";

/// The form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// Set if a cell that starts with a quote ends with one, with inner quotes doubled.
    pub(crate) quoted: bool,
}

/// The cells of a record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// The number of its first line, from 1.
    pub(crate) line: u64,
    pub(crate) cells: Vec<Cow<'a, [u8]>>,
    /// Set if a cell in quotes has inner quotes.
    doubled: bool,
}

/// A line that starts no record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: u64,
    pub(crate) why: &'static str,
    /// Set if the rest of the record may be missing.
    pub(crate) cut: bool,
}

/// The records of a text, except blank lines.
pub(crate) struct Records<'a> {
    rest: &'a [u8],
    line: u64,
    dialect: Dialect,
}

/// The end of a cell.
enum End {
    Cell,
    Record,
    Text,
}

impl<'a> Records<'a> {
    pub(crate) fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Self {
            rest: text,
            line: 1,
            dialect,
        }
    }

    /// Returns the next line and what follows it, or `None` if it has no end.
    fn line_at(rest: &[u8]) -> (&[u8], Option<&[u8]>) {
        match rest.iter().position(|b| *b == b'\n') {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        }
    }

    fn record(&self) -> Result<(Record<'a>, &'a [u8]), Fault> {
        let fault = |why, cut| Fault {
            line: self.line,
            why,
            cut,
        };
        let (mut cells, mut doubled) = (Vec::new(), false);
        let mut rest = self.rest;
        loop {
            let end;
            let cell;
            match rest.strip_prefix(b"\"").filter(|_| self.dialect.quoted) {
                Some(inner) => {
                    let quoted = quoted(inner).ok_or_else(|| fault("ends inside quotes", true))?;
                    doubled |= quoted.doubled;
                    let after = quoted.after;
                    cell = quoted.value;
                    let after_return = after.strip_prefix(b"\r").unwrap_or(after);
                    (end, rest) = match (after.first(), after_return.first()) {
                        (Some(b), _) if *b == self.dialect.delimiter => (End::Cell, &after[1..]),
                        (_, Some(b'\n')) => (End::Record, &after_return[1..]),
                        (_, None) => (End::Text, after_return),
                        _ => return Err(fault("has text after a closing quote", false)),
                    };
                }
                None => {
                    let is_end = |b: &u8| *b == b'\n' || *b == self.dialect.delimiter;
                    let at = rest.iter().position(is_end).unwrap_or(rest.len());
                    let value = &rest[..at];
                    (end, rest) = match rest.get(at) {
                        None => (End::Text, &[][..]),
                        Some(b'\n') => (End::Record, &rest[at + 1..]),
                        Some(_) => (End::Cell, &rest[at + 1..]),
                    };
                    let value = match end {
                        End::Cell => value,
                        _ => value.strip_suffix(b"\r").unwrap_or(value),
                    };
                    cell = Cow::Borrowed(value);
                }
            }
            cells.push(cell);
            match end {
                End::Cell => {}
                End::Record => break,
                End::Text => {
                    return Err(fault(
                        "the last line has no line end and may be cut off",
                        true,
                    ));
                }
            }
        }
        let record = Record {
            line: self.line,
            cells,
            doubled,
        };
        Ok((record, rest))
    }

    fn go_to(&mut self, rest: &'a [u8]) {
        let passed = &self.rest[..self.rest.len() - rest.len()];
        self.line += passed.iter().filter(|b| **b == b'\n').count() as u64;
        self.rest = rest;
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (line, after) = Self::line_at(self.rest);
            if self.rest.is_empty() {
                return None;
            }
            if line.trim_ascii().is_empty() {
                self.go_to(after.unwrap_or_default());
                continue;
            }
            return Some(match self.record() {
                Ok((record, rest)) => {
                    self.go_to(rest);
                    Ok(record)
                }
                Err(fault) => {
                    self.go_to(after.unwrap_or_default());
                    Err(fault)
                }
            });
        }
    }
}

/// A cell in quotes.
struct Quoted<'a> {
    value: Cow<'a, [u8]>,
    /// The text after the closing quote.
    after: &'a [u8],
    /// Whether inner quotes were doubled.
    doubled: bool,
}

/// Reads a cell after its opening quote. Returns `None` if it has no closing quote.
fn quoted(text: &[u8]) -> Option<Quoted<'_>> {
    let mut value = Cow::Borrowed(&text[..0]);
    let (mut from, mut doubled) = (0, false);
    loop {
        let end = from + text[from..].iter().position(|b| *b == b'"')?;
        let is_doubled = text.get(end + 1) == Some(&b'"');
        let piece = &text[from..end + usize::from(is_doubled)];
        match &mut value {
            value if value.is_empty() => *value = Cow::Borrowed(piece),
            value => value.to_mut().extend_from_slice(piece),
        }
        if !is_doubled {
            let after = &text[end + 1..];
            return Some(Quoted {
                value,
                after,
                doubled,
            });
        }
        (from, doubled) = (end + 2, true);
    }
}

/// Returns the value of a cell in quotes that has inner quotes, all of which are doubled.
pub(crate) fn undoubled(cell: &[u8]) -> Option<Cow<'_, [u8]>> {
    let cell = quoted(cell.strip_prefix(b"\"")?)?;
    (cell.doubled && cell.after.is_empty()).then_some(cell.value)
}

/// The counts by which a dialect is judged.
#[derive(Default)]
struct Fit {
    /// Faults, and records of another width than the first.
    odd: usize,
    /// Cells that are not empty, and those of them that begin with a quote.
    cells: usize,
    literal: usize,
    /// Set if a cell in quotes has inner quotes.
    doubled: bool,
}

impl Fit {
    fn of(text: &[u8], dialect: Dialect) -> Self {
        let (mut fit, mut width) = (Self::default(), None);
        for record in Records::new(text, dialect) {
            let record = match record {
                Ok(record) => record,
                Err(_) => {
                    fit.odd += 1;
                    continue;
                }
            };
            let width = *width.get_or_insert(record.cells.len());
            fit.odd += usize::from(record.cells.len() != width);
            let starts = record.cells.iter().filter(|cell| cell.starts_with(b"\""));
            fit.literal += starts.count();
            fit.cells += record.cells.iter().filter(|cell| !cell.is_empty()).count();
            fit.doubled |= record.doubled;
        }
        fit
    }
}

/// Returns the dialect of a table with this delimiter.
///
/// Between commas and semicolons, quotes are those of RFC 4180. Between tabs and bars, where writers
/// seldom quote, a cell such as `"Hello."` is text unless nearly all cells are in quotes, others need
/// their quotes, or inner quotes are doubled throughout.
pub(crate) fn dialect(text: &[u8], delimiter: u8) -> Dialect {
    let dialect = |quoted| Dialect { delimiter, quoted };
    if !text.contains(&b'"') || matches!(delimiter, b',' | b';') {
        return dialect(true);
    }
    let (plain, quoted) = (Fit::of(text, dialect(false)), Fit::of(text, dialect(true)));
    let needs_quotes = quoted.odd < plain.odd || (quoted.doubled && quoted.odd == 0);
    dialect(needs_quotes || plain.literal * 10 >= plain.cells * 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str, delimiter: u8) -> Vec<Vec<String>> {
        let records = Records::new(text.as_bytes(), dialect(text.as_bytes(), delimiter));
        let shown = |record: Record<'_>| {
            let cells = record.cells.iter();
            cells
                .map(|cell| String::from_utf8_lossy(cell).into_owned())
                .collect()
        };
        records
            .map(|record| match record {
                Ok(record) => shown(record),
                Err(fault) => vec![format!("{}: {}", fault.line, fault.why)],
            })
            .collect()
    }

    #[test]
    fn quotes_are_undone_where_they_are_quotes() {
        for (text, delimiter, expected) in [
            (
                "a,b\r\n\r\nc,d\n",
                b',',
                &[&["a", "b"][..], &["c", "d"]][..],
            ),
            ("a,\"b, c\"\n", b',', &[&["a", "b, c"]]),
            ("a,\"b\nc\"\nd,e\n", b',', &[&["a", "b\nc"], &["d", "e"]]),
            ("a,\"b \"\"c\"\"\"\n", b',', &[&["a", "b \"c\""]]),
            ("a,\"\"\n", b',', &[&["a", ""]]),
            (
                "a,\"b\" c\nd,e\n",
                b',',
                &[&["1: has text after a closing quote"], &["d", "e"]],
            ),
            ("a\t\"b\"\n", b'\t', &[&["a", "\"b\""]]),
            ("\"a\"\t\"b\"\n", b'\t', &[&["a", "b"]]),
            (
                "a\t\"\"\"b\"\", c\"\nd\t\"e\tf\"\n",
                b'\t',
                &[&["a", "\"b\", c"], &["d", "e\tf"]],
            ),
            ("a\t\"b\nc\td\n", b'\t', &[&["a", "\"b"], &["c", "d"]]),
            (
                "a,b\nc,d",
                b',',
                &[
                    &["a", "b"],
                    &["2: the last line has no line end and may be cut off"],
                ],
            ),
        ] {
            assert_eq!(cells(text, delimiter), expected, "{text:?}");
        }
    }

    #[test]
    fn doubled_quotes_are_undone_if_all_are() {
        for (cell, expected) in [
            (
                "\"\"\"Nothing\"\", said Ann.\"",
                Some("\"Nothing\", said Ann."),
            ),
            ("\"Nothing\"", None),
            ("\"\"Nothing\"\"", None),
            ("\"a \"\"b\" c\"", None),
            ("\"", None),
        ] {
            let undone = undoubled(cell.as_bytes());
            assert_eq!(undone.as_deref(), expected.map(str::as_bytes), "{cell}");
        }
    }
}
