//! Lhotse's manifests: recordings, supervisions, features, and cuts that have all of them.

mod alignment;
mod cut;
mod features;
mod files;
mod reader;
mod recording;
mod stores;
mod supervision;
mod write;

use spr_core::bytes::{Env, Location, Nested, Output, Source};
use spr_core::format::{
    AudioCaps, Caps, Count, FeatureCaps, Format, FormatInfo, Keys, Medium, Notation, Opened,
    OptionSpec, Options, Probe, Request, Score, SegmentCaps, Tags, WholeFolder, Writer,
};
use spr_core::model::{Dtype, SourceField};
use spr_core::{Error, Result};

use crate::json::{self, Object};
use crate::names;
use reader::LhotseReader;
use write::LhotseWriter;

/// Lhotse's manifests.
pub struct Lhotse;

/// The format, for registries.
pub static LHOTSE: Lhotse = Lhotse;

/// What a manifest holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Recordings,
    Supervisions,
    Features,
    Cuts,
}

impl Kind {
    /// What it is called, in names of files and of options.
    fn name(self) -> &'static str {
        match self {
            Self::Recordings => "recordings",
            Self::Supervisions => "supervisions",
            Self::Features => "features",
            Self::Cuts => "cuts",
        }
    }

    /// The kind of a manifest with this object in it, by the fields that Lhotse goes by.
    ///
    /// # Errors
    /// It is of images or arrays.
    fn of(object: &Object<'_>) -> Result<Self> {
        for (field, what) in [
            ("width", "images"),
            ("shape", "arrays"),
            ("array", "arrays"),
        ] {
            if object.has(field) {
                return Err(Error::unsupported(format!("a Lhotse manifest of {what}")));
            }
        }
        Ok(match () {
            () if object.has("sources") => Self::Recordings,
            () if object.has("num_features") => Self::Features,
            () if object.has("type") => Self::Cuts,
            () => Self::Supervisions,
        })
    }
}

const FILE: Caps = {
    let mut audio = AudioCaps::NONE;
    audio.references = true;
    let mut segments = SegmentCaps::ALL;
    segments.speakers = false;
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.audio = audio;
    caps.segments = Some(segments);
    caps.text = true;
    caps.frame_shift = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
};

const FOLDER: Caps = {
    let mut caps = FILE;
    caps.features = Some(FeatureCaps::new(&[Dtype::F32, Dtype::F64]));
    caps
};

static INFO: FormatInfo = FormatInfo::new(
    "lhotse",
    "Lhotse manifests: recordings and supervisions, or cuts",
    &[],
)
.also(&["jsonl", "json"])
.options(&[
    OptionSpec {
        name: "recordings",
        value: "FILE",
        help: "the recordings of a manifest of supervisions, if they are not beside it",
    },
    OptionSpec {
        name: "features",
        value: "FILE",
        help: "the features of a manifest of supervisions, if they are not beside it",
    },
    names::PATHS,
]);

/// Fields of which a line of a manifest has all of one list.
const TELLING: [&[&str]; 4] = [
    &["sources", "sampling_rate", "num_samples"],
    &["recording_id", "start", "duration"],
    &["storage_type", "storage_path", "num_features"],
    &["supervisions", "start", "duration"],
];

impl Format for Lhotse {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = head.head.trim_ascii_start();
        let has = |name: &&str| json::names(text, name);
        let told = TELLING.iter().any(|fields| fields.iter().all(has))
            || has(&"tracks") && has(&"MixedCut");
        match text.starts_with(b"{") && told && !has(&crate::nemo::FILE[0]) {
            true => Score::Certain,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        Ok(match medium {
            Medium::Folder => FOLDER,
            Medium::File | Medium::Stream => FILE,
        })
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened> {
        Ok(Opened::stream(LhotseReader::new(
            source, options, request, env,
        )?))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        Ok(Box::new(LhotseWriter::new(output, options, env)?))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(self)
    }

    fn nested(&self) -> Option<&dyn Nested> {
        None
    }

    fn notation(&self) -> Option<&dyn Notation> {
        None
    }
}

impl WholeFolder for Lhotse {
    fn fits(&self, names: &[&str]) -> bool {
        let kinds: Vec<_> = names
            .iter()
            .filter_map(|name| files::kind_by_name(name))
            .collect();
        kinds.contains(&Kind::Cuts) || kinds.contains(&Kind::Supervisions)
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened> {
        let source = env.open_file(&files::main(folder, env)?)?;
        Format::open(self, source, options, request, env)
    }
}
