//! A format whose warnings are errors.

use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, Nested, Notation, Opened, Options, Probe, Reader, Request,
    Score, WholeFolder, Writer,
};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, Result};
use spr_format_spraak::Spraak;

/// SPRAAK files may go on after their data, which gives a warning. Here it fails, as the suite
/// wants it; and what a writer made must not give rise to one.
pub(crate) struct Strict(pub(crate) &'static Spraak);

struct StrictReader {
    inner: Box<dyn Reader>,
    warning: Warning,
}

type Warning = Arc<Mutex<Option<Error>>>;

fn fail_on(warning: &Warning) -> Result<()> {
    warning.lock().unwrap().take().map_or(Ok(()), Err)
}

impl Reader for StrictReader {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        fail_on(&self.warning)?;
        Ok(more)
    }
}

impl Format for Strict {
    fn info(&self) -> &'static FormatInfo {
        self.0.info()
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        self.0.probe(head)
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        self.0.caps(options, medium)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened> {
        let warning = Warning::default();
        let heard = warning.clone();
        let env = env.listening(move |w| {
            let error = Error::new(w.kind(), w.message()).file(w.file_name().unwrap_or_default());
            *heard.lock().unwrap() = Some(error);
        });
        let inner = self.0.open(source, options, request, &env)?.into_stream()?;
        fail_on(&warning)?;
        Ok(Opened::stream(StrictReader { inner, warning }))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        self.0.create(output, options, env)
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        self.0.folder()
    }

    fn nested(&self) -> Option<&dyn Nested> {
        self.0.nested()
    }

    fn notation(&self) -> Option<&dyn Notation> {
        self.0.notation()
    }
}
