//! The columns of a table.

use crate::delimited::Dialect;
use crate::meaning::Meaning;

/// A row as text.
pub(crate) type Row = Vec<String>;

/// The columns of a table.
pub(crate) struct Columns {
    pub(crate) dialect: Dialect,
    pub(crate) has_header: bool,
    /// The names in the header, or the numbers of the columns.
    pub(crate) names: Vec<String>,
    pub(crate) meanings: Vec<Option<Meaning>>,
    /// Set if values decided more than the file column and a single other one.
    pub(crate) guessed: bool,
    /// The corpus whose layout decided.
    pub(crate) layout: Option<&'static str>,
}

impl Columns {
    pub(crate) fn find(&self, meaning: Meaning) -> Option<usize> {
        self.meanings.iter().position(|own| *own == Some(meaning))
    }

    /// Returns the columns without a meaning.
    pub(crate) fn left(&self) -> impl Iterator<Item = &str> {
        let columns = self.meanings.iter().zip(&self.names);
        columns.filter_map(|(meaning, name)| meaning.is_none().then_some(name.as_str()))
    }

    /// Says what the columns are taken for.
    pub(crate) fn told(&self) -> String {
        let columns = self.meanings.iter().zip(&self.names).enumerate();
        let known = columns.filter_map(|(n, (meaning, name))| {
            let meaning = (*meaning)?.name();
            let is_same = !self.has_header || name == meaning;
            Some(match is_same {
                true => format!("{meaning}={}", n + 1),
                false => format!("{meaning}={} ({name})", n + 1),
            })
        });
        let of = self
            .layout
            .map_or(String::new(), |name| format!("{name}, "));
        let mut told = format!("{of}columns {}", known.collect::<Vec<_>>().join(", "));
        let left: Vec<_> = self.left().collect();
        if !left.is_empty() {
            let use_of = if self.has_header {
                "other columns"
            } else {
                "not used"
            };
            told.push_str(&format!("; {use_of}: {}", left.join(", ")));
        }
        told
    }
}
