//! Cuts and their entries as they are written.

use spr_core::bytes::{Env, Locator};
use spr_core::model::{
    Array, Audio, AudioFacts, AudioReference, CastStats, Decimal, Matrix, NamedArray, Rank, Tag,
    Utterance, Waveform,
};
use spr_core::{Error, Remedy, Result, recording};
use spr_syntax::json::{self, Fields, Object};
use spr_syntax::lilcom::check_finite;
use spr_syntax::manifest::columns::COLUMN;
use spr_syntax::manifest::source::utf8;

use super::super::alignment;
use super::super::feature_writer::shift_of;
use super::super::supervision::Naming;
use super::data::TAGS;
use super::describe::{features_line, plain, recording_line, temporal};
use super::options::{FEATURES, RECORDING};
use super::settings::{Settings, check_field};

/// The entry of a field.
pub(super) enum NewEntry {
    /// The extension, the data, and the line with their description.
    Data(&'static str, NewData, Vec<u8>),
    /// The line with a value.
    Value(Vec<u8>),
}

/// Data, encoded or to be encoded.
pub(super) enum NewData {
    Bytes(Vec<u8>),
    Sound(Waveform),
    Features(Matrix),
}

/// A cut with its entries.
#[derive(Default)]
pub(super) struct NewCut {
    pub(super) id: String,
    pub(super) line: Vec<u8>,
    pub(super) entries: Vec<(String, NewEntry)>,
    pub(super) rounded: CastStats,
}

/// The encoder of cuts.
#[derive(Clone)]
pub(super) struct CutEncoder {
    pub(super) settings: Settings,
    env: Env,
}

impl CutEncoder {
    pub(super) fn new(settings: Settings, env: &Env) -> Self {
        Self {
            settings,
            env: env.clone(),
        }
    }

    /// Returns an utterance as a cut whose sound and features are still to be [packed](Self::pack).
    ///
    /// # Errors
    /// A Shar cannot hold it.
    pub(super) fn encode(&self, utt: &Utterance) -> Result<NewCut> {
        let key = utf8(utt.key.as_bytes(), "the key")?;
        let mut cut = NewCut {
            id: key.to_owned(),
            ..NewCut::default()
        };
        let recording = match &utt.meta.recording {
            Some(name) => utf8(name.as_bytes(), "the recording")?,
            None => key,
        };
        let sound = utt.audio.as_ref().map(|audio| self.sound(audio));
        let sound = sound.transpose()?;
        let facts = sound.as_ref().map(|(_, facts)| *facts);
        let duration = duration(utt, facts)?;
        let channels = facts.and_then(|facts| facts.channels()).unwrap_or(1);
        let naming = Naming {
            key,
            recording,
            start: Decimal::ZERO,
            duration,
            channels,
            in_cut: true,
        };
        let mut placeholders = Vec::new();
        let mut told = Vec::new();
        if let Some(matrix) = &utt.features {
            let said = self.features(utt, matrix, facts, &naming, &mut cut)?;
            told.push((FEATURES, said));
        }
        if let Some((data, facts)) = sound {
            let said = recording_line(recording, facts, duration);
            told.push((RECORDING, said.clone()));
            let extension = self.settings.sound.names().1;
            let entry = NewEntry::Data(extension, data, with_end(said));
            cut.entries.push((RECORDING.to_owned(), entry));
        }
        self.arrays(utt, &mut cut, &mut placeholders)?;
        let place = AudioReference::new(Locator::Nowhere);
        self.values(utt, &mut cut)?;
        if let Some((name, _)) = placeholders.iter().find(|(name, _)| is_column(utt, name)) {
            let message = format!("has an array and a column called '{}'", name.escape_debug());
            return Err(Error::unfit(message));
        }
        // Sound and features name the recording. Without them nothing that is read again does.
        let named = if told.is_empty() { key } else { recording };
        let own = Naming {
            recording: named,
            ..naming
        };
        let custom = own.custom(
            utt,
            &place,
            |tag| !is_said(utt, tag),
            |fields| {
                for (name, said) in &placeholders {
                    fields.start(name).extend_from_slice(said);
                }
            },
        )?;
        let mut fields = Fields::open(&mut cut.line);
        fields.text("id", key);
        fields.count("start", 0u32);
        fields.time("duration", duration);
        naming.write_channel("channel", &place, &mut fields);
        let list = fields.start("supervisions");
        list.push(b'[');
        if Naming::says(utt) {
            check_ends(utt, duration)?;
            naming.write(utt, &place, Decimal::ZERO, &[], list)?;
        }
        list.push(b']');
        for (name, said) in told {
            fields.start(name).extend_from_slice(&said);
        }
        if !custom.is_empty() {
            fields.start("custom").extend_from_slice(&custom);
        }
        fields.text("type", if channels == 1 { "MonoCut" } else { "MultiCut" });
        fields.close();
        cut.line.push(b'\n');
        Ok(cut)
    }

