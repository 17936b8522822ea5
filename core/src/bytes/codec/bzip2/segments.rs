//! The positions of blocks in a bzip2 file, which start at any bit.

use std::io::{self, Read};

/// The size in bits of the marks before a block and at the end of a stream.
pub(super) const MARK: usize = 48;
const BLOCK: u64 = 0x3141_5926_5359;
const END: u64 = 0x1772_4538_5090;
const MASK: u64 = (1 << MARK) - 1;

const STEP: usize = 256 << 10;
/// The largest size of a block: 900,000 symbols of up to 20 bits, with a header.
const LONGEST: usize = 4 << 20;

/// The data between two marks, or between data that resemble marks by chance.
#[derive(Default)]
pub(super) struct Segment {
    pub(super) kind: Kind,
    /// The bytes from its mark on, aligned to the first bit, with the following mark.
    pub(super) bytes: Vec<u8>,
    /// The number of bits up to the next mark.
    pub(super) bits: usize,
    /// The kind of the following mark, if there is one.
    pub(super) next: Option<Kind>,
    /// The bit position of its start within a byte of the file.
    phase: usize,
}

/// The kind of a segment's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// The start of the file.
    #[default]
    Start,
    Block,
    End,
}

impl Segment {
    /// Returns the number of all bits, with those of the following mark.
    pub(super) fn len(&self) -> usize {
        self.bits + self.next.map_or(0, |_| MARK)
    }

    /// Removes bits from its start.
    pub(super) fn skip(&mut self, bits: usize) {
        self.bits = self.bits.saturating_sub(bits);
        self.bytes.drain(..self.bytes.len().min(bits / 8));
        let shift = bits % 8;
        if shift > 0 {
            let mut next = 0;
            for byte in self.bytes.iter_mut().rev() {
                (*byte, next) = (*byte << shift | next, *byte >> (8 - shift));
            }
        }
    }

    /// Returns the 32 bits after the mark: the checksum of the blocks, at the end of a stream.
    pub(super) fn checksum(&self) -> Option<u32> {
        let bytes = self.bytes.get(MARK / 8..)?.first_chunk()?;
        (self.bits >= MARK + 32).then(|| u32::from_be_bytes(*bytes))
    }

    /// Returns the number of bits after the mark and checksum at the end of a stream, aligned to
    /// the next byte of the file, and these bytes.
    pub(super) fn behind_end(&self) -> (usize, Vec<u8>) {
        let from = match self.kind {
            Kind::Start => 0,
            _ => (self.phase + MARK + 32).next_multiple_of(8) - self.phase,
        };
        let bits = self.bits.saturating_sub(from);
        (bits, cut_out(&self.bytes, from, from + bits / 8 * 8))
    }
}

/// Returns `true` if a mark starts with these bytes.
pub(super) fn is_mark(start: &[u8]) -> bool {
    let starts = |mark: u64| mark.to_be_bytes()[8 - MARK / 8..].starts_with(start);
    starts(BLOCK) || starts(END)
}

/// Extracts the bits of `bytes` between two positions. The last byte is filled with the following
/// bits, or with zeros.
fn cut_out(bytes: &[u8], from: usize, to: usize) -> Vec<u8> {
    let len = to.saturating_sub(from).div_ceil(8);
    let (first, shift) = (from / 8, from % 8);
    let bytes = bytes.get(first..).unwrap_or_default();
    let mut out: Vec<_> = bytes.iter().take(len).map(|byte| byte << shift).collect();
    if shift > 0 {
        for (out, next) in out.iter_mut().zip(bytes.iter().skip(1)) {
            *out |= next >> (8 - shift);
        }
    }
    out
}

/// Returns a bit set of marks with a given second or third byte: those of a block at each of 8
/// shifts, then those of an end.
const fn having(byte: usize) -> [u16; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 16 {
        let mark = if n < 8 { BLOCK } else { END };
        let value = (mark >> (MARK - 8 - 8 * byte + n % 8)) & 0xff;
        table[value as usize] |= 1 << n;
        n += 1;
    }
    table
}

const SECOND: [u16; 256] = having(1);
const THIRD: [u16; 256] = having(2);

