//! PDNN's data options, and arguments as a whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spr_convert::argument::Target;
use spr_convert::builder::PlanBuilder;
use spr_convert::builtin;
use spr_convert::step::option_keys;

fuzz_target!(|text: &str| {
    let (registry, env) = (builtin::registry(), spr_fuzz::env());
    for key in option_keys() {
        let mut builder = PlanBuilder::new(&registry, &env);
        let _ = builder.option(key, text).input("x");
    }
    // A folder may be searched by an input's pattern: that of the run is empty.
    if !text.contains('/') {
        let _ = PlanBuilder::new(&registry, &env).input(text);
        if let Ok(target) = Target::parse(text, None, &[], &registry, &env) {
            let _ = target.explain();
        }
    }
});
