//! Rules by which verbs take only some utterances: by duration, kinds of data and other columns of `ls`.

use clap::Args;
use spr_core::{Error, Result};

use crate::builder::PlanBuilder;
use crate::step::Step;

// Which utterances are taken, by what their columns say.
#[derive(Args, Debug, Clone, Default)]
pub(super) struct FilterArgs {
    /// Take utterances of which an expression over the columns of `ls` is true, such as 'seconds > 1'
    #[arg(
        long = "where",
        value_name = "EXPRESSION",
        help_heading = "Rules",
        hide_short_help = true
    )]
    condition: Vec<String>,
    /// Take utterances of so many seconds or more
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Rules",
        hide_short_help = true
    )]
    min_seconds: Option<f64>,
    /// Take utterances of so many seconds or fewer
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Rules",
        hide_short_help = true
    )]
    max_seconds: Option<f64>,
    /// Take utterances whose text has N characters or more
    #[arg(long, value_name = "N", help_heading = "Rules", hide_short_help = true)]
    min_text: Option<u64>,
    /// Take utterances that hold all of these kinds of data
    #[arg(
        long,
        value_name = "KIND,...",
        value_delimiter = ',',
        help_heading = "Rules",
        hide_short_help = true,
        value_parser = ["features", "labels", "sound", "text", "segments", "arrays"]
    )]
    has: Vec<String>,
}

impl FilterArgs {
    /// Returns `true` if a rule is given.
    pub(super) fn is_given(&self) -> bool {
        let seconds = self.min_seconds.or(self.max_seconds);
        let columns = !self.has.is_empty() || !self.condition.is_empty();
        columns || seconds.is_some() || self.min_text.is_some()
    }

    /// Returns the steps that the rules ask for.
    ///
    /// # Errors
    /// A duration is none, or an expression is none.
    pub(super) fn steps(&self) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let (least, most) = (self.min_seconds, self.max_seconds);
        for (flag, seconds) in [("--min-seconds", least), ("--max-seconds", most)] {
            if let Some(seconds) = seconds.filter(|n| !n.is_finite() || *n < 0.0) {
                return Err(Error::usage(format!("{flag}: {seconds} is not a duration")));
            }
        }
        if least.is_some() && most < least && most.is_some() {
            return Err(Error::usage("--min-seconds is more than --max-seconds"));
        }
        if least.or(most).is_some() {
            let text = |n: Option<f64>| n.map(|n| n.abs().to_string()).unwrap_or_default();
            let range = format!("{}-{}", text(least), text(most));
            steps.push(Step::new("seconds", [("seconds", range)])?);
        }
        let length = self.min_text.map(|n| format!("characters >= {n}"));
        let kinds = self.has.iter().map(|kind| match kind.as_str() {
            "sound" => "kinds ~ 'audio'".to_owned(),
            // An empty transcription is none.
            "text" => "text != ''".to_owned(),
            kind => format!("kinds ~ '{kind}'"),
        });
        for text in length.into_iter().chain(kinds) {
            steps.push(Step::new("where", [("expression", text)])?);
        }
        for text in &self.condition {
            let step = Step::new("where", [("expression", text)]);
            steps.push(step.map_err(|error| error.context("--where"))?);
        }
        Ok(steps)
    }

    /// Takes the utterances that the rules say.
    ///
    /// # Errors
    /// As for [`steps`](Self::steps).
    pub(super) fn add(&self, builder: &mut PlanBuilder) -> Result<()> {
        for step in self.steps()? {
            builder.step(step);
        }
        Ok(())
    }
}
