//! Joins of data from other files, by key.

use clap::{Args, ValueHint};
use spr_core::bytes::{Env, Location};
use spr_core::format::{Registry, Request};
use spr_core::model::Utterance;
use spr_core::{Error, Remedy, Result, Symbols};

use super::filter::FilterArgs;
use super::words::data_set;
use super::words::file;
use crate::builder::PlanBuilder;
use crate::plan::{Input, Plan};

// Options for data that join by key.
#[derive(Args, Debug, Clone, Default)]
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
    /// Joins what the flags name.
    pub(super) fn add(&self, builder: &mut PlanBuilder) -> Result<()> {
        if let Some(labels) = &self.labels {
            builder.labels(labels)?;
        }
        if let Some(text) = &self.text {
            builder.text(text)?;
        }
        if let Some(table) = &self.utt2spk {
            let added = builder.speakers(table);
            added.map_err(|e| e.context("--utt2spk"))?;
        }
        if let Some(frames) = self.length_tolerance {
            builder.tolerance(frames);
        }
        match (&self.ali_to, &self.model) {
            (None, None) => {}
            (None, Some(_)) => {
                let error = Error::usage("--model: nothing says what its labels become");
                return Err(error.hint("add --ali-to phones or --ali-to pdfs"));
            }
            (Some(unit), model) => {
                builder.translate_labels(unit, model.clone());
            }
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

    /// Joins what the flags name, and takes the utterances that the rules say.
    pub(super) fn add(&self, builder: &mut PlanBuilder) -> Result<()> {
        self.join.add(builder)?;
        if let Some(file) = &self.symbols {
            builder.symbols(file.clone());
        }
        self.filter.add(builder)
    }

    /// The names of labels, if there are any.
    pub(super) fn symbols(&self, env: &Env) -> Result<Option<Symbols>> {
        let file = self.symbols.as_ref();
        file.map(|file| Symbols::read(file, env)).transpose()
    }
}

/// An error about a key that two inputs have, where the second holds labels for the first.
pub(super) fn labels_apart(error: Error, plan: &Plan, registry: &Registry, env: &Env) -> Error {
    let ([data, labels], Some(Remedy::KeepOne)) = (plan.inputs(), error.remedy()) else {
        return error;
    };
    if plan.is_read_once(env) {
        return error;
    }
    let quiet = env.listening(|_| {});
    let first = |input: &Input| -> Result<Utterance> {
        let mut utt = Utterance::default();
        let plan = plan.of_input(input);
        let mut reader = plan.open_whole(Request::all(), registry, &quiet)?.reader;
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
