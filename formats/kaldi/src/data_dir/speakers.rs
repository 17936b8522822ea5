//! The speakers of utterances by `spk2utt`, which says the other way round what `utt2spk` says.

use std::collections::HashMap;

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::model::Key;
use spr_core::{Error, Result};

use super::faults::Faults;
use super::line::{Lines, NextLine};
use crate::key_set::hash;

/// The speakers of utterances, in memory, where there is no `utt2spk`.
pub(super) struct Speakers {
    name: String,
    speakers: Vec<Key>,
    utterances: HashMap<Key, Listed>,
}

/// An utterance of `spk2utt`.
struct Listed {
    /// The number of its speaker.
    speaker: usize,
    line: u64,
    used: bool,
}

impl Speakers {
    /// Reads the table. Faulty lines, and utterances that are listed twice, are added to `faults`.
    ///
    /// # Errors
    /// Reading fails, or the file exceeds the limits.
    pub(super) fn read(at: &Location, env: &Env, faults: &mut Faults) -> Result<Self> {
        let mut held = MemoryCounter::new("the utterances of the speakers");
        let mut lines = Lines::new(env.open_file(at)?);
        let (mut speakers, mut utterances) = (Vec::<Key>::new(), HashMap::<Key, Listed>::new());
        loop {
            match lines.next(env)? {
                NextLine::End => break,
                NextLine::Fault(error) => faults.add(error)?,
                NextLine::Line => {
                    let (speaker, line) = (speakers.len(), lines.number());
                    speakers.push(lines.key().into());
                    held.keep(lines.key().len() + lines.rest().len(), &env.limits)?;
                    for key in words(lines.rest()).map(Key::from) {
                        if let Some(first) = utterances.get(&key) {
                            let other = speakers.get(first.speaker);
                            let (other, key) = (other.cloned().unwrap_or_default(), key);
                            let message = format!("is listed for the speaker {other} as well");
                            let error = Error::malformed(message).utterance(&key);
                            faults.add(lines.place(error).continuable())?;
                            continue;
                        }
                        let used = false;
                        utterances.insert(
                            key,
                            Listed {
                                speaker,
                                line,
                                used,
                            },
                        );
                    }
                }
            }
        }
        Ok(Self {
            name: at.to_string(),
            speakers,
            utterances,
        })
    }

    /// Returns the speaker of an utterance.
    ///
    /// # Errors
    /// It is listed for none.
    pub(super) fn find(&mut self, key: &Key) -> Result<&Key> {
        let Some(listed) = self.utterances.get_mut(key) else {
            return Err(Error::unfit("is listed for no speaker").file(&self.name));
        };
        listed.used = true;
        let speaker = self.speakers.get(listed.speaker);
        speaker.ok_or_else(|| Error::unfit("is listed for no speaker").file(&self.name))
    }

    /// Reports the utterances that were not looked up.
    pub(super) fn finish(&self, env: &Env) {
        let unused = self.utterances.iter().filter(|(_, listed)| !listed.used);
        let mut unused: Vec<_> = unused.map(|(key, listed)| (listed.line, key)).collect();
        unused.sort();
        for (line, key) in unused {
            let warning = Error::unfit("belongs to no utterance, and is ignored").utterance(key);
            env.warn(&warning.file(&self.name).line(line));
        }
    }
}

/// The pairs of an utterance and its speaker, as a sum that does not depend on their order.
#[derive(Default, PartialEq)]
pub(super) struct PairSum {
    sum: u64,
    count: u64,
}

impl PairSum {
    /// Adds a pair.
    pub(super) fn add(&mut self, utterance: &[u8], speaker: &[u8]) {
        self.sum = self.sum.wrapping_add(hash((utterance, speaker)));
        self.count += 1;
    }

    /// Reads the pairs of `spk2utt`.
    ///
    /// # Errors
    /// Reading fails.
    fn read(at: &Location, env: &Env) -> Result<Self> {
        let silent = env.listening(|_| {});
        let mut lines = Lines::new(env.open_file(at)?);
        let mut pairs = Self::default();
        loop {
            match lines.next(&silent)? {
                NextLine::End => return Ok(pairs),
                NextLine::Fault(_) => {}
                NextLine::Line => {
                    for utterance in words(lines.rest()) {
                        pairs.add(utterance, lines.key());
                    }
                }
            }
        }
    }

    /// Warns if the pairs of `spk2utt` are not these, which are those of `utt2spk`.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn compare(&self, at: &Location, env: &Env) -> Result<()> {
        if *self != Self::read(at, env)? {
            let warning = Error::unfit("contradicts utt2spk, which is taken").file(at.to_string());
            env.warn(&warning.hint("utt2spk_to_spk2utt.pl rebuilds it"));
        }
        Ok(())
    }
}

fn words(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = rest.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}
