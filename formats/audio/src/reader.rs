//! One file, one utterance.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{OneReader, Opened};
use spr_core::model::{Audio, DatasetInfo, Tag, Utterance, Waveform};

use crate::coding::{Amount, SampleCoding};

/// What stands behind the samples is taken and checked; tags may be added.
pub(crate) type Finish = Box<dyn FnOnce(&mut Source, &mut Utterance, &Env) -> Result<()> + Send>;

/// What a header says of the samples that follow it.
pub(crate) struct Head {
    /// Samples a second.
    pub(crate) rate: u32,
    pub(crate) channels: u64,
    pub(crate) coding: SampleCoding,
    pub(crate) order: ByteOrder,
    pub(crate) amount: Amount,
    pub(crate) tags: Vec<Tag>,
    pub(crate) finish: Finish,
}

impl Head {
    /// Reads the samples behind the header into `sound` and gives them to `utt`.
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

/// Opens the samples behind a header.
pub(crate) fn open(source: Source, head: Head, env: &Env) -> Result<Opened> {
    let coders = [source.compression(), head.coding.coder().map(str::to_owned)];
    let coders: Vec<_> = coders.into_iter().flatten().collect();
    let mut info = DatasetInfo::default();
    info.byte_order = (head.coding.width() > 1).then_some(head.order);
    info.compression = (!coders.is_empty()).then(|| coders.join("+"));
    info.sample_rate = Some(head.rate);
    let fill = |source: &mut Source, utt: &mut Utterance, env: &Env| {
        let sound = utt
            .audio
            .take()
            .map_or_else(Waveform::default, Audio::into_waveform);
        utt.start();
        (utt.features, utt.labels) = (None, None);
        head.read(source, sound, utt, env)
    };
    Ok(Opened::stream(OneReader::new(source, info, env, fill)?))
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
