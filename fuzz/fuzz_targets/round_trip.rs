//! What one format's reader gives, a format's writer stores, and its reader gives again. The first
//! byte chooses what is written; what is read is found by its content.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((first, bytes)) = bytes.split_first() {
        spr_fuzz::round_trip(usize::from(*first), bytes);
    }
});
