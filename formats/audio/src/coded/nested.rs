//! Compressed audio inside containers.

use spr_core::bytes::{Env, ObjectBounds, SampleStream, Source};
use spr_core::format::{Claim, Keys, Nested};
use spr_core::model::{Audio, RecordingFacts, Utterance};
use spr_core::{Error, Result};

use super::CodedKind;
use super::stream::CodedStream;

/// A compressed file inside a container.
pub(crate) struct NestedCoded(pub(crate) fn() -> &'static CodedKind);

impl Nested for NestedCoded {
    fn claim(&self, head: &[u8]) -> Claim {
        match (self.0().starts)(head) {
            true => Claim::Magic,
            false => Claim::No,
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let mut coded = (self.0().open)(source, env)?;
        let mut sound = utt.take_waveform();
        coded.decode_all(source, extent, &mut sound, env)?;
        utt.audio = Some(Audio::Samples(sound));
        utt.meta.tags.extend(coded.tags());
        Ok(())
    }

    fn facts(&self, source: &mut Source, env: &Env) -> Result<RecordingFacts> {
        let mut coded = (self.0().open)(source, env)?;
        let mut facts = coded.facts();
        if facts.samples.is_none() {
            facts.samples = coded.count(source, env)?;
        }
        Ok(facts)
    }

    fn samples(&self, mut source: Source, env: &Env) -> Result<Box<dyn SampleStream>> {
        let coded = (self.0().open)(&mut source, env)?;
        Ok(Box::new(CodedStream::new(source, coded, env)))
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let kind = self.0();
        kind.caps(Keys::Any).check(utt)?;
        match &utt.audio {
            Some(Audio::Samples(sound)) => put(&(kind.encoder)(1)(sound, &utt.meta.tags)?),
            _ => Err(Error::unfit("has no samples")),
        }
    }
}
