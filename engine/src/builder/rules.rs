//! Rules that concern several settings.

use spr_core::bytes::Locator;
use spr_core::{Error, Remedy, Result};

use super::PlanBuilder;
use super::joins::stdin_reads;
use crate::plan::{Input, Plan, PlanStep, Sink, Speakers};
use crate::step::Step;

impl PlanBuilder {
    /// Checks a plan against all rules.
    pub(super) fn check(&self, plan: &Plan) -> Result<()> {
        check_stdin(plan)?;
        if let Some(output) = &plan.output {
            self.check_unmixed(output)?;
            check_parts(plan, output)?;
            let kept = plan.steps_on_all().try_for_each(Step::check_utterances);
            kept.map_err(|error| error.suggest(Remedy::KeepUtterances))?;
            check_dither(plan.steps.iter().map(PlanStep::step))?;
            self.check_there(plan)?;
        }
        Ok(())
    }

    /// Refuses validation data and others in one output.
    fn check_unmixed(&self, output: &Sink) -> Result<()> {
        let mixed = self.validation.is_some_and(|count| count < self.arguments);
        if !mixed || output.is_numbered() && self.plan.split.is_none() {
            return Ok(());
        }
        let error = Error::usage("validation data and other inputs would be mixed in one output");
        let error = error.file(output.text());
        Err(error.hint("convert each of them to an output of its own"))
    }

    /// Opens the first missing file, so that its error comes before those of outputs. An input may be
    /// missing if there are several and faulty ones are skipped.
    fn check_there(&self, plan: &Plan) -> Result<()> {
        let files = plan.needed().filter_map(Input::file);
        let mut missing = files.filter(|file| !file.is_url() && !self.env.exists(file));
        missing.try_for_each(|file| self.env.open_file(file).map(drop))
    }
}

/// Refuses to read standard input more than once.
fn check_stdin(plan: &Plan) -> Result<()> {
    let split = plan
        .split
        .as_ref()
        .and_then(|split| split.speakers.as_ref());
    let split = split == Some(&Speakers::Table(Locator::Standard));
    match stdin_reads(plan) + usize::from(split) {
        0 | 1 => Ok(()),
        _ => Err(Error::usage("standard input can be read only once")),
    }
}

/// Checks that the parts of a split have places of their own.
fn check_parts(plan: &Plan, output: &Sink) -> Result<()> {
    match plan.split.is_some() && !output.is_numbered() {
        true => Err(
            Error::usage("the name of the output needs a place for the part")
                .file(output.text())
                .hint("write {part} where its number is to stand, such as out.{part}.ark"),
        ),
        false => Ok(()),
    }
}

/// Refuses dither where nothing is rounded.
fn check_dither<'a>(mut steps: impl Iterator<Item = &'a Step>) -> Result<()> {
    let dithers = |step: &Step| step.sound().is_some_and(|sound| sound.dither.is_some());
    let in_vain = |step: &Step| dithers(step) && step.is_idle();
    match steps.any(in_vain) {
        true => Err(Error::usage("dither: nothing is rounded").suggest(Remedy::RoundSound)),
        false => Ok(()),
    }
}
