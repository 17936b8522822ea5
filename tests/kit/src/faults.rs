//! Things that go wrong: slow sources, damaged bytes, sinks that fail.

use std::io::{self, Cursor, Read, Write};

use spr_core::bytes::{Env, Finish, Source};
use spr_core::format::{Format, OpenedDataset, Options, Reader, Request, SegmentCaps};
use spr_core::model::{
    Audio, Chunk, Decimal, Dtype, Matrix, Meta, NamedArray, Object, Origin, Position, Rank, Tag,
    Tier, Utterance, Waveform,
};
use spr_core::{Error, Result};

use crate::generate;

/// Reads after which a reader that has not ended is taken to run for ever.
const MANY: usize = 1 << 20;

/// Gives one byte a read.
pub struct OneByte(Cursor<Vec<u8>>);

impl Read for OneByte {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(1);
        self.0.read(&mut out[..n])
    }
}

/// A source that gives one byte a read.
///
/// # Errors
/// The bytes are broken compressed data.
pub fn one_byte(bytes: &[u8]) -> Result<Source> {
    let reader = OneByte(Cursor::new(bytes.to_vec()));
    Source::from_reader(super::MEMORY, Box::new(reader))
}

/// A small xorshift generator: the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; any seed will do.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed ^ 0x9e37_79b9_7f4a_7c15 | 1);
        // The first numbers of neighbouring seeds are alike.
        for _ in 0..8 {
            random.next();
        }
        random
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from((self.next() >> 16) % n as u64).expect("below a usize")
    }
}

/// A copy of `bytes`, which are not empty, with one to three bits inverted.
pub fn flip(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        damaged[at] ^= 1 << random.below(8);
    }
    damaged
}

/// A copy of `bytes` with up to eight bytes from `at` on overwritten, as false sizes are.
pub fn smash(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let end = bytes.len().min(at + with.len());
    damaged[at..end].copy_from_slice(&with[..end - at]);
    damaged
}

/// Takes so many bytes and then fails, as a full disk does; it also fails to finish.
pub struct FailingSink {
    left: usize,
}

impl FailingSink {
    /// A sink that has room for `left` bytes.
    pub fn new(left: usize) -> Self {
        Self { left }
    }
}

impl Write for FailingSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.left);
        self.left -= n;
        if n == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for FailingSink {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

/// What came out of a reader.
#[derive(Debug)]
pub struct Drained {
    /// Every utterance it gave.
    pub utterances: Vec<Utterance>,
    /// Every error on the way; all but the last can continue.
    pub errors: Vec<Error>,
}

impl Drained {
    /// The utterances, or the first error.
    ///
    /// # Errors
    /// That of the reader.
    pub fn whole(mut self) -> Result<Vec<Utterance>> {
        if self.errors.is_empty() {
            Ok(self.utterances)
        } else {
            Err(self.errors.swap_remove(0))
        }
    }
}

/// Opens `source` and reads all of it, past every error that can continue.
pub fn read_source(
    format: &'static dyn Format,
    options: &Options,
    source: Source,
    env: &Env,
) -> Drained {
    read_asked(format, options, source, Request::all(), env)
}

/// As [`read_source`], by a request for less.
pub fn read_asked(
    format: &'static dyn Format,
    options: &Options,
    source: Source,
    request: Request,
    env: &Env,
) -> Drained {
    drain_opened(request.open(format, source, options, env))
}

/// As [`drain`], of what is opened or can't be.
pub fn drain_opened(opened: Result<OpenedDataset>) -> Drained {
    match opened.and_then(OpenedDataset::into_stream) {
        Ok(reader) => drain(reader),
        Err(error) => Drained {
            utterances: Vec::new(),
            errors: vec![error],
        },
    }
}

/// Reads everything, past every error that can continue. The first utterance, and every other one
/// from there on, is read into one full of stale data. Panics if the reader wakes up after its end, never ends, or changes what it
/// says of the data set.
pub fn drain(mut reader: Box<dyn Reader>) -> Drained {
    let mut drained = Drained {
        utterances: Vec::new(),
        errors: Vec::new(),
    };
    let mut utt = Utterance::default();
    let info = reader.info().clone();
    for n in 0..MANY {
        if n % 2 == 0 {
            utt = stale();
        }
        let more = reader.read(&mut utt);
        assert_eq!(
            *reader.info(),
            info,
            "what is said of the data set changes while it is read"
        );
        match more {
            Ok(true) => drained.utterances.push(utt.clone()),
            Ok(false) => {
                for _ in 0..3 {
                    let again = reader.read(&mut utt);
                    assert!(
                        matches!(again, Ok(false)),
                        "reading past the end gives {again:?}"
                    );
                }
                return drained;
            }
            Err(error) => {
                let over = !error.can_continue();
                drained.errors.push(error);
                if over {
                    return drained;
                }
            }
        }
    }
    panic!("no end after {MANY} utterances");
}

/// An utterance with something in every field.
pub fn stale() -> Utterance {
    let mut utt = Utterance {
        key: "stale".into(),
        features: Matrix::from_rows(&[0.5f64; 21], 7, Rank::Matrix).ok(),
        labels: Matrix::from_rows(&[-1i8; 6], 2, Rank::Matrix).ok(),
        audio: Some(Audio::Samples(Waveform {
            rate: 99,
            samples: generate::plain(Dtype::U16, Rank::Matrix, 3, 2),
        })),
        tiers: vec![Tier::only(generate::segments(1, SegmentCaps::PLAIN))],
        text: Some(b"stale".to_vec()),
        object: Some(Object::Int(99)),
        arrays: vec![NamedArray {
            name: "stale".to_owned(),
            array: generate::array(Dtype::I32, &[2, 3], None),
        }],
        sequences: Some(Box::default()),
        part: Some(99),
        chunk: Some(Chunk {
            first: 99,
            rows: None,
            is_last: false,
        }),
        ..Utterance::default()
    };
    utt.meta = Meta {
        frame_shift: Some(Decimal::new(99, 0)),
        frame_offset: Some(Decimal::new(77, 0)),
        speaker: Some("stale".into()),
        gender: Some("stale".into()),
        language: Some("stale".into()),
        recording: Some("stale".into()),
        channel: Some("stale".into()),
        start: Some(Decimal::new(55, 0)),
        end: Some(Decimal::new(66, 0)),
        tags: vec![Tag::new("stale", "stale", "stale")],
    };
    utt.origin = Origin {
        file: Some("stale".into()),
        at: Some(Position::Line(99)),
        coding: Some("stale".into()),
    };
    utt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_sink_takes_what_it_has_room_for() {
        let mut sink = FailingSink::new(3);
        assert_eq!(sink.write(b"abcd").unwrap(), 3);
        assert!(sink.write(b"d").is_err());
        assert!(Box::new(sink).finish().is_err());
    }

    #[test]
    fn damage_is_where_it_should_be() {
        let bytes = [0u8; 4];
        assert_eq!(smash(&bytes, 2, &[0xff; 8]), [0, 0, 0xff, 0xff]);
        let (mut a, mut b) = (Random::new(7), Random::new(7));
        for _ in 0..100 {
            let damaged = flip(&bytes, &mut a);
            assert_eq!(damaged, flip(&bytes, &mut b));
            assert_eq!(damaged.len(), 4);
        }
    }
}
