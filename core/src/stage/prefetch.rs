//! Reading ahead on a thread of its own.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::{Error, Result};

/// Reads the next utterance while the caller works on this one. Order, content and errors are
/// those of the reader it is made of.
///
/// Three utterances are in memory: one being read, one waiting, one with the caller. Dropping it
/// does not wait for a read that is under way.
pub struct Prefetch {
    filled: Receiver<Step>,
    spent: SyncSender<Utterance>,
    info: DatasetInfo,
    over: bool,
}

/// What the thread hands over: an utterance with what the reader knew after it, or the end.
struct Step {
    info: DatasetInfo,
    read: Result<Option<Utterance>>,
}

impl Prefetch {
    /// Starts reading ahead.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new(mut reader: Box<dyn Reader>) -> Result<Self> {
        let info = reader.info().clone();
        let (to_caller, filled) = sync_channel(1);
        let (spent, to_reader) = sync_channel::<Utterance>(3);
        let work = move || {
            loop {
                let mut utt = to_reader.try_recv().unwrap_or_default();
                let read = match reader.read(&mut utt) {
                    Ok(more) => Ok(more.then_some(utt)),
                    Err(error) => Err(error),
                };
                let last = match &read {
                    Ok(utt) => utt.is_none(),
                    Err(error) => !error.can_continue(),
                };
                let step = Step {
                    info: reader.info().clone(),
                    read,
                };
                if to_caller.send(step).is_err() || last {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("read ahead".to_owned())
            .spawn(work)
            .map_err(|e| Error::io("cannot start a thread", e))?;
        Ok(Self {
            filled,
            spent,
            info,
            over: false,
        })
    }
}

impl Reader for Prefetch {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        let Ok(Step { info, read }) = self.filled.recv() else {
            self.over = true;
            return Err(Error::unsupported("the thread that reads ahead died"));
        };
        self.info = info;
        match read {
            Ok(Some(next)) => {
                // Without a place for it the allocation is simply made again.
                let _ = self.spent.try_send(std::mem::replace(utt, next));
                Ok(true)
            }
            Ok(None) => {
                self.over = true;
                Ok(false)
            }
            Err(error) => {
                self.over = !error.can_continue();
                Err(error)
            }
        }
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
            self.info.frames = Some(n);
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
            info: DatasetInfo::default(),
        }))
        .unwrap();
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
            assert_eq!(ahead.info().frames, Some(n));
        }
        for _ in 0..3 {
            assert!(!ahead.read(&mut utt).unwrap());
        }
    }
}
