//! Tests of the decisions.

use super::lines::scan_lines;
use super::runs::scan_runs;
use crate::kind::{ObjectKind, Precision};
use crate::recognise::TAG;

fn tagged(words: &[i32]) -> Vec<u8> {
    let group = |w: &i32| [&[TAG][..], &w.to_le_bytes()].concat();
    words.iter().flat_map(group).collect()
}

fn run(entries: &[&[i32]], after: &[u8]) -> Option<ObjectKind> {
    let entries: Vec<_> = entries.iter().map(|words| tagged(words)).collect();
    let bytes = [entries.join(&b"key \0B"[..]), after.to_vec()].concat();
    scan_runs(&bytes, true).decision.map(|d| d.kind)
}

#[test]
fn runs_are_told_apart() {
    let half = 0.5f32.to_bits().cast_signed();
    let tiny = 1e-20f32.to_bits().cast_signed();
    for (words, after, kind) in [
        (&[7][..], &b"key"[..], ObjectKind::Int),
        (&[-7], b"", ObjectKind::Int),
        (&[half], b"", ObjectKind::Float(Precision::Single)),
        (&[0], b"", ObjectKind::Ints),
        (&[3, 4, 4, 4], b"k", ObjectKind::Ints),
        (&[2, half, half], b"k", ObjectKind::Floats),
        (&[2, 1, 2, 3, 4], b"k", ObjectKind::IntPairs),
        (&[2, half, 0, 0, half], b"k", ObjectKind::FloatPairs),
        (&[2, 1, 9, 3, 1, 2, 3], b"k", ObjectKind::Lists),
        (&[2, 1, 9, half, 0], b"k", ObjectKind::Posterior),
        (&[2, 1, 9, tiny, 0], b"k", ObjectKind::Posterior),
        (&[1, 1, 9], b"FV \x04", ObjectKind::Gauss),
        (&[3], b"\x01\x05", ObjectKind::Opaque("int8-vector")),
    ] {
        assert_eq!(run(&[words], after), Some(kind), "{words:?}");
    }
    assert_eq!(run(&[&[5, 1, 2]], b""), None);
    assert_eq!(run(&[&[5, 1, 2]], b"k"), None);
    assert_eq!(run(&[&[1, 2]], b"\x04"), None);
}

#[test]
fn a_line_without_a_number_among_numbers_is_a_doubt() {
    for (text, kind, others) in [
        ("a 1\nb\nc 2\n", ObjectKind::Ints, vec![ObjectKind::Int]),
        (
            "a 1.5\nb\nc 2\n",
            ObjectKind::Floats,
            vec![ObjectKind::Float(Precision::Single)],
        ),
        ("a 1 2\nb\nc 2\n", ObjectKind::Ints, Vec::new()),
        ("a 1.5 2\nb\nc 2\n", ObjectKind::Floats, Vec::new()),
        ("a 1\nb 3\nc 2\n", ObjectKind::Int, Vec::new()),
        ("a x\nb\nc y\n", ObjectKind::Tokens, Vec::new()),
    ] {
        let value = &text.as_bytes()[2..];
        let decision = scan_lines(value, true).decision.unwrap();
        assert_eq!((decision.kind, decision.others), (kind, others), "{text}");
    }
}

#[test]
fn a_single_short_line_is_a_doubt() {
    use ObjectKind::{Bool, FloatPairs, Floats, Int, IntPairs, Ints, Lists, Token, Tokens};
    let float = ObjectKind::Float(Precision::Single);
    for (text, kind, others) in [
        ("a 5\n", Int, vec![Ints, float, Floats]),
        ("a 1.5\n", float, vec![Floats]),
        ("a .5\n", float, vec![Floats]),
        ("a +0.5\n", float, vec![Floats]),
        ("76 5 25\n", Ints, vec![Floats, IntPairs, FloatPairs]),
        ("a 1.5 2\n", Floats, vec![FloatPairs]),
        ("a 1 2 ; 3 4\n", IntPairs, vec![FloatPairs]),
        ("a T\n", Bool, vec![Token]),
        ("a 1 2 3\n", Ints, vec![]),
        ("a 1 2 ;\n", Lists, vec![]),
        ("a x\n", Token, vec![]),
        ("a x y\n", Tokens, vec![]),
        ("a 1 2\nb 3 4\n", Ints, vec![]),
        ("a .5\nb +0.5\n", float, vec![]),
        ("a .5 1\nb +0.5\n", Floats, vec![]),
    ] {
        let value = &text.as_bytes()[text.find(' ').unwrap() + 1..];
        let decision = scan_lines(value, true).decision.unwrap();
        assert_eq!((decision.kind, decision.others), (kind, others), "{text}");
    }
}

