//! Every kind of Kaldi object stays what it is on every way from Kaldi to Kaldi.

use crate::Scratch;

fn tagged(words: &[i32]) -> Vec<u8> {
    let group = |w: &i32| [&[4][..], &w.to_le_bytes()].concat();
    words.iter().flat_map(group).collect()
}

fn singles(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// How a kind comes back from text.
enum Text {
    /// By itself.
    Plain,
    /// With this said of it.
    Said(&'static str),
    /// It can't be text.
    Never,
}

use Text::{Never, Plain, Said};

/// A kind, an object of it that differs by `n`, and how its text is read.
type Kind = (&'static str, fn(u8) -> Vec<u8>, Text);

fn bits(value: f32) -> i32 {
    value.to_bits().cast_signed()
}

fn marked(parts: &[&[u8]]) -> Vec<u8> {
    [b"\0B", &parts.concat()[..]].concat()
}

const KINDS: &[Kind] = &[
    (
        "float-matrix",
        |n| marked(&[b"FM ", &tagged(&[2, 1]), &singles(&[f32::from(n), 0.1])]),
        Plain,
    ),
    (
        "double-matrix",
        |n| marked(&[b"DM ", &tagged(&[2, 1]), &doubles(&[f64::from(n), 0.1])]),
        Said("dtype=f64"),
    ),
    (
        "float-vector",
        |n| marked(&[b"FV ", &tagged(&[2]), &singles(&[f32::from(n), 0.1])]),
        Plain,
    ),
    (
        "double-vector",
        |n| marked(&[b"DV ", &tagged(&[2]), &doubles(&[f64::from(n), 0.1])]),
        Said("dtype=f64"),
    ),
    (
        "packed",
        |n| {
            marked(&[
                b"FP ",
                &tagged(&[3]),
                &singles(&[f32::from(n), 1.0, 2.0, 3.0, 0.1, 5.0]),
            ])
        },
        Plain,
    ),
    (
        "packed double",
        |n| marked(&[b"DP ", &tagged(&[2]), &doubles(&[f64::from(n), 0.1, 2.0])]),
        Said("dtype=f64"),
    ),
    (
        "packed, triangular",
        |n| marked(&[b"FP ", &tagged(&[2]), &singles(&[f32::from(n), 1.0, -0.0])]),
        Said("holder=triangular-matrix"),
    ),
    (
        "packed, empty",
        |_| marked(&[b"FP ", &tagged(&[0])]),
        Said("holder=symmetric-matrix"),
    ),
    (
        "sparse-vector",
        |n| marked(&[b"SV ", &tagged(&[9, 1, 3, bits(f32::from(n))])]),
        Plain,
    ),
    (
        "sparse-matrix",
        |n| {
            let row = tagged(&[9, 1, 3, bits(f32::from(n))]);
            marked(&[b"SM ", &tagged(&[2]), b"SV ", &row, b"SV ", &row])
        },
        Plain,
    ),
    (
        "bool",
        |n| marked(&[if n > 2 { b"T" } else { b"F" }]),
        Plain,
    ),
    ("int32", |n| marked(&[&tagged(&[i32::from(n) + 1])]), Plain),
    (
        "float",
        |n| marked(&[&tagged(&[bits(f32::from(n) + 0.5)])]),
        Plain,
    ),
    (
        "double",
        |n| marked(&[&[8], &doubles(&[f64::from(n) + 0.1])]),
        Said("holder=double"),
    ),
    (
        "int64",
        |n| marked(&[&[8], &i64::from(n + 1).to_le_bytes()]),
        Said("holder=int64"),
    ),
    ("int8", |n| marked(&[&[1, n]]), Said("holder=int8")),
    ("int16", |n| marked(&[&[2, n, 0xff]]), Said("holder=int16")),
    (
        "uint8",
        |n| marked(&[&[0xff, n + 250]]),
        Said("holder=uint8"),
    ),
    (
        "uint16",
        |n| marked(&[&[0xfe, n, 0xff]]),
        Said("holder=uint16"),
    ),
    (
        "uint32",
        |n| marked(&[&[0xfc, n, 0, 0, 0xff]]),
        Said("holder=uint32"),
    ),
    (
        "uint64",
        |n| marked(&[&[0xf8, n, 0, 0, 0, 0, 0, 0, 0xff]]),
        Said("holder=uint64"),
    ),
    (
        "int32-vector",
        |n| marked(&[&tagged(&[3, i32::from(n), -1, 7])]),
        Plain,
    ),
    (
        "basic-float-vector",
        |n| marked(&[&tagged(&[2, bits(f32::from(n) + 0.5), bits(0.1)])]),
        Plain,
    ),
    (
        "int32-vector-vector",
        |n| marked(&[&tagged(&[2, 1, i32::from(n), 2, 4, 5])]),
        Plain,
    ),
    (
        "int32-pair-vector",
        |n| marked(&[&tagged(&[2, i32::from(n), 2, 3, 4])]),
        Plain,
    ),
    (
        "float-pair-vector",
        |n| {
            let half = bits(0.5);
            marked(&[&tagged(&[2, bits(f32::from(n) + 0.5), half, half, half])])
        },
        Plain,
    ),
    (
        "posterior",
        |n| marked(&[&tagged(&[2, 1, i32::from(n), bits(0.5), 0])]),
        Plain,
    ),
    (
        "gauss-posterior",
        |n| {
            marked(&[
                &tagged(&[1, 1, i32::from(n)]),
                b"FV ",
                &tagged(&[1]),
                &singles(&[0.5]),
            ])
        },
        Plain,
    ),
    ("token", |n| vec![b't', b'a' + n, b'\n'], Plain),
    (
        "token-vector",
        |n| vec![b't', b'a' + n, b' ', b'x', b' ', b'\n'],
        Plain,
    ),
    (
        "tokens-object",
        |n| marked(&[b"<Nnet> <X> ", &[n], b" </Nnet> "]),
        Never,
    ),
    (
        "blob",
        |n| marked(&[b"\x14\x11\x22\x20", &2u64.to_le_bytes(), &[n, 0]]),
        Never,
    ),
    (
        "int8-vector",
        |n| marked(&[&tagged(&[2]), &[1, n, 1, 7]]),
        Said("holder=int8-vector"),
    ),
];

/// The archive of five objects, in the order of these keys.
fn archive(object: fn(u8) -> Vec<u8>, keys: &[u8]) -> Vec<u8> {
    let entry = |key: &u8| [&[*key, b' '][..], &object(key - b'a')].concat();
    keys.iter().flat_map(entry).collect()
}

#[test]
fn every_kind_stays_what_it_is_from_kaldi_to_kaldi() {
    let mut seen = 0;
    for (name, object, text) in KINDS {
        let s = Scratch::new();
        let whole = archive(*object, b"ebdca");
        s.write("x.ark", &whole);
        let same = |line: &str, file: &str, expected: &[u8]| {
            let said = s.ok(line);
            assert!(
                s.read(file) == expected,
                "{name}: {line}: {}",
                s.read(file).escape_ascii()
            );
            // Two or three floats could as well be integers.
            let few = line.starts_with("merge");
            assert!(
                few || !said.err.contains("warning"),
                "{name}: {line}: {}",
                said.err
            );
        };
        same("ark:x.ark ark:copy.ark", "copy.ark", &whole);
        s.ok("ark:x.ark ark,scp:a.ark,a.scp");
        same("scp:a.scp ark:from.ark", "from.ark", &whole);
        same(
            "select --first 2 x.ark s.ark",
            "s.ark",
            &archive(*object, b"eb"),
        );
        same(
            "sort x.ark sorted.ark",
            "sorted.ark",
            &archive(*object, b"abcde"),
        );
        s.write("1.ark", archive(*object, b"eb"));
        s.write("2.ark", archive(*object, b"dca"));
        same("merge 1.ark 2.ark m.ark", "m.ark", &whole);
        same("split --size 1g x.ark p{part}.ark", "p0.ark", &whole);
        same("repair x.ark -o r.ark", "r.ark", &whole);
        match text {
            Never => {
                let error = s.fails("ark:x.ark ark,t:t.txt");
                assert!(
                    error.contains("can't be written as text"),
                    "{name}: {error}"
                );
            }
            Plain => {
                s.ok("ark:x.ark ark,t:t.txt");
                same("ark:t.txt ark:back.ark", "back.ark", &whole);
            }
            Said(what) => {
                s.ok("ark:x.ark ark,t:t.txt");
                same(
                    &format!("ark:t.txt ark:back.ark --oo {what}"),
                    "back.ark",
                    &whole,
                );
            }
        }
        seen += 1;
    }
    assert_eq!(seen, KINDS.len());
}

#[test]
fn packed_matrices_are_full_ones_elsewhere_and_it_is_said() {
    let s = Scratch::new();
    let object = |n: u8| marked(&[b"FP ", &tagged(&[2]), &singles(&[f32::from(n), 1.0, 2.0])]);
    s.write("x.ark", archive(object, b"ab"));
    let said = s.ok("ark:x.ark x.pfile");
    assert!(said.err.contains("header lines"), "{}", said.err);
    let line = s.ok("ark:x.ark jsonl:-").out;
    assert!(line.contains("[[0,1],[1,2]]"), "{line}");
    // Through a form that keeps header lines they stay packed.
    s.ok("ark:x.ark x.jsonl");
    s.ok("x.jsonl ark:back.ark");
    assert_eq!(s.read("back.ark"), s.read("x.ark"));
    // What changes them makes plain ones of them, and so does asking for another kind.
    s.ok("ark:x.ark ark:context.ark --context 1:0");
    assert!(s.read("context.ark").windows(3).any(|w| w == b"FM "));
    s.ok("ark:x.ark ark:full.ark --oo holder=float-matrix");
    assert!(s.read("full.ark").windows(3).any(|w| w == b"FM "));
}
