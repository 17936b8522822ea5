//! Zip archives of arrays as a format.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, Format, FormatInfo, Keys, LabelCaps, Medium, Nested,
    Notation, Opened, OptionSpec, Options, Portioned, Probe, Request, Score, WholeFolder, Writer,
};
use spr_core::{Error, Result};

use super::reader;
use super::writer::NpzWriter;
use crate::caps::{CAPS, DTYPES};
use crate::parts::LABELS;

/// Zip archives of arrays.
pub static NPZ: Npz = Npz;

/// NumPy's `.npz`: a member an array.
pub struct Npz;

/// How a zip archive begins: with a member, or with its end.
const STARTS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// Where the name of the first member stands, and where its length does.
const FIRST: (usize, usize) = (30, 26);

const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: "compress",
    value: "none|1-9",
    help: "deflate members, by a level (none)",
}];

static INFO: FormatInfo =
    FormatInfo::new("npz", "NumPy arrays in a zip archive", &["npz"]).options(OPTIONS);

fn level(options: &Options) -> Result<Option<u32>> {
    let Some(text) = options.get("compress") else {
        return Ok(None);
    };
    match (text, text.parse()) {
        ("none", _) => Ok(None),
        (_, Ok(level @ 1..=9)) => Ok(Some(level)),
        _ => Err(Error::usage(format!(
            "option compress: '{text}' is neither none nor 1 to 9"
        ))),
    }
}

/// Whether the first member of a zip archive is called as an array is.
fn starts_with_array(head: &[u8]) -> bool {
    let (at, len) = FIRST;
    let len = head
        .get(len..len + 2)
        .map_or(0, |n| usize::from(n[0]) | usize::from(n[1]) << 8);
    head.get(at..at + len)
        .is_some_and(|name| name.ends_with(b".npy"))
}

impl Format for Npz {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let named = head.extension() == Some("npz");
        let zip = STARTS.iter().any(|start| head.head.starts_with(start));
        match zip {
            true if named || starts_with_array(head.head) => Score::Certain,
            false if named && !head.head.is_empty() => Score::NameOnly,
            _ => Score::No,
        }
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        level(options)?;
        let mut caps = CAPS;
        (caps.count, caps.keys) = (Count::Many, Keys::Any);
        caps.labels = Some(LabelCaps::new(LABELS));
        caps.audio = AudioCaps::samples(DTYPES);
        caps.arrays = Some(ArrayCaps::new(DTYPES));
        caps.portioned = Portioned::No;
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened> {
        reader::open(source, request, env)
    }

    fn create(&self, output: Output, options: &Options, _: &Env) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        Ok(Box::new(NpzWriter::new(&output, level(options)?, caps)?))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    fn nested(&self) -> Option<&dyn Nested> {
        None
    }

    fn notation(&self) -> Option<&dyn Notation> {
        None
    }
}
