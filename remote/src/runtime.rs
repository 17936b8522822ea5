//! The one thread that waits for servers.

use std::future::Future;
use std::io;
use std::sync::{OnceLock, mpsc};

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// The runtime, which is made when it is first needed.
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

/// Begins work that goes on by itself.
///
/// # Errors
/// The system gives no thread.
pub(crate) fn begin<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Ok(runtime()?.spawn(work))
}

/// Does work and waits for it. Unlike the runtime's own way to wait, it may be called from any
/// thread, those of other runtimes as well.
///
/// # Errors
/// The system gives no thread, or the work was given up.
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
