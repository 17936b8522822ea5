//! Streams of lilcom, the compression of features that Lhotse uses by default.
//!
//! A stream is one array of floats: `L`, a zero byte, and then integers of drifting width, first
//! those of the header, then one for each value. Values are multiples of a power of two, the tick,
//! added to a prediction from the values before along each axis. A stream has neither a length nor
//! a checksum: it ends with its last value.
//!
//! ```
//! use spr_core::Limits;
//! use spr_core::bytes::Source;
//! use spr_core::model::Matrix;
//! use spr_syntax::lilcom::{Decoder, Encoder};
//!
//! let (bytes, loss) = Encoder::default().encode(&[1.0, -0.5], &[2])?;
//! assert_eq!(loss.max_abs_err, 0.0);
//! let mut source = Source::from_bytes("demo", bytes)?;
//! let mut values = Matrix::default();
//! Decoder::open(&mut source)?.read(&mut values, &Limits::default())?;
//! assert_eq!(values.values::<f32>()?, [1.0, -0.5]);
//! # Ok::<(), spr_core::Error>(())
//! ```

mod bits;
mod decode;
mod encode;
mod header;
mod integers;
mod regression;
#[cfg(test)]
mod tests;

pub use decode::Decoder;
pub use encode::{Encoder, check_finite};
pub use header::Header;

/// The first bytes of a stream: the letter, and the only version there is.
const MAGIC: &[u8] = b"L\0";

/// The scale of the coefficients of predictions.
const SCALE: f32 = 256.0;

/// Returns 2 to the power of `tick`, which is from -20 to 20 or its negative.
fn power(tick: i32) -> f32 {
    2f32.powi(tick)
}

/// Returns an integer that is stored without sign: 0, -1, 1, -2 and so on.
#[inline]
fn signed(stored: u32) -> i32 {
    (stored >> 1).cast_signed() ^ -(stored & 1).cast_signed()
}

/// Returns an integer as it is stored.
#[inline]
fn unsigned(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)).cast_unsigned()
}
