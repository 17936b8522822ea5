//! The tool `copy-int-vector`.

use spr_core::model::Element;
use spr_core::{Error, Result};

use super::copy_table;
use crate::options::BINARY;
use crate::session::Session;
use crate::table::Holder;
use crate::{DONE, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "copy-int-vector",
    usage: "\
Copies vectors of integers, such as alignments.

Usage: copy-int-vector [options] <vector-in-rspecifier> <vector-out-wspecifier>
   or: copy-int-vector [options] <vector-in-rxfilename> <vector-out-wxfilename>
 e.g.: copy-int-vector --binary=false 1.vec -
       copy-int-vector ark:ali.ark ark,t:- | head",
    options: &[BINARY],
    arguments: (2, 2),
    run,
};

fn run(session: &Session) -> Result<u8> {
    let (from, to) = (session.argument(0), session.argument(1));
    if !session.are_tables(from, to)? {
        let utt = session.read_file(from, Holder::Integers)?;
        let labels = utt.labels.unwrap_or_default();
        let bytes = match session.options.flag("binary") {
            true => packed(labels.values()?)?,
            false => listed(labels.values()?),
        };
        session.write_bytes(&bytes, to)?;
        session.log.info(format!("Copied vector to {to}"));
        return Ok(DONE);
    }
    copy_table(
        session,
        Holder::Integers,
        |_| Ok(()),
        |count| format!("Copied {count} vectors of int32."),
    )
}

/// Encodes a single file in binary form: the size of an element, their number, the elements.
fn packed(values: &[i32]) -> Result<Vec<u8>> {
    let count = i32::try_from(values.len());
    let count = count.map_err(|_| Error::unfit("more than 2147483647 integers"))?;
    let mut bytes = Vec::with_capacity(7 + 4 * values.len());
    bytes.extend_from_slice(b"\0B\x04");
    bytes.extend_from_slice(&count.to_le_bytes());
    values
        .iter()
        .for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
    Ok(bytes)
}

/// Encodes a single file in text form.
fn listed(values: &[i32]) -> Vec<u8> {
    let mut text = b"[ ".to_vec();
    for value in values {
        value.print(&mut text);
        text.push(b' ');
    }
    text.extend_from_slice(b"]\n");
    text
}
