//! The format `hdf5`.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, OptionSpec, Options, Probe, Request, Score,
    Writer,
};
use spr_core::model::About;
use spr_core::{Error, Result};

use crate::caps::CAPS;
use crate::entries::Layout;
use crate::names::MAGIC;
use crate::read;
use crate::write::Hdf5Writer;

/// HDF5 files.
pub static FORMAT: Hdf5 = Hdf5;

/// The format `hdf5`: named arrays in groups.
#[derive(Clone, Copy, Debug)]
pub struct Hdf5;

/// The offset of the first bytes behind the smallest block that other programs may put before them.
/// The offsets of larger blocks are its doubles.
const USER_BLOCK: usize = 512;

static INFO: FormatInfo =
    FormatInfo::new("hdf5", "HDF5 files", &["h5", "hdf5", "hdf"]).options(&[LAYOUT]);

const LAYOUT: OptionSpec = OptionSpec {
    name: "layout",
    value: "paths|fields|utterances|rows",
    help: "read a dataset for each utterance, a group for each field or for each utterance, or all utterances in the rows of a dataset (concluded from names otherwise)",
};

/// Returns the layout that the options ask for.
///
/// # Errors
/// There is no such layout.
fn layout(options: &Options) -> Result<Option<Layout>> {
    options.choice(
        LAYOUT.name,
        &[
            ("paths", Layout::Datasets),
            ("fields", Layout::FieldGroups),
            ("utterances", Layout::UtteranceGroups),
            ("rows", Layout::Together),
        ],
    )
}

impl Format for Hdf5 {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let named = head
            .extension()
            .is_some_and(|e| INFO.extensions.contains(&e));
        let blocks = std::iter::successors(Some(USER_BLOCK), |at| at.checked_mul(2));
        let mut starts = std::iter::once(0).chain(blocks.take_while(|at| *at < head.head.len()));
        if starts.any(|at| {
            head.head
                .get(at..)
                .is_some_and(|rest| rest.starts_with(MAGIC))
        }) {
            Score::Certain
        } else if named && !head.head.is_empty() {
            Score::NameOnly
        } else {
            Score::No
        }
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        layout(options)?;
        Ok(CAPS)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        read::open(source, layout(options)?, request, env)
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        if options.get(LAYOUT.name).is_some() {
            return Err(Error::usage("option layout: it is for reading"));
        }
        Ok(Box::new(Hdf5Writer::new(&output, CAPS, env)?))
    }
}
