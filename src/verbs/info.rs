//! What is in a data set.

use std::collections::BTreeSet;

use serde::Serialize;
use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry};
use spr_core::model::{Dtype, Element, Matrix, Rank, Utterance};
use spr_core::{Result, dispatch};

use crate::argument::Input;

/// Distinct labels are counted up to this many.
const MAX_DISTINCT: usize = 1 << 20;

/// The facts that `info` shows; `None` where not known. The fields are those of `info --json`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Facts {
    /// The argument.
    pub input: String,
    /// The format's name.
    pub format: String,
    /// Utterances.
    pub utterances: Option<u64>,
    /// Frames of all utterances.
    pub frames: Option<u64>,
    /// Columns of the features, if all have the same.
    pub dim: Option<u64>,
    /// Element type of the features, if all have the same.
    pub dtype: Option<&'static str>,
    /// What utterances hold: `features`, `labels`.
    pub kinds: Vec<&'static str>,
    /// Labels a frame, if all have the same.
    pub label_columns: Option<u64>,
    /// The labels' range.
    pub labels: Option<LabelFacts>,
    /// Byte order of the stored numbers.
    pub byte_order: Option<&'static str>,
    /// Coders undone on reading.
    pub compression: Option<String>,
    /// Seconds from frame to frame.
    pub frame_shift: Option<f64>,
    /// Samples a second, of audio.
    pub sample_rate: Option<u64>,
    /// Seconds of all utterances.
    pub duration: Option<f64>,
    /// Where the keys come from.
    pub keys: &'static str,
    /// The shapes met, for people.
    #[serde(skip)]
    pub shapes: Shapes,
}

/// The range of labels.
#[derive(Clone, Debug, Serialize)]
pub struct LabelFacts {
    /// The least.
    pub min: serde_json::Number,
    /// The greatest.
    pub max: serde_json::Number,
    /// How many different ones; `None` beyond a million.
    pub distinct: Option<u64>,
}

/// What the utterances look like where they differ.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// Numbers of columns.
    pub dims: BTreeSet<usize>,
    /// Element types.
    pub dtypes: BTreeSet<Dtype>,
    /// Ranks: `scalar`, `vector`, `matrix`.
    pub ranks: BTreeSet<&'static str>,
    /// Label columns.
    pub label_columns: BTreeSet<usize>,
    /// Channels of audio, and element types of its samples.
    pub channels: BTreeSet<(usize, Dtype)>,
    /// The shortest and the longest utterance, in frames.
    pub frames: Option<(u64, u64)>,
    /// The frame shift with its digits.
    pub frame_shift: Option<String>,
}

/// Looks into a data set: all of it, or with `quick` only its headers.
///
/// Facts gathered before an error are returned with it.
pub fn inspect(input: &Input, quick: bool, registry: &Registry, env: &Env) -> (Facts, Result<()>) {
    let mut facts = Facts {
        input: input.text().to_owned(),
        ..Facts::default()
    };
    let mut env = env.clone();
    env.values = false;
    let opened = match input.open(registry, &env) {
        Ok(opened) => opened,
        Err(error) => return (facts, Err(error)),
    };
    facts.format = opened.format.info().name.to_owned();
    let mut reader = opened.reader;
    let result = if quick {
        Ok(())
    } else {
        scan(reader.as_mut(), &mut facts)
    };
    headers(reader.as_ref(), quick, &mut facts);
    (facts, result)
}

/// What the reader knows without being read, or learnt while it was.
fn headers(reader: &dyn Reader, quick: bool, facts: &mut Facts) {
    let info = reader.info();
    facts.byte_order = info.byte_order.map(|o| o.name());
    facts.compression.clone_from(&info.compression);
    facts.keys = info.keys.name();
    if quick {
        facts.utterances = info.utterances;
        facts.frames = info.frames;
        facts.dim = info.dim;
        facts.dtype = info.dtype.map(Dtype::name);
        facts.label_columns = info.label_columns;
        facts.shapes.frame_shift = info.frame_shift.as_ref().map(ToString::to_string);
        facts.frame_shift = info.frame_shift.as_ref().map(|d| d.value());
        #[expect(
            clippy::cast_precision_loss,
            reason = "a duration needs no more digits"
        )]
        let seconds = |(frames, shift)| frames as f64 * shift;
        facts.duration = info.frames.zip(facts.frame_shift).map(seconds);
        if info.dim.is_some_and(|n| n > 0) {
            facts.kinds.push("features");
        }
        if info.label_columns.is_some_and(|n| n > 0) {
            facts.kinds.push("labels");
        }
        facts.sample_rate = info.sample_rate.map(u64::from);
        facts.kinds.extend(info.sample_rate.map(|_| "audio"));
    }
}

