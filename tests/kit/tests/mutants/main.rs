//! The suite passes a sound format and finds what is wrong with unsound ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod toy;

use std::panic;

use spr_testkit::{Suite, suite};

use toy::{Fault, Toy};

#[test]
fn a_sound_format_passes() {
    static TOY: Toy = Toy(Fault::None);
    suite(&Suite::new(&TOY));
}

/// The step at which the suite stops on a format with `fault`.
fn verdict(fault: Fault) -> String {
    let toy: &'static Toy = Box::leak(Box::new(Toy(fault)));
    let result = panic::catch_unwind(|| suite(&Suite::new(toy)));
    let payload = result.expect_err(&format!("{fault:?} was not found"));
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&str>().unwrap().to_string(),
    }
}

#[test]
fn unsound_formats_are_found() {
    for (fault, step) in [
        (
            Fault::DropsLabels,
            "undeclared and yet taken: labels beside",
        ),
        (
            Fault::DropsFrameShift,
            "undeclared and yet taken: a frame shift",
        ),
        (Fault::AcceptsAnyKey, "undeclared and yet taken: a key"),
        (
            Fault::CastsDtypes,
            "undeclared and yet taken: an element type",
        ),
        (Fault::EndsEarly, "without an error"),
        (Fault::PassesOverRubbish, "appended"),
        (Fault::TrustsSizes, "memory grew"),
        (Fault::WakesUp, "reading past the end"),
        (Fault::KeepsStaleFields, "labels: want None"),
        (Fault::IgnoresFullDisks, "bytes: no error"),
        (Fault::LeavesFiles, "files are left"),
        (Fault::Unrecognised, "recognising"),
        (Fault::NamesNoFile, "names no file"),
        (Fault::Miscounts, "the writer counts"),
        (Fault::LosesZeroSigns, "want -0"),
        (Fault::PanicsOnBigSizes, "too large"),
        (Fault::IgnoresKeys, "the keys []"),
        (Fault::PassesWrongShapes, "no values"),
        (Fault::SaysOtherCaps, "a writer's caps"),
        (Fault::TellsLate, "changes while it is read"),
        (Fault::DropsSource, "undeclared and yet taken: speaker"),
        (Fault::DropsArrays, "undeclared and yet taken: arrays"),
        (Fault::DropsTiers, "undeclared and yet taken: segments"),
        (Fault::NestedReadsOn, "reading behind it"),
        (Fault::NestedTrustsItself, "with bytes behind it"),
        (Fault::NestedForgetsMeta, "what the container said"),
    ] {
        let message = verdict(fault);
        assert!(message.contains(step), "{fault:?}: {message}");
    }
}
