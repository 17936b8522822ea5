//! Times of frames, and conversion between frame labels and segments.

use super::{Decimal, Element, Key, Matrix, Meta, Rank, Segment};
use crate::error::{Error, Remedy, Result};
use crate::model::Limits;
use crate::number::{dispatch, parse_integer};

/// The tolerance, in frames, for times of frame starts.
const NEAR: f64 = 1e-6;
/// The largest number of frames that segments alone may imply: two days of the usual ones.
const CLAIMED: u64 = 1 << 24;

/// Where frames start: a frame shift and the time of the first frame, in seconds.
///
/// Times are exact: frame 30 of 0.01 s starts at 0.3.
///
/// ```
/// use spr_core::model::{Decimal, FrameGrid, Meta};
/// let meta = Meta { frame_shift: Decimal::parse("0.01"), ..Meta::default() };
/// let grid = FrameGrid::of(&meta).unwrap();
/// assert_eq!(grid.time(30), Decimal::new(3, -1));
/// assert_eq!(grid.frame(Decimal::new(3, -1)), Some(30));
/// assert_eq!(grid.frame(Decimal::new(305, -3)), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameGrid {
    shift: Decimal,
    offset: Decimal,
}

impl FrameGrid {
    /// The default frame shift, in seconds.
    pub const USUAL_SHIFT: Decimal = Decimal::new(1, -2);

    /// Creates a grid of frames `shift` apart, starting at `offset`, by default 0. Returns `None`
    /// unless the shift is above 0.
    pub fn new(shift: Decimal, offset: Option<Decimal>) -> Option<Self> {
        (shift > Decimal::ZERO).then(|| Self {
            shift,
            offset: offset.unwrap_or(Decimal::ZERO),
        })
    }

    /// Returns the grid in `meta`, or `None` without a frame shift.
    pub fn of(meta: &Meta) -> Option<Self> {
        Self::new(meta.frame_shift?, meta.frame_offset)
    }

    /// Returns the default grid, starting at 0.
    pub fn usual() -> Self {
        Self {
            shift: Self::USUAL_SHIFT,
            offset: Decimal::ZERO,
        }
    }

    /// Returns the duration of `frames` frames in seconds; `None` if it has too many digits.
    pub fn duration(shift: Decimal, frames: u64) -> Option<Decimal> {
        shift.times(frames)
    }

    /// Returns the frame shift in seconds.
    pub fn shift(&self) -> Decimal {
        self.shift
    }

    /// Returns the start time of a frame, without trailing zeros; rounded beyond 33 digits.
    #[expect(
        clippy::cast_precision_loss,
        reason = "only where the exact time has too many digits"
    )]
    pub fn time(&self, frame: u64) -> Decimal {
        let exact = self.shift.times(frame);
        let exact = exact.and_then(|time| time.plus(self.offset));
        exact.map(Decimal::trimmed).unwrap_or_else(|| {
            let seconds = self.offset.value() + frame as f64 * self.shift.value();
            Decimal::of(seconds).unwrap_or(self.offset)
        })
    }

    /// Returns the frame that starts at exactly this time.
    pub fn frame(&self, time: Decimal) -> Option<u64> {
        self.nearest(time).filter(|frame| self.time(*frame) == time)
    }

    /// Returns the frame that starts at this time, up to rounding.
    pub(crate) fn frame_near(&self, time: Decimal) -> Option<u64> {
        let near = |frame: &u64| {
            let apart = self.time(*frame).value() - time.value();
            apart.abs() <= NEAR * self.shift.value()
        };
        self.nearest(time).filter(near)
    }

    /// Returns the frame with the nearest start, or `None` more than half a frame before the first.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    pub fn nearest(&self, time: Decimal) -> Option<u64> {
        let exact = time.minus(self.offset).and_then(|t| t.steps(self.shift));
        if let Some((frame, share)) = exact {
            return Some(frame + u64::from(share >= 0.5));
        }
        let n = ((time.value() - self.offset.value()) / self.shift.value()).round();
        (0.0..9e15).contains(&n).then_some(n as u64)
    }
}

