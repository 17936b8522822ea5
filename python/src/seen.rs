//! Pictures and pages.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spr_convert::core::bytes::{Locator, Part};
use spr_convert::core::format::Reader;
use spr_convert::core::model::Utterance;
use spr_convert::plot::draw::{self, Size};
use spr_convert::plot::page::page;
use spr_convert::plot::{Chart, Clip, Detail, Overview, Picture, Scene, pdf, raster, svg};
use spr_convert::{Error, Result};

use crate::failure::apart;
use crate::input::DatasetPlan;
use crate::settings::Settings;
use crate::text::argument;
use crate::utterance;

/// The largest number of utterances on a sheet.
const MAX_UTTERANCES: usize = 40;

/// The largest number of rows of features.
const ROWS: usize = 400;

/// The largest number of pixels of a PNG.
const MAX_PIXELS: u64 = 50_000_000;

/// The bytes of sound that can be played in a notebook.
const CLIP: u64 = 4 << 20;

/// The look of a picture as a caller gives it: the width and the height in points, the pixels of a
/// point, and the kind of picture.
type Look = (u32, Option<u32>, f64, String);

fn size((width, height, scale, _): &Look) -> Result<Size> {
    if !(100..=8000).contains(width) || !height.is_none_or(|n| (50..=20_000).contains(&n)) {
        let message = "a picture is 100 to 8000 points wide, and 50 to 20000 high";
        return Err(Error::usage(message));
    }
    if !(0.25..=8.0).contains(scale) {
        return Err(Error::usage("scale is a number from 0.25 to 8"));
    }
    Ok(Size {
        width: *width,
        height: *height,
        scale: *scale,
    })
}

fn detail(size: &Size) -> Detail {
    let field = size.width.saturating_sub(140).max(100);
    Detail::new(field as usize, ROWS)
}

/// Draws a scene as a file of this kind.
fn bytes(scene: &Scene, kind: &str) -> Result<Vec<u8>> {
    match kind {
        "svg" => Ok(svg::document(scene).into_bytes()),
        "pdf" => Ok(pdf::document(scene)),
        "png" => {
            let (width, height) = scene.pixels();
            if u64::from(width) * u64::from(height) > MAX_PIXELS {
                let message = format!("a PNG of {width} by {height} pixels is too large");
                return Err(Error::usage(message));
            }
            Ok(raster::png(scene))
        }
        other => Err(Error::usage(format!("there is no picture '{other}'")).hint("svg, png, pdf")),
    }
}

fn nothing() -> Error {
    Error::usage("nothing in it can be drawn")
}

/// Draws the utterances that come out, or with `all` the charts of the whole data set.
#[pyfunction]
pub(crate) fn plot<'py>(
    py: Python<'py>,
    asked: Py<DatasetPlan>,
    settings: Settings,
    all: bool,
    look: Look,
) -> PyResult<Bound<'py, PyBytes>> {
    let at = settings.surroundings();
    let data = asked.get().resolve(py, &at)?;
    let drawn = apart(py, || {
        let size = size(&look)?;
        let mut reader = asked.get().open(data, 0, &at)?;
        let scene = match all {
            true => overview(reader.as_mut(), size)?,
            false => utterances(reader.as_mut(), size)?,
        };
        bytes(&scene, &look.3)
    });
    at.close(py)?;
    Ok(PyBytes::new(py, &drawn?))
}

fn overview(reader: &mut dyn Reader, size: Size) -> Result<Scene> {
    let all = Overview::read(reader, Some(detail(&size)))?;
    let scene = draw::overview(&all, &Chart::ALL, size);
    match scene.items.is_empty() {
        false => Ok(scene),
        true => {
            // There are no frames to be counted, but what the first one holds can be seen.
            let first = all
                .pictures
                .into_iter()
                .flatten()
                .find(|own| !own.is_empty());
            let first = first.ok_or_else(nothing)?;
            Ok(draw::pictures(&[first], size))
        }
    }
}

fn utterances(reader: &mut dyn Reader, size: Size) -> Result<Scene> {
    let (mut pictures, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt)? {
        if pictures.len() == MAX_UTTERANCES {
            let message = format!("a sheet has room for {MAX_UTTERANCES} utterances");
            return Err(Error::usage(message));
        }
        let picture = Picture::with(&utt, &detail(&size))?;
        if picture.is_empty() {
            return Err(nothing().utterance(&utt.key));
        }
        pictures.push(picture);
    }
    match pictures.is_empty() {
        true => Err(nothing()),
        false => Ok(draw::pictures(&pictures, size)),
    }
}

/// Draws an utterance, and returns its sound as a file that can be played, with its media type.
#[pyfunction]
#[pyo3(signature = (from, look, /))]
pub(crate) fn picture<'py>(
    py: Python<'py>,
    from: &Bound<'py, PyAny>,
    look: Look,
) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>)> {
    let mut utt = Utterance::default();
    utterance::fill(from, &mut utt)?;
    let (drawn, clip) = apart(py, || {
        let size = size(&look)?;
        let detail = Detail {
            clip: Some(CLIP),
            ..detail(&size)
        };
        let picture = Picture::with(&utt, &detail)?;
        if picture.is_empty() {
            return Err(nothing().utterance(&utt.key));
        }
        let clip = picture.clip.clone();
        Ok((bytes(&draw::pictures(&[picture], size), &look.3)?, clip))
    })?;
    let clip = match clip {
        Some(Clip::Wav(bytes)) => Some(PyBytes::new(py, &bytes)),
        _ => None,
    };
    Ok((PyBytes::new(py, &drawn), clip))
}

/// Makes the page about a data set, whose sound is in it up to a size for each utterance.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    settings: Settings,
    max_sound: u64,
) -> PyResult<String> {
    let at = settings.surroundings();
    let made = apart(py, || {
        let made = spr_convert::verbs::report::report(
            &asked.get().input(&at)?,
            max_sound,
            &at.registry,
            &at.env,
        )?;
        let repair = "`spr_convert.repair(IN, OUT)` keeps it.";
        Ok(page(&made, repair, "`max_sound=BYTES` allows more."))
    });
    at.close(py)?;
    made
}

/// Writes a file that is there whole or not at all.
#[pyfunction]
pub(crate) fn store(
    py: Python<'_>,
    path: std::ffi::OsString,
    content: &[u8],
    overwrite: bool,
    settings: Settings,
) -> PyResult<()> {
    let at = settings.surroundings();
    let content = content.to_vec();
    let done = apart(py, || {
        let output = at.env.output(&Locator::file(argument(path.clone())));
        let output = output.overwrite(overwrite);
        let mut sink = output.create(Part::Main, false)?;
        sink.put(&content)?;
        sink.finish()?;
        output.commit()
    });
    at.close(py)?;
    done
}