    /// Encodes the sound and the features of a cut.
    ///
    /// # Errors
    /// They have no place in the form that is asked for.
    pub(super) fn pack(&self, mut cut: NewCut) -> Result<NewCut> {
        for (_, entry) in &mut cut.entries {
            let NewEntry::Data(_, data, _) = entry else {
                continue;
            };
            let bytes = match std::mem::replace(data, NewData::Bytes(Vec::new())) {
                NewData::Bytes(bytes) => bytes,
                NewData::Sound(sound) => {
                    let alone = Utterance {
                        audio: Some(Audio::Samples(sound)),
                        ..Utterance::default()
                    };
                    self.nested(self.settings.sound.names().0, &alone)?
                }
                NewData::Features(matrix) => match self.settings.lilcom {
                    None => self.numpy(matrix)?,
                    Some(encoder) => {
                        let shape = [matrix.rows(), matrix.cols()];
                        let (bytes, loss) = encoder.encode(matrix.values::<f32>()?, &shape)?;
                        cut.rounded.add(&loss);
                        bytes
                    }
                },
            };
            *data = NewData::Bytes(bytes);
        }
        Ok(cut)
    }

    /// Returns sound, and the facts about it.
    fn sound(&self, audio: &Audio) -> Result<(NewData, AudioFacts)> {
        match audio {
            Audio::Samples(sound) => Ok((NewData::Sound(sound.clone()), audio.facts())),
            Audio::Encoded(encoded) => {
                let facts = recording::facts_of_file(encoded, &self.env)?;
                Ok((NewData::Bytes(encoded.bytes.clone()), facts.whole()))
            }
            _ => Err(Error::not_held("has sound that is somewhere else")),
        }
    }

