//! Multi-threaded decoding gives the same result as the library.

use std::io::{self, Cursor, Read, Write};

use bzip2::write::BzEncoder;

use super::segments::{Kind, Segments};
use super::*;

/// The size of a block at the lowest level, or less.
const BLOCK: usize = 100_000;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Decodes bytes, and returns the error at the end.
fn undone(packed: &[u8], threads: usize) -> (Vec<u8>, Option<io::ErrorKind>) {
    let mut out = Vec::new();
    let mut decoder = decoder(Box::new(Cursor::new(packed.to_vec())), threads);
    let result = decoder.read_to_end(&mut out);
    (out, result.err().map(|e| e.kind()))
}

/// Returns pseudo-random bytes out of a few, without repetitions, because runs are coded
/// separately.
fn mixed(of: &[u8], len: usize) -> Vec<u8> {
    let (mut state, mut at) = (1u32, 0);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        at = (at + 1 + (state >> 20) as usize % (of.len() - 1)) % of.len();
        of[at]
    };
    (0..len).map(|_| next()).collect()
}

/// Returns bytes whose symbol table resembles a mark in each block.
fn misleading(len: usize) -> Vec<u8> {
    let words = [0x3141u16, 0x5926, 0x5359, 0x1772, 0x4538, 0x5090];
    let bits = words
        .iter()
        .flat_map(|word| (0..16).map(move |bit| word << bit & 0x8000 != 0));
    let occurring: Vec<u8> = (0u8..)
        .zip(bits)
        .filter_map(|(b, set)| set.then_some(b))
        .collect();
    mixed(&occurring, len)
}

#[test]
fn streams_and_blocks_are_joined() {
    let all: Vec<u8> = (0..=255).collect();
    let (one, two) = (mixed(&all, 250_000), mixed(b"ab", 333));
    for parts in [
        &[&one[..], &two, &[], &one][..],
        &[&two],
        &[&[]],
        &[&[], &one],
    ] {
        let file = parts
            .iter()
            .flat_map(|part| packed(part))
            .collect::<Vec<_>>();
        for threads in [2, 5] {
            assert!(
                undone(&file, threads) == (parts.concat(), None),
                "{threads}"
            );
        }
    }
}

#[test]
fn false_marks_are_passed() {
    let bytes = misleading(350_000);
    let file = [packed(&bytes), packed(&bytes)].concat();
    let marks = Segments::new(Box::new(Cursor::new(file.clone())));
    let marks = marks.filter(|segment| segment.kind == Kind::Block).count();
    assert_eq!(marks, 16, "half of them are false");
    assert!(undone(&file, 3) == ([&bytes[..], &bytes].concat(), None));
    for cut in (0..file.len()).step_by(7919) {
        assert!(undone(&file[..cut], 2) == undone(&file[..cut], 1), "{cut}");
    }
}

#[test]
fn what_repeats_is_not_held() {
    let bytes = vec![7; 30_000_000];
    assert!(undone(&packed(&bytes), 2) == (bytes, None));
}

#[test]
fn damage_is_found_as_by_the_library() {
    let all: Vec<u8> = (0..=255).collect();
    let bytes = mixed(&all, 110_000);
    let file = [packed(&bytes), packed(b"more"), packed(b"")].concat();
    let near = |place: usize| place.saturating_sub(20)..(place + 20).min(file.len());
    let first = packed(&bytes).len();
    let places = near(0)
        .chain(near(first))
        .chain((0..file.len()).step_by(9973));
    for place in places {
        let kinds = |damaged: &[u8]| {
            let [(alone, expected), (out, kind)] = [1, 2].map(|threads| undone(damaged, threads));
            assert_eq!(kind, expected, "{place}");
            // They differ in the output of the damaged block.
            let (less, more) = if out.len() < alone.len() {
                (out, alone)
            } else {
                (alone, out)
            };
            assert!(more.starts_with(&less), "{place}");
            assert!(more.len() - less.len() <= BLOCK, "{place}");
            kind
        };
        kinds(&file[..place]);
        let mut damaged = file.clone();
        damaged[place] ^= 0x10;
        kinds(&damaged);
        damaged.truncate(file.len() - 1);
        damaged.insert(place, 0x5a);
        assert!(kinds(&damaged).is_some(), "{place}");
    }
    for tail in [&b"\0"[..], b"BZ", b"BZh9", b"tail", b"BZh9tail"] {
        let longer = [&file[..], tail].concat();
        assert!(undone(&longer, 2) == undone(&longer, 1), "{tail:?}");
    }
}

/// A reader that fails at the end.
struct Failing(Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(io::ErrorKind::ConnectionReset.into()),
            n => Ok(n),
        }
    }
}

#[test]
fn a_failure_to_read_is_no_end() {
    let file = packed(&misleading(250_000));
    for len in [file.len(), file.len() - 3, file.len() / 2, 20] {
        let from = Failing(Cursor::new(file[..len].to_vec()));
        let error = decoder(Box::new(from), 2).read_to_end(&mut Vec::new());
        let kind = error.unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::ConnectionReset, "{len}");
    }
}
