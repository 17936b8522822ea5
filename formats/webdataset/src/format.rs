//! The format `webdataset`.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, WholeFolder,
    Writer,
};
use spr_core::model::About;
use spr_syntax::tar;

use crate::caps;
use crate::options::{NEEDED, OPTIONS};
use crate::read::ArchiveReader;
use crate::shards::Shards;
use crate::table::ArchiveTable;
use crate::write::{ArchiveWriter, Settings};

/// WebDataset.
pub static FORMAT: WebDataset = WebDataset;

/// The format `webdataset`: samples in tar archives.
#[derive(Clone, Copy, Debug)]
pub struct WebDataset;

pub(crate) static INFO: FormatInfo = FormatInfo::new(
    "webdataset",
    "WebDataset: samples in shards of tar archives",
    &["tar"],
)
.options(OPTIONS)
.needed(NEEDED);

impl Format for WebDataset {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let named = head.extension() == Some("tar");
        match tar::is_tar(head.head) {
            // Samples stand in one folder; a tree of folders is an archive of anything.
            true if tar::begins_with_folders(head.head) => Score::No,
            true => Score::Certain,
            false if named && !head.head.is_empty() => Score::NameOnly,
            false => Score::No,
        }
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        let settings = Settings::of(options)?;
        Ok(caps::caps(settings.codec, settings.escapes))
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        if request.lookup && source.can_seek() {
            let table = ArchiveTable::new(source, options, request, env)?;
            return Ok(OpenedDataset::Table(Box::new(table)));
        }
        let reader = ArchiveReader::new(source, options, request, env)?;
        Ok(OpenedDataset::stream(reader))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let writer = ArchiveWriter::new(output, Settings::of(options)?, env)?;
        Ok(Box::new(writer))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(&Shards)
    }
}
