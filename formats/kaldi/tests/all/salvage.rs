//! Damaged archives: three entries of a hundred are lost, the others are restored.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::Utterance;
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::Random;

const ENTRIES: usize = 100;
const DAMAGED: [usize; 3] = [17, 50, 98];

/// An archive, and the positions of each entry, its object and its values.
struct Archive {
    bytes: Vec<u8>,
    places: Vec<[usize; 3]>,
}

impl Archive {
    fn new(entry: impl Fn(usize, &mut Random, &mut Vec<u8>) -> usize) -> Self {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        let mut random = Random::new(5);
        for n in 0..ENTRIES {
            let start = bytes.len();
            bytes.extend(key(n).as_bytes());
            bytes.push(b' ');
            let object = bytes.len();
            let header = entry(n, &mut random, &mut bytes);
            places.push([start, object, object + header]);
        }
        Self { bytes, places }
    }

    fn end(&self, n: usize) -> usize {
        let next = self.places.get(n + 1);
        next.map_or(self.bytes.len(), |place| place[0])
    }
}

fn key(n: usize) -> String {
    format!("spk{}-utt{n:03}", n / 10)
}

/// Appends values whose last bytes may be taken for letters.
fn values(count: usize, random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..count {
        let value = random.below(4000) as f32 / 37.0 - 40.0;
        bytes.extend(value.to_le_bytes());
    }
}

fn size(n: usize, bytes: &mut Vec<u8>) {
    bytes.push(4);
    bytes.extend(i32::try_from(n).unwrap().to_le_bytes());
}

fn matrices() -> Archive {
    Archive::new(|_, random, bytes| {
        let rows = 5 + random.below(60);
        bytes.extend(b"\0BFM ");
        size(rows, bytes);
        size(13, bytes);
        values(rows * 13, random, bytes);
        15
    })
}

fn vectors() -> Archive {
    Archive::new(|_, random, bytes| {
        let count = 50 + random.below(60);
        bytes.extend(b"\0BFV ");
        size(count, bytes);
        values(count, random, bytes);
        10
    })
}

fn labels() -> Archive {
    Archive::new(|_, random, bytes| {
        let count = 50 + random.below(60);
        bytes.extend(b"\0B");
        size(count, bytes);
        (0..count).for_each(|_| size(random.below(3000), bytes));
        7
    })
}

fn text_matrices() -> Archive {
    Archive::new(|_, random, bytes| {
        bytes.extend(b" [");
        for _ in 0..3 + random.below(9) {
            bytes.extend(b"\n  ");
            (0..4).for_each(|_| bytes.extend(format!("{} ", random.below(900)).as_bytes()));
        }
        bytes.extend(b"]\n");
        3
    })
}

fn text_labels() -> Archive {
    Archive::new(|_, random, bytes| {
        let count = 30 + random.below(9);
        (0..count).for_each(|_| bytes.extend(format!("{} ", random.below(900)).as_bytes()));
        bytes.push(b'\n');
        0
    })
}

/// Returns the utterances, and the keys and bytes of the errors.
fn salvage(bytes: Vec<u8>) -> (Vec<Utterance>, Vec<String>) {
    let salvaged = spr_testkit::damaged::salvage(&FORMAT, bytes);
    for error in &salvaged.errors {
        assert!(error.can_continue(), "{error}");
        assert_eq!(error.file_name(), Some("damaged"));
    }
    let errors = salvaged.errors.iter().map(ToString::to_string);
    (salvaged.utterances, errors.collect())
}

/// Damages three entries, the last one first, and checks the rest. Errors name the entries by key,
/// or by byte if the key itself was damaged.
#[track_caller]
fn check(archive: &Archive, what: &str, damage: impl Fn(&Archive, usize, &mut Vec<u8>)) {
    let (whole, errors) = salvage(archive.bytes.clone());
    assert_eq!((whole.len(), errors), (ENTRIES, Vec::new()), "{what}");
    let mut bytes = archive.bytes.clone();
    DAMAGED
        .iter()
        .rev()
        .for_each(|n| damage(archive, *n, &mut bytes));
    assert_ne!(bytes, archive.bytes);
    let (got, errors) = salvage(bytes);
    let expected: Vec<_> = (0..ENTRIES).filter(|n| !DAMAGED.contains(n)).collect();
    let names: Vec<_> = got.iter().map(|u| u.key.to_string()).collect();
    let expected_keys: Vec<_> = expected.iter().map(|n| key(*n)).collect();
    assert_eq!(names, expected_keys, "{what}: {errors:#?}");
    for (utt, n) in got.iter().zip(expected) {
        assert_eq!(*utt, whole[n], "{what}");
    }
    assert_eq!(errors.len(), DAMAGED.len(), "{what}: {errors:#?}");
    for (error, n) in errors.iter().zip(DAMAGED) {
        let named = error.contains(&format!("utterance {}: ", key(n)));
        assert!(named || what.contains("key"), "{what}: {error}");
    }
}

