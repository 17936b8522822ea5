//! Formats that hold one utterance a file.

use super::{Caps, Reader, Writer, Written};
use crate::bytes::{Env, Output, Part, Sink, Source};
use crate::model::{DatasetInfo, Key, Utterance};
use crate::{Error, Result};

/// Reads the one utterance of a file, whose key is the name of the file.
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
    /// A reader of what `source`, which may be behind a header by now, holds. `info` is what is
    /// known of it but for the number of utterances and the source of keys; `fill`
    /// [starts](Utterance::start) an utterance and fills all but its key and its file; if that is a
    /// portion, it is called for the next.
    ///
    /// # Errors
    /// The system refuses to say whether it is a file.
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

/// Writes each utterance to a file of its own.
pub struct OneWriter<F> {
    output: Output,
    caps: Caps,
    extension: &'static str,
    encode: F,
    /// The file of an utterance of which there is more to come.
    open: Option<Sink>,
    written: Written,
}

impl<F> OneWriter<F>
where
    F: FnMut(&Utterance, &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> + Send,
{
    /// A writer of files with `extension` that hold what `caps` say. `encode` gives their bytes, of
    /// which there are some, as [`Nested::write`](super::Nested::write) does: none before all is
    /// checked.
    pub fn new(output: Output, caps: Caps, extension: &'static str, encode: F) -> Self {
        Self {
            output,
            caps,
            extension,
            encode,
            open: None,
            written: Written::default(),
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

    fn finish(self: Box<Self>) -> Result<Written> {
        if self.written.utterances == 0 && !self.output.is_folder() {
            return Err(Error::unfit("no utterance to write").file(self.output.name()));
        }
        Ok(self.written)
    }
}
