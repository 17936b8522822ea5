//! Lhotse manifests: recordings, supervisions, features, and cuts that contain all of them.

mod alignment;
mod chunky;
mod cut;
mod feature_manifest;
mod feature_names;
mod feature_writer;
mod features;
mod files;
mod kind;
mod parts;
mod reader;
mod recording;
mod shar;
mod stores;
mod supervision;
mod write;

use spr_core::Result;
use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    AudioCaps, Caps, Count, FeatureCaps, Format, FormatInfo, Keys, Medium, OpenedDataset,
    OptionSpec, Options, Probe, Request, Score, SegmentCaps, Tags, WholeFolder, Writer,
};
use spr_core::model::{About, Dtype, SourceField};
use spr_syntax::json;
use spr_syntax::manifest;

use feature_manifest::FeatureManifest;
use feature_writer::Store;
use kind::Kind;
use reader::LhotseReader;
pub use shar::{SHAR, Shar};
use write::LhotseWriter;

/// Lhotse's manifests.
pub struct Lhotse;

/// The format, for registries.
pub static LHOTSE: Lhotse = Lhotse;

const FILE: Caps = {
    let mut audio = AudioCaps::NONE;
    audio.references = true;
    let mut segments = SegmentCaps::ALL;
    (segments.speakers, segments.closed) = (false, true);
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.audio = audio;
    caps.segments = Some(segments);
    caps.text = true;
    caps.utf8 = true;
    caps.frame_shift = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
};

const FOLDER: Caps = {
    let mut caps = FILE;
    let mut features = FeatureCaps::new(&[Dtype::F32, Dtype::F64]);
    features.needs_shift = true;
    caps.features = Some(features);
    caps
};

/// Returns the capabilities of an output with features in a store, and with nothing else if a
/// sampling rate is given.
fn caps(store: Store, rate: Option<u32>, medium: Medium) -> Caps {
    let mut caps = match (rate, medium) {
        (Some(_), _) => feature_manifest::CAPS,
        (None, Medium::Folder) => FOLDER,
        (None, Medium::File | Medium::Stream) => FILE,
    };
    if let Some(features) = caps.features.as_mut().filter(|_| store.is_rounded()) {
        features.dtypes = &[Dtype::F32];
        caps.rounded = true;
    }
    caps
}

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
    feature_writer::STORE,
    feature_writer::TICK,
    feature_manifest::RATE,
    manifest::PATHS,
]);

/// Sets of fields, of which a line of a manifest has all of one set.
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
        // An array is refused by name.
        let text = json::start(head.head).unwrap_or_default();
        let has = |name: &&str| json::names(text, name);
        let told = TELLING.iter().any(|fields| fields.iter().all(has))
            || has(&"tracks") && has(&"MixedCut");
        match told && !has(&crate::nemo::names::FILE[0]) {
            true => Score::Certain,
            false => Score::No,
        }
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        let rate = feature_manifest::rate(options, medium)?;
        Ok(caps(Store::of(options, medium)?, rate, medium))
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        Ok(OpenedDataset::stream(LhotseReader::new(
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
        let (medium, caps) = (output.medium(), self.caps(options, output.medium())?);
        let store = Store::of(options, medium)?;
        Ok(match feature_manifest::rate(options, medium)? {
            None => Box::new(LhotseWriter::new(output, store, caps, options, env)?),
            Some(rate) => {
                let how = (store, rate);
                Box::new(FeatureManifest::new(output, how, caps, options, env)?)
            }
        })
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(self)
    }
}

impl WholeFolder for Lhotse {
    fn fits(&self, names: &[&str]) -> bool {
        let kinds: Vec<_> = names
            .iter()
            .filter_map(|name| files::kind_by_name(name))
            .collect();
        let leads = [Kind::Cuts, Kind::Supervisions, Kind::Features];
        !shar::fits(names.iter().copied()) && kinds.iter().any(|kind| leads.contains(kind))
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let source = env.open_file(&files::main(folder, env)?)?;
        Format::open(self, source, options, request, env)
    }
}
