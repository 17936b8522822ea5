//! What the format promises.

use spr_format_jsonl::FORMAT;
use spr_testkit::{Suite, suite};

#[test]
fn behaves() {
    suite(&Suite {
        text: true,
        self_delimiting: true,
        ..Suite::new(&FORMAT)
    });
}
