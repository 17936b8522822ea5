//! Opaque objects, kept byte by byte.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::{Object, Utterance};
use spr_format_kaldi::FORMAT;
use spr_testkit::{read_memory, write_memory};

fn utterance(key: &str, kind: &'static str, bytes: &[u8]) -> Utterance {
    Utterance {
        key: key.into(),
        object: Some(Object::opaque(kind, bytes.to_vec())),
        ..Utterance::default()
    }
}

#[test]
fn archives_hold_what_ends_where_a_reader_finds_the_end() {
    let whole: [(&'static str, &[u8]); 6] = [
        ("tokens-object", b"\0B<Net> \x04\x07\0\0\0</Net> "),
        ("tokens-object", b"\0B<A> <B> x </B> </A> "),
        ("blob", b"\0B\x14\x11\x22\x20\x02\0\0\0\0\0\0\0ab"),
        ("int8", b"\0B\x01\x07"),
        ("uint16", b"\0B\xfe\x01\x02"),
        ("int64", b"\0B\x08\x01\0\0\0\0\0\0\0"),
    ];
    for (kind, bytes) in whole {
        let utts = [utterance("a", kind, bytes), utterance("b", kind, bytes)];
        let table = write_memory(&FORMAT, &[], &utts).unwrap();
        assert_eq!(read_memory(&FORMAT, &[], &table).unwrap(), utts, "{kind}");
    }
    let endless: [(&'static str, &[u8]); 8] = [
        ("tokens-object", b"\0B<Net> \x04\x07\0\0\0"),
        ("tokens-object", b"\0B<Net> </Net> more"),
        ("tokens-object", b"\0B<Net> </Net> b </Net> "),
        ("tokens-object", b"<Net> </Net> "),
        ("blob", b"\0B\x14\x11\x22\x20\x03\0\0\0\0\0\0\0ab"),
        ("int8", b"\0B\x01\x07\x07"),
        ("int64", b"\0B\x08\x01"),
        ("fst", b"\xd6\xfd\xb2\x7e"),
    ];
    for (kind, bytes) in endless {
        let refused = write_memory(&FORMAT, &[], &[utterance("a", kind, bytes)]);
        let error = refused.unwrap_err();
        assert!(
            error.to_string().contains("end could not be found again"),
            "{kind}: {error}"
        );
        assert!(error.can_continue());
    }
}

#[test]
fn a_file_of_its_own_holds_any() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.raw");
    let bytes = b"\0B<Net> \x04\x07\0\0\0";
    std::fs::write(&path, bytes).unwrap();
    let utts = spr_testkit::read(&FORMAT, &[], &path).unwrap();
    assert_eq!(utts, [utterance("net", "tokens-object", bytes)]);
}
