//! Parts of an archive of text, each of which is read without those before it.

use spr_core::Result;
use spr_core::bytes::Source;

use crate::kind::ObjectKind;
use crate::number::is_space;

/// The number of bytes searched at a time.
const WINDOW: usize = 4 << 10;
/// The number of bytes in which the start of an entry is recognised.
const HEAD: usize = 512;

/// What ends each object of an archive of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectEnd {
    /// The line.
    Line,
    /// A bracket.
    Bracket,
}

impl ObjectEnd {
    /// Returns the end of objects of a kind, if it is found without reading them.
    pub(crate) fn of(kind: ObjectKind) -> Option<Self> {
        match kind {
            ObjectKind::Matrix
            | ObjectKind::Vector
            | ObjectKind::Symmetric
            | ObjectKind::Triangular => Some(Self::Bracket),
            ObjectKind::Ints
            | ObjectKind::Int
            | ObjectKind::Float(_)
            | ObjectKind::Bool
            | ObjectKind::Lists
            | ObjectKind::IntPairs
            | ObjectKind::FloatPairs
            | ObjectKind::Floats
            | ObjectKind::Posterior
            | ObjectKind::Token
            | ObjectKind::Tokens
            | ObjectKind::SparseVector => Some(Self::Line),
            // Matrices, which have lines, may be among sparse ones.
            ObjectKind::SparseMatrix
            | ObjectKind::Gauss
            | ObjectKind::Wave
            | ObjectKind::Htk
            | ObjectKind::Sphinx
            | ObjectKind::Opaque(_) => None,
        }
    }

    /// Goes to the first entry of the part that starts at a byte, at its key: the first one behind an end at
    /// the byte or after it, or the end of the source. The part that starts at byte 0 has the first
    /// entry of all.
    ///
    /// # Errors
    /// Reading fails.
    pub(crate) fn go_to(self, source: &mut Source, byte: u64) -> Result<()> {
        let last = source.len().unwrap_or(byte);
        source.seek(byte.min(last))?;
        if byte == 0 {
            return pass_blanks(source).map(drop);
        }
        let end = match self {
            Self::Line => b'\n',
            Self::Bracket => b']',
        };
        while pass_byte(source, end)? {
            let has_line_end = pass_blanks(source)?;
            let is_entry = match self {
                Self::Line => true,
                Self::Bracket => has_line_end && starts_entry(source.peek(HEAD)?),
            };
            if is_entry {
                break;
            }
        }
        Ok(())
    }
}

/// Returns `true` if a key and numbers in brackets follow. What brackets without numbers are, depends
/// on the entry before.
fn starts_entry(head: &[u8]) -> bool {
    let mut words = head.split(|b| is_space(*b)).filter(|word| !word.is_empty());
    let _key = words.next();
    words.next() == Some(b"[") && words.next().is_some_and(|word| !word.starts_with(b"]"))
}

/// Passes the next byte of this value. Returns `false` at the end of the source.
fn pass_byte(source: &mut Source, byte: u8) -> Result<bool> {
    loop {
        let window = source.peek(WINDOW)?;
        let found = memchr::memchr(byte, window);
        let n = found.map_or(window.len(), |at| at + 1);
        source.skip(n as u64)?;
        if found.is_some() || n == 0 {
            return Ok(found.is_some());
        }
    }
}

/// Passes white space, and returns `true` if a line ends in it.
///
/// # Errors
/// Reading fails.
pub(crate) fn pass_blanks(source: &mut Source) -> Result<bool> {
    let mut has_line_end = false;
    loop {
        let window = source.peek(WINDOW)?;
        let end = window.iter().position(|b| !is_space(*b));
        let blanks = end.map_or(window, |end| &window[..end]);
        has_line_end |= blanks.contains(&b'\n');
        let n = blanks.len();
        source.skip(n as u64)?;
        if end.is_some() || n == 0 {
            return Ok(has_line_end);
        }
    }
}
