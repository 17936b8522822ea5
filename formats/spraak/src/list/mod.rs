//! Lists: segmentations, corpora, and opaque ones.

pub(crate) mod caps;
mod corpus;
mod driven;
mod entries;
mod folder;
mod head;
mod lines;
mod names;
mod opaque;
pub(crate) mod options;
mod segmentation;
mod segments;
mod spool;
mod tags;
mod time;
mod writer;

use spr_core::bytes::{Env, Location, Output, Part, Source};
use spr_core::format::{Format, Options, Reader, Request, Writer};
use spr_core::{Error, Result};

use crate::contents::coder;
use crate::data::unpacked;
use crate::header::Header;
use crate::vocabulary::Dialect;

pub(crate) use entries::EntryLines;
use entries::{Entries, ListSort};
use folder::ListFolder;
pub(crate) use head::ListKind;
pub(crate) use opaque::header as opaque_header;
pub(crate) use options::{check_options, is_driving};
pub(crate) use tags::is_field;
pub(crate) use writer::ListWriter;

/// Creates a reader of a list after its header. Takes the choice of keys from `request`.
pub(crate) fn open(
    source: Source,
    header: &Header,
    kind: ListKind,
    (format, options): (&'static dyn Format, &Options),
    request: &mut Request,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    let place = |e: Error| e.file(source.name());
    let used: &[&str] = match kind {
        ListKind::Segmentation => &["symbols"],
        ListKind::Corpus => &["root", "suffix"],
        ListKind::Opaque(_) => &[],
    };
    check_options(options, used).map_err(place)?;
    if kind == ListKind::Corpus && is_driving(options) {
        let folder = source.location().and_then(Location::parent);
        let mut of_file = Request::all();
        of_file.values = request.values;
        let files = driven::Files::new(folder, format, options, of_file, env)?;
        let reader = corpus::CorpusReader::open(source, header, options, request.take_keys(), env)?;
        return Ok(Box::new(driven::CorpusDriven::new(reader, files)));
    }
    options::check_others(format, options, &options::READING).map_err(place)?;
    let source = match coder(header, env)? {
        Some(codec) => unpacked(source, codec)?,
        None => source,
    };
    Ok(match kind {
        ListKind::Segmentation => Box::new(segmentation::SegmentationReader::open(
            source,
            header,
            options,
            request.take_keys(),
            env,
        )?),
        ListKind::Corpus => {
            let wanted = request.take_keys();
            Box::new(corpus::CorpusReader::open(
                source, header, options, wanted, env,
            )?)
        }
        ListKind::Opaque(kind) => Box::new(opaque::open(source, header, kind, env)?),
    })
}

/// Creates the writer of a list with several utterances, if the options set one.
pub(crate) fn create(
    output: &Output,
    format: &dyn Format,
    dialect: Dialect,
    options: &Options,
    env: &Env,
) -> Result<Option<Box<dyn Writer>>> {
    let used: &[&str] = match options.get("data") {
        Some("SEG") => &["timebase", "symbols"],
        Some("CORPUS") => &[],
        _ => return Ok(None),
    };
    check_options(options, used)
        .and_then(|()| options::check_others(format, options, &["data"]))
        .map_err(|e| e.file(output.name()))?;
    let Some(sort) = ListSort::of(options, env)? else {
        return Ok(None);
    };
    Ok(Some(match output.is_folder() {
        true => Box::new(ListFolder::new(output.clone(), dialect, sort, env.limits)),
        false => {
            let entries = Entries::new(dialect, sort, env.limits);
            Box::new(ListWriter::new(output, Part::Main, entries)?)
        }
    }))
}
