//! Lists of utterances, and the search in them.

use std::fmt::Write;

use crate::svg::escaped;
use crate::{Listed, Overview};

/// Lists of no more are open, and not searched.
const FEW: u64 = 10;

/// The longest, the shortest and all utterances, or the first of very many.
pub(super) fn write(all: &Overview, html: &mut String) {
    let count = all.stats.utterances;
    if count <= FEW {
        if !all.first.is_empty() {
            html.push_str("<h2>All utterances</h2>\n");
            table(&all.first, "", html);
        }
        return;
    }
    for (title, list) in [
        ("The longest utterances", &all.longest),
        ("The shortest utterances", &all.shortest),
    ] {
        // Writing to a string can't fail, so results are dropped.
        let _ = writeln!(html, "<h2>{title}</h2>");
        table(list, "", html);
    }
    let title = match all.first.len() as u64 {
        listed if listed == count => format!("All {count} utterances"),
        listed => format!("The first {listed} of {count} utterances"),
    };
    let _ = writeln!(
        html,
        "<details id=\"all\"><summary>{title}</summary>\n<p><input id=\"search\" type=\"search\" \
         placeholder=\"Search the table\" aria-label=\"Search the table\" hidden> \
         <span id=\"found\" role=\"status\"></span></p>"
    );
    table(&all.first, " id=\"keys\"", html);
    let script = include_str!("search.js");
    let _ = writeln!(html, "</details>\n<script>\n{script}</script>");
}

fn table(list: &[Listed], attributes: &str, html: &mut String) {
    let timed = list.iter().any(|listed| listed.entry.seconds.is_some());
    let _ = write!(
        html,
        "<div class=\"scroll\"><table{attributes}>\n<tr><th>key</th><th>length</th>\
         {}<th>holds</th><th>columns</th><th>type</th></tr>\n",
        if timed { "<th>seconds</th>" } else { "" }
    );
    for listed in list {
        line(listed, timed, html);
    }
    html.push_str("</table></div>\n");
}

/// A line of the table, with the seconds if the table is `timed`.
fn line(listed: &Listed, timed: bool, html: &mut String) {
    let entry = &listed.entry;
    let dash = || "–".to_owned();
    let seconds = || entry.seconds.map_or_else(dash, |s| format!("{s:.2}"));
    let words = [
        Some(entry.frames.to_string()),
        timed.then(seconds),
        Some(entry.kinds.join(", ")),
        Some(entry.dim.map_or_else(dash, |n| n.to_string())),
        Some(entry.dtype.map_or_else(dash, str::to_owned)),
    ];
    let key = escaped(&entry.key.to_string());
    let _ = write!(html, "<tr><td class=\"key\">{key}</td>");
    for word in words.into_iter().flatten() {
        let _ = write!(html, "<td>{word}</td>");
    }
    html.push_str("</tr>\n");
}
