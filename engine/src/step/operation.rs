//! Steps with parsed values.

use std::any::Any;
use std::sync::Arc;

use spr_core::bytes::Env;
use spr_core::format::{Partitioning, Reader, Registry};
use spr_core::{Error, Result};

use super::list_cache::ListCache;

/// A step with typed values.
pub(super) trait Operation: Any + Send + Sync {
    /// The amount of data that it needs for each utterance it returns.
    fn reach(&self) -> Reach;

    /// The columns of utterances that it compares, orders or groups by.
    fn columns(&self) -> &[&'static str];

    /// Puts it over a reader.
    ///
    /// # Errors
    /// A file that it needs can't be read.
    fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>>;

    /// Returns `true` if it does nothing.
    fn is_idle(&self) -> bool {
        false
    }

    /// Describes it for people, for data that PDNN goes through by a `Partitioning`; `None` if its
    /// notation says it all.
    fn describe(&self, _: Partitioning) -> Option<String> {
        None
    }
}

/// The amount of data that a step needs for each utterance it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// A chunk of its rows.
    Chunk,
    /// The utterance as a whole.
    Utterance,
    /// Other utterances as well.
    Others,
    /// Its number: the step takes the share of one of several jobs. Statistics are of all shares.
    Share,
    /// All utterances beforehand: what comes before the step is read twice.
    Twice,
}

/// An operation that is no more than what it puts over readers.
pub(super) struct Stage<F> {
    reach: Reach,
    columns: Vec<&'static str>,
    description: Option<String>,
    is_idle: bool,
    over: F,
}

impl<F> Stage<F>
where
    F: Fn(Box<dyn Reader>, &Surroundings<'_>) -> Result<Box<dyn Reader>> + Send + Sync + 'static,
{
    /// An operation that is described by its notation.
    pub(super) fn new<const N: usize>(reach: Reach, columns: [&'static str; N], over: F) -> Self {
        Self {
            reach,
            columns: columns.to_vec(),
            description: None,
            is_idle: false,
            over,
        }
    }

    /// The same by columns that its values name.
    pub(super) fn by(self, columns: impl IntoIterator<Item = &'static str>) -> Self {
        let columns = columns.into_iter().collect();
        Self { columns, ..self }
    }

    /// The same with a description.
    pub(super) fn described(self, text: impl Into<String>) -> Self {
        let description = Some(text.into());
        Self {
            description,
            ..self
        }
    }

    /// The same, which does nothing if `is_idle`.
    pub(super) fn idle_if(self, is_idle: bool) -> Self {
        Self { is_idle, ..self }
    }

    /// Returns it as the outcome of parsing.
    #[expect(clippy::unnecessary_wraps, reason = "parsers of steps end with it")]
    pub(super) fn parsed(self) -> Result<Arc<dyn Operation>> {
        Ok(Arc::new(self))
    }
}

impl<F> Operation for Stage<F>
where
    F: Fn(Box<dyn Reader>, &Surroundings<'_>) -> Result<Box<dyn Reader>> + Send + Sync + 'static,
{
    fn reach(&self) -> Reach {
        self.reach
    }

    fn columns(&self) -> &[&'static str] {
        &self.columns
    }

    fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        (self.over)(reader, at)
    }

    fn is_idle(&self) -> bool {
        self.is_idle
    }

    fn describe(&self, _: Partitioning) -> Option<String> {
        self.description.clone()
    }
}

/// The part of the input that a two-pass step reads again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The same utterances.
    Share,
    /// The utterances of all shares, if the step is one of several jobs.
    All,
}

/// Opens the input of a step again.
pub type Again<'a> = dyn Fn(Extent) -> Result<Box<dyn Reader>> + 'a;

/// The surroundings in which steps are built.
#[derive(Clone)]
pub struct Surroundings<'a> {
    /// The environment, with files and limits.
    pub env: &'a Env,
    /// The formats, for lists of keys that are data sets.
    pub registry: Option<&'a Registry>,
    /// The pass through the data, from 0.
    pub pass: u64,
    /// PDNN's way through the format of the source.
    pub partitioning: Partitioning,
    /// Opens what comes before the step once more.
    pub again: Option<&'a Again<'a>>,
    /// The files read besides the data.
    pub files: ListCache,
}

impl<'a> Surroundings<'a> {
    /// The first pass in `env`.
    pub fn new(env: &'a Env) -> Self {
        Self {
            env,
            registry: None,
            pass: 0,
            partitioning: Partitioning::Partitions,
            again: None,
            files: ListCache::default(),
        }
    }

    /// Opens what comes before the step once more.
    ///
    /// # Errors
    /// It can be read only once, or can't be opened.
    pub(super) fn again(&self, extent: Extent) -> Result<Box<dyn Reader>> {
        let once = || Error::usage("what comes before it can't be read twice here");
        self.again.ok_or_else(once)?(extent)
    }
}
