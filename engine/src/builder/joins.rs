//! Data sets that join by key.

use spr_core::bytes::{Location, Locator};
use spr_core::{Error, Result};

use super::PlanBuilder;
use super::model::{Translation, translate};
use crate::argument;
use crate::plan::{Joins, Plan};

impl PlanBuilder {
    /// Joins the labels of another data set.
    ///
    /// # Errors
    /// The argument is malformed, or labels join already.
    pub fn labels(&mut self, text: &str) -> Result<&mut Self> {
        if self.plan.joins.labels.is_some() {
            return Err(joined("labels"));
        }
        self.plan.joins.labels = Some(self.labels_of(text)?);
        Ok(self)
    }

    /// Joins the transcripts of another data set.
    ///
    /// # Errors
    /// The argument is malformed or names several data sets, or transcripts join already.
    pub fn text(&mut self, text: &str) -> Result<&mut Self> {
        if self.plan.joins.text.is_some() {
            return Err(joined("text"));
        }
        let plan = Self::new(&self.registry, &self.env).input(text)?.finish()?;
        if plan.inputs.len() > 1 {
            let message = format!("expected one data set with text: '{text}'");
            return Err(Error::usage(message));
        }
        self.plan.joins.text = Some(Box::new(plan));
        Ok(self)
    }

    /// Joins the speakers of a table of lines `utterance speaker`. Labels that join may be stored by
    /// speaker then.
    ///
    /// # Errors
    /// The argument is malformed, or speakers join already.
    pub fn speakers(&mut self, table: &str) -> Result<&mut Self> {
        if self.plan.joins.speakers.is_some() {
            return Err(joined("speakers"));
        }
        self.plan.joins.speakers = Some(argument::table(table, &self.registry)?);
        Ok(self)
    }

    /// Accepts labels for so many frames more or fewer than there are.
    pub fn tolerance(&mut self, frames: u64) -> &mut Self {
        self.tolerance = Some(frames);
        self
    }

    /// Translates labels to a unit such as `phones`: the joined labels, or else those of the inputs. The
    /// model is found next to the data unless it is named.
    pub fn translate_labels(&mut self, unit: &str, model: Option<Location>) -> &mut Self {
        let unit = unit.to_owned();
        self.translation = Some(Translation { unit, model });
        self
    }

    /// Names the labels that join by a file of lines `NAME NUMBER`, if their format has an option for
    /// it.
    pub fn symbols(&mut self, file: Location) -> &mut Self {
        self.symbols = Some(file);
        self
    }

    /// Applies the settings of joins.
    pub(super) fn settle_joins(&self, plan: &mut Plan) -> Result<()> {
        let at = (&self.registry, &self.env);
        if let Some(Translation { unit, model }) = &self.translation {
            let plan = match &mut plan.joins.labels {
                Some(labels) => &mut labels.data,
                None => &mut *plan,
            };
            translate(plan, unit, model.as_ref(), at)?;
        }
        let Joins {
            labels, speakers, ..
        } = &mut plan.joins;
        if let Some(labels) = labels {
            let symbols = self.symbols.iter().map(ToString::to_string);
            let symbols = symbols.map(|file| ("symbols".to_owned(), file));
            for input in &mut labels.data.inputs {
                input.optional_options.extend(symbols.clone());
            }
            labels.speakers.clone_from(speakers);
        }
        let cuts = plan.steps.iter().any(|step| step.step.cuts());
        let inputs = plan.inputs.iter_mut().map(|input| &mut input.joins);
        let joins = inputs.chain([&mut plan.joins]);
        let mut count = 0;
        for labels in joins.filter_map(|joins| joins.labels.as_mut()) {
            labels.as_segments = cuts;
            labels.tolerance = self.tolerance.unwrap_or(labels.tolerance);
            count += 1;
        }
        if self.tolerance.is_some() && count == 0 {
            let message = "a length tolerance is for labels that join";
            return Err(Error::usage(message).hint("join labels, or leave it out"));
        }
        Ok(())
    }
}

fn joined(what: &str) -> Error {
    Error::usage(format!("{what} join already"))
}

/// Returns the number of times that a plan reads standard input.
pub(super) fn stdin_reads(plan: &Plan) -> usize {
    let of_inputs = plan
        .inputs
        .iter()
        .map(|input| usize::from(input.is_stdin()) + reads(&input.joins));
    of_inputs.sum::<usize>() + reads(&plan.joins)
}

fn reads(joins: &Joins) -> usize {
    let speakers = joins.speakers == Some(Locator::Standard);
    joins.data().map(stdin_reads).sum::<usize>() + usize::from(speakers)
}
