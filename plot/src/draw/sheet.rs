//! A scene that grows downwards, one field after the other.

use super::legend::Legend;
use crate::axes::Axes;
use crate::colour::Colours;
use crate::scene::{Align, Area, Ink, LETTER, Scene};
use crate::words::{shortened, whole, wrapped};

/// The margins: numbers on the left; on the right the colour scale or the end of a line of numbers.
pub(super) const LEFT: f64 = 64.0;
pub(super) const SCALE: f64 = 76.0;
pub(super) const RIGHT: f64 = 60.0;
/// The heights of a title and of a line of numbers below a chart.
pub(super) const TITLE: f64 = 32.0;
pub(super) const NUMBERS: f64 = 30.0;
/// The height of the caption above a field.
pub(super) const CAPTION: f64 = 15.0;
/// The smallest height of a field that is fitted.
pub(super) const LEAST: f64 = 24.0;
/// More numbers than fit along an axis.
pub(super) const MANY: usize = 100;

/// The largest number of letters of a label in the list.
const LETTERS: usize = 20;
/// The size of the coloured square, and the gaps to its label and to the next entry.
const SQUARE: f64 = 10.0;
const GAP: f64 = 4.0;
const APART: f64 = 14.0;
const LINE: f64 = 16.0;

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The width in points.
    pub width: u32,
    /// The approximate height in points; `None` for the default.
    pub height: Option<u32>,
    /// Pixels per point.
    pub scale: f64,
}

impl From<u32> for Size {
    /// Returns a size of this width in pixels.
    fn from(width: u32) -> Self {
        Self {
            width,
            height: None,
            scale: 1.0,
        }
    }
}

/// A scene that grows downwards.
pub(super) struct Sheet {
    pub(super) scene: Scene,
    pub(super) y: f64,
    /// The left and the right margin.
    pub(super) margins: (f64, f64),
    /// The factor by which fields are stretched.
    stretch: f64,
    /// The height of all fields that can be stretched.
    pub(super) fields: f64,
    pub(super) legend: Legend,
}

impl Sheet {
    pub(super) fn new(size: Size, margins: (f64, f64), stretch: f64) -> Self {
        Self {
            scene: Scene {
                width: size.width.clamp(240, 8000),
                scale: size.scale,
                ..Scene::default()
            },
            y: 0.0,
            margins,
            stretch,
            fields: 0.0,
            legend: Legend::default(),
        }
    }

    /// Returns the width between the margins, in pixels.
    pub(super) fn inner(&self) -> f64 {
        let (left, right) = self.margins;
        (f64::from(self.scene.width) - left - right).max(1.0)
    }

    /// Draws a title followed by facts. If there is too little space, the title is cut; without facts
    /// it goes over several lines.
    pub(super) fn title(&mut self, text: &str, facts: &[String]) {
        let fit = whole((f64::from(self.scene.width) - 16.0) / LETTER);
        let facts: String = facts.iter().map(|fact| format!(", {fact}")).collect();
        let room = fit.saturating_sub(facts.chars().count()).max(8);
        let lines = match facts.is_empty() {
            true => wrapped(text, room),
            false => vec![shortened(text, room) + &facts],
        };
        for (i, line) in lines.into_iter().enumerate() {
            self.y += if i > 0 { LINE } else { 0.0 };
            let y = self.y + 19.0;
            self.scene.text(8.0, y, Align::Start, Ink::Text, line);
        }
        self.y += TITLE;
    }

    /// Appends a field of fixed height.
    pub(super) fn fixed(&mut self, height: f64, x: (f64, f64), y: (f64, f64)) -> Axes {
        let area = Area {
            x: self.margins.0,
            y: self.y,
            w: self.inner(),
            h: height,
        };
        self.y += height;
        Axes { area, x, y }
    }

    /// Appends a field that is stretched to fit the picture's height.
    pub(super) fn field(&mut self, height: f64, x: (f64, f64), y: (f64, f64)) -> Axes {
        let height = match self.stretch {
            1.0 => height,
            stretch => (height * stretch).max(LEAST),
        };
        self.fields += height;
        self.fixed(height, x, y)
    }

    /// Draws the captions of the left numbers and of the colours, above a field.
    pub(super) fn caption(&mut self, left: &str, right: &str) {
        let (x, end) = (self.margins.0, self.margins.0 + self.inner() + 12.0);
        let y = self.y + 9.0;
        self.scene.text(end, y, Align::Start, Ink::Muted, right);
        let fit = match right {
            "" => f64::from(self.scene.width) - x,
            _ => self.inner(),
        };
        for line in wrapped(left, whole(fit / LETTER).max(8)) {
            let y = self.y + 9.0;
            self.scene.text(x, y, Align::Start, Ink::Muted, line);
            self.y += CAPTION;
        }
    }
}

impl Sheet {
    /// Draws the colours of labels and notes on them.
    pub(super) fn legend(&mut self, colours: &Colours) {
        let legend = std::mem::take(&mut self.legend);
        let entries = legend.entries();
        let (left, end) = (self.margins.0, f64::from(self.scene.width) - 8.0);
        let mut x = left;
        for label in &entries {
            let text = shortened(label, LETTERS);
            let width = SQUARE + GAP + text.chars().count() as f64 * LETTER;
            if x > left && x + width > end {
                (x, self.y) = (left, self.y + LINE);
            }
            let colour = Ink::Fixed(colours.get(label));
            self.scene.rect(x, self.y, SQUARE, SQUARE, colour);
            let (at, y) = (x + SQUARE + GAP, self.y + 9.0);
            self.scene.text(at, y, Align::Start, Ink::Muted, text);
            x += width + APART;
        }
        if !entries.is_empty() {
            self.y += LINE + GAP;
        }
        if let Some(note) = colours.note() {
            self.caption(&note, "");
            self.y += CAPTION / 2.0;
        }
    }
}
