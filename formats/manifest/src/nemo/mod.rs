//! NeMo manifests: a JSON object a line, for a stretch of a sound file and what is said in it.

mod read;
mod write;

use spr_core::Result;
use spr_core::bytes::{Env, Nested, Output, Source};
use spr_core::format::{
    AudioCaps, Caps, Count, Format, FormatInfo, Keys, Medium, Notation, Opened, OptionSpec,
    Options, Probe, Request, Score, Tags, WholeFolder, Writer,
};
use spr_core::model::{Decimal, SourceField};

use crate::{json, names};
use read::NemoReader;
use write::NemoWriter;

/// NeMo manifests.
pub struct Nemo;

/// The format, for registries.
pub static NEMO: Nemo = Nemo;

/// Names of the field that says where the sound is.
pub(crate) const FILE: [&str; 2] = ["audio_filepath", "audio_filename"];

const CAPS: Caps = {
    let mut audio = AudioCaps::NONE;
    audio.references = true;
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.audio = audio;
    caps.text = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
};

static INFO: FormatInfo = FormatInfo::new(
    "nemo",
    "NeMo manifest, one JSON object per line",
    &["json"],
)
.also(&["jsonl"])
.options(&[
    OptionSpec {
        name: "keys",
        value: "stem|path",
        help: "what names an utterance whose line does not: its sound file's name without folder, \
               the default, or with it",
    },
    names::PATHS,
]);

impl Format for Nemo {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = head.head.trim_ascii_start();
        match text.starts_with(b"{") && FILE.iter().any(|name| json::names(text, name)) {
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
    ) -> Result<Opened> {
        Ok(Opened::stream(NemoReader::new(
            source, options, request, env,
        )?))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        Ok(Box::new(NemoWriter::new(&output, options, env)?))
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

/// The name of an utterance whose line gives none: that of its sound file, and the stretch in
/// milliseconds if it is one.
fn made_up(file: &str, stretch: Option<[Decimal; 2]>) -> String {
    match stretch {
        None => file.to_owned(),
        Some(times) => {
            let [start, end] = times.map(|time| (time.value() * 1000.0).round());
            format!("{file}-{start:07}-{end:07}")
        }
    }
}
