//! Utterances with the data of their cut.

use serde_json::value::RawValue;
use spr_core::bytes::Env;
use spr_core::model::{Audio, Decimal, Key, Matrix, Tag, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::Object;
use spr_syntax::manifest::columns::COLUMN;

use super::super::cut::add_tags;
use super::super::features::Features;
use super::super::recording::RecordingSegment;
use super::super::stores;
use super::super::supervision;
use super::data::{self, FieldArray, Sound, is_placeholder};
use super::options::{FEATURES, RECORDING};
use super::stream::{Entry, FieldStream, Value};

/// What is wanted of the entries of a cut.
pub(super) struct Wanted {
    /// Whether each of several supervisions is an utterance.
    pub(super) is_divided: bool,
    pub(super) sound: bool,
    pub(super) features: bool,
    /// The field with the labels, and whether it has to hold some.
    pub(super) labels: Option<(String, bool)>,
}

/// The data of a cut, for its utterances.
pub(super) struct CutData<'a> {
    wanted: Wanted,
    pub(super) sound: Option<Sound>,
    /// The name of the recording where there is no sound.
    pub(super) recording: Option<String>,
    features: Option<(Features, Option<Matrix>)>,
    labels: Option<(Matrix, Decimal)>,
    arrays: Vec<(String, FieldArray)>,
    /// The values of fields.
    columns: Vec<Tag>,
    /// What the cut says of its only utterance.
    pub(super) custom: Option<Object<'a>>,
}

