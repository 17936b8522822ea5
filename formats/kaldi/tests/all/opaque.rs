//! Opaque objects, kept byte by byte.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::ErrorKind;
use spr_core::bytes::Env;
use spr_core::format::Options;
use spr_core::model::{Object, Utterance};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::{Drained, one_byte, read_source};
use spr_testkit::{read_memory, write_memory};

use super::common::holding;

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

/// Reads a file of this name.
fn read_named(name: &str, bytes: &[u8], options: &[(&str, &str)]) -> Drained {
    let env = holding(&[(name, bytes)]);
    let options = spr_testkit::options(&FORMAT, options).unwrap();
    read_source(
        &FORMAT,
        &options,
        env.open_file(&name.into()).unwrap(),
        &env,
    )
}

/// Reads what a script file calls `a`, a file of its own.
fn read_alone(bytes: &[u8], options: &[(&str, &str)]) -> Drained {
    let env = holding(&[("x.scp", &b"a a.fst\n"[..]), ("a.fst", bytes)]);
    let options = spr_testkit::options(&FORMAT, options).unwrap();
    read_source(
        &FORMAT,
        &options,
        env.open_file(&"x.scp".into()).unwrap(),
        &env,
    )
}

/// Returns a transducer in OpenFst's binary form, of two states and an arc.
fn fst(form: &str, arcs: &str, flags: i32, weight: &[u8]) -> Vec<u8> {
    let int = |n: usize| i32::try_from(n).unwrap().to_le_bytes();
    let long = |n: i64| n.to_le_bytes();
    [
        b"\xd6\xfd\xb2\x7e",
        &int(form.len())[..],
        form.as_bytes(),
        &int(arcs.len()),
        arcs.as_bytes(),
        &int(2),
        &flags.to_le_bytes(),
        // Properties, the first state, states, arcs.
        &[long(3), long(0), long(2), long(1)].concat(),
        weight,
        &long(1),
        // Labels of the arc, and the state that it leads to.
        &[int(7), int(8)].concat(),
        weight,
        &int(1),
        weight,
        &long(0),
    ]
    .concat()
}

/// Two floats, and a string of two labels.
const COMPACT: &[u8] = b"\0\0\x80\x3f\0\0\0\x40\x02\0\0\0\x05\0\0\0\x06\0\0\0";

#[test]
fn transducers_end_behind_their_last_state() {
    for (arcs, weight) in [
        ("standard", &COMPACT[..4]),
        ("log", &COMPACT[..4]),
        ("lattice4", &COMPACT[..8]),
        ("compactlattice44", COMPACT),
    ] {
        let object = fst("vector", arcs, 0, weight);
        let utts = [
            utterance("a", "fst", &object),
            utterance("b", "fst", &object),
        ];
        let table = write_memory(&FORMAT, &[], &utts).unwrap();
        assert_eq!(table, [b"a ", &object[..], b"b ", &object[..]].concat());
        assert_eq!(read_memory(&FORMAT, &[], &table).unwrap(), utts, "{arcs}");
        for len in 4 + object.len()..table.len() {
            let cut = read_named("x.ark", &table[..len], &[]);
            assert_eq!(cut.utterances.len(), 1, "{arcs}, {len} bytes");
            let is_whole = len == 2 + object.len() + usize::from(table[len - 1] == b'b');
            let kinds: Vec<_> = cut.errors.iter().map(|error| error.kind()).collect();
            assert!(
                is_whole || kinds == [ErrorKind::Truncated],
                "{arcs}, {len} bytes: {kinds:?}"
            );
        }
        // One that goes on is not what an archive can hold.
        let more = utterance("a", "fst", &[&object[..], b"x"].concat());
        assert!(write_memory(&FORMAT, &[], &[more]).is_err());
    }
}

