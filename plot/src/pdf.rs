//! PDF output: one page of the size of the picture, in vectors, without dates, so that the same
//! picture gives the same bytes. Text is set in Helvetica, which every PDF viewer has.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use spr_core::text::harmless;

use super::colour::palette;
use super::helvetica::{byte, width};
use super::scene::{Align, Area, Ink, Item, Scene};

/// The size of a CSS pixel in the points of PDF.
const POINT: f64 = 0.75;
/// The height of text in points of the scene.
const LETTERS: f64 = 12.0;
const FONT: Name = Name(b"F");

/// The objects of the file, in its order; images follow.
const CATALOG: i32 = 1;
const PAGES: i32 = 2;
const PAGE: i32 = 3;
const CONTENT: i32 = 4;
const HELVETICA: i32 = 5;
const INFO: i32 = 6;
const IMAGES: i32 = 7;

/// Returns `true` if all letters of a scene are in the encoding of the font.
pub fn has_letters(scene: &Scene) -> bool {
    scene.items.iter().all(|item| match item {
        Item::Text { text, .. } => harmless(text).chars().all(|c| byte(c).is_some()),
        _ => true,
    })
}

/// Returns a PDF file. Letters outside Windows' Latin code page are drawn as `?`.
pub fn document(scene: &Scene) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let mut images = Vec::new();
    let content = deflated(&content(scene, &mut images));
    let each = scene.scale * POINT;
    let [w, h] = [scene.width, scene.height].map(|n| single(f64::from(n) * each));
    pdf.catalog(Ref::new(CATALOG)).pages(Ref::new(PAGES));
    pdf.pages(Ref::new(PAGES)).kids([Ref::new(PAGE)]).count(1);
    let mut page = pdf.page(Ref::new(PAGE));
    page.parent(Ref::new(PAGES))
        .media_box(Rect::new(0.0, 0.0, w, h))
        .contents(Ref::new(CONTENT));
    let mut resources = page.resources();
    resources.fonts().pair(FONT, Ref::new(HELVETICA));
    let mut objects = resources.x_objects();
    for id in (IMAGES..).take(images.len()) {
        objects.pair(Name(image_name(id).as_bytes()), Ref::new(id));
    }
    objects.finish();
    resources.finish();
    page.finish();
    pdf.stream(Ref::new(CONTENT), &content)
        .filter(Filter::FlateDecode);
    pdf.type1_font(Ref::new(HELVETICA))
        .base_font(Name(b"Helvetica"))
        .encoding_predefined(Name(b"WinAnsiEncoding"));
    pdf.document_info(Ref::new(INFO))
        .title(TextStr(&harmless(&scene.title)))
        .creator(TextStr("spr-convert"));
    for (id, (cols, cells)) in (IMAGES..).zip(images) {
        image(Ref::new(id), cols, cells, &mut pdf);
    }
    pdf.finish()
}

/// Writes a grid of cells as an image.
fn image(id: Ref, cols: usize, cells: &[u8], pdf: &mut Pdf) {
    let rows = cells.len().checked_div(cols).unwrap_or(0);
    let [w, h] = [cols, rows].map(|n| i32::try_from(n).unwrap_or(0));
    let bytes = deflated(cells);
    let mut image = pdf.image_xobject(id, &bytes);
    image.filter(Filter::FlateDecode);
    image.width(w).height(h).bits_per_component(8);
    let colours = palette();
    let last = i32::try_from(colours.len()).unwrap_or(256) - 1;
    image
        .color_space()
        .indexed(Name(b"DeviceRGB"), last, colours.as_flattened());
}

fn image_name(id: i32) -> String {
    format!("I{id}")
}

/// Draws the items, and collects the grids with their numbers of columns.
fn content<'a>(scene: &'a Scene, images: &mut Vec<(usize, &'a [u8])>) -> Vec<u8> {
    let mut content = Content::new();
    let each = single(scene.scale * POINT);
    content.transform([each, 0.0, 0.0, each, 0.0, 0.0]);
    // The origin of PDF is the lower left corner.
    let up = |y: f64| f64::from(scene.height) - y;
    let mut items = scene.items.iter().peekable();
    while let Some(item) = items.next() {
        match item {
            Item::Rect { area, ink } => {
                set_colour(*ink, &mut content);
                add_rect(area, up, &mut content);
                // Rectangles of one path have no seams between them.
                while let Some(Item::Rect { area, .. }) = items
                    .next_if(|next| matches!(next, Item::Rect { ink: other, .. } if other == ink))
                {
                    add_rect(area, up, &mut content);
                }
                content.fill_nonzero();
            }
            Item::Text {
                x,
                y,
                align,
                ink,
                text,
            } => {
                let text = harmless(text);
                let bytes: Vec<_> = text.chars().map(|c| byte(c).unwrap_or(b'?')).collect();
                let length = bytes.iter().map(|b| width(*b)).sum::<f64>() * LETTERS;
                let x = match align {
                    Align::Start => *x,
                    Align::Middle => x - length / 2.0,
                    Align::End => x - length,
                };
                set_colour(*ink, &mut content);
                content
                    .begin_text()
                    .set_font(FONT, single(LETTERS))
                    .next_line(single(x), single(up(*y)))
                    .show(Str(&bytes))
                    .end_text();
            }
            Item::Grid { area, cols, cells } => {
                let Area { x, y, w, h } = *area;
                let id = IMAGES.saturating_add(i32::try_from(images.len()).unwrap_or(i32::MAX));
                images.push((*cols, cells));
                let place = [w, 0.0, 0.0, h, x, up(y + h)].map(single);
                content
                    .save_state()
                    .transform(place)
                    .x_object(Name(image_name(id).as_bytes()))
                    .restore_state();
            }
        }
    }
    content.finish().into_vec()
}

