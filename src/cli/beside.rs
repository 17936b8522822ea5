//! Joins of data from other files, by key.

use clap::{Args, ValueHint};
use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{Registry, Request};
use spr_core::model::Utterance;
use spr_core::{Error, Remedy, Result, Symbols};

use super::filter::FilterArgs;
use super::words::data_set;
use super::words::file;
use crate::argument::{self, Input};
use crate::plan::{Joins, Labels};

// Options for data that join by key.
#[derive(Args, Debug, Clone)]
pub(super) struct JoinArgs {
    /// Take labels from another data set, by key: a file, a folder or a pattern in quotes
    #[arg(long, value_name = "IN", value_parser = data_set())]
    pub(super) labels: Option<String>,
    /// Show what the labels of alignments stand for, by their model: phones or pdfs
    #[arg(long, value_name = "phones|pdfs", hide_short_help = true)]
    pub(super) ali_to: Option<String>,
    /// The model of the alignments; by default final.mdl in their folder
    #[arg(
        long,
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        hide_short_help = true
    )]
    pub(super) model: Option<Location>,
    /// Take transcripts from another data set, by key
    #[arg(long, value_name = "IN", value_parser = data_set(), hide_short_help = true)]
    pub(super) text: Option<String>,
    /// Take speakers from this table of lines `utterance speaker`: a file, ark:FILE, - or a command
    /// before a |; labels may be stored by speaker, and split keeps each speaker's utterances together
    #[arg(
        long,
        value_name = "TABLE",
        value_parser = data_set(),
        value_hint = ValueHint::AnyPath,
        hide_short_help = true
    )]
    pub(super) utt2spk: Option<String>,
    /// Accept labels for up to N frames more or fewer than there are; the longer is cut
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) length_tolerance: Option<u64>,
}

// The same for verbs that only read, and which utterances they take.
#[derive(Args, Debug, Clone)]
pub(super) struct BesideArgs {
    #[command(flatten)]
    pub(super) join: JoinArgs,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
    /// Show labels by the names in this file of lines `NAME NUMBER`, such as Kaldi's phones.txt
    #[arg(
        long,
        value_name = "FILE",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        hide_short_help = true
    )]
    symbols: Option<Location>,
}

impl JoinArgs {
    /// The labels of the data sets that `--labels` names.
    fn labels(&self, registry: &Registry, env: &Env) -> Result<Option<Labels>> {
        let labels = self.labels.as_deref();
        let labels = labels.map(|text| Input::parse(text, None, &[], registry, env));
        let Some(inputs) = labels.transpose()? else {
            return Ok(None);
        };
        let mut labels = Labels::of(inputs);
        labels.tolerance = self.length_tolerance.unwrap_or_default();
        labels.speakers = self.speakers(registry)?;
        Ok(Some(labels))
    }

    /// The table of speakers that `--utt2spk` names.
    pub(super) fn speakers(&self, registry: &Registry) -> Result<Option<Locator>> {
        let table = self.utt2spk.as_deref();
        let table = table.map(|text| argument::table(text, registry));
        table.transpose().map_err(|e| e.context("--utt2spk"))
    }

    /// The data set that `--text` names.
    fn text(&self, registry: &Registry, env: &Env) -> Result<Option<Box<Input>>> {
        let text = self.text.as_deref();
        let text = text.map(|text| only("--text", text, registry, env));
        Ok(text.transpose()?.map(Box::new))
    }

    /// All that joins `inputs`. The labels are translated by their model if that is asked for, and
    /// those of the inputs if none join.
    pub(super) fn joins(
        &self,
        inputs: &mut [Input],
        registry: &Registry,
        env: &Env,
    ) -> Result<Joins> {
        let mut joins = Joins::default();
        joins.labels = self.labels(registry, env)?;
        joins.text = self.text(registry, env)?;
        joins.speakers = self.speakers(registry)?;
        let labelled = match &mut joins.labels {
            Some(labels) => labels.inputs.as_mut_slice(),
            None => inputs,
        };
        match (&self.ali_to, self.model.as_ref().map(Location::to_string)) {
            (None, None) => {}
            (None, Some(_)) => {
                let error = Error::usage("--model: nothing says what its labels become");
                return Err(error.hint("add --ali-to phones or --ali-to pdfs"));
            }
            (Some(unit), model) => {
                for input in labelled {
                    input.translate_labels(unit, model.as_deref(), registry, env)?;
                }
            }
        }
        Ok(joins)
    }

