//! The rows that are written.

use spr_core::Result;
use spr_core::model::Utterance;
use spr_syntax::json::Fields;
use spr_syntax::manifest::columns;
use spr_syntax::manifest::source::{Place, utf8};

use super::columns::{FILE, is_own};

/// Makes the row of an utterance whose sound is in `file`, with its key if the file does not tell it.
///
/// # Errors
/// Something is not UTF-8, or a column cannot be written.
pub(super) fn write(
    utt: &Utterance,
    file: &str,
    key: Option<&str>,
    row: &mut Vec<u8>,
) -> Result<()> {
    row.clear();
    let mut fields = Fields::open(row);
    fields.text(FILE, file);
    if let Some(key) = key {
        fields.text("utt_id", key);
    }
    let meta = &utt.meta;
    if let Some(said) = &utt.text {
        fields.text("text", utf8(said, "the text")?);
    }
    for (name, value) in [
        ("speaker", &meta.speaker),
        ("gender", &meta.gender),
        ("language", &meta.language),
    ] {
        if let Some(value) = value {
            fields.text(name, utf8(value.as_bytes(), name)?);
        }
    }
    Place::default().write(meta, &mut fields)?;
    columns::write(&meta.tags, |name, _| is_own(name), &mut fields)?;
    fields.close();
    row.push(b'\n');
    Ok(())
}
