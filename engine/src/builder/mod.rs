//! Makes plans, in one place for all who have them made: the program's flags, data options, stages, the
//! library's options and Python.
//!
//! What a call says is understood at once. What depends on several calls, such as the type that sound
//! is computed in, is settled in [`PlanBuilder::finish`].

mod finish;
mod inputs;
mod joins;
mod model;
mod outputs;
mod plan_builder;
mod rules;
mod steps;

pub use plan_builder::PlanBuilder;
pub use steps::Duplicates;
