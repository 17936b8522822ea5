//! Outputs as plain data.

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Location, Locator};
use spr_core::format::{ErrorPolicy, Medium};

use super::numbered::{self, PartName};

/// One data set to write, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sink {
    /// The argument as typed, without the secrets of URLs.
    pub(crate) text: String,
    /// The argument as typed.
    #[serde(skip)]
    pub(crate) typed: String,
    /// The sort of argument, in a few words.
    pub(crate) form: String,
    /// The name of its format.
    pub(crate) format: String,
    /// Its location.
    pub(crate) place: Locator,
    /// Side files at other locations.
    pub(crate) companions: Vec<(String, Locator)>,
    /// The options of its format.
    pub(crate) options: Vec<(String, String)>,
    /// Those of them that were not part of the argument.
    #[serde(skip)]
    pub(crate) added: Vec<(String, String)>,
    /// Whether the location is a list of files, which is read.
    pub(crate) listed: bool,
    /// The treatment of entries that have no place, which the argument sets.
    pub(crate) on_error: ErrorPolicy,
    /// The level of compression.
    pub(crate) level: Option<u32>,
}

impl Sink {
    /// The output at a place, which an argument of some form names.
    pub(crate) fn new(text: &str, form: &str, format: &str, place: Locator) -> Self {
        Self {
            text: Location::from(text).told(),
            typed: text.to_owned(),
            form: form.to_owned(),
            format: format.to_owned(),
            place,
            companions: Vec::new(),
            options: Vec::new(),
            added: Vec::new(),
            listed: false,
            on_error: ErrorPolicy::Stop,
            level: None,
        }
    }

    /// Returns the argument as typed, without secrets of URLs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its location.
    pub fn place(&self) -> &Locator {
        &self.place
    }

    /// Returns `true` if every part has a separate output.
    pub fn is_numbered(&self) -> bool {
        numbered::is_numbered(&self.place.to_string())
    }

    /// Returns the parent folders whose names contain the part, the outermost first.
    pub(crate) fn parents(&self, part: PartName) -> Vec<Location> {
        let mut folders = Vec::new();
        for file in self.locations() {
            let above = std::iter::successors(file.parent(), Location::parent);
            let mut above: Vec<_> = above.map(|folder| folder.to_string()).collect();
            above.retain(|folder| numbered::is_numbered(folder));
            let above = above.iter().rev();
            folders.extend(above.map(|folder| numbered::number(folder, part).into()));
        }
        folders
    }

    /// Returns the value of an option, if it is given.
    pub(crate) fn option(&self, key: &str) -> Option<&str> {
        let last = self.options.iter().rfind(|(k, _)| k == key);
        last.map(|(_, value)| value.as_str())
    }

    /// The sort of place.
    pub(crate) fn medium(&self) -> Medium {
        match &self.place {
            Locator::Folder(_) => Medium::Folder,
            Locator::File(_) | Locator::Nowhere => Medium::File,
            _ => Medium::Stream,
        }
    }

    /// Returns `true` for a folder of files.
    pub fn is_folder(&self) -> bool {
        self.medium() == Medium::Folder
    }

    /// Returns `true` if objects are written in their stored form, if the format is the same.
    pub fn keeps_stored(&self) -> bool {
        self.option("compress") == Some("keep")
    }

    /// Returns the files and folders that are written, as far as the argument names them.
    pub fn locations(&self) -> Vec<Location> {
        let beside = self.companions.iter().map(|(_, at)| at);
        let main = (!self.listed).then_some(&self.place);
        let all = main.into_iter().chain(beside);
        all.filter_map(Locator::location).cloned().collect()
    }

    /// Returns `true` if a part of it goes to standard output.
    pub fn takes_stdout(&self) -> bool {
        let beside = self.companions.iter().map(|(_, at)| at);
        let mut all = std::iter::once(&self.place).chain(beside);
        all.any(|at| *at == Locator::Standard)
    }
}
