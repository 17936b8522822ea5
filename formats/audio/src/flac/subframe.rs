//! Subframes: the samples of one channel in a frame.

use std::array::from_fn;

use super::bits::{Bits, Fault};
use super::sample::Sample;

/// Reads samples of `width` bits into `out`.
pub(super) fn read<S: Sample>(bits: &mut Bits<'_>, width: u32, out: &mut [S]) -> Result<(), Fault> {
    let head = bits.take(8).ok_or(Fault::More)?;
    let wasted = match head & 1 {
        0 => 0,
        _ => bits.zeros().ok_or(Fault::More)? + 1,
    };
    let wasted = u32::try_from(wasted).unwrap_or(u32::MAX);
    let width = width
        .checked_sub(wasted)
        .filter(|width| *width > 0)
        .ok_or(Fault::Bad("more bits are left out than there are"))?;
    let kind = head >> 1;
    match kind {
        0 => out.fill(S::of(bits.signed(width).ok_or(Fault::More)?)),
        1 => plain(bits, width, out)?,
        8..=12 => {
            let order = usize::try_from(kind - 8).unwrap_or_default();
            start(bits, width, order, out)?;
            differences(bits, order, out)?;
            within(width, fixed(order, width, out))?;
        }
        32..64 => {
            let order = usize::try_from(kind - 31).unwrap_or_default();
            start(bits, width, order, out)?;
            linear(bits, order, width, out)?;
        }
        _ => return Err(Fault::Bad("a channel is stored in an unknown way")),
    }
    if wasted > 0 {
        for sample in out {
            *sample = S::of(sample.wide() << wasted);
        }
    }
    Ok(())
}

/// Reads uncompressed samples.
fn plain<S: Sample>(bits: &mut Bits<'_>, width: u32, out: &mut [S]) -> Result<(), Fault> {
    for sample in out {
        *sample = S::of(bits.signed(width).ok_or(Fault::More)?);
    }
    Ok(())
}

/// Reads the warm-up samples.
fn start<S: Sample>(
    bits: &mut Bits<'_>,
    width: u32,
    order: usize,
    out: &mut [S],
) -> Result<(), Fault> {
    match out.get_mut(..order) {
        Some(out) => plain(bits, width, out),
        None => Err(Fault::Bad("more samples are told than a frame has")),
    }
}

/// Adds to each sample the prediction by one of the five fixed predictors.
fn fixed<S: Sample>(order: usize, width: u32, out: &mut [S]) -> u64 {
    // In sums of products the compiler would multiply.
    match order {
        0 => restore(width, out, |[]| 0),
        1 => restore(width, out, |[a]| *a),
        2 => restore(width, out, |[a, b]| (b << 1).wrapping_sub(*a)),
        3 => restore(width, out, |[a, b, c]| {
            let difference = c.wrapping_sub(*b);
            (difference << 1).wrapping_add(difference).wrapping_add(*a)
        }),
        _ => restore(width, out, |[a, b, c, d]| {
            let sides = b.wrapping_add(*d) << 2;
            let middle = (c << 2).wrapping_add(c << 1);
            sides.wrapping_sub(middle).wrapping_sub(*a)
        }),
    }
}

/// Reads a linear predictor with stored coefficients, and what it predicts.
fn linear<S: Sample>(
    bits: &mut Bits<'_>,
    order: usize,
    width: u32,
    out: &mut [S],
) -> Result<(), Fault> {
    /// The largest number of coefficients.
    const MOST: usize = 32;
    let precision = match bits.take(4).ok_or(Fault::More)? {
        15 => return Err(Fault::Bad("its factors are of an unknown size")),
        n => u32::try_from(n + 1).unwrap_or_default(),
    };
    let shift = bits.signed(5).ok_or(Fault::More)?;
    let shift = u32::try_from(shift).map_err(|_| Fault::Bad("its factors are shifted back"))?;
    // The coefficient of the preceding sample is stored first but needed last.
    let mut factors = [0; MOST];
    let factors = &mut factors[..order];
    for factor in factors.iter_mut().rev() {
        *factor = bits.signed(precision).ok_or(Fault::More)?;
    }
    differences(bits, order, out)?;
    within(width, predict(factors, shift, width, out))
}

