//! Fields of a line after the fourth, as tags `FIELD5`, `FIELD6`, … . If an entry has several
//! lines, a tag contains the fields of all, separated by blanks.

use spr_core::model::Tag;
use spr_core::number::parse_integer;
use spr_core::{Error, Result};

use crate::contents::tag;
use crate::header::{print, shown};
use crate::vocabulary::Dialect;

const FIELD: &[u8] = b"FIELD";
/// The number of the first field without a defined meaning.
const FIRST: usize = 5;

/// Returns the number of the field in a tag with this key.
fn field_of(key: &[u8]) -> Option<usize> {
    let number: usize = parse_integer(key.strip_prefix(FIELD)?)?;
    (number >= FIRST && key == name(number).as_slice()).then_some(number)
}

fn name(number: usize) -> Vec<u8> {
    [FIELD, number.to_string().as_bytes()].concat()
}

/// Returns `true` if a tag with this key contains fields of lines.
pub(crate) fn is_field(key: &[u8]) -> bool {
    field_of(key).is_some()
}

/// Appends a header line, with the spr name of its key.
pub(super) fn write_line(
    dialect: Dialect,
    data: &[u8],
    key: &[u8],
    value: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    print::pair(dialect, dialect.name_of(data, key), value, out).map_err(|why| {
        let key = shown(key);
        Error::unfit(format!("the header line {key} can't be stored: {why}"))
    })
}

/// The fields after the fourth of the lines of one entry.
#[derive(Default)]
pub(crate) struct ExtraFields {
    columns: Vec<Vec<u8>>,
    lines: usize,
}

impl ExtraFields {
    /// Adds those of a line, or returns the reason why that is impossible.
    pub(crate) fn add<'a>(&mut self, fields: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let mut n = 0;
        for field in fields {
            if self.lines == 0 {
                self.columns.push(Vec::new());
            }
            if let Some(column) = self.columns.get_mut(n) {
                if self.lines > 0 {
                    column.push(b' ');
                }
                column.extend_from_slice(field);
            }
            n += 1;
        }
        if n != self.columns.len() {
            let expected = self.columns.len() + FIRST - 1;
            let found = n + FIRST - 1;
            return Err(format!(
                "{found} fields, but {expected} in the line before of the same file"
            ));
        }
        self.lines += 1;
        Ok(())
    }

    /// Converts all of them to tags.
    pub(crate) fn into_tags(self) -> impl Iterator<Item = Tag> {
        let columns = self.columns.into_iter().enumerate();
        columns.map(|(n, column)| tag(&name(n + FIRST), &column))
    }
}

/// Returns the fields in tags, one list for each of `lines`, or the reason why they are invalid.
pub(crate) fn extra(tags: &[Tag], lines: usize) -> Result<Vec<Vec<&[u8]>>, String> {
    let mut columns: Vec<_> = tags
        .iter()
        .filter_map(|tag| Some((field_of(&tag.key)?, tag.value.as_slice())))
        .collect();
    columns.sort_unstable();
    let mut all = vec![Vec::new(); lines];
    for (n, (number, value)) in columns.into_iter().enumerate() {
        if number != n + FIRST {
            return Err(format!("there is a field {number} but not all before it"));
        }
        let fields: Vec<_> = value.split(|b| *b == b' ').collect();
        let words = |field: &&[u8]| !field.is_empty() && !field.iter().any(super::lines::is_blank);
        if fields.len() != lines || !fields.iter().all(words) {
            let key = String::from_utf8_lossy(FIELD);
            return Err(format!(
                "{key}{number} is not one word for each of {lines} lines"
            ));
        }
        for (line, field) in all.iter_mut().zip(fields) {
            line.push(field);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let mut all = ExtraFields::default();
        for line in [[&b"a"[..], b"b"], [b"c", b"d"]] {
            all.add(line.into_iter()).unwrap();
        }
        let tags: Vec<_> = all.into_tags().collect();
        assert_eq!(tags, [tag(b"FIELD5", b"a c"), tag(b"FIELD6", b"b d")]);
        let back = extra(&tags, 2).unwrap();
        assert_eq!(back, [[&b"a"[..], b"b"], [b"c", b"d"]]);
        let mut uneven = ExtraFields::default();
        uneven.add([].into_iter()).unwrap();
        assert!(uneven.add([&b"x"[..]].into_iter()).is_err());
        assert!(extra(&tags, 3).is_err());
        assert!(extra(&tags[1..], 2).is_err());
        for key in ["FIELD", "FIELD4", "FIELD05", "FIELDx", "FIELD_DESC"] {
            assert!(!is_field(key.as_bytes()));
        }
    }
}