impl Segment {
    /// Returns segments for runs of equal labels, or `None` unless there is one integer per frame.
    pub fn of_labels(labels: &Matrix, grid: &FrameGrid) -> Option<Vec<Self>> {
        if labels.dtype().is_float() || labels.cols() != 1 && labels.rows() > 0 {
            return None;
        }
        dispatch!(labels.dtype(), T => Some(runs(labels.as_slice::<T>()?, grid)))
    }

    /// Converts segments that tile the frames and have integers as labels to frame labels. `frames`
    /// is the number of frames, if known; otherwise the last segment needs an end.
    ///
    /// # Errors
    /// A label is not an integer, or the segments do not tile the frames.
    pub fn labels(
        segments: &[Self],
        grid: &FrameGrid,
        frames: Option<u64>,
        limits: &Limits,
    ) -> Result<Matrix> {
        let mut runs = Vec::with_capacity(segments.len());
        let mut at = 0;
        for (n, segment) in segments.iter().enumerate() {
            let label = Key::from(&*segment.label);
            let number: i64 = parse_integer(&segment.label).ok_or_else(|| {
                Error::unfit(format!("the label '{label}' of a segment is not a number"))
                    .suggest(Remedy::NumberNames)
            })?;
            let off = |time| {
                Error::unfit(format!(
                    "the segment '{label}' is not made of whole frames of {} s: {time}",
                    grid.shift
                ))
            };
            let start = grid
                .frame_near(segment.start)
                .ok_or_else(|| off(segment.start))?;
            if start != at {
                let what = if start > at {
                    "leave a gap before"
                } else {
                    "overlap at"
                };
                return Err(Error::unfit(format!("the segments {what} frame {start}")));
            }
            at = match segment.end {
                Some(end) => grid.frame_near(end).ok_or_else(|| off(end))?,
                None if n + 1 < segments.len() => {
                    let message = "a segment without an end is not the last";
                    return Err(Error::unfit(message));
                }
                None => frames
                    .filter(|frames| *frames >= at)
                    .ok_or_else(|| Error::unfit("the last segment has no end"))?,
            };
            runs.push((number, at - start));
        }
        match frames {
            Some(frames) if frames != at => {
                let message = format!("{frames} frames, but segments for {at}");
                return Err(Error::unfit(message));
            }
            None if at > CLAIMED => {
                let message = format!("the segments claim {at} frames, with no features to show");
                return Err(Error::limit(message).suggest(Remedy::JoinLabels));
            }
            _ => {}
        }
        let mut labels = Matrix::default();
        if runs.iter().all(|(n, _)| i32::try_from(*n).is_ok()) {
            let narrow = |(number, n): (i64, u64)| Some((i32::try_from(number).ok()?, n));
            fill(&mut labels, runs.into_iter().filter_map(narrow), at, limits)?;
        } else {
            fill(&mut labels, runs.into_iter(), at, limits)?;
        }
        Ok(labels)
    }
}

/// Returns a vector of `frames` elements from runs of equal ones.
fn fill<T: Element>(
    into: &mut Matrix,
    runs: impl Iterator<Item = (T, u64)>,
    frames: u64,
    limits: &Limits,
) -> Result<()> {
    into.reset(
        T::DTYPE,
        Rank::Vector,
        limits.bytes("a vector", frames)?,
        1,
        limits,
    )?;
    let mut rest = into.values_mut::<T>()?;
    for (value, n) in runs {
        let run = usize::try_from(n).ok();
        let Some((run, after)) = run.and_then(|n| rest.split_at_mut_checked(n)) else {
            return Err(Error::unfit("more frames in the segments than in all"));
        };
        run.fill(value);
        rest = after;
    }
    match rest.is_empty() {
        true => Ok(()),
        false => Err(Error::unfit("fewer frames in the segments than in all")),
    }
}

