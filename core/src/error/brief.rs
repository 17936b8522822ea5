//! What files hold, as messages show it: a file taken for what it is not gives names of any length.

use std::borrow::Cow;

/// Characters of it that are shown.
const SHOWN: usize = 60;
/// The longest name that file systems have.
const NAME: usize = 255;
/// A message that is longer behind its first quote has a very long one.
const LONG: usize = 1000;
/// Characters at its end that may say what is wrong with it.
const END: usize = 120;

/// A name, cut if no file could be called so.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    match name.split('/').any(|part| part.len() > NAME) {
        true => start(name).into(),
        false => name.into(),
    }
}

/// A message, with what it quotes cut if that is very long. What is quoted may hold quotes itself.
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
