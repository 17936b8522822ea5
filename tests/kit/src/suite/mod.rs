//! The tests themselves.

mod damage;
mod objects;
mod refusals;
mod trips;

use std::fmt;
use std::path::PathBuf;

use spr_core::bytes::{Access, Env, Output, Source};
use spr_core::format::{Caps, Count, Format, Keys, Options, Place};
use spr_core::model::{Audio, Dtype, Rank, Utterance};
use spr_core::{Limits, Result};
use tempfile::TempDir;

use crate::faults::{self, Drained};
use crate::generate::{self, Columns, Plan};

/// A format and how to test it.
#[derive(Clone, Copy)]
pub struct Suite {
    /// The format.
    pub format: &'static dyn Format,
    /// The sets of options to run with, each used for writing and for reading.
    pub options: &'static [&'static [(&'static str, &'static str)]],
    /// Whether numbers are text, so that a NaN keeps no payload.
    pub text: bool,
    /// Whether a file cut between two utterances is a whole file.
    pub self_delimiting: bool,
    /// Whether a file cut inside its first entry may pass for one of another kind, where only the
    /// length of an entry tells the kind.
    pub kind_by_length: bool,
    /// Brings a generated utterance within bounds that [`Caps`] have no words for.
    pub prepare: fn(&mut Utterance),
}

impl Suite {
    /// A suite for `format` without options, with numbers in binary and a file that is whole only
    /// at its end.
    pub const fn new(format: &'static dyn Format) -> Self {
        Self {
            format,
            options: &[&[]],
            text: false,
            self_delimiting: false,
            kind_by_length: false,
            prepare: |_| {},
        }
    }
}

/// Runs every test that the format's [`Caps`] ask for. Panics at the first failure, naming the
/// format, the options and the step.
pub fn suite(suite: &Suite) {
    for pairs in suite.options {
        let bench = Bench::new(suite, pairs);
        trips::run(&bench);
        refusals::run(&bench);
        damage::run(&bench);
        objects::run(&bench);
    }
}

/// A format with one set of options, and a place for its files.
struct Bench<'a> {
    suite: &'a Suite,
    pairs: &'static [(&'static str, &'static str)],
    options: Options,
    folder: bool,
    /// What a file, or a folder if that is needed for several utterances, can hold.
    caps: Caps,
    scratch: TempDir,
}

impl<'a> Bench<'a> {
    fn new(suite: &'a Suite, pairs: &'static [(&'static str, &'static str)]) -> Self {
        let format = suite.format;
        let options = crate::options(format, pairs).expect("the options of the suite are known");
        let whole = format.caps(&options, Place::File).expect("caps of a file");
        let folder = whole.count == Count::One;
        let caps = if folder {
            format
                .caps(&options, Place::Folder)
                .expect("caps of a folder")
        } else {
            whole
        };
        Self {
            suite,
            pairs,
            options,
            folder,
            caps,
            scratch: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn name(&self) -> &'static str {
        self.suite.format.info().name
    }

    #[track_caller]
    fn fail(&self, step: impl fmt::Display, what: impl fmt::Display) -> ! {
        panic!("{} {:?}: {step}: {what}", self.name(), self.pairs)
    }

    /// Utterances that a test writes together.
    fn most(&self) -> usize {
        if self.caps.boundaries { 3 } else { 1 }
    }

    /// A new folder and the path of an output in it.
    fn place(&self) -> (TempDir, PathBuf) {
        let parent = tempfile::tempdir_in(self.scratch.path()).expect("a temporary folder");
        let extension = self.suite.format.info().extensions.first();
        let name = match extension {
            Some(extension) if !self.folder => format!("data.{extension}"),
            _ => "data".to_owned(),
        };
        let path = parent.path().join(name);
        (parent, path)
    }

    /// What a single stream without a file beside it can hold, if it can be written at all.
    fn stream_caps(&self) -> Option<Caps> {
        self.suite.format.caps(&self.options, Place::Stream).ok()
    }

    fn prepared(&self, mut utts: Vec<Utterance>) -> Vec<Utterance> {
        utts.iter_mut().for_each(self.suite.prepare);
        utts
    }

    /// A valid data set of `count` utterances of small numbers.
    fn sample(&self, plan: Plan, count: usize) -> Vec<Utterance> {
        let dtype = self.caps.features.map_or(Dtype::F32, |f| f.dtypes[0]);
        let label_dtype = self.caps.labels.map_or(Dtype::I32, |l| l.dtypes[0]);
        let max_cols = self.caps.features.map_or(1, |f| f.max_cols);
        let cols = usize::try_from(max_cols.min(3)).expect("small");
        let utterance = |n: usize| {
            let rows = if plan.features == Some(Rank::Scalar) {
                1
            } else {
                n + 2
            };
            let features = plan.features.map(|rank| match rank {
                Rank::Matrix => generate::plain(dtype, rank, rows, cols),
                _ => generate::plain(dtype, rank, rows, 1),
            });
            let labels = plan.labels.map(|columns| match columns {
                Columns::One => generate::plain(label_dtype, Rank::Vector, rows, 1),
                Columns::Several => generate::plain(label_dtype, Rank::Matrix, rows, 2),
            });
            let audio = plan.audio.then(|| Audio {
                rate: 16000,
                samples: generate::plain(self.caps.audio[0], Rank::Matrix, rows, 2),
            });
            Utterance {
                key: format!("utt-{n}").as_str().into(),
                features,
                labels,
                audio,
                ..Utterance::default()
            }
        };
        self.prepared((0..count).map(utterance).collect())
    }

    /// A small valid file for each sort of data set, with what it is.
    fn files(&self) -> Vec<(Plan, Vec<u8>)> {
        let count = if self.folder { 1 } else { 2 };
        let file = |plan| {
            let written =
                crate::write_memory(self.suite.format, self.pairs, &self.sample(plan, count));
            match written {
                Ok(bytes) => (plan, bytes),
                Err(e) => self.fail(format_args!("writing {plan:?} to memory"), e),
            }
        };
        generate::plans(&self.caps).into_iter().map(file).collect()
    }

    fn read_bytes(&self, bytes: &[u8], limits: Limits) -> Drained {
        match Source::from_bytes(crate::MEMORY, bytes.to_vec()) {
            Ok(source) => self.read_source(source, limits),
            Err(error) => Drained {
                utterances: Vec::new(),
                errors: vec![error],
            },
        }
    }

    fn read_source(&self, source: Source, limits: Limits) -> Drained {
        let env = Env::new(limits, Access::Safe, |_| {});
        faults::read_source(self.suite.format, &self.options, source, &env)
    }

    /// What reading a whole file gives.
    fn expect(&self, step: &str, bytes: &[u8]) -> Vec<Utterance> {
        match self.read_bytes(bytes, Limits::default()).whole() {
            Ok(utts) => utts,
            Err(e) => self.fail(step, e),
        }
    }

    fn output(&self, path: &std::path::Path) -> Result<Output> {
        crate::output_at(self.suite.format, &self.options, path)
    }
}

/// Whether what is written comes back under its key.
fn keeps_keys(keys: Keys) -> bool {
    keys != Keys::None
}
