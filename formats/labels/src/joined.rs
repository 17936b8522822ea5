//! The writer of recordings whose segments arrive in any order.

use std::collections::BTreeMap;

use spr_core::bytes::{MemoryCounter, Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Key, Utterance};
use spr_core::{Limits, Remedy, Result};

/// A writer of recordings, whose segments arrive in any order.
pub(crate) struct RecordingWriter<F> {
    caps: Caps,
    sink: Sink,
    encode: F,
    /// The data so far, by recording and channel.
    recordings: BTreeMap<(Key, Option<Key>), Utterance>,
    held: MemoryCounter,
    limits: Limits,
    written: WriteSummary,
}

impl<F> RecordingWriter<F>
where
    F: FnMut(&Utterance, &mut Vec<u8>) -> Result<()> + Send,
{
    /// Creates a writer with the capabilities `caps`; `encode` appends the lines of a recording.
    pub(crate) fn new(output: &Output, caps: Caps, limits: Limits, encode: F) -> Result<Self> {
        Ok(Self {
            caps,
            sink: output.create(Part::Main, false)?,
            encode,
            recordings: BTreeMap::new(),
            held: MemoryCounter::new("the labels of recordings"),
            limits,
            written: WriteSummary::default(),
        })
    }

    fn check(&mut self, utt: &Utterance) -> Result<()> {
        self.caps.check(utt)?;
        (self.encode)(utt, &mut Vec::new())
    }
}

impl<F> Writer for RecordingWriter<F>
where
    F: FnMut(&Utterance, &mut Vec<u8>) -> Result<()> + Send,
{
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        let kept = utt.bytes();
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        let held = self.held.keep(kept, &self.limits);
        held.map_err(|e| e.file(self.sink.name()).suggest(Remedy::RaiseLimit))?;
        let place = (utt.key.clone(), utt.meta.channel.clone());
        self.written.count(utt);
        match self.recordings.get_mut(&place) {
            None => {
                self.recordings.insert(place, utt.clone());
            }
            Some(whole) => {
                for (whole, more) in whole.tiers.iter_mut().zip(&utt.tiers) {
                    whole.segments.extend_from_slice(&more.segments);
                }
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let mut bytes = Vec::new();
        for (_, mut utt) in std::mem::take(&mut self.recordings) {
            for tier in &mut utt.tiers {
                tier.segments
                    .sort_by_key(|segment| (segment.start, segment.end));
            }
            bytes.clear();
            (self.encode)(&utt, &mut bytes).map_err(|e| e.utterance(&utt.key))?;
            self.sink.put(&bytes)?;
        }
        let mut written = self.written;
        written.bytes = self.sink.finish()?;
        Ok(written)
    }
}
