//! What is in a data set.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::model::{Audio, DatasetInfo, Decimal, Dtype, Element, Matrix, Rank, Utterance, Wide};
use spr_core::{Error, Result, dispatch};
use spr_stats::{Sound, seconds};

use crate::argument::Input;

/// Distinct labels are counted up to this many.
const MAX_DISTINCT: usize = 1 << 20;

/// The facts about an input; `None` where not known.
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
    /// What utterances hold: `features`, `labels`, `audio`, …
    pub kinds: Vec<String>,
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
    /// The sound: rates, channels, and how loud the samples are that are in the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound: Option<Sound>,
    /// Where the keys come from.
    pub keys: &'static str,
    /// Whether they are partitions of shuffled frames, and no utterances.
    #[serde(skip)]
    pub partitions: bool,
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
    /// Formats of sound files that are kept whole.
    pub encoded: BTreeSet<String>,
    /// Utterances whose sound is somewhere else.
    pub references: u64,
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
    let request = match quick {
        true => Ok(Request::all().headers()),
        false => request(input, registry, env),
    };
    let opened = match request.and_then(|request| input.open(request, registry, env)) {
        Ok(opened) => opened,
        Err(error) => return (facts, Err(error)),
    };
    facts.format = opened.format.info().name.to_owned();
    facts.partitions = input.data_options().shuffles();
    let mut reader = opened.reader;
    let info = reader.info();
    facts.byte_order = info.byte_order.map(|o| o.name());
    facts.compression.clone_from(&info.compression);
    facts.keys = info.keys.name();
    if quick {
        headers(info, &mut facts);
        return (facts, Ok(()));
    }
    let result = scan(reader.as_mut(), &mut facts);
    if result.is_err() && facts.utterances == Some(0) {
        // How many there are is not known.
        (facts.utterances, facts.frames) = (None, None);
    }
    (facts, result)
}

/// What is to be read: numbers only where they are samples, as nothing is told of others. Sound by
/// reference stays where it is.
fn request(input: &Input, registry: &Registry, env: &Env) -> Result<Request> {
    let again = input.file().is_some() || input.folder().is_some();
    if !again {
        return Ok(Request::all());
    }
    let mut first = Utterance::default();
    // What is wrong before the first is told when it is read again.
    let (mut silent, quiet) = (input.clone(), env.listening(|_| {}));
    silent.skip_errors(Arc::new(|_| {}));
    let opened = silent.open(Request::all().headers(), registry, &quiet)?;
    let mut reader = opened.reader;
    let sounds = matches!(reader.read(&mut first), Ok(true)) && first.waveform().is_some();
    Ok(match sounds {
        true => Request::all(),
        false => Request::all().headers(),
    })
}

/// What is known without reading on.
fn headers(info: &DatasetInfo, facts: &mut Facts) {
    facts.utterances = info.utterances;
    facts.frames = info.frames;
    facts.dim = info.dim;
    facts.dtype = info.dtype.map(Dtype::name);
    facts.label_columns = info.label_columns;
    facts.shapes.frame_shift = info.frame_shift.map(|shift| shift.to_string());
    facts.frame_shift = info.frame_shift.map(Decimal::value);
    #[expect(
        clippy::cast_precision_loss,
        reason = "a duration needs no more digits"
    )]
    let seconds = |(frames, shift)| frames as f64 * shift;
    facts.duration = info.frames.zip(facts.frame_shift).map(seconds);
    facts.sample_rate = info.sample_rate.map(u64::from);
    let kinds = [
        (info.dim.is_some_and(|n| n > 0), "features"),
        (info.label_columns.is_some_and(|n| n > 0), "labels"),
        (info.sample_rate.is_some(), "audio"),
    ];
    let there = kinds.iter().filter(|(there, _)| *there);
    facts.kinds = there.map(|(_, kind)| (*kind).to_owned()).collect();
}

/// Reads all of a data set; what was found out before an error is kept.
fn scan(reader: &mut dyn Reader, facts: &mut Facts) -> Result<()> {
    let mut sums = Sums {
        shift: reader.info().frame_shift,
        ..Sums::default()
    };
    let result = read_all(reader, |utt| sums.add(utt, &mut facts.shapes));
    sums.finish(facts);
    result
}

fn read_all(reader: &mut dyn Reader, mut see: impl FnMut(&Utterance) -> Result<()>) -> Result<()> {
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        see(&utt)?;
    }
    Ok(())
}

