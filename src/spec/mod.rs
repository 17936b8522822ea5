//! PDNN's data options: what becomes of frames and labels between an input and its use.
//!
//! In a data spec they stand behind the file, `train.pfile,context=5,ignore-label=0:3-9`; any
//! input takes them. The work is done in this order: the frame shift is told, labels are joined,
//! sound gets the channels and the rate that are wanted, context goes beside each frame, ignored frames go, labels are mapped, frames are shuffled.

mod apply;
mod grammar;

use spr_core::model::Decimal;
use spr_core::random::Rng;
use spr_core::stage::{LabelMap, LabelSet, SoundChoice};
use spr_core::{Error, Result};

/// The options of one input.
///
/// ```
/// use spr_convert::spec::DataOptions;
/// let mut options = DataOptions::default();
/// assert!(options.set("context", "5:1")?);
/// assert!(options.set("rcxt", "2")?);
/// assert!(!options.set("byteorder", "big")?, "that is for the format");
/// assert_eq!(options.context, (5, 2));
/// # Ok::<(), spr_convert::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DataOptions {
    /// Frames put before and after each frame: `context`, `lcxt`, `rcxt`.
    pub context: (usize, usize),
    /// Labels whose frames go: `ignore-label`.
    pub ignored: Option<LabelSet>,
    /// New labels: `map-label`.
    pub map: Option<LabelMap>,
    /// Bytes in a partition: `partition`.
    pub partition: Option<u64>,
    /// Whether a PFile is shuffled partition by partition and not whole, which it is where nothing
    /// says so: `stream`.
    pub stream: Option<bool>,
    /// Whether frames are shuffled: `random`.
    pub random: bool,
    /// How the shuffle is seeded: `seed`.
    pub rng: Rng,
    /// A data set whose labels are joined: `label`.
    pub label: Option<String>,
    /// The name of the format: `type`.
    pub format: Option<String>,
    /// The tier of segments that is picked: `tier`.
    pub tier: Option<String>,
    /// Whether times of segments that become labels are rounded to frames: `round`.
    pub round: bool,
    /// Seconds from frame to frame, where the data don't say: `frame-shift`.
    pub frame_shift: Option<Decimal>,
    /// What becomes of sound: `channel`, `resample`.
    pub sound: SoundChoice,
    /// Whether samples are dithered before they are rounded, with the seed: `dither`.
    pub dither: bool,
}

impl DataOptions {
    /// Every key.
    pub const KEYS: &'static [&'static str] = &[
        "context",
        "lcxt",
        "rcxt",
        "ignore-label",
        "map-label",
        "partition",
        "stream",
        "random",
        "seed",
        "label",
        "type",
        "frame-shift",
        "tier",
        "round",
        "channel",
        "resample",
        "dither",
    ];

    /// Bytes in a partition where nothing says otherwise.
    pub const PARTITION: u64 = 600 << 20;

    /// Sets an option; the last value of a repeated one counts. `false` if `key` is none of
    /// [`KEYS`](Self::KEYS).
    ///
    /// # Errors
    /// The value is wrong.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool> {
        let wrong = |example: &str| {
            Error::usage(format!("{key}: '{value}' is not a valid value")).hint(example)
        };
        let side = || grammar::frames(value).ok_or_else(|| wrong("a number of frames, such as 5"));
        let truth = || grammar::truth(value).ok_or_else(|| wrong("True or False"));
        match key {
            "context" => {
                self.context = grammar::context(value)
                    .ok_or_else(|| wrong("frames on both sides, 5, or left and right, 5:1"))?;
            }
            "lcxt" => self.context.0 = side()?,
            "rcxt" => self.context.1 = side()?,
            "ignore-label" => {
                let example = "labels and ascending ranges, such as 0:3-9";
                self.ignored = Some(value.parse().map_err(|_: Error| wrong(example))?);
            }
            "map-label" => {
                let example = "FROM:TO with labels or ascending ranges, such as 1:0/4-6:2";
                self.map = Some(value.parse().map_err(|_: Error| wrong(example))?);
            }
            "partition" => {
                let example = "a size, such as 600m; without a unit it is in MiB";
                self.partition = Some(grammar::size(value).ok_or_else(|| wrong(example))?);
            }
            "stream" => self.stream = Some(truth()?),
            "random" => self.random = truth()?,
            "seed" => {
                let seed = value.parse();
                self.rng = Rng::Seeded(seed.map_err(|_| wrong("a number from 0 to 4294967295"))?);
            }
            "label" if value.is_empty() => return Err(wrong("the name of a file with labels")),
            "label" => self.label = Some(value.to_owned()),
            "tier" => self.tier = Some(value.to_owned()),
            "round" => self.round = truth()?,
            "type" => self.format = Some(value.to_owned()),
            "frame-shift" => {
                let shift = Decimal::parse(value).filter(|shift| shift.value() > 0.0);
                self.frame_shift = Some(shift.ok_or_else(|| wrong("seconds, such as 0.01"))?);
            }
            "channel" => {
                let channels = value.parse().map_err(|e: Error| e.context("channel"));
                self.sound.channels = Some(channels?);
            }
            "resample" => {
                let set = self.sound.set_rate(value);
                set.map_err(|e| e.context("resample"))?;
            }
            "dither" => self.dither = truth()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether frames and labels stay as they are.
    pub fn is_idle(&self) -> bool {
        let framed = self.context == (0, 0) && self.ignored.is_none() && self.map.is_none();
        framed && !self.random && self.tier.is_none() && self.sound().is_idle()
    }

    /// What becomes of sound, with the seed of its dither.
    pub fn sound(&self) -> SoundChoice {
        SoundChoice {
            dither: self.dither.then(|| self.rng.seed()),
            ..self.sound
        }
    }

    /// Whether what comes of them is partitions of shuffled frames, and no utterances.
    pub fn shuffles(&self) -> bool {
        self.random
    }

    /// Whether they make the places where utterances start and end meaningless.
    pub fn gives_up_boundaries(&self) -> bool {
        self.random || self.partition.is_some()
    }
}
