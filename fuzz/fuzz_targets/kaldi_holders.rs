//! Kaldi archives with the holder named, by the first byte, and not found out.
#![no_main]

use libfuzzer_sys::fuzz_target;

const HOLDERS: [&str; 28] = [
    "float-matrix",
    "double-matrix",
    "compressed-matrix",
    "float-vector",
    "double-vector",
    "symmetric-matrix",
    "triangular-matrix",
    "int32-vector",
    "int32",
    "float",
    "double",
    "bool",
    "int32-vector-vector",
    "int32-pair-vector",
    "float-pair-vector",
    "basic-float-vector",
    "posterior",
    "gauss-posterior",
    "token",
    "token-vector",
    "sparse-vector",
    "sparse-matrix",
    "wave",
    "htk",
    "sphinx",
    "int8-vector",
    "fst",
    "",
];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else {
        return;
    };
    let holder = HOLDERS[usize::from(*first) % HOLDERS.len()];
    let format = &spr_format_kaldi::FORMAT;
    match holder {
        "" => spr_fuzz::read_with(format, &[("table", "scp")], bytes),
        holder => spr_fuzz::read_with(format, &[("holder", holder)], bytes),
    }
});
