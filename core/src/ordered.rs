//! Work on several threads, results in the order in which it was given.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

/// One piece of work and where its result goes.
type Task<I, O> = (I, Sender<O>);

/// A pool that does the same work on many inputs; the results come in the order of the inputs,
/// whatever the number of threads.
///
/// ```
/// use spr_core::ordered::Ordered;
/// let mut squares = Ordered::new(3, |n: u64| n * n);
/// let mut results = Vec::new();
/// for n in 0..100 {
///     results.extend(squares.push(n));
/// }
/// results.extend(squares.finish());
/// assert!(results.into_iter().eq((0..100).map(|n| n * n)));
/// ```
pub struct Ordered<I, O> {
    tasks: SyncSender<Task<I, O>>,
    waiting: VecDeque<Receiver<O>>,
    depth: usize,
}

impl<I: Send + 'static, O: Send + 'static> Ordered<I, O> {
    /// Starts `threads` threads (at least one) that do `work`.
    pub fn new(threads: usize, work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        let threads = threads.max(1);
        let (tasks, queue) = sync_channel::<Task<I, O>>(threads);
        let queue = Arc::new(Mutex::new(queue));
        let work = Arc::new(work);
        for _ in 0..threads {
            let (queue, work) = (queue.clone(), work.clone());
            let started = Builder::new().spawn(move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((input, result)) = next else { return };
                    // Nobody waits for it any more if the pool was dropped.
                    let _ = result.send(work(input));
                }
            });
            // Fewer threads do as well; without any, results are missing.
            if started.is_err() {
                break;
            }
        }
        Self {
            tasks,
            waiting: VecDeque::new(),
            depth: threads + 1,
        }
    }

    /// Gives another input, and takes the oldest result if enough are under way.
    pub fn push(&mut self, input: I) -> Option<O> {
        let (result, waiting) = channel();
        // The threads live as long as the pool; one that panicked shows as a missing result.
        let _ = self.tasks.send((input, result));
        self.waiting.push_back(waiting);
        if self.waiting.len() > self.depth {
            self.pop()
        } else {
            None
        }
    }

    /// The oldest result that is still to come; `None` if there is none, or its thread panicked or
    /// was never to be had.
    pub fn pop(&mut self) -> Option<O> {
        self.waiting.pop_front()?.recv().ok()
    }

    /// All results that are still to come.
    pub fn finish(mut self) -> impl Iterator<Item = O> {
        std::iter::from_fn(move || self.pop())
    }
}