/// Adds to each sample the prediction from the preceding ones, as many as there are coefficients.
fn predict<S: Sample>(factors: &[i64], shift: u32, width: u32, out: &mut [S]) -> u64 {
    match factors.len() {
        1 => run::<1, S>(factors, shift, width, out),
        2 => run::<2, S>(factors, shift, width, out),
        3 => run::<3, S>(factors, shift, width, out),
        4 => run::<4, S>(factors, shift, width, out),
        5 => run::<5, S>(factors, shift, width, out),
        6 => run::<6, S>(factors, shift, width, out),
        7 => run::<7, S>(factors, shift, width, out),
        8 => run::<8, S>(factors, shift, width, out),
        9 => run::<9, S>(factors, shift, width, out),
        10 => run::<10, S>(factors, shift, width, out),
        11 => run::<11, S>(factors, shift, width, out),
        12 => run::<12, S>(factors, shift, width, out),
        n => {
            let mut seen = 0;
            for at in n..out.len() {
                let before = out[at - n..at].iter().zip(factors);
                let sum = before.fold(0i64, |sum, (sample, factor)| {
                    sum.wrapping_add(sample.wide().wrapping_mul(*factor))
                });
                let value = out[at].wide().wrapping_add(sum >> shift);
                seen |= offset(value, width);
                out[at] = S::of(value);
            }
            seen
        }
    }
}

/// Does the same for a number of coefficients known to the compiler, which is twice as fast.
fn run<const N: usize, S: Sample>(factors: &[i64], shift: u32, width: u32, out: &mut [S]) -> u64 {
    let Some(factors) = factors.first_chunk::<N>() else {
        return 0;
    };
    restore(width, out, |before: &[i64; N]| {
        let terms = before.iter().zip(factors);
        let sum = terms.fold(0i64, |sum, (sample, factor)| {
            sum.wrapping_add(sample.wrapping_mul(*factor))
        });
        sum >> shift
    })
}

/// Adds to each sample after the first `N` the prediction from the `N` before it. Returns the bits
/// of all [`offset`]s.
#[inline(always)]
fn restore<const N: usize, S: Sample>(
    width: u32,
    out: &mut [S],
    predict: impl Fn(&[i64; N]) -> i64,
) -> u64 {
    let Some((first, rest)) = out.split_first_chunk_mut::<N>() else {
        return 0;
    };
    let mut before = first.map(S::wide);
    let mut seen = 0;
    for sample in rest {
        let value = sample.wide().wrapping_add(predict(&before));
        seen |= offset(value, width);
        *sample = S::of(value);
        // In registers, which `copy_within` would not keep them in.
        let moved = before;
        before = from_fn(|n| moved.get(n + 1).copied().unwrap_or(value));
    }
    seen
}

/// Returns the distance of a sample from the lowest one of `width` bits. Only that of a sample
/// that is out of range has more bits.
#[inline(always)]
fn offset(sample: i64, width: u32) -> u64 {
    sample.wrapping_add(1 << (width - 1)).cast_unsigned()
}

/// Fails if one of the offsets, whose bits are `seen`, is out of range.
fn within(width: u32, seen: u64) -> Result<(), Fault> {
    match seen >> width {
        0 => Ok(()),
        _ => Err(Fault::Bad("a sample has more bits than the file has")),
    }
}

