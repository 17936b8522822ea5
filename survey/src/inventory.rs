//! What a survey found.

use std::collections::BTreeSet;

use serde::Serialize;

/// The titles of the table of data sets.
pub const TITLES: [&str; 9] = [
    "data",
    "format",
    "holds",
    "utterances",
    "frames",
    "hours",
    "files",
    "size",
    "faults",
];

/// Files that are one data set, with what belongs to it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DataSet {
    /// The file, the folder, or the pattern of the files.
    pub path: String,
    /// The format's name; several sound formats are joined by `+`.
    pub format: String,
    /// Whether the format is a guess by the look of text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// The kinds of data: `features`, `labels`, `audio`, …
    pub kinds: BTreeSet<String>,
    /// Utterances, if they could be counted.
    pub utterances: Option<u64>,
    /// Frames of all utterances, if they could be counted.
    pub frames: Option<u64>,
    /// Seconds of the utterances with a known duration.
    pub seconds: Option<f64>,
    /// Utterances with sound of unknown duration.
    #[serde(skip_serializing_if = "is_zero")]
    pub unmeasured: u64,
    /// Sampling rates of the sound.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub rates: BTreeSet<u32>,
    /// The number of files, with those that belong to it.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// What belongs to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The first faults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
    /// The number of all faults.
    pub faults: u64,
    /// What is worth knowing and no fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Files that belong to a data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What they are to it: `data`, `list`, `model`, `sound`, `labels`, `names`, …
    pub role: &'static str,
    /// The file, the folder, or the pattern of the files.
    pub path: String,
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Files that are no data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rest {
    /// The file, or the pattern of the files.
    pub path: String,
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The reason.
    pub why: String,
}

/// Files with the same content.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Twins {
    /// The files, or the folders if all files of each are the same.
    pub paths: Vec<String>,
    /// The number of files in each.
    pub files: u64,
    /// The size in bytes of one of them.
    pub bytes: u64,
    /// Whether only samples of large files were compared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Sums over everything that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Data sets.
    pub data_sets: u64,
    /// Those with faults.
    pub damaged: u64,
    /// Utterances of the data sets that could be counted.
    pub utterances: u64,
    /// Seconds of the utterances with a known duration.
    pub seconds: f64,
    /// Utterances with sound of unknown duration.
    #[serde(skip_serializing_if = "is_zero")]
    pub unmeasured: u64,
    /// All files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Archives that were looked into.
    pub archives: u64,
    /// Files of no known format.
    pub unknown: u64,
    /// Files without a byte.
    pub empty: u64,
    /// Files that have the content of another, those that are one too many.
    pub doubled: u64,
    /// The size in bytes of these.
    pub doubled_bytes: u64,
    /// Files that other programs left.
    pub rubbish: u64,
    /// Faults of data sets, and what could not be read.
    pub faults: u64,
}

/// What lies in a place.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// The data sets, by their paths.
    pub data_sets: Vec<DataSet>,
    /// Files of no known format.
    pub unknown: Vec<Rest>,
    /// Files without a byte.
    pub empty: Vec<Rest>,
    /// Files with the same content, those with the most bytes first.
    pub twins: Vec<Twins>,
    /// Files that other programs left.
    pub rubbish: Vec<Rest>,
    /// Folders and archives that could not be read, or only in part.
    pub unread: Vec<String>,
    /// The sums.
    pub totals: Totals,
}

impl Inventory {
    /// Returns `true` if something is damaged or could not be read.
    pub fn is_damaged(&self) -> bool {
        self.totals.faults > 0
    }

    /// Calculates the sums over the data sets and the rest.
    pub(crate) fn sum(&mut self) {
        let totals = &mut self.totals;
        for set in &self.data_sets {
            totals.data_sets += 1;
            totals.damaged += u64::from(set.faults > 0);
            totals.utterances += set.utterances.unwrap_or(0);
            totals.seconds += set.seconds.unwrap_or(0.0);
            totals.unmeasured += set.unmeasured;
            totals.faults += set.faults;
        }
        totals.faults += self.unread.len() as u64;
        let files = |all: &[Rest]| all.iter().map(|rest| rest.files).sum();
        totals.unknown = files(&self.unknown);
        totals.empty = files(&self.empty);
        totals.rubbish = files(&self.rubbish);
        for twins in &self.twins {
            let more = twins.paths.len().saturating_sub(1) as u64;
            totals.doubled += more * twins.files;
            totals.doubled_bytes += more * twins.bytes;
        }
    }
}
