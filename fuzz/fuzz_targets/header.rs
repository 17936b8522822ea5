//! SPRAAK headers, as `spr-convert header` reads, changes and prints them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spr_core::bytes::Source;
use spr_format_spraak::header::{Dialect, edit::HeaderFile};

fuzz_target!(|bytes: &[u8]| {
    let open = |bytes: &[u8]| {
        let source = Source::from_bytes("header", bytes.to_vec())?;
        HeaderFile::open(source, &spr_fuzz::env())
    };
    let Ok(mut header) = open(bytes) else { return };
    if let Ok(printed) = header.print() {
        let again = open(&printed).expect("what was printed reads");
        let same = again.pairs().eq(header.pairs());
        assert!(same, "the fields are the same after printing");
    }
    let _ = header.set("DIM1", b"7");
    let _ = header.delete("TYPE");
    let _ = header.count();
    let _ = header.translate(Dialect::Key);
    let _ = header.print();
});
