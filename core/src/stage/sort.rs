//! Sorting of utterances.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::stage::record::{self, Head};

/// The sort key of utterances. Equal ones keep their order.
#[non_exhaustive]
#[derive(Clone, Default)]
pub enum SortKey {
    /// The keys, byte by byte, as by `LC_ALL=C sort` and as Kaldi requires.
    #[default]
    Key,
    /// The numbers of frames, the shortest first.
    Frames,
    /// Bytes that a function appends of each utterance, compared one by one.
    Bytes(OrderBytes),
}

/// Appends bytes of an utterance that are in the order that utterances are to have.
pub(crate) type OrderBytes = Arc<dyn Fn(&Utterance, &mut Vec<u8>) + Send + Sync>;

impl SortKey {
    fn append(&self, utt: &Utterance, out: &mut Vec<u8>) {
        match self {
            Self::Key => record::by_key(utt, out),
            Self::Frames => out.extend(utt.frames().to_be_bytes()),
            Self::Bytes(append) => append(utt, out),
        }
    }
}

/// Sorts utterances. All are read before the first one is returned. Those that exceed the given
/// memory go to a temporary file without a name.
///
/// An error that [can continue](Error::can_continue) is returned at once; the next call continues.
pub struct Sort {
    inner: Box<dyn Reader>,
    sorter: Sorter,
    sorted: Option<SortedReader>,
    info: DatasetInfo,
    scratch: Utterance,
}

/// Sorts utterances that are not from a reader. Those that exceed the given memory go to a
/// temporary file without a name.
pub struct Sorter {
    by: SortKey,
    memory: usize,
    run: Run,
    spilt: Option<SortedRuns>,
}

/// The sorted utterances of a [`Sorter`].
pub struct SortedReader {
    /// Those in memory.
    run: Run,
    output: Output,
}

/// The utterances in memory.
#[derive(Default)]
struct Run {
    bytes: Vec<u8>,
    /// The position of each utterance, and of the bytes that it is sorted by.
    items: Vec<Item>,
}

struct Item {
    start: usize,
    end: usize,
    order: (usize, usize),
}

/// Sorted runs in a file.
struct SortedRuns {
    file: BufWriter<File>,
    ends: Vec<u64>,
}

enum Output {
    Memory(std::vec::IntoIter<Item>),
    Merge(Merge),
}

/// The number of bytes by which the memory for a run grows.
const STEP: usize = 4 << 20;
/// The size of an item in bytes.
const ITEM: usize = size_of::<Item>();
/// The smallest buffer for reading a run back.
const LEAST: usize = 4 << 10;
const MOST: usize = 256 << 10;

impl Sort {
    /// Sorts the utterances of `inner`, with about `memory` bytes of memory, but at least one
    /// utterance.
    pub fn new(inner: Box<dyn Reader>, by: SortKey, memory: u64) -> Self {
        Self {
            info: inner.info().clone(),
            inner,
            sorter: Sorter::new(by, memory),
            sorted: None,
            scratch: Utterance::default(),
        }
    }

    /// Reads everything.
    fn fill(&mut self) -> Result<SortedReader> {
        while self.inner.read(&mut self.scratch)? {
            self.sorter.push(&self.scratch)?;
        }
        self.scratch = Utterance::default();
        std::mem::replace(&mut self.sorter, Sorter::new(SortKey::Key, 0)).finish()
    }
}

impl Sorter {
    /// Creates a sorter with about `memory` bytes of memory, but at least one utterance.
    pub fn new(by: SortKey, memory: u64) -> Self {
        Self {
            by,
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
            run: Run::default(),
            spilt: None,
        }
    }

    /// Adds an utterance.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn push(&mut self, utt: &Utterance) -> Result<()> {
        self.run.push(utt, &self.by)?;
        match self.run.size() >= self.memory {
            true => self.spill(),
            false => Ok(()),
        }
    }

    /// Returns all utterances, sorted.
    ///
    /// # Errors
    /// The temporary file cannot be read or written.
    pub fn finish(mut self) -> Result<SortedReader> {
        if self.spilt.is_none() {
            self.run.sort();
            let items = std::mem::take(&mut self.run.items).into_iter();
            return Ok(SortedReader {
                run: self.run,
                output: Output::Memory(items),
            });
        }
        self.spill()?;
        Ok(SortedReader {
            run: Run::default(),
            output: Output::Merge(Merge::new(self.spilt, self.memory)?),
        })
    }

    /// Writes the utterances in memory to the file.
    fn spill(&mut self) -> Result<()> {
        self.run.sort();
        let spilt = match &mut self.spilt {
            Some(spilt) => spilt,
            none => none.insert(SortedRuns {
                file: BufWriter::new(tempfile::tempfile().map_err(failed)?),
                ends: Vec::new(),
            }),
        };
        let mut end = spilt.ends.last().copied().unwrap_or_default();
        for item in self.run.items.drain(..) {
            let bytes = &self.run.bytes[item.start..item.end];
            spilt.file.write_all(bytes).map_err(failed)?;
            end += bytes.len() as u64;
        }
        spilt.ends.push(end);
        self.run.bytes.clear();
        Ok(())
    }
}

impl SortedReader {
    /// Reads the next utterance, and returns `false` at the end.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        match &mut self.output {
            Output::Memory(items) => {
                let Some(item) = items.next() else {
                    return Ok(false);
                };
                record::take(&self.run.bytes[item.start..item.end], utt)?;
                Ok(true)
            }
            Output::Merge(merge) => merge.next(utt),
        }
    }

    /// Returns an empty output.
    fn none() -> Self {
        Self {
            run: Run::default(),
            output: Output::Memory(Vec::new().into_iter()),
        }
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("cannot sort in a temporary file", error)
        .file(std::env::temp_dir().display().to_string())
        .suggest(Remedy::MoreMemory)
}

