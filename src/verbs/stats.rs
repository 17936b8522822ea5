//! `stats`: data sets with their audio, as far as available, and what is told of them. [`spr_stats`]
//! computes the sums.

use serde::Serialize;
use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::recording::load;
use spr_core::{Error, ErrorKind, Result};
use spr_stats::{Column, LabelCount, Lengths, Sound, Survey};

use super::faults::Faults;
use crate::plan::Plan;

/// The utterances of a data set with their audio as samples. Referenced audio that cannot be opened
/// is not loaded.
pub struct AudioLoader {
    inner: Box<dyn Reader>,
    input: Plan,
    env: Env,
    /// The utterances whose audio could not be opened nor skipped.
    unheard: Faults,
}

impl AudioLoader {
    /// Opens a data set, and returns the name of its format as well.
    ///
    /// # Errors
    /// As for [`Plan::open`].
    pub fn open(input: &Plan, registry: &Registry, env: &Env) -> Result<(Self, &'static str)> {
        let opened = input.open_whole(Request::all(), registry, env)?;
        let heard = Self {
            inner: opened.reader,
            input: input.clone(),
            env: env.clone(),
            unheard: Faults::default(),
        };
        Ok((heard, opened.format.info().name))
    }

    /// Returns the error about audio that could not be opened, if there is any that is not skipped.
    pub fn fault(self) -> Option<Error> {
        self.unheard.first()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for AudioLoader {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            let Err(error) = load(utt, &self.env) else {
                return Ok(true);
            };
            let error = error.utterance(&utt.key).continuable();
            match error.kind() {
                ErrorKind::Io | ErrorKind::Usage | ErrorKind::Unsupported => {
                    let error = error.context("its sound was not read");
                    if !self.input.skips(&error, &self.env) {
                        self.unheard.add(error);
                    }
                    return Ok(true);
                }
                _ if self.input.skips(&error, &self.env) => {}
                _ => return Err(error),
            }
        }
        Ok(false)
    }
}

/// The facts about a data set, in the form of `stats --json`.
#[non_exhaustive]
#[derive(Serialize)]
pub struct Facts<'a> {
    /// The input, as given.
    pub input: &'a str,
    /// The name of its format.
    pub format: &'a str,
    /// The number of utterances.
    pub utterances: u64,
    /// The number of frames.
    pub frames: u64,
    /// The duration, if it is known.
    pub seconds: Option<f64>,
    /// Frames of an utterance.
    pub lengths: Option<Lengths>,
    /// Facts about sound, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound: Option<&'a Sound>,
    /// The columns of features.
    pub features: &'a [Column],
    /// The number of columns that are summarized as one.
    pub columns_beyond: usize,
    /// Their summary.
    pub beyond: Option<&'a Column>,
    /// Each label with its count, by column of labels.
    pub labels: Vec<Vec<LabelCount>>,
    /// The number of labels that were too many to be told apart.
    pub labels_beyond: u64,
}

impl<'a> Facts<'a> {
    /// Takes the facts from a survey of `input`.
    pub fn of(survey: &'a Survey, input: &'a str, format: &'a str) -> Self {
        Self {
            input,
            format,
            utterances: survey.utterances,
            frames: survey.frames,
            seconds: survey.seconds(),
            lengths: survey.lengths(),
            sound: Some(&survey.sound).filter(|sound| sound.utterances > 0),
            features: &survey.columns.each,
            columns_beyond: survey.columns.count - survey.columns.each.len(),
            beyond: survey.columns.beyond.as_ref(),
            labels: survey.labels.lists(),
            labels_beyond: survey.labels.beyond,
        }
    }
}
