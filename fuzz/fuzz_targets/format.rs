//! Any format: the one that the environment's `SPR_FUZZ_FORMAT` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use spr_convert::builtin;
use spr_core::format::Format;

static FORMAT: LazyLock<&'static dyn Format> = LazyLock::new(|| {
    let name = std::env::var("SPR_FUZZ_FORMAT").expect("SPR_FUZZ_FORMAT names a format");
    builtin::registry()
        .get(&name)
        .expect("a format that is built in")
});

fuzz_target!(|bytes: &[u8]| spr_fuzz::read(*FORMAT, bytes));
