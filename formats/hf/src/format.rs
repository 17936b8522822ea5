//! The format `hf`.

use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, Weight,
    WholeFolder, Writer,
};
use spr_core::model::{About, Key};
use spr_core::{Error, Result};

use crate::folder::{self, Folder};
use crate::guard::check_machine;
use crate::options::{OPTIONS, SPLIT, codec};
use crate::reader::{Place, TableReader};
use crate::write::DatasetWriter;
use crate::{arrow, caps, parquet, table};

/// Data sets of Hugging Face.
pub static FORMAT: HuggingFace = HuggingFace;

/// The format `hf`: data sets of Hugging Face, in Parquet and Arrow.
#[derive(Clone, Copy, Debug)]
pub struct HuggingFace;

pub(crate) static INFO: FormatInfo = FormatInfo::new(
    "hf",
    "Hugging Face data sets in Parquet, and Arrow as datasets saves it",
    &["parquet", "arrow"],
)
.options(OPTIONS);

/// Refuses options for folders, where there is none.
fn refuse_split(options: &Options, name: &str) -> Result<()> {
    match options.get(SPLIT.name) {
        Some(_) => {
            let error = Error::usage("option split: a file has no splits").file(name);
            Err(error.hint("name the folder"))
        }
        None => Ok(()),
    }
}

impl Format for HuggingFace {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let named = head.extension().is_some_and(|own| INFO.goes_by(own));
        match head.head.starts_with(parquet::MAGIC) {
            true => Score::Certain,
            // Its mark alone could be numbers.
            false if arrow::is_arrow(head.head) && named => Score::Certain,
            false if arrow::is_arrow(head.head) => Score::Possible(60),
            false if named && !head.head.is_empty() => Score::NameOnly,
            false => Score::No,
        }
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        Ok(caps::caps(codec(options)?))
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        check_machine(source.name())?;
        refuse_split(options, source.name())?;
        let is_parquet = !arrow::is_arrow(source.peek(arrow::HEAD)?);
        if request.lookup && source.can_seek() && is_parquet {
            let table = table::open(source, options, request, env)?;
            return Ok(OpenedDataset::Table(Box::new(table)));
        }
        let reader = TableReader::new(source, options, request, Place::default(), env)?;
        Ok(OpenedDataset::stream(reader))
    }

    fn weigh(
        &self,
        source: Source,
        options: &Options,
        env: &Env,
        each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
    ) -> Result<bool> {
        check_machine(source.name())?;
        refuse_split(options, source.name())?;
        table::weigh(source, options, env, each)
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        about: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        check_machine(&output.name())?;
        if !output.is_folder() {
            refuse_split(options, &output.name())?;
        }
        Ok(Box::new(DatasetWriter::new(output, options, about, env)?))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(&Folder)
    }

    /// A folder `data` or `train` may have anything in it.
    fn owns_folder(&self, at: &Location, env: &Env) -> bool {
        folder::is_one(at, env)
    }
}
