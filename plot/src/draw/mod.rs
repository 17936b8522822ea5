//! Pictures and overviews laid out as scenes.

mod charts;
mod legend;
mod sheet;
mod utterance;

use super::colour::Colours;
use super::histogram::{LABEL_COLUMNS, labels, left_out, lengths};
use super::overview::{Chart, Overview};
use super::picture::Picture;
use super::scene::Scene;
use super::words::whole;
pub use sheet::Size;
use sheet::{CAPTION, LEFT, RIGHT, Sheet};

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

/// The part of a picture along the time of its sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeField {
    /// The left edge and the width, as shares of the picture's width.
    pub place: (f64, f64),
    /// The times at the left and the right edge, in seconds since the start of the sound.
    pub seconds: (f64, f64),
}

/// Returns where the sound of an utterance lies in its picture of this width. `None` without sound.
pub fn time_field(picture: &Picture, size: impl Into<Size>) -> Option<TimeField> {
    let size = size.into();
    let wave = picture.waves.first().filter(|wave| wave.axis.is_time())?;
    let margins = utterance::margins(std::slice::from_ref(picture), size.width);
    let sheet = Sheet::new(size, margins, 1.0);
    let wide = f64::from(sheet.scene.width);
    let along = picture.along(wave.axis);
    Some(TimeField {
        place: (sheet.margins.0 / wide, sheet.inner() / wide),
        seconds: (along.from - wave.axis.from, along.to - wave.axis.from),
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
