//! The reader of an archive.

use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::format::{FieldSet, Options, Reader, Request};
use spr_core::model::{DatasetInfo, KeySource, Utterance};
use spr_core::{Error, Result};

use crate::fields;
use crate::sample::{Sample, SampleReader};

pub(crate) struct ArchiveReader {
    samples: SampleReader,
    sample: Sample,
    file: Arc<str>,
    /// The fields that are wanted of a sample that has sound and features.
    forms: FieldSet,
    /// Whether it was told that one of them is left out.
    is_told: bool,
    env: Env,
    info: DatasetInfo,
}

impl ArchiveReader {
    pub(crate) fn new(
        source: Source,
        options: &Options,
        request: &Request,
        env: &Env,
    ) -> Result<Self> {
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        info.live = source.is_live();
        Ok(Self {
            file: source.name().into(),
            samples: SampleReader::new(source, options, request, env)?,
            sample: Sample::default(),
            forms: request.forms,
            is_told: false,
            env: env.clone(),
            info,
        })
    }

    /// Reads the next sample into `utt`, and returns the byte at which it starts.
    ///
    /// # Errors
    /// It is damaged.
    pub(crate) fn next(&mut self, utt: &mut Utterance) -> Result<Option<u64>> {
        if !self.samples.read(&mut self.sample)? {
            return Ok(None);
        }
        utt.start();
        let start = self.sample.start;
        let filled = fields::fill(&mut self.sample, utt, &self.file, &self.env);
        filled.map_err(|e| e.continuable())?;
        self.choose(utt);
        utt.origin.file = Some(self.file.clone());
        Ok(Some(start))
    }

    /// Leaves out the sound or the features of an utterance that has both, if only one is wanted.
    fn choose(&mut self, utt: &mut Utterance) {
        let (left, right) = match (self.forms.audio, self.forms.features) {
            (false, true) => ("the sound is", "features"),
            (true, false) => ("the features are", "sound"),
            _ => return,
        };
        if utt.audio.is_none() || utt.features.is_none() {
            return;
        }
        match self.forms.features {
            true => utt.audio = None,
            false => utt.features = None,
        }
        if !std::mem::replace(&mut self.is_told, true) {
            let message = format!("{left} left out in favour of the {right}, here and below");
            let warning = Error::unfit(message).file(&*self.file);
            self.env.warn_left_out(&warning.utterance(&utt.key));
        }
    }

    /// Reads from here on what another request asks for.
    pub(crate) fn ask(&mut self, request: &Request) {
        self.forms = request.forms;
        self.samples.ask(request);
    }

    /// Moves to the sample that starts at byte `at`.
    ///
    /// # Errors
    /// It can't be gone back to.
    pub(crate) fn go_to(&mut self, at: u64) -> Result<()> {
        self.samples.go_to(at)
    }
}

impl Reader for ArchiveReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        Ok(self.next(utt)?.is_some())
    }
}
