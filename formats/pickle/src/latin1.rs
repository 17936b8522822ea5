//! Latin-1 bytes as UTF-8, where those from 0x80 on take two bytes.
//!
//! The bytes of floating-point data are random, so that branches on them would be mispredicted.
//! Eight bytes are processed together without branches; the position of each follows from the
//! number of two-byte characters before it, computed for all at once.

/// A fault in an encoded string, and its position.
pub(crate) type Fault = (usize, &'static str);

/// One in each of eight bytes.
const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EACH;
const LOW: u64 = 0x7f * EACH;
/// A lead byte without its lowest bit, and the bits that other bytes do not share with it.
const LEADS: u64 = 0xc2 * EACH;
const MIDDLE: u64 = 0x3e * EACH;
/// The indices of eight bytes, the first in the lowest.
const PLACES: u64 = 0x0706_0504_0302_0100;

/// The UTF-8 of each byte, the first byte in the low half; a single byte is followed by 0.
const TEXTS: [u16; 256] = {
    let mut texts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        texts[byte as usize] = match byte {
            ..0x80 => byte,
            _ => 0xc0 | byte >> 6 | (0x80 | byte & 0x3f) << 8,
        };
        byte += 1;
    }
    texts
};

/// Appends `bytes` as text.
pub(crate) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let (eights, last) = eights(bytes);
    let mut done = out.len();
    out.resize(done + 2 * bytes.len() + 16, 0);
    eights.iter().chain([&last]).for_each(|eight| {
        let slot = out.get_mut(done..).and_then(<[u8]>::first_chunk_mut::<16>);
        let Some(slot) = slot else { return };
        let wide = u64::from_le_bytes(*eight) >> 7 & EACH;
        // Each byte is the number of wide ones up to there.
        let sums = wide.wrapping_mul(EACH);
        let places = PLACES + (sums << 8);
        for (byte, place) in eight.iter().zip(places.to_le_bytes()) {
            let place = usize::from(place);
            if let Some(slot) = slot.get_mut(place..place + 2) {
                slot.copy_from_slice(&TEXTS[usize::from(*byte)].to_le_bytes());
            }
        }
        done += 8 + usize::from(sums.to_le_bytes()[7]);
    });
    out.truncate(done + bytes.len() % 8 - 8);
}

/// Returns the length of the output of [`encode`].
pub(crate) fn encoded_len(bytes: &[u8]) -> u64 {
    // The block length is such that the sum fits a byte.
    let wide = bytes
        .chunks(255)
        .map(|some| some.iter().map(|b| b >> 7).sum::<u8>());
    bytes.len() as u64 + wide.map(u64::from).sum::<u64>()
}

/// Decodes text, and returns the number of bytes consumed: all if it is the `last` block, otherwise
/// all but a possibly incomplete sequence.
pub(crate) fn decode(from: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let cut = from.last().is_some_and(|&b| b >= 0xc0) && !last;
    let from = &from[..from.len() - usize::from(cut)];
    let (eights, rest) = eights(from);
    let mut done = out.len();
    out.resize(done + from.len() + 8, 0);
    let (mut before, mut lead_before, mut faults) = (0, 0, 0);
    eights.iter().chain([&rest]).for_each(|eight| {
        let slot = out.get_mut(done..).and_then(<[u8]>::first_chunk_mut::<8>);
        let Some(slot) = slot else { return };
        let text = u64::from_le_bytes(*eight);
        let lead = text & text << 1 & HIGH;
        let next = text & !(text << 1) & HIGH;
        // Exactly the bytes after a lead byte are continuation bytes; a lead byte is 0xc2 or 0xc3.
        let behind = lead << 8 | lead_before >> 56;
        let wrong = (((text ^ LEADS) & MIDDLE) + LOW) & lead;
        faults |= next ^ behind | wrong;
        let bytes = text | (text << 8 | before >> 56) << 6 & next >> 1;
        // Each byte is stored, and a lead byte is overwritten by its continuation.
        let sums = (lead >> 7).wrapping_mul(EACH);
        let places = PLACES - (sums << 8);
        for (byte, place) in bytes.to_le_bytes().into_iter().zip(places.to_le_bytes()) {
            slot[usize::from(place & 7)] = byte;
        }
        done += 8 - usize::from(sums.to_le_bytes()[7]);
        (before, lead_before) = (text, lead);
    });
    out.truncate(done + from.len() % 8 - 8);
    match faults {
        0 => Ok(from.len()),
        _ => Err(fault(from)),
    }
}

/// Splits bytes into blocks of eight, and the rest padded with zeros.
fn eights(bytes: &[u8]) -> (&[[u8; 8]], [u8; 8]) {
    let (eights, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    (eights, last)
}

/// Returns the first fault in `text`.
fn fault(text: &[u8]) -> Fault {
    let mut i = 0;
    while let Some(&byte) = text.get(i) {
        match (byte, text.get(i + 1)) {
            (..0x80, _) => i += 1,
            (0xc2 | 0xc3, Some(0x80..0xc0)) => i += 2,
            _ => break,
        }
    }
    (
        i,
        "text that should hold bytes has a character beyond U+00FF",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_utf8_of_the_characters(bytes: Vec<u8>, before: Vec<u8>) {
            let mut text = before.clone();
            encode(&bytes, &mut text);
            let expected: String = bytes.iter().copied().map(char::from).collect();
            prop_assert_eq!(text.strip_prefix(&*before).unwrap(), expected.as_bytes());
            prop_assert_eq!(encoded_len(&bytes), expected.len() as u64);
            let mut back = before.clone();
            prop_assert_eq!(decode(expected.as_bytes(), true, &mut back), Ok(expected.len()));
            prop_assert_eq!(back.strip_prefix(&*before).unwrap(), bytes);
        }

        #[test]
        fn only_such_text_is_decoded(
            text in prop::collection::vec(prop::sample::select(&[b'a', 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xe0, 0xff]), 0..40),
        ) {
            let expected = std::str::from_utf8(&text).ok();
            let expected: Option<Vec<_>> =
                expected.and_then(|text| text.chars().map(|c| u8::try_from(c).ok()).collect());
            let mut out = Vec::new();
            let used = decode(&text, true, &mut out);
            prop_assert_eq!(used.is_ok().then_some(out), expected);
            // The fault lies after the valid part.
            if let Err((at, _)) = used {
                prop_assert!(decode(&text[..at], true, &mut Vec::new()).is_ok());
                prop_assert!(fault(&text[..at]).0 == at);
            }
        }
    }
}
