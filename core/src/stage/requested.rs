//! A request, and what a format leaves to do of it.

use super::{FolderReader, LoadAudio, SelectKeys, SelectParts, Shard};
use crate::Result;
use crate::bytes::{Env, Location, Source};
use crate::format::{Format, Opened, Options, Parts, Portioned, Reader, Request};

impl Request {
    /// Opens a data set by it: what `format` leaves to do is done by stages.
    ///
    /// # Errors
    /// The header is broken, an option's value is wrong, or there is no such share.
    pub fn open(
        mut self,
        format: &'static dyn Format,
        source: Source,
        options: &Options,
        env: &Env,
    ) -> Result<Opened> {
        self.settle_portions();
        let opened = format.open(source, options, &mut self, env)?;
        self.rest_of(opened, env)
    }

    /// Opens a folder by it: one that is a data set of `format` as a whole, or one of files that hold
    /// an utterance each and have an extension of the format or of `kin`.
    ///
    /// # Errors
    /// As [`open`](Self::open), and as [`FolderReader::open`].
    pub fn open_folder(
        mut self,
        format: &'static dyn Format,
        folder: &Location,
        kin: &[&str],
        options: &Options,
        env: &Env,
    ) -> Result<Opened> {
        let Some(whole) = format.folder() else {
            let (options, env) = (options.clone(), env.clone());
            let reader = FolderReader::open(folder, format, kin, options, self, env)?;
            return Ok(Opened::stream(reader));
        };
        self.settle_portions();
        let opened = whole.open(folder, options, &mut self, env)?;
        self.rest_of(opened, env)
    }

    /// Asks for whole utterances where others can't be told apart.
    fn settle_portions(&mut self) {
        if self.lenient || self.damaged || self.lookup || self.has_share() {
            self.portions = Portioned::No;
        }
    }

    fn rest_of(self, opened: Opened, env: &Env) -> Result<Opened> {
        match opened {
            Opened::Stream(reader) => Ok(Opened::Stream(self.rest(reader, env)?)),
            table => Ok(table),
        }
    }

    /// What is left to do of it, done by stages over `reader`.
    ///
    /// # Errors
    /// There is no such share.
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
        if self.parts != Parts::ALL {
            reader = Box::new(SelectParts::new(reader, self.parts));
        }
        if self.samples && self.parts.audio {
            reader = Box::new(LoadAudio::new(reader, env));
        }
        Ok(reader)
    }
}
