//! Work on many items by several threads.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use spr_core::Result;

/// The most threads that work.
const MOST: usize = 16;

/// Applies `work` to each item on up to `threads` threads, and returns the results in the order of
/// the items. `progress` hears how many are done.
///
/// # Errors
/// `progress` fails; then no further item is begun.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    progress: impl Fn(u64) -> Result<()> + Sync,
    work: impl Fn(&T) -> R + Sync,
) -> Result<Vec<R>> {
    let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let (stopped, failure) = (AtomicBool::new(false), Mutex::new(None));
    let run = || {
        let mut own = Vec::new();
        while !stopped.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            own.push((at, work(item)));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Err(error) = progress(done) {
                stopped.store(true, Ordering::Relaxed);
                let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
            }
        }
        own
    };
    let threads = threads.clamp(1, MOST).min(items.len().max(1));
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut all = run();
        for other in others {
            match other.join() {
                Ok(own) => all.extend(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    results.sort_unstable_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order() {
        let items: Vec<u64> = (0..1000).collect();
        for threads in [0, 1, 3, 100] {
            let doubled = map(&items, threads, |_| Ok(()), |n| n * 2).unwrap();
            assert_eq!(doubled, items.iter().map(|n| n * 2).collect::<Vec<_>>());
        }
        assert!(
            map(&[] as &[u64], 2, |_| Ok(()), |n| *n)
                .unwrap()
                .is_empty()
        );
        let stop = |done| match done {
            10 => Err(spr_core::Error::usage("enough")),
            _ => Ok(()),
        };
        assert!(map(&items, 2, stop, |n| *n).is_err());
    }
}
