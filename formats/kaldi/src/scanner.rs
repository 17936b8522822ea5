//! Numbers between brackets, which several threads scan where there are many.

use memchr::{memchr, memrchr};
use spr_core::Result;
use spr_core::ordered::Ordered;

use crate::layout::{Layout, Stop};
use crate::number::Real;
use crate::text::BLOCK;

/// Bytes that tell what rows look like.
const HEAD: usize = 4 << 10;
/// Fewer bytes are not worth another thread.
const LEAST: usize = 16 << 10;
/// Bytes for each thread.
const PART: usize = 128 << 10;
/// Threads that are kept busy at most.
const MOST: usize = 8;

/// Scans blocks of rows. What comes of it does not depend on the number of threads.
pub(crate) struct Scanner<T> {
    threads: usize,
    /// The numbers of the last block.
    numbers: Vec<T>,
    /// Those of the parts behind it.
    parts: Vec<Part<T>>,
    /// There once it was needed.
    pool: Option<Ordered<Part<T>, Part<T>>>,
    /// Room to be used again.
    spare: Vec<Part<T>>,
}

/// Whole rows that are scanned on their own.
struct Part<T> {
    text: Vec<u8>,
    numbers: Vec<T>,
    shape: Layout,
    /// Whether all of the text was used.
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

    /// How many bytes to scan next of rows that look like `shape`.
    pub(crate) fn window(&self, shape: &Layout) -> usize {
        match shape.is_settled() {
            true => BLOCK.max(PART * self.threads),
            false => BLOCK,
        }
    }

    /// Scans the start of `bytes`, behind which nothing follows if they are the `last`, and says how
    /// much of them was used.
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
            // What is at fault is left, to be scanned again where its place is known.
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

    /// The numbers that were scanned, in their order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &[T]> {
        let parts = self.parts.iter().map(|part| &*part.numbers);
        std::iter::once(&*self.numbers).chain(parts)
    }

    /// Where parts of `bytes` end that are scanned on their own; none if all are scanned as one.
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

    /// Has a thread scan `text`.
    fn give(&mut self, text: &[u8]) -> Result<()> {
        let mut part = self.spare.pop().unwrap_or_else(Part::new);
        part.text.clear();
        part.text.extend_from_slice(text);
        let start = || Ordered::new(self.threads - 1, Part::scan);
        let pool = self.pool.get_or_insert_with(start);
        // As many as there are threads, so that none is done with too early.
        pool.push(part).map(drop)
    }
}

impl<T: Real> Part<T> {
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

#[cfg(test)]
mod tests {
    use spr_core::Limits;
    use spr_core::bytes::Source;
    use spr_core::model::Matrix;

    use super::*;
    use crate::text::brackets;

    /// What is read, and whether threads were needed for it.
    fn read(text: &str, threads: usize) -> (std::result::Result<(Vec<f32>, String), String>, bool) {
        let mut source = Source::from_bytes("demo", text.into()).unwrap();
        let mut scanner = Scanner::new(threads);
        let (mut into, limits) = (Matrix::default(), Limits::default());
        let any = Layout::of_any();
        let shape = brackets::<f32>(&mut source, &mut into, any, &mut scanner, &limits);
        let shape = shape.map(|shape| format!("{shape:?}, then byte {}", source.offset()));
        let read = shape.map(|shape| (into.values().unwrap().to_vec(), shape));
        (read.map_err(|e| e.to_string()), scanner.pool.is_some())
    }

    fn rows(n: usize) -> Vec<String> {
        let number = |i: usize| format!("{}.{:06}", i % 23, i * 7919 % 1_000_000);
        let row = |r: usize| (0..10).map(|c| number(10 * r + c)).collect::<Vec<_>>();
        (0..n).map(|r| row(r).join(" ")).collect()
    }

    /// Whether threads were needed.
    fn check(rows: &[String], end: &str) -> bool {
        let text = format!("\n  {}{end}", rows.join(" \n  "));
        let (alone, _) = read(&text, 1);
        [2, 3, 9].into_iter().all(|threads| {
            let (read, shared) = read(&text, threads);
            assert!(
                read == alone,
                "{:?} and {:?}",
                read.err(),
                alone.as_ref().err()
            );
            shared
        })
    }

    #[test]
    fn threads_change_nothing() {
        for n in [600, 5000, 30_000] {
            assert!(check(&rows(n), " ]\nnext "));
        }
        assert!(check(&rows(5000), "] [ 1 ]"));
        assert!(check(&rows(5000), ""));
        assert!(check(&rows(5000), "\n"));
        assert!(check(&rows(5000), ";\n\n ]"));
    }

    #[test]
    fn faults_have_the_same_place() {
        for row in [0, 1, 2, 700, 2500, 2501, 4998, 4999] {
            for fault in [
                "x",
                "1 2 3",
                "",
                "0.12345678901 1 2 3 4 5 6 7 8 9",
                "1;2",
                "3-4",
                "[ 1",
            ] {
                let mut rows = rows(5000);
                fault.clone_into(&mut rows[row]);
                assert!(check(&rows, " ]\n") || row < 700);
            }
        }
    }
}
