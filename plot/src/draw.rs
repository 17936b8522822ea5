//! Pictures and overviews laid out as scenes.

use super::axes::Axes;
use super::axis::Axis;
use super::colour::{Colours, NONE, scale};
use super::heat::Heat;
use super::histogram::{
    Bar, Histogram, LABEL_COLUMNS, ends_of, labels, left_out, lengths, of_the_first, spreads,
};
use super::picture::Picture;
use super::range::Range;
use super::scene::{Align, Area, Ink, Item, Scene};
use super::spectrum::Spectrum;
use super::ticks::{number, round_step};
use super::track::Track;
use super::wave::Wave;
use super::{Chart, Overview, shortened};

/// Margins: numbers at the left, at the right of pictures the colour scale.
const LEFT: f64 = 64.0;
const SCALE: f64 = 76.0;
const RIGHT: f64 = 20.0;
/// What a title, a line of numbers below a chart and a track of labels take.
const TITLE: f64 = 32.0;
const NUMBERS: f64 = 30.0;
const TRACK: f64 = 22.0;
/// Heights of charts.
const CHART: f64 = 180.0;
const WAVE: f64 = 110.0;
const SPECTRUM: f64 = 150.0;
/// What the words above a field take.
const CAPTION: f64 = 15.0;
/// More numbers than have room at an axis.
const MANY: usize = 100;
/// Letters are about this wide.
const LETTER: f64 = 7.0;

/// Utterances, one below the other, so many pixels wide.
pub fn pictures(pictures: &[Picture], width: u32) -> Scene {
    let mut sheet = Sheet::new(width, SCALE);
    let colours = Colours::of(pictures);
    for picture in pictures {
        sheet.picture(picture, &colours);
    }
    if let Some(note) = colours.note() {
        sheet.caption(&note, "");
        sheet.y += CAPTION / 2.0;
    }
    let keys: Vec<_> = pictures.iter().map(|p| p.key.to_string()).collect();
    sheet.done(format!("What {} looks like", keys.join(", ")))
}

/// Charts of a data set, one below the other, so many pixels wide; those that it has no data for
/// are left out.
pub fn overview(all: &Overview, charts: &[Chart], width: u32) -> Scene {
    let mut sheet = Sheet::new(width, RIGHT);
    let bars = super::whole(sheet.inner() / 8.0);
    for chart in charts {
        match chart {
            Chart::Lengths => {
                if let Some(lengths) = lengths(all, bars.min(40)) {
                    sheet.lengths(&lengths);
                }
            }
            Chart::Labels => {
                let columns = &all.stats.labels;
                for (i, counts) in columns.iter().take(LABEL_COLUMNS).enumerate() {
                    if let Some(labels) = labels(i, counts, bars) {
                        sheet.labels(&labels);
                    }
                }
                if let Some(left_out) = left_out(columns) {
                    sheet.title(&left_out);
                }
            }
            Chart::Dims => sheet.dims(all),
        }
    }
    let titles = charts.iter().map(|chart| match chart {
        Chart::Lengths => "lengths of utterances",
        Chart::Labels => "numbers of labels",
        Chart::Dims => "means and deviations of features",
    });
    sheet.done(titles.collect::<Vec<_>>().join(", "))
}

/// A scene that grows downwards.
struct Sheet {
    scene: Scene,
    y: f64,
    /// The margin at the right.
    right: f64,
}

impl Sheet {
    fn new(width: u32, right: f64) -> Self {
        let width = width.clamp(240, 8000);
        Self {
            scene: Scene {
                width,
                ..Scene::default()
            },
            y: 0.0,
            right,
        }
    }

    fn done(mut self, title: String) -> Scene {
        self.scene.title = title;
        self.scene.height = u32::try_from(super::whole(self.y.ceil())).unwrap_or(u32::MAX);
        self.scene
    }

    /// Pixels between the margins.
    fn inner(&self) -> f64 {
        f64::from(self.scene.width) - LEFT - self.right
    }

