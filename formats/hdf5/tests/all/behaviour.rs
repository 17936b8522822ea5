//! The behaviour suite for HDF5.

use spr_core::model::{Tag, Utterance};
use spr_format_hdf5::FORMAT;
use spr_testkit::{Suite, suite};

/// Groups are tested elsewhere: a key that is the group of another is refused. Columns are text and differ.
fn prepare(utt: &mut Utterance) {
    let plain = |b: &u8| if *b == b'/' { b'|' } else { *b };
    let key: Vec<_> = utt.key.as_bytes().iter().map(plain).collect();
    utt.key.set(&key);
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .replace('\0', "0")
            .into_bytes()
    };
    for (n, tag) in utt.meta.tags.iter_mut().enumerate() {
        let key = [text(&tag.key), n.to_string().into_bytes()].concat();
        let value = String::from_utf8_lossy(&tag.value).into_owned();
        *tag = Tag::new(tag.format.clone(), key, value);
    }
}

#[test]
fn hdf5_behaves() {
    suite(&Suite {
        warns_of_more: true,
        prepare,
        ..Suite::new(&FORMAT)
    });
}