fn runs<T: Element>(labels: &[T], grid: &FrameGrid) -> Vec<Segment> {
    let mut frame = 0;
    let run = |run: &[T]| {
        let start = grid.time(frame);
        frame += run.len() as u64;
        let mut label = Vec::new();
        run.first().inspect(|value| value.print(&mut label));
        Segment::new(start, Some(grid.time(frame)), &label)
    };
    labels.chunk_by(|a, b| a == b).map(run).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn grid(shift: &str, offset: Option<&str>) -> FrameGrid {
        let offset = offset.and_then(Decimal::parse);
        FrameGrid::new(decimal(shift), offset).unwrap()
    }

    #[test]
    fn times_are_exact() {
        let plain = grid("0.010", None);
        assert_eq!(plain.time(3), decimal("0.03"));
        let shown = [0, 10, 100, 101].map(|n| plain.time(n).to_string());
        assert_eq!(shown, ["0", "0.1", "1", "1.01"]);
        assert_eq!(plain.frame(decimal("0.29")), Some(29));
        let near = Decimal::of(0.1 + 0.2).unwrap();
        assert_eq!(plain.frame(near), None);
        assert_eq!(plain.frame_near(near), Some(30));
        assert_eq!(plain.frame_near(decimal("0.3001")), None);
        assert_eq!(plain.frame(decimal("-0.01")), None);
        let shifted = grid("1e-2", Some("-0.0075"));
        assert_eq!(shifted.time(0), decimal("-0.0075"));
        assert_eq!(shifted.time(1), decimal("0.0025"));
        let long = grid("0.123456789012345678", None);
        assert_eq!(long.time(0), Decimal::ZERO);
        assert_eq!(
            long.time(1 << 40).value(),
            0.123_456_789_012_345_68 * 2f64.powi(40)
        );
        for shift in ["0", "-0.01"] {
            assert_eq!(FrameGrid::new(decimal(shift), None), None);
        }
        assert_eq!(FrameGrid::usual(), grid("0.01", None));
    }

    fn segments(text: &str) -> Vec<Segment> {
        let segment = |word: &str| {
            let mut parts = word.split(':');
            let mut next = || parts.next().unwrap();
            let label = next();
            let start = decimal(next());
            Segment::new(start, Decimal::parse(next()), label.as_bytes())
        };
        text.split(' ').map(segment).collect()
    }

    fn labels(text: &str, frames: Option<u64>) -> Result<Matrix> {
        Segment::labels(
            &segments(text),
            &FrameGrid::usual(),
            frames,
            &Limits::default(),
        )
    }

    #[test]
    fn segments_that_tile_the_frames_are_labels() {
        let short = labels("7:0:0.02 -1:0.02:0.03", None).unwrap();
        assert_eq!(short.as_slice::<i32>().unwrap(), [7, 7, -1]);
        let open = labels("7:0:0.02 5000000000:0.02:-", Some(4)).unwrap();
        let long = [7i64, 7, 5_000_000_000, 5_000_000_000];
        assert_eq!(open.as_slice::<i64>().unwrap(), long);
    }

    #[test]
    fn other_segments_are_refused() {
        for (text, frames) in [
            ("a:0:0.02", None),
            ("1:0.01:0.02", None),
            ("1:0:0.02 2:0.01:0.03", None),
            ("1:0:0.015", None),
            ("1:0:-", None),
            ("1:0:- 2:0:1", Some(9)),
            ("1:0:0.02", Some(3)),
        ] {
            let error = labels(text, frames).unwrap_err();
            assert_eq!(
                error.kind(),
                crate::error::ErrorKind::Unfit,
                "{text}: {error}"
            );
        }
        let huge = labels("1:0:1e12", None).unwrap_err();
        assert_eq!(huge.kind(), crate::error::ErrorKind::Limit);
    }

    proptest! {
        #[test]
        fn labels_come_back(values in prop::collection::vec(0..3i32, 1..60), offset: bool) {
            let grid = grid("0.0125", offset.then_some("0.00625"));
            let matrix = Matrix::from_rows(&values, 1, Rank::Vector).unwrap();
            let segments = Segment::of_labels(&matrix, &grid).unwrap();
            prop_assert!(segments.iter().all(|s| s.is_proper()));
            for frames in [None, Some(values.len() as u64)] {
                let back = Segment::labels(&segments, &grid, frames, &Limits::default()).unwrap();
                prop_assert_eq!(back.as_slice::<i32>().unwrap(), &values[..]);
            }
        }

        #[test]
        fn every_frame_has_its_time(n in 0..1_000_000_000u64, shift in 1..100_000u32, power in 1..7) {
            let grid = grid(&format!("{shift}e-{power}"), None);
            prop_assert_eq!(grid.frame(grid.time(n)), Some(n));
        }
    }
}
