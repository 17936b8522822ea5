//! The format `npz`.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, ChunkSupport, Count, Format, FormatInfo, Keys, LabelCaps, Medium,
    OpenedDataset, OptionSpec, Options, Probe, Request, Score, Weight, Writer,
};
use spr_core::model::{About, Dtype, Key};
use spr_core::{Error, Result};

use super::reader;
use super::writer::NpzWriter;
use crate::caps::CAPS;

/// Zip archives of arrays.
pub static NPZ: Npz = Npz;

/// NumPy's `.npz`: one member per array.
pub struct Npz;

/// The first bytes of a zip archive: of a member, or of an empty directory.
const STARTS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// The offsets of the first member's name and of its length.
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

/// Returns `true` if the first member of a zip archive has the name of an array.
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
        caps.labels = Some(LabelCaps::new(Dtype::INTEGERS));
        caps.audio = AudioCaps::samples(Dtype::NUMPY);
        caps.arrays = Some(ArrayCaps::new(Dtype::NUMPY));
        caps.chunked = ChunkSupport::No;
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        reader::open(source, request, env)
    }

    fn weigh(
        &self,
        source: Source,
        _: &Options,
        env: &Env,
        each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
    ) -> Result<bool> {
        reader::weigh(source, env, each).map(|()| true)
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        Ok(Box::new(NpzWriter::new(&output, level(options)?, caps)?))
    }
}
