//! Cuts and their entries as they are written.

use spr_core::bytes::Locator;
use spr_core::bytes::{Env, Source};
use spr_core::format::Options;
use spr_core::model::{
    Audio, AudioFacts, AudioReference, CastStats, Decimal, Matrix, NamedArray, Rank, Tag, Utterance,
};
use spr_core::{Error, Remedy, Result};
use spr_syntax::json::{self, Fields, Object};
use spr_syntax::lilcom::Encoder;
use spr_syntax::manifest::columns::COLUMN;
use spr_syntax::manifest::source::{FIELDS as PLACE_FIELDS, utf8};

use super::super::alignment;
use super::super::feature_writer::{TICK, shift_of};
use super::super::supervision::{FRAME_SHIFT, Naming};
use super::data::TAGS;
use super::layout::CUTS;

use super::{FEATURES, FIRST, LABEL_FIELDS, LABELS, RATE, RECORDING, SIZE, SOUND, STORE, VALUES};

/// The form in which sound is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SoundForm {
    Flac,
    Wav,
    Original,
}

impl SoundForm {
    /// Returns the format of samples, and the extension of all sound.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Flac => ("flac", "flac"),
            Self::Wav => ("wav", "wav"),
            Self::Original => ("wav", "original"),
        }
    }
}

/// What the options ask for.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) sound: SoundForm,
    /// The encoder of features, if they are rounded.
    pub(super) lilcom: Option<Encoder>,
    labels: String,
    /// The columns with files of their own.
    values: Vec<String>,
    pub(super) size: usize,
    pub(super) first: u64,
    rate: Option<u32>,
}

impl Settings {
    /// Parses the options.
    ///
    /// # Errors
    /// The value of one is wrong.
    pub(super) fn of(options: &Options) -> Result<Self> {
        let forms = [
            ("flac", SoundForm::Flac),
            ("wav", SoundForm::Wav),
            ("original", SoundForm::Original),
        ];
        let stores = [("numpy", false), ("lilcom", true)];
        let rounds = options.choice(STORE.name, &stores)?.unwrap_or(false);
        let tick = options.parse(TICK.name)?;
        if tick.is_some() && !rounds {
            return Err(Error::usage(
                "option tick: only features=lilcom rounds values",
            ));
        }
        let encoder = Encoder::new(tick.unwrap_or(Encoder::TICK), true)?;
        let labels = options.get(LABELS.name).filter(|name| *name != "none");
        let labels = labels.unwrap_or(LABEL_FIELDS[0]);
        let values = options
            .get(VALUES.name)
            .into_iter()
            .flat_map(|names| names.split('+'));
        let values: Vec<_> = values.map(str::to_owned).collect();
        for name in values.iter().map(String::as_str).chain([labels]) {
            check_field(name).map_err(|e| Error::usage(format!("{}", e.message())))?;
        }
        let at_least_1 = |name: &str| match options.parse::<u32>(name)? {
            Some(0) => Err(Error::usage(format!(
                "option {name}: 0, expected 1 or more"
            ))),
            number => Ok(number),
        };
        let size = at_least_1(SIZE.name)?.and_then(|size| usize::try_from(size).ok());
        Ok(Self {
            sound: options
                .choice(SOUND.name, &forms)?
                .unwrap_or(SoundForm::Flac),
            lilcom: rounds.then_some(encoder),
            labels: labels.to_owned(),
            values,
            size: size.unwrap_or(1000),
            first: options.parse::<u32>(FIRST.name)?.unwrap_or(0).into(),
            rate: at_least_1(RATE.name)?,
        })
    }
}

/// Names that mean something else to a cut of Lhotse.
const TAKEN: [&str; 26] = [
    CUTS,
    "id",
    "start",
    "duration",
    "channel",
    "supervisions",
    "features",
    "recording",
    "custom",
    "type",
    "end",
    "features_type",
    "frame_shift",
    "has_features",
    "has_overlapping_supervisions",
    "has_recording",
    "has_video",
    "is_in_memory",
    "num_channels",
    "num_features",
    "num_frames",
    "num_samples",
    "recording_id",
    "sampling_rate",
    "trimmed_supervisions",
    "video",
];

