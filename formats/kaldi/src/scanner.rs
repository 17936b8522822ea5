//! Scanning of numbers between brackets, by several threads if there are many.

use memchr::{memchr, memrchr};
use spr_core::Result;
use spr_core::threads::Ordered;

use crate::layout::{Layout, Stop};
use crate::number::Real;

/// The number of bytes processed together; no number is longer.
pub(crate) const BLOCK: usize = 64 << 10;
/// The number of bytes that shows the layout of rows.
const HEAD: usize = 4 << 10;
/// The smallest number of bytes for another thread.
const LEAST: usize = 16 << 10;
/// The number of bytes per thread.
const PART: usize = 128 << 10;
/// The largest number of threads.
const MOST: usize = 8;

/// A scanner of blocks of rows, whose result does not depend on the number of threads.
pub(crate) struct Scanner<T> {
    threads: usize,
    /// The numbers of the last block.
    numbers: Vec<T>,
    /// The parts after it.
    parts: Vec<RowBlock<T>>,
    /// The threads, started on first use.
    pool: Option<Ordered<RowBlock<T>, RowBlock<T>>>,
    /// Buffers for reuse.
    spare: Vec<RowBlock<T>>,
}

/// Whole rows that are scanned separately.
struct RowBlock<T> {
    text: Vec<u8>,
    numbers: Vec<T>,
    shape: Layout,
    /// Whether all of the text was consumed.
    whole: bool,
    /// Whether it ends with the closing bracket.
    closed: bool,
}

impl<T: Real + 'static> Scanner<T> {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads: threads.clamp(1, MOST),
            numbers: Vec::new(),
            parts: Vec::new(),
            pool: None,
            spare: Vec::new(),
        }
    }

    /// Returns the number of bytes to scan next, for rows with the layout `shape`.
    pub(crate) fn window(&self, shape: &Layout) -> usize {
        match shape.is_settled() {
            true => BLOCK.max(PART * self.threads),
            false => BLOCK,
        }
    }

    /// Scans the start of `bytes`, after which nothing follows if `last` is set. Returns the number
    /// of bytes consumed.
    pub(crate) fn scan(
        &mut self,
        bytes: &[u8],
        last: bool,
        shape: &mut Layout,
    ) -> Result<(usize, Stop)> {
        self.numbers.clear();
        self.spare.append(&mut self.parts);
        let cuts = self.cuts(bytes, shape);
        let [first, others @ ..] = &*cuts else {
            return Ok(shape.scan(bytes, last, &mut self.numbers));
        };
        let mut start = *first;
        for end in others {
            self.give(&bytes[start..*end])?;
            start = *end;
        }
        let (mut used, mut stop) = shape.scan(&bytes[..*first], false, &mut self.numbers);
        let mut start = *first;
        while let Some(part) = self.pool.as_mut().map_or(Ok(None), Ordered::pop)? {
            // Faulty text is left to be scanned again with a known position.
            let follows = used == start && matches!(stop, Stop::Short);
            start += part.text.len();
            if follows && part.whole && shape.append(&part.shape) {
                used = start;
                if part.closed {
                    stop = Stop::Closed;
                }
                self.parts.push(part);
            } else {
                self.spare.push(part);
            }
        }
        Ok((used, stop))
    }

    /// Returns the scanned numbers in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &[T]> {
        let parts = self.parts.iter().map(|part| &*part.numbers);
        std::iter::once(&*self.numbers).chain(parts)
    }

    /// Returns `true` once threads were needed.
    #[cfg(test)]
    pub(crate) fn is_shared(&self) -> bool {
        self.pool.is_some()
    }

    /// Returns the ends of the parts of `bytes` that are scanned separately, or none if all are
    /// scanned as one.
    fn cuts(&self, bytes: &[u8], shape: &Layout) -> Vec<usize> {
        let mut cuts = Vec::new();
        let mut cut = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            cuts.extend(memchr(b'\n', rest).map(|i| from + i + 1));
        };
        if self.threads < 2 {
            return cuts;
        }
        if !shape.is_settled() {
            cut(HEAD);
            return cuts;
        }
        let end = memchr(b']', bytes).or_else(|| memrchr(b'\n', bytes));
        let end = end.map_or(0, |i| i + 1);
        let parts = self.threads.min(end / LEAST);
        (1..parts).for_each(|i| cut(end * i / parts));
        if parts > 1 {
            cuts.retain(|cut| *cut < end);
            cuts.push(end);
            cuts.dedup();
        }
        cuts
    }

    /// Passes `text` to a thread.
    fn give(&mut self, text: &[u8]) -> Result<()> {
        let mut part = self.spare.pop().unwrap_or_else(RowBlock::new);
        part.text.clear();
        part.text.extend_from_slice(text);
        let start = || Ordered::new(self.threads - 1, RowBlock::scan);
        let pool = self.pool.get_or_insert_with(start);
        // As many as there are threads, so that none becomes idle early.
        pool.push(part).map(drop)
    }
}

impl<T: Real> RowBlock<T> {
    fn new() -> Self {
        Self {
            text: Vec::new(),
            numbers: Vec::new(),
            shape: Layout::default(),
            whole: false,
            closed: false,
        }
    }

    fn scan(mut self) -> Self {
        self.shape = Layout::default();
        self.numbers.clear();
        let (used, stop) = self.shape.scan(&self.text, false, &mut self.numbers);
        self.closed = matches!(stop, Stop::Closed);
        self.whole = used == self.text.len() && (self.closed || matches!(stop, Stop::Short));
        self
    }
}
