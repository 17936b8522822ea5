//! Telling apart what starts alike, by looking over several entries.
//!
//! Kaldi compiles the type into each program. Here every entry leaves some kinds possible, and the
//! kinds that all entries leave decide.

use spr_core::bytes::Source;
use spr_core::model::is_word_byte;
use spr_core::{Error, Limits, Result};

use crate::kind::{Kind, Precision};
use crate::number::{self, Scan, is_space};
use crate::recognise::{GROUP, TAG};

/// Entries looked at.
const ENTRIES: usize = 64;
/// Bytes looked at first, and at most where one entry does not need more.
const FIRST: usize = 64 << 10;
const MOST: usize = 1 << 20;

/// What was decided, and the reason in words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) kind: Kind,
    pub(crate) why: String,
}

/// What a scan of the bytes that are there came to.
struct Seen {
    decision: Option<Decision>,
    entries: usize,
    /// Whether more bytes could tell more.
    open: bool,
}

/// Looks over more and more bytes from `skip` bytes ahead on.
fn look(
    source: &mut Source,
    skip: usize,
    limits: &Limits,
    scan: impl Fn(&[u8], bool) -> Seen,
) -> Result<Option<Decision>> {
    let mut size = FIRST;
    loop {
        let bytes = source.peek(skip + size)?;
        let last = bytes.len() < skip + size;
        let seen = scan(bytes.get(skip..).unwrap_or_default(), last);
        let enough = seen.entries == ENTRIES || (size >= MOST && seen.entries > 0);
        if last || enough || !seen.open {
            return Ok(seen.decision);
        }
        size = size.saturating_mul(2);
        source.hold("an object", size as u64, limits)?;
    }
}

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
/// the first passed already; `None` if the first is no known object or is cut off.
pub(crate) fn runs(source: &mut Source, skip: usize, limits: &Limits) -> Result<Option<Decision>> {
    look(source, skip, limits, scan_runs)
}

fn scan_runs(bytes: &[u8], last: bool) -> Seen {
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
            true => (Kind::Floats, false),
            false => (Kind::Ints, !has(SCALAR) && !others.zeros),
        }
    } else if has(POSTERIOR) {
        (Kind::Posterior, !has(PAIRS | LISTS))
    } else if has(LISTS) {
        (Kind::Lists, !has(PAIRS))
    } else if has(PAIRS) {
        match floats {
            true => (Kind::FloatPairs, false),
            false => (Kind::IntPairs, !others.zeros),
        }
    } else if has(GAUSS) {
        (Kind::Gauss, true)
    } else if has(BYTES) {
        (Kind::Opaque("int8-vector"), true)
    } else if first.are_floats() {
        (Kind::Float(Precision::Single), false)
    } else {
        (Kind::Int, !first.zeros)
    };
    let what = match kind {
        Kind::Floats | Kind::FloatPairs | Kind::Float(_) => "have its length and bits of floats",
        _ => "have its length",
    };
    decided(kind, "runs of tagged numbers", what, entries, sure)
}

