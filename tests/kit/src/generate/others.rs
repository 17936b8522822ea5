//! What is neither features nor labels.

use spr_core::Limits;
use spr_core::bytes::Locator;
use spr_core::format::{AudioCaps, Caps, SegmentCaps};
use spr_core::model::{
    Array, Audio, AudioReference, Decimal, Dtype, EncodedAudio, GaussPosterior, Matrix, NamedArray,
    Object, Rank, RecordingFacts, Segment, Sparse, Tier, Utterance, Waveform,
};

use super::{matrix, plain};
use crate::faults::Random;

/// A part of utterances beside features, labels and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Sound as samples.
    Samples,
    /// Sound that is somewhere else.
    Reference,
    /// Segments.
    Segments,
    /// What was said.
    Text,
    /// Named arrays.
    Arrays,
}

impl Other {
    /// Every sort.
    pub const ALL: &'static [Self] = &[
        Self::Samples,
        Self::Reference,
        Self::Segments,
        Self::Text,
        Self::Arrays,
    ];

    /// Whether `caps` have a place for it.
    pub fn is_held(self, caps: &Caps) -> bool {
        match self {
            Self::Samples => !caps.audio.dtypes.is_empty(),
            Self::Reference => caps.audio.references,
            Self::Segments => caps.segments.is_some(),
            Self::Text => caps.text,
            Self::Arrays => caps.arrays.is_some(),
        }
    }

    /// Gives it to an utterance, in a size of about `n`, as far as `caps` have a place for it:
    /// small numbers, or from a seed any numbers and everything else that is held.
    pub fn put(self, utt: &mut Utterance, caps: &Caps, n: usize, seed: Option<u64>) {
        let numbers = |dtype, rows, cols| match seed {
            Some(seed) => matrix(dtype, Rank::Matrix, rows, cols, seed),
            None => plain(dtype, Rank::Matrix, rows, cols),
        };
        let mut random = Random::new(seed.unwrap_or_default());
        match self {
            Self::Samples => {
                let dtypes = caps.audio.dtypes;
                let (dtype, cols) = match seed {
                    Some(_) => (dtypes[random.below(dtypes.len())], 1 + random.below(5)),
                    None => (dtypes[0], 2),
                };
                let cols = channels(&caps.audio, cols);
                let rows = n.max(usize::from(caps.audio.needs_samples));
                utt.audio = Some(Audio::Samples(Waveform {
                    rate: rate(&caps.audio, n),
                    samples: held_bits(numbers(dtype, rows, cols), &caps.audio),
                }));
            }
            Self::Reference => utt.audio = Some(Audio::Reference(reference(n))),
            Self::Segments => {
                utt.tiers = match (seed, caps.segments) {
                    (Some(_), Some(caps)) => tiers(caps, &mut random),
                    (_, caps) => vec![Tier::only(segments(n, caps.unwrap_or_default()))],
                };
            }
            Self::Text => {
                let words = ["one", "two-words", "\u{e9}t\u{e9}"].iter().cycle();
                let words: Vec<_> = words.skip(n % 3).take(1 + n % 7).copied().collect();
                utt.text = Some(words.join(" ").into_bytes());
            }
            Self::Arrays => {
                let Some(caps) = caps.arrays else { return };
                let named = |i: usize| {
                    let rank = caps.min_rank + (n + i) % (1 + caps.max_rank - caps.min_rank);
                    let dtype = caps.dtypes[(n + i) % caps.dtypes.len()];
                    let least = usize::from(seed.is_none());
                    let shape: Vec<_> = (0..rank).map(|_| least + random.below(3)).collect();
                    NamedArray {
                        name: caps
                            .name
                            .unwrap_or(["data", "x y", "\u{e9}t\u{e9}", "a/b"][i])
                            .to_owned(),
                        array: array(dtype, &shape, seed),
                    }
                };
                utt.arrays = (0..caps.max_count.min(1 + n % 4)).map(named).collect();
            }
        }
    }
}

