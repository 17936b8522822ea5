//! A store of URLs and local files.

use std::collections::HashSet;
use std::io;

use spr_core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, FileKind, FileStatus, Finish, Identity, Leftover,
    Local, Location, New, OpenedFile, Store,
};
use spr_core::{Error, Remedy, Result};

use crate::address::{Address, Service};
use crate::browse::Browser;
use crate::commit::{Commit, CreatedObjects, exists, failed};
use crate::folder::Folder;
use crate::put::SpooledDraft;
use crate::read;
use crate::settings::Settings;
use crate::upload::Upload;
use crate::upload_list::UploadList;

/// The local file system, with servers and object stores for names that are URLs. Clones share
/// unfinished output.
///
/// An output at a URL appears when it is complete: objects are uploaded in parts and become visible
/// with the last step; files for other servers are uploaded from a temporary file. A commit checks
/// all targets first. It then changes names in the given order, URLs separately from local files,
/// with the last change in the later group. Changes of several objects are not atomic.
#[derive(Clone, Debug, Default)]
pub struct Places {
    local: Local,
    browser: Browser,
    live: UploadList,
}

impl Places {
    /// Creates a store of the local file system `local`, and URLs.
    pub fn new(local: Local) -> Self {
        Self {
            local,
            ..Self::default()
        }
    }

    /// Sets how URLs are read and written. Must be called before the first URL is used.
    pub fn set(&self, settings: Settings) {
        self.browser.clients.set(settings);
    }

    /// Does the same as [`Local::abandon`] and aborts all uploads, for at most two seconds.
    pub fn abandon(&self) {
        self.live.close();
        self.local.abandon();
    }

    fn create_remote(&self, target: &Location) -> io::Result<Box<dyn Draft>> {
        self.live.check()?;
        let (address, client) = self.browser.clients.find(target)?;
        if client.service == Service::Http {
            return Ok(Box::new(SpooledDraft::new()?));
        }
        let part = self.browser.clients.settings().part();
        let upload = Upload::new(client, address.path, part, self.live.clone());
        Ok(Box::new(upload))
    }
}

#[warn(clippy::missing_trait_methods)]
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

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
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

    fn may_create(&self, target: &Location, folder: bool, how: DraftOptions) -> Result<()> {
        if !target.is_url() {
            return self.local.may_create(target, folder, how);
        }
        let found = self.browser.clients.find(target);
        let (address, client) = found.map_err(|e| failed(e).file(target.to_string()))?;
        if client.service == Service::Http {
            return match folder {
                true => Err(Error::unsupported("a web server takes files, not folders")
                    .file(target.to_string())),
                // The server itself checks for existing files.
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

    fn check_folder_of(&self, target: &Location) -> Result<()> {
        match target.is_url() {
            true => Ok(()),
            false => self.local.check_folder_of(target),
        }
    }

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        if !target.is_url() {
            return self.local.create(target, how);
        }
        self.may_create(target, false, how)?;
        let draft = self.create_remote(target);
        draft.map_err(|e| failed(e).file(target.to_string()))
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
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
            true => Ok(CreatedObjects::default()),
            false => commit.run(remote),
        };
        // The file that marks completeness comes last.
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
            // Objects have names with slashes; there are no folders.
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
            // Stores do not list incomplete uploads.
            true => Vec::new(),
            false => self.local.leftovers(target),
        }
    }
}