    fn title(&mut self, text: &str) {
        let fit = super::whole((f64::from(self.scene.width) - 16.0) / LETTER);
        let (y, text) = (self.y + 19.0, shortened(text, fit));
        self.scene.text(8.0, y, Align::Start, Ink::Text, text);
        self.y += TITLE;
    }

    /// The field below what there is, so many pixels high.
    fn field(&mut self, height: f64, x: (f64, f64), y: (f64, f64)) -> Axes {
        let area = Area {
            x: LEFT,
            y: self.y,
            w: self.inner(),
            h: height,
        };
        self.y += height;
        Axes { area, x, y }
    }

    fn picture(&mut self, picture: &Picture, colours: &Colours) {
        let mut facts = vec![picture.key.to_string()];
        let axis = picture.waves.first().map_or(picture.axis, |wave| wave.axis);
        if picture.frames > 0 {
            facts.push(format!("{} frames", picture.frames));
        }
        if axis.seconds {
            facts.push(format!("{:.2} s", axis.to - axis.from));
        } else if let Some(track) = picture.tracks.iter().find(|t| t.axis.seconds) {
            facts.push(format!("{:.2} s", track.axis.to));
        }
        self.title(&facts.join(", "));
        let channels = picture.spectra.len().max(1);
        for (i, wave) in picture.waves.iter().enumerate() {
            let spectrum = picture.spectra.get(i);
            let name = match spectrum {
                Some(_) if channels > 1 => format!("channel {i}, "),
                _ => String::new(),
            };
            let what = match wave.span {
                None => "amplitude, of full scale",
                Some(_) => "value",
            };
            if i > 0 {
                self.y += 8.0;
            }
            self.caption(&format!("{name}{what}"), "");
            self.wave(wave);
            if let Some(spectrum) = spectrum {
                let (window, shift) = spectrum.windows;
                let text = format!(
                    "{name}frequency in Hz, windows of {:.0} ms every {:.1} ms",
                    1e3 * window,
                    1e3 * shift
                );
                self.y += 6.0;
                self.caption(&text, "dB");
                self.spectrum(spectrum);
            }
        }
        let mut open = None;
        if let Some(heat) = &picture.heat {
            if let Some(wave) = picture.waves.first().filter(|w| w.axis != picture.axis) {
                self.below(wave.axis);
            } else if !picture.waves.is_empty() {
                self.y += 8.0;
            }
            self.caption(&heat.caption(), "value");
            self.heat(heat, picture.axis);
            open = Some(picture.axis);
        } else if let (Some(wave), false) = (picture.waves.first(), picture.tracks.is_empty()) {
            open = Some(wave.axis);
        }
        for track in &picture.tracks {
            if let Some(axis) = open.filter(|axis| *axis != track.axis) {
                self.below(axis);
            }
            self.y += 2.0;
            self.track(track, colours);
            open = Some(track.axis);
        }
        match (open, picture.waves.first()) {
            (Some(axis), _) => self.below(axis),
            (None, Some(wave)) => self.below(wave.axis),
            _ => {}
        }
    }

    /// The numbers of an axis below what was drawn last.
    fn below(&mut self, axis: Axis) {
        let axes = self.field(0.0, (axis.from, axis.to), (0.0, 1.0));
        let unit = if axis.seconds { "s" } else { "frames" };
        axes.below(unit, &mut self.scene);
        self.y += NUMBERS;
    }

    /// What the numbers at the left and those of the colours are, above a field.
    fn caption(&mut self, left: &str, right: &str) {
        let (y, end) = (self.y + 9.0, LEFT + self.inner() + 12.0);
        self.scene.text(LEFT, y, Align::Start, Ink::Muted, left);
        self.scene.text(end, y, Align::Start, Ink::Muted, right);
        self.y += CAPTION;
    }

