//! The binary form, which is big-endian.
//!
//! A file consists of `ooBinaryFile`, a length byte and `TextGrid`, start and end as f64, a byte 1,
//! and the number of tiers as i32. A tier consists of a length byte and its class, its name, two
//! f64, the number of labels as i32, and the labels, each of two f64, or one for a point, and text.
//! Text consists of a u16 length and ASCII bytes, or of 0xFFFF, a u16 number of units and UTF-16
//! units. Derived from files written by Praat 6.1.

use spr_core::bytes::{ByteOrder, MemoryCounter, PutNumber, Source};
use spr_core::model::{Decimal, Segment, Utterance};
use spr_core::{Error, ErrorKind, Limits, Result};

use super::encoding::utf16;
use super::grid::{Builder, Grid, Item, POINTS};
use crate::naming::Naming;

/// The first bytes of every binary Praat file.
pub(super) const MAGIC: &[u8] = b"ooBinaryFile";
/// The mark before text that is not ASCII.
const WIDE: u16 = 0xffff;

/// Returns an error about the value that was just read.
fn wrong(source: &Source, message: impl Into<String>) -> Error {
    source.error(ErrorKind::Malformed, message)
}

fn time(source: &mut Source) -> Result<Decimal> {
    let value = source.read_f64(ByteOrder::Big)?;
    Decimal::of(value).ok_or_else(|| wrong(source, format!("{value} is not a time")))
}

fn count(source: &mut Source, what: &str) -> Result<u32> {
    let count = source.read_i32(ByteOrder::Big)?;
    u32::try_from(count).map_err(|_| wrong(source, format!("{what} is {count}")))
}

fn bytes(source: &mut Source, len: usize, limits: &Limits) -> Result<Vec<u8>> {
    source.expect(len as u64)?;
    let mut bytes = vec![0; limits.bytes("a text", len as u64)?];
    source.fill(&mut bytes)?;
    Ok(bytes)
}

/// Reads text of single-byte characters with a length byte.
fn class(source: &mut Source, limits: &Limits) -> Result<String> {
    let len = usize::from(source.byte()?);
    let bytes = bytes(source, len, limits)?;
    String::from_utf8(bytes).map_err(|_| wrong(source, "the name of a class is not ASCII"))
}

fn text(source: &mut Source, limits: &Limits) -> Result<String> {
    match source.read_u16(ByteOrder::Big)? {
        WIDE => {
            let units = source.read_u16(ByteOrder::Big)?;
            let bytes = bytes(source, 2 * usize::from(units), limits)?;
            utf16(&bytes, u16::from_be_bytes).map_err(|e| wrong(source, e.message()))
        }
        len => {
            let bytes = bytes(source, usize::from(len), limits)?;
            // Single bytes beyond ASCII are Latin-1.
            Ok(bytes.into_iter().map(char::from).collect())
        }
    }
}

/// Reads a grid from its first byte.
pub(super) fn read(
    source: &mut Source,
    naming: &Naming,
    utt: &mut Utterance,
    limits: &Limits,
) -> Result<()> {
    source.skip(MAGIC.len() as u64)?;
    let found = class(source, limits)?;
    if found != "TextGrid" {
        let found = spr_core::model::Key::from(&*found);
        return Err(wrong(
            source,
            format!("expected a TextGrid, found '{found}'"),
        ));
    }
    let (start, end) = (time(source)?, time(source)?);
    let mut grid = Builder::new(naming, start, end).map_err(|why| wrong(source, why))?;
    let tiers = match source.byte()? {
        1 => count(source, "the number of tiers")?,
        _ => 0,
    };
    if tiers == 0 {
        return Err(wrong(source, "the grid has no tiers"));
    }
    let mut held = MemoryCounter::new("a list of segments");
    for _ in 0..tiers {
        let class = class(source, limits)?;
        let name = text(source, limits)?;
        held.add(size_of::<Segment>() + name.len(), source, limits)?;
        grid.tier(&class, name).map_err(|why| wrong(source, why))?;
        time(source)?;
        time(source)?;
        for _ in 0..count(source, "the number of labels of a tier")? {
            let start = time(source)?;
            let end = match class == POINTS {
                true => start,
                false => time(source)?,
            };
            let text = text(source, limits)?;
            held.add(size_of::<Segment>() + text.len(), source, limits)?;
            let item = Item { start, end, text };
            grid.add(item).map_err(|why| wrong(source, why))?;
        }
    }
    match source.peek(1)? {
        [] => {
            grid.finish(utt);
            Ok(())
        }
        _ => Err(wrong(source, "the file goes on after the grid")),
    }
}

/// Encodes a grid.
///
/// # Errors
/// A text is too long, or a time is not representable as f64.
pub(super) fn write(grid: &Grid<'_>) -> Result<Vec<u8>> {
    let mut out = Vec::from(MAGIC);
    put_class("TextGrid", &mut out);
    for time in [grid.start, grid.end] {
        put_time(time, &mut out)?;
    }
    out.push(1);
    put_count(grid.tiers.len(), &mut out)?;
    for tier in &grid.tiers {
        put_class(tier.class(), &mut out);
        put_text(tier.name, &mut out)?;
        for time in [grid.start, grid.end] {
            put_time(time, &mut out)?;
        }
        put_count(tier.items.len(), &mut out)?;
        for (from, to, text) in &tier.items {
            put_time(*from, &mut out)?;
            if !tier.points {
                put_time(*to, &mut out)?;
            }
            put_text(text, &mut out)?;
        }
    }
    Ok(out)
}

fn put_class(class: &str, out: &mut Vec<u8>) {
    out.push(
        class
            .len()
            .to_be_bytes()
            .last()
            .copied()
            .unwrap_or_default(),
    );
    out.extend_from_slice(class.as_bytes());
}

fn put_time(time: Decimal, out: &mut Vec<u8>) -> Result<()> {
    let value = time.value();
    if Decimal::of(value) != Some(time) {
        let message = format!("the time {time} has more digits than the binary form holds");
        return Err(Error::unfit(message).hint("form=long keeps them"));
    }
    out.put_f64(value, ByteOrder::Big);
    Ok(())
}

fn put_count(count: usize, out: &mut Vec<u8>) -> Result<()> {
    let count = i32::try_from(count).map_err(|_| Error::unfit("has too many labels"))?;
    out.put_i32(count, ByteOrder::Big);
    Ok(())
}

fn put_text(text: &str, out: &mut Vec<u8>) -> Result<()> {
    let long = |_| Error::unfit("has a label of more than 65535 characters");
    if text.is_ascii() && text.len() < usize::from(WIDE) {
        out.put_u16(u16::try_from(text.len()).map_err(long)?, ByteOrder::Big);
        out.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    out.put_u16(WIDE, ByteOrder::Big);
    out.put_u16(u16::try_from(units.len()).map_err(long)?, ByteOrder::Big);
    out.extend(units.iter().flat_map(|unit| unit.to_be_bytes()));
    Ok(())
}
