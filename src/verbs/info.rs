//! `info`: the facts of a data set.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};
use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::model::{About, DatasetInfo, Decimal, Dtype, Utterance};
use spr_core::recording::measure;
use spr_engine::open::Reason;
use spr_stats::{LabelRange, MeasuredAudio, Scope, Sound, Survey};

use super::check::is_damage;
use super::faults::Faults;
use crate::argument::OpenedInput;
use crate::plan::{Input, Plan};

/// The facts of an input; `None` where not known.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Serialize)]
pub struct Facts {
    /// The argument.
    pub input: String,
    /// The format's name.
    pub format: String,
    /// Whether the format is a guess by the look of text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// Utterances.
    pub utterances: Option<u64>,
    /// Frames of all utterances.
    pub frames: Option<u64>,
    /// Columns of the features, if all have the same.
    pub dim: Option<u64>,
    /// The element type of the features, if all have the same.
    pub dtype: Option<&'static str>,
    /// The kinds of data: `features`, `labels`, `audio`, …
    pub kinds: Vec<String>,
    /// Labels of a frame, if all have the same number.
    pub label_columns: Option<u64>,
    /// The range of the labels.
    pub labels: Option<LabelRange>,
    /// Byte order of the stored numbers.
    pub byte_order: Option<&'static str>,
    /// The encodings undone on reading.
    pub compression: Option<String>,
    /// Seconds from frame to frame, if all have the same.
    #[serde(serialize_with = "number")]
    pub frame_shift: Option<Decimal>,
    /// Sampling rate of the audio, if all have the same.
    pub sample_rate: Option<u64>,
    /// The bits of a stored sample, of a file of audio that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_bits: Option<u32>,
    /// Seconds of all utterances.
    pub duration: Option<f64>,
    /// The number of speakers, if any are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speakers: Option<u64>,
    /// The languages, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// What headers say in words of the columns of the features, by the names of the header lines.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, BTreeSet<String>>,
    /// The sound: rates, channels, and the levels of samples that are in the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound: Option<Sound>,
    /// The sources of transcripts in a folder of sound, and the meanings of their columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcripts: Option<String>,
    /// The source of the keys; empty where not known.
    #[serde(serialize_with = "known")]
    pub keys: &'static str,
    /// The facts that the data set states about itself.
    #[serde(skip_serializing_if = "About::is_empty")]
    pub about: About,
    /// Whether they are partitions of shuffled frames instead of utterances.
    #[serde(skip)]
    pub partitions: bool,
    /// All that was counted, for people. Of headers alone, nothing.
    #[serde(skip)]
    pub survey: Survey,
}

fn number<S: Serializer>(value: &Option<Decimal>, out: S) -> std::result::Result<S::Ok, S::Error> {
    value.map(Decimal::value).serialize(out)
}

fn known<S: Serializer>(word: &&str, out: S) -> std::result::Result<S::Ok, S::Error> {
    Some(word).filter(|word| !word.is_empty()).serialize(out)
}

/// The columns for which sound is measured.
const OF_SOUND: [&str; 3] = ["seconds", "rate", "channels"];

/// Inspects a data set: all of it, or with `quick` only its headers. Of a folder of sound, these are
/// the headers of all files.
///
/// Facts gathered before an error are returned with it.
pub fn inspect(input: &Plan, quick: bool, registry: &Registry, env: &Env) -> (Facts, Result<()>) {
    let mut facts = Facts {
        input: input.text().to_owned(),
        ..Facts::default()
    };
    let request = match quick {
        true => Ok(Request::all().headers()),
        false => request(input, registry, env),
    };
    let opened = match request.and_then(|request| input.open_whole(request, registry, env)) {
        Ok(opened) => opened,
        Err(error) => {
            if is_damage(&error) && !input.is_read_once(env) {
                facts.set_from_damaged(input, quick, registry, env);
            }
            return (facts, Err(error));
        }
    };
    let (reader, mut survey) = facts.set_from_opened(input, opened);
    if quick {
        if let Some((survey, result)) = sound_headers(input, registry, env) {
            facts.set_from(survey);
            return (facts, result);
        }
        facts.compression = survey.compression();
        facts.set_from_headers(&survey.info);
        return (facts, Ok(()));
    }
    let mut reader = MeasuredAudio::as_far_as_possible(reader, OF_SOUND, env);
    let result = read_past(&mut survey, &mut reader);
    if let Some(warning) = reader.warning() {
        env.warn(&warning);
    }
    facts.set_from(survey);
    if result.is_err() {
        facts.forget_none();
    }
    (facts, result)
}

/// Counts the files of a folder of sound by their headers, or returns `None` for other data. Files at
/// fault are left out, and the first is the error.
fn sound_headers(input: &Plan, registry: &Registry, env: &Env) -> Option<(Survey, Result<()>)> {
    input.folder()?;
    let request = Request::all().headers().references(true);
    // Warnings were given when it was opened first.
    let env = env.listening(|_| {});
    let opened = input.open_whole(request, registry, &env).ok()?;
    opened.format.sound_folder()?;
    let mut survey = Survey::new(Scope::Shapes, opened.reader.info());
    let inner = opened.reader;
    let mut reader = HeaderReader { inner, input, env };
    let result = read_past(&mut survey, &mut reader);
    Some((survey, result))
}

/// Reads a data set past the utterances that are at fault.
///
/// # Errors
/// The first of these faults, with their number, or what ends the data set.
fn read_past(survey: &mut Survey, reader: &mut dyn Reader) -> Result<()> {
    let mut faults = Faults::default();
    let result = survey.read_past(
        reader,
        |_, _| Ok(()),
        |error| match error.can_continue() {
            true => {
                faults.add(error);
                Ok(())
            }
            false => Err(error),
        },
    );
    if let Err(error) = result {
        faults.add(error);
    }
    faults.first().map_or(Ok(()), Err)
}

