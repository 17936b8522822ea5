//! Multipart uploads, which are invisible until the last step.

use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, Write};

use bytes::Bytes;
use object_store::PutPayload;
use object_store::multipart::PartId;
use object_store::path::Path;
use spr_core::Error;
use spr_core::bytes::{Draft, FinishedFile, OpenedFile};
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::fault::{self, system};
use crate::runtime::{begin, wait};
use crate::staged::UnreadObject;
use crate::upload_list::{StartedUpload, Ticket, UploadList};

/// The number of parts in transit at a time.
const ON_THE_WAY: usize = 3;
/// The number of parts from which on they are larger. Stores accept at most 10 000.
const MANY: usize = 5_000;
/// The factor by which they are larger.
const LARGER: usize = 8;

/// An object that is being written.
pub(crate) struct Upload {
    client: Client,
    path: Path,
    live: UploadList,
    /// The size of a part in bytes.
    part: usize,
    /// The first part, which is sent last so that it can be changed.
    first: Option<Vec<u8>>,
    /// The part that is being filled.
    growing: Vec<u8>,
    /// The number of numbered parts, including the first.
    count: usize,
    ticket: Option<Ticket>,
    tasks: VecDeque<(usize, JoinHandle<object_store::Result<PartId>>)>,
    sent: Vec<(usize, PartId)>,
    length: u64,
}

impl Upload {
    pub(crate) fn new(client: Client, path: Path, part: usize, live: UploadList) -> Self {
        Self {
            client,
            path,
            live,
            part,
            first: None,
            growing: Vec::new(),
            count: 1,
            ticket: None,
            tasks: VecDeque::new(),
            sent: Vec::new(),
            length: 0,
        }
    }

    /// Returns the largest size of the current part.
    fn room(&self) -> usize {
        match self.count < MANY {
            true => self.part,
            false => self.part.saturating_mul(LARGER),
        }
    }

    /// Starts the next part.
    fn turn(&mut self) -> io::Result<()> {
        let full = std::mem::take(&mut self.growing);
        if self.first.is_none() {
            self.first = Some(full);
            return Ok(());
        }
        self.count += 1;
        self.send(self.count - 1, full)
    }

    fn send(&mut self, number: usize, bytes: Vec<u8>) -> io::Result<()> {
        self.live.check()?;
        while self.tasks.len() >= ON_THE_WAY {
            self.settle()?;
        }
        let begun = self.begun()?.begun.clone();
        let task = begin(async move {
            let (path, id) = (&begun.path, &begun.id);
            begun
                .parts
                .0
                .put_part(path, id, number, PutPayload::from(bytes))
                .await
        })?;
        if let Some(ticket) = &self.ticket {
            ticket.runs(task.abort_handle());
        }
        self.tasks.push_back((number, task));
        Ok(())
    }

    /// Returns the registered upload, which is started on first use.
    fn begun(&mut self) -> io::Result<&Ticket> {
        if self.ticket.is_none() {
            let live = self.live.clone();
            let _held = live.busy();
            live.check()?;
            let parts = self
                .client
                .parts
                .clone()
                .ok_or(io::ErrorKind::Unsupported)?;
            let (asked, path) = (parts.clone(), self.path.clone());
            let id = wait(async move { asked.0.create_multipart(&path).await })?;
            let id = id.map_err(|e| fault::of(self.client.service, e))?;
            let path = self.path.clone();
            self.ticket = Some(self.live.add(StartedUpload { parts, path, id })?);
        }
        self.ticket
            .as_ref()
            .ok_or_else(|| io::ErrorKind::Other.into())
    }

    /// Waits for the oldest part in transit.
    fn settle(&mut self) -> io::Result<()> {
        if let Some((number, task)) = self.tasks.pop_front() {
            let sent = wait(task)?;
            let sent = sent.map_err(|_| self.given_up())?;
            let id = sent.map_err(|e| fault::of(self.client.service, e))?;
            self.sent.push((number, id));
        }
        Ok(())
    }

    fn given_up(&self) -> io::Error {
        match self.live.check() {
            Err(stopped) => stopped,
            Ok(()) => io::Error::other("the request was given up"),
        }
    }

    /// Completes the upload except for the last step.
    pub(crate) fn complete(mut self) -> io::Result<FinishedObject> {
        let (client, path, length) = (self.client.clone(), self.path.clone(), self.length);
        let rest = std::mem::take(&mut self.growing);
        let small = match self.first.take() {
            None => rest,
            Some(first) if rest.is_empty() && self.ticket.is_none() => first,
            Some(first) => {
                if !rest.is_empty() {
                    self.count += 1;
                    self.send(self.count - 1, rest)?;
                }
                self.send(0, first)?;
                while !self.tasks.is_empty() {
                    self.settle()?;
                }
                self.sent.sort_by_key(|(number, _)| *number);
                let ids = self.sent.into_iter().map(|(_, id)| id).collect();
                let ticket = self.ticket.take().ok_or(io::ErrorKind::Other)?;
                return Ok(FinishedObject {
                    client,
                    path,
                    length,
                    how: ObjectBytes::Parts(ticket, ids),
                });
            }
        };
        Ok(FinishedObject {
            client,
            path,
            length,
            how: ObjectBytes::Small(small.into()),
        })
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.room() - self.growing.len());
        self.growing.extend_from_slice(&bytes[..n]);
        self.length += n as u64;
        if self.growing.len() == self.room() {
            self.turn()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for Upload {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let first = self.first.as_mut().unwrap_or(&mut self.growing);
        let at = usize::try_from(at).ok();
        let place = at.and_then(|at| first.get_mut(at..at.saturating_add(bytes.len())));
        let sent = || {
            let message = "only the first part of what goes to a server can be changed";
            system(io::ErrorKind::Unsupported, Error::unsupported(message))
        };
        place.ok_or_else(sent)?.copy_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        Ok(Box::new(self.complete()?))
    }
}

/// A whole object that waits for its last step.
#[derive(Debug)]
pub(crate) struct FinishedObject {
    pub(crate) client: Client,
    pub(crate) path: Path,
    pub(crate) length: u64,
    pub(crate) how: ObjectBytes,
}

/// The content of a finished object.
#[derive(Debug)]
pub(crate) enum ObjectBytes {
    /// The bytes, which are sent with the last step.
    Small(Bytes),
    /// Parts that the store already has.
    Parts(Ticket, Vec<PartId>),
}

impl FinishedFile for FinishedObject {
    fn open(&self) -> io::Result<Box<dyn OpenedFile>> {
        Ok(match &self.how {
            ObjectBytes::Small(bytes) => UnreadObject::of(bytes.clone()),
            ObjectBytes::Parts(..) => UnreadObject::elsewhere(self.length),
        })
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
