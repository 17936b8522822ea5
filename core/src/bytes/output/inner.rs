//! What an output has and does, behind its lock.

use std::collections::BTreeMap;

use super::super::claims::Claim;
use super::super::destination::{self, Destination, refused_in_file};
use super::super::landing::{Finished, Landing};
use super::super::part::Part;
use super::super::rehearsal::Dropped;
use super::super::sink::Sink;
use super::super::store::{Change, Drafting, New, is_folder, is_twin};
use super::super::{Access, Env, Location, Locator};
use crate::model::Key;
use crate::{Error, Remedy, Result};

pub(super) struct Inner {
    pub(super) main: Destination,
    pub(super) named: BTreeMap<&'static str, Locator>,
    pub(super) env: Env,
    pub(super) overwrite: bool,
    pub(super) add: bool,
    /// Whether nothing is kept of what is written.
    pub(super) rehearsed: bool,
    /// Whether an utterance has been written to something other than a folder.
    pub(super) taken: bool,
    /// What it writes to.
    pub(super) held: BTreeMap<Locator, Held>,
    pub(super) finished: Finished,
    pub(super) stale: Vec<Location>,
}

/// Something that nobody else writes to meanwhile.
pub(super) struct Held {
    _claim: Option<Claim>,
    pub(super) opened: bool,
}

impl Inner {
    pub(super) fn how(&self) -> Drafting {
        Drafting::new(self.overwrite, self.add, self.env.durable)
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
                    let file = (key, extension);
                    return destination::open_in_folder(target, folder, file, how, &self.env);
                }
                self.accept(key, extension)?;
                self.taken = true;
                self.open_main(patch)
            }
        }
    }

    /// Keeps the folder, if it is one.
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
                Landing::in_folder(Box::new(Dropped)),
            ));
        }
        destination::open(at, patch, self.how(), &self.env, &self.finished)
    }

    /// Makes sure that nothing else is written to `at`, and that it was not read.
    pub(super) fn claim(&mut self, at: &Locator, opened: bool) -> Result<()> {
        if let Some(held) = self.held.get_mut(at) {
            if held.opened && opened {
                return Err(is_twin(&at.target().into()));
            }
            held.opened |= opened;
            return Ok(());
        }
        if let Locator::File(file) = at {
            self.env.check_unread(file)?;
        }
        let held = Held {
            _claim: self.env.claims.take(at, &**self.env.store())?,
            opened,
        };
        self.held.insert(at.clone(), held);
        Ok(())
    }

    /// The names that a commit changes, which are then free for others to write to.
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
