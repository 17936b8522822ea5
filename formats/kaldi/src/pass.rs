//! Skipping of objects that are not requested.

use spr_core::Result;
use spr_core::bytes::Source;

use crate::number::is_space;
use crate::recognise::{GROUP, TAG};

/// Skips an object without decoding it, if its bytes contain its length. Otherwise consumes
/// nothing.
///
/// # Errors
/// The file ends in it.
pub(crate) fn pass_object(source: &mut Source) -> Result<bool> {
    let head = source.peek(32)?;
    let Some(head) = head.strip_prefix(b"\0B") else {
        return Ok(false);
    };
    if let Some(count) = tagged(head, 0) {
        return pass_integers(source, count);
    }
    let Some(space) = head.iter().take(4).position(|b| is_space(*b)) else {
        return Ok(false);
    };
    let (token, start) = (&head[..space], space + 1);
    let (at, values) = match token {
        b"FM" | b"DM" => {
            let shape = tagged(head, start).zip(tagged(head, start + GROUP));
            let shape = shape.filter(|(rows, cols)| *rows == 0 || *cols > 0);
            (
                start + 2 * GROUP,
                shape.and_then(|s| area(s, width(token), 0)),
            )
        }
        b"FV" | b"DV" => {
            let n = tagged(head, start).map(|n| (n, 1));
            (start + GROUP, n.and_then(|s| area(s, width(token), 0)))
        }
        b"CM" | b"CM2" | b"CM3" => {
            let shape = number(head, start + 8).zip(number(head, start + 12));
            // An empty matrix may be longer than declared.
            let shape = shape.filter(|(rows, cols)| *rows > 0 && *cols > 0);
            let (code, column) = match token {
                b"CM" => (1, 8),
                b"CM2" => (2, 0),
                _ => (1, 0),
            };
            (start + 16, shape.and_then(|s| area(s, code, column)))
        }
        _ => return Ok(false),
    };
    match values {
        Some(values) => {
            source.skip((at + 2) as u64)?;
            source.skip(values)?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Returns the size of a number in bytes according to the token before it.
fn width(token: &[u8]) -> u64 {
    if token.starts_with(b"D") { 8 } else { 4 }
}

/// Returns the size of a matrix with `size` bytes per value and `column` more per column.
fn area((rows, cols): (u64, u64), size: u64, column: u64) -> Option<u64> {
    let values = rows.checked_mul(cols)?.checked_mul(size)?;
    values.checked_add(cols.checked_mul(column)?)
}

/// Reads a 4-byte count at a position.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let n: &[u8; 4] = bytes.get(at..)?.first_chunk()?;
    u64::try_from(i32::from_le_bytes(*n)).ok()
}

/// Reads a tagged count at a position.
fn tagged(bytes: &[u8], at: usize) -> Option<u64> {
    number(bytes, at + 1).filter(|_| bytes.get(at) == Some(&TAG))
}

/// Skips a vector of `count` tagged integers, if the tags show that it is one.
fn pass_integers(source: &mut Source, count: u64) -> Result<bool> {
    /// Longer vectors are decoded.
    const LONGEST: u64 = 1 << 20;
    if count > LONGEST {
        return Ok(false);
    }
    let size = usize::try_from(count).unwrap_or_default() * GROUP;
    let there = source.peek(2 + GROUP + size + 4)?;
    let run = there.get(2 + GROUP..).unwrap_or_default();
    let Some((run, after)) = run.split_at_checked(size) else {
        return Ok(false);
    };
    let tags = run.as_chunks::<GROUP>().0.iter().all(|g| g[0] == TAG);
    // More tagged numbers, bytes, or a vector of floats: then it is another object.
    let continued = matches!(after, [TAG | 1, ..] | [b'F' | b'D', b'V', b' ', TAG]);
    if !tags || continued {
        return Ok(false);
    }
    source.skip((2 + GROUP + size) as u64)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(values: &[i32]) -> Vec<u8> {
        let groups = values.iter().map(|value| {
            let [a, b, c, d] = value.to_le_bytes();
            [TAG, a, b, c, d]
        });
        [b"\0B".to_vec(), groups.flatten().collect()].concat()
    }

    /// Returns the number of bytes skipped of an object followed by a key.
    fn passed(object: &[u8]) -> Option<usize> {
        let bytes = [object, b"key \0BFM "].concat();
        let mut source = Source::from_bytes("x", bytes).unwrap();
        let passed = pass_object(&mut source).unwrap();
        passed.then(|| usize::try_from(source.offset()).unwrap())
    }

    #[test]
    fn vectors_are_passed_and_what_looks_like_them_is_not() {
        for values in [&[0][..], &[1, 9], &[3, 4, 4, 4]] {
            assert_eq!(passed(&run(values)), Some(run(values).len()), "{values:?}");
        }
        // Lists, a pair, single numbers, a Gaussian posterior, an invalid count.
        let lists: [&[i32]; 6] = [&[2, 1, 7, 0], &[1, 2, 3], &[1], &[70], &[-1], &[1, 1, 5]];
        for values in lists {
            assert_eq!(passed(&run(values)), None, "{values:?}");
        }
        assert_eq!(
            passed(&[&run(&[2, 1, 5])[..], b"FV \x04\0\0\0\0"].concat()),
            None
        );
        assert_eq!(passed(b"\0BFM \x04\x05\0\0\0\x04\0\0\0\0"), None);
        assert_eq!(passed(b"\0BTkey"), None);
        assert_eq!(passed(b" [ 1 2 ]\n"), None);
    }

    #[test]
    fn floats_are_passed_by_their_headers() {
        let size = |n: u8| [TAG, n, 0, 0, 0];
        for (token, header, data) in [
            ("FM", [size(2), size(3)].concat(), 24),
            ("DM", [size(2), size(3)].concat(), 48),
            ("DM", [size(0), size(0)].concat(), 0),
            ("FV", size(3).to_vec(), 12),
            ("DV", size(0).to_vec(), 0),
        ] {
            let object = [b"\0B", token.as_bytes(), b" ", &header, &vec![7; data]].concat();
            assert_eq!(passed(&object), Some(object.len()), "{token}");
            let mut source = Source::from_bytes("x", object[..object.len() - 1].to_vec()).unwrap();
            assert!(!matches!(pass_object(&mut source), Ok(true)), "{token}");
        }
    }
}
