//! The input of a caller, as a plan that is made when it runs.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spr_convert::builder::{Duplicates, PlanBuilder};
use spr_convert::core::bytes::{Env, FileKind, Locator, Source};
use spr_convert::core::format::{
    ErrorPolicy, FieldSet, Options, Reader, Registry, Request, Subset,
};
use spr_convert::core::stage::SkipErrors;
use spr_convert::plan::{Input, Owner, Plan};
use spr_convert::step::{Step, Steps};
use spr_convert::{Error, Result};

use crate::failure::{apart, raised};
use crate::settings::Surroundings;
use crate::text::argument;

/// Data that join by key.
#[derive(FromPyObject, IntoPyObject, Clone, Default, PartialEq, Eq, Hash)]
#[pyo3(from_item_all)]
struct Joins {
    labels: Option<OsString>,
    text: Option<OsString>,
    speakers: Option<OsString>,
    tolerance: u64,
}

/// Data sets that are read one after the other, with what joins them and their steps before they are
/// merged with others.
#[derive(FromPyObject, IntoPyObject, Clone, PartialEq, Eq, Hash)]
#[pyo3(from_item_all)]
struct Sources {
    paths: Vec<OsString>,
    format: Option<String>,
    options: Vec<(String, String)>,
    joins: Joins,
    steps: Vec<String>,
}

/// The settings that apply to all data sets together.
#[derive(FromPyObject, IntoPyObject, Clone, PartialEq, Eq, Hash)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    sources: Vec<Sources>,
    joins: Joins,
    steps: Vec<String>,
    skip: bool,
    parts: Option<Vec<String>>,
    samples: bool,
    shard: Option<(u64, u64)>,
    keeps_duplicates: bool,
}

/// A plan of what is read, which says what is to be opened but opens nothing. Its methods return other
/// plans.
#[pyclass(frozen, module = "spr_convert._native", name = "Plan")]
pub(crate) struct DatasetPlan {
    reading: Reading,
    /// A name with bytes or a file object that replace the paths.
    data: Option<(String, Arc<Py<PyAny>>)>,
}

/// The resolved data of an input.
pub(crate) enum Data {
    Plan(Box<Plan>),
    /// A stream of bytes.
    Bytes(Box<Source>),
}

/// Parses a chain of steps.
///
/// # Errors
/// There is no such step, or a value is wrong.
pub(crate) fn steps(texts: &[String]) -> Result<Steps> {
    match texts.is_empty() {
        true => Ok(Steps::default()),
        false => texts.join("|").parse(),
    }
}

impl Joins {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&self, builder: &mut PlanBuilder) -> Result<()> {
        if let Some(table) = &self.speakers {
            builder.speakers(&argument(table.clone()))?;
        }
        if let Some(labels) = &self.labels {
            builder.labels(&argument(labels.clone()))?;
            builder.tolerance(self.tolerance);
        }
        if let Some(text) = &self.text {
            builder.text(&argument(text.clone()))?;
        }
        Ok(())
    }

    /// Adds what `other` has.
    ///
    /// # Errors
    /// Both have the same kind.
    fn and(&self, other: Self) -> Result<Self> {
        let one = |name: &str, own: &Option<OsString>, other: Option<OsString>| match (own, other) {
            (Some(_), Some(_)) => Err(Error::usage(format!("{name} join already"))),
            (own, other) => Ok(other.or_else(|| own.clone())),
        };
        Ok(Self {
            labels: one("labels", &self.labels, other.labels)?,
            text: one("text", &self.text, other.text)?,
            speakers: one("speakers", &self.speakers, other.speakers)?,
            tolerance: self.tolerance.max(other.tolerance),
        })
    }
}

impl Sources {
    /// Reads the data sets, without what joins them and their steps.
    fn add(&self, builder: &mut PlanBuilder) -> Result<()> {
        if let Some(format) = &self.format {
            builder.format(format)?;
        }
        for (key, value) in &self.options {
            builder.option(key, value);
        }
        for path in &self.paths {
            builder.input(&argument(path.clone()))?;
        }
        Ok(())
    }

    /// Returns the plan of them alone, to be merged with others.
    fn plan(&self, at: &Surroundings) -> Result<Plan> {
        let mut builder = PlanBuilder::new(&at.registry, &at.env);
        self.add(&mut builder)?;
        self.joins.add(&mut builder)?;
        add_steps(&mut builder, &self.steps)?;
        builder.finish()
    }
}

fn add_steps(builder: &mut PlanBuilder, steps: &[String]) -> Result<()> {
    match steps.is_empty() {
        true => Ok(()),
        false => builder.stages(&steps.join("|")).map(drop),
    }
}

