//! Readers that choose utterances by what their columns say.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::stage::Filter;
use spr_core::{Error, Remedy, Result};
use spr_stats::{Expression, ListColumn, Row};

/// The utterances of which an expression is true.
pub(super) struct ConditionReader {
    inner: Box<dyn Reader>,
    wanted: Expression,
    /// The columns that are compared and were not known of any utterance yet.
    unknown: Vec<&'static ListColumn>,
    /// Whether an utterance was read.
    any: bool,
    env: Env,
    info: DatasetInfo,
}

impl ConditionReader {
    /// Chooses utterances of `inner`. Columns that are never known are warned of in `env`.
    pub(super) fn new(inner: Box<dyn Reader>, wanted: Expression, env: &Env) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            unknown: wanted.compared(),
            wanted,
            any: false,
            env: env.clone(),
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
            let row = Row::new(utt, self.inner.info().frame_shift);
            self.unknown.retain(|column| column.take(&row).is_none());
            if self.wanted.holds(&row) {
                return Ok(true);
            }
        }
        self.warn();
        Ok(false)
    }
}

/// The utterances that last from `least` to `most` seconds. Each must have a known duration.
pub(super) fn lasting(inner: Box<dyn Reader>, (least, most): (f64, f64)) -> Box<dyn Reader> {
    let shift = inner.info().frame_shift;
    Box::new(Filter::new(inner, move |utt: &Utterance| {
        let Some(seconds) = Row::new(utt, shift).seconds() else {
            let error = Error::unfit("its duration is not known").utterance(&utt.key);
            return Err(error.suggest(Remedy::TellFrameShift).continuable());
        };
        Ok((least..=most).contains(&seconds))
    }))
}
