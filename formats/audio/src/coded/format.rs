//! The compressed formats.

use spr_core::bytes::{Env, ObjectBounds, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Keys, Medium, Nested, OneReader, OneWriter, OpenedDataset, Options,
    Probe, Request, Score, Writer,
};
use spr_core::model::{About, Audio, DatasetInfo, EncodedAudio, RecordingFacts, Utterance};
use spr_core::{Error, Result};

use super::{CodedFile, CodedKind};
use crate::damaged::{Fault, SalvageReader};
use crate::kind::score;

/// A format of compressed audio with one utterance per file.
pub struct CodedFormat(pub(crate) &'static CodedKind);

impl Format for CodedFormat {
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
        _options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let kind = self.0;
        if request.files.contains(&kind.info.name) && !request.samples && !request.damaged {
            return stored(kind, source, env);
        }
        let coded = (kind.open)(&mut source, env)?;
        decoded(source, coded, request.damaged, env)
    }

    fn create(
        &self,
        output: Output,
        _options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let kind = self.0;
        let mut encoder = (kind.encoder)(env.threads);
        let caps = kind.caps(Keys::of_files(output.medium()));
        let encode =
            move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| match &utt.audio {
                Some(Audio::Encoded(_)) if !utt.meta.tags.is_empty() => {
                    let message = "has header lines beside a sound file that is kept as it is";
                    Err(Error::unfit(message))
                }
                Some(Audio::Encoded(encoded)) if !encoded.bytes.is_empty() => put(&encoded.bytes),
                Some(Audio::Samples(sound)) => put(&encoder(sound, &utt.meta.tags)?),
                _ => Err(Error::unfit("has no audio")),
            };
        let extension = kind.info.extensions[0];
        Ok(Box::new(OneWriter::new(output, caps, extension, encode)))
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&self.0.nested)
    }
}

/// Returns the information about a file without its samples.
fn info(source: &Source, facts: RecordingFacts) -> DatasetInfo {
    let mut info = DatasetInfo::default();
    info.compression = source.compression();
    info.sample_rate = facts.rate;
    info
}

/// Decodes the samples; with `damaged`, those before the error.
fn decoded(
    source: Source,
    coded: Box<dyn CodedFile>,
    damaged: bool,
    env: &Env,
) -> Result<OpenedDataset> {
    let mut info = info(&source, coded.facts());
    info.sample_bits = coded.bits();
    let (mut coded, fault) = (Some(coded), Fault::default());
    let kept = fault.clone();
    let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
        let mut sound = utt.take_waveform();
        utt.start();
        let Some(mut coded) = coded.take() else {
            return Ok(());
        };
        match coded.decode_all(source, ObjectBounds::Whole, &mut sound, env) {
            Err(e) if damaged && sound.samples.rows() > 0 => kept.keep(e)?,
            other => other?,
        }
        utt.audio = Some(Audio::Samples(sound));
        utt.meta.tags.extend(coded.tags());
        Ok(())
    };
    let reader = OneReader::new(source, info, env, fill)?;
    Ok(match damaged {
        true => OpenedDataset::stream(SalvageReader::new(reader, fault)),
        false => OpenedDataset::stream(reader),
    })
}

/// Reads the file without decoding it.
fn stored(kind: &'static CodedKind, source: Source, env: &Env) -> Result<OpenedDataset> {
    let info = info(&source, RecordingFacts::default());
    let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
        utt.start();
        let bytes = source.rest("a sound file", &env.limits)?;
        let mut file = Source::from_bytes(source.name(), bytes.clone())?;
        let facts = (kind.open)(&mut file, env)?.facts();
        let format = kind.info.name.to_owned();
        utt.audio = Some(Audio::Encoded(EncodedAudio {
            format,
            bytes,
            facts,
        }));
        Ok(())
    };
    Ok(OpenedDataset::stream(OneReader::new(
        source, info, env, fill,
    )?))
}