#[pymethods]
impl DatasetPlan {
    /// Reads data sets by their paths, or `data` in their place.
    #[new]
    #[pyo3(signature = (paths, data, format, options, parts, samples, shard, skip))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of open()")]
    fn new(
        paths: Vec<OsString>,
        data: Option<(String, Py<PyAny>)>,
        format: Option<String>,
        options: Vec<(String, String)>,
        parts: Option<Vec<String>>,
        samples: bool,
        shard: Option<(u64, u64)>,
        skip: bool,
    ) -> Self {
        let (joins, steps) = (Joins::default(), Vec::new());
        let sources = vec![Sources {
            paths,
            format,
            options,
            joins: joins.clone(),
            steps: steps.clone(),
        }];
        Self {
            reading: Reading {
                sources,
                joins,
                steps,
                skip,
                parts,
                samples,
                shard,
                keeps_duplicates: false,
            },
            data: data.map(|(name, data)| (name, Arc::new(data))),
        }
    }

    /// Merges plans, and goes on with steps about the keys of all of them.
    #[staticmethod]
    fn merged(py: Python<'_>, plans: Vec<Py<Self>>, steps: Vec<String>) -> PyResult<Self> {
        let merged = Self::merge(&plans, steps);
        merged.map_err(|error| raised(py, &error))
    }

    /// Adds a chain of steps.
    fn stage(&self, py: Python<'_>, text: String) -> PyResult<Self> {
        let mut plan = self.copy();
        plan.reading.steps.push(text);
        apart(py, || steps(&plan.reading.steps).map(drop))?;
        Ok(plan)
    }

    /// Joins data by key.
    fn join(
        &self,
        py: Python<'_>,
        labels: Option<OsString>,
        text: Option<OsString>,
        speakers: Option<OsString>,
        tolerance: u64,
    ) -> PyResult<Self> {
        let joins = Joins {
            labels,
            text,
            speakers,
            tolerance,
        };
        let joins = self.reading.joins.and(joins);
        let joins = joins.and_then(|joins| match self.data.is_some() && !joins.is_empty() {
            true => Err(Error::usage("data join only what is named by a path")),
            false => Ok(joins),
        });
        let mut plan = self.copy();
        plan.reading.joins = joins.map_err(|error| raised(py, &error))?;
        Ok(plan)
    }

    /// Takes one of several equal shares.
    fn of_share(&self, index: u64, count: u64) -> Self {
        let mut plan = self.copy();
        plan.reading.shard = Some((index, count));
        plan
    }

    /// Takes all utterances of a key.
    fn keeping_duplicates(&self) -> Self {
        let mut plan = self.copy();
        plan.reading.keeps_duplicates = true;
        plan
    }

    /// Reads a path in place of the data.
    fn at_path(&self, path: OsString) -> Self {
        let mut plan = self.copy();
        plan.data = None;
        for source in &mut plan.reading.sources {
            source.paths = vec![path.clone()];
        }
        plan
    }

    /// The names of what is read.
    #[getter]
    fn names(&self) -> Vec<OsString> {
        match &self.data {
            Some((name, _)) => vec![name.into()],
            None => {
                let sources = self.reading.sources.iter();
                sources.flat_map(|source| source.paths.clone()).collect()
            }
        }
    }

    /// The name of the data with them, if they are not at paths.
    #[getter]
    fn data(&self, py: Python<'_>) -> Option<(String, Py<PyAny>)> {
        let (name, data) = self.data.as_ref()?;
        Some((name.clone(), data.clone_ref(py)))
    }

    /// The chains of steps.
    #[getter]
    fn steps(&self) -> Vec<String> {
        self.reading.steps.clone()
    }

    /// Whether to skip faulty utterances.
    #[getter]
    fn skip(&self) -> bool {
        self.reading.skip
    }

    /// The reason why it can't be the input of a job: fields that are left out, or a share.
    #[getter]
    fn limited(&self) -> Option<&'static str> {
        let fields = self.reading.parts.is_some().then_some("parts");
        fields.or(self.reading.shard.is_some().then_some("shard"))
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let same = match (&self.data, &other.data) {
            (None, None) => true,
            (Some((one, a)), Some((other, b))) => one == other && a.bind(py).eq(b.bind(py))?,
            _ => false,
        };
        Ok(same && self.reading == other.reading)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.reading.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.import("spr_convert._native")?.getattr("restored")?;
        let state = (self.reading.clone(), self.data(py));
        Ok((restore, state).into_pyobject(py)?.into_any())
    }
}

