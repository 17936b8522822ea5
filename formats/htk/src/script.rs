//! Lines of HTK's script files: `FILE`, `FILE[FIRST,LAST]` or `NAME=FILE[FIRST,LAST]`.

use spr_core::bytes::{Location, Source, key_of_file};
use spr_core::format::FormatInfo;
use spr_core::model::Key;
use spr_core::{Error, Result};

use crate::frames::Frames;
use crate::list::{Entry, Naming};

/// The number of first bytes that decide whether a file is text.
const HEAD: usize = 64;

/// The remedy for two lines with the same key.
pub(crate) const TWICE: &str =
    "write NAME=FILE for each, or go by the paths of the files with keys=paths";

/// Extensions of feature files, apart from `.mfc`, which other programs use as well.
const EXTENSIONS: [&str; 5] = ["htk", "fea", "mfc", "plp", "fbk"];

/// Parses a line, and returns `None` if it is blank.
///
/// # Errors
/// The line is invalid.
pub(crate) fn parse(line: &[u8], naming: Naming) -> Result<Option<Entry>> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let text = word(line)?;
    let (name, rest) = match text.iter().position(|b| *b == b'=') {
        Some(at) => (Some(&text[..at]), &text[at + 1..]),
        None => (None, text),
    };
    let (file, frames) = stretch(rest)?;
    let location = |bytes: &[u8]| {
        let found = Location::of_bytes(bytes).filter(|_| !bytes.is_empty());
        found.ok_or_else(|| Error::malformed("no file is named"))
    };
    let file = location(file)?;
    let key = match name {
        Some(name) => key_of(&location(name)?, naming),
        None => key_of(&file, naming),
    };
    Ok(Some(Entry { key, file, frames }))
}

/// Derives a key from the name of a file.
fn key_of(name: &Location, naming: Naming) -> Key {
    match naming {
        Naming::Names => key_of_file(name),
        Naming::Paths => {
            let bare = name.plain().with_extension("");
            Key::from(bare.as_os_str().as_encoded_bytes())
        }
    }
}

/// Returns the only word of a line, without quotes.
fn word(line: &[u8]) -> Result<&[u8]> {
    if let [quote @ (b'"' | b'\''), inner @ .., end] = line
        && quote == end
        && !inner.contains(quote)
    {
        return Ok(inner);
    }
    match line.iter().any(u8::is_ascii_whitespace) {
        false => Ok(line),
        true => Err(
            Error::malformed("expected one file name, found several words")
                .hint("lists of sources and targets are HCopy's: keep the column with the data"),
        ),
    }
}

/// Splits a file name from the range of frames in brackets.
fn stretch(text: &[u8]) -> Result<(&[u8], Option<Frames>)> {
    let Some(inside) = text.strip_suffix(b"]") else {
        return Ok((text, None));
    };
    let found = inside.iter().rposition(|b| *b == b'[').and_then(|at| {
        let mut numbers = inside[at + 1..].split(|b| *b == b',').map(number);
        let (first, last) = (numbers.next()??, numbers.next()??);
        let whole = numbers.next().is_none() && first <= last;
        whole.then_some((&inside[..at], Some(Frames { first, last })))
    });
    found.ok_or_else(|| {
        Error::malformed("frames are two whole numbers in brackets, as in a.mfc[0,99]")
    })
}

fn number(text: &[u8]) -> Option<u64> {
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    digits.then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}

/// Returns `true` if a file is a list of others.
///
/// # Errors
/// Reading fails, or the file is text and called as one of the format's own files.
pub(crate) fn is_list(source: &mut Source, info: &FormatInfo) -> Result<bool> {
    if !is_text(source.peek(HEAD)?) {
        return Ok(false);
    }
    let file = source.location().map(Location::plain);
    let extension = file.as_ref().and_then(Location::extension);
    match extension.is_some_and(|own| info.goes_by(&own.to_ascii_lowercase())) {
        false => Ok(true),
        true => {
            let list = info.listed_in.first().copied().unwrap_or_default();
            let error = Error::malformed("the file holds text, and no header");
            let hint = format!("a list of files has another extension, such as .{list}");
            Err(error.hint(hint).file(source.name()))
        }
    }
}

/// Returns `true` if the first bytes are text.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let is_text = |b: &u8| !b.is_ascii_control() || b.is_ascii_whitespace();
    !head.is_empty() && head.iter().all(is_text)
}

