//! One reader for several threads.

use std::sync::{Arc, Mutex, PoisonError};

use super::is_last;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// A reader shared by threads: each utterance goes to the thread that requests it first. Clones are
/// handles of the same reader.
///
/// An error that [can continue](Error::can_continue) is returned to the thread that encountered it.
/// One that ends the stream is returned once to every handle, so that no thread takes its
/// utterances for the whole.
///
/// ```
/// # use spr_core::model::{Matrix, Rank};
/// use spr_core::model::Utterance;
/// use spr_core::stage::{ThreadedReader, Utterances};
/// # struct Three(u64, spr_core::model::DatasetInfo);
/// # impl spr_core::format::Reader for Three {
/// #     fn info(&self) -> &spr_core::model::DatasetInfo { &self.1 }
/// #     fn read(&mut self, utt: &mut Utterance) -> spr_core::Result<bool> {
/// #         utt.features = Some(Matrix::from_rows(&[1f32; 10], 1, Rank::Matrix)?);
/// #         self.0 += 1;
/// #         Ok(self.0 <= 3)
/// #     }
/// # }
/// # let reader = Box::new(Three(0, Default::default()));
/// let shared = ThreadedReader::new(reader);
/// let counts: Vec<u64> = std::thread::scope(|scope| {
///     let workers: Vec<_> = (0..4)
///         .map(|_| shared.clone())
///         .map(|own| scope.spawn(|| Utterances::new(own).map(|utt| Ok(utt?.frames())).sum()))
///         .collect();
///     workers.into_iter().map(|worker| worker.join().unwrap()).collect::<spr_core::Result<_>>()
/// })?;
/// assert_eq!(counts.iter().sum::<u64>(), 30);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone)]
pub struct ThreadedReader {
    shared: Arc<Mutex<SharedReader>>,
    info: DatasetInfo,
    /// Whether this handle has returned the end.
    over: bool,
}

struct SharedReader {
    reader: Box<dyn Reader>,
    state: State,
}

enum State {
    More,
    /// It is being read, or the reading thread panicked.
    Reading,
    Ended,
    Failed(Error),
}

impl ThreadedReader {
    /// Creates the first handle of `reader`.
    pub fn new(reader: Box<dyn Reader>) -> Self {
        Self {
            info: reader.info().clone(),
            shared: Arc::new(Mutex::new(SharedReader {
                reader,
                state: State::More,
            })),
            over: false,
        }
    }
}

impl SharedReader {
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        match &self.state {
            State::More => {}
            State::Reading => return Err(Error::unsupported("a thread died while it was reading")),
            State::Ended => return Ok(false),
            State::Failed(error) => return Err(error.copy()),
        }
        self.state = State::Reading;
        let read = self.reader.read(utt);
        self.state = match &read {
            Ok(true) => State::More,
            Ok(false) => State::Ended,
            Err(error) if error.can_continue() => State::More,
            Err(error) => State::Failed(error.copy()),
        };
        read
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for ThreadedReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        // A panic while it was locked is visible in the state.
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let read = shared.read(utt);
        self.over = is_last(&read);
        read
    }
}