/// Returns the plan that was pickled.
#[pyfunction]
pub(crate) fn restored(reading: Reading, data: Option<(String, Py<PyAny>)>) -> DatasetPlan {
    let data = data.map(|(name, data)| (name, Arc::new(data)));
    DatasetPlan { reading, data }
}

impl DatasetPlan {
    fn copy(&self) -> Self {
        Self {
            reading: self.reading.clone(),
            data: self.data.clone(),
        }
    }

    fn merge(plans: &[Py<Self>], steps: Vec<String>) -> Result<Self> {
        let Some(first) = plans.first().map(Py::get) else {
            return Err(Error::usage("there is nothing to merge"));
        };
        let mut sources = Vec::new();
        for plan in plans.iter().map(Py::get) {
            let (own, of) = (&plan.reading, &first.reading);
            if plan.data.is_some() {
                return Err(Error::usage("what is merged is named by paths"));
            }
            let different = [
                ("skip", own.skip != of.skip),
                ("parts", own.parts != of.parts),
                ("samples", own.samples != of.samples),
                ("shard", own.shard != of.shard || own.shard.is_some()),
            ];
            if let Some((name, _)) = different.iter().find(|(_, different)| *different) {
                let message = format!("what is merged is opened with one {name}");
                return Err(Error::usage(message));
            }
            let changed = !own.steps.is_empty() || !own.joins.is_empty();
            match own.sources.as_slice() {
                [only] if changed => sources.push(Sources {
                    joins: own.joins.clone(),
                    steps: own.steps.clone(),
                    ..only.clone()
                }),
                _ if changed => {
                    let message = "what was merged before has steps: merge all at once";
                    return Err(Error::usage(message));
                }
                same => sources.extend_from_slice(same),
            }
        }
        Ok(Self {
            reading: Reading {
                sources,
                joins: Joins::default(),
                steps,
                keeps_duplicates: true,
                ..first.reading.clone()
            },
            data: None,
        })
    }

    /// Returns a builder that reads all of it; the share, if there is one, is its first step if
    /// `as_step` is set.
    fn building(&self, as_step: bool, at: &Surroundings) -> Result<PlanBuilder> {
        let own = &self.reading;
        let mut builder = PlanBuilder::new(&at.registry, &at.env);
        match own.sources.as_slice() {
            [only] => only.add(&mut builder)?,
            several => {
                for source in several {
                    builder.merge(source.plan(at)?)?;
                }
            }
        }
        own.joins.add(&mut builder)?;
        if let Some((index, count)) = own.shard.filter(|_| as_step) {
            let values = [("i", index.to_string()), ("n", count.to_string())];
            builder.step(Step::new("shard", values)?);
        }
        add_steps(&mut builder, &own.steps)?;
        if own.keeps_duplicates {
            builder.duplicates(Duplicates::Keep)?;
        }
        builder.on_error(ErrorPolicy::skip_if(own.skip));
        Ok(builder)
    }

    /// Returns a builder for a job that reads all of it.
    pub(crate) fn builder(&self, at: &Surroundings) -> Result<PlanBuilder> {
        self.building(false, at)
    }

    /// Returns what is read, as a plan without outputs.
    pub(crate) fn plan(&self, at: &Surroundings) -> Result<Plan> {
        self.building(false, at)?.finish()
    }

    /// Returns the same with the share, if there is one, as its first step.
    pub(crate) fn plan_of_share(&self, at: &Surroundings) -> Result<Plan> {
        self.building(true, at)?.finish()
    }

    /// Returns the plan of the only data set.
    pub(crate) fn input(&self, at: &Surroundings) -> Result<Plan> {
        if self.data.is_some() {
            return Err(Error::usage("is asked of data that are named by a path"));
        }
        let plan = self.plan_of_share(at)?;
        plan.only()?;
        Ok(plan)
    }

    pub(crate) fn request(&self) -> Result<Request> {
        let own = &self.reading;
        let mut request = Request::all().on_error(ErrorPolicy::skip_if(own.skip));
        request.samples = own.samples;
        if let Some(names) = &own.parts {
            request.parts = parts(names)?;
        }
        if let Some((index, count)) = own.shard {
            request = request.share(Subset::EveryNth { index, count });
        }
        Ok(request)
    }

    /// Checks that utterances come out.
    pub(crate) fn check_utterances(&self) -> Result<()> {
        steps(&self.reading.steps)?.check_utterances()
    }

    /// Returns `true` if only some of the stored utterances are its own, whatever its steps are.
    pub(crate) fn is_part(&self) -> bool {
        self.reading.shard.is_some() || self.reading.skip
    }