    fn nested(&self, format: &str, utt: &Utterance) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.env.nested(format)?.write(utt, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Adds the features. Returns their description.
    fn features(
        &self,
        utt: &Utterance,
        matrix: &Matrix,
        facts: Option<AudioFacts>,
        naming: &Naming<'_>,
        cut: &mut NewCut,
    ) -> Result<Vec<u8>> {
        let rate = facts.and_then(|facts| facts.rate()).or(self.settings.rate);
        let rate = rate.ok_or_else(|| {
            let message = "has features without sound, and nobody knows the rate of the sound";
            Error::unfit(message).hint("rate=16000 says that it was 16 kHz")
        })?;
        let extension = match self.settings.lilcom {
            None => "npy",
            Some(_) => {
                check_finite(matrix.values::<f32>()?)?;
                "llc"
            }
        };
        let said = features_line(matrix, shift_of(utt)?, rate, naming);
        let data = NewData::Features(matrix.clone());
        let entry = NewEntry::Data(extension, data, with_end(said.clone()));
        cut.entries.push((FEATURES.to_owned(), entry));
        Ok(said)
    }

    fn numpy(&self, matrix: Matrix) -> Result<Vec<u8>> {
        let alone = Utterance {
            features: Some(matrix),
            ..Utterance::default()
        };
        self.nested("npy", &alone)
    }

    /// Returns an array as a file of NumPy, which has one or two axes as features and others as an array.
    fn array(&self, array: &Array) -> Result<Vec<u8>> {
        let (rank, rows, cols) = match *array.shape() {
            [rows] => (Rank::Vector, rows, 1),
            [rows, cols] => (Rank::Matrix, rows, cols),
            _ => {
                let array = NamedArray {
                    name: "array".to_owned(),
                    array: array.clone(),
                };
                let alone = Utterance {
                    arrays: vec![array],
                    ..Utterance::default()
                };
                return self.nested("npy", &alone);
            }
        };
        let mut matrix = array.values().clone();
        matrix.reshape(rank, rows, cols)?;
        self.numpy(matrix)
    }

    /// Adds the labels and the arrays, and what the cut says of them.
    fn arrays(
        &self,
        utt: &Utterance,
        cut: &mut NewCut,
        placeholders: &mut Vec<(String, Vec<u8>)>,
    ) -> Result<()> {
        let mut add = |name: &str, bytes: Vec<u8>, said: Vec<u8>| {
            let entry = NewEntry::Data("npy", NewData::Bytes(bytes), with_end(said.clone()));
            cut.entries.push((name.to_owned(), entry));
            placeholders.push((name.to_owned(), said));
        };
        if let Some(labels) = &utt.labels {
            let Some(shift) = utt.meta.frame_shift else {
                let error = Error::unfit("has labels whose frame shift is unknown");
                return Err(error.suggest(Remedy::TellFrameShift));
            };
            let shape = [labels.rows(), labels.cols()];
            let axes = if labels.rank() == Rank::Matrix { 2 } else { 1 };
            let said = temporal(&shape[..axes], 0, shift);
            add(&self.settings.labels, self.numpy(labels.clone())?, said);
        }
        for NamedArray { name, array } in &utt.arrays {
            check_field(name)?;
            let named_labels = *name == self.settings.labels;
            if named_labels || self.settings.values.contains(name) {
                let message = format!("has an array called '{name}', which is the name of a field");
                return Err(Error::unfit(message).hint("labels=NAME names the field of labels"));
            }
            let bytes = self.array(array)?;
            let said = match tag_of(utt, name)? {
                Some((axis, shift)) => temporal(array.shape(), axis, shift),
                None => plain(array.shape()),
            };
            add(name, bytes, said);
        }
        Ok(())
    }

    /// Adds the columns that have files of their own.
    fn values(&self, utt: &Utterance, cut: &mut NewCut) -> Result<()> {
        for name in &self.settings.values {
            let mut tags = utt.meta.tags.iter();
            let tag = tags.find(|tag| tag.format == COLUMN && tag.key == name.as_bytes());
            if let Some(tag) = tag {
                let mut line = Vec::new();
                let mut fields = Fields::open(&mut line);
                fields.text("cut_id", &cut.id);
                fields.raw(name, utf8(&tag.value, "a column")?);
                fields.close();
                line.push(b'\n');
                cut.entries.push((name.clone(), NewEntry::Value(line)));
            }
        }
        Ok(())
    }

    /// Returns `true` if the field is a file of lines.
    pub(super) fn is_lines(&self, field: &str) -> bool {
        self.settings.values.iter().any(|name| name == field)
    }

    /// Returns all fields that have files from the start.
    pub(super) fn values_fields(&self) -> &[String] {
        &self.settings.values
    }
}

/// Returns `true` for a tag that the description of an array says.
fn is_said(utt: &Utterance, tag: &Tag) -> bool {
    let mut arrays = utt.arrays.iter();
    tag.format == TAGS && arrays.any(|array| array.name.as_bytes() == tag.key)
}

/// Returns `true` if an utterance has a column of this name.
fn is_column(utt: &Utterance, name: &str) -> bool {
    let mut tags = utt.meta.tags.iter();
    tags.any(|tag| tag.format == COLUMN && tag.key == name.as_bytes())
}

/// Returns the duration of a cut, whose sound has these facts.
fn duration(utt: &Utterance, facts: Option<AudioFacts>) -> Result<Decimal> {
    if let Some(facts) = facts {
        let time = facts.time().filter(|time| time.is_positive());
        return time.ok_or_else(|| Error::unfit("has sound of which the length is not known"));
    }
    if utt.frames() == 0 {
        let error =
            Error::unfit("has neither sound nor frames, and nothing else tells how long it lasts");
        return Err(error);
    }
    utt.duration(None).ok_or_else(|| {
        let message = "has frames whose shift is unknown, and so is how long they last";
        Error::unfit(message).suggest(Remedy::TellFrameShift)
    })
}

/// Checks that no segment ends after the cut, as times behind it are taken for others.
fn check_ends(utt: &Utterance, duration: Decimal) -> Result<()> {
    let segments = utt.tiers.iter().flat_map(|tier| &tier.segments);
    let mut ends = segments.filter_map(|segment| segment.end);
    match ends.any(|end| alignment::is_behind(end, duration)) {
        true => Err(Error::unfit("has segments after its end")),
        false => Ok(()),
    }
}

/// Returns the axis of time of an array and the step along it, if a tag says them.
fn tag_of(utt: &Utterance, name: &str) -> Result<Option<(u64, Decimal)>> {
    let mut tags = utt.meta.tags.iter();
    let Some(tag) = tags.find(|tag: &&Tag| tag.format == TAGS && tag.key == name.as_bytes()) else {
        return Ok(None);
    };
    let mut object = Object::of_line(&tag.value)?;
    let axis = json::count::<i64>(object.require("temporal_dim")?, "temporal_dim")?;
    let shift = json::time(object.require("frame_shift")?, "frame_shift")?;
    Ok(Some((axis.unsigned_abs(), shift)))
}

/// Returns a description with the end of its line.
fn with_end(mut line: Vec<u8>) -> Vec<u8> {
    line.push(b'\n');
    line
}
