//! A format whose warnings are errors.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    Audit, Caps, Format, FormatInfo, LabelModels, Lists, Medium, Nested, Notation, OpenedDataset,
    Options, Probe, Reader, Request, Score, SoundFolder, Weight, WholeFolder, Writer,
};
use spr_core::model::{About, DatasetInfo, Key, Utterance};
use spr_core::{Error, Result};
use spr_format_spraak::Spraak;

/// A SPRAAK format that fails where the original warns of data after the end, as the suite expects.
/// Files made by a writer must not cause a warning.
pub(crate) struct Strict(pub(crate) &'static Spraak);

struct StrictReader {
    inner: Box<dyn Reader>,
    warning: Warning,
}

type Warning = Arc<Mutex<Option<Error>>>;

fn fail_on(warning: &Warning) -> Result<()> {
    warning.lock().unwrap().take().map_or(Ok(()), Err)
}

#[warn(clippy::missing_trait_methods)]
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

#[warn(clippy::missing_trait_methods)]
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
    ) -> Result<OpenedDataset> {
        let warning = Warning::default();
        let heard = warning.clone();
        let env = env.listening(move |w| {
            let error = Error::new(w.kind(), w.message()).file(w.file_name().unwrap_or_default());
            *heard.lock().unwrap() = Some(error);
        });
        let inner = self.0.open(source, options, request, &env)?.into_stream()?;
        fail_on(&warning)?;
        Ok(OpenedDataset::stream(StrictReader { inner, warning }))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        about: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        self.0.create(output, options, about, env)
    }

    fn weigh(
        &self,
        source: Source,
        options: &Options,
        env: &Env,
        each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
    ) -> Result<bool> {
        self.0.weigh(source, options, env, each)
    }

    fn can_cut(&self, source: Source, options: &Options, env: &Env) -> Result<bool> {
        self.0.can_cut(source, options, env)
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        self.0.folder()
    }

    fn owns_folder(&self, folder: &Location, env: &Env) -> bool {
        self.0.owns_folder(folder, env)
    }

    fn sound_folder(&self) -> Option<&dyn SoundFolder> {
        self.0.sound_folder()
    }

    fn nested(&self) -> Option<&dyn Nested> {
        self.0.nested()
    }

    fn notation(&self) -> Option<&dyn Notation> {
        self.0.notation()
    }

    fn audit(&self) -> Option<&dyn Audit> {
        self.0.audit()
    }

    fn lists(&self) -> Option<&dyn Lists> {
        self.0.lists()
    }

    fn job_folder(&self) -> Option<&dyn WholeFolder> {
        self.0.job_folder()
    }

    fn label_models(&self) -> Option<&dyn LabelModels> {
        self.0.label_models()
    }
}
