//! The contract of formats: how they are found, what is asked of them, and what is made of data for
//! them, tried with toy formats over files in memory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod adapter;
mod check;
mod folders;
mod loads;
mod options;
mod registry;
mod requests;
mod toy_samples;
mod toys;
mod values;
