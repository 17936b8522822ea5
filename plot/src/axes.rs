//! The frame of a chart: where values lie, and the numbers around them.

use super::scene::{Align, Area, Ink, Scene};
use super::shortened;
use super::ticks::{numbers, ticks};

/// Pixels that a number takes, with room around it.
const NUMBER: f64 = 64.0;
const LINE: f64 = 28.0;
/// Letters are about this wide.
pub(super) const LETTER: f64 = 7.0;
/// What the name of a row takes.
const ROW: f64 = 12.0;

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
        let mut marks = ticks(self.y.0, self.y.1, most);
        if lines && marks.len() < 2 && most > 1 && self.y.0 < self.y.1 {
            // The ends say more than the only round number between them.
            let (low, high) = self.y;
            let texts = numbers(&[low, high], (high - low) / 50.0);
            marks = [low, high].into_iter().zip(texts).collect();
        }
        for (value, text) in marks {
            let y = self.py(value);
            match lines {
                true => scene.rect(x, y, w, 1.0, Ink::Faint),
                false => scene.rect(x - 4.0, y, 4.0, 1.0, Ink::Muted),
            }
            scene.text(x - 7.0, y + 4.0, Align::End, Ink::Muted, text);
        }
    }

    /// The names of so many rows at the left, of as many as there is room for; the first is the lowest.
    pub(super) fn rows(&self, titles: &[String], most: usize, scene: &mut Scene) {
        let Area { x, y, h, .. } = self.area;
        let each = h / titles.len().max(1) as f64;
        let every = super::whole((ROW / each).ceil()).max(1);
        for (i, title) in titles.iter().enumerate().step_by(every) {
            let y = y + h - (i as f64 + 0.5) * each + 4.0;
            let title = shortened(title, most);
            scene.text(x - 7.0, y, Align::End, Ink::Muted, title);
        }
    }

    /// Numbers below, and what they are behind the last one.
    pub(super) fn below(&self, unit: &str, scene: &mut Scene) {
        let Area { x, y, w, h } = self.area;
        let span = self.x.1 - self.x.0;
        // Half a frame is none.
        let most = match unit {
            "s" | "" => w,
            _ => span.max(1.0),
        };
        let most = super::whole(most.min(w / NUMBER)).max(1);
        let marks = ticks(self.x.0, self.x.1, most);
        let half = |text: &str| text.chars().count() as f64 * LETTER / 2.0;
        let last = marks
            .last()
            .map_or(x, |(value, text)| self.px(*value) + half(text));
        let end = (x + w).max(last + 6.0 + 2.0 * half(unit));
        let end = end.min(f64::from(scene.width) - 4.0);
        let start = end - 2.0 * half(unit);
        for (value, text) in marks {
            let at = self.px(value);
            scene.rect(at, y + h, 1.0, 4.0, Ink::Muted);
            if unit.is_empty() || at + half(&text) + 4.0 < start {
                scene.text(at, y + h + 17.0, Align::Middle, Ink::Muted, text);
            }
        }
        scene.text(end, y + h + 17.0, Align::End, Ink::Muted, unit);
    }
}

/// Where a value lies between the ends, in the middle if they are the same.
fn share(value: f64, (from, to): (f64, f64)) -> f64 {
    let share = (value - from) / (to - from);
    if share.is_finite() { share } else { 0.5 }
}
