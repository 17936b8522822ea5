//! The frame of a chart: its axes and the numbers along them.

use super::scene::{Align, Area, Ink, LETTER, Scene};
use super::ticks::{numbers, ticks};
use super::words::{shortened, whole};

/// The width of a number in pixels, with the space around it.
const NUMBER: f64 = 64.0;
const LINE: f64 = 28.0;
/// The height of a row name in pixels.
const ROW: f64 = 12.0;

/// The area of a chart with the values at its edges.
pub(super) struct Axes {
    pub(super) area: Area,
    /// The values at the left and right edges.
    pub(super) x: (f64, f64),
    /// The values at the bottom and top edges.
    pub(super) y: (f64, f64),
}

impl Axes {
    pub(super) fn px(&self, value: f64) -> f64 {
        self.area.x + share(value, self.x) * self.area.w
    }

    pub(super) fn py(&self, value: f64) -> f64 {
        self.area.y + (1.0 - share(value, self.y)) * self.area.h
    }

    /// Draws at most `most` numbers on the left, with grid lines if `lines` is set.
    pub(super) fn left(&self, lines: bool, most: usize, scene: &mut Scene) {
        let Area { x, w, h, .. } = self.area;
        let most = whole(h / LINE).clamp(1, most.max(1));
        let mut marks = ticks(self.y.0, self.y.1, most);
        if lines && marks.len() < 2 && most > 1 && self.y.0 < self.y.1 {
            // Two ends tell more than a single round number between them.
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

    /// Draws the names of rows on the left, as many as fit, at most `most`. The first row is the
    /// lowest.
    pub(super) fn rows(&self, titles: &[String], most: usize, scene: &mut Scene) {
        let Area { x, y, h, .. } = self.area;
        let each = h / titles.len().max(1) as f64;
        let every = whole((ROW / each).ceil()).max(1);
        for (i, title) in titles.iter().enumerate().step_by(every) {
            let y = y + h - (i as f64 + 0.5) * each + 4.0;
            let title = shortened(title, most);
            scene.text(x - 7.0, y, Align::End, Ink::Muted, title);
        }
    }

    /// Draws numbers below the chart, with the unit behind the last one.
    pub(super) fn below(&self, unit: &str, scene: &mut Scene) {
        let Area { x, y, w, h } = self.area;
        let span = self.x.1 - self.x.0;
        // There are no half frames.
        let most = match unit {
            "s" | "" => w,
            _ => span.max(1.0),
        };
        let most = whole(most.min(w / NUMBER)).max(1);
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

/// Returns the position of a value between the ends, from 0 to 1; the middle if the ends are equal.
fn share(value: f64, (from, to): (f64, f64)) -> f64 {
    let share = (value - from) / (to - from);
    if share.is_finite() { share } else { 0.5 }
}
