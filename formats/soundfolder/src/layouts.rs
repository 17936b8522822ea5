//! Layouts of public corpora. A new one is a row of [`LAYOUTS`].

use crate::meaning::Meaning::{self, File, Gender, Normalized, Text};

/// The columns of a corpus's tables, which have no header.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    /// Names of the tables.
    tables: &'static [&'static str],
    columns: &'static [Option<Meaning>],
}

const LAYOUTS: [Layout; 2] = [
    // File, text, normalised text, decomposed letters, seconds, English translation.
    Layout {
        name: "KSS",
        tables: &["transcript.v.1.3.txt", "transcript.v.1.4.txt"],
        columns: &[Some(File), Some(Text), Some(Normalized), None, None, None],
    },
    // Number of the sentence, file, text, normalised text, its letters, samples, gender.
    Layout {
        name: "FLEURS",
        tables: &["train.tsv", "dev.tsv", "test.tsv"],
        columns: &[None, Some(File), None, Some(Text), None, None, Some(Gender)],
    },
];

impl Layout {
    /// Returns the layout of a table with this name and first row, if a cell that should name a sound
    /// file does.
    pub(crate) fn of(
        table: &str,
        first: &[String],
        is_sound: impl Fn(&str) -> bool,
    ) -> Option<&'static Self> {
        let file = |layout: &Self| {
            let at = layout.columns.iter().position(|own| *own == Some(File))?;
            first.get(at)
        };
        LAYOUTS.iter().find(|layout| {
            let is_named = layout
                .tables
                .iter()
                .any(|name| table.eq_ignore_ascii_case(name));
            let fits = layout.columns.len() == first.len();
            is_named && fits && file(layout).is_some_and(|cell| is_sound(cell))
        })
    }

    pub(crate) fn meanings(&self) -> Vec<Option<Meaning>> {
        self.columns.to_vec()
    }
}
