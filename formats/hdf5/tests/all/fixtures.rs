//! Files of h5py and what others keep in HDF5, and those that must be refused.

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};
use spr_testkit::fixtures;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/hdf5");

#[test]
fn files_of_other_programs() {
    let objects = [
        &spr_format_audio::WAV as &dyn Format,
        &spr_format_lilcom::FORMAT,
    ];
    let env = Env::default()
        .with_formats(Registry::new(objects))
        .listening(|_| {});
    let registry = Registry::new([
        &spr_format_hdf5::FORMAT as &dyn Format,
        &spr_format_jsonl::FORMAT,
    ]);
    fixtures(FOLDER.as_ref(), &registry, &env);
}
