//! Shortening of file content in messages: misinterpreted files give names of any length.

use std::borrow::Cow;

/// The number of characters shown.
const SHOWN: usize = 60;
/// The longest file name in common file systems.
const NAME: usize = 255;
/// The length of a message, from its first quote on, that indicates a very long quote.
const LONG: usize = 1000;
/// The number of characters at its end that may explain the error.
const END: usize = 120;

/// Shortens a name that is too long for a file.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    match name.split('/').any(|part| part.len() > NAME) {
        true => start(name).into(),
        false => name.into(),
    }
}

/// Shortens a message with a very long quote, which may contain quotes itself.
pub(super) fn quoted(message: String) -> String {
    let Some((before, quoted)) = message.split_once('\'') else {
        return message;
    };
    if quoted.len() <= LONG {
        return message;
    }
    let end: Vec<_> = quoted.chars().rev().take(END).collect();
    let end: String = end.into_iter().rev().collect();
    let end = end.find('\'').and_then(|at| end.get(at..)).unwrap_or(&end);
    format!("{before}'{}{end}", start(quoted))
}

fn start(text: &str) -> String {
    text.chars().take(SHOWN).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_no_name_is_cut() {
        let (long, short) = ("x".repeat(300), "x".repeat(60));
        assert_eq!(name(&long), format!("{short}…"));
        assert_eq!(name("a/b.ark"), "a/b.ark");
        let deep = "folder/".repeat(100);
        assert_eq!(name(&deep), deep);
        let garbage = "x'y ".repeat(300);
        let message = quoted(format!("expected one, found '{garbage}' is no number: 'z'"));
        let shown = garbage.get(..60).unwrap();
        assert!(message.starts_with(&format!("expected one, found '{shown}…'")));
        assert!(message.ends_with("' is no number: 'z'") && message.len() < 250);
        for text in ["it's", "'a' or 'b'", &long] {
            assert_eq!(quoted(text.to_owned()), text);
        }
    }
}
