//! Several data sets, one after the other.

use crate::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, KeySource, Utterance};

/// Reads one data set after the other; each is opened when its turn comes.
///
/// Made-up keys go on counting, so that they stay unique.
pub struct Chain<I> {
    rest: I,
    current: Option<Box<dyn Reader>>,
    info: DatasetInfo,
    read: u64,
}

impl<I: Iterator<Item = Result<Box<dyn Reader>>> + Send> Chain<I> {
    /// A chain of the readers that `openers` gives, the first of which is opened now.
    ///
    /// # Errors
    /// The first can't be opened.
    pub fn new(mut openers: I) -> Result<Self> {
        let current = openers.next().transpose()?;
        let info = current
            .as_ref()
            .map_or_else(DatasetInfo::default, |r| r.info().without_totals());
        Ok(Self {
            rest: openers,
            current,
            info,
            read: 0,
        })
    }
}

impl<I: Iterator<Item = Result<Box<dyn Reader>>> + Send> Reader for Chain<I> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while let Some(reader) = &mut self.current {
            if reader.read(utt)? {
                if reader.info().keys == KeySource::Generated {
                    utt.key = Key::generated(self.read);
                }
                self.read += 1;
                return Ok(true);
            }
            self.current = self.rest.next().transpose()?;
        }
        Ok(false)
    }
}
