//! Incomplete uploads. Their parts are invisible but billed, so that each upload is either
//! completed or aborted.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use object_store::path::Path;
use spr_core::{Error, ErrorKind};
use tokio::task::AbortHandle;

use crate::client::MultipartClient;
use crate::fault::system;
use crate::runtime::wait;

/// The largest time for aborting all uploads after a signal.
const PATIENCE: Duration = Duration::from_secs(2);

/// An upload that has started.
#[derive(Clone, Debug)]
pub(crate) struct StartedUpload {
    pub(crate) parts: MultipartClient,
    pub(crate) path: Path,
    pub(crate) id: String,
}

impl StartedUpload {
    /// Aborts the upload. If that fails, it is left to the store's lifecycle rules.
    async fn abort(self) {
        let Self { parts, path, id } = self;
        let _ = parts.0.abort_multipart(&path, &id).await;
    }
}

/// The registry of uploads. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct UploadList(Arc<UploadState>);

#[derive(Debug, Default)]
struct UploadState {
    state: Mutex<State>,
    /// Locked while names change.
    committing: Mutex<()>,
    /// Locked while an upload starts or is aborted.
    busy: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    closed: bool,
    tickets: u64,
    uploads: BTreeMap<u64, (StartedUpload, Vec<AbortHandle>)>,
}

impl UploadList {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the program is stopping.
    ///
    /// # Errors
    /// The program is stopping.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.state().closed {
            true => Err(system(io::ErrorKind::Other, stopped())),
            false => Ok(()),
        }
    }

    /// Locks out other changes of names until the guard is dropped.
    pub(crate) fn committing(&self) -> MutexGuard<'_, ()> {
        let held = self.0.committing.lock();
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks out starting and aborting uploads, and the end of the program, until the guard is
    /// dropped.
    pub(crate) fn busy(&self) -> MutexGuard<'_, ()> {
        let held = self.0.busy.lock();
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers an upload.
    ///
    /// # Errors
    /// The program is stopping.
    pub(crate) fn add(&self, begun: StartedUpload) -> io::Result<Ticket> {
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

    /// Aborts all uploads and prevents starting or completing others. Takes at most two seconds.
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
        // Current holders of the locks notice that the program is stopping and give up.
        for busy in [&self.0.busy, &self.0.committing] {
            while Instant::now() < end && busy.try_lock().is_err() {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// A registered upload, which is aborted on drop.
#[derive(Debug)]
pub(crate) struct Ticket {
    live: UploadList,
    number: u64,
    pub(crate) begun: StartedUpload,
}

impl Ticket {
    /// Registers a task of the upload for [`UploadList::close`].
    pub(crate) fn runs(&self, task: AbortHandle) {
        if let Some((_, tasks)) = self.live.state().uploads.get_mut(&self.number) {
            tasks.retain(|task| !task.is_finished());
            tasks.push(task);
        }
    }

    /// Unregisters a complete upload. Returns `false` if it was aborted meanwhile.
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

/// Returns the error for an operation after the program was stopped.
pub(crate) fn stopped() -> Error {
    let message = "the program was stopped, nothing is written";
    Error::new(ErrorKind::Stopped, message)
}
