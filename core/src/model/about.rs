//! What a data set says of itself.

use std::collections::BTreeMap;

use serde::Serialize;

/// What a data set says of itself as a whole, beside its utterances.
///
/// ```
/// use spr_core::model::{About, AboutField};
/// let mut about = About::default();
/// about.license = Some("CC-BY-4.0".to_owned());
/// let lost = about.keep(&[AboutField::Description]);
/// assert_eq!(lost, [AboutField::License]);
/// assert!(about.is_empty());
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct About {
    /// A description, in whatever words.
    pub description: Option<String>,
    /// The licence, as its name or its text.
    pub license: Option<String>,
    /// The split that it is: `train`, `valid`, `test`.
    pub split: Option<String>,
    /// The names of classes by label column, in the order of their numbers from 0.
    pub classes: BTreeMap<String, Vec<String>>,
    /// Other facts, by their names.
    pub other: BTreeMap<String, String>,
}

/// A part of what a data set says of itself.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboutField {
    /// A description.
    Description,
    /// The licence.
    License,
    /// The split.
    Split,
    /// The names of classes.
    Classes,
    /// Other facts.
    Other,
}

impl AboutField {
    /// All fields.
    pub const ALL: &'static [Self] = &[
        Self::Description,
        Self::License,
        Self::Split,
        Self::Classes,
        Self::Other,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::License => "licence",
            Self::Split => "split",
            Self::Classes => "names of classes",
            Self::Other => "other facts",
        }
    }
}

impl About {
    /// Returns `true` if no value is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns `true` if the field has a value.
    pub fn has(&self, field: AboutField) -> bool {
        match field {
            AboutField::Description => self.description.is_some(),
            AboutField::License => self.license.is_some(),
            AboutField::Split => self.split.is_some(),
            AboutField::Classes => !self.classes.is_empty(),
            AboutField::Other => !self.other.is_empty(),
        }
    }

    /// Returns the fields that are said here, and otherwise or not at all in `other`.
    pub(crate) fn differs_from(&self, other: &Self) -> Vec<AboutField> {
        let same = |field: AboutField| match field {
            AboutField::Description => self.description == other.description,
            AboutField::License => self.license == other.license,
            AboutField::Split => self.split == other.split,
            AboutField::Classes => self.classes == other.classes,
            AboutField::Other => self.other == other.other,
        };
        let said = AboutField::ALL.iter().copied();
        said.filter(|field| self.has(*field) && !same(*field))
            .collect()
    }

    /// Keeps these fields, and returns those that it lost.
    pub fn keep(&mut self, held: &[AboutField]) -> Vec<AboutField> {
        let said = AboutField::ALL.iter().copied();
        let lost: Vec<_> = said
            .filter(|field| self.has(*field) && !held.contains(field))
            .collect();
        for field in &lost {
            match field {
                AboutField::Description => self.description = None,
                AboutField::License => self.license = None,
                AboutField::Split => self.split = None,
                AboutField::Classes => self.classes.clear(),
                AboutField::Other => self.other.clear(),
            }
        }
        lost
    }
}