    /// Returns the request for no more than keys, if the steps look at nothing else, and no values need to be
    /// read to know which are skipped.
    pub(crate) fn request_of_keys(&self, plan: &Plan) -> Result<Request> {
        let request = self.request()?;
        let mut steps = plan
            .steps()
            .iter()
            .filter(|own| own.owner() == Owner::Inputs);
        let blind = steps.all(|own| own.step().chooses_by_key());
        Ok(match blind && !plan.has_joins() && !self.reading.skip {
            true => request.headers().parts(parts(&[])?),
            false => request,
        })
    }

    /// Resolves the data.
    pub(crate) fn resolve(&self, py: Python<'_>, at: &Surroundings) -> PyResult<Data> {
        let Some((name, data)) = &self.data else {
            let plan = apart(py, || self.plan(at));
            at.close(py)?;
            return Ok(Data::Plan(Box::new(plan?)));
        };
        let source = match data.extract::<&[u8]>(py) {
            Ok(bytes) => Source::from_bytes(name.clone(), bytes.to_vec()),
            Err(_) => {
                // A file that is opened for each use.
                let file = match data.bind(py).getattr_opt(intern!(py, "open"))? {
                    Some(open) => open.call0()?.unbind(),
                    None => data.clone_ref(py),
                };
                Source::from_reader(name.clone(), Box::new(FileObject(file)))
            }
        };
        let source = source.map_err(|error| raised(py, &error))?;
        Ok(Data::Bytes(Box::new(source)))
    }

    /// Opens a reader in a pass.
    pub(crate) fn open(&self, data: Data, pass: u64, at: &Surroundings) -> Result<Box<dyn Reader>> {
        let (registry, env, request) = (&at.registry, &at.env, self.request()?);
        match data {
            Data::Plan(plan) => Ok(plan.open_pass(request, pass, registry, env)?.reader),
            Data::Bytes(source) => {
                let reader = self.open_bytes(*source, request, registry, env)?;
                let reader = steps(&self.reading.steps)?.in_pass(pass, reader, env)?;
                Ok(self.skipping(reader, env))
            }
        }
    }

    /// Skips and reports faulty utterances if set to.
    fn skipping(&self, reader: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
        if !self.reading.skip {
            return reader;
        }
        let env = env.clone();
        let tell = move |error: &Error| env.tell_skipped(error);
        Box::new(SkipErrors::new(reader, Arc::new(tell)))
    }

    fn open_bytes(
        &self,
        mut source: Source,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let [only] = self.reading.sources.as_slice() else {
            return Err(Error::usage("what is merged is named by paths"));
        };
        let format = match &only.format {
            Some(format) => registry.get(format)?,
            None => registry.detect(&mut source)?,
        };
        let options = Options::new(format.info(), only.options.iter().cloned())?;
        request.open(format, source, &options, env)?.into_stream()
    }
}

/// Returns `true` if all inputs are files or folders, which can be read any number of times.
pub(crate) fn is_lasting(plan: &Plan, env: &Env) -> bool {
    let lasts = |input: &Input| match input.place() {
        Locator::Folder(_) => true,
        Locator::File(file) | Locator::FileAt(file, _) if file.is_url() => true,
        Locator::File(file) | Locator::FileAt(file, _) => env
            .look(file)
            .is_ok_and(|look| look.is_none_or(|look| look.kind != FileKind::Stream)),
        _ => false,
    };
    plan.inputs().iter().all(lasts)
}

/// Parses the names of fields.
fn parts(names: &[String]) -> Result<FieldSet> {
    let mut parts = FieldSet {
        features: false,
        labels: false,
        audio: false,
        segments: false,
        text: false,
        objects: false,
        arrays: false,
    };
    for name in names {
        let part = match name.as_str() {
            "features" => &mut parts.features,
            "labels" => &mut parts.labels,
            "audio" => &mut parts.audio,
            "segments" => &mut parts.segments,
            "text" => &mut parts.text,
            "objects" => &mut parts.objects,
            "arrays" => &mut parts.arrays,
            _ => {
                let all = "parts: features, labels, audio, segments, text, objects, arrays";
                return Err(Error::usage(format!("there is no part '{name}'")).hint(all));
            }
        };
        *part = true;
    }
    Ok(parts)
}

/// A Python file object.
pub(crate) struct FileObject(pub(crate) Py<PyAny>);

impl Read for FileObject {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self
                .0
                .bind(py)
                .call_method1(intern!(py, "read"), (into.len(),))?;
            let bytes = read.cast::<PyBytes>().map_err(|_| {
                io::Error::other("the file object gives no bytes: open it in binary mode")
            })?;
            let bytes = bytes.as_bytes();
            let into = into.get_mut(..bytes.len()).ok_or_else(|| {
                io::Error::other("the file object gives more than it is asked for")
            })?;
            into.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}
