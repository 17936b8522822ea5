//! Arrays that are called as the rate of sound is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Options, Request};
use spr_core::model::{Array, Utterance};
use spr_format_numpy::{NPZ, SAFETENSORS};

/// Returns a file with arrays of two bytes each.
fn file(names: &[&str]) -> Vec<u8> {
    let entries = names.iter().enumerate().map(|(n, name)| {
        let shape = if name.ends_with("rate") { "" } else { "1" };
        let place = format!("[{},{}]", 2 * n, 2 * n + 2);
        format!("\"{name}\":{{\"dtype\":\"I16\",\"shape\":[{shape}],\"data_offsets\":{place}}}")
    });
    let header = format!("{{{}}}", entries.collect::<Vec<_>>().join(","));
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend((5u8..).zip(names).flat_map(|(value, _)| [value, 0]));
    bytes
}

#[test]
fn without_sound_they_are_arrays() {
    let env = Env::default();
    for (names, has_features) in [
        (&["u1", "u1.rate"][..], true),
        (&["u1.rate"], false),
        (&["u1.rate", "u1.labels"], false),
    ] {
        let source = Source::from_bytes("x", file(names)).unwrap();
        let opened = Request::all().open(&SAFETENSORS, source, &Options::default(), &env);
        let mut reader = opened.unwrap().into_stream().unwrap();
        let mut utt = Utterance::default();
        assert!(reader.read(&mut utt).unwrap(), "{names:?}");
        assert_eq!(utt.key.as_str(), Some("u1"));
        assert_eq!(utt.features.is_some(), has_features, "{names:?}");
        let [array] = utt.arrays.as_slice() else {
            panic!("{names:?}: {:?}", utt.arrays);
        };
        let mut values = (5i16..).zip(names);
        let (value, _) = values.find(|(_, name)| name.ends_with("rate")).unwrap();
        let stored = Array::values(&array.array).as_slice::<i16>();
        assert_eq!(array.name, "rate");
        assert_eq!(stored, Some(&[value][..]));
        let read = utt.clone();
        assert!(!reader.read(&mut utt).unwrap());
        // They are written by their names again.
        for format in [&SAFETENSORS as &'static dyn Format, &NPZ] {
            let bytes =
                spr_testkit::write_memory(format, &[], std::slice::from_ref(&read)).unwrap();
            let again = spr_testkit::read_memory(format, &[], &bytes).unwrap();
            assert_eq!(again[0].arrays, read.arrays, "{names:?}");
            assert_eq!(again[0].features, read.features, "{names:?}");
        }
    }
}