    fn spectrum(&mut self, spectrum: &Spectrum) {
        let axis = spectrum.axis;
        let axes = self.field(SPECTRUM, (axis.from, axis.to), (0.0, spectrum.hertz));
        self.scene.items.push(Item::Grid {
            area: axes.area,
            cols: spectrum.cols,
            cells: spectrum.cells.clone(),
        });
        axes.left(false, MANY, &mut self.scene);
        self.scale(axes.area, (spectrum.low, spectrum.high));
    }

    fn heat(&mut self, heat: &Heat, axis: Axis) {
        let height = (heat.dim as f64 * 6.0).clamp(36.0, 256.0);
        let first = heat.first as f64;
        // A number stands at the middle of its row.
        let ends = (first - 0.5, first + heat.dim as f64 - 0.5);
        let axes = self.field(height, (axis.from, axis.to), ends);
        let area = axes.area;
        self.scene.items.push(Item::Grid {
            area,
            cols: heat.cols,
            cells: heat.cells.clone(),
        });
        axes.left(false, MANY, &mut self.scene);
        self.scale(area, (heat.range.low, heat.range.high));
        if heat.has_gaps() {
            let (x, y) = (area.x + area.w + 12.0, area.y + area.h + 4.0);
            let grey = Ink::Fixed(scale(NONE));
            self.scene.rect(x, y, 10.0, 10.0, grey);
            self.scene
                .text(x + 14.0, y + 9.0, Align::Start, Ink::Muted, "NaN/inf");
        }
    }

    /// The colours and their values beside a field.
    fn scale(&mut self, area: Area, (low, high): (f64, f64)) {
        let x = area.x + area.w + 12.0;
        self.scene.items.push(Item::Grid {
            area: Area { x, w: 10.0, ..area },
            cols: 1,
            cells: (0..NONE).rev().collect(),
        });
        let scale = Axes {
            area: Area { x, w: 10.0, ..area },
            x: (0.0, 1.0),
            y: (low, high),
        };
        let step = (high - low) / 50.0;
        for (value, up) in [(high, 10.0), (low, 0.0)] {
            let y = scale.py(value) + up;
            self.scene
                .text(x + 14.0, y, Align::Start, Ink::Muted, number(value, step));
            if high <= low {
                break;
            }
        }
    }

    fn wave(&mut self, wave: &Wave) {
        let (low, high) = wave.ends(round_step);
        // A curve keeps off the edges.
        let room = wave.span.map_or(0.0, |_| (high - low) / 20.0);
        let ends = (low - room, high + room);
        let axes = self.field(WAVE, (wave.axis.from, wave.axis.to), ends);
        axes.left(true, MANY, &mut self.scene);
        let width = axes.area.w / wave.peaks.len().max(1) as f64;
        let drawn = wave.peaks.iter().enumerate();
        for (i, (least, most)) in drawn.filter(|(_, (least, most))| least <= most) {
            let (top, bottom) = (axes.py(*most), axes.py(*least));
            let (x, h) = (axes.area.x + i as f64 * width, (bottom - top).max(1.0));
            self.scene.rect(x, top, width, h, Ink::Data);
        }
    }

    fn track(&mut self, track: &Track, colours: &Colours) {
        let axes = self.field(TRACK, (0.0, 1.0), (0.0, 1.0));
        let Area { x, y, h, .. } = axes.area;
        self.scene.text(
            x - 7.0,
            y + 15.0,
            Align::End,
            Ink::Muted,
            shortened(&track.name, super::whole((LEFT - 7.0) / LETTER)),
        );
        for span in &track.spans {
            let (from, to) = (axes.px(span.from), axes.px(span.to));
            let colour = Ink::Fixed(colours.get(&span.label));
            self.scene.rect(from, y, (to - from).max(1.0), h, colour);
            if from > x {
                self.scene.rect(from, y, 1.0, h, Ink::Fixed([255; 3]));
            }
            let letters = super::whole((to - from - 3.0).max(0.0) / (LETTER + 0.5));
            if letters >= span.label.chars().count().min(4) {
                let text = shortened(&span.label, letters);
                let middle = f64::midpoint(from, to);
                let dark = Ink::Fixed([0x11; 3]);
                self.scene.text(middle, y + 15.0, Align::Middle, dark, text);
            }
        }
    }

