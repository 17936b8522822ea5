//! All places in one store: URLs and the local file system.

use std::collections::HashSet;
use std::io;

use spr_core::bytes::{
    Change, Draft, DraftFolder, Drafting, FileKind, FileStatus, Finish, Identity, Leftover, Local,
    Location, New, Store, Stored,
};
use spr_core::{Error, Remedy, Result};

use crate::address::{Address, Service};
use crate::browse::Browser;
use crate::commit::{Commit, Made, exists, failed};
use crate::folder::Folder;
use crate::live::Live;
use crate::put::Spooled;
use crate::read;
use crate::settings::Settings;
use crate::upload::Upload;

/// The local file system, and servers and object stores where a name is a URL. Clones share what is
/// not finished.
///
/// What goes to URLs appears when it is whole: objects in parts of which nothing is seen before the
/// last step, files for other servers from a temporary file. A commit looks at everything first, then
/// changes names in the order given, URLs apart from local files and the last change with the later
/// of both; several objects never change at one moment.
#[derive(Clone, Debug, Default)]
pub struct Places {
    local: Local,
    browser: Browser,
    live: Live,
}

impl Places {
    /// The local file system `local`, and URLs.
    pub fn new(local: Local) -> Self {
        Self {
            local,
            ..Self::default()
        }
    }

    /// Sets how URLs are read and written, before the first one is.
    pub fn set(&self, settings: Settings) {
        self.browser.clients.set(settings);
    }

    /// As [`Local::abandon`], and takes back all uploads, for which it takes at most two seconds.
    pub fn abandon(&self) {
        self.live.close();
        self.local.abandon();
    }

    fn create_remote(&self, target: &Location) -> io::Result<Box<dyn Draft>> {
        self.live.check()?;
        let (address, client) = self.browser.clients.find(target)?;
        if client.service == Service::Http {
            return Ok(Box::new(Spooled::new()?));
        }
        let part = self.browser.clients.settings().part();
        let upload = Upload::new(client, address.path, part, self.live.clone());
        Ok(Box::new(upload))
    }
}

impl Store for Places {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        match at.is_url() {
            true => self.browser.look(at),
            false => self.local.look(at),
        }
    }

    fn identify(&self, at: &Location) -> Identity {
        match Address::of(at) {
            Ok(address) => address.identity(),
            Err(_) => self.local.identify(at),
        }
    }

    fn resolve(&self, at: &Location) -> Location {
        match Address::of(at) {
            Ok(address) => address.name().into(),
            Err(_) => self.local.resolve(at),
        }
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn Stored>> {
        if !at.is_url() {
            return self.local.open(at);
        }
        let (address, client) = self.browser.clients.find(at)?;
        let block = self.browser.clients.settings().block();
        let (stored, pin) = read::open(&address, &client, block)?;
        self.browser.saw(&address, &pin);
        Ok(stored)
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        match folder.is_url() {
            true => self.browser.list(folder),
            false => self.local.list(folder),
        }
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        match folder.is_url() {
            true => self.browser.entries(folder),
            false => self.local.entries(folder),
        }
    }

    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
        match stream.is_url() {
            true => Err(io::ErrorKind::Unsupported.into()),
            false => self.local.write_to(stream),
        }
    }

    fn may_create(&self, target: &Location, folder: bool, how: Drafting) -> Result<()> {
        if !target.is_url() {
            return self.local.may_create(target, folder, how);
        }
        let found = self.browser.clients.find(target);
        let (address, client) = found.map_err(|e| failed(e).file(target.to_string()))?;
        if client.service == Service::Http {
            return match folder {
                true => Err(Error::unsupported("a web server takes files, not folders")
                    .file(target.to_string())),
                // Whether there is one, the server itself says.
                false => Ok(()),
            };
        }
        if how.overwrite || (folder && how.add) {
            return Ok(());
        }
        let found = self.browser.look(target);
        let found = found.map_err(|e| failed(e).file(target.to_string()))?;
        match found.map(|found| found.kind) {
            Some(FileKind::File) => Err(exists(target)),
            Some(FileKind::Folder) if folder && !address.path.as_ref().is_empty() => {
                Err(Error::usage("exists already and is not empty")
                    .file(target.to_string())
                    .suggest(Remedy::ReplaceFolder))
            }
            _ => Ok(()),
        }
    }

    fn create(&self, target: &Location, how: Drafting) -> Result<Box<dyn Draft>> {
        if !target.is_url() {
            return self.local.create(target, how);
        }
        self.may_create(target, false, how)?;
        let draft = self.create_remote(target);
        draft.map_err(|e| failed(e).file(target.to_string()))
    }

    fn create_folder(&self, target: &Location, how: Drafting) -> Result<Box<dyn DraftFolder>> {
        if !target.is_url() {
            return self.local.create_folder(target, how);
        }
        self.may_create(target, true, how)?;
        let found = self.browser.clients.find(target);
        let (address, client) = found.map_err(|e| failed(e).file(target.to_string()))?;
        let part = self.browser.clients.settings().part();
        let folder = Folder::new(target, client, address.path, part, self.live.clone());
        Ok(Box::new(folder))
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()> {
        let last_is_remote = changes.last().is_some_and(|change| change.target.is_url());
        let (remote, local): (Vec<_>, Vec<_>) = changes
            .into_iter()
            .partition(|change| change.target.is_url());
        let commit = Commit {
            browser: &self.browser,
            live: &self.live,
            kept,
        };
        let here = |local: Vec<Change>| match local.is_empty() {
            true => Ok(()),
            false => self.local.commit(local, kept, durable),
        };
        let there = |remote: Vec<Change>| match remote.is_empty() {
            true => Ok(Made::default()),
            false => commit.run(remote),
        };
        // What proves that all is there comes last.
        if last_is_remote {
            return here(local).and_then(|()| there(remote).map(drop));
        }
        for change in local
            .iter()
            .filter(|change| matches!(change.new, New::File(_)))
        {
            self.local.may_create(&change.target, false, change.how)?;
        }
        let made = there(remote)?;
        here(local).map_err(|e| made.undo(e))
    }

    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
        match folder.is_url() {
            // Objects have names with slashes, and no folders.
            true => Ok(false),
            false => self.local.make_folder(folder, durable),
        }
    }

    fn settle_folder(&self, folder: &Location, stays: bool) {
        if !folder.is_url() {
            self.local.settle_folder(folder, stays);
        }
    }

    fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        match target.is_url() {
            // Stores tell nobody of uploads that were not completed.
            true => Vec::new(),
            false => self.local.leftovers(target),
        }
    }
}
