//! The tests themselves.

mod about;
mod damage;
mod nested;
mod others;
mod refusals;
mod requests;
mod trips;

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use spr_core::bytes::{Env, Location, Locator, MemoryStore, Output, Source};
use spr_core::format::{Caps, Count, Format, Keys, Medium, Options, Request, WriteSummary};
use spr_core::model::{Audio, Decimal, Dtype, Rank, Utterance};
use spr_core::{Limits, Result};

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
    /// Whether utterances have several lines that nothing counts, so that the last of a file cut
    /// between lines may lack some.
    pub uncounted: bool,
    /// Whether some files are known by their names alone.
    pub named: bool,
    /// Whether a file cut inside its first entry may pass for one of another kind, where only the
    /// length of an entry tells the kind.
    pub kind_by_length: bool,
    /// Whether what follows the data is left alone, with a warning.
    pub warns_of_more: bool,
    /// Whether a last line without an end is taken with a warning, though its last field may be cut off.
    pub warns_of_missing_end: bool,
    /// The surroundings, whose store is not used: the place for the formats of the objects that a
    /// container may hold.
    pub env: fn() -> Env,
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
            uncounted: false,
            named: false,
            kind_by_length: false,
            warns_of_more: false,
            warns_of_missing_end: false,
            env: Env::default,
            prepare: |_| {},
        }
    }
}

/// Runs every test that the format's [`Caps`] ask for, side by side. Panics with the first failure
/// in their order, naming the format, the options and the step.
pub fn suite(suite: &Suite) {
    const PARTS: [fn(&Bench<'_>); 7] = [
        trips::run,
        requests::run,
        about::run,
        others::run,
        refusals::run,
        damage::run,
        nested::run,
    ];
    let benches: Vec<_> = suite
        .options
        .iter()
        .map(|pairs| Bench::new(suite, pairs))
        .collect();
    thread::scope(|scope| {
        let run = |bench| PARTS.map(|part| scope.spawn(move || part(bench)));
        let running: Vec<_> = benches.iter().flat_map(run).collect();
        for part in running {
            if let Err(panic) = part.join() {
                resume_unwind(panic);
            }
        }
    });
}

/// A format with one set of options.
struct Bench<'a> {
    suite: &'a Suite,
    pairs: &'static [(&'static str, &'static str)],
    options: Options,
    folder: bool,
    /// What a file, or a folder if that is needed for several utterances, can hold.
    caps: Caps,
    env: Env,
}

/// A store with nothing in it yet, and the name of an output there.
struct Place {
    store: MemoryStore,
    env: Env,
    at: Location,
}

impl<'a> Bench<'a> {
    fn new(suite: &'a Suite, pairs: &'static [(&'static str, &'static str)]) -> Self {
        let format = suite.format;
        let options = crate::options(format, pairs).expect("the options of the suite are known");
        let whole = format.caps(&options, Medium::File).expect("caps of a file");
        let folder = whole.count == Count::One;
        let caps = if folder {
            format
                .caps(&options, Medium::Folder)
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
            env: (suite.env)(),
        }
    }

