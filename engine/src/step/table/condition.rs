//! Steps that choose utterances by what their columns say, and by how long they last.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::stage::Filter;
use spr_core::{Error, Remedy, Result};
use spr_stats::{Expression, ListColumn, Row};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Reach, Stage};
use super::super::parse::parsed;
use super::super::values::Parameters;

pub(super) static WHERE: Kind = Kind {
    name: "where",
    aliases: &[],
    usage: "where('EXPRESSION'), such as where('seconds > 1 and text')",
    what: "utterances of which an expression over the columns of `ls` is true",
    parameters: Parameters::of(&["expression"]),
    options: &[],
    flags: &["where", "min-text", "has"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| {
        let wanted: Expression = parsed(values, "expression", "an expression")?;
        let columns = wanted.names();
        let stage = Stage::new(Reach::Utterance, [], move |reader, at| {
            Ok(Box::new(ConditionReader::new(
                reader,
                wanted.clone(),
                at.env,
            )))
        });
        stage.by(columns).parsed()
    },
};

pub(super) static SECONDS: Kind = Kind {
    name: "seconds",
    usage: "seconds(N-N), seconds(N-) or seconds(-N)",
    what: "utterances of so many seconds",
    parameters: Parameters::of(&["seconds"]),
    flags: &["min-seconds", "max-seconds"],
    parse: |values| {
        let range = values.need("seconds", durations, "seconds, such as 1.5-20, 1- or -20")?;
        let stage = Stage::new(Reach::Utterance, ["seconds"], move |reader, _| {
            let shift = reader.info().frame_shift;
            let fits = move |utt: &Utterance| {
                let seconds = Row::new(utt, shift)
                    .duration()
                    .map_err(Error::continuable)?;
                Ok((range.0..=range.1).contains(&seconds))
            };
            Ok(Box::new(Filter::new(reader, fits)))
        });
        stage.parsed()
    },
    ..WHERE
};

/// Parses the shortest and the longest duration, of which one may be missing.
fn durations(text: &str) -> Option<(f64, f64)> {
    let (least, most) = text.split_once('-')?;
    let bound = |text: &str, missing| match text {
        "" => Some(missing),
        _ => {
            let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            text.parse::<f64>().ok().filter(|_| plain)
        }
    };
    let range = (bound(least, 0.0)?, bound(most, f64::INFINITY)?);
    (range.0 <= range.1 && text != "-").then_some(range)
}

pub(super) static HOURS: Kind = Kind {
    name: "hours",
    usage: "hours(HOURS)",
    what: "the first utterances that add up to so many hours",
    parameters: Parameters::of(&["n"]),
    flags: &["hours"],
    parse: |values| {
        let length = |text: &str| {
            text.parse()
                .ok()
                .filter(|n: &f64| *n > 0.0 && n.is_finite())
        };
        let length = values.need("n", length, "a duration in hours")?;
        let stage = Stage::new(Reach::Others, ["seconds"], move |reader, _| {
            Ok(hours(reader, length))
        });
        stage.parsed()
    },
    ..WHERE
};

/// Utterances from the first on, as long as they last no longer than so many hours together. One that
/// lasts longer than what is left is left out.
fn hours(inner: Box<dyn Reader>, hours: f64) -> Box<dyn Reader> {
    let mut left = hours * 3600.0;
    let shift = inner.info().frame_shift;
    Box::new(Filter::new(inner, move |utt: &Utterance| {
        let seconds = Row::new(utt, shift).duration();
        let seconds = seconds.map_err(Error::continuable)?;
        let fits = seconds <= left;
        left -= if fits { seconds } else { 0.0 };
        Ok(fits)
    }))
}

/// The utterances of which an expression is true.
struct ConditionReader {
    inner: Box<dyn Reader>,
    wanted: Expression,
    /// The columns that are compared and were not known of any utterance yet.
    unknown: Vec<&'static ListColumn>,
    /// Set once an utterance was read.
    any: bool,
    env: Env,
    info: DatasetInfo,
}

impl ConditionReader {
    /// Chooses utterances of `inner`. Columns that are never known are warned of in `env`.
    fn new(inner: Box<dyn Reader>, wanted: Expression, env: &Env) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            unknown: wanted.compared(),
            env: env.clone(),
            wanted,
            any: false,
        }
    }

    /// Warns of columns that were never known, once.
    fn warn(&mut self) {
        for column in std::mem::take(&mut self.unknown) {
            if !self.any {
                continue;
            }
            let name = column.name;
            let message = format!("no utterance has '{name}': comparisons with it are false");
            let warning = Error::unfit(message);
            self.env.warn(&match name {
                "seconds" => warning.suggest(Remedy::TellFrameShift),
                _ => warning,
            });
        }
    }
}

impl Reader for ConditionReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            self.any = true;
            let shift = self.inner.info().frame_shift;
            let row = Row::new(utt, shift);
            self.unknown.retain(|column| column.take(&row).is_none());
            if self.wanted.holds(&row) {
                return Ok(true);
            }
        }
        self.warn();
        Ok(false)
    }
}
