//! Files with one utterance.

use spr_core::bytes::{Env, Source};
use spr_core::format::{OneReader, OpenedDataset};
use spr_core::model::{Audio, DatasetInfo, RecordingFacts, Tag, Utterance, Waveform};
use spr_core::{ErrorKind, Result};

use crate::coding::{Amount, PlainSamples};
use crate::damaged::{Fault, SalvageReader};

/// Reads and checks the data after the samples, which may add tags.
pub(crate) type Finish =
    Box<dyn FnOnce(&mut Source, &PlainSamples, &mut Vec<Tag>, &Env) -> Result<()> + Send>;

/// The header of the samples that follow it.
pub(crate) struct Head {
    /// The sampling rate in Hz.
    pub(crate) rate: u32,
    pub(crate) samples: PlainSamples,
    /// The number of samples per channel in the header, where the size of the file decides.
    pub(crate) told: Option<u64>,
    pub(crate) tags: Vec<Tag>,
    pub(crate) finish: Finish,
}

impl Head {
    /// Reads the samples behind the header into `sound` and moves them to `utt`.
    pub(crate) fn read(
        mut self,
        source: &mut Source,
        mut sound: Waveform,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        sound.rate = self.rate;
        self.samples
            .read_all(source, &mut sound.samples, &env.limits)?;
        utt.audio = Some(Audio::Samples(sound));
        utt.meta.tags.extend(self.tags);
        (self.finish)(source, &self.samples, &mut utt.meta.tags, env)
    }

    /// Returns the size of the samples, if the header tells it.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self.samples.amount {
            Amount::Rows(rows) => rows.checked_mul(self.samples.block()),
            Amount::ToEnd | Amount::Checked(_) => None,
        }
    }

    /// Checks that the samples that the header counts are there, as far as that is known without
    /// reading them.
    ///
    /// # Errors
    /// The file is cut off.
    pub(crate) fn expect(&self, source: &Source) -> Result<()> {
        let Amount::Rows(rows) = self.samples.amount else {
            return Ok(());
        };
        if let Some(told) = self.told.filter(|told| *told > rows) {
            return Err(self.samples.cut_short(source, told, rows));
        }
        source.expect(rows.saturating_mul(self.samples.block()))
    }

    /// Returns the facts in the header. If it lacks the number of samples, the rest of `source` is
    /// counted.
    pub(crate) fn facts(&self, source: &Source) -> RecordingFacts {
        let block = self.samples.block();
        RecordingFacts {
            rate: Some(self.rate),
            channels: u32::try_from(self.samples.channels).ok(),
            samples: match self.samples.amount {
                Amount::Rows(rows) => Some(rows),
                Amount::ToEnd => source.remaining().and_then(|left| left.checked_div(block)),
                Amount::Checked(_) => None,
            },
            duration: None,
        }
    }
}

/// Opens the samples behind a header; with `damaged`, those that are intact.
pub(crate) fn open(
    source: Source,
    mut head: Head,
    damaged: bool,
    env: &Env,
) -> Result<OpenedDataset> {
    let coders = [
        source.compression(),
        head.samples.coding.coder().map(str::to_owned),
    ];
    let coders: Vec<_> = coders.into_iter().flatten().collect();
    let mut info = DatasetInfo::default();
    info.byte_order = (head.samples.coding.width() > 1).then_some(head.samples.order);
    info.compression = (!coders.is_empty()).then(|| coders.join("+"));
    info.sample_rate = Some(head.rate);
    info.sample_bits = u32::try_from(8 * head.samples.coding.width()).ok();
    let fault = Fault::default();
    let source = match damaged {
        true => {
            let source = source.into_seekable()?;
            head.salvage(&source, &fault)?;
            source
        }
        false => source,
    };
    let mut head = Some(head);
    let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
        let sound = utt.take_waveform();
        utt.start();
        match head.take() {
            Some(head) => head.read(source, sound, utt, env),
            None => Ok(()),
        }
    };
    let reader = OneReader::new(source, info, env, fill)?;
    Ok(match damaged {
        true => OpenedDataset::stream(SalvageReader::new(reader, fault)),
        false => OpenedDataset::stream(reader),
    })
}

impl Head {
    /// Limits the samples to those in `source`, and keeps errors in them or behind them in `fault`.
    fn salvage(&mut self, source: &Source, fault: &Fault) -> Result<()> {
        let block = self.samples.block();
        let rows = source.remaining().and_then(|left| left.checked_div(block));
        let expected = match self.samples.amount {
            Amount::Rows(expected) => Some(expected),
            Amount::ToEnd | Amount::Checked(_) => None,
        };
        if let Some(rows) = rows
            && expected.is_none_or(|expected| expected > rows)
        {
            self.samples.amount = Amount::Rows(rows);
            if let Some(expected) = expected {
                let message = format!("the file ends after {rows} of {expected} samples");
                fault.keep(source.error(ErrorKind::Truncated, message))?;
            }
        }
        let finish = std::mem::replace(&mut self.finish, Box::new(|_, _, _, _| Ok(())));
        let fault = fault.clone();
        self.finish =
            Box::new(
                move |source, samples, tags, env| match finish(source, samples, tags, env) {
                    Err(e) => fault.keep(e),
                    other => other,
                },
            );
        Ok(())
    }
}

/// Fails unless the file ends here.
///
/// # Errors
/// There are more bytes.
pub(crate) fn end(source: &mut Source) -> Result<()> {
    if source.at_end()? {
        return Ok(());
    }
    Err(source.malformed("the file goes on after the samples"))
}
