//! The header of a stream.

use super::integers::{IntegerReader, LONGEST};
use super::{MAGIC, signed};

/// The largest number of axes that is read.
const MOST_AXES: usize = 16;
/// The largest coefficient, which stands for 1.
const MOST_COEFFICIENT: i32 = 256;

/// The header of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The power of two of which values are multiples, before predictions are added.
    pub tick: i32,
    /// The sizes of the axes, each at least 1.
    pub shape: Vec<u64>,
    /// The weight of the value before along each axis, in units of 1/256.
    pub(super) coefficients: Vec<i32>,
}

/// Why bytes are not a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HeaderFault {
    /// They end too early.
    Short,
    /// They are of a version that is not known.
    Version(u8),
    /// They are something else.
    Wrong(String),
}

impl Header {
    /// The bytes that a header may take.
    pub(super) const LONGEST: usize = MAGIC.len() + (3 + 2 * MOST_AXES) * LONGEST;

    /// Returns the header at the start of `head`, if there is a valid one.
    pub fn of(head: &[u8]) -> Option<Self> {
        Self::parse(head).ok().map(|(header, _)| header)
    }

    /// Returns the numbers of rows and columns of a vector or matrix, which is what features are.
    pub fn matrix(&self) -> Option<(u64, u64)> {
        match *self.shape {
            [rows] => Some((rows, 1)),
            [rows, cols] => Some((rows, cols)),
            _ => None,
        }
    }

    /// Parses a header, and returns the reader of the values after it.
    pub(super) fn parse(head: &[u8]) -> Result<(Self, IntegerReader), HeaderFault> {
        let wrong = |what: String| Err(HeaderFault::Wrong(what));
        match *head {
            [b'L', 0, ..] => {}
            [b'L', version, ..] => return Err(HeaderFault::Version(version)),
            [] | [b'L'] => return Err(HeaderFault::Short),
            _ => return wrong("no lilcom stream, which starts with L".into()),
        }
        let mut integers = IntegerReader::start(MAGIC.len(), head);
        let mut next = || {
            let value = signed(integers.next(head));
            match (integers.bits.used() > head.len(), integers.fault) {
                (true, _) => Err(HeaderFault::Short),
                (_, Some(fault)) => Err(HeaderFault::Wrong(fault.into())),
                _ => Ok(value),
            }
        };
        let axes = next()?;
        let Some(axes @ 1..=MOST_AXES) = usize::try_from(axes).ok() else {
            return wrong(format!("{axes} axes, expected 1 to {MOST_AXES}"));
        };
        let tick = next()?;
        if !super::encode::TICKS.contains(&tick) {
            return wrong(format!("the tick 2^{tick}, expected 2^-20 to 2^20"));
        }
        let (mut shape, mut coefficients) = (Vec::new(), Vec::new());
        for axis in 0..axes {
            let size = next()?;
            match u64::try_from(size) {
                Ok(size @ 1..) => shape.push(size),
                _ => return wrong(format!("axis {axis} of size {size}")),
            }
            let coefficient = next()?;
            if coefficient.unsigned_abs() > MOST_COEFFICIENT.unsigned_abs() {
                let most = MOST_COEFFICIENT;
                return wrong(format!(
                    "the coefficient {coefficient} of axis {axis}, expected -{most} to {most}"
                ));
            }
            coefficients.push(coefficient);
        }
        let header = Self {
            tick,
            shape,
            coefficients,
        };
        Ok((header, integers))
    }
}
