//! Short reads, nested compression, wrong sizes.

use std::io::{self, Cursor, Read};

use super::Source;
use crate::bytes::{ByteOrder, Codec};
use crate::error::{ErrorKind, Remedy};
use crate::model::{Dtype, Limits, Matrix, Rank};

/// A reader that returns one byte per call.
struct Dribble(Cursor<Vec<u8>>);

impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(1);
        self.0.read(&mut out[..n])
    }
}

fn dribble(bytes: &[u8]) -> Source {
    Source::from_reader("slow", Box::new(Dribble(Cursor::new(bytes.to_vec())))).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn short_reads_are_no_end() {
    let mut source = dribble(b"first\nsecond");
    assert_eq!(source.peek(7).unwrap(), b"first\ns");
    let mut line = Vec::new();
    let limits = Limits::default();
    assert!(source.line(&mut line, &limits).unwrap());
    assert_eq!((line.as_slice(), source.offset()), (&b"first"[..], 6));
    assert!(source.line(&mut line, &limits).unwrap());
    assert_eq!(line, b"second");
    assert!(!source.line(&mut line, &limits).unwrap());
}

#[test]
fn layers_are_undone_by_content() {
    let packed = gzip(&gzip(b"hello"));
    for mut source in [
        dribble(&packed),
        Source::from_bytes("x", packed.clone()).unwrap(),
    ] {
        assert_eq!(source.layers(), [Codec::Gzip, Codec::Gzip]);
        assert_eq!(source.array::<5>().unwrap(), *b"hello");
        assert!(source.at_end().unwrap());
    }
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let fast = flate2::Compression::fast();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), fast);
    io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_tail_is_decoded_once() {
    // The rest looks compressed itself, and is not decompressed.
    let inner = gzip(&[7; 1000]);
    for (codec, packed) in [(Codec::Gzip, gzip(&inner)), (Codec::Zlib, zlib(&inner))] {
        let tail = |packed: &[u8]| {
            let mut source = dribble(&[b"head", packed].concat());
            source.skip(4).unwrap();
            source.undo(codec).unwrap()
        };
        let mut source = tail(&packed);
        let mut out = vec![0; inner.len()];
        source.fill(&mut out).unwrap();
        assert_eq!(out, inner);
        assert_eq!(source.offset(), 4 + inner.len() as u64);
        assert!(source.at_end().unwrap());
        for n in 0..packed.len() {
            let error = tail(&packed[..n]).fill(&mut out);
            let error = error.and_then(|()| tail(&packed[..n]).skip(1 << 20));
            assert_eq!(error.unwrap_err().kind(), ErrorKind::Truncated, "{n}");
        }
        let mut source = tail(&[&packed[..], b"x"].concat());
        source.fill(&mut out).unwrap();
        assert!(source.at_end().is_err());
    }
}

#[test]
fn a_cut_gzip_file_is_truncated() {
    let mut packed = gzip(&[7; 1000]);
    packed.truncate(packed.len() - 9);
    let mut source = Source::from_bytes("x.gz", packed).unwrap();
    let error = source.skip(1001).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
}

#[test]
fn a_false_size_costs_nothing() {
    let shape = (Dtype::F32, Rank::Matrix, 1 << 20, 1 << 9);
    let mut matrix = Matrix::default();
    for mut source in [
        dribble(&[0; 100]),
        Source::from_bytes("x", vec![0; 100]).unwrap(),
    ] {
        let limits = Limits::default();
        let error = source
            .read_matrix(&mut matrix, shape, ByteOrder::Big, &limits)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }
    let error = dribble(&[0; 9])
        .read_matrix(
            &mut matrix,
            (Dtype::F32, Rank::Matrix, u64::MAX, 3),
            ByteOrder::Big,
            &Limits::default(),
        )
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn streams_become_seekable() {
    let mut source = dribble(b"abcdef").into_seekable().unwrap();
    source.skip(4).unwrap();
    source.seek(1).unwrap();
    assert_eq!(source.array::<2>().unwrap(), *b"bc");
    assert!(source.seek(7).is_err());
    let mut pipe = dribble(b"abcdef");
    pipe.seek(3).unwrap();
    assert!(pipe.seek(1).is_err());
}

#[cfg(unix)]
#[test]
fn a_failing_command_is_an_error() {
    let mut source = Source::command("printf abc; exit 3").unwrap();
    assert_eq!(source.array::<3>().unwrap(), *b"abc");
    let error = source.at_end().unwrap_err();
    assert!(error.to_string().contains("exit status 3"), "{error}");
}

#[test]
fn what_expands_beyond_reason_is_not_held() {
    let zeros = gzip(&vec![0; 32 << 20]);
    let open = || quick(&zeros);
    let limits = Limits::default();
    let mut matrix = Matrix::default();
    let shape = (Dtype::U8, Rank::Matrix, 32 << 10, 1 << 10);
    let order = ByteOrder::Big;
    let read = open().read_matrix(&mut matrix, shape, order, &limits);
    let passed = open().pass_matrix(&mut matrix, shape, &limits);
    let line = open().line(&mut Vec::new(), &limits).map(drop);
    let ahead = open().peek(32 << 20).map(drop);
    let copy = open().into_seekable().map(drop);
    for result in [read, passed, line, ahead, copy] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        // The limit of one object would have another remedy.
        assert_eq!(error.remedy(), Some(&Remedy::TrustPacked), "{error}");
    }
    // A user can allow it.
    let mut source = open().unpacking_to(32 << 20);
    source
        .read_matrix(&mut matrix, shape, order, &limits)
        .unwrap();
    assert_eq!(matrix.as_bytes().len(), 32 << 20);
    for (bytes, is_read) in [(32 << 20, true), ((32 << 20) - 1, false)] {
        let copy = open().unpacking_to(bytes).into_seekable();
        assert_eq!(copy.is_ok(), is_read, "{bytes}");
    }
    // In pieces all of it can be read, as can a large object of data that did not expand so far.
    let mut source = open();
    let small = (Dtype::U8, Rank::Matrix, 1 << 10, 1 << 10);
    for _ in 0..32 {
        source
            .read_matrix(&mut matrix, small, order, &limits)
            .unwrap();
    }
    assert!(source.at_end().unwrap());
    assert_eq!(source.packed(), Some(zeros.len() as u64));
    let noise: Vec<u8> = (0..8u32 << 20)
        .flat_map(|n| (n.wrapping_mul(0x9e37_79b9) >> 12 & 0xffff).to_le_bytes())
        .collect();
    let mut source = quick(&gzip(&noise));
    source
        .read_matrix(&mut matrix, shape, order, &limits)
        .unwrap();
    assert_eq!(matrix.as_bytes(), noise);
}

fn quick(bytes: &[u8]) -> Source {
    Source::from_reader("quick", Box::new(Cursor::new(bytes.to_vec()))).unwrap()
}
