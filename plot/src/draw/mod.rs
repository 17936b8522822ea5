//! Pictures and overviews laid out as scenes.

mod charts;
mod legend;
mod utterance;

use super::axes::{Axes, LETTER};
use super::colour::Colours;
use super::histogram::{LABEL_COLUMNS, labels, left_out, lengths};
use super::overview::{Chart, Overview};
use super::picture::Picture;
use super::scene::{Align, Area, Ink, Scene};
use super::words::{shortened, whole, wrapped};
use legend::Legend;

/// The margins: numbers on the left; on the right the colour scale or the end of a line of numbers.
const LEFT: f64 = 64.0;
const SCALE: f64 = 76.0;
const RIGHT: f64 = 60.0;
/// The heights of a title and of a line of numbers below a chart.
const TITLE: f64 = 32.0;
const NUMBERS: f64 = 30.0;
/// The height of the caption above a field.
const CAPTION: f64 = 15.0;
/// The smallest height of a field that is fitted.
const LEAST: f64 = 24.0;
/// More numbers than fit along an axis.
const MANY: usize = 100;

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

/// Draws utterances, one below the other.
pub fn pictures(pictures: &[Picture], size: impl Into<Size>) -> Scene {
    let size = size.into();
    let margins = utterance::margins(pictures, size.width);
    let colours = Colours::of(pictures.iter().flat_map(Picture::labels));
    let keys: Vec<_> = pictures.iter().map(|p| p.key.to_string()).collect();
    let title = format!("What {} looks like", keys.join(", "));
    laid(size, margins, title, |sheet| {
        for picture in pictures {
            sheet.picture(picture, &colours);
        }
        sheet.legend(&colours);
        let heats = pictures.iter().filter(|picture| picture.heat.is_some());
        if heats.count() > 1 {
            sheet.caption("the colours of each utterance span its own values", "");
            sheet.y += CAPTION / 2.0;
        }
    })
}

/// Draws the charts of a data set, one below the other, except those without data.
pub fn overview(all: &Overview, charts: &[Chart], size: impl Into<Size>) -> Scene {
    let titles = charts.iter().map(|chart| match chart {
        Chart::Lengths => "lengths of utterances",
        Chart::Labels => "numbers of labels",
        Chart::Dims => "means and deviations of features",
    });
    let title = titles.collect::<Vec<_>>().join(", ");
    laid(size.into(), (LEFT, RIGHT), title, |sheet| {
        let bars = whole(sheet.inner() / 8.0);
        for chart in charts {
            match chart {
                Chart::Lengths => {
                    if let Some(lengths) = lengths(&all.survey, bars.min(40)) {
                        sheet.lengths(&lengths);
                    }
                }
                Chart::Labels => {
                    for (i, counts) in all.labels.iter().take(LABEL_COLUMNS).enumerate() {
                        if let Some(labels) = labels(i, counts, bars) {
                            sheet.labels(&labels);
                        }
                    }
                    if let Some(left_out) = left_out(&all.labels) {
                        sheet.title(&left_out, &[]);
                    }
                }
                Chart::Dims => sheet.dims(all),
            }
        }
    })
}

/// Lays out a scene with these margins. If a height is given, fields are fitted to it.
fn laid(size: Size, margins: (f64, f64), title: String, draw: impl Fn(&mut Sheet)) -> Scene {
    let mut sheet = Sheet::new(size, margins, 1.0);
    draw(&mut sheet);
    if let Some(height) = size.height.filter(|_| sheet.fields > 0.0) {
        let room = f64::from(height) - (sheet.y - sheet.fields);
        sheet = Sheet::new(size, margins, (room / sheet.fields).clamp(0.05, 100.0));
        draw(&mut sheet);
    }
    sheet.scene.title = title;
    sheet.scene.height = u32::try_from(whole(sheet.y.ceil())).unwrap_or(u32::MAX);
    sheet.scene
}

/// A scene that grows downwards.
struct Sheet {
    scene: Scene,
    y: f64,
    /// The left and the right margin.
    margins: (f64, f64),
    /// The factor by which fields are stretched.
    stretch: f64,
    /// The height of all fields that can be stretched.
    fields: f64,
    legend: Legend,
}

impl Sheet {
    fn new(size: Size, margins: (f64, f64), stretch: f64) -> Self {
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
    fn inner(&self) -> f64 {
        let (left, right) = self.margins;
        (f64::from(self.scene.width) - left - right).max(1.0)
    }

    /// Draws a title followed by facts. The title is cut if there is too little space.
    fn title(&mut self, text: &str, facts: &[String]) {
        let fit = whole((f64::from(self.scene.width) - 16.0) / LETTER);
        let facts: String = facts.iter().map(|fact| format!(", {fact}")).collect();
        let room = fit.saturating_sub(facts.chars().count()).max(8);
        let text = shortened(text, room) + &facts;
        let y = self.y + 19.0;
        self.scene.text(8.0, y, Align::Start, Ink::Text, text);
        self.y += TITLE;
    }

    /// Appends a field of fixed height.
    fn fixed(&mut self, height: f64, x: (f64, f64), y: (f64, f64)) -> Axes {
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
    fn field(&mut self, height: f64, x: (f64, f64), y: (f64, f64)) -> Axes {
        let height = match self.stretch {
            1.0 => height,
            stretch => (height * stretch).max(LEAST),
        };
        self.fields += height;
        self.fixed(height, x, y)
    }

    /// Draws the captions of the left numbers and of the colours, above a field.
    fn caption(&mut self, left: &str, right: &str) {
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
