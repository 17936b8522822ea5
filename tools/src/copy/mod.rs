//! The tools that copy tables and files.

pub(super) mod feats;
pub(super) mod htk;
pub(super) mod integers;
pub(super) mod matrix;
pub(super) mod posterior;
pub(super) mod vector;

use spr_core::Result;
use spr_core::model::Utterance;

use super::session::Session;
use super::table::Holder;
use super::{DONE, NOTHING};

/// Copies the first table to the second, each entry changed by `change`. `said` formats the last
/// log line from the number of entries.
fn copy_table(
    session: &Session,
    holder: Holder,
    change: impl Fn(&mut Utterance) -> Result<()>,
    said: impl Fn(u64) -> String,
) -> Result<u8> {
    let mut reader = session.read_table(session.argument(0), holder)?;
    let mut writer = session.write_table(session.argument(1), &[])?;
    writer.write_changed(&mut reader, change)?;
    let count = writer.count;
    writer.finish()?;
    session.log.info(said(count));
    Ok(if count > 0 { DONE } else { NOTHING })
}
