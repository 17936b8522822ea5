//! Kaldi's rspecifiers, wspecifiers and extended file names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spr_format_kaldi::specifier;

fuzz_target!(|text: &str| {
    if let Some(Ok(table)) = specifier::rspecifier(text) {
        table.options().count();
    }
    if let Some(Ok(table)) = specifier::wspecifier(text) {
        table.options().count();
    }
    let _ = specifier::rxfilename(text);
    let _ = specifier::wxfilename(text);
});
