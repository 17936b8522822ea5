//! Encoding of parameter files.

use spr_core::bytes::{ByteOrder, swap_in_place};
use spr_core::model::{CastStats, Element, Meta, Utterance, Waveform};
use spr_core::{Error, Result};

use crate::caps::{period_of_rate, period_of_shift};
use crate::check_sum::CheckSum;
use crate::compress::CompressedFeatures;
use crate::header::KIND;
use crate::kind::ParameterKind;
use crate::style::Style;

/// Replaces the content of `bytes` by the parameter file of `utt`. Returns the loss by compression.
///
/// # Errors
/// The format cannot represent it.
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
                let packed = CompressedFeatures::of(features)?;
                // With compression, two numbers per column take the space of four frames.
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

/// A file being encoded.
struct File<'a> {
    bytes: &'a mut Vec<u8>,
    order: ByteOrder,
    /// The checksum so far, if one is written.
    sum: Option<CheckSum>,
}

impl File<'_> {
    /// Appends numbers in the byte order of the file.
    fn put<T: Element>(&mut self, numbers: &[T]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::cast_slice(numbers));
        if self.order != ByteOrder::NATIVE {
            swap_in_place(&mut self.bytes[start..], size_of::<T>());
        }
    }

    /// Appends the header: number of frames, bytes per frame, period in 100 ns, and kind.
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

    /// Appends the checksum, if there is one.
    fn end(&mut self) {
        if let Some(sum) = self.sum {
            self.put(&[sum.value().cast_signed()]);
        }
    }
}

/// Appends the header and the samples of audio.
fn samples(sound: &Waveform, file: &mut File<'_>) -> Result<()> {
    let period = period_of_rate(sound.rate)?;
    let values = sound.samples.values::<i16>()?;
    // Only features have a checksum.
    file.sum = None;
    file.header(values.len(), 2, period, ParameterKind::WAVEFORM)?;
    file.integers(values);
    Ok(())
}

/// Returns the frame shift as a period, or 0 if it is unknown.
fn period(meta: &Meta) -> Result<i32> {
    meta.frame_shift.map_or(Ok(0), period_of_shift)
}

/// Returns the requested kind, otherwise the kind in the tag, if there is one.
fn kind(meta: &Meta, asked: Option<ParameterKind>) -> Result<ParameterKind> {
    let tag = match meta.tags.as_slice() {
        [] => None,
        [tag] if tag.key == KIND => Some(tag),
        _ => {
            return Err(Error::not_held("has header lines other than one kind"));
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
