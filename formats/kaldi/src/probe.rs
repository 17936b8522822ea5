//! Recognition of archives and script files by their first bytes.

use std::collections::HashSet;
use std::path::Path;

use spr_core::format::{Probe, Score};
use spr_core::model::is_word_byte;

use crate::data_dir::layout;
use crate::lists::SCRIPT;
use crate::number::{Scan, end_of_word, integer, is_space, real};
use crate::recognise;

/// Magic bytes of other formats that look like keys.
const FOREIGN: &[&[u8]] = &[
    b"-pfile_header",
    b".spr\n",
    b".spr\r",
    b".key\n",
    b".key\r",
    b"RIFF",
    b"RIFX",
    b"NIST_1A",
    b"File type = \"oo",
];

/// Scores the start of a file.
pub(crate) fn score(probe: &Probe<'_>) -> Score {
    let extension = probe.extension();
    let named = match extension {
        Some("ark" | "scp" | "ali") => Score::NameOnly,
        _ => Score::No,
    };
    let head = probe.head;
    if FOREIGN.iter().any(|start| head.starts_with(start)) {
        return named;
    }
    if let Some(object) = head.strip_prefix(b"\0B") {
        return if is_object(object) {
            Score::Certain
        } else {
            named
        };
    }
    if is_bare(head, probe.whole) {
        return Score::Possible(70);
    }
    let Some((key, rest)) = entry(head) else {
        return named;
    };
    if let [separator, 0, b'B', object @ ..] = rest {
        let certain = matches!(separator, b' ' | b'\t') && is_object(object);
        return if certain { Score::Certain } else { named };
    }
    if !key.iter().all(|b| is_word_byte(*b)) {
        return named;
    }
    if recognise::unmarked(rest.get(1..).unwrap_or_default()).is_some() {
        return Score::Possible(60);
    }
    if is_script(head, extension) {
        return match extension {
            Some(SCRIPT) => Score::Possible(90),
            _ => Score::Possible(65),
        };
    }
    let first = lines(head).next().unwrap_or_default();
    let opens_another = is_foreign(first);
    match text(rest, head) {
        Score::Possible(points) if !is_json(first) => Score::Possible(points),
        // By its name any text is a table.
        _ if opens_another && named == Score::NameOnly => Score::AnyText,
        _ if opens_another => Score::No,
        Score::AnyText if is_own_name(probe) => Score::Possible(20),
        score => score.max(named),
    }
}

/// Returns `true` if the file is called as a table of a data directory, or as a copy of one, such as
/// `text.new`.
fn is_own_name(probe: &Probe<'_>) -> bool {
    let name = probe
        .path
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    let stem = |name: &str| {
        name.rsplit_once('.')
            .map(|(stem, _)| layout::is_table(stem))
    };
    name.is_some_and(|name| layout::is_table(name) || stem(name) == Some(true))
}

/// Returns `true` if these bytes are the first entry of an archive and suffice to decide how it is
/// read, so that waiting for more is unnecessary.
pub(crate) fn is_enough(head: &[u8]) -> bool {
    let Some((key, rest)) = entry(head) else {
        return false;
    };
    // An object that starts with a bracket may have no key.
    if !key.iter().all(|b| is_word_byte(*b)) || key == b"[" {
        return false;
    }
    match rest {
        [b'\n', ..] => true,
        [_, 0, b'B', object @ ..] => recognise::is_told(object),
        [_, value @ ..] => recognise::is_known(value) && value.contains(&b'\n'),
        [] => false,
    }
}

/// Returns `true` if a file starts with an object instead of a key: a binary mark, or a bracket
/// followed only by numbers, as far as visible. `whole` means that `head` is the whole file.
pub(crate) fn is_bare(head: &[u8], whole: bool) -> bool {
    if head.starts_with(b"\0B") {
        return true;
    }
    let Some(mut rest) = head.trim_ascii_start().strip_prefix(b"[") else {
        return false;
    };
    if rest.first().is_some_and(|b| !is_space(*b) && *b != b']') {
        return false;
    }
    loop {
        match rest {
            [] => return !whole,
            [b']', after @ ..] => match after.trim_ascii_start() {
                [] => return true,
                // Another object on a separate line.
                next @ [b'[', ..] if after.len() > next.len() && after.contains(&b'\n') => {
                    rest = &next[1..];
                }
                _ => return false,
            },
            [b';', after @ ..] => rest = after,
            [b, after @ ..] if is_space(*b) => rest = after,
            _ => match real::<f64>(rest, whole, &mut 0) {
                Scan::Number(_, len) => rest = &rest[len..],
                Scan::Unfinished => return true,
                Scan::Bad => return false,
            },
        }
    }
}

