//! Several data sets, one after the other.

use super::is_last;
use crate::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, KeySource, Utterance};

/// Reads one data set after the other; each is opened when its turn comes.
///
/// Made-up keys and partitions go on counting, so that they stay unique.
pub struct Chain<I> {
    rest: I,
    current: Option<Box<dyn Reader>>,
    info: DatasetInfo,
    numbers: Numbers,
    over: bool,
}

/// What counts on from one data set to the next.
#[derive(Default)]
pub(super) struct Numbers {
    read: u64,
    /// Partitions so far, and those of the data sets before.
    parts: u64,
    earlier: u64,
}

impl Numbers {
    /// Gives an utterance its made-up key, if its data set has such `keys`, and its partition.
    pub(super) fn give(&mut self, utt: &mut Utterance, keys: KeySource) {
        if keys == KeySource::Generated {
            utt.key = Key::generated(self.read);
        }
        self.read += 1;
        if let Some(part) = &mut utt.part {
            *part += self.earlier;
            self.parts = *part + 1;
        }
    }

    /// Another data set begins.
    pub(super) fn go_on(&mut self) {
        self.earlier = self.parts;
    }
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
            numbers: Numbers::default(),
            over: false,
        })
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        while let Some(reader) = &mut self.current {
            if reader.read(utt)? {
                self.numbers.give(utt, reader.info().keys);
                return Ok(true);
            }
            self.numbers.go_on();
            self.current = self.rest.next().transpose()?;
        }
        Ok(false)
    }
}

impl<I: Iterator<Item = Result<Box<dyn Reader>>> + Send> Reader for Chain<I> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::stage::tests::{List, utterance};
    use crate::stage::{Partition, PartitionSize};

    #[test]
    fn partitions_go_on_counting() {
        let cut = |list| -> Result<Box<dyn Reader>> {
            let size = Some(PartitionSize::of_bytes(4));
            Ok(Box::new(Partition::new(list, size, Limits::default())))
        };
        let lists = [
            List::of([utterance("a", &[1.0, 2.0], 1)]),
            List::of([]),
            List::of([utterance("b", &[3.0], 1), utterance("c", &[4.0], 1)]),
        ];
        let mut chain = Chain::new(lists.into_iter().map(cut)).unwrap();
        let (mut utt, mut parts) = (Utterance::default(), Vec::new());
        while chain.read(&mut utt).unwrap() {
            parts.push((utt.key.to_string(), utt.part.unwrap()));
        }
        let keys = parts.iter().map(|(key, _)| key.as_str());
        assert_eq!(keys.collect::<Vec<_>>(), ["a", "a", "b", "c"]);
        let parts: Vec<_> = parts.iter().map(|(_, part)| *part).collect();
        assert_eq!(parts, [0, 1, 2, 3]);
    }
}
