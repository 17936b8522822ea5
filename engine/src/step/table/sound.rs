//! Steps that change sound.

use std::sync::Arc;

use spr_core::Result;
use spr_core::format::{Partitioning, Reader};
use spr_core::number::random::Rng;
use spr_core::stage::{Channels, ReaderExt, SoundChoice};

use super::super::kind::{Alias, DataOption, Kind, Level, Phase, Subject};
use super::super::operation::{Operation, Reach, Stage, Surroundings};
use super::super::parse::{SEED, number};
use super::super::spec::truth;
use super::super::values::{Parameters, Values};

pub(super) static SAMPLES: Kind = Kind {
    name: "samples",
    aliases: &[],
    usage: "samples",
    what: "sound as samples, loaded from where it is",
    parameters: Parameters::NONE,
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Sound,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |_| {
        Stage::new(
            Reach::Utterance,
            [],
            |reader, at| Ok(reader.samples(at.env)),
        )
        .parsed()
    },
};

pub(super) static SOUND: Kind = Kind {
    name: "sound",
    aliases: &[
        Alias {
            name: "channel",
            value: "channel",
            usage: "channel(N) or channel(mix[,dither][,seed=N])",
            what: "one channel of sound, counted from 0, or the mean of all",
        },
        Alias {
            name: "resample",
            value: "rate",
            usage: "resample(RATE[,dither][,seed=N])",
            what: "sound at so many samples a second",
        },
    ],
    usage: "sound([channel=N|mix][,rate=N][,dtype=TYPE][,dither][,seed=N])",
    what: "other channels, another rate or type of sound, rounded once",
    parameters: Parameters {
        named: &["channel", "rate", "dtype", "seed"],
        words: &["dither"],
        ..Parameters::NONE
    },
    options: &[
        DataOption {
            key: "channel",
            flag: Some("channel"),
            expected: "a channel counted from 0, or mix",
            set: |asked, text| {
                let channels = text.parse::<Channels>();
                channels.map_err(|e| e.context("channel"))?;
                asked.set("sound", "channel", text);
                Ok(true)
            },
        },
        DataOption {
            key: "resample",
            flag: Some("rate"),
            expected: "samples a second",
            set: |asked, text| {
                let rate = SoundChoice::default().set_rate(text);
                rate.map_err(|e| e.context("resample"))?;
                asked.set("sound", "rate", text);
                Ok(true)
            },
        },
        DataOption {
            key: "dither",
            flag: Some("dither"),
            expected: "True or False",
            set: |asked, text| Ok(asked.set_word("sound", "dither", truth(text))),
        },
    ],
    flags: &[],
    phase: Phase::Sound,
    subject: Subject::Sound,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| Ok(Arc::new(choice(values)?)),
};

/// The requested channels, rate and type of sound.
fn choice(values: &Values) -> Result<SoundChoice> {
    let mut choice = SoundChoice::default();
    if let Some(channels) = values.text("channel") {
        choice.channels = Some(values.made("channel", channels.parse())?);
    }
    if let Some(rate) = values.text("rate") {
        values.made("rate", choice.set_rate(rate))?;
    }
    if let Some(dtype) = values.text("dtype") {
        choice.dtype = Some(values.made("dtype", dtype.parse())?);
    }
    // PDNN's seed has a name.
    let seed = |text: &str| match text {
        "pdnn" => Some(Rng::Pdnn.seed()),
        seed => number(seed),
    };
    let seed = values.get("seed", seed, SEED)?;
    let dithered = values.says("dither");
    if seed.is_some() && !dithered {
        return Err(values.refused("the seed is for dither, which was not asked for"));
    }
    choice.dither = dithered.then_some(seed.unwrap_or_default());
    Ok(choice)
}

impl Operation for SoundChoice {
    fn reach(&self) -> Reach {
        Reach::Utterance
    }

    fn columns(&self) -> &[&'static str] {
        &[]
    }

    fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        Ok(SoundChoice::over(*self, reader, at.env))
    }

    fn is_idle(&self) -> bool {
        SoundChoice::is_idle(self)
    }

    fn describe(&self, _: Partitioning) -> Option<String> {
        let channels = self.channels.map(|channels| format!("of sound {channels}"));
        let rate = self
            .rate
            .map(|rate| format!("sound at {rate} samples a second"));
        let dither = self.dither.map(|seed| format!("dithered, seed {seed}"));
        let parts: Vec<_> = [channels, rate, dither].into_iter().flatten().collect();
        Some(parts.join("; "))
    }
}
