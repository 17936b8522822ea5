//! Objects of tagged 32-bit numbers, and tagged 64-bit numbers.

use spr_core::bytes::Source;
use spr_core::{Error, Limits, Result};

use super::evidence::{Evidence, Verdict};
use super::{Decision, ENTRIES, MOST, ScanResult, decided, look, next_value};
use crate::kind::{ObjectKind, Precision};
use crate::recognise::{GROUP, TAG};

const SCALAR: u16 = 1;
const VECTOR: u16 = 2;
const PAIRS: u16 = 4;
const LISTS: u16 = 8;
const POSTERIOR: u16 = 16;
const GAUSS: u16 = 32;
const BYTES: u16 = 64;

/// Determines the kind of the tagged 32-bit numbers that start `skip` bytes ahead, after the first
/// binary mark. Returns `None` if the first object is unknown or truncated.
pub(crate) fn runs(source: &mut Source, skip: usize, limits: &Limits) -> Result<Option<Decision>> {
    look(source, skip, limits, scan_runs)
}

pub(super) fn scan_runs(bytes: &[u8], last: bool) -> ScanResult {
    let mut rest = bytes;
    let (mut set, mut entries) = (u16::MAX, 0);
    let mut weighed = RunEvidence::default();
    let (mut open, mut lone) = (true, None);
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
            lone = words.first().copied();
        }
        weighed.see(&words, left);
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
    let decision = (entries > 0).then(|| Decision {
        lone,
        ..decide_run(set, entries, weighed)
    });
    ScanResult {
        settled: decision.as_ref().is_some_and(|d| d.others.is_empty()),
        decision,
        entries,
        open,
    }
}

/// Returns the kinds that one object allows.
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
    let empty = rest.iter().all(|w| *w == 0);
    [
        (VECTOR, rest.len() == n),
        (PAIRS, Some(rest.len()) == n.checked_mul(2)),
        (LISTS, walks(n, 1, rest, |_| {})),
        (POSTERIOR, walks(n, 2, rest, |_| {})),
        (GAUSS, empty && rest.len() == n),
    ]
    .iter()
    .filter(|(_, fits)| *fits)
    .fold(0, |set, (kind, _)| set | kind)
}

/// Returns `true` if the only object of a file may be truncated: a number that could as well be the
/// length of a vector.
fn may_be_cut(set: u16, words: &[i32]) -> bool {
    const LONG: i32 = 1 << 24;
    set == SCALAR && words.first().is_some_and(|n| (1..LONG).contains(n))
}

/// The evidence from the numbers of all objects.
#[derive(Default)]
struct RunEvidence {
    /// The first number of each object.
    first: Evidence,
    /// All other numbers.
    others: Evidence,
    /// Numbers that would be the weights of a posterior.
    weights: Evidence,
}

impl RunEvidence {
    fn see(&mut self, words: &[i32], kinds: u16) {
        let (first, others) = words.split_at(1);
        self.first.see(first);
        self.others.see(others);
        if kinds & POSTERIOR != 0 {
            let n = first.first().and_then(|n| usize::try_from(*n).ok());
            walks(n.unwrap_or(0), 2, others, |list| {
                let weights: Vec<i32> = list.iter().skip(1).step_by(2).copied().collect();
                self.weights.see_weights(&weights);
            });
        }
    }
}

