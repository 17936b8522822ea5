//! One file, one utterance.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Env, Source, key_of_file};
use spr_core::format::Reader;
use spr_core::model::{Audio, DatasetInfo, Key, KeySource, Tag, Utterance};

use crate::coding::{Coding, Extent};

/// What stands behind the samples is taken and checked; tags may be added.
pub(crate) type Finish = Box<dyn FnOnce(&mut Source, &mut Utterance, &Env) -> Result<()> + Send>;

/// What a header says of the samples that follow it.
pub(crate) struct Head {
    /// Samples a second.
    pub(crate) rate: u32,
    pub(crate) channels: u64,
    pub(crate) coding: Coding,
    pub(crate) order: ByteOrder,
    pub(crate) extent: Extent,
    pub(crate) tags: Vec<Tag>,
    pub(crate) finish: Finish,
}

/// Reads the samples behind a header.
pub(crate) struct AudioReader {
    source: Source,
    head: Option<Head>,
    key: Key,
    info: DatasetInfo,
    env: Env,
}

impl AudioReader {
    pub(crate) fn new(source: Source, head: Head, env: &Env) -> Self {
        let named = source.path().filter(|path| path.is_file());
        let (key, keys) = match named.map(key_of_file) {
            Some(key) => (key, KeySource::Stored),
            None => (Key::generated(0), KeySource::Generated),
        };
        let coders = [source.compression(), head.coding.coder().map(str::to_owned)];
        let coders: Vec<_> = coders.into_iter().flatten().collect();
        let info = DatasetInfo {
            utterances: Some(1),
            byte_order: (head.coding.width() > 1).then_some(head.order),
            compression: (!coders.is_empty()).then(|| coders.join("+")),
            sample_rate: Some(head.rate),
            keys,
            ..DatasetInfo::default()
        };
        Self {
            source,
            head: Some(head),
            key,
            info,
            env: env.clone(),
        }
    }
}

impl Reader for AudioReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(head) = self.head.take() else {
            return Ok(false);
        };
        let mut audio = utt.audio.take().unwrap_or_default();
        utt.clear_data();
        utt.meta.clear();
        utt.key.set(self.key.as_bytes());
        let Audio { rate, samples } = &mut audio;
        *rate = head.rate;
        head.coding.read(
            &mut self.source,
            samples,
            head.channels,
            head.order,
            head.extent,
            &self.env.limits,
        )?;
        utt.audio = Some(audio);
        utt.meta.tags = head.tags;
        (head.finish)(&mut self.source, utt, &self.env)?;
        Ok(true)
    }
}

/// Refuses what follows where the file should end.
///
/// # Errors
/// There is something.
pub(crate) fn end(source: &mut Source) -> Result<()> {
    if source.at_end()? {
        return Ok(());
    }
    Err(source.malformed("the file goes on after the samples"))
}
