//! Concurrent reading of several files.

use super::block::{Block, BlockEnd};
use super::chain::Numbers;
use super::is_last;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, KeySource, Utterance};
use crate::threads::Ordered;

/// Opens a file.
type Open = Box<dyn FnOnce() -> Result<Box<dyn Reader>> + Send>;

/// Reads several files concurrently, one utterance of each in turn; at the end of a file the next
/// one takes its place. The order, including that of errors, does not depend on the number of
/// threads. An error that ends a file is one that [can continue](Error::can_continue): with the
/// others.
///
/// Each file is opened and read ahead by one of the threads, or sequentially if none can be
/// started. Two blocks of utterances per open file are in memory. With one file at a time it is a
/// [`Chain`](super::Chain) that is read ahead. Generated keys continue, and so do partitions if one
/// file is read at a time; otherwise partitions are mixed and dropped.
///
/// ```
/// use spr_core::format::Reader;
/// use spr_core::stage::{Cache, Interleave};
/// # use spr_core::{Limits, Result, model::{DatasetInfo, Utterance}};
/// # struct Letters(std::str::Chars<'static>, DatasetInfo);
/// # impl Reader for Letters {
/// #     fn info(&self) -> &DatasetInfo { &self.1 }
/// #     fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
/// #         let next = self.0.next();
/// #         utt.key = next.unwrap_or_default().to_string().as_str().into();
/// #         Ok(next.is_some())
/// #     }
/// # }
/// # let open = |keys: &'static str| -> Result<Box<dyn Reader>> {
/// #     Ok(Box::new(Letters(keys.chars(), DatasetInfo::default())))
/// # };
/// let files = ["abc", "d", "ef"].map(|name| move || open(name));
/// let reader: Box<dyn Reader> = Box::new(Interleave::new(files, 2, 4)?);
/// let keys: Result<String> = reader.into_iter().map(|utt| Ok(utt?.key.to_string())).collect();
/// assert_eq!(keys?, "adbecf");
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct Interleave {
    /// The remaining files.
    rest: Box<dyn Iterator<Item = Open> + Send>,
    pool: Ordered<File, File>,
    /// The open files, and the current one.
    places: Vec<Place>,
    turn: usize,
    width: usize,
    /// The number of files started.
    begun: u64,
    numbers: Numbers,
    info: DatasetInfo,
    over: bool,
}

fn lost() -> Error {
    Error::unsupported("a file that is read was lost")
}

/// A file being read by threads.
struct File {
    number: u64,
    state: State,
    block: Block,
}

enum State {
    Closed(Open),
    Open(Box<dyn Reader>),
    /// A file that could not be opened.
    Failed,
}

/// An open file.
struct Place {
    number: u64,
    block: Block,
    keys: KeySource,
    /// Its next block, if it is available.
    ahead: Option<File>,
}

impl File {
    /// Reads its next block.
    fn work(mut self) -> Self {
        self.state = match self.state {
            State::Closed(open) => match open() {
                Ok(reader) => State::Open(reader),
                Err(error) => {
                    self.block = Block::failed(error);
                    State::Failed
                }
            },
            other => other,
        };
        if let State::Open(reader) = &mut self.state {
            self.block.fill(reader.as_mut());
        }
        self
    }
}

impl Interleave {
    /// Reads the files that `openers` open, `width` at a time, on `threads` threads. The first file
    /// is opened now.
    ///
    /// # Errors
    /// The first cannot be opened, or `width` is 0.
    pub fn new<I, F>(openers: I, width: usize, threads: usize) -> Result<Self>
    where
        I: IntoIterator<Item = F>,
        I::IntoIter: Send + 'static,
        F: FnOnce() -> Result<Box<dyn Reader>> + Send + 'static,
    {
        if width == 0 {
            return Err(Error::usage("0 files at a time").hint("the least number is 1"));
        }
        let mut rest = openers.into_iter().map(|open| Box::new(open) as Open);
        let mut info = DatasetInfo::default();
        let first = match rest.next() {
            None => None,
            Some(open) => {
                let reader = open()?;
                info = reader.info().without_totals();
                Some(Box::new(move || Ok(reader)) as Open)
            }
        };
        Ok(Self {
            rest: Box::new(first.into_iter().chain(rest)),
            pool: Ordered::new(threads.min(width), File::work),
            places: Vec::new(),
            turn: 0,
            width,
            begun: 0,
            numbers: Numbers::default(),
            info,
            over: false,
        })
    }

    /// Starts the next file, if there is one, at a given place.
    fn begin(&mut self, at: usize) -> Result<bool> {
        let Some(open) = self.rest.next() else {
            return Ok(false);
        };
        let place = Place {
            number: self.begun,
            block: Block::default(),
            keys: KeySource::default(),
            ahead: None,
        };
        match self.places.get_mut(at) {
            Some(ended) => *ended = place,
            None => self.places.push(place),
        }
        self.begun += 1;
        self.push(File {
            number: self.begun - 1,
            state: State::Closed(open),
            block: Block::default(),
        })?;
        Ok(true)
    }

    /// Passes a file to the threads, and collects their results.
    fn push(&mut self, file: File) -> Result<()> {
        if let Some(done) = self.pool.push(file)? {
            self.arrived(done);
        }
        Ok(())
    }

    fn arrived(&mut self, file: File) {
        let mut places = self.places.iter_mut();
        if let Some(place) = places.find(|place| place.number == file.number) {
            place.ahead = Some(file);
        }
    }

    /// Moves to the next block of the current file, and requests the one after it.
    fn next_block(&mut self) -> Result<()> {
        let file = loop {
            if let Some(file) = self.places[self.turn].ahead.take() {
                break file;
            }
            let done = self.pool.pop()?;
            self.arrived(done.ok_or_else(lost)?);
        };
        let place = &mut self.places[self.turn];
        if let State::Open(reader) = &file.state {
            place.keys = reader.info().keys;
        }
        let block = std::mem::replace(&mut place.block, file.block);
        if place.block.is_last() {
            return Ok(());
        }
        self.push(File { block, ..file })
    }

    /// Replaces a file at its end.
    fn end_file(&mut self) -> Result<()> {
        self.numbers.go_on();
        if !self.begin(self.turn)? {
            self.places.remove(self.turn);
            self.turn %= self.places.len().max(1);
        }
        Ok(())
    }

    fn pass_turn(&mut self) {
        self.turn = (self.turn + 1) % self.places.len();
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.places.len() < self.width {
            if !self.begin(self.places.len())? {
                break;
            }
        }
        while let Some(place) = self.places.get_mut(self.turn) {
            if place.block.take(utt) {
                utt.part = utt.part.filter(|_| self.width == 1);
                self.numbers.give(utt, place.keys);
                self.pass_turn();
                return Ok(true);
            }
            match place.block.then() {
                BlockEnd::More => self.next_block()?,
                BlockEnd::End => self.end_file()?,
                BlockEnd::Failed(error) if error.can_continue() => {
                    self.pass_turn();
                    return Err(error);
                }
                BlockEnd::Failed(error) if error.ends_one_input() => {
                    self.end_file()?;
                    return Err(error.continuable());
                }
                BlockEnd::Failed(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Interleave {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        let read = self.next(utt);
        self.over = is_last(&read);
        read
    }
}
