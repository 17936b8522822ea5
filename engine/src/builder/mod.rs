//! The builder of plans, for the program's flags, data options, stages, the library's options and Python.
//!
//! Each call parses its values. Settings that depend on several calls, such as the type that sound is
//! computed in, are settled in [`PlanBuilder::finish`].

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
