//! Lines of text.

use spr_core::bytes::Source;
use spr_core::{Limits, Result};

use super::{Decision, ENTRIES, ScanResult, decided, look, next_value};
use crate::kind::{ObjectKind, Precision};
use crate::number::{self, is_space};

/// The kinds of text; the first possible one is taken.
const TEXT: &[(u32, ObjectKind)] = &[
    (1 << 0, ObjectKind::Int),
    (1 << 1, ObjectKind::Ints),
    (1 << 2, ObjectKind::Float(Precision::Single)),
    (1 << 3, ObjectKind::Floats),
    (1 << 4, ObjectKind::Lists),
    (1 << 5, ObjectKind::IntPairs),
    (1 << 6, ObjectKind::FloatPairs),
    (1 << 7, ObjectKind::Posterior),
    (1 << 8, ObjectKind::Vector),
    (1 << 9, ObjectKind::SparseMatrix),
    (1 << 10, ObjectKind::SparseVector),
    (1 << 11, ObjectKind::Gauss),
    (1 << 12, ObjectKind::Bool),
    (1 << 13, ObjectKind::Token),
    (1 << 14, ObjectKind::Tokens),
    (1 << 15, ObjectKind::Opaque("fst")),
];

/// The kinds of lines with one or two values.
const SHORT: &[ObjectKind] = &[
    ObjectKind::Int,
    ObjectKind::Float(Precision::Single),
    ObjectKind::IntPairs,
    ObjectKind::FloatPairs,
    ObjectKind::Bool,
];

fn bits(kinds: &[ObjectKind]) -> u32 {
    let among = |kind: &ObjectKind| kinds.contains(kind);
    let found = TEXT.iter().filter(|(_, kind)| among(kind));
    found.fold(0, |set, (bit, _)| set | bit)
}

/// Determines the kind of the text whose first value starts `skip` bytes ahead.
pub(crate) fn lines(source: &mut Source, skip: usize, limits: &Limits) -> Result<Option<Decision>> {
    look(source, skip, limits, scan_lines)
}

pub(super) fn scan_lines(bytes: &[u8], last: bool) -> ScanResult {
    let words = bits(&[ObjectKind::Token, ObjectKind::Tokens]);
    let mut rest = bytes;
    let mut entries = 0;
    // The kinds that all lines allow, except lines of words; and the number of the remaining lines.
    let (mut set, mut numeric) = (u32::MAX, 0);
    let (mut text, mut wordy) = (u32::MAX, 0);
    let (mut open, mut zeros) = (true, true);
    // The kinds that the lines with a value allow, and whether there are others.
    let (mut filled, mut blank) = (u32::MAX, false);
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
            match line.trim_ascii().is_empty() {
                true => blank = true,
                false => {
                    filled &= kinds;
                    numeric += 1;
                }
            }
        }
        text &= kinds;
        entries += 1;
        zeros &= matches!(line.trim_ascii(), b"" | b"0");
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
    // A single line of words among many of numbers is damage, and left to the reader.
    let bools = set == bits(&[ObjectKind::Bool]) && wordy > 0;
    let set = match wordy > numeric || bools {
        true => text & words,
        false => set,
    };
    let kind = TEXT.iter().find(|(bit, _)| set & bit != 0);
    let decision = kind.filter(|_| entries > 0).map(|(_, kind)| {
        let sure = match kind {
            ObjectKind::Int | ObjectKind::Float(_) | ObjectKind::Bool | ObjectKind::Token => false,
            ObjectKind::Ints => set & bits(&[ObjectKind::Posterior]) == 0,
            _ => true,
        };
        // A single line of one or two numbers, or of one truth value, has no other lines to tell.
        let single = entries == 1 && set & bits(SHORT) != 0;
        let possible = match kind {
            ObjectKind::Bool => set | text & bits(&[ObjectKind::Token]),
            _ => set,
        };
        let fitting = TEXT
            .iter()
            .filter(|(bit, _)| (zeros || single) && possible & bit != 0);
        // Where all other lines have one number, a line without one may lack it.
        let lone = bits(&[ObjectKind::Int, ObjectKind::Float(Precision::Single)]);
        let has_lack = blank && numeric > 0 && set & words == 0;
        let mut lacking = TEXT.iter();
        let lacking = lacking.find(|(bit, _)| has_lack && filled & lone & bit != 0);
        let fitting = fitting.chain(lacking);
        let others = fitting.map(|(_, other)| *other).filter(|k| k != kind);
        decided(*kind, "lines", "have its form", entries, sure).or(others.collect())
    });
    // A single word may be the first of several elsewhere.
    let single = bits(&[
        ObjectKind::Int,
        ObjectKind::Float(Precision::Single),
        ObjectKind::Bool,
        ObjectKind::Token,
    ]);
    let alone = kind.is_none_or(|(bit, _)| bit & single != 0);
    ScanResult {
        settled: entries > 0 && !alone && !zeros && bytes.contains(&b'\n'),
        decision,
        entries,
        open,
    }
}

/// Returns the kinds that the line of one value allows; `after` follows the line.
fn line_kinds(line: &[u8], after: &[u8]) -> u32 {
    use ObjectKind::{
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
            true => bits(&[ObjectKind::Opaque("fst")]),
            false => bits(&[Posterior, Ints, Floats, Lists, IntPairs, FloatPairs, Tokens]),
        };
    };
    // Kaldi reads it as an empty matrix or vector.
    if *first == b"[]" {
        return bits(&[Vector]);
    }
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

/// Returns the number of groups in brackets, if each consists of pairs of an integer and a number.
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

/// Returns the kinds that a line of numbers with `;` allows.
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
            true => bits(&[ObjectKind::Lists]),
            false => 0,
        };
    }
    match (
        parts.iter().all(|p| p.len() == 2),
        all(is_integer),
        all(is_number),
    ) {
        (true, true, _) => bits(&[ObjectKind::IntPairs, ObjectKind::FloatPairs]),
        (true, false, true) => bits(&[ObjectKind::FloatPairs]),
        _ => 0,
    }
}

/// Returns `true` for digits with an optional sign, of any length.
pub(crate) fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+"));
    let digits = digits.unwrap_or(word);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn is_number(word: &[u8]) -> bool {
    number::streamed::<f64>(word, &mut 0).is_some()
}

/// Returns `true` if a line of a text FST follows: it starts with a state number and a tab.
fn is_state(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && line.get(digits) == Some(&b'\t')
}
