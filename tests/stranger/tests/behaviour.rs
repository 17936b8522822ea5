//! The behaviour suite, on a format of another crate.

use spr_testkit::{Suite, suite};
use stranger::TOY;

#[test]
fn toy_behaves() {
    suite(&Suite {
        self_delimiting: true,
        ..Suite::new(&TOY)
    });
}
