//! The thread that waits for servers.

use std::future::Future;
use std::io;
use std::sync::{Mutex, PoisonError, mpsc};

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// The runtime, and the process that it belongs to.
static RUNTIME: Mutex<Option<(u32, &'static Runtime)>> = Mutex::new(None);

/// Returns the runtime, which is created on first use. A forked process has a runtime of its own,
/// because threads are not forked; that of its parent stays unused.
fn runtime() -> io::Result<&'static Runtime> {
    let mut made = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match *made {
        Some((owner, runtime)) if owner == process => Ok(runtime),
        _ => {
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("remote")
                .enable_all()
                .build()?;
            let runtime = &*Box::leak(Box::new(runtime));
            *made = Some((process, runtime));
            Ok(runtime)
        }
    }
}

/// Starts a task in the background.
///
/// # Errors
/// The system refuses to start a thread.
pub(crate) fn begin<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Ok(runtime()?.spawn(work))
}

/// Runs a task and waits for it. Unlike the runtime's own method, this may be called from any
/// thread, including those of other runtimes.
///
/// # Errors
/// The system refuses to start a thread, or the task was aborted.
pub(crate) fn wait<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> io::Result<T> {
    let (done, result) = mpsc::sync_channel(1);
    begin(async move {
        let _ = done.send(work.await);
    })?;
    result
        .recv()
        .map_err(|_| io::Error::other("the request was given up"))
}
