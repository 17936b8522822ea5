//! The tools that print sizes: `feat-to-len`, `feat-to-dim`, `matrix-dim`.

use spr_core::format::Reader;
use spr_core::model::{Matrix, Utterance};
use spr_core::{Error, Result};
use spr_format_kaldi::specifier;

use super::session::{Session, is_rspecifier};
use super::table::Holder;
use super::{DONE, NOTHING, Tool};

pub(super) static FEAT_TO_LEN: Tool = Tool {
    name: "feat-to-len",
    usage: "\
Writes a table of the number of frames of each utterance, or prints their sum.

Usage: feat-to-len [options] <in-rspecifier> [<out-wspecifier>]
 e.g.: feat-to-len scp:feats.scp ark,t:feats.lengths
       feat-to-len scp:feats.scp",
    options: &[],
    arguments: (1, 2),
    run: feat_to_len,
};

pub(super) static FEAT_TO_DIM: Tool = Tool {
    name: "feat-to-dim",
    usage: "\
Writes a table of the number of columns of each utterance, or the number of the first to a file.

Usage: feat-to-dim [options] <feat-rspecifier> (<dim-wspecifier>|<dim-wxfilename>)
 e.g.: feat-to-dim scp:feats.scp -",
    options: &[],
    arguments: (2, 2),
    run: feat_to_dim,
};

pub(super) static MATRIX_DIM: Tool = Tool {
    name: "matrix-dim",
    usage: "\
Prints rows and columns, with a tab between them: of a matrix, or behind each key of a table.

Usage: matrix-dim [options] <matrix-in>|<in-rspecifier>
 e.g.: matrix-dim final.mat | cut -f 2",
    options: &[],
    arguments: (1, 1),
    run: matrix_dim,
};

fn rows(utt: &Utterance) -> usize {
    utt.features.as_ref().map_or(0, Matrix::rows)
}

fn columns(utt: &Utterance) -> usize {
    utt.features.as_ref().map_or(0, Matrix::cols)
}

fn feat_to_len(session: &Session) -> Result<u8> {
    let session = &session.without_values();
    let mut reader = session.read_table(session.argument(0), Holder::Matrix)?;
    let mut utt = Utterance::default();
    if session.options.arguments().len() == 1 {
        let mut sum = 0;
        while reader.read(&mut utt)? {
            sum += rows(&utt) as u64;
        }
        session.print(&format!("{sum}\n"))?;
        return Ok(DONE);
    }
    let mut writer = session.write_table(session.argument(1), &[])?;
    while reader.read(&mut utt)? {
        writer.write_int(&utt.key, rows(&utt))?;
    }
    writer.finish()?;
    Ok(DONE)
}

fn feat_to_dim(session: &Session) -> Result<u8> {
    let session = &session.without_values();
    let (from, to) = (session.argument(0), session.argument(1));
    let mut reader = session.read_table(from, Holder::Matrix)?;
    let mut utt = Utterance::default();
    if specifier::wspecifier(to).is_none() {
        if !reader.read(&mut utt)? {
            return Err(Error::unfit("no features, so there is no dimension").file(from));
        }
        session.write_bytes(format!("{}\n", columns(&utt)).as_bytes(), to)?;
        return Ok(DONE);
    }
    let mut writer = session.write_table(to, &[])?;
    while reader.read(&mut utt)? {
        writer.write_int(&utt.key, columns(&utt))?;
    }
    writer.finish()?;
    Ok(DONE)
}

fn matrix_dim(session: &Session) -> Result<u8> {
    let session = &session.without_values();
    let from = session.argument(0);
    if !is_rspecifier(from) {
        let utt = session.read_file(from, Holder::Matrix)?;
        session.print(&format!("{}\t{}\n", rows(&utt), columns(&utt)))?;
        return Ok(DONE);
    }
    let mut reader = session.read_table(from, Holder::Matrix)?;
    let mut out = session.lines()?;
    let mut utt = Utterance::default();
    let mut count = 0;
    while reader.read(&mut utt)? {
        out.put(utt.key.as_bytes())?;
        out.put(format!("\t{}\t{}\n", rows(&utt), columns(&utt)).as_bytes())?;
        count += 1;
    }
    out.finish()?;
    if count == 0 {
        session
            .log
            .warning(format!("No features read from rspecifier '{from}'"));
    }
    Ok(if count > 0 { DONE } else { NOTHING })
}
