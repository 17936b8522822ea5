//! What a data set says of itself comes back, or is refused by name.

use spr_core::format::{Request, create};
use spr_core::model::{About, AboutField};
use spr_core::{ErrorKind, Result};

use super::{Bench, Place};
use crate::generate;

pub(super) fn run(bench: &Bench<'_>) {
    let mut held = About::default();
    for &field in AboutField::ALL {
        match bench.caps.about.contains(&field) {
            true => say(&mut held, field),
            false => refused(bench, field),
        }
    }
    if held.is_empty() {
        return;
    }
    let place = bench.place();
    match write(bench, &held, &place).and_then(|()| read(bench, &place)) {
        Ok(back) if back == held => {}
        other => bench.fail(
            "what the data set says of itself",
            format_args!("want {held:?}, got {other:?}"),
        ),
    }
}

/// Has the data set say something.
fn say(about: &mut About, field: AboutField) {
    match field {
        AboutField::Description => about.description = Some("Two lines,\n\"quoted\"".to_owned()),
        AboutField::License => about.license = Some("CC-BY-4.0".to_owned()),
        AboutField::Split => about.split = Some("valid".to_owned()),
        AboutField::Classes => {
            let names = ["sil", "\u{e9}", ""].map(str::to_owned).to_vec();
            about.classes.insert("labels".to_owned(), names);
        }
        _ => drop(
            about
                .other
                .insert("homepage".to_owned(), "\u{e9} x".to_owned()),
        ),
    }
}

fn refused(bench: &Bench<'_>, field: AboutField) {
    let mut about = About::default();
    say(&mut about, field);
    let place = bench.place();
    match write(bench, &about, &place) {
        Err(e) if e.kind() == ErrorKind::Unfit && e.to_string().contains(field.name()) => {}
        other => bench.fail(
            "undeclared and yet taken",
            format_args!("the data set's {}: {other:?}", field.name()),
        ),
    }
}

fn write(bench: &Bench<'_>, about: &About, place: &Place) -> Result<()> {
    let output = bench.output(place);
    let format = bench.suite.format;
    let mut writer = create(format, output.clone(), &bench.options, about, &place.env)?;
    if let Some(plan) = generate::plans(&bench.caps).first() {
        for utt in bench.sample(*plan, bench.most(2)) {
            writer.write(&utt)?;
        }
    }
    writer.finish()?;
    output.commit()
}

fn read(bench: &Bench<'_>, place: &Place) -> Result<About> {
    let (format, options) = (bench.suite.format, bench.options.clone());
    let request = Request::all();
    let reader = crate::open_within(format, options, &place.at, request, &place.env)?;
    Ok(reader.info().about.clone())
}
