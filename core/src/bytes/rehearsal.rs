//! Outputs that are checked completely and not kept.

use std::any::Any;
use std::collections::HashSet;
use std::io::{self, Write};

use super::Location;
use super::store::{Draft, DraftFolder, FinishedFile, OpenedFile, second_in_folder};
use crate::error::Result;

/// A folder that keeps only the names of its files.
#[derive(Debug)]
pub(super) struct RehearsedFolder {
    target: Location,
    names: HashSet<Location>,
}

impl RehearsedFolder {
    pub(super) fn new(target: &Location) -> Self {
        Self {
            target: target.clone(),
            names: HashSet::new(),
        }
    }
}

impl DraftFolder for RehearsedFolder {
    fn create(&mut self, name: &Location, _: bool) -> Result<Box<dyn Draft>> {
        match self.names.insert(name.clone()) {
            true => Ok(Box::new(NullFile)),
            false => Err(second_in_folder(&self.target.join(name))),
        }
    }

    fn has(&self, name: &Location) -> bool {
        self.names.contains(name)
    }

    fn open(&self, _: &Location) -> io::Result<Box<dyn OpenedFile>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn list(&self) -> io::Result<Vec<Location>> {
        Ok(Vec::new())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A file that discards its bytes.
#[derive(Debug)]
pub(super) struct NullFile;

impl Write for NullFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for NullFile {
    fn patch(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        Ok(self)
    }
}

impl FinishedFile for NullFile {
    fn open(&self) -> io::Result<Box<dyn OpenedFile>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
