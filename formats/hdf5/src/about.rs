//! What attributes say of utterances.

use spr_core::model::{Decimal, Key, Utterance};
use spr_core::{Error, Result};
use spr_syntax::tiers;

use crate::attributes::Attributes;
use crate::names::SEGMENTS;

/// The names of the attribute of a sampling rate.
pub(crate) const RATES: &[&str] = &[
    "sample_rate",
    "sampling_rate",
    "samplerate",
    "rate",
    "sr",
    "fs",
];
/// The names of the attribute of what is said.
const TEXTS: &[&str] = &["text", "transcript", "transcription"];
const SHIFT: &str = "frame_shift";
const OFFSET: &str = "frame_offset";
const START: &str = "start";
const END: &str = "end";
const SPEAKER: &[&str] = &["speaker", "speaker_id", "spk"];
const GENDER: &[&str] = &["gender"];
const LANGUAGE: &[&str] = &["language", "lang"];
const RECORDING: &[&str] = &["recording", "recording_id"];
const CHANNEL: &[&str] = &["channel"];
/// The attributes of HDF5's own tables and scales, those in which PyTables, MATLAB and netCDF say how they store a
/// value, and that of a layout.
const OTHERS: &[&str] = &[
    "CLASS",
    "NAME",
    "TITLE",
    "VERSION",
    "DIMENSION_LIST",
    "REFERENCE_LIST",
    "PYTABLES_FORMAT_VERSION",
    "FLAVOR",
    "EXTDIM",
    "MATLAB_class",
    "MATLAB_empty",
    "MATLAB_fields",
    "MATLAB_int_decode",
    "H5PATH",
    "_NCProperties",
    "_Netcdf4Coordinates",
    "_Netcdf4Dimid",
    "_FillValue",
    "layout",
];

/// The object that attributes belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A dataset or a group of one utterance.
    Utterance,
    /// A group of several utterances.
    Several,
}

/// Returns `true` if an attribute with this name has no meaning here.
pub(crate) fn is_unknown(name: &str) -> bool {
    let lists = [
        RATES, TEXTS, SPEAKER, GENDER, LANGUAGE, RECORDING, CHANNEL, OTHERS,
    ];
    let single = [SHIFT, OFFSET, START, END, SEGMENTS];
    !single.contains(&name) && !lists.iter().any(|names| names.contains(&name))
}

/// Takes over what attributes say of an utterance, unless something else has said it already.
///
/// # Errors
/// A time or a list of segments is not one.
pub(crate) fn describe(attributes: &Attributes, scope: Scope, utt: &mut Utterance) -> Result<()> {
    let time = |name: &str| -> Result<Option<Decimal>> {
        let Some(value) = attributes.get(&[name]) else {
            return Ok(None);
        };
        let wrong = || {
            let text = String::from_utf8_lossy(&value.text())
                .escape_debug()
                .to_string();
            Error::malformed(format!(
                "the attribute {name} is '{text}', expected seconds"
            ))
        };
        value.decimal().map(Some).ok_or_else(wrong)
    };
    let meta = &mut utt.meta;
    if meta.frame_shift.is_none() {
        meta.frame_shift = time(SHIFT)?;
    }
    if meta.frame_shift.is_some_and(|shift| !shift.is_positive()) {
        let message = "the attribute frame_shift is not above 0";
        return Err(Error::malformed(message));
    }
    for (field, names) in [
        (&mut meta.speaker, SPEAKER),
        (&mut meta.gender, GENDER),
        (&mut meta.language, LANGUAGE),
        (&mut meta.recording, RECORDING),
        (&mut meta.channel, CHANNEL),
    ] {
        if field.is_none() {
            *field = attributes.get(names).map(|name| Key::from(name.text()));
        }
    }
    if scope == Scope::Several {
        return Ok(());
    }
    for (field, name) in [
        (&mut meta.frame_offset, OFFSET),
        (&mut meta.start, START),
        (&mut meta.end, END),
    ] {
        if field.is_none() {
            *field = time(name)?;
        }
    }
    if utt.text.is_none() {
        utt.text = attributes.get(TEXTS).map(|text| text.text());
    }
    match attributes.get(&[SEGMENTS]).map(|list| list.text()) {
        Some(json) if utt.tiers.is_empty() && json.starts_with(b"[") => segments(&json, utt),
        _ => Ok(()),
    }
}

/// Reads segments in JSON.
///
/// # Errors
/// They are none.
pub(crate) fn segments(json: &[u8], utt: &mut Utterance) -> Result<()> {
    let wrong = || Error::malformed("has segments that are not JSON as it is written here");
    utt.tiers = tiers::read_list(json).ok_or_else(wrong)?;
    Ok(())
}
