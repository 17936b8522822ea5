//! What the format must do, seen from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_testkit::{Suite, suite};

#[test]
fn behaves() {
    suite(&Suite {
        options: &[
            &[],
            &[("keys", "none")],
            &[("protocol", "0")],
            &[("protocol", "1")],
            &[("protocol", "3")],
            &[("protocol", "4")],
            &[("protocol", "5")],
        ],
        ..Suite::new(&spr_format_pickle::FORMAT)
    });
}