impl Run {
    fn push(&mut self, utt: &Utterance, by: &SortKey) -> Result<()> {
        if self.bytes.capacity() - self.bytes.len() < STEP / 2 {
            self.bytes.reserve_exact(STEP);
        }
        let start = self.bytes.len();
        let order = start + Head::ORDER;
        let mut order_end = order;
        let append = |utt: &Utterance, out: &mut Vec<u8>| {
            by.append(utt, out);
            order_end = out.len();
        };
        record::append(utt, append, &mut self.bytes)?;
        self.items.push(Item {
            start,
            end: self.bytes.len(),
            order: (order, order_end),
        });
        Ok(())
    }

    fn size(&self) -> usize {
        self.bytes.len() + self.items.len() * ITEM
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let of = |item: &Item| &bytes[item.order.0..item.order.1];
        self.items.sort_by(|a, b| of(a).cmp(of(b)));
    }
}

/// A merge of sorted runs.
struct Merge {
    heap: BinaryHeap<Front>,
    buffer: Vec<u8>,
}

/// A run, and the head of its next utterance.
struct Front {
    head: Head,
    number: usize,
    run: BufReader<FileRange>,
}

/// A range of a shared file.
struct FileRange {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Read for FileRange {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let len = out.len().min(left);
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(&mut out[..len])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Merge {
    fn new(spilt: Option<SortedRuns>, memory: usize) -> Result<Self> {
        let mut merge = Self {
            heap: BinaryHeap::new(),
            buffer: Vec::new(),
        };
        let Some(SortedRuns { file, ends }) = spilt else {
            return Ok(merge);
        };
        let file = Arc::new(file.into_inner().map_err(|e| failed(e.into_error()))?);
        let room = (memory / ends.len().max(1)).clamp(LEAST, MOST);
        let mut at = 0;
        for (number, end) in ends.into_iter().enumerate() {
            let file = file.clone();
            let span = FileRange { file, at, end };
            at = end;
            merge.push(Front {
                head: Head::default(),
                number,
                run: BufReader::with_capacity(room, span),
            })?;
        }
        Ok(merge)
    }

    /// Adds a run with its next utterance, unless it has ended.
    fn push(&mut self, mut front: Front) -> Result<()> {
        let span = front.run.get_ref();
        if front.run.buffer().is_empty() && span.at == span.end {
            return Ok(());
        }
        front.head = Head::read(&mut front.run)?;
        self.heap.push(front);
        Ok(())
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(mut front) = self.heap.pop() else {
            return Ok(false);
        };
        front
            .head
            .utterance(&mut front.run, &mut self.buffer, utt)?;
        self.push(front)?;
        Ok(true)
    }
}

impl Ord for Front {
    /// Reversed, because a heap returns its largest item first.
    fn cmp(&self, other: &Self) -> Ordering {
        let order = self.head.order.cmp(&other.head.order);
        order.then(self.number.cmp(&other.number)).reverse()
    }
}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Front {}

#[warn(clippy::missing_trait_methods)]
impl Reader for Sort {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(sorted) = &mut self.sorted {
            return sorted.next(utt);
        }
        let sorted = match self.fill() {
            Ok(sorted) => self.sorted.insert(sorted),
            Err(error) => {
                // The part before a failure is not all.
                if !error.can_continue() {
                    self.sorted = Some(SortedReader::none());
                }
                return Err(error);
            }
        };
        sorted.next(utt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::tests::{List, utterance};
    use proptest::prelude::*;

    fn sorted(all: &[Utterance], by: SortKey, memory: u64) -> Vec<Utterance> {
        let mut sort = Sort::new(List::of(all.to_vec()), by, memory);
        let (mut out, mut utt) = (Vec::new(), Utterance::default());
        while sort.read(&mut utt).unwrap() {
            out.push(utt.clone());
        }
        assert!(!sort.read(&mut utt).unwrap());
        out
    }

    proptest! {
        #[test]
        fn as_sorting_in_memory(
            shapes in proptest::collection::vec(("[a-c]{0,2}", 0usize..5), 0..40),
            memory in 0u64..4000,
        ) {
            let all: Vec<_> = shapes
                .iter()
                .enumerate()
                .map(|(i, (key, frames))| {
                    // The value distinguishes equal ones.
                    utterance(key, &vec![i as f32; *frames], 1)
                })
                .collect();
            let mut by_key = all.clone();
            by_key.sort_by(|a, b| a.key.cmp(&b.key));
            prop_assert_eq!(sorted(&all, SortKey::Key, memory), by_key);
            let mut by_frames = all.clone();
            by_frames.sort_by_key(Utterance::frames);
            prop_assert_eq!(sorted(&all, SortKey::Frames, memory), by_frames);
        }
    }

    #[test]
    fn an_utterance_that_fails_costs_only_itself() {
        struct Flawed(u32, DatasetInfo);
        impl Reader for Flawed {
            fn info(&self) -> &DatasetInfo {
                &self.1
            }

            fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
                self.0 += 1;
                *utt = utterance(&format!("{}", 9 - self.0), &[0.0], 1);
                match self.0 {
                    2 => Err(Error::unfit("flawed").continuable()),
                    n => Ok(n < 4),
                }
            }
        }
        let mut sort = Sort::new(Box::new(Flawed(0, DatasetInfo::default())), SortKey::Key, 0);
        let mut utt = Utterance::default();
        assert!(sort.read(&mut utt).unwrap_err().can_continue());
        let mut keys = Vec::new();
        while sort.read(&mut utt).unwrap() {
            keys.push(utt.key.to_string());
        }
        assert_eq!(keys, ["6", "8"]);
    }
}