/// A reader of references to sound, with the facts in the headers of their files.
struct HeaderReader<'a> {
    inner: Box<dyn Reader>,
    input: &'a Plan,
    env: Env,
}

impl Reader for HeaderReader<'_> {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            match measure(utt, &self.env) {
                Ok(()) => return Ok(true),
                Err(error) => {
                    let error = error.utterance(&utt.key).continuable();
                    if !self.input.skips(&error, &self.env) {
                        return Err(error);
                    }
                }
            }
        }
        Ok(false)
    }
}

/// Returns the request: for numbers only where they are samples, as nothing is told of others. Sound
/// by reference stays where it is.
fn request(input: &Plan, registry: &Registry, env: &Env) -> Result<Request> {
    let again = input.file().is_some() || input.folder().is_some();
    if !again || input.is_read_once(env) {
        return Ok(Request::all());
    }
    let mut first = Utterance::default();
    // Warnings before the first utterance are given when it is read again.
    let quiet = env.listening(|_| {}).telling_skipped(|_| {});
    let skipping = input.clone().skipping();
    let opened = skipping.open_whole(Request::all().headers(), registry, &quiet)?;
    let mut reader = opened.reader;
    let sounds = matches!(reader.read(&mut first), Ok(true)) && first.waveform().is_some();
    Ok(match sounds {
        true => Request::all(),
        false => Request::all().headers(),
    })
}

impl Facts {
    /// Takes what is known of data that were opened, and returns their reader and the counts to be.
    fn set_from_opened(&mut self, input: &Plan, opened: OpenedInput) -> (Box<dyn Reader>, Survey) {
        self.format = opened.format.info().name.to_owned();
        self.guessed = opened.why == Reason::Guess;
        self.partitions = input.shuffles();
        let reader = opened.reader;
        let decision = reader.info().decision.clone();
        self.transcripts = decision.filter(|_| opened.format.sound_folder().is_some());
        let survey = Survey::new(Scope::Shapes, reader.info());
        self.byte_order = survey.info.byte_order.map(|o| o.name());
        self.keys = survey.info.keys.name();
        self.about = survey.info.about.clone();
        self.sample_bits = survey.info.sample_bits;
        (reader, survey)
    }

    /// Takes what can be found out about data that cannot be opened as a whole: what is intact of
    /// them, or else their format.
    fn set_from_damaged(&mut self, input: &Plan, quick: bool, registry: &Registry, env: &Env) {
        let silent = env.listening(|_| {}).telling_skipped(|_| {});
        let request = Request::all().headers().damaged();
        let Ok(opened) = input.open_whole(request, registry, &silent) else {
            let format = |input: &Input| input.format_of_damaged(registry, &silent);
            if let Some((format, why)) = input.only().ok().and_then(format) {
                self.format = format.info().name.to_owned();
                self.guessed = why == Reason::Guess;
            }
            return;
        };
        let (mut reader, mut survey) = self.set_from_opened(input, opened);
        if quick {
            self.set_from_headers(&survey.info);
            return;
        }
        // The error that kept them from being opened is told.
        let _ = read_past(&mut survey, reader.as_mut());
        self.set_from(survey);
        self.forget_none();
    }

    /// Makes the number of utterances unknown if none was read.
    fn forget_none(&mut self) {
        if self.utterances == Some(0) {
            (self.utterances, self.frames) = (None, None);
        }
    }

    /// Takes what is known without reading on.
    fn set_from_headers(&mut self, info: &DatasetInfo) {
        self.utterances = info.utterances;
        self.frames = info.frames;
        self.dim = info.dim;
        self.dtype = info.dtype.map(Dtype::name);
        self.label_columns = info.label_columns;
        self.frame_shift = info.frame_shift;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a duration needs no more digits"
        )]
        let seconds = |(frames, shift): (u64, Decimal)| frames as f64 * shift.value();
        self.duration = info.frames.zip(info.frame_shift).map(seconds);
        self.sample_rate = info.sample_rate.map(u64::from);
        let kinds = [
            (info.dim.is_some_and(|n| n > 0), "features"),
            (info.label_columns.is_some_and(|n| n > 0), "labels"),
            (info.sample_rate.is_some(), "audio"),
        ];
        let there = kinds.iter().filter(|(there, _)| *there);
        self.kinds = there.map(|(_, kind)| (*kind).to_owned()).collect();
    }

    /// Takes what was counted.
    fn set_from(&mut self, survey: Survey) {
        self.utterances = Some(survey.utterances);
        self.frames = Some(survey.frames);
        self.dim = only(&survey.dims).map(|n| n as u64);
        self.dtype = only(&survey.dtypes).map(Dtype::name);
        self.kinds = survey.kinds.iter().cloned().collect();
        self.label_columns = only(&survey.label_columns).map(|n| n as u64);
        self.labels = survey.label_range();
        self.compression = survey.compression();
        self.frame_shift = only(&survey.frame_shifts);
        self.duration = survey.seconds();
        let sound = Some(&survey.sound).filter(|sound| sound.utterances > 0);
        let rates = sound.map(|sound| sound.rates.keys().copied().collect());
        self.sample_rate = rates.and_then(|rates| only(&rates)).map(u64::from);
        self.sound = sound.cloned();
        let sources = &survey.sources;
        self.speakers = Some(sources.speakers()).filter(|count| *count > 0);
        self.languages = sources.languages.keys().map(ToString::to_string).collect();
        self.columns.clone_from(&sources.columns);
        self.survey = survey;
    }
}

fn only<T: Copy + Ord>(set: &BTreeSet<T>) -> Option<T> {
    set.first().filter(|_| set.len() == 1).copied()
}
