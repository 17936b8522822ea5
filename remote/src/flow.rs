//! Response bodies, received in the background while earlier data are processed.

use std::io;
use std::ops::Range;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::GetResult;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::AbortHandle;

use crate::address::Service;
use crate::fault;
use crate::runtime::{begin, wait};

/// The usual size of a piece in bytes.
const PIECE: u64 = 1 << 20;

/// A body in pieces, of which one block is buffered.
pub(crate) struct Flow {
    pieces: Option<Receiver<io::Result<Bytes>>>,
    task: AbortHandle,
}

impl Flow {
    /// Receives the body of a response, which must have exactly the bytes of `range`.
    ///
    /// # Errors
    /// The system refuses to start a thread.
    pub(crate) fn begin(
        answer: GetResult,
        service: Service,
        range: Range<u64>,
        block: u64,
    ) -> io::Result<Self> {
        let waiting = usize::try_from(block / PIECE).unwrap_or(1).max(1);
        let (sender, pieces) = channel(waiting);
        let wanted = range.end - range.start;
        let task = begin(pass(answer, service, wanted, sender))?;
        Ok(Self {
            pieces: Some(pieces),
            task: task.abort_handle(),
        })
    }

    /// Returns the next piece, or `None` after the last.
    ///
    /// # Errors
    /// The connection failed finally, or the body has the wrong length.
    pub(crate) fn next(&mut self) -> io::Result<Option<Bytes>> {
        let Some(mut pieces) = self.pieces.take() else {
            return Ok(None);
        };
        let (piece, pieces) = match pieces.try_recv() {
            Ok(piece) => (Some(piece), pieces),
            Err(_) => wait(async move { (pieces.recv().await, pieces) })?,
        };
        self.pieces = Some(pieces);
        piece.transpose()
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Forwards a body.
async fn pass(answer: GetResult, service: Service, wanted: u64, to: Sender<io::Result<Bytes>>) {
    let mut body = answer.into_stream();
    let (mut got, mut piece) = (0, BytesMut::new());
    loop {
        let more = body.next().await;
        let error = match more {
            Some(Ok(bytes)) => {
                got += bytes.len() as u64;
                piece.extend_from_slice(&bytes);
                match got > wanted {
                    true => Some(io::Error::other("the server sends more than was asked for")),
                    false if (piece.len() as u64) < PIECE && got < wanted => continue,
                    false => None,
                }
            }
            Some(Err(e)) => Some(fault::of(service, e)),
            None if got < wanted => Some(fault::cut(wanted, got)),
            None => return,
        };
        // The data before an error are valid and come first.
        let full = piece.split().freeze();
        if !full.is_empty() && got <= wanted && to.send(Ok(full)).await.is_err() {
            return;
        }
        if let Some(error) = error {
            let _ = to.send(Err(error)).await;
            return;
        }
    }
}
