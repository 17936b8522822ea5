//! What a client is told.

use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use super::fault::Fault;
use super::request::Request;

/// Bytes that a slow server sends at a time.
const PIECE: usize = 4 << 10;

/// An answer.
pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Answer {
    pub(super) fn of(status: u16, body: Vec<u8>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body,
        }
    }

    pub(super) fn status(status: u16) -> Self {
        Self::of(status, Vec::new())
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Sends it; as an error if the connection is to end.
    pub(super) fn send(
        mut self,
        out: &mut impl Write,
        request: &Request,
        fault: Option<&Fault>,
    ) -> io::Result<()> {
        if fault == Some(&Fault::Half) {
            self.body.truncate(self.body.len() / 2);
        }
        let mut head = format!(
            "HTTP/1.1 {} x\r\nContent-Length: {}\r\n",
            self.status,
            self.body.len()
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        out.write_all(head.as_bytes())?;
        out.write_all(b"\r\n")?;
        let body = match request.method.as_str() {
            "HEAD" => &[][..],
            _ => &self.body[..],
        };
        match fault {
            Some(Fault::Cut(n) | Fault::TaglessCut(n)) => {
                out.write_all(&body[..body.len().min(*n)])?;
                out.flush()?;
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            Some(Fault::Slow(rest)) => {
                for piece in body.chunks(PIECE) {
                    out.write_all(piece)?;
                    out.flush()?;
                    sleep(Duration::from_millis(*rest));
                }
            }
            _ => out.write_all(body)?,
        }
        out.flush()
    }
}
