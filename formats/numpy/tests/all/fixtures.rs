//! Files of other programs, and those that must be refused.

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};
use spr_format_numpy::{FORMAT, NPZ, SAFETENSORS};
use spr_testkit::fixtures;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/numpy");

#[test]
fn files_of_other_programs() {
    let registry = Registry::new([
        &FORMAT as &dyn Format,
        &NPZ,
        &SAFETENSORS,
        &spr_format_jsonl::FORMAT,
    ]);
    fixtures(
        FOLDER.as_ref(),
        &registry,
        &Env::default().listening(|_| {}),
    );
}
