//! The tool `paste-feats`.

use spr_core::format::Reader;
use spr_core::model::{Dtype, Matrix, Rank, Utterance};
use spr_core::{Error, Limits, Result};

use super::options::{BINARY, Spec};
use super::session::{Session, is_rspecifier};
use super::table::Holder;
use super::{DONE, FAILED, NOTHING, Tool};

pub(super) static TOOL: Tool = Tool {
    name: "paste-feats",
    usage: "\
Puts the columns of several matrices side by side.

Usage: paste-feats [options] <in-rspecifier1> <in-rspecifier2> [<in-rspecifier3> ...] <out-wspecifier>
   or: paste-feats [options] <in-rxfilename1> <in-rxfilename2> [<in-rxfilename3> ...] <out-wxfilename>
 e.g.: paste-feats ark:1.ark \"ark:select-feats 0-3 ark:2.ark ark:- |\" ark:out.ark
       paste-feats foo.mat bar.mat baz.mat",
    options: &[
        BINARY,
        Spec::int(
            "length-tolerance",
            0,
            "How many frames longer than the shortest a matrix may be; they are cut off",
        ),
    ],
    arguments: (3, usize::MAX),
    run,
};

/// Returns the smallest and the largest number of rows.
fn lengths(parts: &[&Matrix]) -> (usize, usize) {
    let rows = || parts.iter().map(|part| part.rows());
    (rows().min().unwrap_or(0), rows().max().unwrap_or(0))
}

/// Joins `parts` column-wise, cut to the shortest. Returns `false` after a warning if their lengths
/// differ by more than the tolerance.
fn paste(session: &Session, name: &str, parts: &[&Matrix], into: &mut Matrix) -> Result<bool> {
    let tolerance = session.options.int("length-tolerance");
    let (shortest, longest) = lengths(parts);
    let tolerated = usize::try_from(tolerance).is_ok_and(|n| longest - shortest <= n);
    let mismatch = format!("Length mismatch {longest} vs. {shortest}{name}");
    if !tolerated || shortest == 0 {
        let message = format!("{mismatch} exceeds tolerance {tolerance}");
        session.log.warning(message);
        return Ok(false);
    }
    if longest > shortest {
        let message = format!("{mismatch} within tolerance {tolerance}");
        session.log.info(message);
    }
    side_by_side(parts, shortest, into, &session.env.limits)?;
    Ok(true)
}

fn side_by_side(parts: &[&Matrix], rows: usize, into: &mut Matrix, limits: &Limits) -> Result<()> {
    let cols: usize = parts.iter().map(|part| part.cols()).sum();
    into.start(Dtype::F32, Rank::Matrix, cols);
    let width = cols * Dtype::F32.size();
    let bytes = into.extend_rows(rows, limits)?;
    let mut at = 0;
    for part in parts {
        let own = part.cols() * Dtype::F32.size();
        let lines = part.as_bytes().chunks_exact(own.max(1));
        for (line, out) in lines.zip(bytes.chunks_exact_mut(width)) {
            out[at..at + own].copy_from_slice(line);
        }
        at += own;
    }
    Ok(())
}

fn run(session: &Session) -> Result<u8> {
    let arguments = session.options.arguments();
    let Some(([first, others @ ..], to)) = arguments.split_last().map(|(to, from)| (from, to))
    else {
        return Ok(NOTHING);
    };
    if !is_rspecifier(first) {
        return paste_files(session, first, others, to);
    }
    let mut reader = session.read_table(first, Holder::Matrix)?;
    let mut tables = Vec::new();
    for other in others {
        tables.push(session.read_by_key(other)?);
    }
    let mut writer = session.write_table(to, &[])?;
    let mut errors = 0;
    let mut utt = Utterance::default();
    let mut out = Utterance::default();
    'utterances: while reader.read(&mut utt)? {
        let mut parts: Vec<_> = utt.features.iter().collect();
        for (table, name) in tables.iter_mut().zip(others) {
            match table.find(&utt.key)? {
                Some(part) => parts.push(part),
                None => {
                    let message = format!("Missing utt {} from input {name}", utt.key);
                    session.log.warning(message);
                    errors += 1;
                    continue 'utterances;
                }
            }
        }
        let name = format!(" for utt {}", utt.key);
        if paste(session, &name, &parts, out.features_mut())? {
            out.key.clone_from(&utt.key);
            writer.write(&out)?;
        } else {
            errors += 1;
        }
    }
    let count = writer.count;
    writer.finish()?;
    session
        .log
        .info(format!("Done {count} utts, errors on {errors}"));
    Ok(if count > 0 { DONE } else { FAILED })
}

fn paste_files(session: &Session, first: &str, others: &[String], to: &str) -> Result<u8> {
    let mut utt = session.read_file(first, Holder::Matrix)?;
    let mut parts = vec![utt.features.take().unwrap_or_default()];
    for other in others {
        if is_rspecifier(other) {
            let message = format!("Cannot mix archives with regular files: '{other}'");
            return Err(Error::usage(message));
        }
        let part = session.read_file(other, Holder::Matrix)?;
        parts.push(part.features.unwrap_or_default());
    }
    let parts: Vec<_> = parts.iter().collect();
    if !paste(session, "", &parts, utt.features_mut())? {
        return Ok(NOTHING);
    }
    session.write_file(&utt, to)?;
    session.log.info(format!("Wrote appended features to {to}"));
    Ok(DONE)
}
