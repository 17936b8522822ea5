//! Inputs.

use spr_core::format::ErrorPolicy;
use spr_core::{Error, Result};

use super::PlanBuilder;
use super::model::settle_model;
use crate::argument::{ParsedInput, parse_inputs};
use crate::plan::{Labels, Owner, Plan, PlanStep};
use crate::step::{Phase, Step};

impl PlanBuilder {
    /// Sets the format of inputs that follow, whatever their content.
    ///
    /// # Errors
    /// There is no such format.
    pub fn format(&mut self, name: &str) -> Result<&mut Self> {
        self.from = Some(self.registry.get(name)?);
        Ok(self)
    }

    /// Sets an option of inputs that follow: one of their format, or a [data
    /// option](crate::step::option_keys).
    pub fn option(&mut self, key: impl Into<String>, value: impl Into<String>) -> &mut Self {
        self.options.push((key.into(), value.into()));
        self
    }

    /// Reads what an argument names: one data set, or several of a pattern or list.
    ///
    /// # Errors
    /// The argument is malformed, a pattern matches nothing, or the value of a data option is wrong.
    pub fn input(&mut self, text: &str) -> Result<&mut Self> {
        let (registry, env) = (self.registry.clone(), self.env.clone());
        self.arguments += 1;
        for parsed in parse_inputs(text, self.from, &self.options, &registry, &env)? {
            let ParsedInput {
                mut input,
                steps,
                labels,
            } = parsed;
            input.number = self.next_number();
            if let Some(labels) = labels {
                input.join_labels(self.labels_of(&labels)?)?;
            }
            let owner = Owner::Input(input.number);
            self.plan.inputs.push(input);
            let steps = steps.into_iter().map(|step| PlanStep { owner, step });
            self.plan.steps.extend(steps);
            settle_model(&mut self.plan, &registry, &env)?;
        }
        Ok(self)
    }

    /// Says that the first `count` arguments name validation data, which go to no output with others.
    pub fn validation(&mut self, count: usize) -> &mut Self {
        self.validation = Some(count);
        self
    }

    /// Sets the treatment of faulty utterances. An argument that skips them itself still does.
    pub fn on_error(&mut self, on_error: ErrorPolicy) -> &mut Self {
        self.on_error = on_error;
        self
    }

    /// Reads what is whole of damaged data.
    pub fn damaged(&mut self) -> &mut Self {
        self.plan.damaged = true;
        self
    }

    /// Reads the inputs of another plan, each with what joins it there and with the steps there.
    ///
    /// # Errors
    /// A step looks at several of these inputs together, gives no utterances, or would come before
    /// others in front of it.
    pub fn merge(&mut self, other: Plan) -> Result<&mut Self> {
        let steps: Vec<_> = other.steps_on_all().cloned().collect();
        let across = steps.iter().find(|step| step.looks_across());
        if let Some(step) = across.filter(|_| other.inputs.len() > 1) {
            let message = format!("{} looks at all of several inputs", step.name());
            return Err(Error::usage(message).hint("merge them first"));
        }
        if let Some(step) = early(&steps) {
            let message = format!("{} would come before the steps in front of it", step.name());
            return Err(Error::usage(message).hint("merge before it, or let it be the first step"));
        }
        steps.iter().try_for_each(Step::check_utterances)?;
        for input in &other.inputs {
            let (owner, mut input) = (Owner::Input(self.next_number()), input.clone());
            let own = other.steps_of(Owner::Input(input.number)).chain(&steps);
            let own = own.cloned().map(|step| PlanStep { owner, step });
            self.plan.steps.extend(own);
            input.number = self.next_number();
            if let Some(labels) = other.joins.labels.clone() {
                input.join_labels(labels)?;
            }
            input.joins = other.joins.clone().or(input.joins);
            self.plan.inputs.push(input);
        }
        Ok(self)
    }

    /// The data sets that an argument names, as labels of others.
    pub(super) fn labels_of(&self, text: &str) -> Result<Labels> {
        Ok(Labels {
            data: Box::new(Self::new(&self.registry, &self.env).input(text)?.finish()?),
            speakers: None,
            tolerance: 0,
            as_segments: false,
        })
    }

    fn next_number(&self) -> usize {
        let last = self.plan.inputs.last();
        last.map_or(0, |input| input.number + 1)
    }
}

/// Returns the first step that an input of several would do before those in front of it.
fn early(steps: &[Step]) -> Option<&Step> {
    let is_early = |step: &&Step| step.kind().phase <= Phase::Names;
    let mut later = steps.iter().skip_while(is_early);
    later.find(is_early)
}
