//! Lhotse's Shar: all files of one, each behind a line `=NAME`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| spr_fuzz::read_folder(&spr_format_manifest::SHAR, bytes));
