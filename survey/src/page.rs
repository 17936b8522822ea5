//! A survey as a page of HTML.

use std::fmt::Write;

use spr_plot::page::document;
use spr_plot::svg::escaped;

use crate::inventory::{DataSet, Inventory, Part, Rest, TITLES};
use crate::words::{hours, size};

/// Lines of the rest that a page has of each sort.
const MOST: usize = 500;

/// Makes the page of a survey of the places in `title`. Text from files stands in it as text only.
pub fn page(title: &str, found: &Inventory) -> String {
    let mut html = String::new();
    facts(found, &mut html);
    damage(found, &mut html);
    if !found.data_sets.is_empty() {
        html.push_str("<h2>Data sets</h2>\n<div class=\"scroll\"><table>\n");
        html.push_str("<tr><th class=\"path\">data</th>");
        for title in &TITLES[1..] {
            let _ = write!(html, "<th>{title}</th>");
        }
        html.push_str("</tr>\n");
        for set in &found.data_sets {
            data_set(set, &mut html);
        }
        html.push_str("</table></div>\n");
    }
    twins(found, &mut html);
    rest("Unknown", &found.unknown, &mut html);
    rest("Empty", &found.empty, &mut html);
    rest("Left by other programs", &found.rubbish, &mut html);
    document(title, &html)
}

/// Writes the sums.
fn facts(found: &Inventory, html: &mut String) {
    let totals = &found.totals;
    html.push_str("<dl>\n");
    let facts = [
        ("Data sets", totals.data_sets.to_string()),
        ("Utterances", totals.utterances.to_string()),
        ("Hours", hours(Some(totals.seconds))),
        ("Files", totals.files.to_string()),
        ("Size", size(totals.bytes)),
        ("Unknown files", totals.unknown.to_string()),
        ("Empty files", totals.empty.to_string()),
        ("Doubled files", totals.doubled.to_string()),
        ("Faults", totals.faults.to_string()),
    ];
    for (name, text) in facts {
        let bad = match (name, totals.faults) {
            ("Faults", 1..) => " class=\"bad\"",
            _ => "",
        };
        let _ = writeln!(html, "<div{bad}><dt>{name}</dt><dd>{text}</dd></div>");
    }
    html.push_str("</dl>\n");
}

/// Lists the faults.
fn damage(found: &Inventory, html: &mut String) {
    if !found.is_damaged() {
        return;
    }
    html.push_str("<h2>Damage</h2>\n<ul class=\"bad\">\n");
    for text in &found.unread {
        let _ = writeln!(html, "<li>{}</li>", escaped(text));
    }
    for set in &found.data_sets {
        for text in &set.damage {
            let (path, text) = (escaped(&set.path), escaped(text));
            let _ = writeln!(html, "<li>{path}: {text}</li>");
        }
        let more = set.faults.saturating_sub(set.damage.len() as u64);
        if more > 0 {
            let _ = writeln!(html, "<li>{}: {more} more</li>", escaped(&set.path));
        }
    }
    html.push_str("</ul>\n");
}

fn data_set(set: &DataSet, html: &mut String) {
    let count = |n: Option<u64>| n.map_or("–".to_owned(), |n| n.to_string());
    let kinds: Vec<_> = set.kinds.iter().map(String::as_str).collect();
    let guess = if set.guessed { " (a guess)" } else { "" };
    let words = [
        format!("{}{guess}", set.format),
        kinds.join("+"),
        count(set.utterances),
        count(set.frames),
        hours(set.seconds),
        set.files.to_string(),
        size(set.bytes),
        set.faults.to_string(),
    ];
    let _ = write!(html, "<tr><td class=\"path\">{}</td>", escaped(&set.path));
    for word in words {
        let _ = write!(html, "<td>{}</td>", escaped(&word));
    }
    html.push_str("</tr>\n");
    for part in &set.parts {
        let Part {
            role,
            path,
            files,
            bytes,
        } = part;
        let (path, size) = (escaped(path), size(*bytes));
        let _ = writeln!(
            html,
            "<tr class=\"part\"><td class=\"path\">{role}: {path}</td><td colspan=\"5\"></td>\
             <td>{files}</td><td>{size}</td><td></td></tr>"
        );
    }
    for note in &set.notes {
        let note = escaped(note);
        let _ = writeln!(
            html,
            "<tr class=\"part\"><td class=\"path\" colspan=\"9\">{note}</td></tr>"
        );
    }
}

fn twins(found: &Inventory, html: &mut String) {
    if found.twins.is_empty() {
        return;
    }
    html.push_str("<h2>The same content</h2>\n<div class=\"scroll\"><table>\n");
    html.push_str("<tr><th class=\"path\">files</th><th>files</th><th>size</th></tr>\n");
    for twins in found.twins.iter().take(MOST) {
        let paths: Vec<_> = twins.paths.iter().map(|path| escaped(path)).collect();
        let sampled = if twins.sampled { " (by samples)" } else { "" };
        let (paths, files, size) = (paths.join("<br>"), twins.files, size(twins.bytes));
        let _ = writeln!(
            html,
            "<tr><td class=\"path\">{paths}{sampled}</td><td>{files}</td><td>{size}</td></tr>"
        );
    }
    html.push_str("</table></div>\n");
    more(found.twins.len(), html);
}

fn rest(title: &str, all: &[Rest], html: &mut String) {
    if all.is_empty() {
        return;
    }
    let _ = write!(
        html,
        "<h2>{title}</h2>\n<div class=\"scroll\"><table>\n<tr><th class=\"path\">files</th>\
         <th class=\"path\">why</th><th>files</th><th>size</th></tr>\n"
    );
    for rest in all.iter().take(MOST) {
        let (path, why) = (escaped(&rest.path), escaped(&rest.why));
        let (files, size) = (rest.files, size(rest.bytes));
        let _ = writeln!(
            html,
            "<tr><td class=\"path\">{path}</td><td class=\"path\">{why}</td><td>{files}</td>\
             <td>{size}</td></tr>"
        );
    }
    html.push_str("</table></div>\n");
    more(all.len(), html);
}

fn more(all: usize, html: &mut String) {
    if all > MOST {
        let _ = writeln!(html, "<p>{} more</p>", all - MOST);
    }
}
