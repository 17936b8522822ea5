//! Rasterised scenes.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster};
use spr_core::text::harmless;

use super::colour::{Rgb, mixed, scale};
use super::png::{Pixels, encode};
use super::scene::{Align, Area, Ink, Item, Scene};
use super::words::whole;

/// The height and width of a letter in points, with the baseline at the 13th.
const HIGH: f64 = 16.0;
const WIDE: f64 = 7.0;
const LINE: f64 = 13.0;

/// Encodes the scene as a PNG of at least one pixel, on white.
pub fn png(scene: &Scene) -> Vec<u8> {
    let (width, height) = scene.pixels();
    let mut canvas = Canvas::new(width, height, scene.scale);
    for item in &scene.items {
        canvas.paint(item);
    }
    encode(width, height, &Pixels::Rgb(&canvas.bytes))
}

/// Returns `true` if the font has letters for all text of the scene. Others become question marks.
pub fn has_letters(scene: &Scene) -> bool {
    scene.items.iter().all(|item| match item {
        Item::Text { text, .. } => harmless(text).chars().all(|c| raster(c, 1.0).is_some()),
        _ => true,
    })
}

/// Returns a letter for pictures of `scale` pixels per point.
fn raster(c: char, scale: f64) -> Option<RasterizedChar> {
    let height = match scale > 1.0 {
        true => RasterHeight::Size32,
        false => RasterHeight::Size16,
    };
    get_raster(c, FontWeight::Regular, height)
}

/// An image of three bytes per pixel, row by row from the top.
struct Canvas {
    /// Pixels per point.
    scale: f64,
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Canvas {
    fn new(width: u32, height: u32, scale: f64) -> Self {
        let (width, height) = (width as usize, height as usize);
        Self {
            scale,
            width,
            height,
            bytes: vec![255; width * height * 3],
        }
    }

    fn paint(&mut self, item: &Item) {
        match item {
            Item::Rect { area, ink } => self.fill(area, |_, _| ink.on_paper()),
            Item::Grid { area, cols, cells } => {
                let rows = cells.len().checked_div(*cols).unwrap_or(0);
                self.fill(area, |x, y| {
                    let col = whole(x * *cols as f64).min(cols.saturating_sub(1));
                    let row = whole(y * rows as f64).min(rows.saturating_sub(1));
                    scale(cells.get(row * cols + col).copied().unwrap_or_default())
                });
            }
            Item::Text {
                x,
                y,
                align,
                ink,
                text,
            } => self.write(*x, *y, *align, *ink, text),
        }
    }

    /// Fills an area, where `of` returns the colour of a point in it, from 0 to 1 each way. Areas
    /// thinner than a pixel take one.
    fn fill(&mut self, area: &Area, of: impl Fn(f64, f64) -> Rgb) {
        let span = |from: f64, size: f64, most: usize| {
            let first = whole(from.round());
            let last = whole((from + size).round()).max(first + 1);
            first.min(most)..last.min(most)
        };
        if !(area.w > 0.0 && area.h > 0.0) {
            return;
        }
        let [left, top, w, h] = [area.x, area.y, area.w, area.h].map(|v| v * self.scale);
        for row in span(top, h, self.height) {
            for col in span(left, w, self.width) {
                let x = (col as f64 + 0.5 - left) / w;
                let y = (row as f64 + 0.5 - top) / h;
                self.set(col, row, of(x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)), 1.0);
            }
        }
    }

    fn write(&mut self, x: f64, y: f64, align: Align, ink: Ink, text: &str) {
        let text = harmless(text);
        let wide = WIDE * self.scale;
        let length = text.chars().count() as f64 * wide;
        let x = x * self.scale;
        let left = match align {
            Align::Start => x,
            Align::Middle => x - length / 2.0,
            Align::End => x - length,
        };
        let top = ((y - LINE) * self.scale).floor();
        for (i, c) in text.chars().enumerate() {
            let letter = raster(c, self.scale).or_else(|| raster('?', self.scale));
            if let Some(letter) = letter {
                let left = left.round() + (i as f64 * wide).round();
                self.letter(&letter, left, top, ink.on_paper());
            }
        }
    }

    /// Draws a letter from its upper left corner. Pixels are as opaque as their covered part.
    fn letter(&mut self, letter: &RasterizedChar, left: f64, top: f64, colour: Rgb) {
        let rows: Vec<_> = letter.rows().collect();
        let across = letter.width() as f64 / (WIDE * self.scale).round();
        let down = letter.height() as f64 / (HIGH * self.scale).round();
        let strength = |x: f64, y: f64| {
            let (mut sum, mut all) = (0.0, 0.0);
            for (row, high) in overlaps(y * down, (y + 1.0) * down) {
                for (col, wide) in overlaps(x * across, (x + 1.0) * across) {
                    let value = rows.get(row).and_then(|row| row.get(col));
                    sum += high * wide * f64::from(value.copied().unwrap_or(0));
                    all += high * wide;
                }
            }
            sum / all / 255.0
        };
        let (wide, high) = (
            whole((WIDE * self.scale).round()),
            whole((HIGH * self.scale).round()),
        );
        for row in 0..high {
            for col in 0..wide {
                let (x, y) = (left + col as f64, top + row as f64);
                let share = strength(col as f64, row as f64);
                if x >= 0.0 && y >= 0.0 && share > 0.0 {
                    self.set(whole(x), whole(y), colour, share);
                }
            }
        }
    }

    fn set(&mut self, col: usize, row: usize, colour: Rgb, share: f64) {
        if col >= self.width {
            return;
        }
        let at = (row * self.width + col) * 3;
        if let Some(pixel) = self.bytes.get_mut(at..at + 3) {
            for (old, new) in pixel.iter_mut().zip(colour) {
                *old = mixed(*old, new, share);
            }
        }
    }
}

/// Returns the cells between two positions, each with its covered part.
fn overlaps(from: f64, to: f64) -> impl Iterator<Item = (usize, f64)> {
    let cells = whole(from)..whole(to.ceil());
    cells.filter_map(move |cell| {
        let part = to.min((cell + 1) as f64) - from.max(cell as f64);
        (part > 1e-9).then_some((cell, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_decoder_sees_what_was_painted() {
        let mut scene = Scene {
            width: 40,
            height: 20,
            ..Scene::default()
        };
        scene.rect(10.0, 5.0, 0.1, 3.0, Ink::Data);
        scene.rect(-5.0, 18.0, 100.0, 100.0, Ink::Fixed([1, 2, 3]));
        scene.text(30.0, 14.0, Align::Middle, Ink::Text, "x\u{4e00}");
        scene.items.push(Item::Grid {
            area: Area {
                x: 0.0,
                y: 0.0,
                w: 4.0,
                h: 2.0,
            },
            cols: 2,
            cells: vec![0, 254],
        });
        let bytes = png(&scene);
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (40, 20));
        let at = |x: usize, y: usize| {
            let at = (y * 40 + x) * 3;
            [pixels[at], pixels[at + 1], pixels[at + 2]]
        };
        assert_eq!(at(10, 6), [0x31, 0x68, 0x8e]);
        assert_eq!(at(11, 6), [255; 3]);
        assert_eq!(at(39, 19), [1, 2, 3]);
        assert_eq!((at(1, 1), at(2, 1)), (scale(0), scale(254)));
        let dark = (20..40)
            .filter(|x| (2..16).any(|y| at(*x, y)[0] < 128))
            .count();
        assert!(dark > 4, "letters");
    }
}
