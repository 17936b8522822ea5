//! The drawing of utterances.

use crate::axes::Axes;
use crate::axis::Axis;
use crate::colour::{Colours, NONE};
use crate::heat::Heat;
use crate::picture::Picture;
use crate::scene::{Align, Area, Ink, Item, LETTER};
use crate::spectrum::Spectrum;
use crate::ticks::{numbers, round_step};
use crate::track::{Span, Track};
use crate::wave::Wave;
use crate::words::{shortened, whole};

use super::sheet::{LEFT, MANY, NUMBERS, SCALE, Sheet};

/// Heights of the fields.
const TRACK: f64 = 22.0;
const WAVE: f64 = 110.0;
const SPECTRUM: f64 = 150.0;
/// The height of a feature row, and of one with a name.
const FEATURE: f64 = 6.0;
const NAMED: f64 = 12.0;
/// The largest number of letters of a name on the left.
const NAME: usize = 20;
/// The gaps between a field, its colour scale and the numbers beside it.
const GAP: f64 = 12.0;
const BAR: f64 = 10.0;
/// The width of a point in time, and the smallest width with a line at the edge.
const POINT: f64 = 2.0;
const NARROW: f64 = 3.0;

/// Returns the margins for names and numbers in pictures of this width.
pub(super) fn margins(pictures: &[Picture], width: u32) -> (f64, f64) {
    let tracks = pictures.iter().flat_map(|picture| &picture.tracks);
    let heats = || pictures.iter().filter_map(|picture| picture.heat.as_ref());
    let titles = heats().filter_map(Heat::titles).flatten();
    let names = tracks.map(|track| track.name.clone()).chain(titles);
    let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let letters = longest.min(NAME).min(width as usize / 30);
    let spectra = pictures.iter().flat_map(|picture| &picture.spectra);
    let ranges = heats().map(|heat| (heat.range.low, heat.range.high));
    let ranges = ranges.chain(spectra.map(|spectrum| (spectrum.low, spectrum.high)));
    let texts = ranges.flat_map(ends);
    let digits = texts.map(|text| text.chars().count()).max().unwrap_or(0);
    let left = LEFT.max((letters as f64 + 0.5) * (LETTER + 0.5) + 10.0);
    (
        left,
        SCALE.max(digits as f64 * (LETTER + 0.5) + GAP + BAR + 8.0),
    )
}

/// Formats the numbers at the ends of a colour scale.
fn ends((low, high): (f64, f64)) -> Vec<String> {
    numbers(&[low, high], (high - low) / 50.0)
}

impl Sheet {
    pub(super) fn picture(&mut self, picture: &Picture, colours: &Colours) {
        self.title(&picture.key.to_string(), &picture.facts());
        if !picture.notes.is_empty() {
            self.caption(&picture.notes.join("; "), "");
        }
        // The axis of the last drawn item, printed below it.
        let mut open: Option<Axis> = None;
        let channels = picture.spectra.len();
        for (i, wave) in picture.waves.iter().enumerate() {
            let along = picture.along(wave.axis);
            self.close(&mut open, along, 8.0);
            let spectrum = picture.spectra.get(i);
            let name = match spectrum {
                Some(_) if channels > 1 => format!("channel {i}, "),
                _ => String::new(),
            };
            let what = match wave.span {
                None => "amplitude, of full scale",
                Some(_) => "value",
            };
            let note = wave.note().map(|note| format!("; {note}"));
            self.caption(&format!("{name}{what}{}", note.unwrap_or_default()), "");
            self.wave(wave, along);
            if let Some(spectrum) = spectrum {
                let (window, shift) = spectrum.windows;
                let text = format!(
                    "{name}frequency in Hz, windows of {:.0} ms every {:.1} ms",
                    1e3 * window,
                    1e3 * shift
                );
                self.y += 6.0;
                self.caption(&text, "dB");
                self.spectrum(spectrum, along);
            }
        }
        if let Some(heat) = &picture.heat {
            let along = picture.along(picture.axis);
            self.close(&mut open, along, 8.0);
            self.caption(
                &heat.caption(),
                if heat.has_values() { "value" } else { "" },
            );
            self.heat(heat, picture.axis, along);
        }
        for track in &picture.tracks {
            let along = picture.along(track.axis);
            self.close(&mut open, along, 2.0);
            self.track(track, along, colours);
        }
        if let Some(axis) = open {
            self.below(axis);
        }
    }

    /// Starts drawing along `next`. If that is another axis, draws the numbers of the last one
    /// first.
    fn close(&mut self, open: &mut Option<Axis>, next: Axis, gap: f64) {
        match *open {
            Some(axis) if axis != next => self.below(axis),
            Some(_) => self.y += gap,
            None => {}
        }
        *open = Some(next);
    }

    /// Draws the numbers of an axis below the last drawn item.
    fn below(&mut self, axis: Axis) {
        let axes = self.fixed(0.0, (axis.from, axis.to), (0.0, 1.0));
        axes.below(axis.unit.word(), &mut self.scene);
        self.y += NUMBERS;
    }

    /// Returns a field along an axis, and the part of it that covers another axis.
    fn part(&mut self, height: f64, axis: Axis, along: Axis, y: (f64, f64)) -> (Axes, Area) {
        let axes = self.field(height, (along.from, along.to), y);
        let (from, to) = along.shares(axis);
        let area = axes.area;
        let part = Area {
            x: area.x + from * area.w,
            w: (to - from) * area.w,
            ..area
        };
        (axes, part)
    }