/// Returns `true` if another object without a key starts here.
pub(crate) fn starts_object(head: &[u8]) -> bool {
    match head {
        [0, b'B', object @ ..] => is_object(object),
        [b'[', ..] => is_bare(head, false),
        _ => false,
    }
}

/// Scores a line of text after a key.
fn text(rest: &[u8], head: &[u8]) -> Score {
    let value = rest.trim_ascii_start();
    match value {
        [b'[', b, ..] if is_space(*b) || *b == b']' => Score::Possible(80),
        _ if !is_text(head) => Score::No,
        _ if lines(head).all(is_alignment) && lines(head).any(|line| words(line).count() > 1) => {
            Score::Possible(70)
        }
        // A list of single words is not data; only the file's name can identify it.
        _ if !lines(head).any(|line| words(line).count() > 1) => Score::No,
        _ if is_table(head) => Score::AnyText,
        _ => Score::No,
    }
}

/// Returns `true` if each line starts with a key of its own, apart from a few. Programs and pages have
/// indented, blank and repeated lines, and other formats lines that no table has. An entry that comes
/// twice with the same value is one of a table that was appended twice.
fn is_table(head: &[u8]) -> bool {
    let (mut keys, mut seen, mut faults) = (HashSet::new(), 0_usize, 0_usize);
    let mut entries = HashSet::new();
    for line in lines(head) {
        let is_indented = line.first().is_some_and(|b| is_space(*b));
        if is_indented && words(line).next().is_some() || is_foreign(line) {
            return false;
        }
        seen += 1;
        let key = words(line).next();
        let is_first = key.is_some_and(|key| keys.insert(key));
        let is_copy = !entries.insert(line) && words(line).count() > 1;
        faults += usize::from(!is_first && !is_copy);
    }
    are_few(faults, seen)
}

/// Returns `true` for a line as JSON, XML, quoted text, scripts and headers have it. Their first line
/// may be missing, or at fault.
fn is_foreign(line: &[u8]) -> bool {
    let is_other = matches!(line, [b'"' | b'<', ..] | [b'#', b'!', ..]);
    is_json(line) || is_other || line.trim_ascii() == b"#"
}

/// Returns `true` if a line starts an object or a list of JSON.
fn is_json(line: &[u8]) -> bool {
    let Some((b'{' | b'[', rest)) = line.split_first() else {
        return false;
    };
    matches!(
        rest.trim_ascii_start(),
        [] | [b'"' | b'{' | b'[' | b'}' | b']', ..]
    )
}

/// Returns `true` if so many faulty lines do not make a file one of another kind: one of several, or
/// one of ten.
fn are_few(faults: usize, seen: usize) -> bool {
    faults <= seen.saturating_sub(1).min(1) || faults * 10 <= seen
}

/// Returns `true` if lines name objects, apart from a few. The extension `scp` already identifies a
/// script file, and any second word is accepted; in a file called `ark` a word with a point and no slash
/// is a word.
fn is_script(head: &[u8], extension: Option<&str>) -> bool {
    if has_control(head) {
        return false;
    }
    let lines = lines(head).filter(|line| !line.trim_ascii().is_empty());
    if extension == Some(SCRIPT) {
        // A line without a second word is a fault in a script file, not another kind of file.
        let (several, single): (Vec<_>, Vec<_>) = lines.partition(|line| words(line).count() > 1);
        let first = several.first();
        return several.len() >= single.len() && first.is_some_and(|line| !is_object_line(line));
    }
    let is_ark = extension == Some("ark");
    let has_path = |line: &[u8]| line.iter().any(|b| matches!(b, b'/' | b':' | b'|'));
    let names_place = |line: &&[u8]| is_place(line) && (!is_ark || has_path(line));
    let (places, others): (Vec<_>, Vec<_>) = lines.partition(names_place);
    let seen = places.len() + others.len();
    // A word such as and/or may be a path, but none is `feats.ark:12`.
    let is_sure = |word: &[u8]| is_offset(word) && word.iter().any(|b| matches!(b, b'.' | b'/'));
    let sure = places
        .iter()
        .any(|line| words(line).nth(1).is_some_and(is_sure));
    let enough = places.len() > others.len() || sure && places.len() == others.len();
    let may_have_faults = sure || !is_ark;
    enough && (others.is_empty() || may_have_faults && are_few(others.len(), seen))
}

