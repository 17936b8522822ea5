//! NeMo manifests: one JSON object per line, with a segment of an audio file and its text.

mod line;
pub(crate) mod names;
mod read;
mod tarred;
mod write;

pub use tarred::{NEMO_TARRED, NemoTarred};

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, Writer,
};
use spr_core::model::About;
use spr_syntax::{json, manifest};

use names::{FILE, SHARD};
use read::NemoReader;
use write::{CAPS, NemoWriter};

/// NeMo manifests.
pub struct Nemo;

/// The format, for registries.
pub static NEMO: Nemo = Nemo;

static INFO: FormatInfo =
    FormatInfo::new("nemo", "NeMo manifest, one JSON object per line", &["json"])
        .also(&["jsonl"])
        .options(&[line::KEYS, manifest::PATHS]);

impl Format for Nemo {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        // An array is refused by name.
        let text = json::start(head.head).unwrap_or_default();
        let names = FILE.iter().any(|name| json::names(text, name));
        match names && !json::names(text, SHARD) {
            true => Score::Certain,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        Ok(CAPS)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        Ok(OpenedDataset::stream(NemoReader::new(
            source, options, request, env,
        )?))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        Ok(Box::new(NemoWriter::new(&output, options, env)?))
    }
}
