//! Multi-threaded decoding of bzip2 by blocks.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use bzip2::{Decompress, Status};

use super::segments::{Kind, MARK, Segment, Segments, is_mark};
use crate::threads::Ordered;

/// The header of a stream with blocks of the largest size.
const HEADER: &[u8] = b"BZh9";
/// The number of bytes decoded ahead per block. Most blocks are smaller; a block that is much
/// larger, because it repeats one byte, is paused.
const AHEAD: usize = 1 << 20;

/// A decoder of bzip2 that passes each block to the library's decoder as a separate stream.
///
/// Data inside a block that resemble a mark begin a false block. The decoder of the block before it
/// then has no output yet, and continues. Checks of a whole stream, which the library does, are
/// done here.
pub(super) struct Blocks {
    segments: Segments,
    threads: usize,
    /// The threads, started with the second block.
    pool: Option<Ordered<Segment, SegmentTask>>,
    spares: Arc<Spares>,
    /// The number of segments in the pool.
    waiting: usize,
    /// Whether a block was started.
    any: bool,
    current: Option<Block>,
    /// Whether the current position is inside a stream.
    inside: bool,
    /// The checksum of the stream's blocks so far.
    checksum: u32,
}

/// The result of starting a segment on a thread.
enum SegmentTask {
    Block(Block),
    Other(Segment),
}

/// A block being decoded.
struct Block {
    segment: Segment,
    checksum: u32,
    /// `None` after it was paused in favour of another block.
    decoder: Option<Decoder>,
    /// The number of bytes of the segment consumed.
    used: usize,
    made: Vec<u8>,
    taken: usize,
    /// Whether the block is complete, and followed by a real mark.
    whole: bool,
    error: Option<io::Error>,
}

/// A decoder with its state. It is large, and is reused for another block after it has reached the
/// mark of one.
struct Decoder {
    library: Decompress,
    /// The number of bits of the next mark already consumed, because it reads whole bytes.
    ahead: usize,
    /// The number of bytes produced from earlier blocks.
    before: u64,
}

impl Decoder {
    fn new() -> io::Result<Self> {
        let mut library = Decompress::new(false);
        library.decompress(HEADER, &mut []).map_err(wrong)?;
        Ok(Self {
            library,
            ahead: 0,
            before: 0,
        })
    }
}

/// Decoders available for reuse.
type Spares = Mutex<Vec<Decoder>>;

impl SegmentTask {
    fn new(segment: Segment, spares: &Spares) -> Self {
        if segment.kind != Kind::Block {
            return Self::Other(segment);
        }
        let spares = || spares.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = spares().pop();
        let (decoder, error) = match spare.map_or_else(Decoder::new, Ok) {
            Ok(decoder) => (Some(decoder), None),
            Err(error) => (None, Some(error)),
        };
        let (checksum, next) = (segment.checksum(), segment.next);
        let mut block = Block {
            checksum: checksum.unwrap_or_default(),
            segment: Segment::default(),
            decoder,
            used: 0,
            made: Vec::new(),
            taken: 0,
            whole: false,
            error,
        };
        block.feed(segment);
        if block.whole && next == Some(Kind::Block) {
            spares().extend(block.decoder.take());
        }
        Self::Block(block)
    }
}

impl Block {
    /// Continues with a segment.
    fn feed(&mut self, mut segment: Segment) {
        if let Some(decoder) = &mut self.decoder {
            segment.skip(decoder.ahead);
            decoder.ahead = MARK - segment.len() % 8;
        }
        self.segment = segment;
        self.used = 0;
        self.decode();
    }

    /// Decodes until there is enough output, or no more input.
    fn decode(&mut self) {
        self.made.clear();
        self.taken = 0;
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        let (library, bytes) = (&mut decoder.library, self.segment.len() / 8);
        while self.error.is_none() && self.made.len() < AHEAD {
            self.made.reserve(AHEAD - self.made.len());
            let before = (library.total_in(), self.made.len());
            let input = self.segment.bytes.get(self.used..bytes);
            let status = library.decompress_vec(input.unwrap_or_default(), &mut self.made);
            let used = library.total_in() - before.0;
            self.used += usize::try_from(used).unwrap_or(usize::MAX);
            match status {
                Ok(Status::MemNeeded) => self.error = Some(io::ErrorKind::OutOfMemory.into()),
                Ok(_) if before == (library.total_in(), self.made.len()) => {
                    // There is no output from a block before all of it was read.
                    self.whole = library.total_out() > decoder.before;
                    if self.whole {
                        decoder.before = library.total_out();
                    }
                    return;
                }
                Ok(_) => {}
                Err(error) => self.error = Some(wrong(error)),
            }
        }
    }
}

