//! What a picture consists of, whatever it is stored as.

use super::colour::Rgb;

/// A picture: items in the order in which they are painted.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Points from left to right.
    pub width: u32,
    /// Points from top to bottom.
    pub height: u32,
    /// Pixels in a point.
    pub scale: f64,
    /// What it says, for those who can't see it.
    pub title: String,
    /// What is on it.
    pub items: Vec<Item>,
}

impl Default for Scene {
    /// Nothing, with a pixel a point.
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

/// A part of a picture, in points from the upper left corner.
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

/// Which point of a text its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// What a colour means; a page may choose its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Titles.
    Text,
    /// Numbers at axes.
    Muted,
    /// Lines behind the data.
    Faint,
    /// The data.
    Data,
    /// What surrounds the data, such as deviations.
    Soft,
    /// This colour.
    Fixed(Rgb),
}

/// A thing on a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A filled rectangle.
    Rect {
        /// Where.
        area: Area,
        /// In which colour.
        ink: Ink,
    },
    /// A line of text, 12 points high.
    Text {
        /// Where the point is that `align` names.
        x: f64,
        /// The line on which it stands.
        y: f64,
        /// What `x` is.
        align: Align,
        /// In which colour.
        ink: Ink,
        /// The text.
        text: String,
    },
    /// A field of coloured cells.
    Grid {
        /// Where.
        area: Area,
        /// Cells in a row.
        cols: usize,
        /// Places on the colour scale, row by row from the top; 255 stands for no value.
        cells: Vec<u8>,
    },
}

impl Scene {
    /// Pixels from left to right and from top to bottom; one at least.
    pub fn pixels(&self) -> (u32, u32) {
        let pixels = |points: u32| {
            let scaled = (f64::from(points) * self.scale).round();
            u32::try_from(super::whole(scaled)).map_or(u32::MAX, |n| n.max(1))
        };
        (pixels(self.width), pixels(self.height))
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
