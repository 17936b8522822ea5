#![doc = include_str!("../README.md")]

mod beside;
mod caps;
mod columns;
mod delimited;
mod encoding;
mod files;
mod join;
mod layouts;
mod meaning;
mod names;
mod question;
mod read;
mod rows;
mod table;
mod timed;
mod values;
mod write;

use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score,
    SoundFolder as AnySound, WholeFolder, Writer,
};
use spr_core::model::About;
use spr_core::{Error, Result};

use caps::CAPS;
use encoding::Encoding;
use files::FolderFiles;
use meaning::Mapping;
use read::SoundReader;
use table::TableOptions;
use write::SoundWriter;

/// Folders of sound files with transcripts beside them.
pub struct SoundFolder;

/// The format, for registries.
pub static FORMAT: SoundFolder = SoundFolder;

static INFO: FormatInfo = FormatInfo::new(
    "soundfolder",
    "folder of sound files with transcripts beside them",
    &[],
)
.also(&["tsv", "csv"])
.options(&[meaning::COLUMNS, encoding::ENCODING]);

/// Returns how tables are read.
fn table_options(options: &Options) -> Result<TableOptions> {
    Ok(TableOptions {
        mapping: Mapping::of(options)?,
        encoding: Encoding::of(options)?,
    })
}

impl Format for SoundFolder {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        match table::is_table_of_sound(head.head, head.extension()) {
            true => Score::Possible(50),
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        Ok(CAPS)
    }

    /// Opens a table of transcripts. The sound files that it names are in its folder.
    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let Some(at) = source.location().cloned() else {
            let message = "is a stream, and the sound files are in the folder of the table";
            return Err(Error::usage(message).file(source.name()));
        };
        let folder = at.parent().unwrap_or_else(|| ".".into());
        let files = FolderFiles::of_table(&folder, &at, env)?;
        let reader = SoundReader::new(&folder, files, &table_options(options)?, request, env)?;
        Ok(OpenedDataset::stream(reader))
    }

    fn create(&self, output: Output, _: &Options, _: &About, env: &Env) -> Result<Box<dyn Writer>> {
        Ok(Box::new(SoundWriter::new(output, env)?))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(self)
    }

    fn sound_folder(&self) -> Option<&dyn AnySound> {
        Some(self)
    }
}

impl WholeFolder for SoundFolder {
    /// Names of sound files are not enough: they may be all that there is.
    fn fits(&self, _: &[&str]) -> bool {
        false
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let files = FolderFiles::list(folder, env)?;
        let reader = SoundReader::new(folder, files, &table_options(options)?, request, env)?;
        Ok(OpenedDataset::stream(reader))
    }
}

impl AnySound for SoundFolder {
    fn tells_more(&self, folder: &Location, files: &[Location], env: &Env) -> bool {
        FolderFiles::sorted(folder, files.to_vec(), env).tells_more()
    }

    fn is_table(&self, file: &Location) -> bool {
        table::is_named_so(file)
    }
}