fn scan(reader: &mut dyn Reader, facts: &mut Facts) -> Result<()> {
    let mut utt = Utterance::default();
    let mut labels = Labels::default();
    let (mut utterances, mut frames) = (0u64, 0u64);
    let mut duration = Some(0.0);
    let mut kinds = BTreeSet::new();
    let mut shifts = BTreeSet::new();
    let (mut rates, mut sound) = (BTreeSet::new(), 0.0);
    let mut result = Ok(());
    loop {
        match reader.read(&mut utt) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                result = Err(error);
                break;
            }
        }
        utterances += 1;
        let n = utt.frames();
        frames += n;
        let (least, most) = facts.shapes.frames.unwrap_or((n, n));
        facts.shapes.frames = Some((least.min(n), most.max(n)));
        match &utt.meta.frame_shift {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a duration needs no more digits"
            )]
            Some(shift) => {
                let own = shift.value() * n as f64;
                duration = duration.filter(|_| n > 0 || utt.other().is_none());
                duration = duration.map(|d: f64| d + own);
                shifts.insert(shift.to_string());
            }
            None => duration = None,
        }
        if let Some(features) = &utt.features {
            kinds.insert("features");
            facts.shapes.dtypes.insert(features.dtype());
            facts.shapes.ranks.insert(rank_name(features.rank()));
            if !features.is_empty() {
                facts.shapes.dims.insert(features.cols());
            }
        }
        kinds.extend(utt.others());
        if let Some(audio) = &utt.audio {
            rates.insert(audio.rate);
            let samples = &audio.samples;
            facts
                .shapes
                .channels
                .insert((samples.cols(), samples.dtype()));
            #[expect(
                clippy::cast_precision_loss,
                reason = "a duration needs no more digits"
            )]
            let samples = audio.samples.rows() as f64;
            sound += samples / f64::from(audio.rate.max(1));
        }
        if let Some(own) = &utt.labels {
            kinds.insert("labels");
            facts.shapes.label_columns.insert(own.cols());
            labels.add(own);
        }
    }
    facts.utterances = Some(utterances);
    facts.frames = Some(frames);
    facts.dim = only(&facts.shapes.dims).map(|n| n as u64);
    facts.dtype = only(&facts.shapes.dtypes).map(Dtype::name);
    facts.label_columns = only(&facts.shapes.label_columns).map(|n| n as u64);
    facts.labels = labels.facts();
    facts.sample_rate = only(&rates).map(u64::from);
    facts.duration = if rates.is_empty() {
        duration.filter(|_| utterances > 0)
    } else {
        Some(sound)
    };
    facts.kinds = kinds.into_iter().collect();
    facts.shapes.frame_shift = only(&shifts);
    facts.frame_shift = facts
        .shapes
        .frame_shift
        .as_ref()
        .and_then(|s| s.parse().ok());
    result
}

fn only<T: Clone + Ord>(set: &BTreeSet<T>) -> Option<T> {
    set.first().filter(|_| set.len() == 1).cloned()
}

fn rank_name(rank: Rank) -> &'static str {
    match rank {
        Rank::Scalar => "scalar",
        Rank::Vector => "vector",
        Rank::Matrix => "matrix",
    }
}

/// The range of all labels, integers kept apart from fractions.
#[derive(Default)]
struct Labels {
    integers: BTreeSet<i64>,
    too_many: bool,
    min: Option<f64>,
    max: Option<f64>,
    int_range: Option<(i128, i128)>,
    fractions: bool,
}

impl Labels {
    fn add(&mut self, labels: &Matrix) {
        dispatch!(labels.dtype(), T => self.add_values(labels.as_slice::<T>().unwrap_or_default()));
    }

    fn add_values<T: Element>(&mut self, values: &[T]) {
        use spr_core::model::Wide;
        let mut last = None;
        for value in values {
            // Labels come in runs; one look a run is enough.
            if last == Some(*value) {
                continue;
            }
            last = Some(*value);
            match value.widen() {
                Wide::Int(v) => {
                    let (min, max) = self.int_range.unwrap_or((v, v));
                    self.int_range = Some((min.min(v), max.max(v)));
                    match i64::try_from(v) {
                        Ok(v) if self.integers.len() < MAX_DISTINCT => {
                            self.integers.insert(v);
                        }
                        Ok(v) => self.too_many |= !self.integers.contains(&v),
                        Err(_) => self.too_many = true,
                    }
                }
                Wide::Float(v) => {
                    self.fractions = true;
                    self.min = Some(self.min.map_or(v, |m| m.min(v)));
                    self.max = Some(self.max.map_or(v, |m| m.max(v)));
                }
            }
        }
    }

    fn facts(&self) -> Option<LabelFacts> {
        use serde_json::Number;
        if self.fractions {
            return Some(LabelFacts {
                min: Number::from_f64(self.min?)?,
                max: Number::from_f64(self.max?)?,
                distinct: None,
            });
        }
        let (min, max) = self.int_range?;
        Some(LabelFacts {
            min: Number::from_i128(min)?,
            max: Number::from_i128(max)?,
            distinct: (!self.too_many).then_some(self.integers.len() as u64),
        })
    }
}
