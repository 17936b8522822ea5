//! Compression in members that stand on their own, on several threads.

use std::io::{self, Write};

use crate::bytes::Finish;
use crate::ordered::Ordered;

/// Cuts what is written into blocks of one size, each of which becomes a member of the file. The
/// size is fixed so that the number of threads never changes the file.
pub(super) struct Members {
    to: Box<dyn Finish>,
    block: Vec<u8>,
    size: usize,
    pool: Ordered<Vec<u8>, io::Result<Vec<u8>>>,
    any: bool,
}

impl Members {
    /// Members of `size` bytes, made by `compress` on `threads` threads.
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

    /// Hands the block over and writes what is finished.
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

    /// Bytes that are left when the writer is gone.
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

    /// What a codec makes of bytes.
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
