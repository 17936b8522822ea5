//! Requests: the parts that a format leaves to stages.

use super::{FolderReader, LoadAudio, SelectFields, SelectKeys, Shard};
use crate::bytes::{Env, Location, Source};
use crate::error::{Error, Result};
use crate::format::{ChunkSupport, FieldSet, Format, OpenedDataset, Options, Reader, Request};

impl Request {
    /// Opens a data set. Stages apply the parts that `format` does not.
    ///
    /// # Errors
    /// The header or the value of an option is invalid, or there is no such shard.
    pub fn open(
        mut self,
        format: &'static dyn Format,
        source: Source,
        options: &Options,
        env: &Env,
    ) -> Result<OpenedDataset> {
        self.settle_chunks();
        let file = self.is_cut().then(|| source.name().to_owned());
        let opened = format.open(source, options, &mut self, env)?;
        match (file, self.take_within()) {
            (Some(file), Some(_)) => {
                let message = "only a part of the file is requested, but it can't be cut";
                Err(Error::unsupported(message).file(file))
            }
            _ => self.rest_of(opened, env),
        }
    }

    /// Opens a folder: one that as a whole is a data set of `format`, or one of files with an
    /// utterance each and an extension of the format or of `kin`.
    ///
    /// # Errors
    /// As for [`open`](Self::open), and for [`FolderReader::open`].
    pub fn open_folder(
        mut self,
        format: &'static dyn Format,
        folder: &Location,
        kin: &[&str],
        options: &Options,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let Some(whole) = format.whole_folder() else {
            let (options, env) = (options.clone(), env.clone());
            let reader = FolderReader::open(folder, format, kin, options, self, env)?;
            return Ok(OpenedDataset::stream(reader));
        };
        self.settle_chunks();
        let opened = whole.open(folder, options, &mut self, env)?;
        self.rest_of(opened, env)
    }

    /// Requests whole utterances if chunks could not be distinguished.
    fn settle_chunks(&mut self) {
        if self.on_error.skips() || self.damaged || self.lookup || self.has_share() {
            self.chunks = ChunkSupport::No;
        }
    }

    fn rest_of(self, opened: OpenedDataset, env: &Env) -> Result<OpenedDataset> {
        match opened {
            OpenedDataset::Stream(reader) => Ok(OpenedDataset::Stream(self.rest(reader, env)?)),
            table => Ok(table),
        }
    }

    /// Applies the remaining parts with stages over `reader`.
    ///
    /// # Errors
    /// There is no such shard.
    pub fn rest(mut self, mut reader: Box<dyn Reader>, env: &Env) -> Result<Box<dyn Reader>> {
        if let Some(run) = self.take_run() {
            reader = Box::new(Shard::of(reader, run)?);
        }
        if let Some(keys) = self.take_keys() {
            reader = Box::new(SelectKeys::new(reader, keys, true));
        }
        if let Some(share) = self.take_share() {
            reader = Box::new(Shard::of(reader, share)?);
        }
        if self.parts != FieldSet::ALL {
            reader = Box::new(SelectFields::new(reader, self.parts));
        }
        if self.samples && self.parts.audio {
            reader = Box::new(LoadAudio::new(reader, env));
        }
        Ok(reader)
    }
}
