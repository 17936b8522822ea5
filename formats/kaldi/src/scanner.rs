//! Scanning of numbers between brackets; several threads scan ahead.

use std::collections::VecDeque;

use memchr::{memchr, memrchr};
use spr_core::Result;
use spr_core::bytes::Source;
use spr_core::threads::Ordered;

use crate::layout::{Layout, Stop};
use crate::number::Real;

/// The number of bytes processed together; no number is longer.
pub(crate) const BLOCK: usize = 64 << 10;
/// The number of bytes that a thread scans at a time.
const PART: usize = 64 << 10;
/// The smallest number of bytes for another thread.
const LEAST: usize = 8 << 10;
/// The largest number of threads.
const MOST: usize = 8;
/// The largest number of bytes between two objects of which the second is expected.
const GAP: u64 = 4 << 10;

/// A scanner of the text between brackets, whose result does not depend on the number of threads.
pub(crate) struct Scanner<T> {
    threads: usize,
    /// The numbers of the last block.
    numbers: Vec<T>,
    /// The start of the current object, after its bracket.
    start: u64,
    /// The end of the object before.
    end: u64,
    /// The byte from which on nothing is scanned ahead.
    limit: u64,
    /// Whether threads scan objects after the current one.
    goes_on: bool,
    /// How far the text was cut into parts.
    cut: Option<Cut>,
    /// The starts of the parts in the pool.
    ahead: VecDeque<u64>,
    /// The threads, started on first use.
    pool: Option<Ordered<Part<T>, Part<T>>>,
    /// Buffers for reuse.
    spare: Vec<Part<T>>,
    #[cfg(test)]
    taken: usize,
}

/// The end of a part.
#[derive(Clone, Copy)]
struct Cut {
    at: u64,
    place: Place,
}

/// Where a cut is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside of brackets.
    Outside,
    /// After an opening bracket.
    First,
    /// Between two rows.
    Later,
}

/// Whole rows that are scanned separately.
struct Part<T> {
    text: Vec<u8>,
    first: bool,
    numbers: Vec<T>,
    shape: Layout,
    /// Whether all of the text was consumed.
    whole: bool,
    /// Whether it ends with the closing bracket.
    closed: bool,
}

/// What was scanned.
pub(crate) struct Scanned {
    /// The number of bytes.
    pub(crate) used: usize,
    /// Whether the source ends after these bytes and those that were not used.
    pub(crate) last: bool,
    /// Whether the source ends after these bytes.
    pub(crate) ended: bool,
    pub(crate) stop: Stop,
}

