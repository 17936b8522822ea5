//! Readers that choose utterances by what their columns say.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{Audio, DatasetInfo, Utterance};
use spr_core::recording;
use spr_core::{Error, Remedy, Result};
use spr_stats::{Expression, ListColumn, Row};

/// What columns ask of sound that an utterance only names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hearing {
    Nothing,
    Header,
    Samples,
}

impl Hearing {
    /// Returns what an expression asks for.
    fn of(wanted: &Expression) -> Self {
        let uses = |columns: &[&str]| columns.iter().any(|column| wanted.uses(column));
        if uses(&["peak_db", "rms_db", "clipped", "zeros", "dtype"]) {
            return Self::Samples;
        }
        match uses(&["rate", "channels", "seconds", "frames", "dim"]) {
            true => Self::Header,
            false => Self::Nothing,
        }
    }
}

/// Looks at the sound of utterances, which stays as it was.
struct Listener {
    hearing: Hearing,
    env: Env,
}

impl Listener {
    fn new(hearing: Hearing, env: &Env) -> Self {
        Self {
            hearing,
            env: env.clone(),
        }
    }

    /// Returns what `look` says of an utterance with as much of its sound as is asked for.
    ///
    /// # Errors
    /// The sound cannot be read.
    fn look<T>(&mut self, utt: &mut Utterance, look: impl FnOnce(&Utterance) -> T) -> Result<T> {
        let is_named = match (self.hearing, &utt.audio) {
            (Hearing::Nothing, _) | (_, None | Some(Audio::Samples(_))) => false,
            (Hearing::Samples, Some(_)) => true,
            (Hearing::Header, Some(audio)) => {
                let facts = audio.facts();
                facts.rate().is_none() || facts.channels().is_none() || facts.samples().is_none()
            }
        };
        if !is_named {
            return Ok(look(utt));
        }
        let kept = utt.audio.clone();
        let heard = match self.hearing {
            Hearing::Samples => recording::load(utt, &self.env),
            Hearing::Nothing | Hearing::Header => recording::measure(utt, &self.env),
        };
        let found = heard.map(|()| look(utt));
        utt.audio = kept;
        found.map_err(|error| error.utterance(&utt.key).continuable())
    }
}

/// The utterances of which an expression is true.
pub(super) struct ConditionReader {
    inner: Box<dyn Reader>,
    wanted: Expression,
    /// The columns that are compared and were not known of any utterance yet.
    unknown: Vec<&'static ListColumn>,
    /// Whether an utterance was read.
    any: bool,
    listener: Listener,
    info: DatasetInfo,
}

impl ConditionReader {
    /// Chooses utterances of `inner`. Columns that are never known are warned of in `env`.
    pub(super) fn new(inner: Box<dyn Reader>, wanted: Expression, env: &Env) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            unknown: wanted.compared(),
            listener: Listener::new(Hearing::of(&wanted), env),
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
            self.listener.env.warn(&match name {
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
            let (wanted, unknown) = (&self.wanted, &mut self.unknown);
            let holds = self.listener.look(utt, |utt| {
                let row = Row::new(utt, shift);
                unknown.retain(|column| column.take(&row).is_none());
                wanted.holds(&row)
            })?;
            if holds {
                return Ok(true);
            }
        }
        self.warn();
        Ok(false)
    }
}

/// The utterances that last so many seconds. Each must have a known duration.
pub(super) struct LastingReader {
    inner: Box<dyn Reader>,
    /// The shortest and the longest duration.
    range: (f64, f64),
    listener: Listener,
    info: DatasetInfo,
}

impl LastingReader {
    /// Chooses utterances of `inner`.
    pub(super) fn new(inner: Box<dyn Reader>, range: (f64, f64), env: &Env) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            range,
            listener: Listener::new(Hearing::Header, env),
        }
    }
}

impl Reader for LastingReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let (least, most) = self.range;
        while self.inner.read(utt)? {
            let shift = self.inner.info().frame_shift;
            let seconds = self
                .listener
                .look(utt, |utt| Row::new(utt, shift).duration())?;
            let seconds = seconds.map_err(Error::continuable)?;
            if (least..=most).contains(&seconds) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
