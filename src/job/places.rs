//! Where a job writes, checked against what it reads and against itself.

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Error, Result};

use super::{Job, Split};
use crate::argument::{Input, PartName, Target};
use crate::places;

impl Job {
    /// Either both outputs are numbered or none.
    pub(super) fn check_numbers(&self) -> Result<()> {
        match &self.labels_out {
            Some(labels) if labels.is_numbered() != self.target.is_numbered() => {
                let (with, without) = match labels.is_numbered() {
                    true => (labels, &self.target),
                    false => (&self.target, labels),
                };
                let message = format!("has {{part}}, but '{}' does not", without.text());
                Err(Error::usage(message).file(with.text()))
            }
            _ => Ok(()),
        }
    }

    /// Warns if an earlier run has left parts beyond those that were written.
    pub(super) fn warn_of_more(
        &self,
        parts: Option<u64>,
        registry: &Registry,
        env: &Env,
    ) -> Result<()> {
        let named = |split: &Split| !split.names.is_empty();
        let Some(next) = parts.filter(|_| !self.split.as_ref().is_some_and(named)) else {
            return Ok(());
        };
        let next = self.target.part(PartName::Number(next), registry, env)?;
        if let Some(file) = next.locations().iter().find(|file| env.exists(file)) {
            let message = "belongs to another run, which had more parts, and is left as it is";
            env.warn(&Error::unfit(message).file(file.to_string()));
        }
        Ok(())
    }

    /// The files and folders that are read, as far as the arguments name them.
    fn sources(&self) -> Vec<Location> {
        let inputs = self.inputs.iter().chain(&self.labels).chain(&self.text);
        let inputs = inputs.flat_map(Input::sources);
        inputs.chain(self.utt2spk.clone()).collect()
    }

    /// Refuses files of the caller's own, which go with the job's outputs, inside input folders, and
    /// counts all inputs as read.
    ///
    /// # Errors
    /// The first that is refused.
    pub fn check_apart(&self, files: &[&Location], env: &Env) -> Result<()> {
        let inputs = self.sources();
        inputs.iter().for_each(|file| env.reads(file));
        let files: Vec<_> = files.iter().copied().cloned().collect();
        places::check(&inputs, &files, env)
    }

    /// Refuses outputs, as far as their names are known by now, that are inputs, that are one, or
    /// that can't be made; for a caller who is to read the inputs before the job [runs](Self::run),
    /// which begins with it.
    ///
    /// # Errors
    /// The first that is refused.
    pub fn check_places(&self, registry: &Registry, env: &Env) -> Result<()> {
        let inputs = self.sources();
        inputs.iter().for_each(|file| env.reads(file));
        // An input that is not there says more than an output that is.
        let missing = |file: &&Location| !file.is_url() && !env.exists(file);
        if let Some(file) = inputs.iter().find(missing) {
            env.open_file(file)?;
        }
        let mut reserved = Vec::new();
        for target in std::iter::once(&self.target).chain(&self.labels_out) {
            places::check(&inputs, &target.locations(), env)?;
            let mut reserve = |target: &Target| {
                reserved.push(target.output(self.overwrite, self.add, env)?);
                Ok(())
            };
            let split = self.split.as_ref();
            match split.and_then(|split| Some((split, split.parts?))) {
                _ if !target.is_numbered() => reserve(target)?,
                Some((split, parts)) => (0..parts)
                    .try_for_each(|n| reserve(&target.part(split.name(n), registry, env)?))?,
                // However many there will be, each has a name of its own.
                None => {
                    let of = |n| target.part(PartName::Number(n), registry, env);
                    let (one, other) = (of(0)?.locations(), of(1)?.locations());
                    let same = |(a, b): &(&Location, &Location)| env.resolve(a) == env.resolve(b);
                    if one.iter().zip(&other).any(|pair| same(&pair)) {
                        let message = "every part would be written to the same file";
                        return Err(Error::usage(message).file(target.text()));
                    }
                }
            }
        }
        Ok(())
    }
}
