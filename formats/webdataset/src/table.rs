//! Lookup of samples by key.

use std::collections::HashMap;

use spr_core::Result;
use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::format::{FieldSet, Options, RandomAccess, Request};
use spr_core::model::{Key, Utterance};

use crate::read::ArchiveReader;

/// The samples of an archive by their keys.
pub(crate) struct ArchiveTable {
    reader: ArchiveReader,
    /// The bytes at which samples start.
    starts: HashMap<Key, u64>,
    keys: Vec<Key>,
    twice: Option<Key>,
}

impl ArchiveTable {
    /// Reads where the samples of a seekable `source` start.
    ///
    /// # Errors
    /// The archive is damaged, unless `request` is lenient, or has more names than the limits allow.
    pub(crate) fn new(
        source: Source,
        options: &Options,
        request: &Request,
        env: &Env,
    ) -> Result<Self> {
        let names = Request::all().parts(FieldSet::NONE);
        let mut reader = ArchiveReader::new(source, options, &names, env)?;
        let mut held = MemoryCounter::new("the names of utterances");
        let (mut starts, mut keys, mut twice) = (HashMap::new(), Vec::new(), None);
        let mut utt = Utterance::default();
        loop {
            let start = match reader.next(&mut utt) {
                Ok(Some(start)) => start,
                Ok(None) => break,
                Err(error) if request.on_error.skips() && error.can_continue() => {
                    env.tell_skipped(&error);
                    continue;
                }
                Err(error) => return Err(error.fatal()),
            };
            held.keep(2 * utt.key.as_bytes().len(), &env.limits)?;
            match starts.contains_key(&utt.key) {
                // The first one counts.
                true => {
                    twice.get_or_insert_with(|| utt.key.clone());
                }
                false => {
                    starts.insert(utt.key.clone(), start);
                    keys.push(utt.key.clone());
                }
            }
        }
        reader.ask(request);
        Ok(Self {
            reader,
            starts,
            keys,
            twice,
        })
    }
}

impl RandomAccess for ArchiveTable {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(start) = self.starts.get(key) else {
            return Ok(false);
        };
        self.reader.go_to(*start)?;
        Ok(self.reader.next(utt)?.is_some())
    }

    fn keys(&self) -> Option<Vec<Key>> {
        Some(self.keys.clone())
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        Ok(self.twice.clone())
    }
}
