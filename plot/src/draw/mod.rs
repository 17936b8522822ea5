//! Pictures and overviews laid out as scenes.

mod charts;
mod legend;
mod utterance;

use super::axes::{Axes, LETTER};
use super::colour::Colours;
use super::histogram::{LABEL_COLUMNS, labels, left_out, lengths};
use super::picture::Picture;
use super::scene::{Align, Area, Ink, Scene};
use super::{Chart, Overview, shortened, wrapped};
use legend::Legend;

/// Margins: numbers at the left, at the right the colour scale, or the end of a line of numbers.
const LEFT: f64 = 64.0;
const SCALE: f64 = 76.0;
const RIGHT: f64 = 60.0;
/// What a title and a line of numbers below a chart take.
const TITLE: f64 = 32.0;
const NUMBERS: f64 = 30.0;
/// What the words above a field take.
const CAPTION: f64 = 15.0;
/// The least height of a field that is made to fit.
const LEAST: f64 = 24.0;
/// More numbers than have room at an axis.
const MANY: usize = 100;

/// How large a picture is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Points from left to right.
    pub width: u32,
    /// Points from top to bottom, about; `None` for as many as are usual.
    pub height: Option<u32>,
    /// Pixels in a point.
    pub scale: f64,
}

impl From<u32> for Size {
    /// So many pixels wide.
    fn from(width: u32) -> Self {
        Self {
            width,
            height: None,
            scale: 1.0,
        }
    }
}

/// Utterances, one below the other.
pub fn pictures(pictures: &[Picture], size: impl Into<Size>) -> Scene {
    let size = size.into();
    let margins = utterance::margins(pictures, size.width);
    let colours = Colours::of(pictures);
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

/// Charts of a data set, one below the other; those that it has no data for are left out.
pub fn overview(all: &Overview, charts: &[Chart], size: impl Into<Size>) -> Scene {
    let titles = charts.iter().map(|chart| match chart {
        Chart::Lengths => "lengths of utterances",
        Chart::Labels => "numbers of labels",
        Chart::Dims => "means and deviations of features",
    });
    let title = titles.collect::<Vec<_>>().join(", ");
    laid(size.into(), (LEFT, RIGHT), title, |sheet| {
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
                        sheet.title(&left_out, &[]);
                    }
                }
                Chart::Dims => sheet.dims(all),
            }
        }
    })
}

/// A scene with these margins; where a height is given, fields are made to fit it.
fn laid(size: Size, margins: (f64, f64), title: String, draw: impl Fn(&mut Sheet)) -> Scene {
    let mut sheet = Sheet::new(size, margins, 1.0);
    draw(&mut sheet);
    if let Some(height) = size.height.filter(|_| sheet.fields > 0.0) {
        let room = f64::from(height) - (sheet.y - sheet.fields);
        sheet = Sheet::new(size, margins, (room / sheet.fields).clamp(0.05, 100.0));
        draw(&mut sheet);
    }
    sheet.scene.title = title;
    sheet.scene.height = u32::try_from(super::whole(sheet.y.ceil())).unwrap_or(u32::MAX);
    sheet.scene
}

/// A scene that grows downwards.
struct Sheet {
    scene: Scene,
    y: f64,
    /// The margins at the left and at the right.
    margins: (f64, f64),
    /// Times as high as usual fields are.
    stretch: f64,
    /// How high all fields that can be stretched are.
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

    /// Pixels between the margins.
    fn inner(&self) -> f64 {
        let (left, right) = self.margins;
        (f64::from(self.scene.width) - left - right).max(1.0)
    }

    /// A title with what is known of it; where there is too little room, the title is cut.
    fn title(&mut self, text: &str, facts: &[String]) {
        let fit = super::whole((f64::from(self.scene.width) - 16.0) / LETTER);
        let facts: String = facts.iter().map(|fact| format!(", {fact}")).collect();
        let room = fit.saturating_sub(facts.chars().count()).max(8);
        let text = shortened(text, room) + &facts;
        let y = self.y + 19.0;
        self.scene.text(8.0, y, Align::Start, Ink::Text, text);
        self.y += TITLE;
    }

    /// The field below what there is, so many pixels high.
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

    /// A field that is so high if nothing is said of the picture's height.
    fn field(&mut self, height: f64, x: (f64, f64), y: (f64, f64)) -> Axes {
        let height = match self.stretch {
            1.0 => height,
            stretch => (height * stretch).max(LEAST),
        };
        self.fields += height;
        self.fixed(height, x, y)
    }

    /// What the numbers at the left and those of the colours are, above a field.
    fn caption(&mut self, left: &str, right: &str) {
        let (x, end) = (self.margins.0, self.margins.0 + self.inner() + 12.0);
        let y = self.y + 9.0;
        self.scene.text(end, y, Align::Start, Ink::Muted, right);
        let fit = match right {
            "" => f64::from(self.scene.width) - x,
            _ => self.inner(),
        };
        for line in wrapped(left, super::whole(fit / LETTER).max(8)) {
            let y = self.y + 9.0;
            self.scene.text(x, y, Align::Start, Ink::Muted, line);
            self.y += CAPTION;
        }
    }
}
