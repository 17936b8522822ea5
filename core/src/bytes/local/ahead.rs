//! What was written goes to the disk while more is written, so that the wait at the end is short.

use std::fs::File;
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Bytes that are written before the disk gets them.
const STRETCH: u64 = 16 << 20;

/// A thread that puts a file on the disk, stretch by stretch; there once the file is long.
#[derive(Default)]
pub(super) struct Ahead {
    told: u64,
    thread: Option<(SyncSender<()>, JoinHandle<io::Result<()>>)>,
}

impl Ahead {
    /// Says that `file` has `len` bytes by now.
    pub(super) fn written(&mut self, file: &File, len: u64) {
        if len < self.told + STRETCH {
            return;
        }
        self.told = len;
        if self.thread.is_none() {
            self.thread = start(file);
        }
        if let Some((stretches, _)) = &self.thread {
            // One that is still at work takes this stretch with the next.
            let _ = stretches.try_send(());
        }
    }

    /// Waits for the thread.
    ///
    /// # Errors
    /// The disk refused, which the system tells only once.
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

/// Where no thread is to be had, all goes to the disk at the end.
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
        let mut ahead = Ahead::default();
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
