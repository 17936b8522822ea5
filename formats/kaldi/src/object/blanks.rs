//! White space before an object.

use spr_core::Result;
use spr_core::bytes::Source;

use crate::number::is_space;

/// Returns the number of white space bytes ahead, with or without line ends, and the byte after
/// them.
pub(super) fn blanks(source: &mut Source, lines: bool) -> Result<(u64, Option<u8>)> {
    let mut size = 64;
    loop {
        let blank = |b: &u8| is_space(*b) && (lines || *b != b'\n');
        let (bytes, last) = source.ahead(size, |bytes| !bytes.iter().all(blank))?;
        let n = bytes.iter().take_while(|b| blank(b)).count();
        if n < bytes.len() || last {
            return Ok((n as u64, bytes.get(n).copied()));
        }
        size *= 2;
    }
}
