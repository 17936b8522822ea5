//! Frame headers, and the info frame that describes the whole stream.

use spr_core::bytes::ByteOrder;

/// The size of a header in bytes.
pub(super) const HEADER: usize = 4;
/// The decoder delay in samples.
const LATE: u64 = 529;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The size of the frame in bytes.
    pub(super) len: usize,
    /// The sampling rate in Hz.
    pub(super) rate: u32,
    pub(super) channels: u32,
    /// The number of samples per channel.
    pub(super) rows: u64,
    /// Whether the frame is MPEG-1, not one of the versions for lower rates.
    first: bool,
    /// Whether a checksum follows.
    checked: bool,
}

/// The interpretation of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderMatch {
    /// A frame header.
    Header(Header),
    /// The header of a kind of frame that is not supported.
    Other(&'static str),
    /// No header.
    Nothing,
}

/// Parses a frame header.
pub(super) fn header(bytes: &[u8]) -> HeaderMatch {
    const FIRST: [usize; 14] = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
    ];
    const LATER: [usize; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    const RATES: [u32; 3] = [44_100, 48_000, 32_000];
    let Some(&[0xff, b, c, d]) = bytes.first_chunk::<HEADER>() else {
        return HeaderMatch::Nothing;
    };
    let (version, layer) = (b >> 3 & 3, b >> 1 & 3);
    let (speed, rate) = (usize::from(c >> 4), usize::from(c >> 2 & 3));
    if b >> 5 != 7 || version == 1 || layer == 0 || speed == 15 {
        return HeaderMatch::Nothing;
    }
    let Some(&rate) = RATES.get(rate) else {
        return HeaderMatch::Nothing;
    };
    match (layer, speed) {
        (3, _) => return HeaderMatch::Other("sound coded as MPEG layer I"),
        (2, _) => return HeaderMatch::Other("sound coded as MPEG layer II"),
        (_, 0) => return HeaderMatch::Other("MP3 of a speed of its own"),
        _ => {}
    }
    let first = version == 3;
    let rate = match version {
        3 => rate,
        2 => rate / 2,
        _ => rate / 4,
    };
    let (speed, bytes) = match first {
        true => (FIRST[speed - 1], 144_000),
        false => (LATER[speed - 1], 72_000),
    };
    let padding = usize::from(c >> 1 & 1);
    HeaderMatch::Header(Header {
        len: bytes * speed / rate as usize + padding,
        rate,
        channels: if d >> 6 == 3 { 1 } else { 2 },
        rows: if first { 1152 } else { 576 },
        first,
        checked: b & 1 == 0,
    })
}

impl Header {
    /// Returns `true` if frames with these headers can be in the same stream.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let all = |h: &Self| (h.rate, h.channels, h.rows);
        all(self) == all(other)
    }
}

/// The content of the info frame, which replaces the audio of the first frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InfoFrame {
    /// The number of audio frames.
    pub(super) frames: Option<u64>,
    /// The number of samples added before the audio, including the decoder delay.
    pub(super) before: u64,
    /// The number of samples added after the audio, as far as decoders return them.
    pub(super) behind: u64,
}

/// Returns `true` if a frame has mixed blocks: long ones for its low frequencies, short ones above.
pub(super) fn is_mixed(frame: &[u8], header: &Header) -> bool {
    let channels = header.channels as usize;
    // In bits: what stands before the granules, one channel of a granule, and what stands in that
    // before the flag for other windows. Two bits of the block type and that of mixed blocks follow.
    let (before, granules, len, flag) = match (header.first, channels) {
        (true, 1) => (18, 2, 59, 33),
        (true, _) => (20, 2, 59, 33),
        (false, 1) => (9, 1, 63, 38),
        (false, _) => (10, 1, 63, 38),
    };
    let checksum = if header.checked { 2 } else { 0 };
    let side = frame.get(HEADER + checksum..).unwrap_or_default();
    let is_set = |bit: usize| {
        let byte = side.get(bit / 8).copied().unwrap_or_default();
        byte >> (7 - bit % 8) & 1 == 1
    };
    let mut flags = (0..granules * channels).map(|n| before + n * len + flag);
    flags.any(|bit| is_set(bit) && is_set(bit + 3))
}

