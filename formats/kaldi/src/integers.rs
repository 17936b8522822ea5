//! Parsing of many integers in text, such as alignments, in blocks.

use std::ops::Range;

/// One in each of eight bytes.
const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EACH;

/// Parses integers of up to eight digits, each followed by one space, from the start of `bytes`.
/// Returns the number of bytes consumed, up to anything else or the last few.
pub(crate) fn run(bytes: &[u8], numbers: &mut Vec<i32>) -> usize {
    let (blocks, _) = bytes.as_chunks::<64>();
    let mut used = 0;
    for (block, start) in blocks.iter().zip((0..).step_by(64)) {
        let mut spaces = spaces(block);
        while spaces != 0 {
            let end = start + spaces.trailing_zeros() as usize;
            spaces &= spaces - 1;
            let Some(number) = number(bytes, used..end) else {
                return used;
            };
            numbers.push(number);
            used = end + 1;
        }
    }
    used
}

/// Returns the positions of spaces in 64 bytes, the first in the lowest bit.
#[inline]
fn spaces(block: &[u8; 64]) -> u64 {
    let (eights, _) = block.as_chunks::<8>();
    eights.iter().rev().fold(0, |spaces, eight| {
        let other = u64::from_le_bytes(*eight) ^ (u64::from(b' ') * EACH);
        // No carry leaves its byte.
        let other = ((other & !HIGH) + !HIGH) | other;
        let found = (!other & HIGH) >> 7;
        // The bits of all bytes are gathered in the highest byte.
        (spaces << 8) | (found.wrapping_mul(0x0102_0408_1020_4080) >> 56)
    })
}

/// Returns the number whose digits are in a range of the bytes.
#[inline]
fn number(bytes: &[u8], range: Range<usize>) -> Option<i32> {
    let len = range.len();
    if len == 0 || len > 8 {
        return None;
    }
    // The last of eight bytes is the last digit, and those before the first are shifted out.
    let first = range.end.saturating_sub(8);
    let eight = u64::from_le_bytes(*bytes.get(first..)?.first_chunk()?);
    let behind = 8 * (first + 8 - range.end);
    let before = 64 - 8 * len;
    let digits = ((eight << behind) ^ (u64::from(b'0') * EACH)) >> before << before;
    if (digits.wrapping_add(0x76 * EACH) | digits) & HIGH != 0 {
        return None;
    }
    let pairs = (digits.wrapping_mul((10 << 8) + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_ffff_0000_ffff;
    i32::try_from(fours.wrapping_mul((10_000 << 32) + 1) >> 32).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_stops_at_what_is_else() {
        let start = "1 22 333 4444 55555 666666 7777777 88888888 ".repeat(3);
        for end in [
            "999999999 1 ",
            "-1 1 ",
            "+1 1 ",
            " 1 ",
            "a 1 ",
            "1\n2 ",
            "1/2 ",
            "1:2 ",
            "\u{b0}1 ",
        ] {
            let text = format!("{start}{end}{}", " ".repeat(64));
            let mut numbers = Vec::new();
            assert_eq!(run(text.as_bytes(), &mut numbers), start.len(), "{end}");
            assert_eq!(numbers.len(), 24);
            assert_eq!(
                numbers[16..],
                [1, 22, 333, 4444, 55555, 666_666, 7_777_777, 88_888_888]
            );
        }
        assert_eq!(run(b"1 2 3 ", &mut Vec::new()), 0);
    }

    proptest! {
        #[test]
        fn the_numbers_are_right(numbers in prop::collection::vec(0..100_000_000, 0..100), cut in 0..6u32) {
            let numbers: Vec<i32> = numbers.into_iter().map(|n| n / 10i32.pow(cut)).collect();
            let text: String = numbers.iter().map(|n| format!("{n} ")).collect();
            let mut read = Vec::new();
            let used = run(text.as_bytes(), &mut read);
            prop_assert_eq!(&numbers[..read.len()], &read);
            prop_assert!(used + 64 + 9 > text.len());
        }
    }
}
