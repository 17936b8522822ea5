//! Pages of an Ogg file, and the packets in them.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::{ErrorKind, Result};

/// The first bytes of every page.
pub(super) const MAGIC: &[u8] = b"OggS";
/// The size of the header before the lacing values, and the largest number of these.
const HEADER: usize = 27;
const LONGEST: usize = HEADER + 255 + 255 * 255;
/// Flags of a page.
const GOES_ON: u8 = 1;
const FIRST: u8 = 2;
const LAST: u8 = 4;

/// The pages of one logical stream, in order and complete.
#[derive(Default)]
pub(super) struct Pages {
    /// The serial number of the stream, after the first page.
    serial: Option<u32>,
    /// The number of pages so far.
    count: u32,
    /// The beginning of a packet that continues on the next page.
    open: Option<Vec<u8>>,
    /// Whether the last page has been read.
    pub(super) ended: bool,
}

/// The content of a page.
#[derive(Default)]
pub(super) struct Page {
    /// The packets that end on it.
    pub(super) packets: Vec<Vec<u8>>,
    /// The granule position: the number of samples per channel up to the last packet that ends on
    /// it.
    pub(super) samples: Option<u64>,
}

impl Pages {
    /// Reads the next page, or returns `None` after the last.
    ///
    /// # Errors
    /// The page is truncated, damaged, out of order, or belongs to another stream.
    pub(super) fn next(&mut self, source: &mut Source, env: &Env) -> Result<Option<Page>> {
        if self.ended {
            return Ok(None);
        }
        let cut = |source: &Source, what: &str| {
            let message = format!("the file ends {what}, without the last page of its sound");
            source.error(ErrorKind::Truncated, message)
        };
        let page = source.peek(LONGEST)?;
        if page.is_empty() {
            return Err(cut(source, "here"));
        }
        if !page.starts_with(&MAGIC[..page.len().min(MAGIC.len())]) {
            return Err(source.malformed("no page of an Ogg file starts here"));
        }
        let Some(&head) = page.first_chunk::<HEADER>() else {
            return Err(cut(source, "in a page"));
        };
        let Some(parts) = page[HEADER..].get(..usize::from(head[26])) else {
            return Err(cut(source, "in a page"));
        };
        let start = HEADER + parts.len();
        let sizes: Vec<usize> = parts.iter().map(|n| usize::from(*n)).collect();
        let Some(whole) = page.get(..start + sizes.iter().sum::<usize>()) else {
            return Err(cut(source, "in a page"));
        };
        let (flags, long) = (head[5], |at| {
            ByteOrder::Little.read_u32(*head[at..].first_chunk().unwrap_or(&[0; 4]))
        });
        if head[4] != 0 || crc(whole) != long(22) {
            return Err(source.malformed("a damaged page: its checksum is wrong"));
        }
        let body = whole[start..].to_vec();
        let len = whole.len() as u64;
        self.check(source, flags, (long(14), long(18)))?;
        let mut granule = [0; 8];
        granule.copy_from_slice(&head[6..14]);
        let packets = self.split(source, &sizes, &body, env)?;
        source.skip(len)?;
        self.ended = flags & LAST != 0;
        Ok(Some(Page {
            samples: u64::try_from(ByteOrder::Little.read_i64(granule))
                .ok()
                .filter(|_| !packets.is_empty()),
            packets,
        }))
    }

    /// Checks that a page is the next one of the stream.
    fn check(&mut self, source: &Source, flags: u8, (serial, number): (u32, u32)) -> Result<()> {
        let own = *self.serial.get_or_insert(serial);
        if own != serial {
            let message = "holds several streams, which are not taken apart";
            let error = source.error(ErrorKind::Unsupported, message);
            return Err(error.hint("take the sound out first: `ffmpeg -i FILE OUT.wav`"));
        }
        let goes_on = flags & GOES_ON != 0;
        if number != self.count
            || (flags & FIRST != 0) != (self.count == 0)
            || goes_on != self.open.is_some()
        {
            return Err(source.malformed("pages are missing before this one"));
        }
        self.count = self.count.wrapping_add(1);
        Ok(())
    }

    /// Splits a page into packets by its lacing values.
    fn split(
        &mut self,
        source: &Source,
        sizes: &[usize],
        mut body: &[u8],
        env: &Env,
    ) -> Result<Vec<Vec<u8>>> {
        let mut packets = Vec::new();
        for size in sizes {
            let (part, rest) = body.split_at(*size);
            body = rest;
            let packet = self.open.get_or_insert_default();
            source.hold("a packet", (packet.len() + part.len()) as u64, &env.limits)?;
            packet.extend_from_slice(part);
            if *size < 255 {
                packets.extend(self.open.take());
            }
        }
        Ok(packets)
    }
}

/// Computes the checksum of a page, with its own field as 0, with the polynomial of Ethernet.
fn crc(page: &[u8]) -> u32 {
    const PLACE: std::ops::Range<usize> = 22..26;
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let (mut n, mut first) = (0, 0u32);
        while n < 256 {
            let (mut crc, mut bit) = (first << 24, 0);
            while bit < 8 {
                crc = crc << 1 ^ if crc >> 31 == 0 { 0 } else { 0x04c1_1db7 };
                bit += 1;
            }
            table[n] = crc;
            n += 1;
            first += 1;
        }
        table
    };
    let bytes = page.iter().enumerate();
    bytes.fold(0, |crc: u32, (at, byte)| {
        let byte = if PLACE.contains(&at) { 0 } else { *byte };
        let [high, ..] = crc.to_be_bytes();
        crc << 8 ^ TABLE[usize::from(high ^ byte)]
    })
}
