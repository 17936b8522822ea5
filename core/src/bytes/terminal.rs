//! Standard output on a terminal.

use std::io::{self, Write};

use super::finish::Finish;
use crate::error::{Error, Remedy};

/// A writer of text to a terminal, which rejects binary data.
#[derive(Default)]
pub(super) struct Terminal {
    begun: bool,
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.begun && is_binary(bytes) {
            let error = Error::usage("a terminal can't show binary data");
            return Err(io::Error::other(error.suggest(Remedy::Redirect)));
        }
        self.begun = true;
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

impl Finish for Terminal {
    fn finish(self: Box<Self>) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Returns `true` if there are control characters that do not occur in text.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().any(|b| matches!(b, 0..=8 | 14..=26 | 28..=31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_other_control_characters() {
        assert!(!is_binary("a\t1.5\r\n\x1b[1m\u{e4}".as_bytes()));
        assert!(is_binary(b"a \0BFM "));
        assert!(is_binary(b"\x1f\x8b\x08"));
    }
}
