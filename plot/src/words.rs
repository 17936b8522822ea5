//! Words and numbers that have to fit.

/// Returns as many characters of a text as fit, with an ellipsis for the others.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(2));
    kept.chain("..".chars()).take(most).collect()
}

/// Breaks a text between words into lines of so many characters at most. Shortens longer words.
pub(crate) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let fits = |line: &&mut String| line.chars().count() + 1 + word.chars().count() <= most;
        match lines.last_mut().filter(fits) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(shortened(word, most)),
        }
    }
    lines
}

/// Returns a number with its noun: `1 frame`, `2 frames`.
pub(crate) fn counted(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

/// Rounds down to a whole number, 0 at least.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float to integer saturates"
)]
pub(crate) fn whole(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_shortened() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdef", 5), "abc..");
        assert_eq!(shortened("abcdef", 1), ".");
        assert_eq!(wrapped("ab cd abcdef", 5), ["ab cd", "abc.."]);
        assert_eq!([1, 2].map(|n| counted(n, "frame")), ["1 frame", "2 frames"]);
    }
}
