//! The headers of frames, and the frame that holds no sound but tells of all.

/// Bytes of a header.
pub(super) const HEADER: usize = 4;
/// Samples by which every decoder is late.
const LATE: u64 = 529;

/// What the header of a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Bytes of the frame.
    pub(super) len: usize,
    /// Samples a second.
    pub(super) rate: u32,
    pub(super) channels: u32,
    /// Samples of a channel.
    pub(super) rows: u64,
    /// Whether it is of MPEG 1, and not of one of the versions for lower rates.
    first: bool,
    /// Whether a checksum follows.
    checked: bool,
}

/// What four bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The header of a frame.
    Header(Header),
    /// That of a sort of frame that is not read.
    Other(&'static str),
    /// No header.
    Nothing,
}

/// What the bytes of a header say.
pub(super) fn header(bytes: &[u8]) -> Found {
    const FIRST: [usize; 14] = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
    ];
    const LATER: [usize; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    const RATES: [u32; 3] = [44_100, 48_000, 32_000];
    let Some(&[0xff, b, c, d]) = bytes.first_chunk::<HEADER>() else {
        return Found::Nothing;
    };
    let (version, layer) = (b >> 3 & 3, b >> 1 & 3);
    let (speed, rate) = (usize::from(c >> 4), usize::from(c >> 2 & 3));
    if b >> 5 != 7 || version == 1 || layer == 0 || speed == 15 {
        return Found::Nothing;
    }
    let Some(&rate) = RATES.get(rate) else {
        return Found::Nothing;
    };
    match (layer, speed) {
        (3, _) => return Found::Other("sound coded as MPEG layer I"),
        (2, _) => return Found::Other("sound coded as MPEG layer II"),
        (_, 0) => return Found::Other("MP3 of a speed of its own"),
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
    Found::Header(Header {
        len: bytes * speed / rate as usize + padding,
        rate,
        channels: if d >> 6 == 3 { 1 } else { 2 },
        rows: if first { 1152 } else { 576 },
        first,
        checked: b & 1 == 0,
    })
}

impl Header {
    /// Whether a frame of the other header can stand beside one of this.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let all = |h: &Self| (h.rate, h.channels, h.rows);
        all(self) == all(other)
    }
}

/// What the first frame tells of all, if it holds that instead of sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Frames of sound.
    pub(super) frames: Option<u64>,
    /// Samples that were added before the sound, with those by which decoders are late.
    pub(super) before: u64,
    /// Samples that were added behind it, as far as decoders give them.
    pub(super) behind: u64,
}

/// What the frame tells of all, if it does.
pub(super) fn told(frame: &[u8], header: &Header) -> Option<Told> {
    const FRAMES: u32 = 1;
    /// What each part that may come before the program's own takes, by its flag.
    const PARTS: [(u32, usize); 4] = [(FRAMES, 4), (2, 4), (4, 100), (8, 4)];
    let side = match (header.first, header.channels) {
        (true, 2) => 32,
        (false, 1) => 9,
        _ => 17,
    };
    let checksum = if header.checked { 2 } else { 0 };
    let long = |at: usize| Some(u32::from_be_bytes(*frame.get(at..)?.first_chunk()?));
    if frame.get(HEADER + 32..)?.starts_with(b"VBRI") {
        let frames = long(HEADER + 32 + 14)?;
        return Some(Told {
            frames: Some(u64::from(frames)),
            ..Told::default()
        });
    }
    let places = [HEADER + side, HEADER + side + checksum];
    let at = places.into_iter().find(|at| {
        let there = frame.get(*at..).unwrap_or_default();
        there.starts_with(b"Xing") || there.starts_with(b"Info")
    })?;
    let flags = long(at + 4)?;
    let mut told = Told::default();
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
            Found::Header(h) => Some((h.len, h.rate, h.channels, h.rows)),
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
            assert_eq!(header(&bytes), Found::Nothing, "{bytes:02x?}");
        }
        for bytes in [
            [0xff, 0xfd, 0x90, 0],
            [0xff, 0xff, 0x90, 0],
            [0xff, 0xfb, 0, 0],
        ] {
            assert!(matches!(header(&bytes), Found::Other(_)), "{bytes:02x?}");
        }
    }
}
