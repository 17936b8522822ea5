//! The messages of Kaldi's tools on standard error.

use std::fmt::Display;
use std::io::Write;

use spr_core::text::visible;
use spr_core::{Error, Remedy};

/// Prints messages in the name of a tool.
#[derive(Clone, Copy)]
pub(super) struct Log {
    tool: &'static str,
}

impl Log {
    pub(super) fn new(tool: &'static str) -> Self {
        Self { tool }
    }

    /// Prints a line such as `LOG (copy-feats[spr-convert 0.1.0]:main()) Copied 12 feature
    /// matrices.` Errors of standard error itself are ignored.
    pub(super) fn say(&self, level: &str, text: impl Display) {
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(
            std::io::stderr(),
            "{level} ({}[spr-convert {version}]:main()) {}",
            self.tool,
            visible(&text.to_string())
        );
    }

    pub(super) fn info(&self, text: impl Display) {
        self.say("LOG", text);
    }

    pub(super) fn warning(&self, text: impl Display) {
        self.say("WARNING", text);
    }

    /// Prints an error, and its hint on a second line.
    pub(super) fn error(&self, error: &Error) {
        self.say("ERROR", error);
        let hint = match error.remedy() {
            Some(Remedy::AllowPipes) => {
                let variable = super::options::ALLOW_PIPES;
                Some(format!(
                    "if you trust the file, allow its commands with --allow-pipes, or with \
                     {variable}=1 in the environment"
                ))
            }
            _ => error.hint_text(),
        };
        if let Some(hint) = hint {
            self.raw(&format!("{}: hint: {}\n", self.tool, visible(&hint)));
        }
    }

    /// Prints text unchanged.
    pub(super) fn raw(&self, text: &str) {
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Returns the line that a tool starts with: its arguments, quoted for a shell, each followed by a
/// space.
pub(super) fn command_line(arguments: &[&str]) -> String {
    let mut line = String::new();
    for argument in arguments {
        line.push_str(&quoted(argument));
        line.push(' ');
    }
    line.push('\n');
    line
}

/// Quotes a word for a shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"[]~#^_-+=:.,/".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else if word.contains('\'') && !word.contains(['"', '`', '$', '\\']) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Formats a number like C's `%.6g`, as C++ streams do.
pub(super) fn six_digits(value: f64) -> String {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{value:.5e}");
    let (digits, place) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let place: i32 = place.parse().unwrap_or_default();
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match usize::try_from(5 - place) {
        Ok(decimals) if place >= -4 => trimmed(&format!("{value:.decimals$}")),
        _ => {
            let sign = if place < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", trimmed(digits), place.unsigned_abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_for_a_shell() {
        let line = ["copy-feats", "ark:gunzip -c a.gz |", "", "it's", "'$a'"];
        assert_eq!(
            command_line(&line),
            "copy-feats 'ark:gunzip -c a.gz |' '' \"it's\" ''\\''$a'\\''' \n"
        );
    }

    #[test]
    fn prints_as_c_does() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.99, "0.99"),
            (123456.0, "123456"),
            (1234567.0, "1.23457e+06"),
            (999999.5, "1e+06"),
            (0.0001, "0.0001"),
            (0.00001234, "1.234e-05"),
            (-2.5, "-2.5"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(six_digits(value), text);
        }
    }
}
