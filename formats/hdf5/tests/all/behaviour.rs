//! The behaviour suite for HDF5.

use spr_format_hdf5::FORMAT;
use spr_testkit::{Suite, suite};

#[test]
fn hdf5_behaves() {
    suite(&Suite {
        warns_of_more: true,
        ..Suite::new(&FORMAT)
    });
}
