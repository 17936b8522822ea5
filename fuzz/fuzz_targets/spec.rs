//! PDNN's data options, and arguments as a whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spr_convert::argument::{Input, Target};
use spr_convert::builtin;
use spr_convert::step::option_keys;

fuzz_target!(|text: &str| {
    let (registry, env) = (builtin::registry(), spr_fuzz::env());
    for key in option_keys() {
        let pair = (key.to_owned(), text.to_owned());
        let _ = Input::parse("x", None, &[pair], &registry, &env);
    }
    // A folder may be searched by an input's pattern: that of the run is empty.
    if !text.contains('/') {
        let _ = Input::parse(text, None, &[], &registry, &env);
        if let Ok(target) = Target::parse(text, None, &[], &registry, &env) {
            let _ = target.explain();
        }
    }
});
