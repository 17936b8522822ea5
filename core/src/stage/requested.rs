//! A request, and what a format leaves to do of it.

use super::{LoadAudio, SelectKeys, SelectParts, Shard};
use crate::Result;
use crate::bytes::{Env, Source};
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
        if self.lenient || self.damaged || self.lookup || self.has_share() {
            self.portions = Portioned::No;
        }
        match format.open(source, options, &mut self, env)? {
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
