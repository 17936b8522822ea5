//! Multi-threaded work with results in order of the inputs.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use crate::error::{Error, Result};

/// An input, and the channel for its result.
type Task<I, O> = (I, Sender<O>);

/// A pool that does the same work on many inputs; the results come in the order of the inputs,
/// whatever the number of threads. Where no thread is to be had, whoever gives the inputs does the
/// work.
///
/// ```
/// use spr_core::threads::Ordered;
/// let mut squares = Ordered::new(3, |n: u64| n * n);
/// let mut results = Vec::new();
/// for n in 0..100 {
///     results.extend(squares.push(n)?);
/// }
/// while let Some(square) = squares.pop()? {
///     results.push(square);
/// }
/// assert!(results.into_iter().eq((0..100).map(|n| n * n)));
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct Ordered<I, O> {
    work: Arc<dyn Fn(I) -> O + Send + Sync>,
    /// The channel to the threads, if there are any.
    tasks: Option<SyncSender<Task<I, O>>>,
    waiting: VecDeque<SpoolProgress<O>>,
    depth: usize,
}

/// A result that was not taken yet.
enum SpoolProgress<O> {
    Here(O),
    /// The result of a thread; nothing arrives if that dies.
    Coming(Receiver<O>),
}

fn died() -> Error {
    Error::unsupported("a thread died, and its work with it")
}

impl<I: Send + 'static, O: Send + 'static> Ordered<I, O> {
    /// Starts at most `threads` threads that do `work`. With none, the work is done as inputs are added.
    pub fn new(threads: usize, work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        let (tasks, queue) = sync_channel::<Task<I, O>>(threads);
        let queue = Arc::new(Mutex::new(queue));
        let work: Arc<dyn Fn(I) -> O + Send + Sync> = Arc::new(work);
        let start = |_: &usize| {
            let (queue, work) = (queue.clone(), work.clone());
            let own = move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((input, result)) = next else { return };
                    // The pool may have been dropped.
                    let _ = result.send(work(input));
                }
            };
            Builder::new().spawn(own).is_ok()
        };
        let started = (0..threads).take_while(start).count();
        Self {
            work,
            tasks: (started > 0).then_some(tasks),
            waiting: VecDeque::new(),
            depth: threads + 1,
        }
    }

    /// Adds an input, and returns the oldest result if enough are pending.
    ///
    /// # Errors
    /// A thread panicked.
    pub fn push(&mut self, input: I) -> Result<Option<O>> {
        self.waiting.push_back(match &self.tasks {
            None => SpoolProgress::Here((self.work)(input)),
            Some(tasks) => {
                let (result, waiting) = channel();
                tasks.send((input, result)).map_err(|_| died())?;
                SpoolProgress::Coming(waiting)
            }
        });
        match self.waiting.len() > self.depth {
            true => self.pop(),
            false => Ok(None),
        }
    }

    /// Returns the oldest pending result, if there is one.
    ///
    /// # Errors
    /// The thread of that result panicked.
    pub fn pop(&mut self) -> Result<Option<O>> {
        match self.waiting.pop_front() {
            None => Ok(None),
            Some(SpoolProgress::Here(result)) => Ok(Some(result)),
            Some(SpoolProgress::Coming(result)) => result.recv().map(Some).map_err(|_| died()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_result_that_was_lost_is_an_error() {
        let mut pool = Ordered::new(2, |n: u32| {
            assert!(n != 1, "one");
            n
        });
        for n in 0..3 {
            assert_eq!(pool.push(n).unwrap(), None);
        }
        assert_eq!(pool.pop().unwrap(), Some(0));
        let error = pool.pop().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(pool.pop().unwrap(), Some(2));
        assert_eq!(pool.pop().unwrap(), None);
    }

    #[test]
    fn without_threads_the_caller_works() {
        let mut pool = Ordered::new(0, |n: u32| n + 1);
        let mut results = Vec::new();
        for n in 0..10 {
            results.extend(pool.push(n).unwrap());
        }
        while let Some(result) = pool.pop().unwrap() {
            results.push(result);
        }
        assert!(results.into_iter().eq(1..11));
    }
}
