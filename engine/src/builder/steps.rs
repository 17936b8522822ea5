//! Steps, and the losses that are allowed.

use spr_core::loss::LossKind;
use spr_core::model::Dtype;
use spr_core::{Error, Result};

use super::PlanBuilder;
use crate::plan::{Owner, Plan, PlanStep};
use crate::step::{Step, Steps};

/// The treatment of utterances that have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// They are errors.
    Refuse,
    /// The first is taken.
    First,
    /// The last is taken.
    Last,
    /// All are taken.
    Keep,
}

impl PlanBuilder {
    /// Adds a step on the utterances of all inputs together.
    pub fn step(&mut self, step: Step) -> &mut Self {
        if step.name() == "unique" {
            self.plan.distinct = false;
        }
        self.add(Owner::Inputs, step)
    }

    /// Adds a step on each input by itself, at its place in the order of data options.
    pub fn step_on_each(&mut self, step: &Step) -> &mut Self {
        self.plan.add_to_each(step);
        self
    }

    /// Adds the steps of a chain as it is [written](Steps), on the utterances of all inputs.
    ///
    /// # Errors
    /// There is no such step, a value is wrong, or utterances are no more where one needs them.
    pub fn stages(&mut self, text: &str) -> Result<&mut Self> {
        let steps = text.parse::<Steps>()?.into_vec();
        let before = self.plan.steps_of(Owner::Inputs);
        Steps::check_order(before.chain(&steps))?;
        for step in steps {
            self.step(step);
        }
        Ok(self)
    }

    /// Sets the treatment of utterances that have the same key, among those that the steps so far
    /// leave.
    ///
    /// # Errors
    /// None, as the step is in the table.
    pub fn duplicates(&mut self, duplicates: Duplicates) -> Result<&mut Self> {
        // The check of several inputs names both. Where utterances are left out, the keys of the
        // others may be all different.
        let distinct =
            duplicates == Duplicates::Refuse && self.plan.steps_on_all().next().is_none();
        let words: &[&str] = match duplicates {
            Duplicates::Keep => {
                self.plan.distinct = false;
                return Ok(self);
            }
            Duplicates::Refuse => &[],
            Duplicates::First => &["first"],
            Duplicates::Last => &["last"],
        };
        self.step(Step::new(
            "unique",
            words.iter().map(|word| (*word, *word)),
        )?);
        self.plan.distinct = distinct;
        Ok(self)
    }

    /// Changes the element type of features and sound, which permits what that loses.
    pub fn dtype(&mut self, dtype: Dtype) -> &mut Self {
        self.plan.dtype = Some(dtype);
        self.allow(LossKind::Precision).allow(LossKind::Range)
    }

    /// Sets the element type of labels.
    ///
    /// # Errors
    /// It is no type of integers.
    pub fn label_dtype(&mut self, dtype: Dtype) -> Result<&mut Self> {
        if dtype.is_float() || dtype == Dtype::Bool {
            return Err(Error::usage(format!("labels are integers, not {dtype}")));
        }
        self.plan.label_dtype = Some(dtype);
        Ok(self)
    }

    pub(super) fn add(&mut self, owner: Owner, step: Step) -> &mut Self {
        self.plan.steps.push(PlanStep { owner, step });
        self
    }
}

/// Makes all steps that compute sound do it in the type of the output, so that it is rounded once,
/// unless they have a type of their own.
pub(super) fn settle_dtype(plan: &mut Plan) {
    let Some(dtype) = plan.dtype else { return };
    for PlanStep { step, .. } in &mut plan.steps {
        *step = step.clone().with_sample_type(dtype);
    }
}
