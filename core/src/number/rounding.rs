//! Double rounding to narrow floats. Rounding to nearest twice may miss the nearest value. If an
//! inexact first step sets its last bit, the second step is right.

/// Returns an `f32` that rounds to the same narrower float as `value`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what is lost shows in the last bit"
)]
pub(super) fn to_f32(value: f64) -> f32 {
    let near = value as f32;
    let wide = f64::from(near);
    if wide == value || value.is_nan() {
        return near;
    }
    let past = wide.abs() > value.abs();
    f32::from_bits((near.to_bits() - u32::from(past)) | 1)
}

/// Returns an `f64` that rounds to the same narrower float as `value`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "what is lost shows in the last bit"
)]
pub(super) fn to_f64(value: i128) -> f64 {
    let near = value as f64;
    let whole = near as i128;
    if whole == value {
        return near;
    }
    let past = whole.unsigned_abs() > value.unsigned_abs();
    f64::from_bits((near.to_bits() - u64::from(past)) | 1)
}

#[cfg(test)]
mod tests {
    use crate::number::{Element, Wide, bf16, f16};

    /// A value slightly above the middle of two others belongs to the upper one.
    #[test]
    fn narrow_floats_are_the_nearest_ones() {
        let hair = f64::EPSILON;
        for (value, nearest) in [
            (1.0 + 0.5f64.powi(11), 1.0),
            (1.0 + 0.5f64.powi(11) + hair, 1.0 + 0.5f64.powi(10)),
            (1.0 + 3.0 * 0.5f64.powi(11) - hair, 1.0 + 0.5f64.powi(10)),
            (-1.0 - 0.5f64.powi(11) - hair, -1.0 - 0.5f64.powi(10)),
            (0.5f64.powi(25), 0.0),
            (0.5f64.powi(25) * (1.0 + hair), 0.5f64.powi(24)),
            (65_519.999_999_999, 65504.0),
            (65520.0, f64::INFINITY),
            (-1e300, f64::NEG_INFINITY),
            (1e-300, 0.0),
        ] {
            assert_eq!(
                f16::nearest(Wide::Float(value)).to_f64(),
                nearest,
                "{value:e}"
            );
        }
        assert!(f16::nearest(Wide::Float(f64::NAN)).is_nan());
        for (value, nearest) in [
            (1.0 + 0.5f64.powi(8), 1.0),
            (1.0 + 0.5f64.powi(8) + hair, 1.0 + 0.5f64.powi(7)),
        ] {
            assert_eq!(
                bf16::nearest(Wide::Float(value)).to_f64(),
                nearest,
                "{value:e}"
            );
        }
        let middle = (1i128 << 62) + (1 << 54);
        for (value, nearest) in [(middle, 1i128 << 62), (middle + 1, (1 << 62) + (1 << 55))] {
            for sign in [1, -1] {
                let narrow = bf16::nearest(Wide::Int(sign * value));
                assert_eq!(narrow.to_f64(), (sign * nearest) as f64, "{value}");
            }
        }
        assert_eq!(
            f16::parse(b"1.00048828125000022"),
            Some(f16::from_f32(1.000_976_6))
        );
    }

    #[test]
    fn narrow_floats_hold_no_numbers_beyond_their_range() {
        for (text, held) in [
            (&b"65519"[..], true),
            (b"65520", false),
            (b"-7e4", false),
            (b"1e-30", true),
        ] {
            assert_eq!(f16::parse(text).is_some(), held, "{}", text.escape_ascii());
        }
        assert!(bf16::parse(b"3.4e38").is_none() && bf16::parse(b"3e38").is_some());
    }
}