    fn bars(&mut self, histogram: &Histogram) -> Axes {
        let bars = &histogram.bars;
        let most = bars.iter().map(|bar| bar.count).max().unwrap_or_default();
        let axes = self.field(CHART, histogram.ends(), (0.0, most as f64));
        // Counts are whole numbers.
        let whole = usize::try_from(most).unwrap_or(MANY);
        axes.left(true, whole, &mut self.scene);
        for bar in bars.iter().filter(|bar| bar.count > 0) {
            let (left, right) = (axes.px(bar.from), axes.px(bar.to));
            let gap = if right - left > 3.0 { 1.0 } else { 0.0 };
            let top = axes.py(bar.count as f64).min(axes.py(0.0) - 1.0);
            let h = axes.py(0.0) - top;
            self.scene
                .rect(left + gap, top, right - left - gap, h, Ink::Data);
        }
        let area = axes.area;
        self.scene
            .rect(area.x, area.y + area.h, area.w, 1.0, Ink::Muted);
        axes
    }

    fn lengths(&mut self, lengths: &Histogram) {
        self.title(&lengths.title);
        let axes = self.bars(lengths);
        match &lengths.bars[..] {
            [only] => self.names(&axes, std::slice::from_ref(only)),
            _ => axes.below("", &mut self.scene),
        }
        self.y += NUMBERS;
    }

    /// Bars with as many of their names below as there is room for.
    fn labels(&mut self, labels: &Histogram) {
        self.title(&labels.title);
        let axes = self.bars(labels);
        self.names(&axes, &labels.bars);
        self.y += NUMBERS;
    }

    fn names(&mut self, axes: &Axes, bars: &[Bar]) {
        let longest = bars.iter().map(|b| b.name.chars().count()).max();
        let room = longest.unwrap_or_default() as f64 * 8.0 + 6.0;
        let each = axes.area.w / bars.len().max(1) as f64;
        let every = super::whole((room / each).ceil()).max(1);
        for bar in bars.iter().step_by(every) {
            let (x, y) = (axes.px(f64::midpoint(bar.from, bar.to)), self.y + 17.0);
            self.scene
                .text(x, y, Align::Middle, Ink::Muted, bar.name.as_str());
        }
    }

    fn dims(&mut self, all: &Overview) {
        let columns = &all.stats.features;
        let (spreads, each) = spreads(columns, super::whole(self.inner() / 3.0));
        if let Some(gaps) = all.gaps() {
            self.title(&gaps);
        }
        if spreads.is_empty() {
            return;
        }
        let range = ends_of(&spreads);
        let Range { low, high, .. } = range;
        let apart = match each {
            1 => String::new(),
            _ => format!(", {each} columns a bar"),
        };
        self.title(&format!(
            "Features: mean and standard deviation by column{apart}{}",
            of_the_first(&all.stats)
        ));
        if let Some(note) = range.note() {
            self.caption(&format!("values {note}"), "");
        }
        let axes = self.field(CHART, (0.0, columns.len() as f64), (low, high));
        axes.left(true, MANY, &mut self.scene);
        let within = |value: f64| axes.py(value.clamp(low, high));
        for spread in &spreads {
            let (from, to) = (spread.first, (spread.first + each).min(columns.len()));
            let (left, right) = (axes.px(from as f64), axes.px(to as f64));
            let gap = if right - left > 3.0 { 1.0 } else { 0.0 };
            let (x, w) = (left + gap, right - left - gap);
            let (top, bottom) = (within(spread.high), within(spread.low));
            self.scene
                .rect(x, top, w, (bottom - top).max(1.0), Ink::Soft);
            self.scene
                .rect(x, within(spread.mean) - 1.0, w, 2.0, Ink::Data);
        }
        axes.below("column", &mut self.scene);
        self.y += NUMBERS;
    }
}