    fn name(&self) -> &'static str {
        self.suite.format.info().name
    }

    #[track_caller]
    fn fail(&self, step: impl fmt::Display, what: impl fmt::Display) -> ! {
        panic!("{} {:?}: {step}: {what}", self.name(), self.pairs)
    }

    /// Utterances, of so many that are wanted, that an output holds without running them together.
    fn most(&self, wanted: usize) -> usize {
        if self.caps.boundaries { wanted } else { 1 }
    }

    /// Somewhere new.
    fn place(&self) -> Place {
        let store = MemoryStore::new();
        let name = match self.suite.format.info().extensions.first() {
            Some(extension) if !self.folder => format!("data.{extension}"),
            _ => "data".to_owned(),
        };
        Place {
            env: self.env.clone().with_store(Arc::new(store.clone())),
            store,
            at: name.into(),
        }
    }

    /// What a single stream without a file beside it can hold, if it can be written at all.
    fn stream_caps(&self) -> Option<Caps> {
        self.suite.format.caps(&self.options, Medium::Stream).ok()
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
        let cols = generate::only_cols(&self.caps).unwrap_or(cols);
        let shift = self.caps.features.is_some_and(|f| f.needs_shift);
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
            let mut utt = Utterance {
                features,
                labels,
                ..named(n)
            };
            if shift && utt.features.is_some() {
                utt.meta.frame_shift = Decimal::parse("0.01");
            }
            if let Some(other) = plan.other {
                other.put(&mut utt, &self.caps, rows, None);
            }
            utt
        };
        self.prepared((0..count).map(utterance).collect())
    }

    /// A small valid file for each sort of data set, with what it is.
    fn files(&self) -> Vec<(Plan, Vec<u8>)> {
        let count = if self.folder { 1 } else { self.most(3) };
        let file = |plan| match self.memory(&self.sample(plan, count)) {
            Ok(bytes) => (plan, bytes),
            Err(e) => self.fail(format_args!("writing {plan:?} to memory"), e),
        };
        generate::plans(&self.caps).into_iter().map(file).collect()
    }

    /// The main stream of a data set.
    fn memory(&self, utts: &[Utterance]) -> Result<Vec<u8>> {
        crate::memory_within(self.suite.format, &self.options, utts, &self.env)
    }

    fn output(&self, place: &Place) -> Output {
        place.env.output(&match self.folder {
            true => Locator::folder(&place.at),
            false => Locator::file(&place.at),
        })
    }

    fn write(&self, utts: &[Utterance], place: &Place) -> Result<WriteSummary> {
        let (format, output) = (self.suite.format, self.output(place));
        crate::write_within(format, &self.options, utts, output, &place.env)
    }

    fn read(&self, place: &Place, request: Request) -> Result<Vec<Utterance>> {
        let (format, options) = (self.suite.format, self.options.clone());
        let reader = crate::open_within(format, options, &place.at, request, &place.env)?;
        faults::drain(reader).whole()
    }

    fn read_bytes(&self, bytes: &[u8], limits: Limits) -> Drained {
        let source = Source::from_bytes(crate::MEMORY, bytes.to_vec());
        self.read_asked(source, Request::all(), limits)
    }

    fn read_asked(&self, source: Result<Source>, request: Request, limits: Limits) -> Drained {
        let mut env = self.env.clone();
        env.limits = limits;
        match source {
            Ok(source) => {
                let (format, options) = (self.suite.format, &self.options);
                faults::read_asked(format, options, source, request, &env)
            }
            Err(error) => Drained {
                utterances: Vec::new(),
                errors: vec![error],
            },
        }
    }

    /// What must be as it was in a file that was cut.
    fn intact<'d>(&self, drained: &'d Drained) -> &'d [Utterance] {
        let got = drained.utterances.as_slice();
        match got.split_last() {
            Some((_, before)) if self.suite.uncounted && drained.errors.is_empty() => before,
            _ => got,
        }
    }

    /// Compares what was read of the start of a file with what all of it holds.
    fn compare_cut(
        &self,
        whole: &[Utterance],
        drained: &Drained,
        keys: bool,
        text: bool,
    ) -> std::result::Result<(), String> {
        let got = self.intact(drained);
        crate::compare_all(&whole[..got.len().min(whole.len())], got, keys, text)?;
        match drained.utterances.get(got.len()).zip(whole.get(got.len())) {
            Some((last, whole)) => crate::compare::compare_start(whole, last),
            None => Ok(()),
        }
    }

    /// Whether reading gives a warning.
    fn warns(&self, bytes: &[u8]) -> bool {
        let said = Arc::new(AtomicBool::new(false));
        let listener = said.clone();
        let env = self
            .env
            .listening(move |_| listener.store(true, Ordering::Relaxed));
        let source = Source::from_bytes(crate::MEMORY, bytes.to_vec());
        let source = source.unwrap_or_else(|e| panic!("{e}"));
        let (format, options) = (self.suite.format, &self.options);
        faults::read_asked(format, options, source, Request::all(), &env);
        said.load(Ordering::Relaxed)
    }

    /// What reading a whole file gives.
    fn expect(&self, step: &str, bytes: &[u8]) -> Vec<Utterance> {
        match self.read_bytes(bytes, Limits::default()).whole() {
            Ok(utts) => utts,
            Err(e) => self.fail(step, e),
        }
    }
}

/// An utterance that is no more than a name.
fn named(n: usize) -> Utterance {
    Utterance {
        key: format!("utt-{n}").as_str().into(),
        ..Utterance::default()
    }
}

/// Everything; sound as samples where those were written, since a container may not know any more
/// whether it was given samples or a file.
fn request_for(utts: &[Utterance]) -> Request {
    let samples = |utt: &Utterance| matches!(utt.audio, Some(Audio::Samples(_)));
    match utts.iter().any(samples) {
        true => Request::all().samples(),
        false => Request::all().files(&["wav", "flac", "mp3", "ogg"]),
    }
}

/// Whether what is written comes back under its key.
fn keeps_keys(keys: Keys) -> bool {
    keys != Keys::None
}
