//! The numbers behind a header.

pub(crate) mod binary;
pub(crate) mod text;

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Source};

use crate::vocabulary::Encoding;

/// Bytes looked at or held at a time.
const BLOCK: usize = 64 << 10;

/// The encoding of data whose header does not say it, `due` bytes if they are binary: big endian
/// if that is their length, else text if they look like it, else big endian. The flag tells a
/// guess from a certainty.
pub(crate) fn guess(source: &mut Source, due: Option<u64>) -> Result<(Encoding, bool)> {
    let remaining = source.remaining();
    let head = source.peek(BLOCK)?;
    let whole = (head.len() < BLOCK).then_some(head.len() as u64);
    let there = remaining.or(whole);
    Ok(if due.is_some() && due == there {
        (Encoding::Binary(ByteOrder::Big), false)
    } else if text::looks_like(head) {
        (Encoding::Text, true)
    } else {
        (Encoding::Binary(ByteOrder::Big), true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_by_length_and_looks() {
        const BIG: Encoding = Encoding::Binary(ByteOrder::Big);
        for (data, due, expected) in [
            (&b"1 2\n"[..], Some(4), (BIG, false)),
            (b"1 2\n", Some(8), (Encoding::Text, true)),
            (b"1 2\n", None, (Encoding::Text, true)),
            (b"-nan 1e-5 +inf\n", Some(12), (Encoding::Text, true)),
            (b"\x3f\x80\0\0", Some(8), (BIG, true)),
            (b"\x3f\x80\0\0", None, (BIG, true)),
            (b"", Some(0), (BIG, false)),
        ] {
            let mut source = Source::from_bytes("x", data.to_vec()).unwrap();
            assert_eq!(guess(&mut source, due).unwrap(), expected, "{data:?}");
        }
    }
}