/// Returns `true` if a Kaldi table is to be read as a script file: by its lines, or because its
/// extension is that of one and it holds no objects. Lines that name nothing are its faults then.
pub(crate) fn is_list(head: &[u8], extension: Option<&str>) -> bool {
    let mut lines = lines(head).filter(|line| !line.trim_ascii().is_empty());
    let mut holds_objects = || lines.next().is_none_or(is_object_line);
    let named = extension == Some(SCRIPT);
    is_script(head, extension) || named && !has_control(head) && !holds_objects()
}

/// Returns `true` if there are control characters, which file names in lists do not have. They need
/// not be UTF-8.
fn has_control(head: &[u8]) -> bool {
    head.iter().any(|b| b.is_ascii_control() && !is_space(*b))
}

/// Returns `true` if an object in text starts after the key of a line.
fn is_object_line(line: &[u8]) -> bool {
    let value = words(line).nth(1).and_then(|value| value.first());
    value.is_some_and(|b| matches!(b, b'[' | 0))
}

/// Returns `true` if a line names an object.
fn is_place(line: &[u8]) -> bool {
    let mut words = words(line).skip(1);
    let Some(first) = words.next().filter(|_| !is_object_line(line)) else {
        return false;
    };
    let last = words.last().unwrap_or(first);
    last.ends_with(b"|") || is_offset(last) || is_path(first, last)
}

/// Returns `true` for `name:digits`, optionally followed by a range.
fn is_offset(word: &[u8]) -> bool {
    let word = word.split(|b| *b == b'[').next().unwrap_or(word);
    let digits = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && word.len() > digits + 1 && word[word.len() - digits - 1] == b':'
}

/// Returns `true` for a single word with a slash, or with an extension that is not a number.
fn is_path(first: &[u8], last: &[u8]) -> bool {
    let extension = first.rsplit(|b| *b == b'.').next().unwrap_or_default();
    first == last
        && !matches!(integer(first, true), Scan::Number(..))
        && (first.contains(&b'/')
            || (extension.len() < first.len().saturating_sub(1)
                && extension.first().is_some_and(u8::is_ascii_alphabetic)))
}

/// Returns `true` for a key followed by integers or nothing.
fn is_alignment(line: &[u8]) -> bool {
    let mut values = words(line).skip(1);
    !is_json(line) && values.all(|word| matches!(integer(word, true), Scan::Number(..)))
}

/// Returns the first key and the rest.
fn entry(head: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = head.iter().position(|b| !is_space(*b))?;
    let head = &head[start..];
    let end = end_of_word(head, false)?;
    Some(head.split_at(end))
}

/// Returns the lines, except for an incomplete last one.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = head.iter().rposition(|b| *b == b'\n');
    let head = match end {
        Some(end) => &head[..end],
        None => {
            // In a single long line, the last word may be incomplete.
            let end = head.iter().rposition(|b| is_space(*b));
            &head[..end.unwrap_or(head.len())]
        }
    };
    head.split(|b| *b == b'\n')
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| is_space(*b)).filter(|word| !word.is_empty())
}

/// Returns `true` if there are no control characters except white space.
fn is_text(head: &[u8]) -> bool {
    head.iter().all(|b| is_word_byte(*b) || is_space(*b))
}

