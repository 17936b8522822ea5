//! Data sets to read, and what joins them.

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Env, Location, Locator};
use spr_core::{Error, Remedy, Result};

use crate::step::{Phase, Step};

/// One data set to read, as plain data: where it is, and what becomes of it. Nothing of it is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Input {
    /// The argument as typed, or the file that a pattern matched, without the secrets of URLs.
    pub text: String,
    /// The argument as typed.
    #[serde(skip)]
    pub(crate) typed: String,
    /// The keys of its data options, in their order.
    #[serde(skip)]
    pub(crate) asked: Vec<String>,
    /// The sort of argument, in a few words.
    pub form: String,
    /// Its location.
    pub place: Locator,
    /// The folder of the pattern that matched it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<Location>,
    /// The name of its format; `None` if that is to be found.
    pub format: Option<String>,
    /// The options of its format.
    pub options: Vec<(String, String)>,
    /// Options that count only if its format has them.
    pub wishes: Vec<(String, String)>,
    /// Whether faulty utterances are skipped because the argument says so.
    pub permissive: bool,
    /// Whether faulty utterances are skipped while it is read.
    pub skips: bool,
    /// The steps that its data options ask for, in their order.
    pub steps: Vec<Step>,
    /// Bytes in one of PDNN's partitions, if that was said.
    pub partition: Option<u64>,
    /// Whether PDNN streams the data, if that was said.
    pub stream: Option<bool>,
    /// As labels: whether times of segments are rounded to whole frames.
    pub round: bool,
    /// Data that join it by key.
    pub joins: Joins,
    /// The entries that are read, from the first to before the second, if not all are.
    pub entries: Option<[u64; 2]>,
    /// The byte where the first of them starts, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    /// The bytes to which the entries that are read belong, if not all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<[u64; 2]>,
}

/// Data that join by key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Joins {
    /// Labels.
    pub labels: Option<Labels>,
    /// Transcripts.
    pub text: Option<Box<Input>>,
    /// Speakers, from a table of lines `utterance speaker`.
    pub speakers: Option<Locator>,
}

/// Data sets whose labels join, as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Labels {
    /// The data sets; several are the files of a pattern.
    pub inputs: Vec<Input>,
    /// A table of lines `utterance speaker`, for labels that are stored by speaker.
    pub speakers: Option<Locator>,
    /// The tolerated difference between the numbers of labels and frames.
    pub tolerance: u64,
}

impl Labels {
    /// The labels of a data set.
    pub fn new(input: Input) -> Self {
        Self::of(vec![input])
    }

    /// The labels of several data sets as one.
    pub fn of(inputs: Vec<Input>) -> Self {
        Self {
            inputs,
            speakers: None,
            tolerance: 0,
        }
    }

    /// Returns the argument that names them, for messages.
    pub fn text(&self) -> String {
        match self.inputs.as_slice() {
            [only] => only.text.clone(),
            [first, ..] => Location::from(first.typed.as_str()).told(),
            [] => String::new(),
        }
    }

    /// Returns `true` if any comes from standard input or another pipe, which can be read only once.
    pub fn is_read_once(&self, env: &Env) -> bool {
        self.inputs.iter().any(|input| input.is_read_once(env))
    }
}

impl Joins {
    /// Returns `true` if nothing joins.
    pub fn is_empty(&self) -> bool {
        self.labels.is_none() && self.text.is_none() && self.speakers.is_none()
    }

    /// The data sets and files that join.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Location> {
        let labels = self.labels.iter();
        let of_labels = labels.clone().flat_map(|labels| &labels.inputs);
        let of_labels = of_labels.flat_map(Input::sources);
        let maps = labels.filter_map(|labels| labels.speakers.as_ref()?.location().cloned());
        let text = self.text.iter().flat_map(|text| text.sources());
        of_labels
            .chain(maps)
            .chain(text)
            .chain(self.speakers.as_ref().and_then(Locator::location).cloned())
    }
}

impl Input {
    /// Returns `true` if not all of it is read.
    pub(crate) fn is_cut(&self) -> bool {
        self.entries.is_some() || self.within.is_some()
    }

    /// The data set at a place, which an argument of some form names.
    pub(crate) fn new(text: &str, form: &str, place: Locator) -> Self {
        Self {
            text: Location::from(text).told(),
            typed: text.to_owned(),
            asked: Vec::new(),
            form: form.to_owned(),
            place,
            below: None,
            format: None,
            options: Vec::new(),
            wishes: Vec::new(),
            permissive: false,
            skips: false,
            steps: Vec::new(),
            partition: None,
            stream: None,
            round: false,
            joins: Joins::default(),
            entries: None,
            start: None,
            within: None,
        }
    }

    /// Returns the argument as typed, without secrets of URLs.
    pub fn text(&self) -> &str {
        &self.text
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

    /// Returns `true` if frames are shuffled, so that the result is partitions instead of
    /// utterances.
    pub fn shuffles(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.kind().phase == Phase::Shuffle)
    }

    /// Returns `true` if a step makes the boundaries of utterances meaningless.
    pub fn gives_up_boundaries(&self) -> bool {
        self.shuffles() || self.partition.is_some()
    }

    /// Adds a step at its place in the order.
    pub fn add_step(&mut self, step: Step) {
        let phase = step.kind().phase;
        let at = self.steps.partition_point(|own| own.kind().phase <= phase);
        self.steps.insert(at, step);
    }

    /// Joins the labels of another data set by key.
    ///
    /// # Errors
    /// Labels join already.
    pub fn join_labels(&mut self, labels: Labels) -> Result<()> {
        if let Some(own) = &self.joins.labels {
            let message = format!("{}: has labels from {} already", self.text, own.text());
            return Err(Error::usage(message).suggest(Remedy::LeaveOutLabels));
        }
        self.joins.labels = Some(labels);
        Ok(())
    }

    /// Sets how many frames labels that join by its own options may be apart from it.
    pub fn tolerate(&mut self, frames: u64) {
        if let Some(labels) = &mut self.joins.labels {
            labels.tolerance = frames;
        }
    }
}
