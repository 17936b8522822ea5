//! Conversion of a caller's arguments to a plan and its reader.

use std::ffi::OsString;
use std::io::{self, Read};
use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spr_convert::argument::{self, Input};
use spr_convert::core::bytes::{Env, FileKind, Locator, Source};
use spr_convert::core::format::{FieldSet, Format, Options, Reader, Registry, Request, Subset};
use spr_convert::core::stage::SkipErrors;
use spr_convert::plan::{Joins, Labels, Plan};
use spr_convert::step::{Phase, Step, Steps};
use spr_convert::{Error, Result};

use crate::failure::{apart, raised};
use crate::settings::Surroundings;
use crate::text::argument;

/// Data that join by key.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct JoinArgs {
    labels: Option<OsString>,
    text: Option<OsString>,
    speakers: Option<OsString>,
    tolerance: u64,
}

/// One of the data sets that are read one after the other.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SourceArgs {
    paths: Vec<OsString>,
    format: Option<String>,
    options: Vec<(String, String)>,
    /// What joins it, and its steps, before it is merged with others.
    joins: JoinArgs,
    steps: Vec<String>,
}

/// The arguments of a caller about what is read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct InputArgs {
    sources: Vec<SourceArgs>,
    /// A name with bytes or a file object that replace the paths.
    data: Option<(String, Py<PyAny>)>,
    joins: JoinArgs,
    steps: Vec<String>,
    skip: bool,
    parts: Option<Vec<String>>,
    samples: bool,
    shard: Option<(u64, u64)>,
    distinct: Option<bool>,
}

/// The resolved data of an input.
pub(crate) enum Data {
    Plan(Box<Plan>),
    /// A stream of bytes.
    Bytes(Source),
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

fn format(name: Option<&str>, registry: &Registry) -> Result<Option<&'static dyn Format>> {
    name.map(|name| registry.get(name)).transpose()
}

impl JoinArgs {
    fn joins(&self, at: &Surroundings) -> Result<Joins> {
        let (registry, env) = (&at.registry, &at.env);
        let inputs =
            |text: &OsString| Input::parse(&argument(text.clone()), None, &[], registry, env);
        let mut joins = Joins::default();
        let table = self.speakers.clone().map(argument);
        let table = table.map(|text| argument::table(&text, registry));
        joins.speakers = table.transpose()?;
        if let Some(text) = &self.labels {
            let mut labels = Labels::of(inputs(text)?);
            labels.tolerance = self.tolerance;
            labels.speakers.clone_from(&joins.speakers);
            joins.labels = Some(labels);
        }
        if let Some(text) = &self.text {
            let mut found = inputs(text)?;
            joins.text = match (found.pop(), found.is_empty()) {
                (Some(only), true) => Some(Box::new(only)),
                _ => return Err(Error::usage("text is one data set")),
            };
        }
        Ok(joins)
    }
}

impl SourceArgs {
    /// Returns the inputs as they are named.
    fn inputs(&self, at: &Surroundings) -> Result<Vec<Input>> {
        let (registry, env) = (&at.registry, &at.env);
        let from = format(self.format.as_deref(), registry)?;
        let mut inputs = Vec::new();
        for path in &self.paths {
            let path = argument(path.clone());
            inputs.extend(Input::parse(&path, from, &self.options, registry, env)?);
        }
        Ok(inputs)
    }

    /// Returns the inputs with what joins them and their steps, to be merged with others.
    fn own(&self, at: &Surroundings) -> Result<Vec<Input>> {
        let mut inputs = self.inputs(at)?;
        let joins = self.joins.joins(at)?;
        let steps = steps(&self.steps)?;
        steps.check_utterances()?;
        let steps = steps.into_vec();
        let across = steps.iter().find(|step| step.looks_across());
        if let Some(step) = across.filter(|_| inputs.len() > 1) {
            let message = format!("{} looks at all of several inputs", step.name());
            return Err(Error::usage(message).hint("merge them first"));
        }
        if let Some(step) = early(&steps) {
            let message = format!("{} would come before the steps in front of it", step.name());
            return Err(Error::usage(message).hint("merge before it, or let it be the first step"));
        }
        for input in &mut inputs {
            input.steps.extend(steps.iter().cloned());
            if let Some(labels) = &joins.labels {
                input.join_labels(labels.clone())?;
            }
            input.joins.text.clone_from(&joins.text);
            input.joins.speakers.clone_from(&joins.speakers);
        }
        Ok(inputs)
    }
}

/// The first step that an input of several would do before those in front of it.
fn early(steps: &[Step]) -> Option<&Step> {
    let is_early = |step: &&Step| step.kind().phase <= Phase::Names;
    let later = steps.iter().skip_while(is_early);
    later.into_iter().find(is_early)
}

impl InputArgs {
    /// Returns the steps as they are written.
    pub(crate) fn steps(&self) -> &[String] {
        &self.steps
    }

    /// Returns what is read, as a plan without outputs.
    pub(crate) fn plan(&self, at: &Surroundings) -> Result<Plan> {
        let mut plan = match self.sources.as_slice() {
            [only] => Plan::new(only.inputs(at)?),
            several => {
                let each = several.iter().map(|source| source.own(at));
                Plan::new(each.collect::<Result<Vec<_>>>()?.concat())
            }
        };
        if self.skip {
            plan.inputs.iter_mut().for_each(|input| input.skips = true);
        }
        plan.joins = self.joins.joins(at)?;
        plan.steps = steps(&self.steps)?.into_vec();
        let unique = plan.steps.iter().any(|step| step.name() == "unique");
        plan.distinct = self.distinct.unwrap_or(true) && !unique;
        Ok(plan)
    }