/// Returns `true` if these are lines of a script file. With `named`, the file name is that of a
/// list of some kind.
pub(crate) fn is_script(head: &[u8], whole: bool, named: bool) -> bool {
    if !is_text(head) {
        return false;
    }
    let end = match whole {
        true => head.len(),
        false => head.iter().rposition(|b| *b == b'\n').unwrap_or_default(),
    };
    let lines = head[..end].split(|b| *b == b'\n');
    let is_entry = |line: &[u8]| match parse(line, Naming::Names) {
        Ok(None) => true,
        Ok(Some(entry)) => {
            let extension = entry.file.plain();
            let extension = extension
                .extension()
                .unwrap_or_default()
                .to_ascii_lowercase();
            let path = line.contains(&b'/') || line.contains(&b'=') || !extension.is_empty();
            // JSON, XML and scripts are no names of files.
            let foreign = matches!(line, [b'[' | b'{' | b'<', ..] | [b'#', b'!', ..]);
            let is_one = EXTENSIONS.contains(&&*extension);
            !foreign && (is_one || (path && (named || entry.frames.is_some())))
        }
        Err(_) => false,
    };
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let first = lines.clone().next();
    // A fault in a line does not make the list another kind of file.
    let (mut entries, mut faults) = (0_usize, 0_usize);
    for line in lines.filter(|line| !is_blank(line)) {
        match is_entry(line) {
            true => entries += 1,
            false => faults += 1,
        }
    }
    let few = match named {
        true => faults <= entries,
        false => faults <= 1 || faults * 10 <= entries,
    };
    entries > 0 && few && (named || first.is_some_and(|first| !is_blank(&first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_files_and_frames() {
        let frames = |first, last| Some(Frames { first, last });
        for (line, naming, key, file, stretch) in [
            ("a.mfc", Naming::Names, "a", "a.mfc", None),
            ("d/a.b.mfc\r", Naming::Names, "a.b", "d/a.b.mfc", None),
            ("d/a.mfc", Naming::Paths, "d/a", "d/a.mfc", None),
            ("/d/a.mfc.gz", Naming::Names, "a", "/d/a.mfc.gz", None),
            ("a.mfc[0,9]", Naming::Names, "a", "a.mfc", frames(0, 9)),
            (
                "u1=d/a.mfc[10,10]",
                Naming::Names,
                "u1",
                "d/a.mfc",
                frames(10, 10),
            ),
            ("s/u1.lab=a", Naming::Names, "u1", "a", None),
            (
                "\"a b.mfc[1,2]\"",
                Naming::Names,
                "a b",
                "a b.mfc",
                frames(1, 2),
            ),
            ("'a[x].mfc'", Naming::Names, "a[x]", "a[x].mfc", None),
        ] {
            let entry = parse(line.as_bytes(), naming).unwrap().unwrap();
            assert_eq!(entry.key, Key::from(key), "{line}");
            assert_eq!(entry.file, file.into(), "{line}");
            assert_eq!(entry.frames, stretch, "{line}");
        }
        assert!(parse(b" \t", Naming::Names).unwrap().is_none());
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for (line, why) in [
            ("a.wav a.mfc", "found several words"),
            ("a.mfc[0]", "two whole numbers"),
            ("a.mfc[5,4]", "two whole numbers"),
            ("a.mfc[-1,4]", "two whole numbers"),
            ("a.mfc[0,4,5]", "two whole numbers"),
            ("a.mfc 0,4]", "found several words"),
            ("a0,4]", "two whole numbers"),
            ("a=", "no file is named"),
            ("=a", "no file is named"),
            ("[0,4]", "no file is named"),
            ("a.mfc[0,99999999999999999999]", "two whole numbers"),
        ] {
            let error = parse(line.as_bytes(), Naming::Names)
                .unwrap_err()
                .to_string();
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn scripts_are_told_from_other_texts() {
        for (text, named, is) in [
            ("a.mfc\nb.mfc\n", false, true),
            ("a=d/b[0,4]\n", false, true),
            ("/d/x\n/d/y\n", true, true),
            ("/d/x\n/d/y\n", false, false),
            ("a\nb\n", true, false),
            ("a b.mfc\n", true, false),
            ("a.mfc\nb c.mfc\n", true, true),
            ("a.mfc\nb c.mfc\nd e.mfc\n", true, false),
            ("\n", true, false),
            ("\na.mfc\nb.mfc\n", true, true),
            ("<x>\na.mfc\nb.mfc\n", true, true),
            ("\na.mfc\nb.mfc\n", false, false),
            ("#!/bin/sh\n", true, false),
            ("<a/b>\n</c>\n", true, false),
            ("", true, false),
            ("\0\0\0\x01a.mfc\n", true, false),
        ] {
            assert_eq!(is_script(text.as_bytes(), true, named), is, "{text:?}");
        }
        assert!(is_script(b"a.mfc\nb c", false, false));
    }
}
