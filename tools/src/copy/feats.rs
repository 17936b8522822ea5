//! The tool `copy-feats`.

use spr_core::format::Reader;
use spr_core::model::Utterance;
use spr_core::{Error, Result};

use crate::options::{BINARY, Spec};
use crate::session::{Session, is_rspecifier, printable_input, printable_output};
use crate::table::Holder;
use crate::{DONE, NOTHING, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "copy-feats",
    usage: "\
Copies features, and changes their format if asked to.

Usage: copy-feats [options] <feature-rspecifier> <feature-wspecifier>
   or: copy-feats [options] <feats-rxfilename> <feats-wxfilename>
 e.g.: copy-feats scp:feats.scp ark,t:- | head
       copy-feats --compress=true ark:in.ark ark,scp:out.ark,out.scp",
    options: &[
        BINARY,
        Spec::flag("compress", false, "Compress the matrices of a table"),
        Spec::int(
            "compression-method",
            1,
            "How to compress: 1 (chosen by size) to 7",
        ),
        Spec::flag("htk-in", false, "Read HTK files"),
        Spec::flag("sphinx-in", false, "Read Sphinx files"),
        Spec::text(
            "write-num-frames",
            "",
            "A table for the number of frames of each utterance, such as ark,t:utt2num_frames",
        ),
    ],
    arguments: (2, 2),
    run,
};

fn run(session: &Session) -> Result<u8> {
    let options = &session.options;
    let (from, to) = (session.argument(0), session.argument(1));
    let holder = match (options.flag("htk-in"), options.flag("sphinx-in")) {
        (true, _) => Holder::Htk,
        (_, true) => Holder::Sphinx,
        _ => Holder::Matrix,
    };
    let frames = options.text("write-num-frames");
    if is_rspecifier(from) {
        return copy_table(session, holder, (from, to), frames);
    }
    if options.flag("compress") || !frames.is_empty() {
        return Err(Error::usage(
            "--compress and --write-num-frames are for tables, not for single files",
        ));
    }
    if holder == Holder::Sphinx {
        return Err(Error::usage(
            "--sphinx-in is for tables, not for single files",
        ));
    }
    let utt = session.read_file(from, holder)?;
    session.write_file(&utt, to)?;
    let (from, to) = (printable_input(from), printable_output(to));
    session
        .log
        .info(format!("Copied features from {from} to {to}"));
    Ok(DONE)
}

fn copy_table(
    session: &Session,
    holder: Holder,
    (from, to): (&str, &str),
    frames: &str,
) -> Result<u8> {
    let method = session.options.int("compression-method").to_string();
    let mut style = Vec::new();
    if session.options.flag("compress") {
        style.push(("compress", method.as_str()));
    }
    let mut reader = session.read_table(from, holder)?;
    let mut writer = session.write_table(to, &style)?;
    let mut lengths = match frames {
        "" => None,
        frames => Some(session.write_table(frames, &[])?),
    };
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        writer.write(&utt)?;
        if let (Some(lengths), Some(features)) = (&mut lengths, &utt.features) {
            lengths.write_int(&utt.key, features.rows())?;
        }
    }
    let count = writer.count;
    if let Some(lengths) = lengths {
        lengths.finish()?;
    }
    writer.finish()?;
    session
        .log
        .info(format!("Copied {count} feature matrices."));
    Ok(if count > 0 { DONE } else { NOTHING })
}