/// Applies all kinds of damage to an archive.
fn everywhere(archive: &Archive) {
    for with in [0x00, 0x01, b'\n', 0xff] {
        check(archive, &format!("key byte {with:#x}"), |a, n, bytes| {
            bytes[a.places[n][0] + 3] = with;
        });
    }
    check(archive, "an object zeroed", |a, n, bytes| {
        let end = a.end(n);
        bytes[a.places[n][1]..end - 1].fill(0);
    });
    check(archive, "key and mark overwritten", |a, n, bytes| {
        let start = a.places[n][0];
        bytes[start..start + 16].fill(b'\x02');
    });
}

fn sizes(archive: &Archive) {
    for bit in 0..7 {
        check(archive, &format!("bit {bit} of a size"), |a, n, bytes| {
            bytes[a.places[n][2] - 4] ^= 1 << bit;
        });
    }
    for byte in 1..4 {
        check(archive, &format!("byte {byte} of a size"), |a, n, bytes| {
            bytes[a.places[n][2] - 4 + byte] ^= 0x20;
        });
    }
    for count in [1, 2, 3, 7, 52, 90] {
        check(archive, &format!("{count} bytes cut"), |a, n, bytes| {
            let at = a.places[n][2] + 9;
            bytes.drain(at..at + count);
        });
        check(archive, &format!("{count} bytes added"), |a, n, bytes| {
            let at = a.places[n][2] + 9;
            bytes.splice(at..at, (b'a'..=b'z').cycle().take(count));
        });
    }
    check(archive, "a token overwritten", |a, n, bytes| {
        let object = a.places[n][1];
        bytes[object + 2..object + 7].copy_from_slice(b"Hello");
    });
}

#[test]
fn matrices_come_back() {
    everywhere(&matrices());
    sizes(&matrices());
    for bit in 0..7 {
        check(&matrices(), &format!("bit {bit} of the rows"), |a, n, b| {
            b[a.places[n][2] - 9] ^= 1 << bit;
        });
    }
}

#[test]
fn vectors_come_back() {
    everywhere(&vectors());
    sizes(&vectors());
}

#[test]
fn labels_come_back() {
    everywhere(&labels());
    sizes(&labels());
}

#[test]
fn text_comes_back() {
    for archive in [text_matrices(), text_labels()] {
        check(&archive, "a letter", |a, n, bytes| {
            bytes[a.places[n][2] + 4] = b'x';
        });
        check(&archive, "a byte of the key", |a, n, bytes| {
            bytes[a.places[n][0] + 3] = 1;
        });
        check(&archive, "zeros", |a, n, bytes| {
            let at = a.places[n][2] + 5;
            bytes[at..at + 9].fill(0);
        });
    }
    check(&text_matrices(), "a bracket", |a, n, bytes| {
        bytes[a.end(n) - 2] = b'8';
    });
}

#[test]
fn the_first_entry_may_be_the_damaged_one() {
    let archive = matrices();
    let mut bytes = archive.bytes.clone();
    bytes[archive.places[0][2] - 9] ^= 0x40;
    let (got, errors) = salvage(bytes);
    assert_eq!((got.len(), errors.len()), (ENTRIES - 1, 1), "{errors:?}");
    assert_eq!(got[0].key.to_string(), key(1));
}

#[test]
fn a_cut_archive_keeps_what_is_before() {
    let archive = matrices();
    for n in [40, 41, 42] {
        for cut in [
            archive.places[n][0] + 3,
            archive.places[n][1] + 1,
            archive.places[n][2] + 1,
        ] {
            let (got, errors) = salvage(archive.bytes[..cut].to_vec());
            assert_eq!((got.len(), errors.len()), (n, 1), "{cut}: {errors:?}");
        }
        let (got, errors) = salvage(archive.bytes[..archive.places[n][0]].to_vec());
        assert_eq!((got.len(), errors.len()), (n, 0));
    }
}

/// The head of the first entry says that an archive is binary; where it is damaged, the others do.
#[test]
fn a_first_entry_whose_head_is_damaged_costs_no_other() {
    let (rows, cols) = (60, 40);
    let archive = Archive::new(|_, random, bytes| {
        bytes.extend(b"\0BFM ");
        size(rows, bytes);
        size(cols, bytes);
        values(rows * cols, random, bytes);
        15
    });
    let (whole, _) = salvage(archive.bytes.clone());
    let object = archive.places[0][1];
    for at in object - 1..object + 5 {
        for with in *b"Z \x01" {
            let mut bytes = archive.bytes.clone();
            bytes[at] = with;
            if bytes == archive.bytes {
                continue;
            }
            let (got, errors) = salvage(bytes);
            // What looks like text ends in a fault of its own, before the next entry is searched.
            assert!(matches!(errors.len(), 1 | 2), "{at} {with}: {errors:#?}");
            assert!(got == whole[1..], "{at} {with}: {} are read", got.len());
        }
    }
}
