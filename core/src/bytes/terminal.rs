//! Standard output that is a terminal.

use std::io::{self, Write};

use super::sink::Finish;
use crate::{Error, Remedy};

/// Shows text, and refuses what no terminal can show.
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

/// Whether there are control characters that text does not have.
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
