//! Readers and writers for formats with one utterance per file.

use super::{Caps, Reader, WriteSummary, Writer};
use crate::bytes::{Env, Output, Part, Sink, Source};
use crate::error::{Error, Result};
use crate::model::{DatasetInfo, Key, Utterance};

/// A reader of the only utterance of a file, whose key is the name of the file.
pub struct OneReader<F> {
    source: Source,
    key: Key,
    info: DatasetInfo,
    env: Env,
    fill: Option<F>,
}

impl<F> OneReader<F>
where
    F: FnMut(&mut Source, &mut Utterance, &Env) -> Result<()> + Send,
{
    /// Creates a reader of `source`, which may already be after a header. `info` is the known
    /// information without the number of utterances and the source of keys. `fill`
    /// [starts](Utterance::start) an utterance and fills everything but its key and file; after a
    /// chunk, it is called for the next one.
    ///
    /// # Errors
    /// The file system refuses to tell whether it is a file.
    pub fn new(source: Source, info: DatasetInfo, env: &Env, fill: F) -> Result<Self> {
        let (key, keys) = env.key_of(&source)?;
        Ok(Self {
            source,
            key,
            info: DatasetInfo {
                utterances: Some(1),
                keys,
                ..info
            },
            env: env.clone(),
            fill: Some(fill),
        })
    }
}

impl<F> Reader for OneReader<F>
where
    F: FnMut(&mut Source, &mut Utterance, &Env) -> Result<()> + Send,
{
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(mut fill) = self.fill.take() else {
            return Ok(false);
        };
        fill(&mut self.source, utt, &self.env)?;
        self.fill = (!utt.ends()).then_some(fill);
        utt.key.set(self.key.as_bytes());
        utt.origin.file = Some(self.source.name().into());
        Ok(true)
    }
}

/// A writer of each utterance to a separate file.
pub struct OneWriter<F> {
    output: Output,
    caps: Caps,
    extension: &'static str,
    encode: F,
    /// The file of an unfinished utterance.
    open: Option<Sink>,
    written: WriteSummary,
}

impl<F> OneWriter<F>
where
    F: FnMut(&Utterance, &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> + Send,
{
    /// Creates a writer of files with `extension` and the capabilities `caps`. `encode` passes
    /// their bytes on, at least one, like [`Nested::write`](super::Nested::write): none before
    /// everything is checked.
    pub fn new(output: Output, caps: Caps, extension: &'static str, encode: F) -> Self {
        Self {
            output,
            caps,
            extension,
            encode,
            open: None,
            written: WriteSummary::default(),
        }
    }
}

impl<F> Writer for OneWriter<F>
where
    F: FnMut(&Utterance, &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> + Send,
{
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let named = self.output.accept(&utt.key, self.extension);
        let checked = named.and_then(|()| self.caps.check(utt));
        let encoded = checked.and_then(|()| (self.encode)(utt, &mut |_| Ok(())));
        encoded.map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let output = &self.output;
        let part = Part::Utterance(&utt.key, self.extension);
        let mut opened = self.open.take();
        let mut failed = false;
        let mut put = |bytes: &[u8]| {
            let done = match &mut opened {
                Some(sink) => sink.put(bytes),
                None => output
                    .create(part, false)
                    .and_then(|sink| opened.insert(sink).put(bytes)),
            };
            failed |= done.is_err();
            done
        };
        let checked = self.caps.check(utt);
        let encoded = checked.and_then(|()| (self.encode)(utt, &mut put));
        encoded.map_err(|e| match failed {
            true => e,
            false => e.utterance(&utt.key).continuable(),
        })?;
        match opened {
            Some(sink) if utt.ends() => self.written.bytes += sink.finish()?,
            opened => self.open = opened,
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        if self.written.utterances == 0 && !self.output.is_folder() {
            return Err(Error::unfit("no utterance to write").file(self.output.name()));
        }
        Ok(self.written)
    }
}