/// Checks that a name can be that of a field.
///
/// # Errors
/// It cannot.
fn check_field(name: &str) -> Result<()> {
    let is_plain = !name.is_empty() && !name.contains(['.', '/', '\\', '\0']);
    let is_own = PLACE_FIELDS.contains(&name) || name == FRAME_SHIFT;
    match is_plain && !TAKEN.contains(&name) && !is_own {
        true => Ok(()),
        false => {
            let name = name.escape_debug();
            Err(Error::unfit(format!(
                "'{name}' cannot be the name of a field of a Shar"
            )))
        }
    }
}

/// The entry of a field.
pub(super) enum NewEntry {
    /// The extension and the bytes of the data, and their description.
    Data(&'static str, Vec<u8>, Vec<u8>),
    /// A value in JSON.
    Value(Vec<u8>),
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

    /// Returns an utterance as a cut.
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
        let sound = utt
            .audio
            .as_ref()
            .map(|audio| self.sound(audio))
            .transpose()?;
        let facts = sound.as_ref().map(|(_, facts)| *facts);
        let duration = duration(utt, facts)?;
        let channels = facts.and_then(|facts| facts.channels).unwrap_or(1);
        let naming = Naming {
            key,
            recording,
            start: Decimal::ZERO,
            duration,
            channels,
            in_cut: true,
        };
        let mut placeholders = Vec::new();
        let mut meta = None;
        if let Some((bytes, facts)) = sound {
            let said = recording_line(recording, facts, duration);
            meta = Some(said.clone());
            let extension = self.settings.sound.names().1;
            cut.entries.push((
                RECORDING.to_owned(),
                NewEntry::Data(extension, bytes, with_end(said)),
            ));
        }
        let features = match &utt.features {
            None => None,
            Some(matrix) => {
                let rate = facts.and_then(|facts| facts.rate).or(self.settings.rate);
                let rate = rate.ok_or_else(|| {
                    Error::unfit(
                        "has features without sound, and nobody knows the rate of the sound",
                    )
                    .hint("rate=16000 says that it was 16 kHz")
                })?;
                let said = features_line(matrix, shift_of(utt)?, rate, &naming);
                let (extension, bytes) = self.features(matrix, &mut cut.rounded)?;
                cut.entries.push((
                    FEATURES.to_owned(),
                    NewEntry::Data(extension, bytes, with_end(said.clone())),
                ));
                Some(said)
            }
        };
        self.arrays(utt, &mut cut, &mut placeholders)?;
        let place = AudioReference::new(Locator::Nowhere);
        self.values(utt, &mut cut)?;
        if let Some((name, _)) = placeholders.iter().find(|(name, _)| is_column(utt, name)) {
            let message = format!("has an array and a column called '{}'", name.escape_debug());
            return Err(Error::unfit(message));
        }
        let custom = naming.custom(
            utt,
            &place,
            |tag| tag.format != TAGS,
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
        for (name, said) in [(FEATURES, features), (RECORDING, meta)] {
            if let Some(said) = said {
                fields.start(name).extend_from_slice(&said);
            }
        }
        if !custom.is_empty() {
            fields.start("custom").extend_from_slice(&custom);
        }
        fields.text("type", if channels == 1 { "MonoCut" } else { "MultiCut" });
        fields.close();
        cut.line.push(b'\n');
        Ok(cut)
    }

    /// Returns a sound file, and the facts about it.
    fn sound(&self, audio: &Audio) -> Result<(Vec<u8>, AudioFacts)> {
        let known = |facts: AudioFacts| {
            facts.rate.is_some() && facts.channels.is_some() && facts.samples.is_some()
        };
        let facts = audio.facts();
        let (format, _) = self.settings.sound.names();
        let bytes = match audio {
            Audio::Encoded(encoded) if known(facts) => return Ok((encoded.bytes.clone(), facts)),
            Audio::Encoded(encoded) => {
                let mut source = Source::from_bytes("a sound file", encoded.bytes.clone())?;
                let nested = self.env.nested(&encoded.format)?;
                return Ok((encoded.bytes.clone(), nested.facts(&mut source, &self.env)?));
            }
            audio => {
                let alone = Utterance {
                    audio: Some(audio.clone()),
                    ..Utterance::default()
                };
                self.nested(format, &alone)?
            }
        };
        Ok((bytes, facts))
    }

    fn nested(&self, format: &str, utt: &Utterance) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.env.nested(format)?.write(utt, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    fn features(
        &self,
        matrix: &Matrix,
        rounded: &mut CastStats,
    ) -> Result<(&'static str, Vec<u8>)> {
        let Some(encoder) = self.settings.lilcom else {
            return Ok(("npy", self.numpy(matrix.clone())?));
        };
        let shape = [matrix.rows(), matrix.cols()];
        let (bytes, loss) = encoder.encode(matrix.values::<f32>()?, &shape)?;
        rounded.add(&loss);
        Ok(("llc", bytes))
    }

    fn numpy(&self, matrix: Matrix) -> Result<Vec<u8>> {
        let alone = Utterance {
            features: Some(matrix),
            ..Utterance::default()
        };
        self.nested("npy", &alone)
    }

    /// Adds the labels and the arrays, and what the cut says of them.
    fn arrays(
        &self,
        utt: &Utterance,
        cut: &mut NewCut,
        placeholders: &mut Vec<(String, Vec<u8>)>,
    ) -> Result<()> {
        let mut add = |name: &str, bytes: Vec<u8>, said: Vec<u8>| {
            cut.entries.push((
                name.to_owned(),
                NewEntry::Data("npy", bytes, with_end(said.clone())),
            ));
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
            let alone = match *array.shape() {
                [_] | [_, _] => {
                    let mut matrix = array.values().clone();
                    if let [rows, cols] = *array.shape() {
                        matrix.reshape(Rank::Matrix, rows, cols)?;
                    }
                    self.numpy(matrix)?
                }
                _ => {
                    let array = NamedArray {
                        name: "array".to_owned(),
                        array: array.clone(),
                    };
                    self.nested(
                        "npy",
                        &Utterance {
                            arrays: vec![array],
                            ..Utterance::default()
                        },
                    )?
                }
            };
            let said = match tag_of(utt, name)? {
                Some((axis, shift)) => temporal(array.shape(), axis, shift),
                None => plain(array.shape()),
            };
            add(name, alone, said);
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

/// Returns `true` if an utterance has a column of this name.
fn is_column(utt: &Utterance, name: &str) -> bool {
    let mut tags = utt.meta.tags.iter();
    tags.any(|tag| tag.format == COLUMN && tag.key == name.as_bytes())
}

/// Returns how long a cut lasts: as its sound, else as its frames.
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
    let Some(shift) = utt.meta.frame_shift else {
        let error = Error::unfit("has frames whose shift is unknown, and so is how long they last");
        return Err(error.suggest(Remedy::TellFrameShift));
    };
    let lasts = shift.times(utt.frames());
    lasts.ok_or_else(|| Error::unfit("has too many frames"))
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

fn recording_line(id: &str, facts: AudioFacts, duration: Decimal) -> Vec<u8> {
    let channels: Vec<_> = (0..facts.channels.unwrap_or(1))
        .map(|n| n.to_string())
        .collect();
    let channels = format!("[{}]", channels.join(", "));
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    fields.text("id", id);
    let source = format!(r#"[{{"type": "shar", "channels": {channels}, "source": ""}}]"#);
    fields.raw("sources", &source);
    fields.number("sampling_rate", facts.rate);
    fields.number("num_samples", facts.samples);
    fields.time("duration", duration);
    fields.raw("channel_ids", &channels);
    fields.close();
    line
}

fn features_line(matrix: &Matrix, shift: Decimal, rate: u32, naming: &Naming<'_>) -> Vec<u8> {
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    fields.text("type", FEATURES);
    fields.count("num_frames", matrix.rows() as u64);
    fields.count("num_features", matrix.cols() as u64);
    fields.time("frame_shift", shift);
    fields.count("sampling_rate", rate);
    fields.count("start", 0u32);
    fields.time("duration", naming.duration);
    stored(&mut fields);
    fields.text("recording_id", naming.recording);
    naming.write_channel(
        "channels",
        &AudioReference::new(Locator::Nowhere),
        &mut fields,
    );
    fields.close();
    line
}

/// Adds the place of data that are in a file of a Shar.
fn stored(fields: &mut Fields<'_>) {
    fields.text("storage_type", "shar");
    fields.text("storage_path", "");
    fields.text("storage_key", "");
}

fn plain(shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<_> = shape.iter().map(ToString::to_string).collect();
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    stored(&mut fields);
    fields.raw("shape", &format!("[{}]", sizes.join(", ")));
    fields.close();
    line
}

fn temporal(shape: &[usize], axis: u64, shift: Decimal) -> Vec<u8> {
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    fields.start("array").extend_from_slice(&plain(shape));
    fields.count("temporal_dim", axis);
    fields.time("frame_shift", shift);
    fields.count("start", 0u32);
    fields.close();
    line
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
