//! Numbers of any type as one type.

use spr_core::model::{Element, Wide};

/// Returns the `f64` that is nearest to a number of any type.
#[expect(clippy::cast_precision_loss, reason = "large integers are rounded")]
pub fn number<T: Element>(value: T) -> f64 {
    match value.to_wide() {
        Wide::Int(v) => v as f64,
        Wide::Float(v) => v,
    }
}
