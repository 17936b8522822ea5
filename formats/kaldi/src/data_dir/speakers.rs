//! The speakers of utterances by `spk2utt`, which says the other way round what `utt2spk` says.

use std::collections::HashMap;
use std::ops::Range;

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
            env.warn_left_out(&warning.file(&self.name).line(line));
        }
    }
}

/// What `spk2utt` says where there is `utt2spk`. Tables in the same order are compared as they are
/// read, others at the end.
pub(super) struct Inverse {
    tables: [Location; 2],
    env: Env,
    lines: Lines,
    /// The current utterance in the rest of the line.
    word: Range<usize>,
    in_step: bool,
}

impl Inverse {
    /// Opens the table; `list` is that of the speakers of utterances.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn open(at: Location, list: &Location, env: &Env) -> Result<Self> {
        Ok(Self {
            lines: Lines::new(env.open_file(&at)?),
            tables: [at, list.clone()],
            env: env.listening(|_| {}),
            word: 0..0,
            in_step: true,
        })
    }

    /// Compares the next utterance of the list.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn step(&mut self, utterance: &[u8], speaker: &[u8]) -> Result<()> {
        if self.in_step {
            let more = self.advance()?;
            let word = self.lines.rest().get(self.word.clone());
            self.in_step = more && word == Some(utterance) && self.lines.key() == speaker;
        }
        Ok(())
    }

    /// Moves to the next utterance, and returns `false` if there is none.
    fn advance(&mut self) -> Result<bool> {
        loop {
            let from = self.word.end;
            let rest = self.lines.rest().get(from..).unwrap_or_default();
            let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
            let start = blanks.count();
            let word = rest.get(start..).unwrap_or_default();
            let len = memchr::memchr2(b' ', b'\t', word).unwrap_or(word.len());
            if len > 0 {
                self.word = from + start..from + start + len;
                return Ok(true);
            }
            match self.lines.next(&self.env)? {
                NextLine::Line => self.word = 0..0,
                NextLine::End => return Ok(false),
                NextLine::Fault(_) => {
                    self.in_step = false;
                    return Ok(false);
                }
            }
        }
    }

    /// Warns if the tables contradict each other.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn finish(mut self, env: &Env) -> Result<()> {
        let more = self.advance()?;
        if self.in_step && !more {
            return Ok(());
        }
        let [inverse, list] = &self.tables;
        let pairs = |at, inverse| PairSum::read(at, inverse, &self.env);
        if pairs(inverse, true)? != pairs(list, false)? {
            let warning = Error::unfit("contradicts utt2spk, which is taken");
            let warning = warning.hint("utt2spk_to_spk2utt.pl rebuilds it");
            env.warn(&warning.file(inverse.to_string()));
        }
        Ok(())
    }
}

/// The pairs of an utterance and its speaker, as a sum that does not depend on their order.
#[derive(Default, PartialEq)]
struct PairSum {
    sum: u64,
    count: u64,
}

impl PairSum {
    /// Reads the pairs of `utt2spk`, or of its inverse.
    ///
    /// # Errors
    /// Reading fails.
    fn read(at: &Location, inverse: bool, env: &Env) -> Result<Self> {
        let mut lines = Lines::new(env.open_file(at)?);
        let mut pairs = Self::default();
        loop {
            match lines.next(env)? {
                NextLine::End => return Ok(pairs),
                NextLine::Fault(_) => {}
                NextLine::Line => {
                    for word in words(lines.rest()) {
                        let pair = match inverse {
                            true => (word, lines.key()),
                            false => (lines.key(), word),
                        };
                        pairs.sum = pairs.sum.wrapping_add(hash(pair));
                        pairs.count += 1;
                    }
                }
            }
        }
    }
}

fn words(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = rest.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}