/// Samples of which only bits that are held are used.
pub(crate) fn held_bits(samples: Matrix, caps: &AudioCaps) -> Matrix {
    let (dtype, mut sound) = (samples.dtype(), Waveform { rate: 1, samples });
    let rounded = sound.cast_to_bits(dtype, caps.bits, &Limits::default());
    rounded.expect("a matrix of the same size");
    sound.samples
}

/// So many channels, or as many as are held.
pub(crate) fn channels(caps: &AudioCaps, wanted: usize) -> usize {
    wanted.min(usize::try_from(caps.max_channels).unwrap_or(usize::MAX))
}

/// A sampling rate that is held, the `n`-th of those there are.
pub(crate) fn rate(caps: &AudioCaps, n: usize) -> u32 {
    let rates = [16000, 8000, 44100, 1].into_iter();
    let held: Vec<_> = rates.filter(|rate| caps.rates.fits(rate)).collect();
    held[if caps.same_rate { 0 } else { n % held.len() }]
}

/// An array of small numbers, or of any numbers from a seed.
pub fn array(dtype: Dtype, shape: &[usize], seed: Option<u64>) -> Array {
    let len = shape.iter().product();
    let values: Matrix = match seed {
        Some(seed) => matrix(dtype, Rank::Vector, len, 1, seed),
        None => plain(dtype, Rank::Vector, len, 1),
    };
    Array::of(values, shape).expect("at most 8 dimensions")
}

/// A whole recording that is somewhere else.
pub fn reference(n: usize) -> AudioReference {
    AudioReference::new(Locator::file(format!("sounds/recording-{n}.wav")))
}

/// A file of three 16-bit samples, 8000 a second, by libFLAC 1.4.3.
const FLAC: &[u8] = b"fLaC\0\0\0\x22\x10\0\x10\0\0\0\x10\0\0\x10\x01\xf4\0\xf0\0\0\0\x03\
    \xbf\xecU\xd0xE2\x89=\xde>\xbb<Q\x91\x1c\x84\0\0\x28\x20\0\0\0reference libFLAC 1.4.3 20230623\
    \0\0\0\0\xff\xf8d\x08\0\x02\xed\x02\0\x01\xff\xff\0\x05\xcc\0";

/// A sound file of a format; of `wav` a true one of `n` + 1 samples, of `flac` one of three, of
/// others only the first bytes.
pub fn encoded(format: &str, n: usize) -> EncodedAudio {
    let magic: &[u8] = match format {
        "ogg" | "opus" => b"OggS",
        "mp3" => b"ID3",
        _ => b"",
    };
    let bytes = match format {
        "wav" => wav(n + 1),
        "flac" => FLAC.to_vec(),
        _ => [magic, &b"bytes of sound"[n % 3..]].concat(),
    };
    EncodedAudio {
        format: format.to_owned(),
        bytes,
        facts: RecordingFacts::default(),
    }
}

/// A wave file of one channel of 16-bit samples, 8000 a second.
fn wav(samples: usize) -> Vec<u8> {
    let size = u32::try_from(2 * samples).expect("small");
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + size).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    for (value, len) in [
        (16, 4),
        (1, 2),
        (1, 2),
        (8000, 4),
        (16000, 4),
        (2, 2),
        (16, 2),
    ] {
        bytes.extend(&u32::to_le_bytes(value)[..len]);
    }
    bytes.extend(b"data");
    bytes.extend(size.to_le_bytes());
    bytes.extend((0..size).map(|n| n.to_le_bytes()[0]));
    bytes
}

/// Segments one after the other, more for a larger `n`; the last goes on to the end unless `caps` want
/// one.
pub fn segments(n: usize, caps: SegmentCaps) -> Vec<Segment> {
    let count = i64::try_from(n).expect("small") + 3;
    let time = |t: i64| held_time(Decimal::new(25 * t, -2), caps);
    let segment = |t: i64| {
        let end = (caps.closed || t + 1 < count).then(|| time(t + 1));
        let mut segment = Segment::new(time(t), end, format!("ah{t}").as_bytes());
        segment.speaker = caps.spoken.then(|| segment.label.clone());
        segment
    };
    (0..count).map(segment).collect()
}

