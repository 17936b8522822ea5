//! Scenes as pixels.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use spr_text::harmless;

use super::colour::{Rgb, mixed, scale};
use super::png::{Pixels, encode};
use super::scene::{Align, Area, Ink, Item, Scene};
use super::whole;

/// A letter is this high, its line at 13 of 16 pixels.
const HEIGHT: RasterHeight = RasterHeight::Size16;
const LINE: f64 = 13.0;

/// A PNG of the scene, on white; it has a pixel at least.
pub fn png(scene: &Scene) -> Vec<u8> {
    let (width, height) = (scene.width.max(1), scene.height.max(1));
    let mut canvas = Canvas::new(width, height);
    for item in &scene.items {
        canvas.paint(item);
    }
    encode(width, height, &Pixels::Rgb(&canvas.bytes))
}

/// Pixels of three bytes, row by row from the top.
struct Canvas {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Self {
        let (width, height) = (width as usize, height as usize);
        Self {
            width,
            height,
            bytes: vec![255; width * height * 3],
        }
    }

    fn paint(&mut self, item: &Item) {
        match item {
            Item::Rect { area, ink } => self.fill(area, |_, _| colour(*ink)),
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

    /// Fills an area with what `of` says of a point in it, each way from 0 to 1. What is thinner
    /// than a pixel takes one.
    fn fill(&mut self, area: &Area, of: impl Fn(f64, f64) -> Rgb) {
        let span = |from: f64, size: f64, most: usize| {
            let first = whole(from.round());
            let last = whole((from + size).round()).max(first + 1);
            first.min(most)..last.min(most)
        };
        if !(area.w > 0.0 && area.h > 0.0) {
            return;
        }
        for row in span(area.y, area.h, self.height) {
            for col in span(area.x, area.w, self.width) {
                let x = (col as f64 + 0.5 - area.x) / area.w;
                let y = (row as f64 + 0.5 - area.y) / area.h;
                self.set(col, row, of(x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)), 1.0);
            }
        }
    }

    fn write(&mut self, x: f64, y: f64, align: Align, ink: Ink, text: &str) {
        let wide = get_raster_width(FontWeight::Regular, HEIGHT);
        let text = harmless(text);
        let length = (text.chars().count() * wide) as f64;
        let left = match align {
            Align::Start => x,
            Align::Middle => x - length / 2.0,
            Align::End => x - length,
        };
        let top = whole(y - LINE);
        for (i, c) in text.chars().enumerate() {
            let letter = get_raster(c, FontWeight::Regular, HEIGHT)
                .or_else(|| get_raster('?', FontWeight::Regular, HEIGHT));
            let Some(letter) = letter else { continue };
            for (row, line) in letter.rows().enumerate() {
                for (col, strength) in line.iter().enumerate() {
                    let at = left.round() + (i * wide + col) as f64;
                    if at >= 0.0 && *strength > 0 {
                        let share = f64::from(*strength) / 255.0;
                        self.set(whole(at), top + row, colour(ink), share);
                    }
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

fn colour(ink: Ink) -> Rgb {
    match ink {
        Ink::Text => [0x22; 3],
        Ink::Muted => [0x66; 3],
        Ink::Faint => [0xe4; 3],
        Ink::Data => [0x31, 0x68, 0x8e],
        Ink::Soft => [0xa9, 0xc4, 0xd6],
        Ink::Fixed(colour) => colour,
    }
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
