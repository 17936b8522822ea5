//! A data set as a single HTML page that needs no other files and no network. Scripts serve the
//! search, and show in a picture what is played.

mod compare;
mod facts;
mod speakers;
mod utterances;

use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use spr_core::Error;
use spr_stats::{Column, Columns};

use crate::clip::Clip;
use crate::draw;
use crate::overview::{Chart, Overview};
use crate::picture::Picture;
use crate::svg::{element, escaped};
pub use compare::comparison;
pub use facts::Subject;

/// The widths of pictures and charts, in pixels.
const WIDE: u32 = 800;
/// The widths of charts: on a telephone, in one of two columns, and in a row of their own.
const CHARTS: [(&str, u32); 3] = [("small", 340), ("medium", 560), ("large", 1140)];

/// The largest number of feature columns on a page.
const COLUMNS: usize = 1000;

/// The columns and rows of the pictures on a page.
pub const PICTURE: (usize, usize) = (660, 256);

/// A data set, as far as it could be read.
#[derive(Debug)]
pub struct Report {
    /// The source of the data.
    pub subject: Subject,
    /// The data that were read.
    pub all: Overview,
    /// The first faults that were met.
    pub damage: Vec<Error>,
    /// The number of all faults.
    pub faults: u64,
}

/// Makes the page. Text from files stands in it as text only. `repair` is a sentence for readers
/// of a page about damaged data: how to keep what is whole; `longer` one about sound that is too
/// large for the page.
pub fn page(report: &Report, repair: &str, longer: &str) -> String {
    let (subject, all) = (&report.subject, &report.all);
    let mut html = "<dl>\n".to_owned();
    // Writing to a string cannot fail, so results are dropped.
    if report.faults > 0 {
        html.push_str("<div class=\"bad\"><dt>Faults</dt>");
        let _ = writeln!(html, "<dd>{}</dd></div>", report.faults);
    }
    for (name, text) in facts::list(subject, all) {
        let text = escaped(&text);
        let _ = writeln!(html, "<div><dt>{name}</dt><dd>{text}</dd></div>");
    }
    html.push_str("</dl>\n");
    damage(report, repair, &mut html);
    charts(all, &mut html);
    speakers::write(&all.survey.lists, &mut html);
    pictures(all, longer, &mut html);
    utterances::write(&all.survey, &mut html);
    columns(&all.survey.columns, &mut html);
    document(&subject.input, &html)
}

/// Makes a page of its `title`, as text, and its body, as HTML.
pub fn document(title: &str, body: &str) -> String {
    let (title, style) = (escaped(title), include_str!("style.css"));
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\
         <footer>Made by spr-convert {version}</footer>\n</body>\n</html>\n"
    )
}

/// Converts a sentence with commands between backticks to HTML.
fn prose(text: &str) -> String {
    let pieces = text.split('`').enumerate().map(|(i, piece)| match i % 2 {
        0 => escaped(piece),
        _ => format!("<code>{}</code>", escaped(piece)),
    });
    pieces.collect()
}

/// Lists the faults.
fn damage(report: &Report, repair: &str, html: &mut String) {
    if report.damage.is_empty() {
        return;
    }
    let _ = writeln!(
        html,
        "<h2>Damage</h2>\n<p>This page is about what could be read. {}</p>\n<ul class=\"bad\">",
        prose(repair)
    );
    for error in &report.damage {
        let text = escaped(&error.to_string());
        let _ = writeln!(html, "<li>{text}</li>");
    }
    let more = report.faults.saturating_sub(report.damage.len() as u64);
    if more > 0 {
        let _ = writeln!(html, "<li>{more} more</li>");
    }
    html.push_str("</ul>\n");
}

fn charts(all: &Overview, html: &mut String) {
    let drawn: Vec<_> = Chart::ALL
        .into_iter()
        .filter(|chart| is_drawn(all, *chart))
        .collect();
    if drawn.is_empty() {
        return;
    }
    html.push_str("<h2>Summary</h2>\n<div class=\"charts\">\n");
    for (i, chart) in drawn.iter().enumerate() {
        // The last of an odd number has a row of its own.
        let is_alone = i % 2 == 0 && i + 1 == drawn.len();
        figure(all, *chart, is_alone, "", html);
    }
    html.push_str("</div>\n");
}

/// Returns `true` if there is something to be seen in a chart.
fn is_drawn(all: &Overview, chart: Chart) -> bool {
    !draw::overview(all, &[chart], WIDE).items.is_empty()
}

