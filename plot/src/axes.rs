//! The frame of a chart: where values lie, and the numbers around them.

use super::scene::{Align, Area, Ink, Scene};
use super::ticks::ticks;

/// Pixels that a number takes, with room around it.
const NUMBER: f64 = 64.0;
const LINE: f64 = 28.0;

/// A field of a scene and the values at its sides.
pub(super) struct Axes {
    pub(super) area: Area,
    /// At the left and at the right side.
    pub(super) x: (f64, f64),
    /// At the lower and at the upper side.
    pub(super) y: (f64, f64),
}

impl Axes {
    pub(super) fn px(&self, value: f64) -> f64 {
        self.area.x + share(value, self.x) * self.area.w
    }

    pub(super) fn py(&self, value: f64) -> f64 {
        self.area.y + (1.0 - share(value, self.y)) * self.area.h
    }

    /// Numbers on the left, with lines across if `lines` is set, so many at most.
    pub(super) fn left(&self, lines: bool, most: usize, scene: &mut Scene) {
        let Area { x, w, h, .. } = self.area;
        let most = super::whole(h / LINE).clamp(1, most.max(1));
        for (value, text) in ticks(self.y.0, self.y.1, most) {
            let y = self.py(value);
            match lines {
                true => scene.rect(x, y, w, 1.0, Ink::Faint),
                false => scene.rect(x - 4.0, y, 4.0, 1.0, Ink::Muted),
            }
            scene.text(x - 7.0, y + 4.0, Align::End, Ink::Muted, text);
        }
    }

    /// Numbers below, and what they are behind the last one.
    pub(super) fn below(&self, unit: &str, scene: &mut Scene) {
        let Area { x, y, w, h } = self.area;
        let end = x + w - (unit.chars().count() * 8) as f64;
        let span = self.x.1 - self.x.0;
        // Half a frame is none.
        let most = if ["s", ""].contains(&unit) {
            w
        } else {
            span.max(1.0)
        };
        let most = super::whole(most.min(w / NUMBER)).max(1);
        for (value, text) in ticks(self.x.0, self.x.1, most) {
            let at = self.px(value);
            scene.rect(at, y + h, 1.0, 4.0, Ink::Muted);
            if unit.is_empty() || at + (text.len() * 4) as f64 + 4.0 < end {
                scene.text(at, y + h + 17.0, Align::Middle, Ink::Muted, text);
            }
        }
        scene.text(x + w, y + h + 17.0, Align::End, Ink::Muted, unit);
    }
}

/// Where a value lies between the ends, in the middle if they are the same.
fn share(value: f64, (from, to): (f64, f64)) -> f64 {
    let share = (value - from) / (to - from);
    if share.is_finite() { share } else { 0.5 }
}