fn decided(kind: Kind, things: &str, what: &str, entries: usize, sure: bool) -> Decision {
    let mut why = match entries {
        1 => format!("{} because the first of the {things} fits it", kind.name()),
        _ => format!(
            "{} because the first {entries} {things} {what}",
            kind.name()
        ),
    };
    if !sure {
        why.push_str(" (other kinds fit too; holder=NAME says which)");
    }
    Decision { kind, why }
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

/// The value of the next entry, behind its key and one separator.
fn next_value(bytes: &[u8]) -> Option<&[u8]> {
    let start = bytes.iter().position(|b| !is_space(*b))?;
    let bytes = &bytes[start..];
    let end = bytes.iter().position(|b| is_space(*b))?;
    if end == 0 || !bytes[..end].iter().all(|b| is_word_byte(*b)) {
        return None;
    }
    match bytes[end] {
        b' ' | b'\t' => Some(&bytes[end + 1..]),
        _ => Some(&bytes[end..]),
    }
}

/// The kinds of text, the first of those that are left being taken.
const TEXT: &[(u32, Kind)] = &[
    (1 << 0, Kind::Int),
    (1 << 1, Kind::Ints),
    (1 << 2, Kind::Float(Precision::Single)),
    (1 << 3, Kind::Floats),
    (1 << 4, Kind::Lists),
    (1 << 5, Kind::IntPairs),
    (1 << 6, Kind::FloatPairs),
    (1 << 7, Kind::Posterior),
    (1 << 8, Kind::Vector),
    (1 << 9, Kind::SparseMatrix),
    (1 << 10, Kind::SparseVector),
    (1 << 11, Kind::Gauss),
    (1 << 12, Kind::Bool),
    (1 << 13, Kind::Token),
    (1 << 14, Kind::Tokens),
    (1 << 15, Kind::Opaque("fst")),
];

fn bits(kinds: &[Kind]) -> u32 {
    let among = |kind: &Kind| kinds.contains(kind);
    let found = TEXT.iter().filter(|(_, kind)| among(kind));
    found.fold(0, |set, (bit, _)| set | bit)
}

/// What the text is whose first value starts `skip` bytes ahead.
pub(crate) fn lines(source: &mut Source, skip: usize, limits: &Limits) -> Result<Option<Decision>> {
    look(source, skip, limits, scan_lines)
}

fn scan_lines(bytes: &[u8], last: bool) -> Seen {
    let words = bits(&[Kind::Token, Kind::Tokens]);
    let mut rest = bytes;
    let mut entries = 0;
    // Kinds that all lines may be, those of nothing but words left out; and of those the number.
    let (mut set, mut numeric) = (u32::MAX, 0);
    let (mut text, mut wordy) = (u32::MAX, 0);
    let mut open = true;
    while entries < ENTRIES {
        let end = rest.iter().position(|b| *b == b'\n');
        // A line without its end is damaged.
        if end.is_none() && (!last || entries > 0) {
            break;
        }
        let (line, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        open = false;
        let kinds = line_kinds(line, after);
        if kinds & !words == 0 {
            wordy += 1;
        } else if set & kinds & !words == 0 && text & kinds & words == 0 {
            break;
        } else if set & kinds & !words != 0 {
            set &= kinds & !words;
            numeric += usize::from(!line.trim_ascii().is_empty());
        }
        text &= kinds;
        entries += 1;
        match next_value(after) {
            Some([0, ..]) => break,
            Some(value) => rest = value,
            None => {
                open = !last;
                break;
            }
        }
        open = true;
    }
    // One line of words among many of numbers is damage, and is left to the reader.
    let bools = set == bits(&[Kind::Bool]) && wordy > 0;
    let set = match wordy > numeric || bools {
        true => text & words,
        false => set,
    };
    let kind = TEXT.iter().find(|(bit, _)| set & bit != 0);
    let decision = kind.filter(|_| entries > 0).map(|(_, kind)| {
        let sure = match kind {
            Kind::Int | Kind::Float(_) | Kind::Bool | Kind::Token => false,
            Kind::Ints => set & bits(&[Kind::Posterior]) == 0,
            _ => true,
        };
        decided(*kind, "lines", "have its form", entries, sure)
    });
    Seen {
        decision,
        entries,
        open,
    }
}

/// The kinds that the line of one value may be; `after` follows the line.
fn line_kinds(line: &[u8], after: &[u8]) -> u32 {
    use Kind::{
        Bool, Float, FloatPairs, Floats, Gauss, Int, IntPairs, Ints, Lists, Posterior,
        SparseMatrix, SparseVector, Token, Tokens, Vector,
    };
    let trailing = line.trim_ascii_end().len() + 1 < line.len() && !line.ends_with(b"\r\n");
    let near = line.first().is_some_and(|b| !is_space(*b));
    let words: Vec<&[u8]> = line
        .split(|b| is_space(*b))
        .filter(|w| !w.is_empty())
        .collect();
    let Some(first) = words.first() else {
        return match is_state(after) {
            true => bits(&[Kind::Opaque("fst")]),
            false => bits(&[Posterior, Ints, Floats, Lists, IntPairs, FloatPairs, Tokens]),
        };
    };
    if first.starts_with(b"[") && matches!(first, [b'['] | [b'[', b']', ..]) {
        return match weighted_groups(&words) {
            None => bits(&[Vector]),
            Some(1) if near && trailing => bits(&[Posterior, Vector]),
            Some(1) => bits(&[Vector]),
            Some(_) => bits(&[Posterior]),
        };
    }
    if first.starts_with(b"rows=") {
        return bits(&[SparseMatrix]);
    }
    if first.starts_with(b"dim=") {
        return bits(&[SparseVector]);
    }
    let text = if words.len() == 1 && !trailing {
        bits(&[Token, Tokens])
    } else {
        bits(&[Tokens])
    };
    let one = Float(Precision::Single);
    if words.iter().all(|w| is_integer(w)) {
        return text
            | match words.len() {
                1 => bits(&[Int, Ints, one, Floats]),
                2 => bits(&[Ints, Floats, IntPairs, FloatPairs]),
                _ => bits(&[Ints, Floats]),
            };
    }
    if words.iter().all(|w| is_number(w)) {
        return text
            | match words.len() {
                1 => bits(&[one, Floats]),
                2 => bits(&[Floats, FloatPairs]),
                _ => bits(&[Floats]),
            };
    }
    if line.contains(&b';') {
        return text | parted(line);
    }
    if matches!(*first, b"T" | b"F") && words.len() == 1 {
        return text | bits(&[Bool]);
    }
    let numbers = words.iter().take_while(|w| is_integer(w)).count();
    if numbers >= 3 && words.get(numbers) == Some(&&b"["[..]) && words.last() == Some(&&b"]"[..]) {
        return bits(&[Gauss]);
    }
    text
}

/// The number of groups in brackets, if each is pairs of an integer and a number.
fn weighted_groups(words: &[&[u8]]) -> Option<usize> {
    let (mut groups, mut inside, mut numbers) = (0, false, 0);
    for word in words {
        let mut word = *word;
        if let Some(rest) = word.strip_prefix(b"[") {
            if inside {
                return None;
            }
            (inside, numbers, word) = (true, 0, rest);
        }
        let closed = word.strip_suffix(b"]");
        let number = closed.unwrap_or(word);
        if !number.is_empty() {
            let fits = match numbers % 2 {
                0 => is_integer(number),
                _ => is_number(number),
            };
            if !inside || !fits {
                return None;
            }
            numbers += 1;
        }
        if closed.is_some() {
            if !inside || numbers % 2 != 0 {
                return None;
            }
            (inside, groups) = (false, groups + 1);
        }
    }
    (!inside).then_some(groups)
}

/// What a line of numbers with `;` in it may be.
fn parted(line: &[u8]) -> u32 {
    let parts: Vec<Vec<&[u8]>> = line
        .split(|b| *b == b';')
        .map(|part| {
            part.split(|b| is_space(*b))
                .filter(|w| !w.is_empty())
                .collect()
        })
        .collect();
    let all = |fits: fn(&[u8]) -> bool| parts.iter().flatten().all(|w| fits(w));
    if parts.last().is_some_and(Vec::is_empty) {
        return match all(is_integer) {
            true => bits(&[Kind::Lists]),
            false => 0,
        };
    }
    match (
        parts.iter().all(|p| p.len() == 2),
        all(is_integer),
        all(is_number),
    ) {
        (true, true, _) => bits(&[Kind::IntPairs, Kind::FloatPairs]),
        (true, false, true) => bits(&[Kind::FloatPairs]),
        _ => 0,
    }
}

/// Digits with a sign, whatever their number.
fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+"));
    let digits = digits.unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn is_number(word: &[u8]) -> bool {
    matches!(number::real::<f64>(word, true), Scan::Number(_, len) if len == word.len())
}

/// Whether a line of a text FST follows: it starts with the number of a state and a tab.
fn is_state(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && line.get(digits) == Some(&b'\t')
}

/// The error where a run is no known object.
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
            .hint("if it is whole, say what it holds with --oo holder=NAME, such as int32"),
        false => source.malformed("a run of tagged 32-bit numbers that is no known object"),
    }
}

#[cfg(test)]
mod tests;
