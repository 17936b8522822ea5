//! The contents of sound seen so far, in little memory.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hasher};

use spr_core::model::{Key, Waveform};

/// The keys that are kept, so that the first of two equal sounds can be named.
const NAMED: usize = 100_000;

/// Sounds as 64-bit hashes, each with its number from 0, and the first keys.
#[derive(Default)]
pub(super) struct Contents {
    seen: HashMap<u64, u64>,
    keys: Vec<Key>,
}

impl Contents {
    /// Adds a sound, and names an earlier one with the same samples. Constant sound is ignored.
    pub(super) fn add(&mut self, key: &Key, sound: &Waveform) -> Option<String> {
        if is_constant(sound) {
            return None;
        }
        let number = self.seen.len() as u64;
        let earlier = *self.seen.entry(hash(sound)).or_insert(number);
        if earlier == number {
            if self.keys.len() < NAMED {
                self.keys.push(key.clone());
            }
            return None;
        }
        let known = usize::try_from(earlier).ok().and_then(|n| self.keys.get(n));
        Some(match known {
            Some(key) => key.to_string(),
            None => "an earlier utterance".to_owned(),
        })
    }
}

fn is_constant(sound: &Waveform) -> bool {
    let bytes = sound.samples.as_bytes();
    let mut samples = bytes.chunks_exact(sound.samples.dtype().size().max(1));
    let first = samples.next();
    samples.all(|sample| Some(sample) == first)
}

fn hash(sound: &Waveform) -> u64 {
    let mut hasher = BuildHasherDefault::<DefaultHasher>::default().build_hasher();
    hasher.write(sound.samples.dtype().name().as_bytes());
    hasher.write_usize(sound.samples.cols());
    hasher.write(format!("{:?}", sound.rate).as_bytes());
    hasher.write(sound.samples.as_bytes());
    hasher.finish()
}
