//! Parameter files as bytes.

use spr_core::bytes::{ByteOrder, swap_in_place};
use spr_core::model::{CastStats, Decimal, Element, Meta, Utterance, Waveform};
use spr_core::{Error, Remedy, Result};

use crate::check_sum::CheckSum;
use crate::compress::Compressed;
use crate::header::{KIND, UNIT, UNITS};
use crate::kind::ParameterKind;
use crate::style::Style;

/// Puts the parameter file of `utt` in place of what `bytes` held, and tells what compressing it
/// costs.
///
/// # Errors
/// The format can't hold it.
pub(crate) fn encode(utt: &Utterance, style: &Style, bytes: &mut Vec<u8>) -> Result<CastStats> {
    bytes.clear();
    let mut file = File {
        bytes,
        order: style.order,
        sum: style.checked.then(CheckSum::default),
    };
    let stats = match (&utt.features, utt.waveform()) {
        (Some(features), None) => {
            let kind = kind(&utt.meta, style.kind)?;
            let (rows, cols) = (features.rows(), features.cols());
            let period = period(&utt.meta)?;
            if style.compressed {
                if !kind.is_compressible() {
                    let message =
                        format!("holds features of kind {kind}, which HTK does not compress");
                    return Err(Error::unfit(message));
                }
                let packed = Compressed::of(features)?;
                // Of 16-bit integers, the two numbers of each column take the room of four frames.
                file.header(rows.saturating_add(4), 2 * cols, period, kind.compressed())?;
                file.floats(&packed.by);
                file.floats(&packed.plus);
                file.integers(&packed.codes);
                packed.stats
            } else {
                file.header(rows, 4 * cols, period, kind)?;
                file.floats(features.values()?);
                CastStats::default()
            }
        }
        (None, Some(_)) if style.compressed => {
            return Err(Error::unfit("holds sound, which HTK does not compress"));
        }
        (None, Some(sound)) => {
            samples(sound, &mut file)?;
            CastStats::default()
        }
        _ => return Err(Error::unfit("has not either features or sound")),
    };
    file.end();
    Ok(stats)
}

/// A file that is being made.
struct File<'a> {
    bytes: &'a mut Vec<u8>,
    order: ByteOrder,
    /// The check sum so far, where there is to be one.
    sum: Option<CheckSum>,
}

impl File<'_> {
    /// Adds numbers in the byte order of the file.
    fn put<T: Element>(&mut self, numbers: &[T]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::cast_slice(numbers));
        if self.order != ByteOrder::NATIVE {
            swap_in_place(&mut self.bytes[start..], size_of::<T>());
        }
    }

    /// Adds the header: frames, bytes of a frame, period in 100 ns, and kind.
    fn header(
        &mut self,
        frames: usize,
        size: usize,
        period: i32,
        kind: ParameterKind,
    ) -> Result<()> {
        let (Ok(count), Ok(size)) = (i32::try_from(frames), i16::try_from(size)) else {
            let message =
                format!("{frames} frames of {size} bytes are more than an HTK file can hold");
            return Err(Error::unfit(message));
        };
        let kind = match self.sum {
            Some(_) => kind.with_check_sum(),
            None => kind,
        };
        self.put(&[count, period]);
        self.put(&[size, kind.0.cast_signed()]);
        Ok(())
    }

    fn floats(&mut self, values: &[f32]) {
        if let Some(sum) = &mut self.sum {
            sum.floats(values);
        }
        self.put(values);
    }

    fn integers(&mut self, values: &[i16]) {
        if let Some(sum) = &mut self.sum {
            sum.integers(values);
        }
        self.put(values);
    }

    /// Adds what stands behind the data.
    fn end(&mut self) {
        if let Some(sum) = self.sum {
            self.put(&[sum.value().cast_signed()]);
        }
    }
}

/// Adds the header and the samples of sound.
fn samples(sound: &Waveform, file: &mut File<'_>) -> Result<()> {
    let channels = sound.samples.cols();
    if channels != 1 {
        return Err(Error::unfit(format!(
            "has {channels} channels, HTK has one"
        )));
    }
    let whole = sound.rate > 0 && UNITS.is_multiple_of(sound.rate);
    let period = whole.then(|| UNITS / sound.rate);
    let period = period.and_then(|period| i32::try_from(period).ok());
    let Some(period) = period else {
        let message = "samples a second, between which there is no whole number of 100 ns";
        let error = Error::unfit(format!("has {} {message}", sound.rate));
        return Err(error.suggest(Remedy::Resample));
    };
    let values = sound.samples.values::<i16>()?;
    // Check sums go with features.
    file.sum = None;
    file.header(values.len(), 2, period, ParameterKind::WAVEFORM)?;
    file.integers(values);
    Ok(())
}

/// The frame shift as a period; 0 where there is none.
fn period(meta: &Meta) -> Result<i32> {
    let Some(shift) = meta.frame_shift else {
        return Ok(0);
    };
    let units = shift.sample(UNITS);
    let period = units.and_then(|n| i32::try_from(n).ok()).filter(|n| *n > 0);
    let exact = |period: &i32| Decimal::new(i64::from(*period), UNIT) == shift;
    period.filter(exact).ok_or_else(|| {
        Error::unfit(format!(
            "has a frame shift of {shift} s, which is not a whole number of 100 ns below 215 s"
        ))
    })
}

/// The kind that is asked for, else the one that the header line says, if there is one.
fn kind(meta: &Meta, asked: Option<ParameterKind>) -> Result<ParameterKind> {
    let tag = match meta.tags.as_slice() {
        [] => None,
        [tag] if tag.key == KIND => Some(tag),
        _ => {
            let message = "has header lines other than one kind, which the format can't hold";
            return Err(Error::unfit(message));
        }
    };
    if let Some(kind) = asked {
        return Ok(kind);
    }
    let Some(tag) = tag else {
        return Ok(ParameterKind::USER);
    };
    let text = std::str::from_utf8(&tag.value).ok();
    let kind = text.and_then(|text| text.parse::<ParameterKind>().ok());
    kind.filter(|kind| kind.is_of_floats()).ok_or_else(|| {
        let value = tag.value.escape_ascii();
        Error::unfit(format!(
            "has the kind '{value}', which is not a kind of plain floats"
        ))
    })
}
