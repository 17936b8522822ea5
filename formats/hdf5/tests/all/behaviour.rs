//! The behaviour suite for HDF5.

use spr_core::model::Utterance;
use spr_format_hdf5::FORMAT;
use spr_testkit::{Suite, suite};

/// Groups are tested elsewhere: a key that is the group of another is refused.
fn without_groups(utt: &mut Utterance) {
    let plain = |b: &u8| if *b == b'/' { b'|' } else { *b };
    let key: Vec<_> = utt.key.as_bytes().iter().map(plain).collect();
    utt.key.set(&key);
}

#[test]
fn hdf5_behaves() {
    suite(&Suite {
        warns_of_more: true,
        prepare: without_groups,
        ..Suite::new(&FORMAT)
    });
}