/// Returns `true` if an object starts after the binary mark.
fn is_object(bytes: &[u8]) -> bool {
    bytes.first() == Some(&recognise::TAG) || recognise::token(bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_may_be_a_table_is_told_from_other_text() {
        for (head, path, score) in [
            (&b"ann-001 the converter reads\n"[..], "x", Score::AnyText),
            (b"a one\nb two\n\nc three\n", "x", Score::AnyText),
            (b"a one\nb two\na one\nb two\n", "x", Score::AnyText),
            (b"a one\nb two\na six\nb ten\n", "x", Score::No),
            (b"1001 yes\n1002 no\n", "x", Score::AnyText),
            (b"1001 yes\n1002 no\n", "data/text", Score::Possible(20)),
            (b"a and/or\nb hello there\n", "x", Score::AnyText),
            (b"a x.y\nb hello\nc y.z\n", "x.ark", Score::AnyText),
            (b"a,b avdY1.Q2caT\n", "x.ark", Score::AnyText),
            (b"a 12:30\nb hello there\n", "x", Score::AnyText),
            // The first line of JSON or of a header may be missing.
            (b"a b\n{\"key\":\"c\"}\n", "x", Score::No),
            (b"DATA\tSEG\nTYPE\tSTRING\n#\nu1\tyes\n", "x", Score::No),
            (b"all: x\n\tcc x.c\n", "Makefile", Score::No),
            (
                b"#include <a>\n#include <b>\n\nint main() {\n",
                "x",
                Score::No,
            ),
            (
                b"g A 0.39 0.08 BUT\ng A 0.5 0.1 IT\ng A 1 1 IS\n",
                "x",
                Score::No,
            ),
        ] {
            assert_eq!(of(head, path), score, "{}", head.escape_ascii());
        }
    }

    fn of(head: &[u8], path: &str) -> Score {
        score(&Probe {
            head,
            whole: true,
            len: Some(head.len() as u64),
            path: Some(Path::new(path)),
        })
    }

    #[test]
    fn binary_is_certain() {
        for head in [
            &b"a \0BFM \x04"[..],
            b"a\t\0B\x04\x01\0\0\0",
            b"\0BCM2 ",
            b"k \0B<Nnet3Eg> ",
        ] {
            assert_eq!(of(head, "x"), Score::Certain);
        }
        assert_eq!(of(b"a \0Bxx", "x.ark"), Score::NameOnly);
    }

    #[test]
    fn text_is_possible() {
        for (head, path, score) in [
            (&b"a  [\n 1 2 ]\n"[..], "x", 80),
            (b"a  [ 1 2 ]\n", "x", 80),
            (b" [\n 1 2 ]\n", "x", 70),
            (b"a 1 2 3\nb\nc 7 \n", "x.ali", 70),
            (b"a feats.ark:12\nb feats.ark:99\n", "feats.scp", 90),
            (b"a feats.ark:12[0:3]\n", "x", 65),
            (b"a gunzip -c x.gz |\n", "x", 65),
            (b"a d/x.mat\n", "x", 65),
            (b"a feats.ark:12\nb hello there\n", "x", 65),
            (b"a d/x.mat\nb hello\nc d/y.mat\n", "x", 65),
            (b"a d/x.mat\nc d/y.mat\n", "x.ark", 65),
            (b"a feats.ark:12\nb hello\nc feats.ark:40\n", "x.ark", 65),
            (b"a x.mat\n", "x", 65),
            (b"a RIFF\0\0\0\0WAVE", "x", 60),
            (b"a.wav\nb b.wav\nc c.wav\n", "wav.scp", 90),
        ] {
            assert_eq!(
                of(head, path),
                Score::Possible(score),
                "{}",
                head.escape_ascii()
            );
        }
    }

    #[test]
    fn others_are_left_alone() {
        for head in [
            &b"-pfile_header version 0 size 32768\n"[..],
            b"\x80\x02]q\x00.",
            b".spr\nDATA TRACK\n",
            b".key\nDATATYPE TRACK\n",
            b"{\"key\":\"a\"}\n",
            b"RIFF\x24\0\0\0WAVEfmt ",
            b"",
            b"\0\0\x01\x02",
        ] {
            assert_eq!(of(head, "x"), Score::No, "{}", head.escape_ascii());
        }
        assert_eq!(of(b"", "x.ark"), Score::NameOnly);
        for head in [&b"{\"a\": [ 1 ]}\n"[..], b"[{\"a\": 1}]\n", b"<a>\n</a>\n"] {
            assert_eq!(of(head, "x"), Score::No, "{}", head.escape_ascii());
            assert_eq!(of(head, "x.ark"), Score::AnyText, "{}", head.escape_ascii());
        }
    }
}