impl<T: Real + 'static> Scanner<T> {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads: threads.clamp(1, MOST),
            numbers: Vec::new(),
            start: 0,
            end: 0,
            limit: u64::MAX,
            goes_on: false,
            cut: None,
            ahead: VecDeque::new(),
            pool: None,
            spare: Vec::new(),
            #[cfg(test)]
            taken: 0,
        }
    }

    /// Begins with an object whose text starts at byte `at`.
    pub(crate) fn begin(&mut self, at: u64) -> Result<()> {
        self.goes_on = at.checked_sub(self.end).is_some_and(|gap| gap <= GAP);
        if !self.goes_on {
            while let Some((_, part)) = self.pop()? {
                self.spare.push(part);
            }
            self.cut = None;
        }
        self.start = at;
        Ok(())
    }

    /// Leaves objects from this byte on to others.
    pub(crate) fn limit(&mut self, byte: u64) {
        self.limit = byte;
    }

    /// Scans the next bytes of the object, whose rows so far have the layout `shape`; the source is not advanced.
    pub(crate) fn scan(&mut self, source: &mut Source, shape: &mut Layout) -> Result<Scanned> {
        let at = source.offset();
        // Data that another process is still writing are not waited for.
        if self.threads > 1 && !source.is_live() {
            self.look_ahead(source)?;
        }
        let scanned = match self.part(source, shape)? {
            Some(scanned) => scanned,
            None => {
                let (bytes, last) = source.ahead(BLOCK, |bytes| bytes.contains(&b']'))?;
                self.numbers.clear();
                let (used, stop) = shape.scan(bytes, last, &mut self.numbers);
                let ended = last && used == bytes.len();
                Scanned {
                    used,
                    last,
                    ended,
                    stop,
                }
            }
        };
        if matches!(scanned.stop, Stop::Closed) {
            self.end = at + scanned.used as u64;
        }
        Ok(scanned)
    }

    /// Returns the scanned numbers.
    pub(crate) fn numbers(&self) -> &[T] {
        &self.numbers
    }

    /// Returns the number of parts that threads have scanned.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Takes the next bytes from the threads, if one has scanned them. Faulty text is left to be scanned again with a
    /// known position.
    fn part(&mut self, source: &mut Source, shape: &mut Layout) -> Result<Option<Scanned>> {
        let at = source.offset();
        while self.ahead.front().is_some_and(|start| *start <= at) {
            let Some((start, mut part)) = self.pop()? else {
                break;
            };
            // The source may have become another one.
            let fits = start == at && part.whole && source.peek(part.text.len())? == part.text;
            let taken = fits
                && match part.first {
                    true => at == self.start && shape.begin(&part.shape),
                    false => shape.append(&part.shape),
                };
            std::mem::swap(&mut self.numbers, &mut part.numbers);
            let (used, closed) = (part.text.len(), part.closed);
            self.spare.push(part);
            if taken {
                #[cfg(test)]
                {
                    self.taken += 1;
                }
                return Ok(Some(Scanned {
                    used,
                    last: false,
                    ended: false,
                    stop: if closed { Stop::Closed } else { Stop::Short },
                }));
            }
        }
        Ok(None)
    }

    /// Passes as many parts of the next bytes to the threads as these can do.
    fn look_ahead(&mut self, source: &mut Source) -> Result<()> {
        let at = source.offset();
        // As many as the pool keeps without giving one back.
        let most = self.threads + 1;
        let reach = ((most + 1) * PART) as u64;
        let reach = reach.min(self.limit.saturating_sub(at));
        let known = self
            .cut
            .filter(|cut| cut.at >= at && cut.at - at <= 2 * reach);
        let mut cut = known.unwrap_or(Cut {
            at,
            place: match at == self.start {
                true => Place::First,
                false => Place::Later,
            },
        });
        while self.ahead.len() < most && cut.at - at < reach {
            let from = usize::try_from(cut.at - at).unwrap_or(usize::MAX);
            let bytes = source.peek(from.saturating_add(PART + LEAST))?;
            let bytes = bytes.get(from..).unwrap_or_default();
            if bytes.is_empty() || cut.place == Place::Outside && !self.goes_on {
                break;
            }
            let (len, next) = next_cut(bytes, cut.place);
            let is_part = match cut.place {
                Place::Outside => false,
                // Short objects are scanned more quickly than they are passed on.
                Place::First => len >= LEAST,
                Place::Later => len > 0,
            };
            if is_part {
                let mut part = self.spare.pop().unwrap_or_else(Part::new);
                part.first = cut.place == Place::First;
                part.text.clear();
                part.text.extend_from_slice(&bytes[..len]);
                let start = || Ordered::new(self.threads, Part::scan);
                self.pool.get_or_insert_with(start).push(part)?;
                self.ahead.push_back(cut.at);
            }
            cut.at += len as u64;
            cut.place = next;
        }
        self.cut = Some(cut);
        Ok(())
    }

    /// Waits for the oldest part, and returns it with its start.
    fn pop(&mut self) -> Result<Option<(u64, Part<T>)>> {
        let part = self.pool.as_mut().map_or(Ok(None), Ordered::pop)?;
        Ok(self.ahead.pop_front().zip(part))
    }
}

/// Returns the length of the next part of `bytes`, which start at `place`, and what is after it.
fn next_cut(bytes: &[u8], place: Place) -> (usize, Place) {
    if place == Place::Outside {
        return match memchr(b'[', bytes) {
            Some(i) => (i + 1, Place::First),
            None => (bytes.len(), Place::Outside),
        };
    }
    if let Some(i) = memchr(b']', bytes) {
        return (i + 1, Place::Outside);
    }
    match memrchr(b'\n', &bytes[..bytes.len().min(PART)]) {
        Some(i) => (i + 1, Place::Later),
        // Rows that are too long are left alone.
        None => (bytes.len(), Place::Outside),
    }
}

impl<T: Real> Part<T> {
    fn new() -> Self {
        Self {
            text: Vec::new(),
            first: false,
            numbers: Vec::new(),
            shape: Layout::default(),
            whole: false,
            closed: false,
        }
    }

    fn scan(mut self) -> Self {
        self.shape = match self.first {
            true => Layout::of_any(),
            false => Layout::default(),
        };
        self.numbers.clear();
        let (used, stop) = self.shape.scan(&self.text, false, &mut self.numbers);
        self.closed = matches!(stop, Stop::Closed);
        self.whole = used == self.text.len() && (self.closed || matches!(stop, Stop::Short));
        self
    }
}
