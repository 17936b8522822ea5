//! HTK parameter files as bytes.

use spr_core::bytes::{Env, Source};
use spr_core::format::{Claim, Extent, Nested};
use spr_core::model::{AudioFacts, Decimal, Matrix, Meta, Utterance, Waveform};
use spr_core::{Error, ErrorKind, Result};

use crate::body;
use crate::caps::CAPS;
use crate::check_sum::CheckSum;
use crate::header::{Header, KIND, UNIT, UNITS};
use crate::kind::ParameterKind;

/// Refuses what follows the frames.
///
/// # Errors
/// There is something.
pub(crate) fn end(source: &mut Source) -> Result<()> {
    match source.at_end()? {
        true => Ok(()),
        false => Err(source.error(ErrorKind::Malformed, "the file goes on after the frames")),
    }
}

/// A parameter file inside a container.
pub(crate) struct NestedHtk;

impl Nested for NestedHtk {
    fn claim(&self, head: &[u8]) -> Claim {
        match head.first_chunk().map(|head| Header::claims(*head)) {
            None | Some([None, None]) => Claim::No,
            Some(lengths) => Claim::Lengths(lengths),
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: Extent,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let header = Header::read(source, extent)?;
        body::read(source, header, true, utt, &env.limits)?;
        match extent {
            Extent::Whole => end(source),
            Extent::Own => Ok(()),
        }
    }

    fn facts(&self, _: &mut Source, _: &Env) -> Result<AudioFacts> {
        Ok(AudioFacts::default())
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        CAPS.check(utt)?;
        write(utt, false, put)
    }
}

/// Writes the parameter file of `utt`, with a check sum behind it if there is to be one.
///
/// # Errors
/// The format can't hold it, or `put` fails.
pub(crate) fn write(
    utt: &Utterance,
    checked: bool,
    put: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut bytes = Vec::new();
    match (&utt.features, utt.waveform()) {
        (Some(features), None) => {
            let mut kind = kind(&utt.meta)?;
            if checked {
                kind = kind.with_check_sum();
            }
            encode(features, period(&utt.meta)?, kind.0, &mut bytes)?;
            if checked {
                let mut sum = CheckSum::default();
                sum.floats(features.values()?);
                bytes.extend_from_slice(&sum.value().to_be_bytes());
            }
        }
        (None, Some(sound)) => samples(sound, &mut bytes)?,
        _ => return Err(Error::unfit("has not either features or sound")),
    }
    put(&bytes)
}

/// Puts the parameter file of sound in place of what `bytes` held.
fn samples(sound: &Waveform, bytes: &mut Vec<u8>) -> Result<()> {
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
        return Err(Error::unfit(format!("has {} {message}", sound.rate)));
    };
    let values = sound.samples.values::<i16>()?;
    header(values.len(), 1, 2, period, 0, bytes)?;
    bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
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

/// The kind that the header line says, if there is one.
fn kind(meta: &Meta) -> Result<ParameterKind> {
    let tag = match meta.tags.as_slice() {
        [] => return Ok(ParameterKind::USER),
        [tag] if tag.key == KIND => tag,
        _ => {
            let message = "has header lines other than one kind, which the format can't hold";
            return Err(Error::unfit(message));
        }
    };
    let text = std::str::from_utf8(&tag.value).ok();
    let number = text.and_then(|text| text.parse().ok().filter(|n: &u16| n.to_string() == text));
    let kind = number.map(ParameterKind).filter(|kind| kind.is_of_floats());
    kind.ok_or_else(|| {
        let value = tag.value.escape_ascii();
        Error::unfit(format!(
            "has the kind '{value}', which is not a kind of plain floats"
        ))
    })
}

/// Puts the parameter file of `features`, frames of `f32`, in place of what `bytes` held. Period and
/// kind are taken as they are.
///
/// # Errors
/// There are more frames or columns than the header can tell, or they are of another type.
fn encode(features: &Matrix, period: i32, kind: u16, bytes: &mut Vec<u8>) -> Result<()> {
    header(features.rows(), features.cols(), 4, period, kind, bytes)?;
    floats(features, bytes)
}

/// Puts a header in place of what `bytes` held: frames, period in 100 ns, bytes of a frame of `cols`
/// numbers of so many bytes, and kind, all big-endian.
fn header(
    rows: usize,
    cols: usize,
    number: usize,
    period: i32,
    kind: u16,
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let (Ok(frames), Ok(size)) = (i32::try_from(rows), i16::try_from(number * cols)) else {
        let message = format!("{rows} x {cols} is more than an HTK file can hold");
        return Err(Error::unfit(message));
    };
    bytes.clear();
    bytes.extend_from_slice(&frames.to_be_bytes());
    bytes.extend_from_slice(&period.to_be_bytes());
    bytes.extend_from_slice(&size.to_be_bytes());
    bytes.extend_from_slice(&kind.to_be_bytes());
    Ok(())
}

/// Adds the values of `features`, big-endian.
///
/// # Errors
/// They are not `f32`.
pub(crate) fn floats(features: &Matrix, bytes: &mut Vec<u8>) -> Result<()> {
    let values = features.values::<f32>()?;
    bytes.reserve(4 * values.len());
    bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
    Ok(())
}