/// Returns the first mark at bit `from` or later, or the position up to which there is none.
fn find(bytes: &[u8], from: usize) -> Result<(usize, Kind), usize> {
    let first = from / 8;
    let pairs = bytes.get(first + 1..).unwrap_or_default().windows(2);
    for (at, pair) in (first..).zip(pairs) {
        let may_be = SECOND[usize::from(pair[0])] & THIRD[usize::from(pair[1])];
        if may_be == 0 {
            continue;
        }
        let Some(window) = bytes.get(at..at + MARK / 8) else {
            return Err(8 * at);
        };
        // The seventh byte exists unless the file ends with the mark.
        let last = bytes.get(at + MARK / 8).copied();
        let window = window.iter().chain(&last);
        let window = window.fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
        for shift in 0..8 {
            let kept = match last {
                Some(_) => window >> (8 - shift),
                None if shift == 0 => window,
                None => continue,
            };
            let place = 8 * at + shift;
            match kept & MASK {
                _ if place < from => {}
                BLOCK => return Ok((place, Kind::Block)),
                END => return Ok((place, Kind::End)),
                _ => {}
            }
        }
        if last.is_none() {
            return Err(8 * at);
        }
    }
    Err(from.max(8 * bytes.len().saturating_sub(MARK / 8)))
}

/// A splitter of a bzip2 file at its marks.
pub(super) struct Segments {
    from: Box<dyn Read + Send>,
    /// The bytes read and not returned, and the preceding bits of the first byte.
    bytes: Vec<u8>,
    /// The kind and bit position of the next segment's start.
    next: Option<(Kind, usize)>,
    /// Whether the end of the input was reached.
    pub(super) ended: bool,
    /// The error that ended reading.
    pub(super) failure: Option<io::Error>,
}

impl Segments {
    pub(super) fn new(from: Box<dyn Read + Send>) -> Self {
        Self {
            from,
            bytes: Vec::new(),
            next: Some((Kind::Start, 0)),
            ended: false,
            failure: None,
        }
    }

    fn read(&mut self) {
        let len = self.bytes.len();
        self.bytes.resize(len + STEP, 0);
        let read = loop {
            match self.from.read(&mut self.bytes[len..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.bytes.truncate(len + *read.as_ref().unwrap_or(&0));
        self.ended = !matches!(read, Ok(1..));
        self.failure = read.err();
    }
}

impl Iterator for Segments {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let (kind, start) = self.next.take()?;
        let mut from = match kind {
            Kind::Start => start,
            _ => start + MARK,
        };
        let found = loop {
            match find(&self.bytes, from) {
                Ok(found) => break Some(found),
                Err(none) => from = none.max(from),
            }
            if self.ended || self.bytes.len() > LONGEST {
                break None;
            }
            self.read();
        };
        let end = found.map_or(8 * self.bytes.len(), |(at, _)| at);
        let with_mark = end + if found.is_some() { MARK } else { 0 };
        let segment = Segment {
            kind,
            bytes: cut_out(&self.bytes, start, with_mark),
            bits: end - start,
            next: found.map(|(_, kind)| kind),
            phase: start % 8,
        };
        self.bytes.drain(..end / 8);
        self.next = found.map(|(_, kind)| (kind, end % 8));
        Some(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_at_every_bit() {
        for (mark, kind) in [(BLOCK, Kind::Block), (END, Kind::End)] {
            for place in 0..40 {
                for behind in [0, 1, 2, 9] {
                    let len = (place + MARK).div_ceil(8) + behind;
                    let mut bytes = vec![0xa5; len];
                    for bit in 0..MARK {
                        let set = u8::from(mark >> (MARK - 1 - bit) & 1 == 1);
                        let (at, shift) = ((place + bit) / 8, 7 - (place + bit) % 8);
                        bytes[at] = bytes[at] & !(1 << shift) | set << shift;
                    }
                    assert_eq!(find(&bytes, 0), Ok((place, kind)), "{place} {behind}");
                    assert_eq!(find(&bytes, place), Ok((place, kind)));
                    assert!(find(&bytes, place + 1).is_err());
                    // No mark is missed, however the bytes arrive.
                    for cut in 0..len {
                        let from = find(&bytes[..cut], 0).map_or_else(|none| none, |(at, _)| at);
                        assert_eq!(find(&bytes, from), Ok((place, kind)), "{place} {cut}");
                    }
                    let again = cut_out(&bytes, place, place + MARK);
                    assert_eq!(again, mark.to_be_bytes()[2..]);
                }
            }
        }
    }
}