fn add_rect(area: &Area, up: impl Fn(f64) -> f64, content: &mut Content) {
    let Area { x, y, w, h } = *area;
    let [x, y, w, h] = [x, up(y + h), w, h].map(single);
    content.rect(x, y, w, h);
}

/// Sets the colour of what is drawn next: as on white paper.
fn set_colour(ink: Ink, content: &mut Content) {
    let [r, g, b] = ink.on_paper().map(|part| f32::from(part) / 255.0);
    content.set_fill_rgb(r, g, b);
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    // Writing to a vector cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Converts a coordinate.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PDF coordinates are of single precision"
)]
fn single(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::ZlibDecoder;

    use super::*;

    fn scene() -> Scene {
        let mut scene = Scene {
            width: 200,
            height: 100,
            title: "été (1)".to_owned(),
            ..Scene::default()
        };
        scene.rect(10.0, 20.0, 30.0, 40.0, Ink::Data);
        scene.rect(40.0, 20.0, 5.0, 5.0, Ink::Data);
        scene.text(200.0, 12.0, Align::End, Ink::Text, "a)é ʃ");
        let area = Area {
            x: 0.0,
            y: 50.0,
            w: 100.0,
            h: 50.0,
        };
        scene.items.push(Item::Grid {
            area,
            cols: 2,
            cells: vec![0, 254, 255, 127],
        });
        scene
    }

    #[test]
    fn items_are_drawn_from_the_lower_left_corner() {
        let scene = scene();
        let mut images = Vec::new();
        let drawn = content(&scene, &mut images);
        let text: String = drawn.iter().map(|b| char::from(*b)).collect();
        // Both rectangles are one path.
        assert!(text.contains("10 40 30 40 re\n40 75 5 5 re\nf\n"), "{text}");
        assert!(text.contains("100 0 0 50 0 0 cm\n/I7 Do"), "{text}");
        // a is 556 wide, a bracket 333, é 556, a space 278, ? 556.
        let x = 200.0 - 12.0 * 2.279;
        assert!(text.contains(&format!("{x:.3} 88 Td")), "{text}");
        assert_eq!(images, [(2, &[0, 254, 255, 127][..])]);
        assert!(!has_letters(&scene));
    }

    #[test]
    fn a_file_has_its_objects_where_the_table_says() {
        let file = document(&scene());
        assert_eq!(file, document(&scene()));
        assert!(file.starts_with(b"%PDF-1.7") && file.trim_ascii_end().ends_with(b"%%EOF"));
        let text: String = file.iter().map(|b| char::from(*b)).collect();
        let start = text.rsplit_once("startxref\n").unwrap().1;
        let start: usize = start.lines().next().unwrap().parse().unwrap();
        // Places are those of bytes.
        let table: String = file[start..].iter().map(|b| char::from(*b)).collect();
        assert!(table.starts_with("xref\n0 8\n"), "{table}");
        for (id, line) in table.lines().skip(3).take(7).enumerate() {
            let at: usize = line[..10].parse().unwrap();
            let object = format!("{} 0 obj", id + 1);
            assert!(file[at..].starts_with(object.as_bytes()), "{id}");
        }
        assert!(text.contains("/MediaBox [0 0 150 75]"), "{text}");
        // The cells are stored as they are, with a palette of 256 colours.
        let image = &text[text.find("/Subtype /Image").unwrap()..];
        let start = image.find("stream\n").unwrap() + 7;
        let bytes: Vec<_> = image[start..].chars().map(|c| c as u8).collect();
        let mut cells = Vec::new();
        ZlibDecoder::new(&bytes[..])
            .read_to_end(&mut cells)
            .unwrap();
        assert_eq!(cells, [0, 254, 255, 127]);
        assert!(image.contains("/Indexed /DeviceRGB 255"));
    }
}
