//! A server of objects on this machine that can be told to fail: as a plain web server, and as one
//! that speaks as much of S3's language as is needed to put, get, list and delete, whole or in parts.

mod answer;
mod bucket;
mod fault;
mod request;

use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use answer::Answer;
use bucket::Bucket;
pub use fault::Fault;
use request::Request;

/// A fault, and when it comes.
struct PlannedFault {
    method: &'static str,
    name: String,
    /// Requests of this sort that pass before.
    after: usize,
    /// Requests of this sort that it befalls.
    times: usize,
    fault: Fault,
}

#[derive(Default)]
struct State {
    bucket: Bucket,
    planned: Vec<PlannedFault>,
    log: Vec<String>,
}

/// The server; it ends with the process.
#[derive(Clone)]
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Starts one.
    ///
    /// # Errors
    /// The system gives no port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self {
            address: listener.local_addr()?,
            state: Arc::default(),
        };
        let own = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = own.clone();
                thread::spawn(move || server.serve(stream));
            }
        });
        Ok(server)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is: `http://127.0.0.1:1234`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Puts an object there, by the name of its bucket and its own, as `bucket/name`.
    pub fn put(&self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.state().bucket.put(name, bytes.into());
    }

    /// The bytes of an object, if it is there.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        Some(self.state().bucket.get(name)?.bytes.to_vec())
    }

    /// The names of all objects.
    pub fn names(&self) -> Vec<String> {
        self.state().bucket.names()
    }

    /// How many uploads in parts were begun and neither completed nor taken back.
    pub fn uploads(&self) -> usize {
        self.state().bucket.uploads()
    }

    /// The requests so far, as `GET bucket/name bytes=0-9`, and forgets them.
    pub fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.state().log)
    }

    /// Plans that `fault` befalls the next `times` requests by `method` whose name and query hold
    /// `name`, once `after` others have passed.
    pub fn plan(
        &self,
        method: &'static str,
        name: &str,
        (after, times): (usize, usize),
        fault: Fault,
    ) {
        self.state().planned.push(PlannedFault {
            method,
            name: name.to_owned(),
            after,
            times,
            fault,
        });
    }

    /// Forgets all plans.
    pub fn mend(&self) {
        self.state().planned.clear();
    }

    fn serve(&self, stream: TcpStream) {
        let Ok(mut out) = stream.try_clone() else {
            return;
        };
        let _ = stream.set_nodelay(true);
        let mut input = BufReader::new(stream);
        while let Ok(Some(request)) = Request::read(&mut input) {
            let fault = self.note(&request);
            if fault == Some(Fault::Changed) {
                self.state().bucket.change(&request.name);
            }
            if let Some(Fault::Silent(rest)) = fault {
                thread::sleep(Duration::from_millis(rest));
            }
            if fault == Some(Fault::Gone) {
                return;
            }
            let answer = match &fault {
                Some(Fault::Status(status)) => Answer::status(*status),
                Some(Fault::ErrorInside) => {
                    Answer::of(200, b"<Error><Code>InternalError</Code></Error>".to_vec())
                }
                Some(Fault::Elsewhere(url)) => Answer::status(307).with("Location", url),
                fault => self.state().bucket.answer(&request, fault.as_ref()),
            };
            if answer.send(&mut out, &request, fault.as_ref()).is_err() {
                return;
            }
        }
    }

    /// Logs a request, and finds out what befalls it.
    fn note(&self, request: &Request) -> Option<Fault> {
        let mut state = self.state();
        state.log.push(request.to_string());
        let line = format!("{}?{}", request.name, request.query);
        for planned in &mut state.planned {
            if planned.method != request.method || !line.contains(&planned.name) {
                continue;
            }
            if planned.after > 0 {
                planned.after -= 1;
            } else if planned.times > 0 {
                planned.times -= 1;
                return Some(planned.fault.clone());
            }
        }
        None
    }
}
