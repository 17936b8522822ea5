//! Conversion of a caller's arguments to a reader.

use std::ffi::OsString;
use std::io::{self, Read};
use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spr_convert::argument::Input;
use spr_convert::core::bytes::{Env, Source};
use spr_convert::core::format::{
    FieldSet, Format, OpenedDataset, Options, Reader, Registry, Request, Subset,
};
use spr_convert::core::stage::SkipErrors;
use spr_convert::plan::Labels;
use spr_convert::{Error, Result};

use crate::settings::Surroundings;
use crate::text::argument;

/// The arguments of a caller about an input.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct InputArgs {
    paths: Vec<OsString>,
    /// A name with bytes or a file object that replace the paths.
    data: Option<(String, Py<PyAny>)>,
    format: Option<String>,
    options: Vec<(String, String)>,
    labels: Option<OsString>,
    utt2spk: Option<OsString>,
    skip: bool,
    parts: Option<Vec<String>>,
    samples: bool,
    shard: Option<(u64, u64)>,
}

/// The resolved data of an input.
pub(crate) enum Data {
    Inputs(Vec<Input>),
    /// A stream of bytes.
    Bytes(Source),
}

impl InputArgs {
    fn format(&self, registry: &Registry) -> Result<Option<&'static dyn Format>> {
        let name = self.format.as_deref();
        name.map(|name| registry.get(name)).transpose()
    }

    /// Returns the inputs to be read.
    pub(crate) fn inputs(&self, at: &Surroundings) -> Result<Vec<Input>> {
        let (registry, env) = (&at.registry, &at.env);
        let from = self.format(registry)?;
        let mut inputs = Vec::new();
        for path in &self.paths {
            let path = argument(path.clone());
            inputs.extend(Input::parse(&path, from, &self.options, registry, env)?);
        }
        if self.skip {
            inputs.iter_mut().for_each(|input| input.skips = true);
        }
        Ok(inputs)
    }

    /// Returns the only input.
    pub(crate) fn input(&self, at: &Surroundings) -> Result<Input> {
        let mut inputs = self.inputs(at)?;
        match (inputs.pop(), inputs.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Err(Error::usage("expected one file, found several")),
        }
    }

    /// Returns the data whose labels are joined.
    pub(crate) fn labels(&self, at: &Surroundings) -> Result<Option<Labels>> {
        let Some(labels) = self.labels.clone().map(argument) else {
            return match self.utt2spk {
                None => Ok(None),
                Some(_) => Err(Error::usage(
                    "utt2spk says whose labels are meant: give labels",
                )),
            };
        };
        let inputs = Input::parse(&labels, None, &[], &at.registry, &at.env)?;
        let mut labels = Labels::of(inputs);
        labels.speakers = self.utt2spk();
        Ok(Some(labels))
    }

    pub(crate) fn utt2spk(&self) -> Option<spr_convert::core::bytes::Locator> {
        self.utt2spk
            .clone()
            .map(spr_convert::core::bytes::Locator::file)
    }

    pub(crate) fn request(&self) -> Result<Request> {
        let mut request = Request::all().lenient(self.skip).distinct(false);
        request.samples = self.samples;
        if let Some(names) = &self.parts {
            request.parts = parts(names)?;
        }
        if let Some((index, count)) = self.shard {
            request = request.share(Subset::EveryNth { index, count });
        }
        Ok(request)
    }

    /// Resolves the data while Python's lock is held.
    pub(crate) fn data(&self, py: Python<'_>, at: &Surroundings) -> PyResult<Data> {
        let failed = |error: Error| crate::failure::raised(py, &error);
        let Some((name, data)) = &self.data else {
            return self.joined(at).map(Data::Inputs).map_err(failed);
        };
        let source = match data.extract::<&[u8]>(py) {
            Ok(bytes) => Source::from_bytes(name.clone(), bytes.to_vec()),
            Err(_) => Source::from_reader(name.clone(), Box::new(FileObject(data.clone_ref(py)))),
        };
        source.map(Data::Bytes).map_err(failed)
    }

    /// Returns the inputs with labels joined.
    fn joined(&self, at: &Surroundings) -> Result<Vec<Input>> {
        let mut inputs = self.inputs(at)?;
        if let Some(labels) = self.labels(at)? {
            for input in &mut inputs {
                input.join_labels(labels.clone())?;
            }
        }
        Ok(inputs)
    }

    /// Opens a reader.
    pub(crate) fn open(&self, data: Data, at: &Surroundings) -> Result<Box<dyn Reader>> {
        let (registry, env, request) = (&at.registry, &at.env, self.request()?);
        match data {
            Data::Inputs(inputs) => Ok(Input::open_all(&inputs, request, registry, env)?.reader),
            Data::Bytes(source) => self.open_bytes(source, request, registry, env),
        }
    }

    fn open_bytes(
        &self,
        mut source: Source,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let format = match self.format(registry)? {
            Some(format) => format,
            None => registry.detect(&mut source)?,
        };
        let options = Options::new(format.info(), self.options.iter().cloned())?;
        let reader = request.open(format, source, &options, env)?.into_stream()?;
        if !self.skip {
            return Ok(reader);
        }
        let env = env.clone();
        Ok(Box::new(SkipErrors::new(
            reader,
            Arc::new(move |error| env.warn(error)),
        )))
    }

    /// Opens the input for lookup by key.
    pub(crate) fn lookup(&self, at: &Surroundings) -> Result<OpenedDataset> {
        let inputs = self.joined(at)?;
        match inputs.as_slice() {
            [only] => only.open_lookup(self.request()?, &at.registry, &at.env),
            several => {
                let opened = Input::open_all(several, self.request()?, &at.registry, &at.env)?;
                Ok(OpenedDataset::Stream(opened.reader))
            }
        }
    }

    /// Opens a reader of keys only.
    pub(crate) fn names(&self, at: &Surroundings) -> Result<Box<dyn Reader>> {
        let nothing: &[String] = &[];
        let request = self.request()?.headers().parts(parts(nothing)?);
        let inputs = self.inputs(at)?;
        Ok(Input::open_all(&inputs, request, &at.registry, &at.env)?.reader)
    }
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
