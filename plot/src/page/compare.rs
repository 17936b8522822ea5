//! A page about several data sets.

use std::fmt::Write;

use spr_stats::{Compared, differences, side_by_side};

use super::{Report, damage, document, figure, is_drawn};
use crate::overview::Chart;
use crate::svg::escaped;

/// Makes a page with data sets side by side: facts, what they share and what only one has, and charts.
/// Text from files stands in it as text only. `repair` is a sentence for readers of a page about damaged
/// data: how to keep what is whole.
pub fn comparison(reports: &[Report], repair: &str) -> String {
    let sets = reports.iter().map(|report| Compared {
        name: &report.subject.input,
        survey: &report.all.survey,
        labels: &report.all.labels,
    });
    let sets: Vec<_> = sets.collect();
    let mut html = String::new();
    table(reports, &sets, &mut html);
    let sentences = differences(&sets);
    if !sentences.is_empty() {
        html.push_str("<h2>In common</h2>\n<ul>\n");
        for sentence in sentences {
            // Writing to a string cannot fail, so results are dropped.
            let _ = writeln!(html, "<li>{}</li>", escaped(&sentence));
        }
        html.push_str("</ul>\n");
    }
    for report in reports {
        damage(report, repair, &mut html);
    }
    charts(reports, &mut html);
    let names: Vec<_> = sets.iter().map(|set| set.name).collect();
    document(&names.join(" · "), &html)
}

/// Writes the facts, a column for each data set.
fn table(reports: &[Report], sets: &[Compared<'_>], html: &mut String) {
    html.push_str("<div class=\"scroll\"><table>\n<tr><th></th>");
    for set in sets {
        let _ = write!(html, "<th>{}</th>", escaped(set.name));
    }
    html.push_str("</tr>\n");
    let formats = reports.iter().map(|report| report.subject.format.clone());
    let mut rows = vec![("format", formats.collect())];
    rows.extend(side_by_side(sets));
    if reports.iter().any(|report| report.faults > 0) {
        let faults = reports.iter().map(|report| report.faults.to_string());
        rows.push(("faults", faults.collect()));
    }
    for (name, values) in rows {
        let _ = write!(html, "<tr><td>{name}</td>");
        for value in values {
            let _ = write!(html, "<td>{}</td>", escaped(&value));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table></div>\n");
}

/// Draws each chart for each data set.
fn charts(reports: &[Report], html: &mut String) {
    html.push_str("<h2>Summary</h2>\n<div class=\"charts\">\n");
    for chart in Chart::ALL {
        for report in reports.iter().filter(|report| is_drawn(&report.all, chart)) {
            let name = escaped(&report.subject.input);
            let caption = format!("<figcaption>{name}</figcaption>");
            figure(&report.all, chart, false, &caption, html);
        }
    }
    html.push_str("</div>\n");
}
