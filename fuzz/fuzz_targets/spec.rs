//! PDNN's data options, and arguments as a whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spr_convert::argument::{Input, Target};
use spr_convert::builtin;
use spr_convert::spec::DataOptions;

fuzz_target!(|text: &str| {
    for key in DataOptions::KEYS {
        let _ = DataOptions::default().set(key, text);
    }
    // A folder may be searched by an input's pattern: that of the run is empty.
    if !text.contains('/') {
        let (registry, env) = (builtin::registry(), spr_fuzz::env());
        let _ = Input::parse(text, None, &[], &registry, &env);
        if let Ok(target) = Target::parse(text, None, &[], &registry, &env) {
            let _ = target.explain();
        }
    }
});
