//! Files with one utterance.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{OneReader, OpenedDataset};
use spr_core::model::{Audio, AudioFacts, DatasetInfo, Tag, Utterance, Waveform};
use spr_core::{ErrorKind, Result};

use crate::coding::{Amount, SampleCoding};
use crate::damaged::{Fault, SalvageReader};

/// Reads and checks the data behind the samples, and may add tags.
pub(crate) type Finish = Box<dyn FnOnce(&mut Source, &mut Utterance, &Env) -> Result<()> + Send>;

/// The header of the samples that follow it.
pub(crate) struct Head {
    /// The sampling rate in Hz.
    pub(crate) rate: u32,
    pub(crate) channels: u64,
    pub(crate) coding: SampleCoding,
    pub(crate) order: ByteOrder,
    pub(crate) amount: Amount,
    pub(crate) tags: Vec<Tag>,
    pub(crate) finish: Finish,
}

impl Head {
    /// Reads the samples behind the header into `sound` and moves them to `utt`.
    pub(crate) fn read(
        self,
        source: &mut Source,
        mut sound: Waveform,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        sound.rate = self.rate;
        self.coding.read(
            source,
            &mut sound.samples,
            self.channels,
            self.order,
            self.amount,
            &env.limits,
        )?;
        utt.audio = Some(Audio::Samples(sound));
        utt.meta.tags.extend(self.tags);
        (self.finish)(source, utt, env)
    }
}

impl Head {
    /// Returns the size of the samples, if the header tells it.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self.amount {
            Amount::Rows(rows) => {
                let block = self.channels.saturating_mul(self.coding.width());
                rows.checked_mul(block)
            }
            Amount::ToEnd | Amount::Checked(_) => None,
        }
    }

    /// Checks that the samples that the header counts are there, as far as that is known without
    /// reading them.
    ///
    /// # Errors
    /// The file is cut off.
    pub(crate) fn expect(&self, source: &Source) -> Result<()> {
        let block = self.channels.saturating_mul(self.coding.width());
        match self.amount {
            Amount::Rows(rows) => source.expect(rows.saturating_mul(block)),
            Amount::ToEnd | Amount::Checked(_) => Ok(()),
        }
    }

    /// Returns the facts in the header. If it lacks the number of samples, the rest of `source` is
    /// counted.
    pub(crate) fn facts(&self, source: &Source) -> AudioFacts {
        let block = self.channels.saturating_mul(self.coding.width());
        AudioFacts {
            rate: Some(self.rate),
            channels: u32::try_from(self.channels).ok(),
            samples: match self.amount {
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
    let coders = [source.compression(), head.coding.coder().map(str::to_owned)];
    let coders: Vec<_> = coders.into_iter().flatten().collect();
    let mut info = DatasetInfo::default();
    info.byte_order = (head.coding.width() > 1).then_some(head.order);
    info.compression = (!coders.is_empty()).then(|| coders.join("+"));
    info.sample_rate = Some(head.rate);
    info.sample_bits = u32::try_from(8 * head.coding.width()).ok();
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
        let block = self.channels.saturating_mul(self.coding.width());
        let rows = source.remaining().and_then(|left| left.checked_div(block));
        let expected = match self.amount {
            Amount::Rows(expected) => Some(expected),
            Amount::ToEnd | Amount::Checked(_) => None,
        };
        if let Some(rows) = rows
            && expected.is_none_or(|expected| expected > rows)
        {
            self.amount = Amount::Rows(rows);
            if let Some(expected) = expected {
                let message = format!("the file ends after {rows} of {expected} samples");
                fault.keep(source.error(ErrorKind::Truncated, message))?;
            }
        }
        let finish = std::mem::replace(&mut self.finish, Box::new(|_, _, _| Ok(())));
        let fault = fault.clone();
        self.finish = Box::new(move |source, utt, env| match finish(source, utt, env) {
            Err(e) => fault.keep(e),
            other => other,
        });
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
