//! Data sets to read.

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Location, Locator};
use spr_core::format::ErrorPolicy;
use spr_core::{Error, Remedy, Result};

use super::{Joins, Labels};

/// One data set to read, as plain data: where it is, and what joins it. Nothing of it is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The number by which [steps](super::PlanStep) name it.
    pub(crate) number: usize,
    /// The argument as typed, or the file that a pattern matched, without the secrets of URLs.
    pub(crate) text: String,
    /// The argument as typed.
    #[serde(skip)]
    pub(crate) typed: String,
    /// The keys of its data options, in their order.
    #[serde(skip)]
    pub(crate) data_options: Vec<String>,
    /// The sort of argument, in a few words.
    pub(crate) form: String,
    /// Its location.
    pub(crate) place: Locator,
    /// The folder of the pattern that matched it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) below: Option<Location>,
    /// The name of its format; `None` if that is to be found.
    pub(crate) format: Option<String>,
    /// The options of its format.
    pub(crate) options: Vec<(String, String)>,
    /// Options that count only if its format has them.
    pub(crate) optional_options: Vec<(String, String)>,
    /// The treatment of its faulty utterances.
    pub(crate) on_error: ErrorPolicy,
    /// Bytes in one of PDNN's partitions, if that was said.
    pub(crate) partition: Option<u64>,
    /// Whether PDNN streams the data, if that was said.
    pub(crate) stream: Option<bool>,
    /// As labels: whether times of segments are rounded to whole frames.
    pub(crate) round: bool,
    /// Data that join it by key.
    pub(crate) joins: Joins,
    /// The entries that are read, from the first to before the second, if not all are.
    pub(crate) entries: Option<[u64; 2]>,
    /// The byte where the first of them starts, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<u64>,
    /// The bytes to which the entries that are read belong, if not all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<[u64; 2]>,
}

impl Input {
    /// The data set at a place, which an argument of some form names.
    pub(crate) fn new(text: &str, form: &str, place: Locator) -> Self {
        Self {
            number: 0,
            text: Location::from(text).told(),
            typed: text.to_owned(),
            data_options: Vec::new(),
            form: form.to_owned(),
            place,
            below: None,
            format: None,
            options: Vec::new(),
            optional_options: Vec::new(),
            on_error: ErrorPolicy::Stop,
            partition: None,
            stream: None,
            round: false,
            joins: Joins::default(),
            entries: None,
            start: None,
            within: None,
        }
    }

    /// Returns `true` if not all of it is read.
    pub(crate) fn is_cut(&self) -> bool {
        self.entries.is_some() || self.within.is_some()
    }

    /// Returns the argument as typed, without secrets of URLs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its location.
    pub fn place(&self) -> &Locator {
        &self.place
    }

    /// Returns the name of its format, if the argument names it.
    pub fn format(&self) -> Option<&str> {
        self.format.as_deref()
    }

    /// Returns the options of its format.
    pub fn options(&self) -> &[(String, String)] {
        &self.options
    }

    /// Returns the treatment of its faulty utterances.
    pub fn on_error(&self) -> ErrorPolicy {
        self.on_error
    }

    /// Returns the files and folders that are read, as far as the argument names them.
    pub fn sources(&self) -> Vec<Location> {
        let own = self.place.location().cloned().into_iter();
        own.chain(self.joins.sources()).collect()
    }

    /// Returns the folder, if it is one.
    pub fn folder(&self) -> Option<&Location> {
        match &self.place {
            Locator::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    /// Returns the file, if it is one.
    pub fn file(&self) -> Option<&Location> {
        match &self.place {
            Locator::File(file) => Some(file),
            _ => None,
        }
    }

    /// Returns `true` for standard input.
    pub fn is_stdin(&self) -> bool {
        self.place == Locator::Standard
    }

    /// Returns `true` if labels are joined.
    pub fn has_labels(&self) -> bool {
        self.joins.labels.is_some()
    }

    /// Joins the labels of another data set by key.
    ///
    /// # Errors
    /// Labels join already.
    pub(crate) fn join_labels(&mut self, labels: Labels) -> Result<()> {
        if let Some(own) = &self.joins.labels {
            let message = format!("{}: has labels from {} already", self.text, own.text());
            return Err(Error::usage(message).suggest(Remedy::LeaveOutLabels));
        }
        self.joins.labels = Some(labels);
        Ok(())
    }
}
