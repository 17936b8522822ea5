//! Syncing to disk while a file is written, so that the wait at the end is short.

use std::fs::File;
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// The number of bytes written before a sync starts.
const STRETCH: u64 = 16 << 20;

/// A thread that syncs a file in intervals, started when the file is long enough.
#[derive(Default)]
pub(super) struct SyncThread {
    told: u64,
    thread: Option<(SyncSender<()>, JoinHandle<io::Result<()>>)>,
}

impl SyncThread {
    /// Reports that `file` has `len` bytes.
    pub(super) fn written(&mut self, file: &File, len: u64) {
        if len < self.told + STRETCH {
            return;
        }
        self.told = len;
        if self.thread.is_none() {
            self.thread = start(file);
        }
        if let Some((stretches, _)) = &self.thread {
            // A busy thread syncs these bytes with the next ones.
            let _ = stretches.try_send(());
        }
    }

    /// Waits for the thread.
    ///
    /// # Errors
    /// The disk failed, which the system reports only once.
    pub(super) fn finish(self) -> io::Result<()> {
        let Some((stretches, thread)) = self.thread else {
            return Ok(());
        };
        drop(stretches);
        thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("a thread died")))
    }
}

/// If no thread can be started, the file is synced at the end.
fn start(file: &File) -> Option<(SyncSender<()>, JoinHandle<io::Result<()>>)> {
    let file = file.try_clone().ok()?;
    let (stretches, requests) = sync_channel(1);
    let work = move || requests.iter().try_for_each(|()| file.sync_data());
    Some((stretches, Builder::new().spawn(work).ok()?))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_long_file_has_a_thread_that_ends() {
        let mut file = tempfile::tempfile().unwrap();
        let mut ahead = SyncThread::default();
        ahead.written(&file, STRETCH - 1);
        assert!(ahead.thread.is_none());
        for n in 1..20 {
            file.write_all(&[7; 1000]).unwrap();
            ahead.written(&file, n * STRETCH);
        }
        assert!(ahead.thread.is_some());
        ahead.finish().unwrap();
    }
}
