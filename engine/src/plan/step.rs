//! The steps of a plan, each with the data that it works on.

use serde::{Deserialize, Serialize};

use crate::step::Step;

/// The data that a step of a plan works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The utterances of the input with this number.
    Input(usize),
    /// The utterances of all inputs together.
    Inputs,
    /// The utterances that go to the output.
    Output,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    pub(crate) owner: Owner,
    pub(crate) step: Step,
}

impl PlanStep {
    /// Returns the data that the step works on.
    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// Returns the step.
    pub fn step(&self) -> &Step {
        &self.step
    }
}