    /// Refuses what has nothing to work on; `joined` is whether labels join by other means.
    pub(super) fn check(&self, joined: bool) -> Result<()> {
        if self.length_tolerance.is_some() && self.labels.is_none() && !joined {
            let message = "--length-tolerance is for labels that join; give them with --labels";
            return Err(Error::usage(message));
        }
        Ok(())
    }
}

impl BesideArgs {
    /// Creates the options without names of labels.
    pub(super) fn of(join: JoinArgs, filter: FilterArgs) -> Self {
        Self {
            join,
            filter,
            symbols: None,
        }
    }

    /// Joins to the inputs what the flags name, and takes of them what the rules say.
    pub(super) fn join(&self, inputs: &mut [Input], registry: &Registry, env: &Env) -> Result<()> {
        let mut joins = self.join.joins(inputs, registry, env)?;
        if let (Some(labels), Some(file)) = (&mut joins.labels, &self.symbols) {
            for input in &mut labels.inputs {
                let symbols = ("symbols".to_owned(), file.to_string());
                input.wishes.push(symbols);
            }
        }
        self.join.check(inputs.iter().any(Input::has_labels))?;
        check_stdin(inputs, &joins)?;
        for input in inputs.iter_mut() {
            input.tolerate(self.join.length_tolerance.unwrap_or_default());
            if let Some(labels) = &joins.labels {
                input.join_labels(labels.clone())?;
            }
            if let Some(text) = &joins.text {
                input.joins.text = Some(text.clone());
            }
            if let Some(file) = &joins.speakers {
                input.joins.speakers = Some(file.clone());
            }
        }
        self.filter.add(inputs)
    }

    /// The names of labels, if there are any.
    pub(super) fn symbols(&self, env: &Env) -> Result<Option<Symbols>> {
        let file = self.symbols.as_ref();
        file.map(|file| Symbols::read(file, env)).transpose()
    }
}

/// Refuses standard input where it would be read more than once.
pub(super) fn check_stdin(inputs: &[Input], joins: &Joins) -> Result<()> {
    let labels = joins.labels.iter().flat_map(|labels| &labels.inputs);
    let text = joins.text.iter().map(|text| &**text);
    let all = inputs.iter().chain(labels).chain(text);
    let inputs = all.filter(|input| input.is_stdin()).count();
    match inputs + usize::from(joins.speakers == Some(Locator::Standard)) {
        0 | 1 => Ok(()),
        _ => Err(Error::usage("standard input can be read only once")),
    }
}

/// The one data set that a flag names.
pub(super) fn only(flag: &str, text: &str, registry: &Registry, env: &Env) -> Result<Input> {
    let mut found = Input::parse(text, None, &[], registry, env)?;
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Error::usage(format!("{flag} takes one data set: '{text}'"))),
    }
}

/// An error about a key that two inputs have, where the second holds labels for the first.
pub(super) fn labels_apart(
    error: Error,
    inputs: &[Input],
    registry: &Registry,
    env: &Env,
) -> Error {
    let ([data, labels], Some(Remedy::KeepOne)) = (inputs, error.remedy()) else {
        return error;
    };
    if inputs.iter().any(|input| input.is_read_once(env)) {
        return error;
    }
    let quiet = env.listening(|_| {});
    let first = |input: &Input| -> Result<Utterance> {
        let mut utt = Utterance::default();
        let mut reader = input.open(Request::all(), registry, &quiet)?.reader;
        reader.read(&mut utt)?;
        Ok(utt)
    };
    match (first(data), first(labels)) {
        (Ok(data), Ok(held)) if data.labels.is_none() && held.labels.is_some() => {
            let file = labels.text();
            error.suggest_instead(Remedy::Advice(format!("--labels {file} joins its labels")))
        }
        _ => error,
    }
}
