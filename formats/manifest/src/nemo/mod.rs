//! NeMo manifests: one JSON object per line, with a segment of an audio file and its text.

mod line;
mod read;
mod tarred;
mod write;

pub use tarred::{NEMO_TARRED, NemoTarred};

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    AudioCaps, Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, Options, Probe,
    Request, Score, Tags, Writer,
};
use spr_core::model::{About, Decimal, SourceField};
use spr_syntax::{json, manifest};

use read::NemoReader;
use write::NemoWriter;

/// NeMo manifests.
pub struct Nemo;

/// The format, for registries.
pub static NEMO: Nemo = Nemo;

/// The names of the field with the audio file.
pub(crate) const FILE: [&str; 2] = ["audio_filepath", "audio_filename"];

/// The names of the field with the key.
pub(crate) const KEY: [&str; 2] = ["utt_id", "id"];

/// The field with the number of the tar file that has the sound.
const SHARD: &str = "shard_id";

const CAPS: Caps = {
    let mut audio = AudioCaps::NONE;
    (audio.references, audio.first_seconds) = (true, true);
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.audio = audio;
    caps.text = true;
    caps.utf8 = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
};

static INFO: FormatInfo =
    FormatInfo::new("nemo", "NeMo manifest, one JSON object per line", &["json"])
        .also(&["jsonl"])
        .options(&[line::KEYS, manifest::PATHS]);

impl Format for Nemo {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = head.head.trim_ascii_start();
        // An array is refused by name.
        let opens = matches!(text.first(), Some(b'{' | b'['));
        let names = opens && FILE.iter().any(|name| json::names(text, name));
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

/// Returns a key for an utterance without one: the name of its audio file, with the segment in
/// milliseconds if there is one.
fn made_up(file: &str, stretch: Option<[Decimal; 2]>) -> String {
    match stretch {
        None => file.to_owned(),
        Some(times) => {
            let [start, end] = times.map(|time| (time.value() * 1000.0).round());
            format!("{file}-{start:07}-{end:07}")
        }
    }
}
