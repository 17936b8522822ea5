//! AudioFolder: audio files with a metadata table, as loaded by Hugging Face datasets.

mod caps;
mod columns;
mod in_place;
mod named;
mod read;
mod row;
mod table;
mod write;

use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, WholeFolder,
    Writer,
};
use spr_core::model::About;
use spr_core::{Error, Result};
use spr_syntax::json;

use caps::{CAPS, NAMED};
use columns::{FILE, TABLES};
use in_place::TableWriter;
use read::FolderReader;
use write::FolderWriter;

/// Hugging Face's AudioFolder.
pub struct AudioFolder;

/// The format, for registries.
pub static AUDIO_FOLDER: AudioFolder = AudioFolder;

static INFO: FormatInfo = FormatInfo::new(
    "audiofolder",
    "Hugging Face AudioFolder, sound files and metadata.jsonl",
    &[],
)
.also(&["jsonl"])
.listed_in(&["jsonl"]);

impl Format for AudioFolder {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = json::start(head.head).unwrap_or_default();
        match text.starts_with(b"{") && json::names(text, FILE) {
            true => Score::Possible(50),
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        Ok(match medium {
            Medium::File => NAMED,
            _ => CAPS,
        })
    }

    fn open(&self, source: Source, _: &Options, _: &mut Request, _: &Env) -> Result<OpenedDataset> {
        let message = "is a file, an AudioFolder is a folder with a metadata.jsonl in it";
        Err(Error::usage(message)
            .file(source.name())
            .hint("name the folder"))
    }

    fn create(&self, output: Output, _: &Options, _: &About, env: &Env) -> Result<Box<dyn Writer>> {
        Ok(match output.medium() {
            Medium::File => Box::new(TableWriter::new(&output, env)?),
            _ => Box::new(FolderWriter::new(output, env)?),
        })
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(self)
    }

    /// A `metadata.csv` alone may be of another program, which has no such column.
    fn owns_folder(&self, folder: &Location, env: &Env) -> bool {
        let [lines, csv] = TABLES.map(|table| folder.join(table));
        env.exists(&lines) || table::has_column(&csv, FILE, env)
    }
}

impl WholeFolder for AudioFolder {
    fn fits(&self, names: &[&str]) -> bool {
        TABLES.iter().any(|table| names.contains(table))
    }

    fn open(
        &self,
        folder: &Location,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        Ok(OpenedDataset::stream(FolderReader::new(
            folder, request, env,
        )?))
    }
}
