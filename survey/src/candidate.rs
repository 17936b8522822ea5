//! Files that are one data set, while it is being found out what they hold.

use std::collections::BTreeSet;

use spr_core::bytes::Location;
use spr_core::format::{Format, Medium, Options};
use spr_core::model::DatasetInfo;
use spr_core::{Error, format::Count};
use spr_stats::Survey;

use crate::inventory::{DataSet, Part};
use crate::walk::File;

/// Faults that are told of one data set.
const TOLD: usize = 5;

/// How the files of a candidate are one data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The folder as a whole is one.
    Whole,
    /// Each file is an utterance.
    Each,
    /// Each file has many utterances; several are numbered.
    Files,
}

/// What is known of the utterances of some files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) utterances: Option<u64>,
    pub(crate) frames: Option<u64>,
    pub(crate) seconds: Option<f64>,
    /// Utterances with sound of unknown duration, which seconds leave out.
    pub(crate) unmeasured: u64,
    pub(crate) kinds: BTreeSet<String>,
    pub(crate) rates: BTreeSet<u32>,
}

impl Facts {
    /// Returns the facts of no files.
    pub(crate) fn none() -> Self {
        Self {
            utterances: Some(0),
            frames: Some(0),
            seconds: Some(0.0),
            ..Self::default()
        }
    }

    /// Returns what was counted.
    pub(crate) fn counted(survey: &Survey) -> Self {
        Self {
            utterances: Some(survey.utterances),
            frames: Some(survey.frames),
            seconds: survey.seconds().or(survey.known_seconds()),
            unmeasured: survey.unmeasured,
            kinds: survey.kinds.clone(),
            rates: survey.sound.rates.keys().copied().collect(),
        }
    }

    /// Returns what a header says.
    pub(crate) fn of_header(info: &DatasetInfo) -> Self {
        let seconds = info.frames.zip(info.frame_shift);
        #[expect(
            clippy::cast_precision_loss,
            reason = "a duration needs no more digits"
        )]
        let seconds = seconds.map(|(frames, shift)| frames as f64 * shift.value());
        let kinds = [
            (info.dim.is_some_and(|n| n > 0), "features"),
            (info.label_columns.is_some_and(|n| n > 0), "labels"),
            (info.sample_rate.is_some(), "audio"),
        ];
        let kinds = kinds.into_iter().filter(|(there, _)| *there);
        Self {
            utterances: info.utterances,
            frames: info.frames,
            seconds,
            unmeasured: 0,
            kinds: kinds.map(|(_, kind)| kind.to_owned()).collect(),
            rates: info.sample_rate.into_iter().collect(),
        }
    }

    /// Adds those of further files. What is not known of all is not known.
    pub(crate) fn add(&mut self, other: Self) {
        let sum = |own: Option<u64>, more: Option<u64>| Some(own? + more?);
        self.utterances = sum(self.utterances, other.utterances);
        self.frames = sum(self.frames, other.frames);
        let seconds = self.seconds.zip(other.seconds);
        self.seconds = seconds.map(|(own, more)| own + more);
        self.unmeasured += other.unmeasured;
        self.kinds.extend(other.kinds);
        self.rates.extend(other.rates);
    }
}

/// Files that are one data set.
pub(crate) struct Candidate {
    pub(crate) folder: Location,
    pub(crate) form: Form,
    /// Their formats: one, or several of sound.
    pub(crate) formats: Vec<&'static dyn Format>,
    pub(crate) guessed: bool,
    pub(crate) files: Vec<File>,
    pub(crate) parts: Vec<Part>,
    pub(crate) facts: Facts,
    pub(crate) damage: Vec<String>,
    pub(crate) faults: u64,
    pub(crate) notes: Vec<String>,
}

impl Candidate {
    pub(crate) fn new(folder: &Location, form: Form, format: &'static dyn Format) -> Self {
        Self {
            folder: folder.clone(),
            form,
            formats: vec![format],
            guessed: false,
            files: Vec::new(),
            parts: Vec::new(),
            facts: Facts::none(),
            damage: Vec::new(),
            faults: 0,
            notes: Vec::new(),
        }
    }

    /// Adds a fault, and keeps its text if it is one of the first.
    pub(crate) fn fault(&mut self, error: &Error) {
        self.faults += 1;
        if self.damage.len() < TOLD {
            self.damage.push(error.to_string());
        }
    }