    /// Returns what is read, as a plan whose first step takes the share, if there is one, to be shown.
    pub(crate) fn plan_of_share(&self, at: &Surroundings) -> Result<Plan> {
        let mut plan = self.plan(at)?;
        plan.steps.splice(0..0, self.share()?);
        Ok(plan)
    }

    /// Returns the step that takes the share.
    fn share(&self) -> Result<Option<Step>> {
        let step = |(index, count): (u64, u64)| {
            let values = [("i", index.to_string()), ("n", count.to_string())];
            Step::new(
                "shard",
                values.iter().map(|(name, text)| (*name, text.as_str())),
            )
        };
        self.shard.map(step).transpose()
    }

    /// Returns the only input, with what joins it, its share and its steps.
    pub(crate) fn input(&self, at: &Surroundings) -> Result<Input> {
        if self.data.is_some() {
            return Err(Error::usage("is asked of data that are named by a path"));
        }
        let mut plan = self.plan(at)?;
        if let Some(step) = early(&plan.steps) {
            let message = format!("{} would come before the steps in front of it", step.name());
            return Err(Error::usage(message).hint("write the data set, and ask of that"));
        }
        let (Some(mut only), true) = (plan.inputs.pop(), plan.inputs.is_empty()) else {
            return Err(Error::usage("expected one file, found several"));
        };
        only.steps.extend(self.share()?);
        only.steps.append(&mut plan.steps);
        if let Some(labels) = plan.joins.labels {
            only.join_labels(labels)?;
        }
        only.joins.text = plan.joins.text.or(only.joins.text);
        only.joins.speakers = plan.joins.speakers.or(only.joins.speakers);
        Ok(only)
    }

    pub(crate) fn request(&self) -> Result<Request> {
        let distinct = self.distinct == Some(true);
        let mut request = Request::all().lenient(self.skip).distinct(distinct);
        request.samples = self.samples;
        if let Some(names) = &self.parts {
            request.parts = parts(names)?;
        }
        if let Some((index, count)) = self.shard {
            request = request.share(Subset::EveryNth { index, count });
        }
        Ok(request)
    }

    /// Returns `true` if only some of the stored utterances are its own, whatever its steps are.
    pub(crate) fn is_part(&self) -> bool {
        self.shard.is_some() || self.skip
    }

    /// Returns the request for no more than keys, if the steps look at nothing else, and no values need to be
    /// read to know which are skipped.
    pub(crate) fn request_of_keys(&self, plan: &Plan) -> Result<Request> {
        let request = self.request()?;
        let blind = plan.steps.iter().all(|step| step.chooses_by_key());
        Ok(match blind && plan.joins.is_empty() && !self.skip {
            true => request.headers().parts(parts(&[])?),
            false => request,
        })
    }

    /// Resolves the data.
    pub(crate) fn data(&self, py: Python<'_>, at: &Surroundings) -> PyResult<Data> {
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
        source.map(Data::Bytes).map_err(|error| raised(py, &error))
    }

    /// Opens a reader in a pass.
    pub(crate) fn open(&self, data: Data, pass: u64, at: &Surroundings) -> Result<Box<dyn Reader>> {
        let (registry, env, request) = (&at.registry, &at.env, self.request()?);
        match data {
            Data::Plan(plan) => self.open_plan(&plan, request, pass, (registry, env)),
            Data::Bytes(source) => {
                let reader = self.open_bytes(source, request, registry, env)?;
                let reader = steps(&self.steps)?.in_pass(pass, reader, env)?;
                Ok(self.lenient(reader, env))
            }
        }
    }

    /// Opens a plan. What its steps find at fault is skipped as what is read is, if it is.
    pub(crate) fn open_plan(
        &self,
        plan: &Plan,
        request: Request,
        pass: u64,
        (registry, env): (&Registry, &Env),
    ) -> Result<Box<dyn Reader>> {
        let reader = plan.open(request, pass, registry, env)?.reader;
        Ok(self.lenient(reader, env))
    }

    /// Skips utterances at fault, if it is asked for, and tells of them.
    fn lenient(&self, reader: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
        if !self.skip {
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
        let [only] = self.sources.as_slice() else {
            return Err(Error::usage("what is merged is named by paths"));
        };
        let format = match format(only.format.as_deref(), registry)? {
            Some(format) => format,
            None => registry.detect(&mut source)?,
        };
        let options = Options::new(format.info(), only.options.iter().cloned())?;
        request.open(format, source, &options, env)?.into_stream()
    }
}

/// Returns `true` if all inputs are files or folders, which can be read any number of times.
pub(crate) fn is_lasting(plan: &Plan, env: &Env) -> bool {
    let lasts = |input: &Input| match &input.place {
        Locator::Folder(_) => true,
        Locator::File(file) | Locator::FileAt(file, _) if file.is_url() => true,
        Locator::File(file) | Locator::FileAt(file, _) => env
            .look(file)
            .is_ok_and(|look| look.is_none_or(|look| look.kind != FileKind::Stream)),
        _ => false,
    };
    plan.inputs.iter().all(lasts)
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
