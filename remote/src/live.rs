//! Uploads that are not complete: what is left of one is billed and seen by nobody, so that each ends
//! with its last step or is taken back.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use object_store::path::Path;
use spr_core::{Error, ErrorKind};
use tokio::task::AbortHandle;

use crate::client::Parts;
use crate::fault::system;
use crate::runtime::wait;

/// How long it may take to take all back on a signal.
const PATIENCE: Duration = Duration::from_secs(2);

/// An upload that the store knows of.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub(crate) parts: Parts,
    pub(crate) path: Path,
    pub(crate) id: String,
}

impl Begun {
    /// Takes it back; what can't be is left to the store's own rules.
    async fn abort(self) {
        let Self { parts, path, id } = self;
        let _ = parts.0.abort_multipart(&path, &id).await;
    }
}

/// The list of uploads. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Held while names change.
    committing: Mutex<()>,
    /// Held while an upload begins or is taken back.
    busy: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    closed: bool,
    tickets: u64,
    uploads: BTreeMap<u64, (Begun, Vec<AbortHandle>)>,
}

impl Live {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses to begin anything once the program is to end.
    ///
    /// # Errors
    /// It is.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.state().closed {
            true => Err(system(io::ErrorKind::Other, stopped())),
            false => Ok(()),
        }
    }

    /// Lets nobody else change names until this is dropped.
    pub(crate) fn committing(&self) -> MutexGuard<'_, ()> {
        let held = self.0.committing.lock();
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets nobody else begin an upload or take one back, nor the program end, until this is dropped.
    pub(crate) fn busy(&self) -> MutexGuard<'_, ()> {
        let held = self.0.busy.lock();
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an upload on the list.
    ///
    /// # Errors
    /// The program is to end.
    pub(crate) fn add(&self, begun: Begun) -> io::Result<Ticket> {
        let mut state = self.state();
        if state.closed {
            drop(state);
            let _ = wait(begun.abort());
            return Err(system(io::ErrorKind::Other, stopped()));
        }
        state.tickets += 1;
        let number = state.tickets;
        state.uploads.insert(number, (begun.clone(), Vec::new()));
        Ok(Ticket {
            live: self.clone(),
            number,
            begun,
        })
    }

    /// Takes all uploads back, and lets nobody begin or complete one any more. It takes no longer than
    /// two seconds.
    pub(crate) fn close(&self) {
        let end = Instant::now() + PATIENCE;
        let uploads = {
            let mut state = self.state();
            state.closed = true;
            std::mem::take(&mut state.uploads)
        };
        let mut aborts = Vec::new();
        for (begun, tasks) in uploads.into_values() {
            tasks.iter().for_each(AbortHandle::abort);
            aborts.push(begun.abort());
        }
        if !aborts.is_empty() {
            let all = futures_util::future::join_all(aborts);
            let _ = wait(async move { tokio::time::timeout(PATIENCE, all).await.is_ok() });
        }
        // Whoever is at it now sees that it is to end, and goes back.
        for busy in [&self.0.busy, &self.0.committing] {
            while Instant::now() < end && busy.try_lock().is_err() {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// An upload on the list, which is taken back when this is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    live: Live,
    number: u64,
    pub(crate) begun: Begun,
}

impl Ticket {
    /// Keeps a task of the upload where [`Live::close`] finds it.
    pub(crate) fn runs(&self, task: AbortHandle) {
        if let Some((_, tasks)) = self.live.state().uploads.get_mut(&self.number) {
            tasks.retain(|task| !task.is_finished());
            tasks.push(task);
        }
    }

    /// Takes it from the list, as it is complete; `false` if it was taken back meanwhile.
    pub(crate) fn complete(self) -> bool {
        self.live.state().uploads.remove(&self.number).is_some()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let _held = self.live.busy();
        let mine = self.live.state().uploads.remove(&self.number);
        if let Some((begun, tasks)) = mine {
            tasks.iter().for_each(AbortHandle::abort);
            let _ =
                wait(async move { tokio::time::timeout(PATIENCE, begun.abort()).await.is_ok() });
        }
    }
}

/// The error for whoever comes too late.
pub(crate) fn stopped() -> Error {
    let message = "the program was stopped, nothing is written";
    Error::new(ErrorKind::Stopped, message)
}
