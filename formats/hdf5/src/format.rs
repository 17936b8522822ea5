//! The format `hdf5`.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, Writer,
};
use spr_core::model::About;

use crate::caps::CAPS;
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

static INFO: FormatInfo = FormatInfo::new("hdf5", "HDF5 files", &["h5", "hdf5", "hdf"]);

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

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        Ok(CAPS)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        read::open(source, request, env)
    }

    fn create(&self, output: Output, _: &Options, _: &About, env: &Env) -> Result<Box<dyn Writer>> {
        Ok(Box::new(Hdf5Writer::new(&output, CAPS, env)?))
    }
}
