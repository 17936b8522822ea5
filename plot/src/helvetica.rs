//! The encoding and the widths of Helvetica, one of the fonts that every PDF viewer has.

/// Letters of Windows' Latin code page beside those of Latin-1, with their bytes.
const OTHERS: [(char, u8); 27] = [
    ('€', 0x80),
    ('‚', 0x82),
    ('ƒ', 0x83),
    ('„', 0x84),
    ('…', 0x85),
    ('†', 0x86),
    ('‡', 0x87),
    ('ˆ', 0x88),
    ('‰', 0x89),
    ('Š', 0x8a),
    ('‹', 0x8b),
    ('Œ', 0x8c),
    ('Ž', 0x8e),
    ('‘', 0x91),
    ('’', 0x92),
    ('“', 0x93),
    ('”', 0x94),
    ('•', 0x95),
    ('–', 0x96),
    ('—', 0x97),
    ('˜', 0x98),
    ('™', 0x99),
    ('š', 0x9a),
    ('›', 0x9b),
    ('œ', 0x9c),
    ('ž', 0x9e),
    ('Ÿ', 0x9f),
];

/// Widths from the space on in thousandths of the height, from Adobe's font metrics.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Returns the byte of a letter in Windows' Latin code page.
pub(super) fn byte(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '\u{a0}'..='ÿ' => u8::try_from(u32::from(c)).ok(),
        _ => OTHERS
            .iter()
            .find(|(letter, _)| *letter == c)
            .map(|(_, b)| *b),
    }
}

/// Returns the width of a byte's letter as a share of the height. Letters with accents are about as
/// wide as those without.
pub(super) fn width(byte: u8) -> f64 {
    let alike = match byte {
        b' '..=b'~' => byte,
        0xc0..=0xc5 | 0x8a => b'A',
        0xc6 | 0x89 | 0x8c | 0x97 | 0x99 => b'%',
        0xc7..=0xcb | 0xd0..=0xd1 | 0xd9..=0xdc => b'C',
        0xcc..=0xcf | 0xec..=0xef | 0xa0 => b' ',
        0xd2..=0xd6 | 0xd8 => b'O',
        _ => b'n',
    };
    let place = usize::from(alike.saturating_sub(b' '));
    f64::from(WIDTHS.get(place).copied().unwrap_or(556)) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_their_bytes_and_widths() {
        assert_eq!(
            ['a', 'é', '–', 'ʃ', '\n'].map(byte),
            [Some(b'a'), Some(0xe9), Some(0x96), None, None]
        );
        let known = [
            (b' ', 278),
            (b'0', 556),
            (b'@', 1015),
            (b'W', 944),
            (b'~', 584),
            (0xe9, 556),
        ];
        for (byte, thousandths) in known {
            assert_eq!(width(byte), f64::from(thousandths) / 1000.0, "{byte}");
        }
    }
}
