//! The times of frames, and the frames that are breaks.

use spr_core::model::{Array, Decimal, Dtype, Matrix, NamedArray, Rank, Utterance};
use spr_core::{Error, Remedy, Result};

use crate::spacing::Spacing;

/// The array of times in seconds, where they are not equally spaced.
const TIMES: &str = "times";
/// The array that marks breaks, where there are any.
const BREAKS: &str = "breaks";

/// The time of each frame, and whether it is a break.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    pub(crate) times: Vec<f32>,
    pub(crate) breaks: Vec<bool>,
}

impl Clock {
    /// Tells `utt` the times and the breaks, as a frame shift and arrays. The header may state the
    /// spacing.
    ///
    /// # Errors
    /// The times are others than the header states.
    pub(crate) fn describe(&self, stated: Option<Spacing>, utt: &mut Utterance) -> Result<()> {
        let spacing = match stated {
            None => Spacing::of(&self.times),
            Some(Spacing { shift, .. }) if !shift.is_positive() => {
                let message = format!("the header states a frame shift of {shift} s");
                return Err(Error::malformed(message));
            }
            Some(spacing) if spacing.fits(&self.times) => Some(spacing),
            Some(Spacing { first, shift }) => {
                let message = format!(
                    "the header states a frame shift of {shift} s and an offset of {first} s, \
                     which are not those of the times"
                );
                return Err(Error::malformed(message));
            }
        };
        match spacing {
            Some(Spacing { first, shift }) => {
                utt.meta.frame_shift = Some(shift);
                utt.meta.frame_offset = Some(first).filter(|first| !first.is_zero());
            }
            None if self.times.is_empty() => {}
            None => {
                let times = Matrix::from_rows(&self.times, 1, Rank::Vector)?;
                utt.arrays.push(named(TIMES, times)?);
            }
        }
        if self.breaks.contains(&true) {
            let breaks = Matrix::from_rows(&self.breaks, 1, Rank::Vector)?;
            utt.arrays.push(named(BREAKS, breaks)?);
        }
        Ok(())
    }

    /// The clock of what is to be written, and the spacing if the header must state it.
    ///
    /// # Errors
    /// The times are not known, or would be read back as others.
    pub(crate) fn of(utt: &Utterance, frames: usize) -> Result<(Self, Option<Spacing>)> {
        check_names(utt)?;
        let breaks = match array(utt, BREAKS, Dtype::Bool, frames)? {
            Some(marks) => marks.values::<bool>()?.to_vec(),
            None => vec![false; frames],
        };
        if utt.arrays.iter().any(|array| array.name == BREAKS) && !breaks.contains(&true) {
            return Err(Error::unfit("has an array 'breaks' that marks no frame"));
        }
        let times = array(utt, TIMES, Dtype::F32, frames)?;
        let (shift, offset) = (utt.meta.frame_shift, utt.meta.frame_offset);
        let offset = offset.filter(|offset| !offset.is_zero());
        let (times, stated) = match (times, shift) {
            (Some(_), Some(_)) => {
                return Err(Error::unfit("has an array 'times' and a frame shift"));
            }
            (_, None) if offset.is_some() => {
                return Err(Error::unfit("has a frame offset, but no frame shift"));
            }
            (Some(times), None) => {
                let times = times.values::<f32>()?;
                check_free(times)?;
                (times.to_vec(), None)
            }
            (None, Some(shift)) => {
                let first = offset.unwrap_or(Decimal::ZERO);
                spaced(Spacing { first, shift }, frames)?
            }
            (None, None) if frames == 0 => (Vec::new(), None),
            (None, None) => {
                let message = "has no frame shift, and a track has a time for each frame";
                return Err(Error::unfit(message).suggest(Remedy::TellFrameShift));
            }
        };
        Ok((Self { times, breaks }, stated))
    }
}

/// The times of frames, and their spacing if the times do not tell it.
fn spaced(spacing: Spacing, frames: usize) -> Result<(Vec<f32>, Option<Spacing>)> {
    let times = spacing.times(frames);
    let Spacing { first, shift } = spacing;
    if shift <= Decimal::ZERO || !spacing.fits(&times) {
        return Err(Error::unfit(format!(
            "has a frame shift of {shift} s and an offset of {first} s, which give no times in order"
        )));
    }
    let is_told = Spacing::of(&times) == Some(spacing);
    Ok((times, (!is_told).then_some(spacing)))
}

/// Checks that there are no arrays but those of a track.
fn check_names(utt: &Utterance) -> Result<()> {
    for array in &utt.arrays {
        let name = array.name.escape_debug();
        if ![TIMES, BREAKS].contains(&&*array.name) {
            return Err(Error::unfit(format!(
                "has the array '{name}', a track has only 'times' and 'breaks'"
            )));
        }
    }
    Ok(())
}

/// Checks that times are read back as such, and not as a frame shift.
fn check_free(times: &[f32]) -> Result<()> {
    if times.iter().any(|time| !time.is_finite()) {
        return Err(Error::unfit("has times that are not finite"));
    }
    match (times.is_empty(), Spacing::of(times)) {
        (false, None) => Ok(()),
        (true, _) => Err(Error::unfit("has an array 'times', but no frames")),
        (false, Some(Spacing { shift, .. })) => Err(Error::unfit(format!(
            "has an array 'times' of times equally spaced by {shift} s, which is a frame shift"
        ))),
    }
}

fn named(name: &str, values: Matrix) -> Result<NamedArray> {
    let len = values.len();
    Ok(NamedArray {
        name: name.to_owned(),
        array: Array::of(values, &[len])?,
    })
}

/// The values of an array, which must be one for each frame.
fn array<'a>(
    utt: &'a Utterance,
    name: &str,
    dtype: Dtype,
    frames: usize,
) -> Result<Option<&'a Matrix>> {
    let Some(found) = utt.arrays.iter().find(|array| array.name == name) else {
        return Ok(None);
    };
    let array = &found.array;
    match array.dtype() == dtype && array.shape() == [frames] {
        true => Ok(Some(array.values())),
        false => Err(Error::unfit(format!(
            "has an array '{name}' of {} and the shape {:?}, expected {dtype} and [{frames}]",
            array.dtype(),
            array.shape()
        ))),
    }
}
