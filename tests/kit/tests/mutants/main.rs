//! The suite passes a sound format and finds what is wrong with unsound ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod lines;
mod toy;

use std::panic;

use spr_testkit::{Suite, suite};

use lines::LineToy;
use toy::{Fault, Toy};

#[test]
fn a_sound_format_passes() {
    static TOY: Toy = Toy(Fault::None);
    suite(&Suite::new(&TOY));
}

/// The step at which the suite stops on a format with a fault.
fn verdict(fault: &str, unsound: &Suite) -> String {
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| suite(unsound)));
    let payload = result.expect_err(&format!("{fault} was not found"));
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
        (Fault::LeaksLabels, "labels: want None"),
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
        (Fault::DropsAbout, "what the data set says of itself"),
        (Fault::NestedReadsOn, "reading behind it"),
        (Fault::NestedTrustsItself, "with bytes behind it"),
        (Fault::NestedForgetsMeta, "what the container said"),
    ] {
        let toy: &'static Toy = Box::leak(Box::new(Toy(fault)));
        let message = verdict(&format!("{fault:?}"), &Suite::new(toy));
        assert!(message.contains(step), "{fault:?}: {message}");
    }
}

/// The suite for a format of lines of text, several of which are an utterance.
const fn of_lines(format: &'static LineToy) -> Suite {
    Suite {
        text: true,
        self_delimiting: true,
        uncounted: true,
        ..Suite::new(format)
    }
}

#[test]
fn a_number_cut_at_the_end_of_a_text_is_found() {
    static SOUND: LineToy = LineToy { takes_cut: false };
    static UNSOUND: LineToy = LineToy { takes_cut: true };
    suite(&of_lines(&SOUND));
    let message = verdict("a cut number", &of_lines(&UNSOUND));
    assert!(message.contains("to start with"), "{message}");
}
