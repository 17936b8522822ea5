//! Byte streams that must be finished.

use std::fs::File;
use std::io::{self, Write};

/// A byte stream that must be finished: it has a compressor's trailer, or a command's exit status.
pub trait Finish: Write + Send {
    /// Writes the remaining bytes, and waits for the process at the other end.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl Finish for io::Stdout {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}

impl Finish for File {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for io::Sink {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
