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

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{OptionSpec, Options, Reader, Writer};
use spr_core::{Error, Result};

use crate::format::Spraak;
use crate::header::{Header, print, shown};
use crate::vocabulary::{self, Dialect};

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

/// The value of the option `data` that the extension of an output asks for.
pub fn data_of_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "seg" => "SEG",
        "cor" => "CORPUS",
        "lex" => "DICTIONARY",
        _ => return None,
    })
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
    if let Some(entry) = header.get("COMPRESS") {
        let message = format!("a list compressed with {}", shown(&entry.value));
        let error = Error::unsupported(message).file(source.name());
        return Err(error.byte(entry.at));
    }
    for option in ["timebase", "cor"] {
        if options.get(option).is_some() {
            let message = format!("option {option} is for writing");
            return Err(Error::usage(message).file(source.name()));
        }
    }
    let corpus = ["root", "suffix"]
        .into_iter()
        .find(|o| options.get(o).is_some());
    if let Some(option) = corpus.filter(|_| kind != Kind::Corpus) {
        let message = format!("option {option} is for a corpus, and this is none");
        return Err(Error::usage(message).file(source.name()));
    }
    if options.get("symbols").is_some() && kind != Kind::Segmentation {
        let message = "option symbols is for segments, and here are none";
        return Err(Error::usage(message).file(source.name()));
    }
    let folder = source
        .path()
        .and_then(std::path::Path::parent)
        .map(ToOwned::to_owned);
    match kind {
        Kind::Segmentation => {
            let reader = segmentation::SegmentationReader::open(source, header, options, env)?;
            Ok(Box::new(reader))
        }
        Kind::Corpus => {
            let reader = corpus::CorpusReader::open(source, header, env)?;
            match corpus {
                Some(_) => {
                    let files = driven::Files::new(folder, format, options, env)?;
                    Ok(Box::new(driven::CorpusDriven::new(reader, files)))
                }
                None => Ok(Box::new(reader)),
            }
        }
        Kind::Opaque(kind) => Ok(Box::new(opaque::open(source, header, kind, env)?)),
    }
}

/// The writer of a list that holds several utterances, if the `data` are to be one.
pub(crate) fn create(
    output: &Output,
    dialect: Dialect,
    data: Option<&str>,
    options: &Options,
    env: &Env,
) -> Result<Option<Box<dyn Writer>>> {
    let writer = match data {
        Some("SEG") => ListWriter::segments(output, dialect, options, env)?,
        Some("CORPUS") => ListWriter::corpus(output, dialect)?,
        _ => return Ok(None),
    };
    Ok(Some(Box::new(writer)))
}

/// Refuses options that an output of these `data` has no use for.
pub(crate) fn check_output(options: &Options, data: Option<&str>, output: &Output) -> Result<()> {
    let segments = data == Some("SEG");
    for (option, used, wants) in [
        ("timebase", segments, "writing segments"),
        ("symbols", segments, "segments"),
        ("root", false, "reading a corpus"),
        ("suffix", false, "reading a corpus"),
        ("cor", output.is_folder(), "writing a folder"),
    ] {
        if options.get(option).is_some() && !used {
            let message = format!("option {option} is for {wants}");
            return Err(Error::usage(message).file(output.name()));
        }
    }
    Ok(())
}

/// Whether a header line of this key says what the writer of a list says itself.
fn is_own(dialect: Dialect, key: &[u8]) -> bool {
    let counts: [&[u8]; 2] = [b"NSEG", b"NENTRY"];
    vocabulary::is_own(dialect.canonical(key)) || dialect == Dialect::Key && counts.contains(&key)
}

/// Appends a header line.
fn put_line(dialect: Dialect, key: &[u8], value: &[u8], out: &mut Vec<u8>) -> Result<()> {
    print::pair(dialect, key, value, out).map_err(|why| {
        let key = shown(key);
        Error::unfit(format!("the header line {key} can't be stored: {why}"))
    })
}