/// Reads the residual of the samples after the first `order`.
fn differences<S: Sample>(bits: &mut Bits<'_>, order: usize, out: &mut [S]) -> Result<(), Fault> {
    let width = match bits.take(2).ok_or(Fault::More)? {
        0 => 4,
        1 => 5,
        _ => return Err(Fault::Bad("its differences are coded in an unknown way")),
    };
    let parts = bits.take(4).ok_or(Fault::More)?;
    let each = out.len() >> parts;
    if each << parts != out.len() || each < order {
        return Err(Fault::Bad("its differences are too few"));
    }
    let escape = (1 << width) - 1;
    for part in 0..1 << parts {
        let start = if part == 0 { order } else { part * each };
        let out = &mut out[start..(part + 1) * each];
        let parameter = bits.take(width).ok_or(Fault::More)?;
        if parameter == escape {
            let width = bits.take(5).ok_or(Fault::More)?;
            plain(bits, u32::try_from(width).unwrap_or_default(), out)?;
            continue;
        }
        bits.rice(u32::try_from(parameter).unwrap_or_default(), out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns these fields, each a value and its bits, and some bytes more.
    fn packed(fields: &[(i64, u32)]) -> Vec<u8> {
        let bits = fields
            .iter()
            .flat_map(|(value, n)| (0..*n).rev().map(move |at| value >> at & 1));
        let bits: Vec<i64> = bits.chain([0; 64]).collect();
        let byte = |bits: &[i64]| {
            bits.iter()
                .fold(0u8, |byte, bit| byte << 1 | u8::from(*bit == 1))
        };
        bits.chunks_exact(8).map(byte).collect()
    }

    /// Reads a subframe in both types of numbers.
    fn both(fields: &[(i64, u32)], width: u32, rows: usize) -> Result<Vec<i64>, Fault> {
        let bytes = packed(fields);
        let (mut short, mut long) = (vec![0i32; rows], vec![0i64; rows]);
        let done = read(&mut Bits::new(&bytes), width, &mut short);
        assert_eq!(read(&mut Bits::new(&bytes), width, &mut long), done);
        let short: Vec<i64> = short.into_iter().map(i64::from).collect();
        assert_eq!(short, long);
        done.map(|()| long)
    }

    /// The fields of a residual whose numbers have 6 bits each.
    fn escaped(residual: &[i64]) -> Vec<(i64, u32)> {
        let numbers = residual.iter().map(|value| (*value, 6));
        [(0, 2), (0, 4), (15, 4), (6, 5)]
            .into_iter()
            .chain(numbers)
            .collect()
    }

    #[test]
    fn predictors_of_every_order() {
        const ROWS: usize = 70;
        let residual: Vec<i64> = (0..ROWS as i64).map(|n| n * n % 31 - 15).collect();
        for order in 1..=32usize {
            let factors: Vec<i64> = (1..=order as i64).map(|n| (n * 5 % 7 - 3) * 4).collect();
            let mut wanted: Vec<i64> = (0..order as i64).map(|n| n * 99 - 1000).collect();
            for n in order..ROWS {
                let terms = factors.iter().zip(wanted[n - order..n].iter().rev());
                let sum: i64 = terms.map(|(factor, sample)| factor * sample).sum();
                wanted.push(residual[n] + (sum >> 7));
            }
            let mut fields = vec![(31 + order as i64, 7), (0, 1)];
            fields.extend(wanted[..order].iter().map(|sample| (*sample, 16)));
            fields.extend([(5, 4), (7, 5)]);
            fields.extend(factors.iter().map(|factor| (*factor, 6)));
            fields.extend(escaped(&residual[order..]));
            assert_eq!(both(&fields, 16, ROWS), Ok(wanted), "{order}");
        }
        for order in 0..=4usize {
            let mut differences = residual.clone();
            for step in 1..=order {
                // What is before the residual is of its own, as if it were 0.
                for n in order - step + 1..ROWS {
                    differences[n] += differences[n - 1];
                }
            }
            let mut fields = vec![(8 + order as i64, 7), (0, 1)];
            fields.extend(differences[..order].iter().map(|sample| (*sample, 30)));
            let mut left = differences.clone();
            for _ in 0..order {
                left = left.windows(2).map(|pair| pair[1] - pair[0]).collect();
            }
            fields.extend(escaped(&left));
            assert_eq!(both(&fields, 30, ROWS), Ok(differences), "{order}");
        }
    }

    #[test]
    fn samples_out_of_range_are_damage() {
        for (value, fits) in [(7, true), (8, false), (-8, true), (-9, false)] {
            let mut fields = vec![(8, 7), (0, 1)];
            fields.extend(escaped(&[0, value, 0]));
            let wanted = match fits {
                true => Ok(vec![0, value, 0]),
                false => Err(Fault::Bad("a sample has more bits than the file has")),
            };
            assert_eq!(both(&fields, 4, 3), wanted);
            // The bits that are left out count.
            fields.splice(1..2, [(1, 1), (0b001, 3)]);
            let wanted = wanted.map(|samples| samples.iter().map(|v| v << 3).collect());
            assert_eq!(both(&fields, 7, 3), wanted);
        }
    }
}