    fn spectrum(&mut self, spectrum: &Spectrum, along: Axis) {
        let (axes, area) = self.part(SPECTRUM, spectrum.axis, along, (0.0, spectrum.hertz));
        self.scene.items.push(Item::Grid {
            area,
            cols: spectrum.cols,
            cells: spectrum.cells.clone(),
        });
        axes.left(false, MANY, &mut self.scene);
        self.scale(axes.area, (spectrum.low, spectrum.high));
    }

    fn heat(&mut self, heat: &Heat, axis: Axis, along: Axis) {
        let titles = heat.titles();
        let height = match titles.is_some() {
            true => (heat.dim as f64 * NAMED).clamp(36.0, 480.0),
            false => (heat.dim as f64 * FEATURE).clamp(36.0, 256.0),
        };
        let first = heat.first as f64;
        // A number stands at the middle of its row.
        let rows = (first - 0.5, first + heat.dim as f64 - 0.5);
        let (axes, area) = self.part(height, axis, along, rows);
        self.scene.items.push(Item::Grid {
            area,
            cols: heat.cols,
            cells: heat.cells.clone(),
        });
        match titles {
            Some(titles) => {
                let letters = whole((self.margins.0 - 7.0) / LETTER);
                axes.rows(&titles, letters, &mut self.scene);
            }
            None => axes.left(false, whole(heat.dim as f64), &mut self.scene),
        }
        if heat.has_values() {
            self.scale(axes.area, (heat.range.low, heat.range.high));
        }
    }

    /// Draws the colours and their values beside a field.
    fn scale(&mut self, area: Area, (low, high): (f64, f64)) {
        let x = area.x + area.w + GAP;
        self.scene.items.push(Item::Grid {
            area: Area { x, w: BAR, ..area },
            cols: 1,
            cells: (0..NONE).rev().collect(),
        });
        let texts = ends((low, high));
        let mut texts = texts.into_iter();
        let (bottom, top) = (texts.next().unwrap_or_default(), texts.next());
        let x = x + BAR + 4.0;
        let mut write = |y, text| self.scene.text(x, y, Align::Start, Ink::Muted, text);
        match top.filter(|_| high > low) {
            Some(top) => {
                write(area.y + BAR, top);
                write(area.y + area.h, bottom);
            }
            None => write(area.y + area.h / 2.0 + 4.0, bottom),
        }
    }

    fn wave(&mut self, wave: &Wave, along: Axis) {
        let (low, high) = wave.ends(round_step);
        // A curve keeps a distance from the edges.
        let room = wave.span.map_or(0.0, |_| (high - low) / 20.0);
        let (mut axes, area) = self.part(WAVE, wave.axis, along, (low, high));
        axes.area.y += axes.area.h * room / (high - low + 2.0 * room);
        axes.area.h *= (high - low) / (high - low + 2.0 * room);
        axes.left(true, MANY, &mut self.scene);
        // Half-covered pixels would be too pale.
        let peaks = wave.narrowed(whole(area.w * self.scene.scale.max(1.0)).max(1));
        let width = area.w / peaks.len().max(1) as f64;
        let drawn = peaks.iter().enumerate();
        for (i, (least, most)) in drawn.filter(|(_, (least, most))| least <= most) {
            let (top, bottom) = (axes.py(*most), axes.py(*least));
            let (x, h) = (area.x + i as f64 * width, (bottom - top).max(1.0));
            self.scene.rect(x, top, width, h, Ink::Data);
        }
    }

    fn track(&mut self, track: &Track, along: Axis, colours: &Colours) {
        let (from, to) = along.shares(track.axis);
        let axes = self.fixed(TRACK, (0.0, 1.0), (0.0, 1.0));
        let Area { x, y, .. } = axes.area;
        let letters = whole((x - 7.0) / (LETTER + 0.5));
        let name = shortened(&track.name, letters);
        self.scene
            .text(x - 7.0, y + 15.0, Align::End, Ink::Muted, name);
        let place = |share: f64| axes.px(from + share * (to - from)).round();
        let next = track.spans.iter().skip(1).map(|span| place(span.from));
        let next = next.chain([x + axes.area.w]);
        for (span, next) in track.spans.iter().zip(next) {
            match span.is_point() {
                true => self.point(span, place(span.from), (y, next)),
                false => self.span(span, (place(span.from), place(span.to)), y, colours),
            }
        }
    }

    /// Draws a line at a point in time, with its label if that ends before the next one.
    fn point(&mut self, span: &Span, at: f64, (y, next): (f64, f64)) {
        self.scene
            .rect(at - POINT / 2.0, y, POINT, TRACK, Ink::Text);
        let start = at + POINT + 1.0;
        let letters = whole((next - start - POINT).max(0.0) / LETTER);
        if letters >= span.label.chars().count().min(4) {
            let text = shortened(&span.label, letters);
            self.scene
                .text(start, y + 15.0, Align::Start, Ink::Text, text);
        }
    }

    fn span(&mut self, span: &Span, (from, to): (f64, f64), y: f64, colours: &Colours) {
        let colour = Ink::Fixed(colours.get(&span.label));
        let width = (to - from).max(1.0);
        self.scene.rect(from, y, width, TRACK, colour);
        if from > self.margins.0 + 0.5 && width > NARROW {
            self.scene.rect(from, y, 1.0, TRACK, Ink::Fixed([255; 3]));
        }
        let letters = whole((width - NARROW).max(0.0) / (LETTER + 0.5));
        let length = span.label.chars().count();
        self.legend.add(&span.label, letters >= length);
        if letters >= length.min(4) {
            let text = shortened(&span.label, letters);
            let middle = f64::midpoint(from, to);
            let dark = Ink::Fixed([0x11; 3]);
            self.scene.text(middle, y + 15.0, Align::Middle, dark, text);
        }
    }
}
