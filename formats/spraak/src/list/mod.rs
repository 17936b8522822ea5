//! Lists: segmentations, corpora, and those that are only handed on.

pub(crate) mod caps;
mod corpus;
mod driven;
mod head;
mod lines;
mod names;
mod opaque;
mod segmentation;
mod spool;
mod symbols;
mod tags;
mod time;
mod writer;

use std::path::Path;

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{Format, OptionSpec, Options, Reader, Writer};
use spr_core::{Error, Result};

use crate::contents::coder;
use crate::data::unpacked;
use crate::format::Spraak;
use crate::header::{Header, print, shown};
use crate::vocabulary::Dialect;

pub(crate) use head::Kind;
pub(crate) use opaque::header as opaque_header;
pub(crate) use tags::is_field;
pub(crate) use writer::ListWriter;

/// Options for segmentations and corpora.
pub(crate) const OPTIONS: [OptionSpec; 5] = [
    OptionSpec {
        name: "timebase",
        value: "DISCRETE|CONTINUOUS",
        help: "writing segments: frames or seconds (default: frames where all times are such)",
    },
    OptionSpec {
        name: "symbols",
        value: "FILE",
        help: "segments: lines 'NAME ID'; labels are names in the file, numbers outside",
    },
    OptionSpec {
        name: "root",
        value: "DIR",
        help: "reading a corpus: the folder of the files that it lists, which are read too",
    },
    OptionSpec {
        name: "suffix",
        value: "EXT",
        help: "reading a corpus: what its files end in (default: that of the format)",
    },
    OptionSpec {
        name: "cor",
        value: "FILE",
        help: "writing a folder: a corpus file that lists it, with what was said",
    },
];

/// Other options that reading a list knows.
const READING: [&str; 7] = [
    "data", "type", "format", "header", "dim1", "fshift", "foffset",
];

/// The value of the option `data` that the extension of an output asks for.
pub fn data_of_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "seg" => "SEG",
        "cor" => "CORPUS",
        "lex" => "DICTIONARY",
        _ => return None,
    })
}

/// Whether a corpus is to drive the reading of its files.
pub(crate) fn is_driving(options: &Options) -> bool {
    ["root", "suffix"].iter().any(|o| options.get(o).is_some())
}

/// Refuses options for lists but those `used`.
pub(crate) fn check_options(options: &Options, used: &[&str]) -> Result<()> {
    for (option, purpose) in [
        ("timebase", "writing segments"),
        ("symbols", "segments"),
        ("root", "reading a corpus"),
        ("suffix", "reading a corpus"),
        ("cor", "writing a folder"),
    ] {
        if options.get(option).is_some() && !used.contains(&option) {
            return Err(Error::usage(format!("option {option} is for {purpose}")));
        }
    }
    Ok(())
}

/// Refuses the options of other data.
fn check_others(format: &Spraak, options: &Options, used: &[&str]) -> Result<()> {
    let own = |name| OPTIONS.iter().any(|own| own.name == name) || used.contains(&name);
    let mut others = format
        .info()
        .options
        .iter()
        .filter(|option| !own(option.name));
    match others.find(|option| options.get(option.name).is_some()) {
        Some(option) => {
            let message = format!("option {} is not for lists", option.name);
            Err(Error::usage(message))
        }
        None => Ok(()),
    }
}

/// A reader for what stands behind the header of a list.
pub(crate) fn open(
    source: Source,
    header: &Header,
    kind: Kind,
    format: &'static Spraak,
    options: &Options,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    let place = |e: Error| e.file(source.name());
    let used: &[&str] = match kind {
        Kind::Segmentation => &["symbols"],
        Kind::Corpus => &["root", "suffix"],
        Kind::Opaque(_) => &[],
    };
    check_options(options, used).map_err(place)?;
    if kind == Kind::Corpus && is_driving(options) {
        let folder = source.path().and_then(Path::parent).map(Path::to_owned);
        let files = driven::Files::new(folder, format, options, env)?;
        let reader = corpus::CorpusReader::open(source, header, env)?;
        return Ok(Box::new(driven::CorpusDriven::new(reader, files)));
    }
    check_others(format, options, &READING).map_err(place)?;
    let source = match coder(header, env)? {
        Some(codec) => unpacked(source, codec)?,
        None => source,
    };
    Ok(match kind {
        Kind::Segmentation => Box::new(segmentation::SegmentationReader::open(
            source, header, options, env,
        )?),
        Kind::Corpus => Box::new(corpus::CorpusReader::open(source, header, env)?),
        Kind::Opaque(kind) => Box::new(opaque::open(source, header, kind, env)?),
    })
}

/// The writer of a list that holds several utterances, if the options ask for one.
pub(crate) fn create(
    output: &Output,
    format: &Spraak,
    options: &Options,
    env: &Env,
) -> Result<Option<Box<dyn Writer>>> {
    let used: &[&str] = match options.get("data") {
        Some("SEG") => &["timebase", "symbols"],
        Some("CORPUS") => &[],
        _ => return Ok(None),
    };
    check_options(options, used)
        .and_then(|()| check_others(format, options, &["data"]))
        .map_err(|e| e.file(output.name()))?;
    Ok(Some(Box::new(match options.get("data") {
        Some("SEG") => ListWriter::segments(output, format.0, options, env)?,
        _ => ListWriter::corpus(output, format.0)?,
    })))
}

/// Appends a header line, its key by the spr name.
fn put_line(
    dialect: Dialect,
    data: &[u8],
    key: &[u8],
    value: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    print::pair(dialect, dialect.name_of(data, key), value, out).map_err(|why| {
        let key = shown(key);
        Error::unfit(format!("the header line {key} can't be stored: {why}"))
    })
}
