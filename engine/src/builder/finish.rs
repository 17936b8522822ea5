//! The end of a builder: what depends on several calls.

use spr_core::{Error, Result};

use super::PlanBuilder;
use super::steps::settle_dtype;
use crate::plan::{Owner, Plan, PlanStep};

impl PlanBuilder {
    /// Settles what depends on several calls, checks all rules, and returns the plan.
    ///
    /// # Errors
    /// There is no input, settings contradict each other, or an input of a run that writes is missing.
    pub fn finish(&self) -> Result<Plan> {
        let mut plan = self.plan.clone();
        if plan.inputs.is_empty() {
            return Err(Error::usage("no input"));
        }
        if !self.env.path_map().is_empty() {
            plan.paths = self.env.path_map().clone();
        }
        for input in &mut plan.inputs {
            input.on_error = input.on_error.or(self.on_error);
        }
        self.settle_joins(&mut plan)?;
        settle_dtype(&mut plan);
        self.check(&plan)?;
        Ok(plan)
    }

    /// Finishes a plan for each input, for a run that reads them one by one: what joins all of them
    /// joins each, and steps on all work on each.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    pub fn finish_each(&self) -> Result<Vec<Plan>> {
        let plan = self.finish()?;
        let each = plan.inputs.iter().map(|input| {
            let mut own = plan.of_input(input);
            let joins = plan.joins.clone();
            for input in &mut own.inputs {
                if let Some(labels) = joins.labels.clone() {
                    input.join_labels(labels)?;
                }
                input.joins = joins.clone().or(std::mem::take(&mut input.joins));
            }
            let owner = Owner::Input(input.number);
            let steps = plan.steps_on_all().cloned();
            own.steps.extend(steps.map(|step| PlanStep { owner, step }));
            Ok(own)
        });
        each.collect()
    }
}
