//! Pictures as items, independent of the output format.

use super::colour::Rgb;
use super::words::{whole, wrapped};

/// The approximate width of a letter in pixels.
pub(super) const LETTER: f64 = 7.0;

/// The distance of the lines of a title.
const TITLE_LINE: f64 = 16.0;

/// A picture: items in the order in which they are painted.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The width in points.
    pub width: u32,
    /// The height in points.
    pub height: u32,
    /// Pixels per point.
    pub scale: f64,
    /// The description for screen readers.
    pub title: String,
    /// The items.
    pub items: Vec<Item>,
}

impl Default for Scene {
    /// Returns an empty scene of one pixel per point.
    fn default() -> Self {
        Self {
            width: 0,
            height: 0,
            scale: 1.0,
            title: String::new(),
            items: Vec::new(),
        }
    }
}

/// A rectangle, in points from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// Its width.
    pub w: f64,
    /// Its height.
    pub h: f64,
}

/// The anchor of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// The start of the text.
    Start,
    /// The middle of the text.
    Middle,
    /// The end of the text.
    End,
}

/// The role of a colour; a page may choose its own.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Titles.
    Text,
    /// Numbers along axes.
    Muted,
    /// Lines behind the data.
    Faint,
    /// The data.
    Data,
    /// The surroundings of the data, such as deviations.
    Soft,
    /// A fixed colour.
    Fixed(Rgb),
}

impl Ink {
    /// Returns its colour on white paper.
    pub(super) fn on_paper(self) -> Rgb {
        match self {
            Self::Text => [0x22; 3],
            Self::Muted => [0x66; 3],
            Self::Faint => [0xe4; 3],
            Self::Data => [0x31, 0x68, 0x8e],
            Self::Soft => [0xa9, 0xc4, 0xd6],
            Self::Fixed(colour) => colour,
        }
    }
}

/// An item of a picture.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A filled rectangle.
    Rect {
        /// The rectangle.
        area: Area,
        /// Its colour.
        ink: Ink,
    },
    /// A line of text, 12 points high.
    Text {
        /// The horizontal position of the anchor.
        x: f64,
        /// The baseline.
        y: f64,
        /// The anchor.
        align: Align,
        /// Its colour.
        ink: Ink,
        /// The text.
        text: String,
    },
    /// A grid of coloured cells.
    Grid {
        /// Its rectangle.
        area: Area,
        /// Cells in a row.
        cols: usize,
        /// Scale positions, row by row from the top; 255 marks a missing value.
        cells: Vec<u8>,
    },
}

impl Scene {
    /// Returns the width and height in pixels, at least one.
    pub fn pixels(&self) -> (u32, u32) {
        let pixels = |points: u32| {
            let scaled = (f64::from(points) * self.scale).round();
            u32::try_from(whole(scaled)).map_or(u32::MAX, |n| n.max(1))
        };
        (pixels(self.width), pixels(self.height))
    }

    /// Puts a title above all items, in as many lines as it needs.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        let lines = wrapped(title, whole((f64::from(self.width) - 16.0) / LETTER).max(8));
        let room = lines.len() as f64 * TITLE_LINE + 8.0;
        for item in &mut self.items {
            match item {
                Item::Rect { area, .. } | Item::Grid { area, .. } => area.y += room,
                Item::Text { y, .. } => *y += room,
            }
        }
        let middle = f64::from(self.width) / 2.0;
        for (i, line) in lines.into_iter().enumerate() {
            let y = 17.0 + i as f64 * TITLE_LINE;
            self.text(middle, y, Align::Middle, Ink::Text, line);
        }
        let room = u32::try_from(whole(room)).unwrap_or(u32::MAX);
        self.height = self.height.saturating_add(room);
        title.clone_into(&mut self.title);
        self
    }

    pub(super) fn rect(&mut self, x: f64, y: f64, w: f64, h: f64, ink: Ink) {
        let area = Area { x, y, w, h };
        self.items.push(Item::Rect { area, ink });
    }

    pub(super) fn text(&mut self, x: f64, y: f64, align: Align, ink: Ink, text: impl Into<String>) {
        self.items.push(Item::Text {
            x,
            y,
            align,
            ink,
            text: text.into(),
        });
    }
}
