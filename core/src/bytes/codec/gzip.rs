//! gzip, written on several threads.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::bytes::Finish;
use crate::ordered::Ordered;

/// Bytes in one member. A gzip file may have any number of them; the size is fixed so that the
/// number of threads never changes the file.
const MEMBER: usize = 1 << 20;

pub(super) fn decoder(from: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    Box::new(MultiGzDecoder::new(super::buffered(from)))
}

pub(super) fn encoder(to: Box<dyn Finish>, threads: usize) -> Box<dyn Finish> {
    Box::new(Gzip::new(to, threads))
}

/// Compresses in members, each on its own.
struct Gzip {
    to: Box<dyn Finish>,
    block: Vec<u8>,
    members: Ordered<Vec<u8>, io::Result<Vec<u8>>>,
    any: bool,
}

impl Gzip {
    fn new(to: Box<dyn Finish>, threads: usize) -> Self {
        let members = Ordered::new(threads, compress);
        Self {
            to,
            block: Vec::with_capacity(MEMBER),
            members,
            any: false,
        }
    }

    /// Hands the block over and writes what is finished.
    fn close_block(&mut self) -> io::Result<()> {
        self.any = true;
        let block = std::mem::replace(&mut self.block, Vec::with_capacity(MEMBER));
        match self.members.push(block).map_err(io::Error::other)? {
            Some(member) => self.to.write_all(&member?),
            None => Ok(()),
        }
    }
}

fn compress(block: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(MEMBER), Compression::default());
    encoder.write_all(&block)?;
    encoder.finish()
}

impl Write for Gzip {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(MEMBER - self.block.len());
        self.block.extend_from_slice(&bytes[..n]);
        if self.block.len() == MEMBER {
            self.close_block()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for Gzip {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        // Even an empty file has a member.
        if !self.block.is_empty() || !self.any {
            self.close_block()?;
        }
        while let Some(member) = self.members.pop().map_err(io::Error::other)? {
            self.to.write_all(&member?)?;
        }
        self.to.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn packed(bytes: &[u8], threads: usize) -> Vec<u8> {
        let shared = Shared::default();
        let mut gzip = Box::new(Gzip::new(Box::new(shared.clone()), threads));
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap();
        let bytes = shared.0.lock().unwrap();
        bytes.clone()
    }

    #[test]
    fn threads_change_nothing() {
        let bytes: Vec<u8> = (0..5_000_000u32).map(|n| (n % 251) as u8).collect();
        for bytes in [&bytes[..], &bytes[..MEMBER], &bytes[..1], &[]] {
            let one = packed(bytes, 1);
            assert_eq!(one, packed(bytes, 4));
            let mut back = Vec::new();
            flate2::read::MultiGzDecoder::new(&one[..])
                .read_to_end(&mut back)
                .unwrap();
            assert!(back == bytes);
        }
    }
}
