//! SVG output.

use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use spr_core::text::harmless;

use super::colour::{Rgb, palette};
use super::png::{Pixels, encode};
use super::scene::{Align, Area, Ink, Item, Scene};

/// The colours of a stand-alone picture: on white, or as the browser prefers.
const STYLE: &str = "text{font:12px system-ui,sans-serif}.p{fill:#fff}.t{fill:#222}.m{fill:#666}\
.g{fill:#e4e4e4}.d{fill:#31688e}.s{fill:#a9c4d6}@media(prefers-color-scheme:dark){.p{fill:#14171b}\
.t{fill:#e6e8eb}.m{fill:#a0a8b3}.g{fill:#343b44}.d{fill:#6db3dd}.s{fill:#33536a}}";

/// Returns a stand-alone SVG document.
pub fn document(scene: &Scene) -> String {
    let paper = "<rect width=\"100%\" height=\"100%\" class=\"p\"/>\n";
    framed(scene, &format!("<style>{STYLE}</style>\n{paper}"))
}

/// Returns an SVG element for a page, which sets the colours of the classes `t` (titles), `m`
/// (numbers), `g` (grid lines), `d` (data) and `s` (surroundings of data).
pub fn element(scene: &Scene) -> String {
    framed(scene, "")
}

fn framed(scene: &Scene, head: &str) -> String {
    let (w, h, title) = (scene.width, scene.height, escaped(&scene.title));
    let (wide, high) = scene.pixels();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
         viewBox=\"0 0 {w} {h}\" role=\"img\">\n<title>{title}</title>\n{head}"
    );
    for item in &scene.items {
        append(item, &mut text);
    }
    text.push_str("</svg>\n");
    text
}

/// Writing to a string cannot fail, so results are dropped.
fn append(item: &Item, text: &mut String) {
    match item {
        Item::Rect { area, ink } => {
            let _ = writeln!(text, "<rect {} {}/>", place(area), fill(*ink));
        }
        Item::Text {
            x,
            y,
            align,
            ink,
            text: words,
        } => {
            let anchor = match align {
                Align::Start => "",
                Align::Middle => " text-anchor=\"middle\"",
                Align::End => " text-anchor=\"end\"",
            };
            let (x, y, ink, words) = (short(*x), short(*y), fill(*ink), escaped(words));
            let _ = writeln!(
                text,
                "<text x=\"{x}\" y=\"{y}\"{anchor} {ink}>{words}</text>"
            );
        }
        Item::Grid { area, cols, cells } => {
            let rows = cells.len().checked_div(*cols).unwrap_or(0);
            let [w, h] = [*cols, rows].map(|n| u32::try_from(n).unwrap_or(0));
            let png = encode(w, h, &Pixels::Places(cells, &palette()));
            let png = BASE64_STANDARD.encode(png);
            let _ = writeln!(
                text,
                "<image {} preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
                 href=\"data:image/png;base64,{png}\"/>",
                place(area)
            );
        }
    }
}

fn place(area: &Area) -> String {
    let [x, y, w, h] = [area.x, area.y, area.w, area.h].map(short);
    format!("x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"")
}

/// Formats a coordinate with at most two decimals.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn fill(ink: Ink) -> String {
    let class = match ink {
        Ink::Text => "t",
        Ink::Muted => "m",
        Ink::Faint => "g",
        Ink::Data => "d",
        Ink::Soft => "s",
        Ink::Fixed(colour) => return format!("fill=\"{}\"", hex(colour)),
    };
    format!("class=\"{class}\"")
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Escapes text for XML or HTML, in an element or an attribute.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in harmless(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let mut scene = Scene {
            title: "<script>alert('1')</script>".to_owned(),
            ..Scene::default()
        };
        scene.text(1.0, 2.5, Align::End, Ink::Text, "\"a\" & \x1b\0");
        let text = document(&scene);
        assert!(!text.contains("<script") && !text.contains('\x1b') && !text.contains('\0'));
        assert!(text.contains("<title>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;</title>"));
        assert!(text.contains(
            "<text x=\"1\" y=\"2.5\" text-anchor=\"end\" class=\"t\">&quot;a&quot; &amp; \\u{1b}\\u{0}</text>"
        ));
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(
            [0.0, 10.0, 1.0 / 3.0, 2.5].map(short),
            ["0", "10", "0.33", "2.5"]
        );
    }
}
