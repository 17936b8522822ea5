//! The state of an output, behind its lock.

use std::collections::BTreeMap;

use super::super::claims::Claim;
use super::super::destination::{self, Destination};
use super::super::landing::{FinishedFiles, Landing};
use super::super::part::Part;
use super::super::refusal::refused_in_file;
use super::super::rehearsal::NullFile;
use super::super::sink::Sink;
use super::super::store::{Change, DraftOptions, New, is_folder, is_twin};
use super::super::{Access, Env, Location, Locator};
use crate::error::{Error, Remedy, Result};
use crate::model::Key;

pub(super) struct Inner {
    pub(super) main: Destination,
    pub(super) named: BTreeMap<String, Locator>,
    pub(super) env: Env,
    pub(super) overwrite: bool,
    pub(super) add: bool,
    /// Whether written data are discarded.
    pub(super) rehearsed: bool,
    /// Whether an utterance has been written to something other than a folder.
    pub(super) taken: bool,
    /// The file of the utterance that was begun since this was asked for last.
    pub(super) begun: Option<Location>,
    /// Its destinations.
    pub(super) held: BTreeMap<Locator, ClaimedTarget>,
    pub(super) finished: FinishedFiles,
    pub(super) stale: Vec<Location>,
}

/// A destination that nothing else writes to.
pub(super) struct ClaimedTarget {
    _claim: Option<Claim>,
    pub(super) opened: bool,
}

impl Inner {
    pub(super) fn how(&self) -> DraftOptions {
        DraftOptions::new(self.overwrite, self.add, self.env.durable)
    }

    pub(super) fn create(&mut self, part: Part<'_>, patch: bool) -> Result<Sink> {
        match part {
            Part::Main => self.open_main(patch),
            Part::Named(name) => match self.named.get(name).cloned() {
                Some(at) => self.open(&at, patch),
                None => Err(Error::usage(format!("no place was given for the {name}"))),
            },
            Part::At(Locator::Command(line)) if self.env.access != Access::Files => {
                Err(refused_in_file(line))
            }
            Part::Suffix(_) | Part::At(_) => {
                let at = self.main.sibling(part)?;
                self.open(&at, patch)
            }
            Part::Member(name) => {
                self.claim_folder()?;
                let how = self.how();
                match &mut self.main {
                    Destination::Folder(target, folder) => {
                        destination::open_member(target, folder, name, patch, how, &self.env)
                    }
                    other => Err(Error::usage("expected a folder").file(other.name())),
                }
            }
            Part::Utterance(key, extension) => {
                self.claim_folder()?;
                let how = self.how();
                if let Destination::Folder(target, folder) = &mut self.main {
                    let named = (key, extension);
                    let file = target.join(destination::file_of_key(key, extension)?);
                    let sink = destination::open_in_folder(target, folder, named, how, &self.env)?;
                    self.begun.get_or_insert(file);
                    return Ok(sink);
                }
                self.accept(key, extension)?;
                self.taken = true;
                self.open_main(patch)
            }
        }
    }

    /// Claims the folder, if it is one.
    fn claim_folder(&mut self) -> Result<()> {
        match &self.main {
            Destination::Folder(target, _) => self.claim(&Locator::Folder(target.clone()), false),
            _ => Ok(()),
        }
    }

    pub(super) fn accept(&self, key: &Key, extension: &str) -> Result<()> {
        match &self.main {
            Destination::Folder(target, folder) => {
                destination::accept_in_folder(target, folder.as_deref(), key, extension)
            }
            _ if self.taken => Err(Error::unfit("a second utterance, but the file holds one")
                .utterance(key)
                .suggest(Remedy::NameFolder)),
            _ => Ok(()),
        }
    }

    fn open_main(&mut self, patch: bool) -> Result<Sink> {
        match &mut self.main {
            Destination::At(at) => {
                let at = at.clone();
                self.open(&at, patch)
            }
            Destination::Folder(folder, _) => Err(is_folder(folder)),
            Destination::Stream(name, stream) => match stream.take() {
                Some(stream) => Sink::stream(name.clone(), stream, patch, &self.env.waiting),
                None => Err(Error::usage("has already been written").file(name.clone())),
            },
        }
    }

    fn open(&mut self, at: &Locator, patch: bool) -> Result<Sink> {
        self.claim(at, true)?;
        if self.rehearsed {
            destination::check(at, self.how(), &self.env)?;
            return Ok(Sink::draft(
                at.target(),
                Landing::in_folder(Box::new(NullFile)),
            ));
        }
        destination::open(at, patch, self.how(), &self.env, &self.finished)
    }

    /// Checks that nothing else is written to `at`, and that it is not an input.
    pub(super) fn claim(&mut self, at: &Locator, opened: bool) -> Result<()> {
        if let Some(held) = self.held.get_mut(at) {
            // Nowhere takes the data and their side files.
            if held.opened && opened && *at != Locator::Nowhere {
                return Err(is_twin(&at.target().into()));
            }
            held.opened |= opened;
            return Ok(());
        }
        if let Locator::File(file) = at {
            self.env.check_unread(file)?;
        }
        let held = ClaimedTarget {
            _claim: self.env.claims.take(at, &**self.env.store())?,
            opened,
        };
        self.held.insert(at.clone(), held);
        Ok(())
    }

    /// Returns the changes of a commit; the names are then free for others.
    pub(super) fn changes(&mut self) -> Vec<Change> {
        self.held.clear();
        let (how, mut changes) = (self.how(), Vec::new());
        if self.rehearsed {
            return changes;
        }
        if let Destination::Folder(target, folder) = &mut self.main {
            let new = New::Folder(folder.take());
            changes.push(Change::new(target.clone(), new, how));
        }
        let finished = self.finished.take().into_iter();
        changes.extend(finished.map(|(at, whole)| Change::new(at, New::File(whole), how)));
        let stale = self.stale.drain(..);
        changes.extend(stale.map(|at| Change::new(at, New::Nothing, how)));
        changes
    }
}
