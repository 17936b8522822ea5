//! The three uncompressed formats.

use spr_core::bytes::{Env, ObjectBounds, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Keys, Medium, Nested, OneWriter, OpenedDataset, Options, Probe,
    Request, Score, Writer,
};
use spr_core::model::{About, Utterance};
use spr_core::{Error, Remedy, Result};

use crate::kind::{AudioKind, score};
use crate::writer::Encoder;
use crate::{au, reader, sphere, wav};

/// A format of audio files with one utterance each.
pub struct AudioFormat(&'static AudioKind);

/// RIFF wave files.
pub static WAV: AudioFormat = AudioFormat(&wav::KIND);

/// NIST SPHERE files.
pub static SPHERE: AudioFormat = AudioFormat(&sphere::KIND);

/// AU files, of Sun and NeXT.
pub static AU: AudioFormat = AudioFormat(&au::KIND);

impl Format for AudioFormat {
    fn info(&self) -> &'static FormatInfo {
        &self.0.info
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        score(&self.0.info, self.0.starts, head)
    }

    fn caps(&self, _options: &Options, medium: Medium) -> Result<Caps> {
        Ok(self.0.caps(Keys::of_files(medium)))
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let head = (self.0.open)(&mut source, ObjectBounds::Whole, options, env)
            .map_err(|e| e.file(source.name()))?;
        reader::open(source, head, request.damaged, env)
    }

    fn create(
        &self,
        output: Output,
        _options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let extension = self.0.info.extensions[0];
        let mut encoder = Encoder::new(self.0);
        let (caveat, env, name) = (self.0.caveat, env.clone(), output.name().to_owned());
        let mut warned = false;
        let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
            let dtype = utt.waveform().map(|sound| sound.samples.dtype());
            if let Some(message) = dtype.and_then(caveat).filter(|_| !warned) {
                warned = true;
                let warning = Error::unfit(message).suggest(Remedy::SixteenBits);
                env.warn(&warning.file(&name).utterance(&utt.key));
            }
            encoder.encode(utt, put)
        };
        let caps = self.0.caps(Keys::of_files(output.medium()));
        Ok(Box::new(OneWriter::new(output, caps, extension, encode)))
    }

    fn nested(&self) -> Option<&dyn Nested> {
        self.0.nested
    }
}
