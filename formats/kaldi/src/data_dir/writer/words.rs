//! Text that is allowed in lines of tables.

use spr_core::format::Rule;
use spr_core::model::{Key, is_word_byte};
use spr_core::{Error, Result};

/// Words with a special meaning in Kaldi, which its scripts reject anywhere in `text`.
const RESERVED: [&str; 3] = ["<s>", "</s>", "#0"];

/// Checks that a name is a single word.
///
/// # Errors
/// It is not; `what` names its owner.
pub(super) fn check_word(what: &str, name: &Key) -> Result<()> {
    let bytes = name.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(|byte| is_word_byte(*byte)) {
        return Ok(());
    }
    let message = format!("the {what} '{name}' is not one word, as a data directory wants it");
    Err(Error::unfit(message))
}

/// Checks that a value fits a line.
///
/// # Errors
/// It contains a line end, or is empty; the table is `name`.
pub(super) fn check_line(name: &str, value: &[u8]) -> Result<()> {
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0);
    let around = [value.first(), value.last()];
    let blank = around
        .iter()
        .flatten()
        .any(|byte| byte.is_ascii_whitespace());
    match value.is_empty() || blank || value.iter().any(breaks) {
        true => Err(Error::unfit(format!(
            "has a value that no line of {name} can hold"
        ))),
        false => Ok(()),
    }
}

/// Text that a table gives back, and that Kaldi's scripts take.
pub(in super::super) const TRANSCRIPT: Rule<[u8]> = Rule::new(
    "of one line, with plain blanks inside alone",
    check_transcript,
);

/// Checks that a text has plain blanks, inside alone, and no word that Kaldi's scripts reject.
///
/// # Errors
/// It has others.
fn check_transcript(text: &[u8]) -> Result<()> {
    let blanks = || {
        Err(Error::not_held(
            "has blanks in the text that no table keeps",
        ))
    };
    let Ok(words) = std::str::from_utf8(text) else {
        return match text.iter().find(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
            Some(byte) => Err(unprintable(*byte as char)),
            None if text.trim_ascii() == text => Ok(()),
            None => blanks(),
        };
    };
    if let Some(c) = words.trim().chars().find(|c| c.is_control() && *c != '\t') {
        return Err(unprintable(c));
    }
    let mut all = words.split_whitespace();
    if let Some(word) = all.find(|word| RESERVED.contains(word)) {
        let message = format!("the text has the word {word}, which Kaldi keeps for itself");
        return Err(Error::unfit(message));
    }
    let odd = |c: char| c.is_whitespace() && !matches!(c, ' ' | '\t');
    match words.trim() != words || words.contains(odd) {
        true => blanks(),
        false => Ok(()),
    }
}

fn unprintable(c: char) -> Error {
    let c = c.escape_default();
    Error::unfit(format!(
        "the text holds {c}, which no line of a data directory can"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_are_lines_that_kaldi_takes() {
        for text in ["ONE TWO", "a\tb  c", "", "\u{dc}BER", "<s>x s"] {
            assert!(check_transcript(text.as_bytes()).is_ok(), "{text:?}");
        }
        assert!(check_transcript(b"\xff a").is_ok());
        for text in [
            " a",
            "a ",
            "a\u{a0}b",
            "a\u{3000}",
            "a\nb",
            "a\rb",
            "a\0b",
            "a\x07",
        ] {
            assert!(check_transcript(text.as_bytes()).is_err(), "{text:?}");
        }
        for text in ["a <s> b", "#0", "x </s>"] {
            assert!(check_transcript(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(check_transcript(b"\xff\nb").is_err());
        assert!(check_transcript(b"\xff a ").is_err());
    }

    #[test]
    fn values_stand_in_lines() {
        for value in [&b"1"[..], b"rec A", b"\xff"] {
            assert!(check_line("utt2uniq", value).is_ok());
        }
        for value in [&b""[..], b" 1", b"1 ", b"a\nb", b"a\0"] {
            assert!(check_line("utt2uniq", value).is_err());
        }
        assert!(check_word("speaker", &"ann".into()).is_ok());
        for name in ["", "Ann B", "a\tb"] {
            assert!(check_word("speaker", &name.into()).is_err(), "{name}");
        }
    }
}
