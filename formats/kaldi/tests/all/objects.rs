//! Objects in binary and in text: the bytes, and what neither holds.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use spr_core::ErrorKind;
use spr_core::bytes::{Env, Source};
use spr_core::format::Options;
use spr_core::model::{Dtype, Lists, Matrix, Object, Rank, Sparse, Utterance};
use spr_format_kaldi::{FORMAT, read_object};
use spr_testkit::{read_memory, write_memory};

fn utterance(object: Object) -> Utterance {
    Utterance {
        key: "a".into(),
        object: Some(object),
        ..Utterance::default()
    }
}

fn scalar(value: f64, dtype: Dtype) -> Utterance {
    let mut number = Matrix::from_rows(&[value], 1, Rank::Scalar).unwrap();
    number.cast(dtype, &Default::default()).unwrap();
    Utterance {
        key: "a".into(),
        features: Some(number),
        ..Utterance::default()
    }
}

#[test]
fn integers_of_other_sizes_are_numbers_in_text() {
    for (kind, binary, text) in [
        ("int8", &b"\x01\xf9"[..], "-7"),
        ("uint8", b"\xff\xf9", "249"),
        ("int16", b"\x02\x01\x80", "-32767"),
        ("uint16", b"\xfe\x01\x80", "32769"),
        ("uint32", b"\xfc\xff\xff\xff\xff", "4294967295"),
        ("int64", b"\x08\xfe\xff\xff\xff\xff\xff\xff\xff", "-2"),
        (
            "uint64",
            b"\xf8\xfe\xff\xff\xff\xff\xff\xff\xff",
            "18446744073709551614",
        ),
        ("int8-vector", b"\x04\x02\0\0\0\x01\x05\x01\xff", "5 -1"),
        ("int8-vector", b"\x04\0\0\0\0", ""),
    ] {
        let utts = [utterance(Object::opaque(kind, [b"\0B", binary].concat()))];
        let archive = write_memory(&FORMAT, &[], &utts).unwrap();
        assert_eq!(archive, [b"a \0B", binary].concat(), "{kind}");
        let asked = [("holder", kind)];
        assert_eq!(
            read_memory(&FORMAT, &asked, &archive).unwrap(),
            utts,
            "{kind}"
        );
        let written = write_memory(&FORMAT, &[("text", "true")], &utts).unwrap();
        let line = if text.is_empty() {
            "a \n".to_owned()
        } else {
            format!("a {text} \n")
        };
        assert_eq!(String::from_utf8(written).unwrap(), line, "{kind}");
        assert_eq!(
            read_memory(&FORMAT, &asked, line.as_bytes()).unwrap(),
            utts,
            "{kind}"
        );
    }
    let holder = [("holder", "int8-vector")];
    for (bytes, told) in [
        (
            &b"a \0B\x04\x01\0\0\0\x02\x05"[..],
            "a number that is not tagged as one byte",
        ),
        (b"a \0B\x04\x02\0\0\0\x01\x05\x01", "the file ends"),
        (
            b"a \0B\x04\x01\0\0\0\x01\x05\x04\x01\0\0\0",
            "more tagged numbers follow than a int8-vector has",
        ),
    ] {
        let error = read_memory(&FORMAT, &holder, bytes)
            .unwrap_err()
            .to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn doubles_are_kept_or_asked_to_be_floats() {
    let wide = b"a \0B\x08\x9a\x99\x99\x99\x99\x99\xb9\x3f";
    let utts = [scalar(0.1, Dtype::F64)];
    assert_eq!(write_memory(&FORMAT, &[], &utts).unwrap(), wide);
    assert_eq!(read_memory(&FORMAT, &[], wide).unwrap(), utts);
    let single = [("holder", "float")];
    let floats = read_memory(&FORMAT, &single, wide).unwrap();
    assert_eq!(floats, [scalar(0.1, Dtype::F32)]);
    let narrow = b"a \0B\x04\xcd\xcc\xcc\x3d";
    assert_eq!(write_memory(&FORMAT, &[], &floats).unwrap(), narrow);
    // The double of the float, which has other digits than 0.1.
    let double = read_memory(&FORMAT, &[("holder", "double")], narrow).unwrap();
    assert_eq!(double, [scalar(0.10000000149011612, Dtype::F64)]);
    let huge = [b"a \0B\x08", &1e300f64.to_le_bytes()[..]].concat();
    let error = read_memory(&FORMAT, &single, &huge).unwrap_err();
    assert_eq!(
        error.to_string(),
        "memory@2: utterance a: 1e300 is beyond the range of a float"
    );
    for (holder, told) in [
        (
            "float-matrix",
            "does not hold a float-matrix, which the option holder asks for",
        ),
        (
            "token",
            "does not hold a token, which the option holder asks for",
        ),
    ] {
        let error = read_memory(&FORMAT, &[("holder", holder)], narrow).unwrap_err();
        assert!(error.to_string().contains(told), "{holder}: {error}");
    }
    let text = write_memory(&FORMAT, &[("text", "true"), ("dtype", "f64")], &utts).unwrap();
    assert_eq!(text, b"a 0.1 \n");
    assert_eq!(
        read_memory(&FORMAT, &[("holder", "double")], &text).unwrap(),
        utts
    );
}

#[test]
fn sparse_rows_of_both_widths() {
    for (dtype, value, tag, bytes) in [
        (Dtype::F32, 0.5, 4u8, 0.5f32.to_le_bytes().to_vec()),
        (Dtype::F64, 0.1, 8, 0.1f64.to_le_bytes().to_vec()),
    ] {
        let rows: Lists<(u32, f64)> = [vec![(2, value)]].into_iter().collect();
        let vector = Object::SparseVector(Sparse {
            dtype,
            dim: 5,
            rows,
        });
        let utts = [utterance(vector)];
        let archive = write_memory(&FORMAT, &[], &utts).unwrap();
        let head = b"a \0BSV \x04\x05\0\0\0\x04\x01\0\0\0\x04\x02\0\0\0";
        assert_eq!(archive, [&head[..], &[tag], &bytes].concat());
        assert_eq!(read_memory(&FORMAT, &[], &archive).unwrap(), utts);
        let options = [("text", "true"), ("dtype", "f64")];
        let text = write_memory(&FORMAT, &options, &utts).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            format!("a dim=5 [ 2 {value} ] \n")
        );
        // A byte that is no tag of a float.
        let mut wrong = archive;
        wrong[head.len()] = 5;
        let error = read_memory(&FORMAT, &[], &wrong).unwrap_err().to_string();
        assert!(
            error.contains("expected a float, found byte 0x05"),
            "{error}"
        );
    }
}

#[test]
fn what_text_and_words_do_not_hold() {
    let words = |all: &[&[u8]]| Object::Tokens(all.iter().map(|word| word.to_vec()).collect());
    for (object, text, told) in [
        (
            Object::opaque("blob", b"\0B\x14\x11\x22\x20\0\0\0\0\0\0\0\0".to_vec()),
            true,
            "a binary blob, which can't be written as text",
        ),
        (Object::Token(b"a b".to_vec()), false, "byte 0x20 in a word"),
        (Object::Token(vec![]), false, "an empty word"),
        (words(&[b"a", b"b\n"]), false, "byte 0x0a in a word"),
        (words(&[b"a", b""]), true, "an empty word"),
    ] {
        let options: &[_] = if text { &[("text", "true")] } else { &[] };
        let error = write_memory(&FORMAT, options, &[utterance(object)]).unwrap_err();
        assert_eq!(error.to_string(), format!("memory: utterance a: {told}"));
        assert!(error.can_continue());
    }
    let own = [utterance(words(&[b"a", b"b-\xfc"]))];
    let line = write_memory(&FORMAT, &[], &own).unwrap();
    assert_eq!(line, b"a a b-\xfc \n");
    assert_eq!(read_memory(&FORMAT, &[], &line).unwrap(), own);
}

#[test]
fn objects_are_read_one_by_one() {
    let bytes = b" [ 1 2 ]\n\0BFV \x04\x01\0\0\0\0\0\x80\x3f7 8 9\n".to_vec();
    let mut source = Source::from_bytes("x", bytes).unwrap();
    let (env, mut utt) = (
        Env::default(),
        Utterance {
            key: "k".into(),
            ..Utterance::default()
        },
    );
    let mut next = |options: &Options, source: &mut Source| {
        let read = read_object(source, options, &env, &mut utt);
        assert_eq!(utt.key.as_bytes(), b"k");
        let frames = |matrix: &Option<Matrix>| matrix.as_ref().map_or(0, Matrix::rows);
        read.map(|()| (frames(&utt.features), frames(&utt.labels), source.offset()))
    };
    let any = Options::default();
    assert_eq!(next(&any, &mut source).unwrap(), (2, 0, 8));
    source.skip(1).unwrap();
    assert_eq!(next(&any, &mut source).unwrap(), (1, 0, 23));
    let ints = spr_testkit::options(&FORMAT, &[("holder", "int32-vector")]).unwrap();
    assert_eq!(next(&ints, &mut source).unwrap().1, 3);
    let error = next(&any, &mut source).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
}

#[test]
fn keys_may_be_long() {
    let archive = |len: usize| format!("{} [ 1 ]\nb [ 2 ]\n", "k".repeat(len));
    for len in [127, 128, 129, 1000, 65_535] {
        let utts = read_memory(&FORMAT, &[], archive(len).as_bytes()).unwrap();
        let keys: Vec<_> = utts.iter().map(|utt| utt.key.as_bytes().len()).collect();
        assert_eq!(keys, [len, 1]);
    }
    let endless = archive(1 << 20);
    let error = read_memory(&FORMAT, &[], endless.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(error.contains("a key of more than 65536 bytes"), "{error}");
}