/// The nearest time that is held.
fn held_time(time: Decimal, caps: SegmentCaps) -> Decimal {
    caps.held_time(time).expect("a small time")
}

/// Tiers of segments with all that is held of them: those of a tier follow each other, sometimes
/// after a gap; only the last may go on to the end.
pub fn tiers(caps: SegmentCaps, random: &mut Random) -> Vec<Tier> {
    let names = ["words", "phones", "\u{e9}t\u{e9}s"];
    let tier = |name: &str, points, random: &mut Random| {
        let mut time = Decimal::new(0, 0);
        let count = 1 + random.below(6);
        let mut segments: Vec<Segment> = Vec::new();
        for n in 0..count {
            let mut later = |time: Decimal| {
                let step = i64::try_from(1 + random.below(99_999_999)).expect("small");
                time.plus(Decimal::new(step, -8)).expect("few digits")
            };
            let start = if n % 3 == 2 || points {
                later(time)
            } else {
                time
            };
            time = if points { start } else { later(start) };
            let open = !points && n + 1 == count && random.below(2) == 0;
            let end = (caps.closed || !open).then(|| held_time(time, caps));
            let label = ["ah", "\u{e9}", "z-1"][random.below(3)];
            let mut segment = Segment::new(held_time(start, caps), end, label.as_bytes());
            let score = i64::try_from(random.below(2_000_000)).expect("small") - 1_000_000;
            let scored = caps.scores && random.below(2) == 0;
            segment.score = scored.then(|| Decimal::new(score, -6));
            let spoken = caps.spoken || caps.speakers && random.below(2) == 0;
            segment.speaker = spoken.then(|| b"ann".as_slice().into());
            segments.push(segment);
        }
        Tier {
            name: name.as_bytes().into(),
            segments,
            points,
        }
    };
    match caps.tiers {
        true => {
            let count = 1 + random.below(3);
            let named = names[..count].iter();
            named
                .map(|name| tier(name, random.below(3) == 0, random))
                .collect()
        }
        false => vec![tier("", false, random)],
    }
}

/// An object of a kind of [`Object::KINDS`], of about `size` items, not empty.
pub fn object(kind: &str, size: usize) -> Object {
    let ints: Vec<i32> = (1..=i32::try_from(size).expect("small") + 1).collect();
    let floats: Vec<f32> = (0u8..)
        .map(|n| 0.25 + f32::from(n))
        .take(size + 1)
        .collect();
    let sparse = |rows: usize| Sparse {
        dtype: Dtype::F32,
        dim: 9,
        rows: (0..rows).map(|_| [(2, 0.5), (7, -1.0)]).collect(),
    };
    let words = ["one", "two-words", "\u{e9}t\u{e9}"].iter().cycle();
    match kind {
        "int32" => Object::Int(40 + ints[0]),
        "bool" => Object::Bool(size.is_multiple_of(2)),
        "int32-vector-vector" => Object::IntLists([&ints[..], &[], &ints].into_iter().collect()),
        "int32-pair-vector" => Object::IntPairs(ints.iter().map(|i| [*i, 5]).collect()),
        "float-pair-vector" => Object::FloatPairs(floats.iter().map(|v| [*v, 0.5]).collect()),
        "basic-float-vector" => Object::Floats(floats),
        "posterior" => {
            let frame: Vec<_> = ints.iter().copied().zip(floats).collect();
            Object::Posterior([&frame[..], &[], &frame[1..]].into_iter().collect())
        }
        "gauss-posterior" => Object::GaussPosterior(GaussPosterior {
            vectors: ints.iter().map(|_| &floats[..]).collect(),
            ids: [&ints[..], &[]].into_iter().collect(),
        }),
        "token" => Object::Token(b"word".to_vec()),
        "token-vector" => Object::Tokens(words.take(size + 1).map(|w| w.as_bytes()).collect()),
        "sparse-vector" => Object::SparseVector(sparse(1)),
        "sparse-matrix" => Object::SparseMatrix(sparse(size)),
        other => panic!("no such kind: {other}"),
    }
}
