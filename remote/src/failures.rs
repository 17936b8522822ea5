//! Failures of places and servers, so that what is of no use is not asked again and again.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of retries of a request.
pub(crate) const TRIES: u32 = 5;
/// The time in which a request is retried, and in which a failure is remembered.
pub(crate) const TRY_FOR: Duration = Duration::from_secs(60);

/// The failures of one run. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Failures {
    known: Arc<Mutex<KnownFailures>>,
    /// The time after which a server without any answer is given up.
    patience: Duration,
}

/// Failures since the last success.
#[derive(Debug, Default)]
struct KnownFailures {
    /// By the address with its query.
    places: HashMap<String, Streak>,
    /// By the name of the server.
    servers: HashMap<String, Streak>,
}

/// Failures one after the other.
#[derive(Debug)]
struct Streak {
    /// The start of the first request that failed.
    since: Instant,
    /// The end of the last request that failed.
    last: Instant,
    count: u32,
    why: String,
}

impl Streak {
    fn is_recent(&self) -> bool {
        self.last.elapsed() < TRY_FOR
    }
}

/// A request that is not sent, because the same has failed before.
#[derive(Clone, Debug)]
pub(crate) struct Unavailable(pub(crate) String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

impl Failures {
    /// Creates a memory for requests with this timeout.
    pub(crate) fn new(timeout: Duration) -> Self {
        let all_tries = timeout.saturating_mul(TRIES + 1);
        Self {
            known: Arc::default(),
            patience: all_tries.min(TRY_FOR),
        }
    }

    fn known(&self) -> MutexGuard<'_, KnownFailures> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if a place has failed for good, or its server has not answered anything for too long.
    pub(crate) fn check(&self, server: &str, place: &str) -> Result<(), Unavailable> {
        let known = self.known();
        let of_place = known.places.get(place).filter(|streak| {
            streak.is_recent() && (streak.count > TRIES || streak.since.elapsed() >= TRY_FOR)
        });
        let of_server = known
            .servers
            .get(server)
            .filter(|streak| streak.is_recent() && streak.since.elapsed() >= self.patience);
        match of_server.or(of_place) {
            Some(streak) => Err(Unavailable(streak.why.clone())),
            None => Ok(()),
        }
    }

    /// Forgets the failures of a server that answers.
    pub(crate) fn answered(&self, server: &str) {
        self.known().servers.remove(server);
    }

    /// Forgets the failures of a place that gives what was asked for.
    pub(crate) fn succeeded(&self, place: &str) {
        self.known().places.remove(place);
    }

    /// Remembers that a request to a place failed that began at `start`.
    pub(crate) fn place_failed(&self, place: String, start: Instant, why: String) {
        add(&mut self.known().places, place, start, why);
    }

    /// Remembers that a server did not answer a request that began at `start`.
    pub(crate) fn server_failed(&self, server: String, start: Instant, why: String) {
        add(&mut self.known().servers, server, start, why);
    }
}

fn add(streaks: &mut HashMap<String, Streak>, name: String, start: Instant, why: String) {
    let before = streaks.remove(&name).filter(Streak::is_recent);
    let (since, count) = before.map_or((start, 0), |streak| (streak.since, streak.count));
    let streak = Streak {
        since,
        last: Instant::now(),
        count: count + 1,
        why,
    };
    streaks.insert(name, streak);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_too_often_is_not_asked_again() {
        let failures = Failures::new(Duration::from_secs(30));
        let now = Instant::now();
        for n in 0..=TRIES {
            assert!(failures.check("h", "h/x").is_ok(), "{n}");
            failures.place_failed("h/x".into(), now, "the server answers 503".into());
        }
        let failed = failures.check("h", "h/x").unwrap_err();
        assert_eq!(failed.to_string(), "the server answers 503");
        assert!(failures.check("h", "h/y").is_ok());
        failures.succeeded("h/x");
        assert!(failures.check("h", "h/x").is_ok());
    }

    #[test]
    fn a_silent_server_is_given_up_as_a_whole() {
        let failures = Failures::new(Duration::from_secs(2));
        let long_ago = Instant::now().checked_sub(Duration::from_secs(13)).unwrap();
        failures.server_failed("h".into(), long_ago, "silent".into());
        assert!(failures.check("h", "h/new").is_err());
        assert!(failures.check("g", "g/new").is_ok());
        failures.answered("h");
        failures.server_failed("h".into(), Instant::now(), "silent".into());
        assert!(failures.check("h", "h/new").is_ok());
    }
}