fn decide_run(set: u16, entries: usize, weighed: RunEvidence) -> Decision {
    let has = |kind: u16| set & kind != 0;
    let (scalars, others) = (weighed.first.verdict(), weighed.others.verdict());
    let weights = weighed.weights.verdict();
    // The more probable of two readings of the same words first.
    let either = |verdict: Verdict, integers: ObjectKind, floats: ObjectKind| match verdict {
        Verdict::Numbers { floats: true, sure } => (floats, (!sure).then_some(integers)),
        Verdict::Numbers { sure: true, .. } => (integers, None),
        Verdict::Numbers { .. } | Verdict::Zeros => (integers, Some(floats)),
    };
    let single = ObjectKind::Float(Precision::Single);
    let vectors = (VECTOR, either(others, ObjectKind::Ints, ObjectKind::Floats));
    let numbers = (SCALAR, either(scalars, ObjectKind::Int, single));
    let posteriors = (POSTERIOR, (ObjectKind::Posterior, None));
    let lists = (LISTS, (ObjectKind::Lists, None));
    let pairs = (
        PAIRS,
        either(others, ObjectKind::IntPairs, ObjectKind::FloatPairs),
    );
    let gauss = (GAUSS, (ObjectKind::Gauss, None));
    let bytes = (BYTES, (ObjectKind::Opaque("int8-vector"), None));
    let weighty = weights == Verdict::Zeros || weights.are_floats();
    let order = match weighty {
        true => [vectors, posteriors, lists, pairs, gauss, bytes, numbers],
        false => [vectors, lists, pairs, posteriors, gauss, bytes, numbers],
    };
    let fits = order.into_iter().filter(|(kind, _)| has(*kind));
    let mut readings = fits.flat_map(|(_, (first, second))| std::iter::once(first).chain(second));
    let kind = readings.next().unwrap_or(ObjectKind::Ints);
    // Numbers that alternate between integers and floats are not pairs of one type.
    let weights_tell = weights.are_floats() && !(others.is_sure() && others.are_floats());
    let others: Vec<ObjectKind> = match kind {
        ObjectKind::Posterior if weights_tell => Vec::new(),
        _ => readings.collect(),
    };
    let what = match kind {
        ObjectKind::Floats | ObjectKind::FloatPairs | ObjectKind::Float(_) => {
            "have its length and bits of floats"
        }
        _ => "have its length",
    };
    decided(
        kind,
        "runs of tagged numbers",
        what,
        entries,
        others.is_empty(),
    )
    .or(others)
}

/// Decides whether the tagged 64-bit numbers that start `skip` bytes ahead, after the first binary
/// mark, are floats or integers. Returns `None` if the first one is truncated.
pub(crate) fn wide(source: &mut Source, skip: usize, limits: &Limits) -> Result<Option<Decision>> {
    look(source, skip, limits, scan_wide)
}

pub(super) fn scan_wide(bytes: &[u8], last: bool) -> ScanResult {
    let mut rest = bytes;
    let (mut evidence, mut entries, mut open) = (Evidence::default(), 0, true);
    while entries < ENTRIES {
        let Some(([8, word @ ..], after)) = rest.split_first_chunk::<9>() else {
            break;
        };
        evidence.see_wide(i64::from_le_bytes(*word));
        entries += 1;
        match next_value(after).and_then(|value| value.strip_prefix(b"\0B")) {
            Some(next) if next.first().is_none_or(|b| *b == 8) => rest = next,
            None if after.len() < 256 && !last => break,
            _ => {
                open = false;
                break;
            }
        }
    }
    let (float, int) = (
        ObjectKind::Float(Precision::Double),
        ObjectKind::Opaque("int64"),
    );
    let verdict = evidence.verdict();
    let (kind, other) = match verdict.are_floats() || verdict == Verdict::Zeros {
        true => (float, int),
        false => (int, float),
    };
    let others = match verdict.is_sure() {
        true => Vec::new(),
        false => vec![other],
    };
    let sure = others.is_empty();
    let decide = || decided(kind, "numbers of 64 bits", "have its bits", entries, sure).or(others);
    ScanResult {
        settled: entries > 0 && sure,
        decision: (entries > 0).then(decide),
        entries,
        open,
    }
}

fn word(group: &[u8; GROUP]) -> i32 {
    let [_, a, b, c, d] = *group;
    i32::from_le_bytes([a, b, c, d])
}

/// Returns `true` if `words` are `n` counted lists of items with `width` words, and passes each
/// item to `seen`.
fn walks(n: usize, width: usize, mut words: &[i32], mut seen: impl FnMut(&[i32])) -> bool {
    for _ in 0..n {
        let Some((count, rest)) = words.split_first() else {
            return false;
        };
        let len = usize::try_from(*count).map_or(usize::MAX, |n| n.saturating_mul(width));
        let Some((list, rest)) = rest.split_at_checked(len) else {
            return false;
        };
        seen(list);
        words = rest;
    }
    words.is_empty()
}

/// Returns the error for an unknown object.
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
        true => {
            const MESSAGE: &str = "the file ends in a run of tagged 32-bit numbers";
            match crate::text::truncated(source, MESSAGE) {
                error if error.message().starts_with(MESSAGE) => {
                    error.hint("if it is whole, say what it holds with holder=NAME, such as int32")
                }
                // Nothing is whole of which the compressed data are cut.
                error => error,
            }
        }
        false => source.malformed("a run of tagged 32-bit numbers that is not a known object"),
    }
}
