#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| spr_fuzz::read(&spr_format_htk::SPHINX, bytes));
