//! Steps that change sound.

use spr_core::format::Partitioning;
use spr_core::stage::{ReaderExt, SoundChoice};

use super::super::kind::{Alias, DataOption, Kind, Level, Phase, Subject};
use super::super::parse::{built, sound};
use super::super::spec::truth;
use super::super::values::{Parameters, Values};
use super::{as_written, never, nothing};

pub(super) static SAMPLES: Kind = Kind {
    name: "samples",
    aliases: &[],
    usage: "samples",
    what: "sound as samples, loaded from where it is",
    parameters: Parameters::NONE,
    reads: &[],
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Sound,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: as_written,
    build: |_| built(|reader, at| Ok(reader.samples(at.env))),
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
        positional: &[],
        many: false,
        named: &["channel", "rate", "dtype", "seed"],
        words: &["dither"],
    },
    reads: &[],
    options: &[
        DataOption {
            key: "channel",
            flag: Some("channel"),
            expected: "a channel counted from 0, or mix",
            set: |asked, text| {
                text.parse::<spr_core::stage::Channels>()
                    .map_err(|e| e.context("channel"))?;
                asked.set("sound", "channel", text);
                Ok(true)
            },
        },
        DataOption {
            key: "resample",
            flag: Some("rate"),
            expected: "samples a second",
            set: |asked, text| {
                let mut choice = SoundChoice::default();
                choice.set_rate(text).map_err(|e| e.context("resample"))?;
                asked.set("sound", "rate", text);
                Ok(true)
            },
        },
        DataOption {
            key: "dither",
            flag: Some("dither"),
            expected: "True or False",
            set: |asked, text| {
                match truth(text) {
                    Some(true) => asked.set("sound", "dither", "dither"),
                    Some(false) => asked.clear("sound", "dither"),
                    None => return Ok(false),
                }
                Ok(true)
            },
        },
    ],
    flags: &[],
    phase: Phase::Sound,
    subject: Subject::Sound,
    takes: Level::Utterances,
    gives: None,
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: |values| sound(values).is_ok_and(|choice| choice.is_idle()),
    describe,
    build: |values| {
        let choice = sound(values)?;
        built(move |reader, at| Ok(choice.over(reader, at.env)))
    },
};

fn describe(values: &Values, _: Partitioning) -> String {
    let mut parts = Vec::new();
    let Ok(choice) = sound(values) else {
        return values.to_string();
    };
    parts.extend(
        choice
            .channels
            .map(|channels| format!("of sound {channels}")),
    );
    parts.extend(
        choice
            .rate
            .map(|rate| format!("sound at {rate} samples a second")),
    );
    parts.extend(choice.dither.map(|seed| format!("dithered, seed {seed}")));
    parts.join("; ")
}
