//! Numbers in headers: octal text, or base 256.

use super::padding;

/// Reads a number: octal digits with blanks around them, or big-endian bytes behind a first byte with
/// the top bit set. An empty field is 0. Returns `None` for anything else, and for negative numbers.
pub(super) fn read(field: &[u8]) -> Option<u64> {
    let (first, rest) = field.split_first()?;
    if first & 0x80 != 0 {
        // The second bit is the sign.
        let top = first & 0x7F;
        return match top & 0x40 {
            0 => rest.iter().try_fold(u64::from(top), |n, byte| {
                n.checked_mul(256)?.checked_add(u64::from(*byte))
            }),
            _ => None,
        };
    }
    let end = field.iter().position(|byte| *byte == 0);
    let text = field.get(..end.unwrap_or(field.len()))?.trim_ascii();
    text.iter().try_fold(0u64, |n, byte| match byte {
        b'0'..=b'7' => n.checked_mul(8)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    })
}

/// Writes a number as octal digits that fill `field` but for a last NUL. Returns `false` if there are
/// too many.
pub(super) fn write(n: u64, field: &mut [u8]) -> bool {
    let Some((last, digits)) = field.split_last_mut() else {
        return false;
    };
    *last = 0;
    let mut rest = n;
    for digit in digits.iter_mut().rev() {
        let [low, ..] = (rest % 8).to_le_bytes();
        *digit = b'0' + low;
        rest /= 8;
    }
    rest == 0
}

/// Returns the size of a member in the file: its data, and the padding behind them.
pub(super) fn padded(size: u64) -> Option<u64> {
    size.checked_add(padding(size))
}
