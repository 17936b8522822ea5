//! Damaged bytes.

use super::*;

#[test]
fn damage_is_never_silent() {
    for (bytes, message) in [
        (
            &b"a 1 2\nbc"[..],
            "memory@8: utterance bc: the file ends inside a key",
        ),
        (
            b"a 1 2",
            "memory@5: utterance a: the file ends inside a line",
        ),
        (
            b"a ",
            "memory@2: utterance a: the file ends before the object",
        ),
        (
            b"a  [ 1 2",
            "memory@8: utterance a: the file ends before the closing bracket",
        ),
        (
            b"a  [\n 1 2\n 3 ]",
            "memory@13: utterance a: row 2 does not have 2 numbers as those before",
        ),
        (
            b"a  [ 1 x ]",
            "memory@7: utterance a: 'x' is not an f32 number",
        ),
        (
            b"a  [ 1-2 ]",
            "memory@3: utterance a: two numbers of a vector without a space between them",
        ),
        (
            b"a 1 2\nb 1 x\n",
            "memory@10: utterance b: 'x' is not an int32",
        ),
        (
            b"a  \0BFM ",
            "memory@3: utterance a: more than one space before a binary object",
        ),
        (
            b"a \0xFM ",
            "memory@2: utterance a: byte 0 is not followed by 'B'",
        ),
        (
            b"a\x0c[ 1 ]\n",
            "memory@1: utterance a: expected a space after the key, found byte 0x0c",
        ),
        (b"a 1\n\x04b", "memory@4: expected a key, found byte 0x04"),
        (
            b"a \0BXX ",
            "memory@4: utterance a: no known object starts with byte 0x58",
        ),
        (
            b"a \0BFM \x04\x03\0\0\0\x04\0\0\0\0",
            "memory@17: utterance a: matrix header says 3 rows of 0 columns",
        ),
        (
            b"a \0BFV \x04\xff\xff\xff\xff",
            "memory@12: utterance a: the header says -1 numbers",
        ),
        (
            b"a \0BFV \x08\x01\0\0\0",
            "memory@7: utterance a: the number of numbers is not a 32-bit integer: expected byte 0x04, found 0x08",
        ),
        (
            b"\0BFV \x04\0\0\0\0x",
            "memory@10: utterance utt000000: more bytes follow the object",
        ),
    ] {
        assert_eq!(error(bytes, &[]).to_string(), message);
    }
}

#[test]
fn false_sizes_fail_at_once() {
    for token in ["FM", "DM", "CM", "CM2", "CM3"] {
        let mut bytes = format!("a \0B{token} ").into_bytes();
        let sizes: &[u8] = match token.as_bytes()[0] {
            b'C' => b"\0\0\0\0\0\0\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f",
            _ => b"\x04\xff\xff\xff\x7f\x04\xff\xff\xff\x7f",
        };
        bytes.extend_from_slice(sizes);
        assert_eq!(error(&bytes, &[]).kind(), ErrorKind::Limit, "{token}");
    }
    let vector = b"a \0BFV \x04\xff\xff\xff\x0f\0\0";
    assert_eq!(error(vector, &[]).kind(), ErrorKind::Truncated);
    let integers = b"a \0B\x04\xff\xff\xff\x0f\x04\0\0\0\0";
    for options in [&[][..], &[("holder", "int32-vector")]] {
        assert_eq!(error(integers, options).kind(), ErrorKind::Truncated);
    }
}

#[test]
fn another_kind_is_an_error_that_names_both() {
    let bytes = b"a  [ 1 ]\nb 1 2\nc  [ 2 ]\n";
    let options = spr_testkit::options(&FORMAT, &[]).unwrap();
    let source = Source::from_bytes("x.ark", bytes.to_vec()).unwrap();
    let drained = spr_testkit::faults::read_source(&FORMAT, &options, source, &Env::default());
    let errors: Vec<_> = drained.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        ["x.ark@11: utterance b: holds an int32-vector, but the first entry held a float-vector"]
    );
    assert_eq!(drained.utterances.len(), 2);
}

#[test]
fn lines_that_are_refused_can_be_passed_over() {
    let bytes = b"a 1 1\nb 2 x 3\nc 99999999999\nd 4\n";
    let options = spr_testkit::options(&FORMAT, &[]).unwrap();
    let source = Source::from_bytes("x", bytes.to_vec()).unwrap();
    let drained = spr_testkit::faults::read_source(&FORMAT, &options, source, &Env::default());
    assert_eq!((drained.utterances.len(), drained.errors.len()), (2, 2));
    assert_eq!(integers(&drained.utterances[1]), [4]);
}
