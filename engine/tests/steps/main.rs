//! Steps as they are written, and what they do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::large_enum_variant,
    reason = "tests"
)]

#[path = "../../../core/tests/stages/script.rs"]
#[allow(dead_code, reason = "the tests of the core share it")]
mod script;
mod slips;
mod sound;
mod typed;
mod written;
