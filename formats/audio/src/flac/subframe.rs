//! Subframes: the samples of one channel in a frame.

use super::bits::{Bits, Fault};

/// Reads `rows` samples of `width` bits into `out`, which is empty.
pub(super) fn read(
    bits: &mut Bits<'_>,
    width: u32,
    rows: usize,
    out: &mut Vec<i64>,
) -> Result<(), Fault> {
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
        0 => {
            let sample = bits.signed(width).ok_or(Fault::More)?;
            out.resize(rows, sample);
        }
        1 => plain(bits, width, rows, out)?,
        8..=12 => {
            let order = usize::try_from(kind - 8).unwrap_or_default();
            start(bits, width, order, rows, out)?;
            fixed(bits, order, rows, out)?;
        }
        32..64 => {
            let order = usize::try_from(kind - 31).unwrap_or_default();
            start(bits, width, order, rows, out)?;
            linear(bits, order, rows, out)?;
        }
        _ => return Err(Fault::Bad("a channel is stored in an unknown way")),
    }
    if wasted > 0 {
        out.iter_mut().for_each(|sample| *sample <<= wasted);
    }
    Ok(())
}

/// Reads uncompressed samples.
fn plain(bits: &mut Bits<'_>, width: u32, n: usize, out: &mut Vec<i64>) -> Result<(), Fault> {
    for _ in 0..n {
        out.push(bits.signed(width).ok_or(Fault::More)?);
    }
    Ok(())
}

/// Reads the warm-up samples.
fn start(
    bits: &mut Bits<'_>,
    width: u32,
    order: usize,
    rows: usize,
    out: &mut Vec<i64>,
) -> Result<(), Fault> {
    match order <= rows {
        true => plain(bits, width, order, out),
        false => Err(Fault::Bad("more samples are told than a frame has")),
    }
}

/// Applies one of the five fixed predictors.
fn fixed(bits: &mut Bits<'_>, order: usize, rows: usize, out: &mut Vec<i64>) -> Result<(), Fault> {
    const FACTORS: [&[i64]; 5] = [&[], &[1], &[-1, 2], &[1, -3, 3], &[-1, 4, -6, 4]];
    differences(bits, order, rows, out)?;
    predict(FACTORS[order], 0, out);
    Ok(())
}

/// Applies a linear predictor with stored coefficients.
fn linear(bits: &mut Bits<'_>, order: usize, rows: usize, out: &mut Vec<i64>) -> Result<(), Fault> {
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
    differences(bits, order, rows, out)?;
    predict(factors, shift, out);
    Ok(())
}

/// Adds to each sample the prediction from the preceding ones, as many as there are coefficients.
fn predict(factors: &[i64], shift: u32, out: &mut [i64]) {
    match factors.len() {
        0 => {}
        1 => run::<1>(factors, shift, out),
        2 => run::<2>(factors, shift, out),
        3 => run::<3>(factors, shift, out),
        4 => run::<4>(factors, shift, out),
        8 => run::<8>(factors, shift, out),
        10 => run::<10>(factors, shift, out),
        12 => run::<12>(factors, shift, out),
        n => {
            for at in n..out.len() {
                let before = out[at - n..at].iter().zip(factors);
                let sum = before.fold(0i64, |sum, (sample, factor)| {
                    sum.wrapping_add(sample.wrapping_mul(*factor))
                });
                out[at] = out[at].wrapping_add(sum >> shift);
            }
        }
    }
}

/// Does the same for a number of coefficients known to the compiler, which is twice as fast.
fn run<const N: usize>(factors: &[i64], shift: u32, out: &mut [i64]) {
    let Some(factors) = factors.first_chunk::<N>() else {
        return;
    };
    let Some((first, rest)) = out.split_first_chunk_mut::<N>() else {
        return;
    };
    let mut before = *first;
    for sample in rest {
        let sum = before
            .iter()
            .zip(factors)
            .fold(0i64, |sum, (sample, factor)| {
                sum.wrapping_add(sample.wrapping_mul(*factor))
            });
        *sample = sample.wrapping_add(sum >> shift);
        before.copy_within(1.., 0);
        before[N - 1] = *sample;
    }
}

/// Reads the residual of the samples after the first `order`.
fn differences(
    bits: &mut Bits<'_>,
    order: usize,
    rows: usize,
    out: &mut Vec<i64>,
) -> Result<(), Fault> {
    let width = match bits.take(2).ok_or(Fault::More)? {
        0 => 4,
        1 => 5,
        _ => return Err(Fault::Bad("its differences are coded in an unknown way")),
    };
    let parts = bits.take(4).ok_or(Fault::More)?;
    let each = rows >> parts;
    if each << parts != rows || each < order {
        return Err(Fault::Bad("its differences are too few"));
    }
    let escape = (1 << width) - 1;
    for part in 0..1 << parts {
        let n = each - if part == 0 { order } else { 0 };
        let parameter = bits.take(width).ok_or(Fault::More)?;
        if parameter == escape {
            let width = bits.take(5).ok_or(Fault::More)?;
            plain(bits, u32::try_from(width).unwrap_or_default(), n, out)?;
            continue;
        }
        let low = u32::try_from(parameter).unwrap_or_default();
        for _ in 0..n {
            let high = bits.zeros().ok_or(Fault::More)?;
            let code = high << low | bits.take(low).ok_or(Fault::More)?;
            // The lowest bit is the sign.
            out.push((code >> 1).cast_signed() ^ -(code & 1).cast_signed());
        }
    }
    Ok(())
}
