//! Uncompressed files that another file names.

use spr_core::bytes::{Env, ObjectBounds, SampleStream, Source};
use spr_core::format::{Claim, Keys, Nested, Options};
use spr_core::model::{RecordingFacts, Utterance};
use spr_core::{Error, Result};

use crate::kind::AudioKind;
use crate::stream::PlainStream;
use crate::writer::Encoder;

/// A file of one of the formats. Others can follow it if its header counts its samples.
pub(crate) struct NestedPlain(pub(crate) fn() -> &'static AudioKind);

impl Nested for NestedPlain {
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
        let kind = self.0();
        let head = (kind.open)(source, extent, &Options::default(), env);
        let head = head.map_err(|e| e.file(source.name()))?;
        if extent == ObjectBounds::Own && head.bytes().is_none() {
            let name = kind.info.name;
            let message = format!("a {name} file without a length, with other objects behind it");
            return Err(Error::unsupported(message).file(source.name()));
        }
        let sound = utt.take_waveform();
        head.read(source, sound, utt, env)
    }

    fn facts(&self, source: &mut Source, env: &Env) -> Result<RecordingFacts> {
        let head = (self.0().open)(source, ObjectBounds::Whole, &Options::default(), env);
        Ok(head.map_err(|e| e.file(source.name()))?.facts(source))
    }

    fn samples(&self, mut source: Source, env: &Env) -> Result<Box<dyn SampleStream>> {
        let head = (self.0().open)(&mut source, ObjectBounds::Whole, &Options::default(), env);
        let head = head.map_err(|e| e.file(source.name()))?;
        Ok(Box::new(PlainStream::new(source, head, env)?))
    }

    fn pass(&self, _source: &mut Source, _env: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let kind = self.0();
        kind.caps(Keys::Any).check(utt)?;
        Encoder::new(kind).encode(utt, put)
    }
}
