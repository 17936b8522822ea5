//! Runs and lines told apart.

use super::lines::scan_lines;
use super::runs::scan_runs;
use crate::kind::{Kind, Precision};
use crate::recognise::TAG;

fn tagged(words: &[i32]) -> Vec<u8> {
    let group = |w: &i32| [&[TAG][..], &w.to_le_bytes()].concat();
    words.iter().flat_map(group).collect()
}

fn run(entries: &[&[i32]], after: &[u8]) -> Option<Kind> {
    let entries: Vec<_> = entries.iter().map(|words| tagged(words)).collect();
    let bytes = [entries.join(&b"key \0B"[..]), after.to_vec()].concat();
    scan_runs(&bytes, true).decision.map(|d| d.kind)
}

#[test]
fn runs_are_told_apart() {
    let half = 0.5f32.to_bits().cast_signed();
    for (words, after, kind) in [
        (&[7][..], &b"key"[..], Kind::Int),
        (&[-7], b"", Kind::Int),
        (&[half], b"", Kind::Float(Precision::Single)),
        (&[0], b"", Kind::Ints),
        (&[3, 4, 4, 4], b"k", Kind::Ints),
        (&[2, half, half], b"k", Kind::Floats),
        (&[2, 1, 2, 3, 4], b"k", Kind::IntPairs),
        (&[2, half, 0, 0, half], b"k", Kind::FloatPairs),
        (&[2, 1, 9, 3, 1, 2, 3], b"k", Kind::Lists),
        (&[2, 1, 9, half, 0], b"k", Kind::Posterior),
        (&[1, 1, 9], b"FV \x04", Kind::Gauss),
        (&[3], b"\x01\x05", Kind::Opaque("int8-vector")),
    ] {
        assert_eq!(run(&[words], after), Some(kind), "{words:?}");
    }
    assert_eq!(run(&[&[5, 1, 2]], b""), None);
    assert_eq!(run(&[&[5, 1, 2]], b"k"), None);
    assert_eq!(run(&[&[1, 2]], b"\x04"), None);
}

#[test]
fn several_entries_decide() {
    assert_eq!(run(&[&[0], &[7]], b""), Some(Kind::Int));
    assert_eq!(run(&[&[0], &[1, 2, 3, 4]], b""), Some(Kind::Lists));
    assert_eq!(run(&[&[1, 0], &[2, 2, 3, 4, 0]], b""), Some(Kind::Lists));
    assert_eq!(
        run(&[&[2, 0, 0], &[0], &[3, 0, 0, 0]], b""),
        Some(Kind::Ints)
    );
}

fn text(lines: &str) -> Kind {
    scan_lines(lines.as_bytes(), true).decision.unwrap().kind
}

#[test]
fn lines_are_told_apart() {
    for (lines, kind) in [
        ("the converter reads\n", Kind::Tokens),
        ("hello\nb world\n", Kind::Token),
        ("hello\nb \n", Kind::Tokens),
        ("hello \n", Kind::Tokens),
        ("[noise] yes\n", Kind::Tokens),
        ("rows=2 dim=3 [ 0 1 ]\n", Kind::SparseMatrix),
        ("dim=3 [ 0 1 ] \n", Kind::SparseVector),
        ("0.5 1 \n", Kind::Floats),
        ("0.5 \nb 1 \n", Kind::Float(Precision::Single)),
        ("5 \nb 1 \n", Kind::Int),
        ("5 \nb 1 2 \n", Kind::Ints),
        ("5 \nb \n", Kind::Ints),
        ("1 2 ; 3 ; \n", Kind::Lists),
        (";\n", Kind::Lists),
        ("1 2; 3 4\n", Kind::IntPairs),
        ("1 2 \nb 1 2 ; 3 4 \n", Kind::IntPairs),
        ("1 2.5 ; 3 4 \n", Kind::FloatPairs),
        ("T \nb F \n", Kind::Bool),
        ("T t\n", Kind::Tokens),
        ("\nb [ 1 0.5 ] \n", Kind::Posterior),
        ("[ 1 0.5 ] [ ] \n", Kind::Posterior),
        ("[ 1 0.5 ] \n", Kind::Posterior),
        ("[ 1 0.5 ] \nb [ 1 2 3 ]\n", Kind::Vector),
        (" [ 1 0.5 ]\n", Kind::Vector),
        ("1 1 1  [ 1 2 ]\n", Kind::Gauss),
        ("\n0\t1\t2\n\n", Kind::Opaque("fst")),
        ("1 2 3\nb one two\n", Kind::Ints),
        ("1 2 3\nb one two\nc three\n", Kind::Tokens),
        ("T\nb x\nc F\n", Kind::Token),
        ("1 99999999999\n", Kind::Ints),
    ] {
        assert_eq!(text(lines), kind, "{lines:?}");
    }
}
