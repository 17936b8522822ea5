//! Shar, Lhotse's sharded data sets: cuts as lines, and a tar file for each field of them.
//!
//! The streams of a shard are joined by the names of their cuts, so that damage in one does not
//! shift another, as it does where they are read side by side.

mod data;
mod describe;
mod encode;
mod fill;
mod join;
mod layout;
mod options;
mod read;
mod settings;
mod stream;
mod write;

use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, FeatureCaps, Format, FormatInfo, Keys, LabelCaps, Medium,
    OpenedDataset, Options, Probe, Request, Rule, Score, SegmentCaps, Tags, WholeFolder, Writer,
};
use spr_core::model::{About, Dtype, Key, SourceField};
use spr_core::{Error, Remedy, Result};

pub(super) use layout::fits;
use options::OPTIONS;
use read::SharReader;
use settings::{Settings, SoundForm};
use write::SharWriter;

/// Lhotse's Shar.
pub struct Shar;

/// The format, for registries.
pub static SHAR: Shar = Shar;

static INFO: FormatInfo = FormatInfo::new(
    "shar",
    "Lhotse Shar, sharded cuts with tar files of sound, features and arrays",
    &[],
)
.options(OPTIONS);

const FLOATS: &[Dtype] = &[Dtype::F32, Dtype::F64, Dtype::F16];
/// Checks that a name stays as it is as a path in a tar file that Python reads.
fn check_key(key: &Key) -> Result<()> {
    let text = key.as_str().unwrap_or_default();
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    match text.split('/').all(is_part) && !text.contains('\0') {
        true => Ok(()),
        false => Err(Error::unfit("its name cannot be a path in a tar file")),
    }
}

/// Refuses a rate that FLAC is not written with.
fn check_rate(rate: &u32) -> Result<()> {
    match *rate > 96_000 {
        true => {
            let message = format!("has {rate} samples a second, which FLAC is not written with");
            Err(Error::unfit(message).suggest(Remedy::Resample))
        }
        false => Ok(()),
    }
}

/// Returns the capabilities of a Shar.
fn caps(settings: &Settings) -> Caps {
    let mut features = FeatureCaps::new(match settings.lilcom {
        Some(_) => &[Dtype::F32],
        None => FLOATS,
    });
    features.needs_shift = true;
    let mut audio = AudioCaps::samples(match settings.sound {
        SoundForm::Flac => &[Dtype::I16, Dtype::U8, Dtype::I32],
        SoundForm::Wav | SoundForm::Original => {
            &[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64]
        }
    });
    audio.encoded = match settings.sound {
        SoundForm::Flac => &["flac"],
        SoundForm::Wav => &["wav"],
        SoundForm::Original => &["wav", "flac", "mp3", "ogg"],
    };
    if settings.sound == SoundForm::Flac {
        (audio.bits, audio.max_channels) = (24, 8);
        audio.rates = Rule::new("of at most 96000 Hz", check_rate);
    }
    (audio.needs_samples, audio.beside_features) = (true, true);
    let mut segments = SegmentCaps::ALL;
    (segments.speakers, segments.closed) = (false, true);
    let mut arrays = ArrayCaps::new(Dtype::NUMPY);
    arrays.min_rank = 1;
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.key_rule = Rule::new("that can be paths", check_key);
    caps.utf8 = true;
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(Dtype::INTEGERS));
    caps.audio = audio;
    caps.segments = Some(segments);
    caps.arrays = Some(arrays);
    caps.text = true;
    caps.frame_shift = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps.rounded = settings.lilcom.is_some();
    caps
}

impl Format for Shar {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, _: &Probe<'_>) -> Score {
        Score::No
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        Ok(caps(&Settings::of(options)?))
    }

    fn open(&self, source: Source, _: &Options, _: &mut Request, _: &Env) -> Result<OpenedDataset> {
        let message = "is a file, a Shar is a folder with cuts.000000.jsonl.gz in it";
        Err(Error::usage(message)
            .file(source.name())
            .hint("name the folder"))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let settings = Settings::of(options)?;
        let caps = caps(&settings);
        if output.medium() != Medium::Folder {
            let message = "a Shar is a folder";
            return Err(Error::usage(message)
                .file(output.name())
                .hint("shar:OUT/ is a folder"));
        }
        Ok(Box::new(SharWriter::new(output, settings, caps, env)))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(self)
    }
}

impl WholeFolder for Shar {
    fn fits(&self, names: &[&str]) -> bool {
        fits(names.iter().copied())
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        Settings::of(options)?;
        Ok(OpenedDataset::stream(SharReader::open(
            folder, options, request, env,
        )?))
    }
}