#[test]
fn transducers_of_any_type_have_a_file_of_their_own() {
    let long = |at: usize, n: i64| {
        let mut object = fst("vector", "standard", 0, &[0; 4]);
        let at = object.len() - at;
        object[at..at + 8].copy_from_slice(&n.to_le_bytes());
        object
    };
    for (what, object) in [
        ("another form", fst("const", "standard", 0, &[0; 4])),
        ("other arcs", fst("vector", "tropical_LT_x", 0, &[0; 4])),
        ("symbols", fst("vector", "standard", 1, &[0; 4])),
        ("output symbols", fst("vector", "standard", 2, &[0; 4])),
        ("arcs below 0", long(8, -1)),
        ("arcs beyond measure", long(8, (1 << 40) + 1)),
        // 16 bytes of an arc, twice a weight and a number of arcs, the number of all arcs and this one.
        ("states below 0", long(16 + 24 + 16, -1)),
    ] {
        let mut archive = [b"a ", &object[..]].concat();
        archive.extend_from_slice(b"b ");
        let read = read_named("x.ark", &archive, &[]);
        let error = read.errors.first().unwrap();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{what}");
        let told = "x.ark@2: utterance a: there is no telling where this object ends";
        assert_eq!(error.to_string(), told, "{what}");
        assert!(write_memory(&FORMAT, &[], &[utterance("a", "fst", &object)]).is_err());
        let alone = read_alone(&object, &[]).whole().unwrap();
        assert_eq!(alone, [utterance("a", "fst", &object)], "{what}");
    }
    // As text it needs no empty line there.
    let text = b"0\t1\t7\t8\n1\n";
    let alone = read_alone(text, &[("holder", "fst")]).whole().unwrap();
    assert_eq!(alone, [utterance("a", "fst", text)]);
    // Bytes behind one whose end is known are none of it.
    let object = fst("vector", "standard", 0, &[0; 4]);
    let more = read_alone(&[&object[..], b"\x01"].concat(), &[]);
    assert!(
        more.errors[0].to_string().contains("more bytes follow"),
        "{:?}",
        more.errors
    );
}

#[test]
fn transducers_in_text_end_with_an_empty_line() {
    let text = "a \n0\t1\t7\t8\t0.5\n1\n\nb \n0\n\n";
    let utts = [
        utterance("a", "fst", b"\n0\t1\t7\t8\t0.5\n1\n\n"),
        utterance("b", "fst", b"\n0\n\n"),
    ];
    assert_eq!(read_memory(&FORMAT, &[], text.as_bytes()).unwrap(), utts);
    let written = write_memory(&FORMAT, &[("text", "true")], &utts).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text);
    let cut = read_named("x.ark", &text.as_bytes()[..text.len() - 1], &[]);
    assert_eq!(cut.utterances, utts[..1]);
    assert_eq!(cut.errors[0].kind(), ErrorKind::Truncated);
    let told = "the file ends inside an object";
    assert!(
        cut.errors[0].to_string().contains(told),
        "{}",
        cut.errors[0]
    );
}

#[test]
fn objects_may_be_larger_than_what_is_looked_at_first() {
    let long = "x".repeat(3_000_000);
    let net = format!("\0B<Net> {long} </Net> ");
    let lattice = format!("\n{}\n", "0\t1\t7\t8\t0.5\n".repeat(250_000));
    for (kind, text, bytes) in [("tokens-object", "false", &net), ("fst", "true", &lattice)] {
        let utts = [
            utterance("a", kind, bytes.as_bytes()),
            utterance("b", kind, bytes.as_bytes()),
        ];
        let table = write_memory(&FORMAT, &[("text", text)], &utts).unwrap();
        let mut env = Env::default();
        let source = one_byte(&table).unwrap();
        let read = read_source(&FORMAT, &Options::default(), source, &env);
        assert_eq!(read.whole().unwrap(), utts, "{kind}");
        env.limits.max_alloc = 2_000_000;
        let source = one_byte(&table).unwrap();
        let read = read_source(&FORMAT, &Options::default(), source, &env);
        assert_eq!(read.errors[0].kind(), ErrorKind::Limit, "{kind}");
        assert!(
            read.errors[0].to_string().contains("an object of "),
            "{}",
            read.errors[0]
        );
    }
}
