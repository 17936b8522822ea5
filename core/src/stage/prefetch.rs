//! Reading ahead on a separate thread.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::block::{Block, BlockEnd};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Reads the next utterances while the caller processes the current ones. Order, content and errors
/// do not change.
///
/// Three blocks of utterances are in memory: one being read, one waiting, one with the caller. A
/// large utterance is a separate block, and none of them waits. Live data are read synchronously,
/// because nothing may wait for data not produced yet. The thread starts with the first read, so
/// that an unused reader has none. If no thread can be started, everything is read synchronously.
/// Dropping it does not wait for a pending read.
pub struct Prefetch {
    state: State,
    current: Block,
    /// The number of blocks that may wait for the caller.
    waiting: usize,
    info: DatasetInfo,
    over: bool,
}

/// The state of the reading thread.
enum State {
    /// Not started.
    Idle(Option<Box<dyn Reader>>),
    /// Running.
    Ahead {
        filled: Receiver<Block>,
        spent: SyncSender<Block>,
    },
    /// Not used: no thread could be started, or the data are live.
    InTurn(Arc<Mutex<Box<dyn Reader>>>),
}

impl Prefetch {
    /// The largest number of waiting blocks.
    pub const MOST: usize = 1 << 10;

    /// Reads `reader` ahead from the first read on.
    pub fn new(reader: Box<dyn Reader>) -> Self {
        Self::waiting(reader, 1)
    }

    /// Does the same with `blocks` waiting blocks, one less for large utterances, for readers and
    /// callers of varying speed.
    pub fn waiting(reader: Box<dyn Reader>, blocks: usize) -> Self {
        let info = reader.info().clone();
        Self {
            waiting: blocks.clamp(1, Self::MOST),
            state: match info.live {
                true => State::InTurn(Arc::new(Mutex::new(reader))),
                false => State::Idle(Some(reader)),
            },
            info,
            current: Block::default(),
            over: false,
        }
    }

    /// Starts the thread.
    fn start(reader: Box<dyn Reader>, waiting: usize) -> State {
        let (to_caller, filled) = sync_channel(waiting);
        let (spent, to_reader) = sync_channel::<Block>(waiting + 2);
        // Shared, so that the reader is not lost if the thread cannot be started.
        let reader = Arc::new(Mutex::new(reader));
        let own = reader.clone();
        let work = move || {
            let mut reader = own.lock().unwrap_or_else(PoisonError::into_inner);
            // The caller has one from the start.
            let (mut blocks, mut most) = (1, waiting + 2);
            loop {
                let next = match to_reader.try_recv() {
                    Err(TryRecvError::Empty) if blocks < most => {
                        blocks += 1;
                        Ok(Block::default())
                    }
                    Err(_) => to_reader.recv(),
                    Ok(block) => Ok(block),
                };
                let Ok(mut block) = next else { return };
                block.fill(reader.as_mut());
                most = waiting + if block.is_large() { 1 } else { 2 };
                let last = block.is_last();
                if to_caller.send(block).is_err() || last {
                    return;
                }
            }
        };
        match thread::Builder::new()
            .name("read ahead".to_owned())
            .spawn(work)
        {
            Ok(_) => State::Ahead { filled, spent },
            Err(_) => State::InTurn(reader),
        }
    }

    /// Moves to the next block.
    fn next_block(&mut self) -> Result<()> {
        if let State::Idle(reader) = &mut self.state
            && let Some(reader) = reader.take()
        {
            self.state = Self::start(reader, self.waiting);
        }
        match &mut self.state {
            State::Ahead { filled, spent } => {
                let Ok(block) = filled.recv() else {
                    self.over = true;
                    return Err(Error::unsupported("the thread that reads ahead died"));
                };
                // If it cannot be returned, the allocation is simply made again.
                let _ = spent.try_send(std::mem::replace(&mut self.current, block));
            }
            State::InTurn(reader) => {
                let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
                self.current.fill(reader.as_mut());
            }
            State::Idle(_) => self.over = true,
        }
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Prefetch {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.over {
            if self.current.take(utt) {
                return Ok(true);
            }
            match self.current.then() {
                BlockEnd::More => self.next_block()?,
                BlockEnd::End => self.over = true,
                BlockEnd::Failed(error) => {
                    self.over = !error.can_continue();
                    return Err(error);
                }
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Key, Matrix, Rank};

    struct Count {
        next: u64,
        info: DatasetInfo,
    }

    impl Reader for Count {
        fn info(&self) -> &DatasetInfo {
            &self.info
        }

        fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
            let n = self.next;
            self.next += 1;
            utt.key = Key::generated(n);
            utt.features = Some(Matrix::from_rows(&[n], 1, Rank::Vector)?);
            match n {
                5 => Err(Error::unfit("five").continuable()),
                9 => Ok(false),
                _ => Ok(true),
            }
        }
    }

    #[test]
    fn changes_nothing() {
        let mut ahead = Prefetch::new(Box::new(Count {
            next: 0,
            info: DatasetInfo {
                frames: Some(9),
                ..DatasetInfo::default()
            },
        }));
        let mut utt = Utterance::default();
        for n in 0..9 {
            let read = ahead.read(&mut utt);
            if n == 5 {
                assert_eq!(read.unwrap_err().to_string(), "five");
                continue;
            }
            assert!(read.unwrap());
            assert_eq!(utt.key, Key::generated(n));
            assert_eq!(
                utt.features.as_ref().unwrap().as_slice::<u64>(),
                Some(&[n][..])
            );
        }
        for _ in 0..3 {
            assert!(!ahead.read(&mut utt).unwrap());
        }
        assert_eq!(ahead.info().frames, Some(9));
    }
}
