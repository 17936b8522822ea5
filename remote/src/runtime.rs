//! The thread that waits for servers.

use std::future::Future;
use std::io;
use std::sync::{OnceLock, mpsc};

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Returns the runtime, which is created on first use.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("remote")
            .enable_all()
            .build()
    });
    made.as_ref()
        .map_err(|e| io::Error::new(e.kind(), e.to_string()))
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
