//! Text that is allowed in lines of tables.

use spr_core::format::Rule;
use spr_core::model::{Key, is_word_byte};
use spr_core::text::ends_line;
use spr_core::{Error, Result};

use super::super::rules::{Rule as TableRule, TextFault, text_fault};

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

/// Returns `true` if a line holds a value whose rule is that of its table.
pub(super) fn fits_line(value: &[u8], rule: Option<TableRule>) -> bool {
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0);
    let around = [value.first(), value.last()];
    let blank = around
        .iter()
        .flatten()
        .any(|byte| byte.is_ascii_whitespace());
    let broken = rule.and_then(|rule| rule(&String::from_utf8_lossy(value)));
    !(value.is_empty() || blank || value.iter().any(breaks) || broken.is_some())
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
    match text_fault(words) {
        None if words.trim() == words => Ok(()),
        None => blanks(),
        Some(TextFault::Reserved(word)) => {
            let message = format!("the text has {word}, which Kaldi keeps for itself");
            Err(Error::unfit(message))
        }
        Some(TextFault::Blank(c)) if !ends_line(c) => blanks(),
        Some(TextFault::Blank(c) | TextFault::Invisible(c) | TextFault::Control(c)) => {
            Err(unprintable(c))
        }
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
    use super::super::super::layout::rule;
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
            "a\u{200b}b",
            "\u{feff}a",
            "a\u{85}b",
            "a\u{2028}b",
            "a\u{2029}",
        ] {
            assert!(check_transcript(text.as_bytes()).is_err(), "{text:?}");
        }
        for text in ["a <s> b", "#0", "x </s>", "a-<s>."] {
            assert!(check_transcript(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(check_transcript(b"\xff\nb").is_err());
        assert!(check_transcript(b"\xff a ").is_err());
    }

    #[test]
    fn values_stand_in_lines() {
        for (table, value, fits) in [
            ("utt2uniq", &b"1"[..], true),
            ("utt2uniq", b"\xff", true),
            ("utt2uniq", b"rec A", false),
            ("utt2uniq", b"", false),
            ("utt2uniq", b" 1", false),
            ("utt2uniq", b"1 ", false),
            ("utt2uniq", b"a\nb", false),
            ("utt2uniq", b"a\0", false),
            ("reco2file_and_channel", b"rec A", true),
            ("reco2file_and_channel", b"rec C", false),
            ("spk2warp", b"1.1", true),
            ("spk2warp", b"9", false),
        ] {
            let shown = value.escape_ascii();
            assert_eq!(fits_line(value, rule(table)), fits, "{table} {shown}");
        }
        assert!(check_word("speaker", &"ann".into()).is_ok());
        for name in ["", "Ann B", "a\tb"] {
            assert!(check_word("speaker", &name.into()).is_err(), "{name}");
        }
    }
}
