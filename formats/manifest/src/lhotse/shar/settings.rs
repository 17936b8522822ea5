//! What the options ask for, and names of fields.

use spr_core::format::Options;
use spr_core::{Error, Result};
use spr_syntax::lilcom::Encoder;
use spr_syntax::manifest::source::FIELDS as PLACE_FIELDS;

use super::super::feature_writer::TICK;
use super::super::supervision::FRAME_SHIFT;
use super::layout::CUTS;
use super::options::{FIRST, LABEL_FIELDS, LABELS, RATE, SIZE, SOUND, STORE, VALUES};

/// The form in which sound is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SoundForm {
    Flac,
    Wav,
    Original,
}

impl SoundForm {
    /// Returns the format of samples, and the extension of all sound.
    pub(super) fn names(self) -> (&'static str, &'static str) {
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
    pub(super) labels: String,
    /// The columns with files of their own.
    pub(super) values: Vec<String>,
    pub(super) size: usize,
    pub(super) first: u64,
    pub(super) rate: Option<u32>,
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
            check_field(name).map_err(|e| Error::usage(e.message().to_string()))?;
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
pub(super) fn check_field(name: &str) -> Result<()> {
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
