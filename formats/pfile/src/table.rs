//! The sentence table at the end.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::header::cut_short;
use crate::interleave::{BLOCK, ordered};

/// Compares the table at the current position with the first rows of the sentences and the number
/// of rows. Without `forced` either byte order is accepted, if all entries have the same.
pub(crate) fn check(
    source: &mut Source,
    starts: &[u32],
    forced: Option<ByteOrder>,
    file_len: u64,
) -> Result<()> {
    let mut orders = match forced {
        Some(order) => vec![order],
        None => vec![ByteOrder::Big, ByteOrder::Little],
    };
    let mut block = vec![0; starts.len().min(BLOCK)];
    for (index, expected) in (0..).step_by(BLOCK).zip(starts.chunks(BLOCK)) {
        let at = source.offset();
        let Some(block) = block.get_mut(..expected.len()) else {
            break;
        };
        source
            .fill(bytemuck::cast_slice_mut(block))
            .map_err(|e| match e.kind() {
                ErrorKind::Truncated if source.layers().is_empty() => {
                    let message = cut_short(file_len, source.offset());
                    source.error(ErrorKind::Truncated, message)
                }
                _ => e,
            })?;
        for (i, (&word, &start)) in block.iter().zip(expected).enumerate() {
            let first = orders.first().copied().unwrap_or(ByteOrder::Big);
            orders.retain(|&order| ordered(order, word) == start);
            if orders.is_empty() {
                let (entry, says) = (index + i, ordered(first, word));
                return Err(Error::malformed(format!(
                    "sentence table entry {entry} is {says}, but the data have row {start} there"
                ))
                .file(source.name())
                .byte(at + (i * size_of::<u32>()) as u64));
            }
        }
    }
    Ok(())
}

/// Returns the first rows of the sentences from `first` to the one after `last`, from the table at
/// byte `at`. The position of the source is undefined afterwards.
///
/// # Errors
/// The table does not end with the number of rows, a row is out of range or out of order, or
/// reading fails.
pub(crate) fn starts(
    source: &mut Source,
    (at, sentences, rows): (u64, u32, u32),
    (first, last): (u32, u32),
    forced: Option<ByteOrder>,
    limits: &Limits,
) -> Result<Vec<u32>> {
    const ENTRY: u64 = size_of::<u32>() as u64;
    source.seek(at + u64::from(sentences) * ENTRY)?;
    let end = source.read_u32(ByteOrder::NATIVE)?;
    let orders = [ByteOrder::Big, ByteOrder::Little].into_iter();
    let mut orders = orders.filter(|order| forced.is_none_or(|forced| forced == *order));
    let Some(order) = orders.find(|order| ordered(*order, end) == rows) else {
        let message = format!("the sentence table does not end with {rows}, the number of rows");
        return Err(source.malformed(message));
    };
    source.seek(at + u64::from(first) * ENTRY)?;
    let count = u64::from(last - first) + 1;
    source.expect(count * ENTRY)?;
    let bytes = source.hold("a sentence table", count * ENTRY, limits)?;
    let mut entries = vec![0; bytes / size_of::<u32>()];
    source.fill(bytemuck::cast_slice_mut(&mut entries))?;
    let mut before = 0;
    for (number, entry) in (first..).zip(&mut entries) {
        *entry = ordered(order, *entry);
        if *entry < before || *entry > rows {
            return Err(source.malformed(format!(
                "sentence table entry {number} is {entry}, expected {before} to {rows}"
            )));
        }
        before = *entry;
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[u32], starts: &[u32], forced: Option<ByteOrder>) -> Result<()> {
        let bytes = words.iter().flat_map(|w| w.to_be_bytes()).collect();
        let mut source = Source::from_bytes("t", bytes)?;
        check(&mut source, starts, forced, 99)
    }

    #[test]
    fn one_order_must_fit_all_entries() {
        let starts = [0, 3, 0x0100_0001, 0x0200_0000];
        let swapped = starts.map(u32::swap_bytes);
        run(&starts, &starts, None).unwrap();
        run(&swapped, &starts, None).unwrap();
        run(&swapped, &starts, Some(ByteOrder::Little)).unwrap();
        assert!(run(&swapped, &starts, Some(ByteOrder::Big)).is_err());
        let mixed = [0, 3, starts[2], swapped[3]];
        let error = run(&mixed, &starts, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "t@12: sentence table entry 3 is 2, but the data have row 33554432 there"
        );
    }

    #[test]
    fn a_long_table_is_read_in_blocks() {
        let starts: Vec<u32> = (0..150_000).collect();
        let mut words = starts.clone();
        run(&words, &starts, None).unwrap();
        words[140_000] += 1;
        let error = run(&words, &starts, None).unwrap_err();
        assert_eq!(error.byte_offset(), Some(560_000), "{error}");
        words.truncate(100_000);
        let error = run(&words, &starts, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
    }
}