/// Checks a header and the mark after it, as far as visible, like the library.
fn check_header(bytes: &[u8]) -> Result<(), bzip2::Error> {
    let (header, mark) = bytes.split_at(bytes.len().min(HEADER.len()));
    let (name, level) = header.split_at(header.len().min(HEADER.len() - 1));
    let known = HEADER.starts_with(name) && level.iter().all(|n| (b'1'..=b'9').contains(n));
    match known {
        false => Err(bzip2::Error::DataMagic),
        true if is_mark(mark) => Ok(()),
        true => Err(bzip2::Error::Data),
    }
}

fn wrong(error: bzip2::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

impl Blocks {
    pub(super) fn new(from: Box<dyn Read + Send>, threads: usize) -> Self {
        Self {
            segments: Segments::new(from),
            threads,
            pool: None,
            spares: Arc::default(),
            waiting: 0,
            any: false,
            current: None,
            inside: false,
            checksum: 0,
        }
    }

    /// Returns the next segment, already started. A file with one block needs no threads.
    fn next(&mut self) -> io::Result<Option<SegmentTask>> {
        // One is queued for each thread that finishes; more would only take memory.
        while self.waiting <= self.threads
            && let Some(segment) = self.segments.next()
        {
            let first = segment.kind == Kind::Block && !self.any;
            self.any |= first;
            if self.pool.is_none() && (first || segment.kind != Kind::Block) {
                return Ok(Some(SegmentTask::new(segment, &self.spares)));
            }
            let spares = self.spares.clone();
            let begin = move |segment| SegmentTask::new(segment, &spares);
            let start = || Ordered::new(self.threads, begin);
            let pool = self.pool.get_or_insert_with(start);
            if let Some(begun) = pool.push(segment).map_err(io::Error::other)? {
                return Ok(Some(begun));
            }
            self.waiting += 1;
        }
        self.waiting = self.waiting.saturating_sub(1);
        let begun = self.pool.as_mut().map(Ordered::pop);
        Ok(begun.transpose().map_err(io::Error::other)?.flatten())
    }

    /// Returns the error for a truncated file.
    fn cut(&mut self) -> io::Error {
        match self.segments.failure.take() {
            Some(error) => error,
            None if self.segments.ended => io::ErrorKind::UnexpectedEof.into(),
            None => wrong(bzip2::Error::Data),
        }
    }

    /// Processes the end of a stream and the header of the next, if there is one.
    fn pass(&mut self, segment: &Segment) -> io::Result<()> {
        if segment.kind == Kind::End {
            let checksum = segment.checksum().ok_or_else(|| self.cut())?;
            if !self.inside || checksum != self.checksum {
                return Err(wrong(bzip2::Error::Data));
            }
        }
        self.inside = false;
        self.checksum = 0;
        let (bits, header) = segment.behind_end();
        if bits > 0 || segment.next.is_some() || segment.kind == Kind::Start {
            check_header(&header).map_err(wrong)?;
            self.inside = segment.next.is_some() && bits == 8 * HEADER.len();
            if !self.inside {
                return Err(match segment.next {
                    Some(_) => wrong(bzip2::Error::Data),
                    None => self.cut(),
                });
            }
        }
        Ok(())
    }

    /// Continues after a block that was read completely, or returns `None` while it is incomplete.
    fn complete(&mut self, mut block: Block) -> io::Result<Option<Block>> {
        if let Some(error) = block.error.take() {
            return Err(error);
        }
        if block.made.len() >= AHEAD {
            block.decode();
            return Ok(Some(block));
        }
        if block.segment.next.is_none() {
            return Err(self.cut());
        }
        if block.whole {
            self.checksum = self.checksum.rotate_left(1) ^ block.checksum;
            return Ok(None);
        }
        match self.next()? {
            Some(SegmentTask::Block(Block { segment, .. }) | SegmentTask::Other(segment)) => {
                block.feed(segment);
                Ok(Some(block))
            }
            None => Err(self.cut()),
        }
    }
}

impl Read for Blocks {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(mut block) = self.current.take() {
                let mut rest = block.made.get(block.taken..).unwrap_or_default();
                let n = rest.read(out)?;
                if n > 0 {
                    block.taken += n;
                    self.current = Some(block);
                    return Ok(n);
                }
                self.current = self.complete(block)?;
                continue;
            }
            match self.next()? {
                Some(SegmentTask::Block(block)) if self.inside => self.current = Some(block),
                Some(SegmentTask::Block(_)) => return Err(wrong(bzip2::Error::Data)),
                Some(SegmentTask::Other(segment)) => self.pass(&segment)?,
                None if self.inside || self.segments.failure.is_some() => return Err(self.cut()),
                None => return Ok(0),
            }
        }
    }
}
