//! Kaldi's data directories: folders of tables that form one data set.

pub(crate) mod extras;
mod faults;
mod indexed_lines;
pub(crate) mod layout;
mod line;
mod reader;
pub(crate) mod rules;
pub(crate) mod sound;
mod speakers;
mod table;
mod writer;

use spr_core::Result;
use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    AudioCaps, Audit, Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, Medium,
    OpenedDataset, OptionSpec, Options, Probe, Request, Score, Tags, WholeFolder, Writer,
};
use spr_core::model::{About, Dtype, SourceField};

use crate::audit::directory::Directories;
use crate::format::table_style;
use faults::is_no_folder;
use layout::NAME;
use reader::DataReader;
use writer::DataWriter;

/// Kaldi's data directories.
pub static DATA: DataDirectory = DataDirectory;

/// A data directory: a folder of tables such as `wav.scp`, `segments`, `text` and `utt2spk` that
/// form one data set.
///
/// The audio is referenced by `wav.scp`, with segments from `segments`. No audio file is opened
/// before samples are requested. The tables are read in one pass if they are sorted by the bytes of
/// their keys, as Kaldi requires.
pub struct DataDirectory;

static INFO: FormatInfo = FormatInfo::new(NAME, "Kaldi data directories", &[]).options(OPTIONS);

const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "parts",
        value: "feats+wav+text",
        help: "when reading, what utterances carry (default: what the target holds of it)",
    },
    OptionSpec {
        name: "paths",
        value: "found|relative|absolute",
        help: "when writing, how files are named: as they are found from the working folder \
               (default), from the directory, or from the root",
    },
];

fn caps() -> Caps {
    let mut caps = Caps::new(Count::Many, Keys::Words);
    caps.features = Some(FeatureCaps::new(&[Dtype::F32, Dtype::F64]));
    caps.audio = AudioCaps::samples(&[Dtype::I16]);
    caps.audio.encoded = &["wav"];
    caps.audio.references = true;
    caps.text = true;
    caps.text_rule = writer::TRANSCRIPT;
    caps.empty = Empty::Shapeless;
    caps.frame_shift = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Named(NAME, layout::TAGS);
    caps.max_rows = i32::MAX as u64;
    caps
}

impl Format for DataDirectory {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, _head: &Probe<'_>) -> Score {
        Score::No
    }

    fn caps(&self, options: &Options, _medium: Medium) -> Result<Caps> {
        writer::check_options(options)?;
        Ok(caps())
    }

    fn open(
        &self,
        source: Source,
        _options: &Options,
        _request: &mut Request,
        _env: &Env,
    ) -> Result<OpenedDataset> {
        Err(is_no_folder(source.name()))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = caps();
        let style = table_style(&Options::default())?;
        let writer = DataWriter::new(caps, style, output, options, env)?;
        Ok(Box::new(writer))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(self)
    }

    fn audit(&self) -> Option<&dyn Audit> {
        Some(&Directories)
    }
}

impl WholeFolder for DataDirectory {
    fn fits(&self, names: &[&str]) -> bool {
        layout::fits(names)
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        Ok(OpenedDataset::stream(DataReader::open(
            folder, options, request, env,
        )?))
    }
}