/// Draws a chart in several widths, of which a browser shows one, with a caption in HTML.
fn figure(all: &Overview, chart: Chart, is_alone: bool, caption: &str, html: &mut String) {
    let class = if is_alone { " class=\"alone\"" } else { "" };
    let _ = writeln!(html, "<figure{class}>");
    for (class, width) in CHARTS.into_iter().take(if is_alone { 3 } else { 2 }) {
        let chart = element(&draw::overview(all, &[chart], width));
        let _ = writeln!(html, "<div class=\"{class}\">{chart}</div>");
    }
    let _ = writeln!(html, "{caption}</figure>");
}

fn pictures(all: &Overview, longer: &str, html: &mut String) {
    let names = ["The first utterance", "The longest", "The shortest"];
    let mut shown: Vec<(&Picture, String)> = Vec::new();
    for (picture, name) in all.pictures.iter().zip(names) {
        let Some(picture) = picture.as_ref().filter(|p| !p.is_empty()) else {
            continue;
        };
        match shown.iter_mut().find(|(other, _)| *other == picture) {
            Some((_, names)) => names.push_str(&format!(", {}", name.to_lowercase())),
            None => shown.push((picture, name.to_owned())),
        }
    }
    let mut plays = false;
    if !shown.is_empty() {
        html.push_str("<h2>Utterances</h2>\n");
    }
    for (picture, name) in shown {
        let drawn = element(&draw::pictures(std::slice::from_ref(picture), WIDE));
        let played = matches!(picture.clip, Some(Clip::Wav(_)));
        let field = draw::time_field(picture, WIDE).filter(|_| played);
        let field = field.map(|field| attributes(&field)).unwrap_or_default();
        let _ = writeln!(
            html,
            "<figure class=\"wide\"><div class=\"picture\"><div class=\"sheet\"{field}>{drawn}\
             </div></div><figcaption>{name}</figcaption>"
        );
        plays |= !field.is_empty();
        if let Some(said) = &picture.text {
            let _ = writeln!(html, "<blockquote>{}</blockquote>", escaped(said));
        }
        match &picture.clip {
            None => {}
            Some(Clip::Wav(wav)) => {
                let wav = BASE64_STANDARD.encode(wav);
                let _ = writeln!(
                    html,
                    "<audio controls preload=\"metadata\" src=\"data:audio/wav;base64,{wav}\"></audio>"
                );
            }
            Some(Clip::TooLarge(bytes)) => {
                let size = *bytes as f64 / 1e6;
                let longer = prose(longer);
                let _ = writeln!(
                    html,
                    "<p>Its sound is not in the page: {size:.1} MB are too much. {longer}</p>"
                );
            }
        }
        html.push_str("</figure>\n");
    }
    if plays {
        let script = include_str!("player.js");
        let _ = writeln!(html, "<script>\n{script}</script>");
    }
}

/// Tells the script of the player where the sound lies in a picture.
fn attributes(field: &draw::TimeField) -> String {
    let ((left, width), (from, to)) = (field.place, field.seconds);
    format!(
        " data-left=\"{left:.4}\" data-width=\"{width:.4}\" data-from=\"{from}\" data-to=\"{to}\""
    )
}

fn columns(columns: &Columns, html: &mut String) {
    let Some(last) = columns.count.checked_sub(1) else {
        return;
    };
    let rest = columns.from(COLUMNS);
    let told = match rest {
        Some(_) => format!(", those from {COLUMNS} on as one"),
        None => String::new(),
    };
    let _ = write!(
        html,
        "<details><summary>Features, column by column{told}</summary>\n\
         <div class=\"scroll\"><table>\n\
         <tr><th>column</th><th>mean</th><th>deviation</th><th>least</th><th>greatest</th>\
         <th>NaN</th><th>infinite</th></tr>\n",
    );
    for (i, column) in columns.each.iter().take(COLUMNS).enumerate() {
        line(&i.to_string(), column, html);
    }
    if let Some(rest) = &rest {
        line(&format!("{COLUMNS}–{last}"), rest, html);
    }
    html.push_str("</table></div></details>\n");
}

/// Writes a line of the table of columns.
fn line(name: &str, column: &Column, html: &mut String) {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |v| format!("{v:.4}"));
    let some = (column.count > 0).then_some(());
    let numbers = [
        some.map(|()| column.mean),
        some.map(|()| column.std),
        column.min,
        column.max,
    ];
    let _ = write!(html, "<tr><td>{name}</td>");
    for value in numbers {
        let _ = write!(html, "<td>{}</td>", number(value));
    }
    let (nan, inf) = (column.nan, column.inf);
    let _ = writeln!(html, "<td>{nan}</td><td>{inf}</td></tr>");
}
