//! Shortening of file content in messages: misinterpreted files give names and lines of any length.

use std::borrow::Cow;

/// The number of characters shown of what is too long.
const SHOWN: usize = 60;
/// The longest file name in common file systems, in bytes.
const NAME: usize = 255;
/// The longest word of a message, in bytes; of a path, each part.
const WORD: usize = 120;
/// The longest message, in bytes.
const LONG: usize = 320;
/// The number of characters at the start of a longer one, which says what is wrong.
const START: usize = 180;
/// The number of characters at its end, which may explain the error.
const END: usize = 120;

/// Shortens a path with a name that is too long for a file.
pub(crate) fn path(path: &str) -> Cow<'_, str> {
    match path.split('/').any(|part| part.len() > NAME) {
        true => start(path, SHOWN).into(),
        false => path.into(),
    }
}

/// Shortens a name, such as that of an utterance, for a message.
pub fn brief(name: &str) -> Cow<'_, str> {
    match name.split('/').any(|part| part.len() > WORD) || name.len() > NAME {
        true => start(name, SHOWN).into(),
        false => name.into(),
    }
}

/// Shortens the long words of a message, a long quote, which may contain quotes itself, and what is
/// long nevertheless.
pub(crate) fn message(message: String) -> String {
    if message.len() <= WORD {
        return message;
    }
    let words: Vec<_> = message.split(' ').map(brief).collect();
    let message = words.join(" ");
    if message.len() <= LONG {
        return message;
    }
    let end = tail(&message);
    match message.split_once(['\'', '"', '`']) {
        Some((before, quoted)) if before.len() < START && quoted.len() > LONG => {
            let mark = message.get(before.len()..before.len() + 1);
            let mark = mark.unwrap_or_default();
            let end = end.find(mark).and_then(|at| end.get(at..)).unwrap_or(&end);
            format!("{before}{mark}{}{end}", start(quoted, SHOWN))
        }
        _ => format!("{} {end}", start(&message, START)),
    }
}

/// Returns the last characters.
fn tail(text: &str) -> String {
    let end: Vec<_> = text.chars().rev().take(END).collect();
    end.into_iter().rev().collect()
}

fn start(text: &str, shown: usize) -> String {
    text.chars().take(shown).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_no_name_is_cut() {
        let (long, short) = ("x".repeat(300), "x".repeat(60));
        assert_eq!(path(&long), format!("{short}…"));
        assert_eq!(path("a/b.ark"), "a/b.ark");
        let deep = "folder/".repeat(100);
        assert_eq!(path(&deep), deep);
        assert_eq!(brief(&long[..120]), &long[..120]);
        assert_eq!(brief(&long), format!("{short}…"));
    }

    #[test]
    fn messages_keep_what_they_say() {
        let garbage = "x'y ".repeat(300);
        let cut = message(format!("expected one, found '{garbage}' is no number: 'z'"));
        let shown = garbage.get(..60).unwrap();
        assert!(cut.starts_with(&format!("expected one, found '{shown}…'")));
        assert!(cut.ends_with("' is no number: 'z'") && cut.len() < 250);
        let (long, short) = ("x".repeat(300), "x".repeat(60));
        let word = message(format!("unknown field {long}, expected key"));
        assert_eq!(word, format!("unknown field {short}… expected key"));
        for mark in ['"', '`'] {
            let cut = message(format!("found {mark}{}{mark}, not it", "a b ".repeat(200)));
            assert!(cut.starts_with(&format!("found {mark}a b ")), "{cut}");
            assert!(cut.ends_with(&format!("…{mark}, not it")), "{cut}");
        }
        let cut = message("word ".repeat(20_000) + "the end");
        assert!(cut.len() <= LONG && cut.ends_with("word the end"), "{cut}");
        for text in ["it's", "'a' or 'b'", &"ß ".repeat(60)] {
            assert_eq!(message(text.to_owned()), text);
        }
    }
}