/// Parses the info frame, if this is one.
pub(super) fn told(frame: &[u8], header: &Header) -> Option<InfoFrame> {
    const FRAMES: u32 = 1;
    /// The optional fields before those of the encoder, as flag and size.
    const PARTS: [(u32, usize); 4] = [(FRAMES, 4), (2, 4), (4, 100), (8, 4)];
    let side = match (header.first, header.channels) {
        (true, 2) => 32,
        (false, 1) => 9,
        _ => 17,
    };
    let checksum = if header.checked { 2 } else { 0 };
    let long = |at: usize| Some(ByteOrder::Big.read_u32(*frame.get(at..)?.first_chunk()?));
    if frame.get(HEADER + 32..)?.starts_with(b"VBRI") {
        let frames = long(HEADER + 32 + 14)?;
        return Some(InfoFrame {
            frames: Some(u64::from(frames)),
            ..InfoFrame::default()
        });
    }
    let places = [HEADER + side, HEADER + side + checksum];
    let at = places.into_iter().find(|at| {
        let there = frame.get(*at..).unwrap_or_default();
        there.starts_with(b"Xing") || there.starts_with(b"Info")
    })?;
    let flags = long(at + 4)?;
    let mut told = InfoFrame::default();
    let mut next = at + 8;
    for (flag, size) in PARTS.into_iter().filter(|(flag, _)| flags & flag != 0) {
        if flag == FRAMES {
            told.frames = long(next).map(u64::from);
        }
        next += size;
    }
    let program = frame.get(next..).unwrap_or_default();
    if [b"LAME", b"Lavf", b"Lavc"]
        .iter()
        .any(|name| program.starts_with(*name))
        && let Some(&[a, b, c]) = program.get(21..).and_then(|rest| rest.first_chunk())
    {
        let [a, b, c] = [a, b, c].map(u64::from);
        told.before = (a << 4 | b >> 4) + LATE;
        told.behind = ((b & 15) << 8 | c).saturating_sub(LATE);
    }
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_sorts() {
        let of = |bytes: [u8; 4]| match header(&bytes) {
            HeaderMatch::Header(h) => Some((h.len, h.rate, h.channels, h.rows)),
            _ => None,
        };
        assert_eq!(of([0xff, 0xfb, 0x90, 0x00]), Some((417, 44_100, 2, 1152)));
        assert_eq!(of([0xff, 0xfb, 0x92, 0xc0]), Some((418, 44_100, 1, 1152)));
        assert_eq!(of([0xff, 0xf3, 0x48, 0xc4]), Some((144, 16_000, 1, 576)));
        assert_eq!(of([0xff, 0xe3, 0x18, 0xc4]), Some((72, 8_000, 1, 576)));
        for bytes in [
            [0xff, 0xfb, 0xf0, 0],
            [0xff, 0xfb, 0x9c, 0],
            [0xff, 0xeb, 0x90, 0],
            [0xff, 0xf9, 0x90, 0],
            [0xfe, 0xfb, 0x90, 0],
        ] {
            assert_eq!(header(&bytes), HeaderMatch::Nothing, "{bytes:02x?}");
        }
        for bytes in [
            [0xff, 0xfd, 0x90, 0],
            [0xff, 0xff, 0x90, 0],
            [0xff, 0xfb, 0, 0],
        ] {
            assert!(
                matches!(header(&bytes), HeaderMatch::Other(_)),
                "{bytes:02x?}"
            );
        }
    }

    #[test]
    fn mixed_blocks_are_found() {
        // Version, mode, bits before the granules, of a channel, and before its flag.
        for (version, mode, before, granules, len, flag) in [
            (0xfb, 0xc4, 18, 2, 59, 33),
            (0xfb, 0x44, 20, 2, 59, 33),
            (0xf3, 0xc4, 9, 1, 63, 38),
            (0xf3, 0x44, 10, 1, 63, 38),
        ] {
            for checksum in [0, 2] {
                let mut bytes = vec![0xff, version - u8::from(checksum > 0), 0x48, mode];
                let HeaderMatch::Header(own) = header(&bytes) else {
                    panic!("no header: {bytes:02x?}");
                };
                bytes.resize(HEADER + checksum + 40, 0);
                for n in 0..granules * own.channels as usize {
                    let at = 8 * (HEADER + checksum) + before + n * len + flag;
                    let with = |bits: &[usize]| {
                        let mut frame = bytes.clone();
                        for bit in bits {
                            frame[(at + bit) / 8] |= 0x80 >> ((at + bit) % 8);
                        }
                        is_mixed(&frame, &own)
                    };
                    assert!(with(&[0, 1, 3]), "{own:?} {n}");
                    assert!(!with(&[0, 1]) && !with(&[1, 3]), "{own:?} {n}");
                }
            }
        }
        let whole = Header {
            len: 417,
            rate: 44_100,
            channels: 2,
            rows: 1152,
            first: true,
            checked: true,
        };
        assert!(!is_mixed(&[0xff; 5], &whole));
    }
}