#[test]
fn a_lone_number_may_be_a_cut_vector() {
    let lone = |entries: &[&[i32]], after: &[u8]| {
        let entries: Vec<_> = entries.iter().map(|words| tagged(words)).collect();
        let bytes = [entries.join(&b"key \0B"[..]), after.to_vec()].concat();
        let decision = scan_runs(&bytes, true).decision.unwrap();
        (decision.kind, decision.lone, decision.doubt().is_some())
    };
    assert_eq!(lone(&[&[7]], b""), (ObjectKind::Int, Some(7), true));
    assert_eq!(lone(&[&[7], &[8]], b""), (ObjectKind::Int, None, false));
    assert_eq!(lone(&[&[7]], b"key"), (ObjectKind::Int, None, false));
    assert_eq!(lone(&[&[-7]], b""), (ObjectKind::Int, None, false));
    assert_eq!(
        lone(&[&[3, 1, 2, 3], &[7, 1, 2, 3, 4, 5, 6, 7]], b""),
        (ObjectKind::Ints, None, false)
    );
}

#[test]
fn several_entries_decide() {
    assert_eq!(run(&[&[0], &[7]], b""), Some(ObjectKind::Int));
    assert_eq!(run(&[&[0], &[1, 2, 3, 4]], b""), Some(ObjectKind::Lists));
    assert_eq!(
        run(&[&[1, 0], &[2, 2, 3, 4, 0]], b""),
        Some(ObjectKind::Lists)
    );
    assert_eq!(
        run(&[&[2, 0, 0], &[0], &[3, 0, 0, 0]], b""),
        Some(ObjectKind::Ints)
    );
}

fn text(lines: &str) -> ObjectKind {
    scan_lines(lines.as_bytes(), true).decision.unwrap().kind
}

#[test]
fn lines_are_told_apart() {
    for (lines, kind) in [
        ("the converter reads\n", ObjectKind::Tokens),
        ("hello\nb world\n", ObjectKind::Token),
        ("hello\nb \n", ObjectKind::Tokens),
        ("hello \n", ObjectKind::Tokens),
        ("[noise] yes\n", ObjectKind::Tokens),
        ("rows=2 dim=3 [ 0 1 ]\n", ObjectKind::SparseMatrix),
        ("dim=3 [ 0 1 ] \n", ObjectKind::SparseVector),
        ("0.5 1 \n", ObjectKind::Floats),
        ("0.5 \nb 1 \n", ObjectKind::Float(Precision::Single)),
        ("5 \nb 1 \n", ObjectKind::Int),
        ("5 \nb 1 2 \n", ObjectKind::Ints),
        ("5 \nb \n", ObjectKind::Ints),
        ("1 2 ; 3 ; \n", ObjectKind::Lists),
        (";\n", ObjectKind::Lists),
        ("1 2; 3 4\n", ObjectKind::IntPairs),
        ("1 2 \nb 1 2 ; 3 4 \n", ObjectKind::IntPairs),
        ("1 2.5 ; 3 4 \n", ObjectKind::FloatPairs),
        ("T \nb F \n", ObjectKind::Bool),
        ("T t\n", ObjectKind::Tokens),
        ("\nb [ 1 0.5 ] \n", ObjectKind::Posterior),
        ("[ 1 0.5 ] [ ] \n", ObjectKind::Posterior),
        ("[] \n", ObjectKind::Vector),
        ("[ 1 0.5 ] \n", ObjectKind::Posterior),
        ("[ 1 0.5 ] \nb [ 1 2 3 ]\n", ObjectKind::Vector),
        (" [ 1 0.5 ]\n", ObjectKind::Vector),
        ("1 1 1  [ 1 2 ]\n", ObjectKind::Gauss),
        ("\n0\t1\t2\n\n", ObjectKind::Opaque("fst")),
        ("1 2 3\nb one two\n", ObjectKind::Ints),
        ("1 2 3\nb one two\nc three\n", ObjectKind::Tokens),
        ("T\nb x\nc F\n", ObjectKind::Token),
        ("1 99999999999\n", ObjectKind::Ints),
    ] {
        assert_eq!(text(lines), kind, "{lines:?}");
    }
}
