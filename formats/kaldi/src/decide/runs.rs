//! Runs of tagged 32-bit numbers.

use spr_core::bytes::Source;
use spr_core::{Error, Limits, Result};

use super::{Decision, ENTRIES, MOST, Seen, decided, look, next_value};
use crate::kind::{ObjectKind, Precision};
use crate::recognise::{GROUP, TAG};

const SCALAR: u16 = 1;
const VECTOR: u16 = 2;
const PAIRS: u16 = 4;
const LISTS: u16 = 8;
const POSTERIOR: u16 = 16;
const GAUSS: u16 = 32;
const BYTES: u16 = 64;

/// Whether values are more likely floats than integers.
#[derive(Clone, Copy)]
struct Likely {
    floats: bool,
    zeros: bool,
}

impl Likely {
    const NOTHING: Self = Self {
        floats: true,
        zeros: true,
    };

    fn see(&mut self, words: &[i32]) {
        self.floats &= words.iter().all(|w| is_weight(*w));
        self.zeros &= words.iter().all(|w| *w == 0);
    }

    fn are_floats(self) -> bool {
        self.floats && !self.zeros
    }
}

/// What the runs of tagged 32-bit numbers are that start `skip` bytes ahead, the binary mark of
/// the first passed already; `None` if the first is not a known object or is cut off.
pub(crate) fn runs(source: &mut Source, skip: usize, limits: &Limits) -> Result<Option<Decision>> {
    look(source, skip, limits, scan_runs)
}

pub(super) fn scan_runs(bytes: &[u8], last: bool) -> Seen {
    let mut rest = bytes;
    let (mut set, mut entries) = (u16::MAX, 0);
    let (mut first, mut others) = (Likely::NOTHING, Likely::NOTHING);
    let mut open = true;
    while entries < ENTRIES {
        let groups = rest.as_chunks::<GROUP>().0;
        let n = groups.iter().take_while(|group| group[0] == TAG).count();
        let after = &rest[n * GROUP..];
        if !last && after.len() < 4 {
            break;
        }
        open = false;
        if n == 0 || after.first() == Some(&TAG) {
            break;
        }
        let words: Vec<i32> = groups[..n].iter().map(word).collect();
        let left = set & structure(&words, after);
        if left == 0 {
            break;
        }
        set = left;
        entries += 1;
        if entries == 1 && last && after.is_empty() && may_be_cut(left, &words) {
            entries = 0;
            break;
        }
        first.see(&words[..1]);
        others.see(&words[1..]);
        match next_value(after).and_then(|value| value.strip_prefix(b"\0B")) {
            Some(next) if next.first() == Some(&TAG) => rest = next,
            None if after.len() < 256 && !last => {
                open = true;
                break;
            }
            _ => break,
        }
        open = true;
    }
    let decision = (entries > 0).then(|| decide_run(set, entries, first, others));
    Seen {
        decision,
        entries,
        open,
    }
}

/// The kinds that one run may be.
fn structure(words: &[i32], after: &[u8]) -> u16 {
    let Some((first, rest)) = words.split_first() else {
        return 0;
    };
    if after.starts_with(b"FV \x04") || after.starts_with(b"DV \x04") {
        return GAUSS;
    }
    let n = usize::try_from(*first).ok();
    if rest.is_empty() {
        return match (n, after.first()) {
            (Some(0), _) => !BYTES,
            (Some(_), Some(1)) => BYTES,
            _ => SCALAR,
        };
    }
    let Some(n) = n else { return 0 };
    let weighted = |list: &[i32]| list.iter().skip(1).step_by(2).all(|w| is_weight(*w));
    let empty = rest.iter().all(|w| *w == 0);
    [
        (VECTOR, rest.len() == n),
        (PAIRS, Some(rest.len()) == n.checked_mul(2)),
        (LISTS, walks(n, 1, rest, |_| true)),
        (POSTERIOR, walks(n, 2, rest, weighted)),
        (GAUSS, empty && rest.len() == n),
    ]
    .iter()
    .filter(|(_, fits)| *fits)
    .fold(0, |set, (kind, _)| set | kind)
}

/// Whether the one run of a file may be the beginning of something longer: a number that would do
/// as the length of a vector.
fn may_be_cut(set: u16, words: &[i32]) -> bool {
    const LONG: i32 = 1 << 24;
    set == SCALAR && words.first().is_some_and(|n| (1..LONG).contains(n))
}

fn decide_run(set: u16, entries: usize, first: Likely, others: Likely) -> Decision {
    let floats = others.are_floats();
    let has = |kind: u16| set & kind != 0;
    let (kind, sure) = if has(VECTOR) {
        match floats {
            true => (ObjectKind::Floats, false),
            false => (ObjectKind::Ints, !has(SCALAR) && !others.zeros),
        }
    } else if has(POSTERIOR) {
        (ObjectKind::Posterior, !has(PAIRS | LISTS))
    } else if has(LISTS) {
        (ObjectKind::Lists, !has(PAIRS))
    } else if has(PAIRS) {
        match floats {
            true => (ObjectKind::FloatPairs, false),
            false => (ObjectKind::IntPairs, !others.zeros),
        }
    } else if has(GAUSS) {
        (ObjectKind::Gauss, true)
    } else if has(BYTES) {
        (ObjectKind::Opaque("int8-vector"), true)
    } else if first.are_floats() {
        (ObjectKind::Float(Precision::Single), false)
    } else {
        (ObjectKind::Int, !first.zeros)
    };
    let what = match kind {
        ObjectKind::Floats | ObjectKind::FloatPairs | ObjectKind::Float(_) => {
            "have its length and bits of floats"
        }
        _ => "have its length",
    };
    decided(kind, "runs of tagged numbers", what, entries, sure)
}

fn word(group: &[u8; GROUP]) -> i32 {
    let [_, a, b, c, d] = *group;
    i32::from_le_bytes([a, b, c, d])
}

/// Whether `words` are `n` counted lists of items with `width` words, each of which `fits`.
fn walks(n: usize, width: usize, mut words: &[i32], fits: impl Fn(&[i32]) -> bool) -> bool {
    for _ in 0..n {
        let Some((count, rest)) = words.split_first() else {
            return false;
        };
        let len = usize::try_from(*count).map_or(usize::MAX, |n| n.saturating_mul(width));
        let Some((list, rest)) = rest.split_at_checked(len) else {
            return false;
        };
        if !fits(list) {
            return false;
        }
        words = rest;
    }
    words.is_empty()
}

/// Whether the bits are those of a float of usual size.
fn is_weight(bits: i32) -> bool {
    let value = f32::from_bits(bits.cast_unsigned()).abs();
    value == 0.0 || (1e-18..1e18).contains(&value)
}

/// The error where a run is not a known object.
pub(crate) fn unknown(source: &mut Source) -> Error {
    let bytes = match source.peek(MOST) {
        Ok(bytes) => bytes,
        Err(error) => return error,
    };
    let groups = bytes.as_chunks::<GROUP>().0;
    let n = groups.iter().take_while(|group| group[0] == TAG).count();
    let after = &bytes[n * GROUP..];
    let cut = bytes.len() < MOST && (after.is_empty() || after[0] == TAG);
    match cut {
        true => crate::text::truncated(source, "the file ends in a run of tagged 32-bit numbers")
            .hint("if it is whole, say what it holds with holder=NAME, such as int32"),
        false => source.malformed("a run of tagged 32-bit numbers that is not a known object"),
    }
}