impl CutData<'_> {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            sound: None,
            recording: None,
            features: None,
            labels: None,
            arrays: Vec::new(),
            columns: Vec::new(),
            custom: None,
        }
    }

    /// Takes the entry of a field, of which the cut `id` says what is `told`.
    ///
    /// # Errors
    /// The entry is damaged, or the cut says something else.
    pub(super) fn take(
        &mut self,
        told: Option<&RawValue>,
        entry: Entry,
        stream: &FieldStream,
        id: &str,
        env: &Env,
    ) -> Result<()> {
        let placeholder = told.filter(|raw| is_placeholder(raw));
        let meta = match &entry.value {
            Value::Missing if placeholder.is_some() => {
                let message = "has no data, but the cut says that there are some";
                return Err(Error::malformed(message).file(&stream.name));
            }
            Value::Missing => {
                told.into_iter()
                    .for_each(|raw| self.column(&stream.field, raw));
                return Ok(());
            }
            Value::Json(value) => return self.value(stream, value, told),
            Value::Meta(meta) => meta.clone(),
        };
        if let Some(told) = placeholder {
            data::agree(told, &meta, stream)?;
        }
        match stream.field.as_str() {
            RECORDING => {
                self.sound = Some(Sound::read(&meta, entry, stream, self.wanted.sound, env)?)
            }
            FEATURES => {
                let found = data::features(&meta, entry, stream, id, env)?;
                self.recording.clone_from(&found.0.recording);
                self.features = Some(found).filter(|_| self.wanted.features);
            }
            _ => {
                if let Some(array) = data::array(&meta, entry, stream, id, env)? {
                    self.array(array, stream)?;
                }
            }
        }
        Ok(())
    }

    /// Keeps the value of a field as a column.
    fn column(&mut self, field: &str, raw: &RawValue) {
        self.columns.push(Tag::new(COLUMN, field, raw.get()));
    }

    /// Keeps a value from a file of lines, which the cut may repeat.
    ///
    /// # Errors
    /// The cut says something else.
    fn value(&mut self, stream: &FieldStream, value: &str, told: Option<&RawValue>) -> Result<()> {
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        if let Some(told) = told
            && told.get() != value
            && parsed(told.get()) != parsed(value)
        {
            let message = format!(
                "{} is another value here than in {}",
                stream.field, stream.name
            );
            return Err(Error::malformed(message));
        }
        self.columns
            .push(Tag::new(COLUMN, stream.field.as_str(), value));
        Ok(())
    }

    /// Keeps an array, or the labels if it is the field with these.
    ///
    /// # Errors
    /// It has to be the labels, and cannot be.
    fn array(&mut self, array: FieldArray, stream: &FieldStream) -> Result<()> {
        let labels = self.wanted.labels.as_ref();
        let array = match labels.filter(|(own, _)| *own == stream.field) {
            None => array,
            Some((_, is_named)) => match array.into_labels() {
                Ok(labels) => {
                    self.labels = Some(labels);
                    return Ok(());
                }
                Err(_) if *is_named => {
                    let message = "labels are integers with a frame shift, this array is not";
                    return Err(Error::unfit(message).file(&stream.name));
                }
                Err(array) => array,
            },
        };
        self.arrays.push((stream.field.clone(), array));
        Ok(())
    }

    /// Adds the data of a segment of the cut to its utterance.
    ///
    /// # Errors
    /// The sound cannot be decoded, or there are arrays of which a part is not told.
    pub(super) fn add(
        &mut self,
        sound: Option<&Sound>,
        stretch: &RecordingSegment,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        if let Some(sound) = sound
            && let Some(Audio::Reference(reference)) = utt.audio.take()
        {
            let numbers = sound.recording.1.channel_numbers();
            let is_usual = (0..).zip(&numbers).all(|(n, number)| n == *number);
            if !is_usual {
                let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
                utt.meta.channel = Some(Key::from(numbers.join("+").as_str()));
            }
            if self.wanted.sound {
                utt.audio = Some(sound.audio(reference, env)?);
            }
        }
        if !self.wanted.sound {
            utt.audio = None;
        }
        if let Some(name) = &self.recording
            && utt.meta.recording.is_none()
            && utt.key.as_bytes() != name.as_bytes()
            && sound.is_none()
        {
            utt.meta.recording = Some(name.as_str().into());
        }
        if let Some(custom) = self.custom.take() {
            let tags = std::mem::take(&mut utt.meta.tags);
            supervision::read_custom(custom, &mut utt.meta)?;
            let extra = std::mem::replace(&mut utt.meta.tags, tags);
            add_tags(&extra, &mut utt.meta.tags);
        }
        add_tags(&self.columns, &mut utt.meta.tags);
        self.add_frames(stretch, utt, env)?;
        if self.wanted.is_divided && !self.arrays.is_empty() {
            let (field, _) = &self.arrays[0];
            let message = format!("the field {field} is an array of several utterances");
            return Err(Error::unsupported(message)
                .hint("fields=recording+features reads these fields alone"));
        }
        for (field, array) in self.arrays.drain(..) {
            array.add(&field, utt);
        }
        Ok(())
    }

    /// Adds features and labels: all of them, or those of a supervision.
    fn add_frames(
        &mut self,
        stretch: &RecordingSegment,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let is_divided = self.wanted.is_divided;
        let mut rows = None;
        if let Some((features, matrix)) = &mut self.features {
            utt.meta.frame_shift = Some(features.shift);
            let frames = features.frames(stretch)?;
            rows = Some(frames.clone());
            utt.features = match (is_divided, &*matrix) {
                (false, _) => matrix.take(),
                (true, Some(all)) => Some(stores::part(all.clone(), frames, &env.limits)?),
                (true, None) => None,
            };
        }
        let Some((labels, shift)) = &self.labels else {
            return Ok(());
        };
        match utt.meta.frame_shift {
            Some(other) if utt.features.is_some() && other != *shift => {
                let message = format!("labels every {shift} s, features every {other} s");
                return Err(Error::unfit(message).hint("labels=none reads them as an array"));
            }
            _ => utt.meta.frame_shift = Some(*shift),
        }
        utt.labels = Some(match (is_divided, rows) {
            (false, _) => labels.clone(),
            (true, Some(rows)) => stores::part(labels.clone(), rows, &env.limits)?,
            (true, None) => {
                let message =
                    "labels of several utterances without features, by which they would be divided";
                return Err(Error::unsupported(message).hint("labels=none leaves them out"));
            }
        });
        Ok(())
    }
}