/// What is summed up over utterances.
struct Sums {
    utterances: u64,
    frames: u64,
    kinds: BTreeSet<String>,
    labels: Labels,
    shifts: BTreeSet<String>,
    /// The frame shift of utterances that do not say theirs.
    shift: Option<Decimal>,
    codings: BTreeSet<String>,
    /// Seconds by the frame shift, as long as that is known of every utterance.
    by_frames: Option<f64>,
    /// Seconds of sound, as long as they are known of every sound.
    by_sound: Option<f64>,
    sound: Sound,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            utterances: 0,
            frames: 0,
            kinds: BTreeSet::new(),
            labels: Labels::default(),
            shifts: BTreeSet::new(),
            shift: None,
            codings: BTreeSet::new(),
            by_frames: Some(0.0),
            by_sound: Some(0.0),
            sound: Sound::default(),
        }
    }
}

impl Sums {
    fn add(&mut self, utt: &Utterance, shapes: &mut Shapes) -> Result<()> {
        self.utterances += 1;
        let n = utt.frames();
        self.frames += n;
        let (least, most) = shapes.frames.unwrap_or((n, n));
        shapes.frames = Some((least.min(n), most.max(n)));
        self.kinds.extend(utt.others().map(str::to_owned));
        self.codings
            .extend(utt.origin.coding.as_deref().map(str::to_owned));
        self.add_frame_shift(utt, n);
        if let Some(features) = &utt.features {
            self.kinds.insert("features".to_owned());
            shapes.dtypes.insert(features.dtype());
            shapes.ranks.insert(rank_name(features.rank()));
            if !features.is_empty() {
                shapes.dims.insert(features.cols());
            }
        }
        if let Some(audio) = &utt.audio {
            self.sound.add(utt)?;
            self.by_sound = self.by_sound.zip(seconds(utt)).map(|(sum, own)| sum + own);
            match audio {
                Audio::Samples(_) => {}
                Audio::Encoded(encoded) => {
                    shapes.encoded.insert(encoded.format.clone());
                }
                Audio::Reference(_) => shapes.references += 1,
                _ => return Err(Error::unfit("has sound in an unknown form")),
            }
        }
        if let Some(own) = &utt.labels {
            self.kinds.insert("labels".to_owned());
            shapes.label_columns.insert(own.cols());
            self.labels.add(own)?;
        }
        Ok(())
    }

    fn add_frame_shift(&mut self, utt: &Utterance, frames: u64) {
        let Some(shift) = utt.meta.frame_shift.or(self.shift) else {
            self.by_frames = None;
            return;
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "a duration needs no more digits"
        )]
        let own = shift.value() * frames as f64;
        let known = frames > 0 || utt.other().is_none();
        self.by_frames = self.by_frames.filter(|_| known).map(|sum| sum + own);
        self.shifts.insert(shift.to_string());
    }

    fn finish(self, facts: &mut Facts) {
        let shapes = &mut facts.shapes;
        facts.utterances = Some(self.utterances);
        facts.frames = Some(self.frames);
        facts.dim = only(&shapes.dims).map(|n| n as u64);
        facts.dtype = only(&shapes.dtypes).map(Dtype::name);
        facts.label_columns = only(&shapes.label_columns).map(|n| n as u64);
        facts.labels = self.labels.facts();
        let rates: BTreeSet<_> = self.sound.rates.keys().copied().collect();
        facts.sample_rate = only(&rates).map(u64::from);
        facts.duration = match self.sound.utterances > 0 {
            true => self.by_sound,
            false => self.by_frames.filter(|_| self.utterances > 0),
        };
        facts.sound = Some(self.sound).filter(|sound| sound.utterances > 0);
        facts.kinds = self.kinds.into_iter().collect();
        let codings = facts.compression.take().into_iter().chain(self.codings);
        let codings: Vec<_> = codings.collect();
        facts.compression = (!codings.is_empty()).then(|| codings.join("+"));
        shapes.frame_shift = only(&self.shifts);
        let shift = shapes.frame_shift.as_deref();
        facts.frame_shift = shift.and_then(Decimal::parse).map(Decimal::value);
    }
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
    fn add(&mut self, labels: &Matrix) -> Result<()> {
        dispatch!(labels.dtype(), T => self.add_values(labels.values::<T>()?));
        Ok(())
    }

    fn add_values<T: Element>(&mut self, values: &[T]) {
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