    /// Returns the name of the group that folders with files of one utterance are merged by: that
    /// of the format, or one for all sound.
    pub(crate) fn group(&self) -> &'static str {
        match self.formats.first() {
            Some(format) if holds_sound(*format) => "sound",
            Some(format) => format.info().name,
            None => "",
        }
    }

    /// Returns the text by which it is named: the file, the folder, or a pattern.
    pub(crate) fn path(&self) -> String {
        match (self.form, self.files.as_slice()) {
            (Form::Each | Form::Files, [only]) => only.at.to_string(),
            (Form::Files, [first, ..]) => self.folder.join(pattern(&first.name())).to_string(),
            _ => format!("{}/", self.folder.to_string().trim_end_matches('/')),
        }
    }

    /// Returns the size in bytes of its own files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Returns itself as a part of another.
    pub(crate) fn as_part(&self, role: &'static str) -> Part {
        Part {
            role,
            path: self.path_of_part(),
            files: self.files.len() as u64,
            bytes: self.bytes(),
        }
    }

    /// Returns the text by which it is named beside others in the same folder.
    fn path_of_part(&self) -> String {
        let Some(first) = self.files.first().filter(|_| self.files.len() > 1) else {
            return self.path();
        };
        let extension = first.extension();
        let same = self.files.iter().all(|file| file.extension() == extension);
        match self.form == Form::Each && same && !extension.is_empty() {
            true => below(&self.folder, &self.files, &format!("*.{extension}")),
            false => self.path(),
        }
    }

    /// Returns the finished data set.
    pub(crate) fn finish(self) -> DataSet {
        let mut names: Vec<_> = self.formats.iter().map(|f| f.info().name).collect();
        names.sort_unstable();
        let of_parts = |of: fn(&Part) -> u64| self.parts.iter().map(of).sum::<u64>();
        DataSet {
            path: self.path(),
            format: names.join("+"),
            guessed: self.guessed,
            files: self.files.len() as u64 + of_parts(|part| part.files),
            bytes: self.bytes() + of_parts(|part| part.bytes),
            utterances: self.facts.utterances,
            frames: self.facts.frames.filter(|frames| *frames > 0),
            seconds: self.facts.seconds.filter(|seconds| *seconds > 0.0),
            unmeasured: self.facts.unmeasured,
            kinds: self.facts.kinds,
            rates: self.facts.rates,
            parts: self.parts,
            damage: self.damage,
            faults: self.faults,
            notes: self.notes,
        }
    }
}

/// Returns the pattern of files in a folder, or also in those below it.
pub(crate) fn below(folder: &Location, files: &[File], pattern: &str) -> String {
    let is_below = |file: &File| file.at.parent().as_ref() != Some(folder);
    match files.iter().any(is_below) {
        true => folder.join(format!("**/{pattern}")).to_string(),
        false => folder.join(pattern).to_string(),
    }
}

/// Returns a name with `*` for each run of digits.
pub(crate) fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for sign in name.chars() {
        match sign.is_ascii_digit() {
            true if pattern.ends_with('*') => {}
            true => pattern.push('*'),
            false => pattern.push(sign),
        }
    }
    pattern
}

/// Returns `true` if files of a format hold one utterance each.
pub(crate) fn holds_one(format: &'static dyn Format) -> bool {
    let caps = format.caps(&Options::default(), Medium::Folder);
    caps.is_ok_and(|caps| caps.count == Count::One)
}

/// Returns `true` if a format holds audio and no features.
pub(crate) fn holds_sound(format: &'static dyn Format) -> bool {
    let caps = format.caps(&Options::default(), Medium::Folder);
    caps.is_ok_and(|caps| caps.features.is_none() && caps.audio.hold_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stars() {
        assert_eq!(pattern("ali.12.gz"), "ali.*.gz");
        assert_eq!(pattern("a1b22.ark"), "a*b*.ark");
        assert_eq!(pattern("train.pfile"), "train.pfile");
    }

    #[test]
    fn what_is_not_known_of_all_is_not_known() {
        let mut facts = Facts::none();
        let some = |utterances| Facts {
            utterances,
            ..Facts::none()
        };
        facts.add(some(Some(3)));
        assert_eq!(facts.utterances, Some(3));
        facts.add(some(None));
        facts.add(some(Some(2)));
        assert_eq!((facts.utterances, facts.frames), (None, Some(0)));
    }
}
