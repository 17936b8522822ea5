//! The lists of utterances and their search.

use std::fmt::Write;

use spr_stats::{ListedUtterance, Survey};

use crate::svg::escaped;

/// The largest number of utterances in an expanded list without a search.
const FEW: u64 = 10;

/// Lists the longest, the shortest and all utterances, or the first of very many.
pub(super) fn write(survey: &Survey, html: &mut String) {
    let (lists, count) = (&survey.lists, survey.utterances);
    if count <= FEW {
        if !lists.first.is_empty() {
            html.push_str("<h2>All utterances</h2>\n");
            table(&lists.first, "", html);
        }
        return;
    }
    for (title, list) in [
        ("The longest utterances", &lists.longest),
        ("The shortest utterances", &lists.shortest),
    ] {
        // Writing to a string cannot fail, so results are dropped.
        let _ = writeln!(html, "<h2>{title}</h2>");
        table(list, "", html);
    }
    let title = match lists.first.len() as u64 {
        listed if listed == count => format!("All {count} utterances"),
        listed => format!("The first {listed} of {count} utterances"),
    };
    let _ = writeln!(
        html,
        "<details id=\"all\"><summary>{title}</summary>\n<p><input id=\"search\" type=\"search\" \
         placeholder=\"Search the table\" aria-label=\"Search the table\" hidden> \
         <span id=\"found\" role=\"status\"></span></p>"
    );
    table(&lists.first, " id=\"keys\"", html);
    let script = include_str!("search.js");
    let _ = writeln!(html, "</details>\n<script>\n{script}</script>");
}

fn table(list: &[ListedUtterance], attributes: &str, html: &mut String) {
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

/// Writes a row of the table, with seconds if `timed` is set.
fn line(listed: &ListedUtterance, timed: bool, html: &mut String) {
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
