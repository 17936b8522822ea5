//! Multi-threaded compression as independent members.

use std::io::{self, Write};

use crate::bytes::Finish;
use crate::threads::Ordered;

/// A writer that cuts its input into blocks of a fixed size, each of which becomes a member of the
/// file. The output does not depend on the number of threads.
pub(super) struct Members {
    to: Box<dyn Finish>,
    block: Vec<u8>,
    size: usize,
    pool: Ordered<Vec<u8>, io::Result<Vec<u8>>>,
    any: bool,
}

impl Members {
    /// Creates a writer of members of `size` bytes, which `compress` makes on `threads` threads.
    pub(super) fn new(
        to: Box<dyn Finish>,
        threads: usize,
        size: usize,
        compress: impl Fn(Vec<u8>) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            to,
            block: Vec::new(),
            size,
            pool: Ordered::new(threads, compress),
            any: false,
        }
    }

    /// Passes the block on, and writes finished members.
    fn close_block(&mut self) -> io::Result<()> {
        self.any = true;
        let block = std::mem::take(&mut self.block);
        match self.pool.push(block).map_err(io::Error::other)? {
            Some(member) => self.to.write_all(&member?),
            None => Ok(()),
        }
    }
}

impl Write for Members {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.is_empty() {
            self.block.reserve_exact(self.size);
        }
        let n = bytes.len().min(self.size - self.block.len());
        self.block.extend_from_slice(&bytes[..n]);
        if self.block.len() == self.size {
            self.close_block()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for Members {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        // Even an empty file has a member.
        if !self.block.is_empty() || !self.any {
            self.close_block()?;
        }
        while let Some(member) = self.pool.pop().map_err(io::Error::other)? {
            self.to.write_all(&member?)?;
        }
        self.to.finish()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bytes::Codec;
    use std::sync::{Arc, Mutex};

    /// Bytes that remain after the writer is dropped.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Finish for Shared {
        fn finish(self: Box<Self>) -> io::Result<()> {
            Ok(())
        }
    }

    /// Compresses bytes with a codec.
    pub(in super::super) fn packed(codec: Codec, bytes: &[u8], threads: usize) -> Vec<u8> {
        let shared = Shared::default();
        let mut encoder = codec
            .encoder(Box::new(shared.clone()), None, threads)
            .unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap();
        let bytes = shared.0.lock().unwrap();
        bytes.clone()
    }

    #[test]
    fn threads_change_nothing() {
        let bytes: Vec<u8> = (0..5_000_000u32).map(|n| (n % 251) as u8).collect();
        for codec in Codec::FILES {
            if codec.check().is_err() {
                continue;
            }
            for bytes in [&bytes[..], &bytes[..1 << 20], &bytes[..1], &[]] {
                let one = packed(codec, bytes, 1);
                assert!(one == packed(codec, bytes, 4), "{}", codec.name());
                for threads in [1, 4] {
                    let mut back = Vec::new();
                    let from = Box::new(io::Cursor::new(one.clone()));
                    let mut decoder = codec.decoder(from, threads).unwrap();
                    decoder.read_to_end(&mut back).unwrap();
                    assert!(back == bytes, "{}", codec.name());
                }
            }
        }
    }
}
